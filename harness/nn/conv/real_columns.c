/* real_columns: im2col and col2im. Where a window moves by `step` places and the result has a column for
 * every step-th of the image, the image is first split into step² planes, of rows and columns with one
 * remainder by step: all entries of a tap are in one plane, at one shift, and are copied at once. */
#include <string.h>

#include "nn/conv/columns.h"
#include "nn/kernels/loops.h"

/* An image with fewer places is copied place by place: a copy of a row would be too short. */
enum { FEW_PLACES = 16 };

/* The planes of a channel: step² of h × w entries. step 0: none; rows are copied one by one. step 1: the
 * channel itself. */
typedef struct grid {
    int64_t step, h, w;
} grid;

static grid grid_of(const gnt_general_conv *s) {
    const int64_t step = s->sw, h = (s->h + step - 1) / step, w = (s->w + step - 1) / step;
    return s->sh == step && s->ow == w ? (grid){step, h, w} : (grid){0};
}

static int64_t plane_size(const grid *g) {
    return g->step * g->step * g->h * g->w;
}

static int is_split(const grid *g, const gnt_general_conv *s) {
    return g->step > 1 && s->oh * s->ow > FEW_PLACES;
}

int64_t NAME(columns_room)(const gnt_general_conv *s, int64_t images) {
    const grid g = grid_of(s);
    return is_split(&g, s) ? images * (s->c / s->groups) * plane_size(&g) : 0;
}

/* Splits one channel into its planes, with zeros beyond its edges. */
static void split(real *planes, const real *x, const gnt_general_conv *s, const grid *g) {
    memset(planes, 0, (size_t)plane_size(g) * sizeof *planes);
    for (int64_t y = 0; y < s->h; y++, x += s->w)
        for (int64_t k = 0; k < g->step; k++) {
            real *row = planes + ((y % g->step * g->step + k) * g->h + y / g->step) * g->w;
            for (int64_t q = k; q < s->w; q += g->step)
                *row++ = x[q];
        }
}

static void unite(real *x, const real *planes, const gnt_general_conv *s, const grid *g) {
    for (int64_t y = 0; y < s->h; y++, x += s->w)
        for (int64_t k = 0; k < g->step; k++) {
            const real *row = planes + ((y % g->step * g->step + k) * g->h + y / g->step) * g->w;
            for (int64_t q = k; q < s->w; q += g->step)
                x[q] = *row++;
        }
}

/* ---- taps ---- */

/* Computes [*from, *to), the places j of n for which j·stride + at is inside [0, w). */
static void inside(int64_t at, int64_t stride, int64_t w, int64_t n, int64_t *from, int64_t *to) {
    *from = at >= 0 ? 0 : (-at + stride - 1) / stride;
    *to = at >= w ? 0 : (w - 1 - at) / stride + 1;
    if (*to > n)
        *to = n;
    if (*from > *to)
        *from = *to;
}

/* One tap of a window: of the places of the result, rows [top, bottom) and in each of them [from, to) have
 * it on the image, or on the plane, at row row·stride + `down` and column column·stride + `at`; elsewhere it
 * is in the padding. */
typedef struct tap {
    int64_t top, bottom, from, to, down, at;
    int64_t plane; /* offset of its plane among those of a channel */
} tap;

static void bound(tap *t, const gnt_general_conv *s, int64_t down, int64_t across, int64_t h, int64_t w) {
    inside(t->down, down, h, s->oh, &t->top, &t->bottom);
    inside(t->at, across, w, s->ow, &t->from, &t->to);
    if (t->from == t->to)
        t->bottom = t->top;
}

static tap tap_on_image(const gnt_general_conv *s, int64_t k) {
    tap t = {.down = k / s->kw * s->dh - s->ph, .at = k % s->kw * s->dw - s->pw};
    bound(&t, s, s->sh, s->sw, s->h, s->w);
    return t;
}

static int64_t floor_over(int64_t a, int64_t b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static tap tap_on_plane(const gnt_general_conv *s, const grid *g, int64_t k) {
    tap t = {.down = k / s->kw * s->dh - s->ph, .at = k % s->kw * s->dw - s->pw};
    const int64_t down = floor_over(t.down, g->step), at = floor_over(t.at, g->step);
    t.plane = ((t.down - down * g->step) * g->step + t.at - at * g->step) * g->h * g->w;
    t.down = down;
    t.at = at;
    bound(&t, s, 1, 1, g->h, g->w);
    return t;
}

/* ---- runs: planes whose rows are as long as those of the result ---- */

/* The places that a tap takes from its plane, [first, last), `shift` entries on; some are from the end of a
 * neighbouring row, where the tap is in the padding. */
typedef struct run {
    int64_t first, last, shift;
} run;

static run run_of(const grid *g, const tap *t) {
    const int64_t pixels = g->h * g->w;
    run r = {.first = t->top * g->w, .last = t->bottom * g->w, .shift = t->down * g->w + t->at};
    if (r.first < -r.shift)
        r.first = -r.shift < r.last ? -r.shift : r.last;
    if (r.last > pixels - r.shift)
        r.last = pixels - r.shift > r.first ? pixels - r.shift : r.first;
    return r;
}

/* Writes zeros left and right of the plane, in the rows that are on it. */
static void clear_sides(real *col, const tap *t, int64_t ow) {
    const int64_t outside = t->from + ow - t->to;
    for (int64_t n = 0; n < outside; n++) {
        real *column = col + (n < t->from ? n : t->to + n - t->from);
        for (int64_t row = t->top; row < t->bottom; row++)
            column[row * ow] = 0;
    }
}

static void take_run(real *col, const real *x, int64_t places, const run *r, const tap *t, int64_t ow) {
    if (r->first > 0)
        memset(col, 0, (size_t)r->first * sizeof *col);
    memcpy(col + r->first, x + r->first + r->shift, (size_t)(r->last - r->first) * sizeof *col);
    if (r->last < places)
        memset(col + r->last, 0, (size_t)(places - r->last) * sizeof *col);
    clear_sides(col, t, ow);
}

static void add_run(real *x, real *col, const run *r, const tap *t, int64_t ow, NAME(loop) add) {
    real *to = x + r->first + r->shift;
    clear_sides(col, t, ow);
    add(to, to, col + r->first, r->last - r->first, 0, 0);
}

/* ---- row by row ---- */

static void take_rows(real *col, const real *x, const gnt_general_conv *s, const tap *t) {
    memset(col, 0, (size_t)(s->oh * s->ow) * sizeof *col);
    for (int64_t row = t->top; row < t->bottom; row++) {
        const real *line = x + (row * s->sh + t->down) * s->w;
        for (int64_t q = t->from; q < t->to; q++)
            col[row * s->ow + q] = line[q * s->sw + t->at];
    }
}

static void add_rows(real *x, const real *col, const gnt_general_conv *s, const tap *t) {
    for (int64_t row = t->top; row < t->bottom; row++) {
        real *line = x + (row * s->sh + t->down) * s->w;
        for (int64_t q = t->from; q < t->to; q++)
            line[q * s->sw + t->at] += col[row * s->ow + q];
    }
}

/* ---- place by place ---- */

/* Computes the entry of the tap at each place, in one channel; −1: in the padding. */
static void places_of(int64_t *at, const gnt_general_conv *s, const tap *t) {
    for (int64_t row = 0; row < s->oh; row++)
        for (int64_t q = 0; q < s->ow; q++) {
            const int on_image = row >= t->top && row < t->bottom && q >= t->from && q < t->to;
            *at++ = on_image ? (row * s->sh + t->down) * s->w + q * s->sw + t->at : -1;
        }
}

static void take_each(real *col, const real *x, const int64_t *at, int64_t places) {
    for (int64_t q = 0; q < places; q++)
        col[q] = at[q] >= 0 ? x[at[q]] : 0;
}

static void add_each(real *x, const real *col, const int64_t *at, int64_t places) {
    for (int64_t q = 0; q < places; q++)
        if (at[q] >= 0)
            x[at[q]] += col[q];
}

/* ---- all of them ---- */

/* The loops of both functions: channels, images, places, taps; the entries of a channel in x, and the
 * channels of an image if it was split. */
typedef struct walk {
    int64_t channels, images, places, taps, pixels, x_step;
    grid g;
} walk;

static walk walk_of(const gnt_general_conv *s, int64_t images, int64_t x_step) {
    return (walk){s->c / s->groups, images, s->oh * s->ow, s->kh * s->kw, s->h * s->w, x_step, grid_of(s)};
}

/* Return the offset of channel c of image i: in col at tap k, in x, among the planes. */
static int64_t in_col(const walk *w, int64_t c, int64_t k, int64_t i) {
    return ((c * w->taps + k) * w->images + i) * w->places;
}

static int64_t in_x(const walk *w, int64_t c, int64_t i) {
    return i * w->x_step + c * w->pixels;
}

static int64_t in_planes(const walk *w, int64_t c, int64_t i) {
    return (i * w->channels + c) * plane_size(&w->g);
}

/* The way to copy one tap. */
typedef struct view {
    int each, runs;
    tap t;
    run r;
    int64_t at[FEW_PLACES];
} view;

static void look(view *v, const walk *w, const gnt_general_conv *s, int64_t k) {
    v->each = w->places <= FEW_PLACES;
    v->runs = !v->each && w->g.step > 0;
    v->t = v->runs ? tap_on_plane(s, &w->g, k) : tap_on_image(s, k);
    if (v->runs)
        v->r = run_of(&w->g, &v->t);
    if (v->each)
        places_of(v->at, s, &v->t);
}

void NAME(im2col)(real *col, const real *x, real *room, const gnt_general_conv *s, int64_t images,
                  int64_t x_step) {
    const walk w = walk_of(s, images, x_step);
    const int apart = is_split(&w.g, s);
    view v;
    for (int64_t n = 0; apart && n < images * w.channels; n++)
        split(room + n * plane_size(&w.g), x + in_x(&w, n % w.channels, n / w.channels), s, &w.g);
    for (int64_t k = 0; k < w.taps; k++) {
        look(&v, &w, s, k);
        for (int64_t c = 0; c < w.channels; c++)
            for (int64_t i = 0; i < images; i++) {
                real *to = col + in_col(&w, c, k, i);
                const real *from = apart ? room + in_planes(&w, c, i) + v.t.plane : x + in_x(&w, c, i);
                if (v.each)
                    take_each(to, from, v.at, w.places);
                else if (v.runs)
                    take_run(to, from, w.places, &v.r, &v.t, s->ow);
                else
                    take_rows(to, from, s, &v.t);
            }
    }
}

void NAME(col2im)(real *x, real *col, real *room, const gnt_general_conv *s) {
    const walk w = walk_of(s, 1, 0);
    const int apart = is_split(&w.g, s);
    const NAME(loop) add = NAME(loops_best)()->op[GNT_OP_ADD];
    view v;
    if (apart)
        memset(room, 0, (size_t)(w.channels * plane_size(&w.g)) * sizeof *room);
    else
        memset(x, 0, (size_t)(w.channels * w.pixels) * sizeof *x);
    for (int64_t k = 0; k < w.taps; k++) {
        look(&v, &w, s, k);
        for (int64_t c = 0; c < w.channels; c++) {
            real *to = apart ? room + in_planes(&w, c, 0) + v.t.plane : x + in_x(&w, c, 0);
            real *from = col + in_col(&w, c, k, 0);
            if (v.each)
                add_each(to, from, v.at, w.places);
            else if (v.runs)
                add_run(to, from, &v.r, &v.t, s->ow, add);
            else
                add_rows(to, from, s, &v.t);
        }
    }
    for (int64_t c = 0; apart && c < w.channels; c++)
        unite(x + in_x(&w, c, 0), room + in_planes(&w, c, 0), s, &w.g);
}
