# Draws slurm-scale.png from slurm-scale.tsv and slurm-workers.tsv of a folder:
#     gnuplot -c docs/images/slurm-scale.gnuplot results/baselines docs/images/slurm-scale.png
set terminal pngcairo size 1000,620 font "Sans,12"
set output ARG2
scale = ARG1."/slurm-scale.tsv"
workers = ARG1."/slurm-workers.tsv"
set datafile separator tab
set logscale xy
set xrange [0.9:1200]
set yrange [0.9:1200]
set xtics (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
set ytics (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
set xlabel "workers"
set ylabel "times faster than one worker"
set title "points: measured on loopback nodes of one machine with two processors; lines: simulation"
set grid
set border 3
set tics nomirror
set key left top
first = system("awk -F'\t' 'NR == 2 { print $3 }' ".workers) + 0
plot x with lines dt 2 lc "#999999" title "ideal", \
     scale skip 1 using 1:3 with linespoints pt 0 lw 2 lc "black" title "simulated, a file server without limit", \
     scale skip 1 using 1:6 with lines lw 2 lc "#009E73" title "simulated, 200,000 requests a second", \
     scale skip 1 using 1:5 with lines lw 2 lc "#0072B2" title "simulated, 20,000 requests a second", \
     scale skip 1 using 1:4 with lines lw 2 lc "#D55E00" title "simulated, 2,000 requests a second", \
     workers skip 1 using 1:(first / $3) with points pt 7 ps 1.6 lc "#CC79A7" title "measured"
