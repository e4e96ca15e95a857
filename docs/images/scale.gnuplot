# Draws scale.png from scale-cells.tsv, scale-read.tsv and scale-sizes.tsv of a folder:
#     gnuplot -c docs/images/scale.gnuplot results/baselines docs/images/scale.png
set terminal pngcairo size 1200,820 font "Sans,10"
set output ARG2
rows(file, what) = "< awk -F'\t' '$1 == \"".what."\"' ".ARG1."/scale-".file.".tsv"
cells = rows("cells", "cells")
read = rows("read", "read")
set datafile separator tab
set logscale xy
set format x "10^{%T}"
set format y "10^{%T}"
set grid lc "#dddddd"
set border 3
set tics nomirror
set key left top samplen 1.5 spacing 0.95
set offsets graph 0.05, graph 0.05, 0, 0
set pointsize 0.9
black = "#000000"; blue = "#0072B2"; red = "#D55E00"; green = "#009E73"; pink = "#CC79A7"; yellow = "#E69F00"
set multiplot layout 2,3 margins 0.05,0.99,0.06,0.95 spacing 0.045,0.1

set title "cells: seconds of a processor"
set xrange [70:200000]
set yrange [0.005:20000]
plot x / 30 with lines dt 2 lc "#999999" title "proportional", \
     cells using 2:4 with linespoints pt 7 lc rgb black title "all jobs", \
     cells using 2:5 with linespoints pt 7 lc rgb blue title "the run itself", \
     cells using 2:6 with linespoints pt 6 lc rgb blue title "again, all stored", \
     read using 2:5 with linespoints pt 9 lc rgb pink title "leaderboard", \
     read using 2:4 with linespoints pt 9 lc rgb green title "report", \
     read using 2:6 with linespoints pt 9 lc rgb yellow title "check", \
     read using 2:3 with linespoints pt 5 lc rgb red title "dry run"

set title "cells: megabytes"
set yrange [0.1:200000]
plot x / 30 with lines dt 2 lc "#999999" title "proportional", \
     cells using 2:10 with linespoints pt 7 lc rgb black title "store", \
     cells using 2:11 with linespoints pt 7 lc rgb blue title "memory of the run", \
     read using 2:9 with linespoints pt 9 lc rgb pink title "memory of the leaderboard", \
     read using 2:8 with linespoints pt 9 lc rgb green title "memory of the report", \
     read using 2:7 with linespoints pt 5 lc rgb red title "results.json"

set yrange [0.02:50000]
do for [what in "seeds targets clients parameters"] {
    set title what.(what eq "parameters" ? " of the model" : what eq "targets" ? " observed" : "")
    set xrange [*:*]
    first = what eq "clients" ? 100 : what eq "parameters" ? 1e5 : 1
    plot rows("sizes", what) using 2:(0.1 * $2 / first) with lines dt 2 lc "#999999" title "proportional", \
         rows("sizes", what) using 2:4 with linespoints pt 7 lc rgb black title "seconds of all jobs", \
         rows("sizes", what) using 2:5 with linespoints pt 7 lc rgb blue title "seconds of the run itself", \
         rows("sizes", what) using 2:11 with linespoints pt 9 lc rgb green title "MB of the largest job", \
         rows("sizes", what) using 2:8 with linespoints pt 5 lc rgb red title "MB of store"
}
