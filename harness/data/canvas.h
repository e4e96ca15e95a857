/* canvas: a 32×32 colour picture in floats and what the scenes are painted with. Edges are smoothed over one
 * pixel by signed distances; textures are sums of smooth noise whose size is in proportion to its wavelength,
 * as in photographs. x to the right, y down, pixel centres at whole numbers. */
#ifndef GNT_DATA_CANVAS_H
#define GNT_DATA_CANVAS_H

#include <stdint.h>

#include "base/random.h"
#include "data/draw.h"

enum { CANVAS = 32, CANVAS_CELLS = CANVAS * CANVAS };

typedef struct rgb {
    double r, g, b;
} rgb;

typedef struct canvas {
    rgb at[CANVAS_CELLS];
    double lit[CANVAS_CELLS]; /* how much of the pixel is not sky: what the light falls on */
} canvas;

typedef struct field { /* smooth noise, about −1 … 1 */
    double at[CANVAS_CELLS];
} field;

/* Draws a field of wavelengths `coarsest`, half of it, … in pixels (`octaves` of them), each half as
 * strong as the one before; stretched along x by `stretch` (1 = none). */
void field_draw(field *f, gnt_stream *s, double coarsest, int octaves, double stretch);

static inline rgb rgb_mix(rgb a, rgb b, double t) {
    return (rgb){draw_mix(a.r, b.r, t), draw_mix(a.g, b.g, t), draw_mix(a.b, b.b, t)};
}

static inline rgb rgb_scale(rgb c, double by) {
    return (rgb){c.r * by, c.g * by, c.b * by};
}

/* Paints a pixel in colour c with opacity `cover`, 0 … 1. */
static inline void canvas_dab(canvas *v, int x, int y, rgb c, double cover) {
    int i = y * CANVAS + x;
    v->at[i] = rgb_mix(v->at[i], c, cover);
    v->lit[i] += (1 - v->lit[i]) * cover;
}

void canvas_convex(canvas *v, const double (*corner)[2], int n, rgb c, rgb c_low, const field *texture,
                   double rough);
void canvas_disk(canvas *v, double x, double y, double rx, double ry, rgb lit, rgb dark, const field *texture,
                 double rough);
void canvas_rect(canvas *v, double x0, double y0, double x1, double y1, rgb c);
void canvas_blur(canvas *v, double amount); /* 0 … 1 of a 3×3 binomial blur */

#endif
