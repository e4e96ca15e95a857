/* font: letters of five by seven pixels and boxes, for image sheets. Drawing outside the canvas is cut off.
 */
#ifndef GNT_REPORT_FONT_IMPL_H
#define GNT_REPORT_FONT_IMPL_H

#include <stddef.h>
#include <stdint.h>

enum {
    GNT_FONT_WIDTH = 5,
    GNT_FONT_HEIGHT = 7, /* and two more for letters that reach below the line */
    GNT_FONT_ADVANCE = 6
};

typedef struct gnt_canvas {
    uint8_t *rgb; /* height × width × 3, rows from the top */
    int64_t width, height;
} gnt_canvas;

/* Draws at most `most` characters, enlarged `scale` times. colour: 0xRRGGBB; x, y: the upper left corner.
 * What is not printable ASCII becomes '?'. */
void gnt_draw_text(gnt_canvas *c, int64_t x, int64_t y, int scale, uint32_t colour, const char *text,
                   size_t most);
void gnt_draw_box(gnt_canvas *c, int64_t x, int64_t y, int64_t width, int64_t height, uint32_t colour);

#endif
