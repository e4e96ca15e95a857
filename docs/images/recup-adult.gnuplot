# Draws recup-adult.png from the table of all attackers in the page, or in a report's paper-equal-loss.md:
#     gnuplot -c docs/images/recup-adult.gnuplot docs/papers/recup.md docs/images/recup-adult.png
set terminal pngcairo size 1000,640 font "Sans,12"
set output ARG2
# of one row of that table, which is the first that begins so: a line for each defense with its place, share and
# interval, in per cent
share(row) = sprintf("< awk -F'|' '{ k = $2; gsub(/^ +| +$/, \"\", k) } NF == 14 && !(k in line) { line[k] = $0 } END { n = split(line[\"%s\"], part, \"|\"); for (c = 4; c < n; c++) { v = part[c]; gsub(/[^0-9. ]/, \" \", v); if (split(v, x, \" \") == 3) print 12 - c, x[1], x[2], x[3] } }' '%s'", row, ARG1)
set xrange [0:100]
set xtics 0,25,100 format "%g %%"
set ytics ("no defense" 8, "RecUP-FL" 7, "random target" 6, "FGSM, momentum" 5, "FGSM, iterated" 4, "FGSM, averaged" 3, "FGSM, one step" 2, "Gaussian noise" 1, "Laplace noise" 0, "sparsification" -1)
set yrange [-1.6:8.6]
set xlabel "how often the hidden attribute is told (a guess: 50 %)"
set grid x
set border 3
set tics nomirror
set key at screen 0.5, screen 0.035 center center horizontal samplen 2
set bmargin 7
set rmargin 6
set arrow from 50, graph 0 to 50, graph 1 nohead dt 2 lc "#555555" lw 1.5
set bars 0.6
plot share("Stru-NN, success") using 2:($1 + 0.27):3:4 with xerrorbars pt 3 ps 1.3 lw 1.5 lc "black" title "the paper's attacker", \
     share("Stru-NN, renamed") using 2:($1 + 0.09):3:4 with xerrorbars pt 7 ps 1.3 lw 1.5 lc "#0072B2" title "its answers renamed", \
     share("forest, success") using 2:($1 - 0.09):3:4 with xerrorbars pt 5 ps 1.1 lw 1.5 lc "#999999" title "forest", \
     share("rank one: what was added, success") using 2:($1 - 0.27):3:4 with xerrorbars pt 13 ps 1.5 lw 1.5 lc "#D55E00" title "what was added, by its rank"
