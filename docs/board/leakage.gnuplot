# Draws what leaks of each defense of a task at equal utility, under the attack that makes it leak most:
#     gnuplot -c docs/board/leakage.gnuplot docs/board/leaderboard.csv docs/board/leakage.svg digits
# Rows are those of images against any attacker. `awk` reads quoted cells.
rows = sprintf("< awk -v task='%s' -v want=%s -f docs/board/rows.awk '%s'", ARG3, "%s", ARG1)
of(standing) = sprintf(rows, standing)
stats of("any") using 1 nooutput
n = int(STATS_records)
set terminal svg size 900, 90 + 26 * n font "Sans,13" background "white"
set output ARG2
set yrange [n + 0.6:0.4]
set xrange [0:62]
set xlabel "PSNR of what the best known attack recovers, dB: ← more private"
unset ytics
set border 1
set xtics nomirror 10
set grid xtics
set lmargin 30
set rmargin 12
set key outside top left horizontal samplen 1
set label "accuracy" at graph 1.005, graph 1.02 left
set bars 0.5
plot of("ranked") using 4:1:5:6 with xerrorbars pt 7 ps 0.8 lw 1.5 lc "#0072B2" title "ranked", \
     of("apart") using 4:1:5:6 with xerrorbars pt 6 ps 0.8 lw 1.5 lc "#D55E00" title "not ranked", \
     of("none") using 4:1:5:6 with xerrorbars pt 3 ps 1 lw 1.5 lc "black" title "no defense", \
     of("any") using (0):1:2 with labels right offset -1,0 notitle, \
     of("any") using (62):1:3 with labels left offset 1,0 notitle
