/* shrink: makes an SVG of gnuplot's smaller at the same look. Neighbouring groups with the same attributes
 * become one, equal patterns too. Coordinates have one decimal, and colours are in hexadecimal. The rest
 * stays as it is. */
#ifndef GNT_REPORT_PLOT_SHRINK_H
#define GNT_REPORT_PLOT_SHRINK_H

#include "base/text.h"

/* Appends the smaller SVG; `out` is marked where memory ran out. */
void gnt_svg_shrink(const char *svg, gnt_text *out);

#endif
