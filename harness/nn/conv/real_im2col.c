/* real_im2col: the three faces of convolution as im2col and OpenBLAS, for any sizes, of general
 * convolutions and as the back-end that fits every plain one.
 *
 * For one group of one image: col is (c/groups·kh·kw) × (oh·ow), the entries of x under the window at each
 * place, zeros in the padding. y = w·col          dx = col2im(wᵀ·dy)          dw = Σ_n dy·colᵀ
 *
 * Images of few places, in one group, go into one product together: the places of one stand behind those of
 * another in each row of col, and of y and dy, which are copied. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

/* Places of one product, where images share it; of an image whose places are copied one by one. */
enum { MOST_PLACES = 256, FEW_PLACES = 16 };

/* A 1×1 window with stride 1 sees the image itself. */
static int pointwise(const gnt_general_conv *s) {
    return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0;
}

/* Images of one product. */
static int64_t together(const gnt_general_conv *s) {
    const int64_t places = s->oh * s->ow;
    if (s->groups > 1 || places == 0 || 2 * places > MOST_PLACES)
        return 1;
    return s->n < MOST_PLACES / places ? s->n : MOST_PLACES / places;
}

size_t NAME(columns_scratch)(const gnt_general_conv *s) {
    const int64_t k = s->c / s->groups * s->kh * s->kw, images = together(s), places = s->oh * s->ow;
    if (images > 1)
        return (size_t)((k + s->o) * images * places) * sizeof(real);
    return pointwise(s) ? 0 : (size_t)(k * places) * sizeof(real);
}

/* Places j of an output row for which j·stride + at lies inside [0, w): [*from, *to). */
static void inside(int64_t at, int64_t stride, int64_t w, int64_t n, int64_t *from, int64_t *to) {
    *from = at >= 0 ? 0 : (-at + stride - 1) / stride;
    *to = at >= w ? 0 : (w - 1 - at) / stride + 1;
    if (*to > n)
        *to = n;
    if (*from > *to)
        *from = *to;
}

/* One tap of a window: of the places of the result, rows [top, bottom) and in each of them [from, to) have it
 * on the image, at entry place·stride + `at` of row row·stride + `down`; elsewhere it lies in the padding. */
typedef struct tap {
    int64_t top, bottom, from, to, down, at;
} tap;

static tap tap_of(const gnt_general_conv *s, int64_t i, int64_t j) {
    tap t = {.down = i * s->dh - s->ph, .at = j * s->dw - s->pw};
    inside(t.down, s->sh, s->h, s->oh, &t.top, &t.bottom);
    inside(t.at, s->sw, s->w, s->ow, &t.from, &t.to);
    if (t.from == t.to)
        t.bottom = t.top;
    return t;
}

/* Of a window that moves by one place over rows as long as those of its result, what lies under a tap is the
 * image itself, some entries on. */
static int keeps_rows(const gnt_general_conv *s) {
    return s->sh == 1 && s->sw == 1 && s->ow == s->w;
}

/* Which places a tap takes from the image so, [first, last) by `shift` entries; some of them from the end of
 * a neighbouring row, which the tap has in the padding. */
typedef struct run {
    int64_t first, last, shift;
} run;

static run run_of(const gnt_general_conv *s, const tap *t) {
    const int64_t pixels = s->h * s->w;
    run r = {.first = t->top * s->w, .last = t->bottom * s->w, .shift = t->down * s->w + t->at};
    if (r.first < -r.shift)
        r.first = -r.shift < r.last ? -r.shift : r.last;
    if (r.last > pixels - r.shift)
        r.last = pixels - r.shift > r.first ? pixels - r.shift : r.first;
    return r;
}

/* Zeros beside the image, in the rows that meet it. */
static void clear_sides(real *col, const tap *t, int64_t ow) {
    for (int64_t row = t->top; row < t->bottom; row++) {
        for (int64_t q = 0; q < t->from; q++)
            col[row * ow + q] = 0;
        for (int64_t q = t->to; q < ow; q++)
            col[row * ow + q] = 0;
    }
}

static void take_run(real *col, const real *x, const gnt_general_conv *s, const tap *t) {
    const run r = run_of(s, t);
    const int64_t places = s->oh * s->ow;
    if (r.first > 0)
        memset(col, 0, (size_t)r.first * sizeof *col);
    memcpy(col + r.first, x + r.first + r.shift, (size_t)(r.last - r.first) * sizeof *col);
    if (r.last < places)
        memset(col + r.last, 0, (size_t)(places - r.last) * sizeof *col);
    clear_sides(col, t, s->ow);
}

/* col is overwritten. */
static void add_run(real *restrict x, real *restrict col, const gnt_general_conv *s, const tap *t) {
    const run r = run_of(s, t);
    clear_sides(col, t, s->ow);
    for (int64_t q = r.first; q < r.last; q++)
        x[q + r.shift] += col[q];
}

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

/* Where each place has the tap, in one channel; −1: in the padding. Of few places, for which a copy of a row
 * would be too short. */
static void places_of(int64_t *at, const gnt_general_conv *s, const tap *t) {
    for (int64_t row = 0; row < s->oh; row++)
        for (int64_t q = 0; q < s->ow; q++) {
            const int inside_it = row >= t->top && row < t->bottom && q >= t->from && q < t->to;
            *at++ = inside_it ? (row * s->sh + t->down) * s->w + q * s->sw + t->at : -1;
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

/* x: the channels of one group, of so many images, which lie x_step entries apart. */
static void im2col(real *col, const real *x, const gnt_general_conv *s, int64_t images, int64_t x_step) {
    const int64_t places = s->oh * s->ow, length = images * places, taps = s->kh * s->kw;
    const int whole = keeps_rows(s);
    int64_t at[FEW_PLACES];
    for (int64_t k = 0; k < taps; k++) {
        const tap t = tap_of(s, k / s->kw, k % s->kw);
        if (places <= FEW_PLACES)
            places_of(at, s, &t);
        for (int64_t c = 0; c < s->c / s->groups; c++)
            for (int64_t i = 0; i < images; i++) {
                real *to = col + (c * taps + k) * length + i * places;
                const real *from = x + i * x_step + c * s->h * s->w;
                if (places <= FEW_PLACES)
                    take_each(to, from, at, places);
                else if (whole)
                    take_run(to, from, s, &t);
                else
                    take_rows(to, from, s, &t);
            }
    }
}

/* The same way back. col is overwritten. */
static void col2im(real *x, real *col, const gnt_general_conv *s, int64_t images, int64_t x_step) {
    const int64_t places = s->oh * s->ow, length = images * places, taps = s->kh * s->kw;
    const int whole = keeps_rows(s);
    int64_t at[FEW_PLACES];
    for (int64_t i = 0; i < images; i++)
        memset(x + i * x_step, 0, (size_t)(s->c / s->groups * s->h * s->w) * sizeof *x);
    for (int64_t k = 0; k < taps; k++) {
        const tap t = tap_of(s, k / s->kw, k % s->kw);
        if (places <= FEW_PLACES)
            places_of(at, s, &t);
        for (int64_t c = 0; c < s->c / s->groups; c++)
            for (int64_t i = 0; i < images; i++) {
                real *to = x + i * x_step + c * s->h * s->w,
                     *from = col + (c * taps + k) * length + i * places;
                if (places <= FEW_PLACES)
                    add_each(to, from, at, places);
                else if (whole)
                    add_run(to, from, s, &t);
                else
                    add_rows(to, from, s, &t);
            }
    }
}

/* Entries of one group: of a row of w (k), of x, of y, of w; its rows of y; and places. Images of a product. */
typedef struct part {
    int64_t k, x, y, w, o, places, images;
} part;

static part part_of(const gnt_general_conv *s) {
    int64_t k = s->c / s->groups * s->kh * s->kw, places = s->oh * s->ow, o = s->o / s->groups;
    return (part){k, s->c / s->groups * s->h * s->w, o * places, o * k, o, places, together(s)};
}

/* Images of the product that begins with group i of all. */
static int64_t images_from(const part *p, const gnt_general_conv *s, int64_t i) {
    const int64_t left = s->n * s->groups - i;
    return left < p->images ? left : p->images;
}

/* What stands under the windows of these images. */
static const real *columns(const part *p, const gnt_general_conv *s, const real *x, int64_t images,
                           real *scratch) {
    if (p->images == 1 && pointwise(s))
        return x;
    im2col(scratch, x, s, images, p->x);
    return scratch;
}

/* Results of these images, image by image, as a product has them, and back. */
static const real *joined(const part *p, const real *y, int64_t images, real *scratch) {
    if (p->images == 1)
        return y;
    for (int64_t o = 0; o < p->o; o++)
        for (int64_t i = 0; i < images; i++)
            memcpy(scratch + (o * images + i) * p->places, y + i * p->y + o * p->places,
                   (size_t)p->places * sizeof *y);
    return scratch;
}

static void part_again(const part *p, real *y, int64_t images, const real *from) {
    for (int64_t o = 0; o < p->o; o++)
        for (int64_t i = 0; i < images; i++)
            memcpy(y + i * p->y + o * p->places, from + (o * images + i) * p->places,
                   (size_t)p->places * sizeof *y);
}

/* y: n × o × oh × ow; x: n × c × h × w; w: o × c/groups × kh × kw. */
void NAME(columns_conv)(void *y_all, const void *x_all, const void *w_all, void *scratch,
                        const gnt_general_conv *s) {
    part p = part_of(s);
    real *y = y_all, *both = (real *)scratch + p.k * p.images * p.places;
    const real *x = x_all, *w = w_all;
    for (int64_t i = 0; i < s->n * s->groups; i += p.images, y += p.images * p.y, x += p.images * p.x) {
        const int64_t images = images_from(&p, s, i);
        NAME(multiply)
        (0, 0, p.o, images * p.places, p.k, w + i % s->groups * p.w, columns(&p, s, x, images, scratch), 0,
         p.images > 1 ? both : y);
        if (p.images > 1)
            part_again(&p, y, images, both);
    }
}

/* dx: n × c × h × w; dy: n × o × oh × ow; w: o × c/groups × kh × kw. */
void NAME(columns_conv_dx)(void *dx_all, const void *dy_all, const void *w_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s);
    real *dx = dx_all, *both = (real *)scratch + p.k * p.images * p.places;
    const real *dy = dy_all, *w = w_all;
    const int itself = p.images == 1 && pointwise(s);
    for (int64_t i = 0; i < s->n * s->groups; i += p.images, dy += p.images * p.y, dx += p.images * p.x) {
        const int64_t images = images_from(&p, s, i);
        NAME(multiply)
        (1, 0, p.k, images * p.places, p.o, w + i % s->groups * p.w, joined(&p, dy, images, both), 0,
         itself ? dx : scratch);
        if (!itself)
            col2im(dx, scratch, s, images, p.x);
    }
}

/* dw: o × c/groups × kh × kw; x: n × c × h × w; dy: n × o × oh × ow. */
void NAME(columns_conv_dw)(void *dw_all, const void *x_all, const void *dy_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s);
    real *dw = dw_all, *both = (real *)scratch + p.k * p.images * p.places;
    const real *x = x_all, *dy = dy_all;
    for (int64_t i = 0; i < s->n * s->groups; i += p.images, dy += p.images * p.y, x += p.images * p.x) {
        const int64_t images = images_from(&p, s, i);
        NAME(multiply)
        (0, 1, p.o, p.k, images * p.places, joined(&p, dy, images, both), columns(&p, s, x, images, scratch),
         i >= s->groups, dw + i % s->groups * p.w);
    }
}

/* ---- the back-end of plain convolutions ---- */

static gnt_general_conv general(const gnt_conv *s) {
    return (gnt_general_conv){s->n,  s->c,      s->h,      s->w,   s->o,   s->kh, s->kw, s->oh,
                              s->ow, s->stride, s->stride, s->pad, s->pad, 1,     1,     1};
}

static int fits(const gnt_conv_case *q) {
    (void)q;
    return 1;
}

static size_t scratch_bytes(int op, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    (void)op;
    return NAME(columns_scratch)(&z);
}

static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv)(y, x, w, scratch, &z);
}

static void conv_dx(void *dx, const void *dy, const void *w, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv_dx)(dx, dy, w, scratch, &z);
}

static void conv_dw(void *dw, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv_dw)(dw, x, dy, scratch, &z);
}

const gnt_conv_backend NAME(conv_im2col) = {.name = "im2col",
                                            .activations = GNT_LAYOUT_ROWS,
                                            .weights = GNT_LAYOUT_ROWS,
                                            .fits = fits,
                                            .scratch = scratch_bytes,
                                            .forward = conv,
                                            .dx = conv_dx,
                                            .dw = conv_dw};
