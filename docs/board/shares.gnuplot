# Draws the shares of a board's arenas: gnuplot -c docs/board/shares.gnuplot leaderboard.csv shares.svg update image
set terminal svg size 640, 400 font "Sans,13" background "white"; set output ARG2
set datafile separator comma columnheaders; set offsets 0, 0, 0.5, 0.5; set lmargin 20; unset ytics
set xrange [-2:102]; set xlabel "share of what leaks undefended, %: ← more private"
is(row) = strcol("measure") eq "share" && strcol("surface") eq ARG3 && strcol("goal") eq ARG4 && (strcol("task") eq "") == row
at(n) = (column(0) == 0 ? y = 0 : 0, y = is(1) ? y - 1 : y, y)
of(i) = is(0) && i <= words(strcol("trainings")) && word(strcol("trainings"), i) ne "?" ? 100 * word(strcol("trainings"), i) : NaN
mean(x) = is(1) ? x : NaN
plot for [i = 1:5] ARG1 using (of(i)):(at(0) - 0.2) with points pt 7 ps 0.5 lc "#0072B2" notitle, \
     ARG1 using (mean(100 * column("measured"))):(at(0)):(100 * column("low")):(100 * column("high")) with xerrorbars pt 7 lc "black" notitle, \
     ARG1 using (mean(-2)):(at(0)):(strcol("defense")) with labels right offset -1,0 noenhanced notitle
