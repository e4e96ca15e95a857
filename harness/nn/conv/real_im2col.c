/* real_im2col: the three faces of convolution as im2col and OpenBLAS, for any sizes, of general convolutions
 * and as the back-end that fits every plain one.
 *
 * For one group of one image: col is (c/groups·kh·kw) × (oh·ow), the entries of x under the window at each
 * place, zeros in the padding. y = w·col          dx = col2im(wᵀ·dy)          dw = Σ_n dy·colᵀ
 *
 * In dw, a sum over images, images of few places in one group share one product: their places follow one
 * another in each row of col, and of dy, which is copied. In y and dx each image has a product of its own: it
 * must round in the same way at any place in a batch. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/conv/columns.h"

/* Places of one product, where images share it. */
enum { MOST_PLACES = 256 };

/* True for a 1×1 window with stride 1: col is the image itself. */
static int pointwise(const gnt_general_conv *s) {
    return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0;
}

/* Returns the images of one product of dw. */
static int64_t together(const gnt_general_conv *s) {
    const int64_t places = s->oh * s->ow;
    if (s->groups > 1 || places == 0 || 2 * places > MOST_PLACES)
        return 1;
    return s->n < MOST_PLACES / places ? s->n : MOST_PLACES / places;
}

/* Entries of one group: of a row of w (k), of x, of y, of w; its rows of y; its places; images of a product;
 * and offsets in the scratch, after col, of the results of a product and of the scratch of columns.h. */
typedef struct part {
    int64_t k, x, y, w, o, places, images, results, room;
} part;

static part part_of(const gnt_general_conv *s, int64_t images) {
    int64_t k = s->c / s->groups * s->kh * s->kw, places = s->oh * s->ow, o = s->o / s->groups;
    part p = {k, s->c / s->groups * s->h * s->w, o * places, o * k, o, places, images, 0, 0};
    p.results = k * p.images * places;
    p.room = p.results + (p.images > 1 ? o * p.images * places : 0);
    return p;
}

size_t NAME(columns_scratch)(const gnt_general_conv *s) {
    const part p = part_of(s, together(s)); /* the most of all faces */
    if (p.images == 1 && pointwise(s))
        return 0;
    return (size_t)(p.room + NAME(columns_room)(s, p.images)) * sizeof(real);
}

/* Returns the images of the product that begins with group i of all. */
static int64_t images_from(const part *p, const gnt_general_conv *s, int64_t i) {
    const int64_t left = s->n * s->groups - i;
    return left < p->images ? left : p->images;
}

/* Returns the columns of these images. */
static const real *columns(const part *p, const gnt_general_conv *s, const real *x, int64_t images,
                           real *scratch) {
    if (p->images == 1 && pointwise(s))
        return x;
    NAME(im2col)(scratch, x, scratch + p->room, s, images, p->x);
    return scratch;
}

/* Returns the results of these images in the order of a product. */
static const real *joined(const part *p, const real *y, int64_t images, real *scratch) {
    if (p->images == 1)
        return y;
    for (int64_t o = 0; o < p->o; o++)
        for (int64_t i = 0; i < images; i++)
            memcpy(scratch + (o * images + i) * p->places, y + i * p->y + o * p->places,
                   (size_t)p->places * sizeof *y);
    return scratch;
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c/groups × kh × kw). */
void NAME(columns_conv)(void *y_all, const void *x_all, const void *w_all, void *scratch,
                        const gnt_general_conv *s) {
    part p = part_of(s, 1);
    real *y = y_all;
    const real *x = x_all, *w = w_all;
    for (int64_t i = 0; i < s->n * s->groups; i++, y += p.y, x += p.x)
        NAME(multiply)
    (0, 0, p.o, p.places, p.k, w + i % s->groups * p.w, columns(&p, s, x, 1, scratch), 0, y);
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c/groups × kh × kw). */
void NAME(columns_conv_dx)(void *dx_all, const void *dy_all, const void *w_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s, 1);
    real *dx = dx_all, *col = scratch;
    const real *dy = dy_all, *w = w_all;
    const int itself = pointwise(s);
    for (int64_t i = 0; i < s->n * s->groups; i++, dy += p.y, dx += p.x) {
        NAME(multiply)(1, 0, p.k, p.places, p.o, w + i % s->groups * p.w, dy, 0, itself ? dx : col);
        if (!itself)
            NAME(col2im)(dx, col, col + p.room, s);
    }
}

/* Computes dw (o × c/groups × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
void NAME(columns_conv_dw)(void *dw_all, const void *x_all, const void *dy_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s, together(s));
    real *dw = dw_all, *col = scratch, *both = col + p.results;
    const real *x = x_all, *dy = dy_all;
    for (int64_t i = 0; i < s->n * s->groups; i += p.images, dy += p.images * p.y, x += p.images * p.x) {
        const int64_t images = images_from(&p, s, i);
        NAME(multiply)
        (0, 1, p.o, p.k, images * p.places, joined(&p, dy, images, both), columns(&p, s, x, images, col),
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
