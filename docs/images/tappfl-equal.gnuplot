# Draws tappfl-equal.png from the page's table of attackers with rows of their own:
#     gnuplot -c docs/images/tappfl-equal.gnuplot docs/papers/tappfl.md docs/images/tappfl-equal.png
set terminal pngcairo size 1000,480 font "Sans,12"
set output ARG2
# of the rows whose label begins so: the task's accuracy, what the better attacker tells, and its interval, in per cent
of(label) = sprintf("< awk -F'|' '/^\\*\\*/ { here = index($0, \"told by attackers with rows of their own\") > 0 } here && index($2, \" %s\") == 1 && $3 ~ /here/ { gsub(/[^0-9. ]/, \" \", $4); v = $7; gsub(/[^0-9. ]/, \" \", v); split(v, x, \" \"); print $4 + 0, x[1], x[2], x[3] }' '%s'", label, ARG1)
set xrange [73.5:85]
set yrange [48:86]
set xtics 2 format "%g %%"
set ytics 10 format "%g %%"
set xlabel "accuracy of the task: more useful →"
set ylabel "gender, to the better attacker: ← more private"
set grid
set border 3
set tics nomirror
set key outside right center samplen 2 Left reverse
set bars 0.6
plot of("TAPPFL") with yerrorlines pt 7 ps 1.3 lw 2 lc "#0072B2" title "TAPPFL", \
     of("adversarial") with yerrorlines pt 5 ps 1.2 lw 1.5 lc "#D55E00" title "adversarial", \
     of("DPFE") with yerrorlines pt 9 ps 1.4 lw 1.5 lc "#009E73" title "DPFE", \
     of("Gaussian") with yerrorlines pt 13 ps 1.4 lw 1.5 lc "#CC79A7" title "Gaussian noise", \
     of("Laplace") with yerrorlines pt 11 ps 1.4 lw 1.5 lc "#E69F00" title "Laplace noise", \
     of("model compression") with yerrorlines pt 6 ps 1.4 lw 1.5 lc "#56B4E9" title "model compression", \
     of("none") with yerrorbars pt 3 ps 1.8 lw 2 lc "black" title "no defense", \
     50 with lines dt 2 lw 1.5 lc "#555555" title "a guess"
