/* face_view: the picture of a face in the making, and the shapes that it is painted with. Private to the sets
 * of faces.
 *
 * Shapes live in the face's own coordinates: u to the right, v down, the middle of the head at (0, 0), its
 * crown at v = −1 and its chin at v = 1. The view turns, scales and moves them to pixels; edges are smoothed
 * over one pixel, so that the same face can be painted at any size. */
#ifndef GNT_DATA_FACE_VIEW_H
#define GNT_DATA_FACE_VIEW_H

#include "data/canvas.h"

enum { FACE_MOST_CELLS = 62 * 47, FACE_STROKE_PIECES = 5 };

typedef struct face_view {
    int wide, high;
    double x, y;         /* of the head's middle, pixels */
    double unit;         /* pixels of a face unit */
    double along, aside; /* cosine and sine of the head's roll */
    rgb at[FACE_MOST_CELLS];
} face_view;

typedef struct face_shape {
    /* How far within the shape (u, v) lies, in face units; negative outside. Right near the edge, where it
     * matters; a quadratic form serves as well there as its root and takes less time. */
    double (*inside)(const struct face_shape *, double u, double v);
    double least_u, least_v, most_u, most_v;
    double p[12]; /* what `inside` needs */
    /* Strokes alone: a row for each straight piece: its start, its extent, 1 / its squared length. */
    double piece[FACE_STROKE_PIECES][5];
} face_shape;

/* What a shape is filled with. */
typedef struct face_paint {
    rgb colour;
    double cover; /* 0: nothing to 1: hides all beneath */
    double soft;  /* width of a soft edge, face units; 0: a sharp one */
    double rim;   /* within so much of the edge the colour goes over into `edge`; 0: nowhere */
    rgb edge;
    double strands, across, down, phase; /* of hair: how strong, and its waves a unit along u and v */
} face_paint;

face_shape face_disk(double u, double v, double ru, double rv);
face_shape face_ring(double u, double v, double ru, double rv, double half);
/* Returns a quadratic curve from a over b to c, `half` thick on either side in the middle, less at the
 * ends. */
face_shape face_stroke(const double a[2], const double b[2], const double c[2], double half);
/* Returns the shape between two parabolas with common ends, `half` its half width. bend > 0 lifts the
 * corners; `above` and `below` are how far it reaches beyond the line in the middle. */
face_shape face_lens(double u, double v, double half, double bend, double above, double below);

void face_fill(face_view *f, const face_shape *shape, const face_paint *paint);
/* Paints a shape in one flat colour. */
void face_flat(face_view *f, const face_shape *shape, rgb colour, double cover);
void face_soft(face_view *f, const face_shape *shape, rgb colour, double cover, double soft);

/* Returns a triangle wave between −1 and 1, of period 1. */
double face_wave(double x);

#endif
