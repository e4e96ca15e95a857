# Draws tappfl-cifar.png from the page's table of animals:
#     gnuplot -c docs/images/tappfl-cifar.gnuplot docs/papers/tappfl.md docs/images/tappfl-cifar.png
set terminal pngcairo size 1000,480 font "Sans,12"
set output ARG2
# of one column of our rows: λ and share, with an interval where there is one, in per cent
share(column) = sprintf("< awk -F'|' '/^\\*\\*/ { here = index($0, \"**Animal or not\") == 1 } here && $2 ~ /λ = / && $3 ~ /here/ { split($2, l, \"=\"); v = $%d; scale = v ~ /%%/ ? 1 : 100; gsub(/[^0-9. ]/, \" \", v); n = split(v, x, \" \"); if (n) print l[2] + 0, scale * x[1], (n > 2 ? x[2] : scale * x[1]), (n > 2 ? x[3] : scale * x[1]) }' '%s'", column + 3, ARG1)
set xrange [-0.08:1.08]
set xtics 0.25
set yrange [25:100]
set ytics 25 format "%g %%"
set xlabel "λ, how much hiding counts"
set grid y
set border 3
set tics nomirror
set key outside right center samplen 2 Left reverse
set bars 0.6
plot 60 with lines dt 2 lw 1.5 lc "#555555" title "always the same answer", \
     share(4) using ($1 + 0.01):2:3:4 with yerrorlines pt 13 ps 1.5 lw 1.5 lc "#D55E00" title "animal, to a new classifier", \
     share(5) using ($1 - 0.01):2:3:4 with yerrorlines pt 7 ps 1.2 lw 1.5 lc "#0072B2" title "animal, by the task's class", \
     share(3) using 1:2 with linespoints pt 3 ps 1.3 lw 1.5 lc "black" title "animal, to the defense's own g", \
     share(1) using 1:2 with linespoints pt 5 ps 1.1 lw 1.5 lc "#999999" title "the task"
