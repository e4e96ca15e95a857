# Draws recup-reconstruct.png from the page's table of what is rebuilt:
#     gnuplot -c docs/images/recup-reconstruct.gnuplot docs/papers/recup.md docs/images/recup-reconstruct.png
set terminal pngcairo size 1000,480 font "Sans,12"
set output ARG2
# of one row of ours in that table, the n-th that begins so: a line for each defense with its place, error and interval
mse(row, nth) = sprintf("< awk -F'|' '/^\\*\\*/ { here = index($0, \"**Mean squared error\") == 1 } { k = $2; gsub(/^ +| +$/, \"\", k) } here && k == \"%s\" && $3 ~ /here/ && ++n == %d { for (c = 4; c < NF; c++) { v = $c; gsub(/[^0-9. ]/, \" \", v); if (split(v, x, \" \") == 3) print 9 - c, x[1], x[2], x[3] } }' '%s'", row, nth, ARG1)
set xrange [0:24000]
set xtics 8000
set yrange [-0.6:5.6]
set ytics ("no defense" 5, "RecUP-FL" 4, "Gaussian noise" 3, "Laplace noise" 2, "sparsification" 1, "Soteria" 0)
set grid x
set border 3
set tics nomirror
set bars 0.6
set bmargin 7
set multiplot layout 1,2
set title "first round"
set xlabel "mean squared error of what is rebuilt"
unset key
plot mse("first round", 1) using 2:($1 + 0.12):3:4 with xerrorbars pt 3 ps 1.3 lw 1.5 lc "black", \
     mse("first round, with the defense known", 1) using 2:($1 - 0.12):3:4 with xerrorbars pt 13 ps 1.5 lw 1.5 lc "#D55E00"
set title "tenth round"
set format y ""
set key at screen 0.53, screen 0.07 center center samplen 2
plot mse("last", 1) using 2:($1 + 0.12):3:4 with xerrorbars pt 3 ps 1.3 lw 1.5 lc "black" title "the paper's attacker", \
     mse("last", 2) using 2:($1 - 0.12):3:4 with xerrorbars pt 13 ps 1.5 lw 1.5 lc "#D55E00" title "one who knows the defense"
unset multiplot
