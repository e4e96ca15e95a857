/* place: where the name of a point is written in a panel, so that it covers no point and no other name.
 * Pure. Lengths in pixels from the panel's lower left corner, y upwards. */
#ifndef GNT_REPORT_PLACE_IMPL_H
#define GNT_REPORT_PLACE_IMPL_H

#include <stddef.h>

typedef struct gnt_box {
    double left, right, bottom, top;
} gnt_box;

/* Of the places right of a point, below, above, and left of it, the first where a text of this size lies
 * within the panel and on none of the taken boxes. 1 when there is one, into *box; else 0. */
int gnt_place(const gnt_box *taken, size_t n, const gnt_box *within, double x, double y, double width,
              double height, gnt_box *box);

#endif
