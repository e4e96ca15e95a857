# Draws recup-placebo.png from the first table of attackers in the page, or in a report's paper-placebo.md:
#     gnuplot -c docs/images/recup-placebo.gnuplot docs/papers/recup.md docs/images/recup-placebo.png
set terminal pngcairo size 1000,560 font "Sans,12"
set output ARG2
# row, share and its interval of column C (3: none, 4: RecUP-FL, 5: random target, 6: sign noise), in per cent
share(c) = sprintf("< awk -F'|' 'BEGIN { n = split(\"static;static, renamed;residue;rank one: what was added;adaptive\", name, \";\"); for (i = 1; i <= n; i++) at[name[i]] = n - i } { k = $2; gsub(/^ +| +$/, \"\", k); v = $%d; gsub(/[^0-9. ]/, \" \", v); if ((k in at) && !(k in done) && split(v, x, \" \") == 3) { done[k] = 1; print at[k], x[1], x[2], x[3] } }' '%s'", c + 1, ARG1)
set xrange [0:100]
set yrange [-0.6:4.6]
set xtics 0,25,100 format "%g %%"
set ytics ("the paper's attacker" 4, "the same answers, renamed" 3, "whole steps of ε read off" 2, "what was added, by its rank" 1, "learnt from perturbed updates" 0)
set xlabel "how often the hidden attribute is told (balanced; a guess: 50 %)"
set grid x
set border 3
set tics nomirror
set key at screen 0.5, screen 0.035 center center horizontal samplen 2
set bmargin 5
set rmargin 6
set arrow from 50, graph 0 to 50, graph 1 nohead dt 2 lc "#555555" lw 1.5
set bars 0.6
plot share(3) using 2:($1 + 0.24):3:4 with xerrorbars pt 3 ps 1.3 lw 1.5 lc "black" title "no defense", \
     share(4) using 2:($1 + 0.08):3:4 with xerrorbars pt 7 ps 1.5 lw 1.5 lc "#0072B2" title "RecUP-FL", \
     share(5) using 2:($1 - 0.08):3:4 with xerrorbars pt 5 ps 1.2 lw 1.5 lc "#D55E00" title "random target", \
     share(6) using 2:($1 - 0.24):3:4 with xerrorbars pt 13 ps 1.5 lw 1.5 lc "#999999" title "sign noise"
