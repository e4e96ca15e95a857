/* place: where the name of a point is written in a panel, so that it covers no point and no other name.
 * Pure. Lengths in pixels from the panel's lower left corner, y upwards. */
#ifndef GNT_REPORT_PLACE_IMPL_H
#define GNT_REPORT_PLACE_IMPL_H

#include <stddef.h>

typedef struct gnt_box {
    double left, right, bottom, top;
} gnt_box;

/* Finds the first place right of a point, below, above or left of it where a text of this size lies within
 * the panel and on none of the taken boxes. True if there is one, in *box. */
int gnt_place(const gnt_box *taken, size_t n, const gnt_box *within, double x, double y, double width,
              double height, gnt_box *box);

#endif
