# Draws recup-faces.png from the page's tables of preferences and of several attributes:
#     gnuplot -c docs/images/recup-faces.gnuplot docs/papers/recup.md docs/images/recup-faces.png
set terminal pngcairo size 1000,500 font "Sans,12"
set output ARG2
# of one row of the table whose title begins so: a line for each column with its number, share and interval, in per cent
share(table, row) = sprintf("< awk -F'|' '/^\\*\\*/ { here = index($0, \"**%s\") == 1 } { k = $2; gsub(/^ +| +$/, \"\", k) } here && k == \"%s\" { for (c = 4; c < NF; c++) { v = $c; gsub(/[^0-9. ]/, \" \", v); if (split(v, x, \" \") == 3) print c - 4, x[1], x[2], x[3] } }' '%s'", table, row, ARG1)
gamma = "Fig. 4:"
several = "Fig. 5:"
set yrange [0:100]
set ytics 0,25,100 format "%g %%"
set grid y
set border 3
set tics nomirror
set bars 0.6
# a balanced guess of three values
set arrow from graph 0, first 100/3.0 to graph 1, first 100/3.0 nohead dt 2 lc "#555555" lw 1.5
set bmargin 8
set multiplot layout 1,2
set ylabel "how often tone is told"
set xrange [-0.4:4.4]
set xtics ("0" 0, "¼" 1, "½" 2, "¾" 3, "1" 4)
set xlabel "share of the perturbation spent on tone"
unset key
plot share(gamma, "none") using ($1 - 0.08):2:3:4 with yerrorlines pt 5 ps 1.1 lw 1.5 lc "#999999" title "no defense", \
     share(gamma, "RecUP-FL") using 1:2:3:4 with yerrorlines pt 3 ps 1.3 lw 1.5 lc "black" title "the paper's attacker", \
     share(gamma, "RecUP-FL, balanced and renamed") using ($1 + 0.08):2:3:4 with yerrorlines pt 7 ps 1.3 lw 1.5 lc "#0072B2" title "its answers renamed, balanced"
unset ylabel
set xrange [-0.4:3.4]
set xtics ("1" 0, "2" 1, "3" 2, "5" 3)
set xlabel "attributes hidden alike, tone among them"
set key at screen 0.5, screen 0.085 center center horizontal samplen 2
plot share(several, "none") using ($1 - 0.08):2:3:4 with yerrorlines pt 5 ps 1.1 lw 1.5 lc "#999999" title "no defense", \
     share(several, "RecUP-FL") using 1:2:3:4 with yerrorlines pt 3 ps 1.3 lw 1.5 lc "black" title "the paper's attacker", \
     share(several, "RecUP-FL, balanced and renamed") using ($1 + 0.08):2:3:4 with yerrorlines pt 7 ps 1.3 lw 1.5 lc "#0072B2" title "its answers renamed, balanced"
unset multiplot
