/* picture: the names and formats of a report's pictures. */
#ifndef GNT_REPORT_PLOT_PICTURE_H
#define GNT_REPORT_PLOT_PICTURE_H

#include <stdint.h>

enum { GNT_FORMAT_SVG = 1, GNT_FORMAT_PNG = 2 };
enum { GNT_PICTURE_NAME = 192 };

/* Writes the name of a picture without its ending: `kind` is "tradeoff", "strength", "matrix" (last: the
 * measure), "sheet" (last: the attack), "convergence", "utility" or "points" (last NULL). False if it would
 * be too long. */
int gnt_picture_name(char name[GNT_PICTURE_NAME], const char *kind, const char *task, int64_t stage,
                     const char *last);

#endif
