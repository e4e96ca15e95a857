# Draws lrp-theorem.png from the kept table:
#     gnuplot -c docs/images/lrp-theorem.gnuplot results/baselines/lrp-theorem.tsv docs/images/lrp-theorem.png
set terminal pngcairo size 900,540 font "Sans,11"
set output ARG2
set datafile separator "\t"
set logscale xy
set format y "10^{%L}"
set xlabel "local steps T of each client"
set ylabel "loss above the optimum"
set key outside right top
set grid
plot ARG1 using 1:3 skip 1 with lines lc "#0072B2" dt 2 title "bound, K = 8, E = 1", \
     ARG1 using 1:2 skip 1 with linespoints lc "#0072B2" pt 7 ps 0.6 title "gap, K = 8, E = 1", \
     ARG1 using 1:6 skip 1 with lines lc "#D55E00" dt 2 title "bound, K = 3, E = 5", \
     ARG1 using 1:5 skip 1 with linespoints lc "#D55E00" pt 7 ps 0.6 title "gap, K = 3, E = 5"
