# Draws README's picture from the folder of a run of suites/picture.json; tools/picture calls it:
#     gnuplot -c docs/images/private.gnuplot RUN docs/images/private.png
# A column for each cell, a row for each private digit; images of a cell are private, observed, recovered.
run = ARG1
cells = int(system(sprintf("wc -l < '%s/rows'", run)))
rows = 4
side = 28
file(i) = sprintf("%s/images/cell-%05d.safetensors", run, i)
header(i) = 8 + int(system(sprintf("od -An -tu8 -N8 '%s'", file(i))))
of_row(i, k) = system(sprintf("awk 'NR == %d { print $%d }' '%s/rows'", i + 1, k, run))
set terminal pngcairo size 124 * (cells + 1) + 20, 124 * rows + 74 font "Sans,13"
set output ARG2
unset key
unset colorbox
unset tics
unset border
set palette gray
set cbrange [0:255]
set xrange [-0.5:side - 0.5]
set yrange [-0.5:side - 0.5]
wide = 1.0 / (cells + 1.15)
high = 1.0 / (rows + 0.62)
set multiplot
do for [c = 0:cells] {
    last = c == 0 ? 0 : c - 1
    title = c == 0 ? "private" : (of_row(last, 1) eq "none") ? "no defense" : \
        (of_row(last, 1) eq "dp-gaussian") ? "noise " . of_row(last, 2) : of_row(last, 1) . " " . of_row(last, 2)
    below = c == 0 ? "accuracy left:" : sprintf("%s %%", of_row(last, 3))
    do for [r = 0:rows - 1] {
        set lmargin at screen wide * (c + 0.1)
        set rmargin at screen wide * (c + 1.04)
        set tmargin at screen 1 - high * (r + 0.36)
        set bmargin at screen 1 - high * (r + 1.3)
        unset label
        if (r == 0) { set label 1 title at graph 0.5, graph 1.12 center }
        if (r == rows - 1) { set label 2 below at graph 0.5, graph -0.12 center }
        skip = header(last) + (c == 0 ? 0 : 2 * rows * side * side) + r * side * side
        plot file(last) binary array=(side, side) format="%uchar" skip=skip flipy with image
    }
}
unset multiplot
