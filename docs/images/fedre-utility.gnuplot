# Draws fedre-utility.png from the page's table of how well ten clients find maps:
#     gnuplot -c docs/images/fedre-utility.gnuplot docs/papers/fedre.md docs/images/fedre-utility.png
set terminal pngcairo size 1000,440 font "Sans,12"
set output ARG2
# of one defense in the table whose title begins so: a line for each budget, with IoU and its interval
iou(defense) = sprintf("< awk -F'|' '/^\\*\\*/ { here = index($0, \"**ten, round\") == 1 } here { k = $2; gsub(/^ +| +$/, \"\", k); if (split(k, at, \" @ \") > 1 ? at[1] == \"%s\" : k == \"%s\") { v = $3; gsub(/[^0-9. ]/, \" \", v); split(v, x, \" \"); print (at[2] == \"\" ? 0 : at[2]), x[1], x[2], x[3] } }' '%s'", defense, defense, ARG1)
stats iou("none") using 2 nooutput
set logscale x
set xrange [6:9000]
set xtics (10, 50, 500, 5000)
set yrange [0:0.25]
set ytics 0.05
set xlabel "privacy budget ε that is claimed"
set ylabel "IoU of what ten clients find"
set grid y
set border 3
set tics nomirror
set key outside right center samplen 2 Left reverse
set bars 0.6
plot STATS_mean with lines dt 2 lw 1.5 lc "#555555" title "no defense", \
     iou("uniform") using ($1 * 0.94):2:3:4 with yerrorlines pt 5 ps 1.1 lw 1.5 lc "#0072B2" title "even noise", \
     iou("blur-lus") using ($1 * 0.98):2:3:4 with yerrorlines pt 9 ps 1.3 lw 1.5 lc "#999999" title "BLUR+LUS", \
     iou("FedRE, averaged") using ($1 * 1.02):2:3:4 with yerrorlines pt 7 ps 1.2 lw 1.5 lc "#E69F00" title "FedRE, averaged", \
     iou("FedRE") using ($1 * 1.06):2:3:4 with yerrorlines pt 13 ps 1.5 lw 1.5 lc "#D55E00" title "FedRE with PDA-PAM"
