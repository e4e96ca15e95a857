/* conv: the three faces of a convolution, by a table of back-ends.
 *
 *   conv     y[n, o, p, q]  = Σ w[o, c, i, j]·x[n, c, p·stride + i − pad, q·stride + j − pad]   over c, i, j
 *   conv_dx  the adjoint in x: dx of dy and w                                                  over o, i, j
 *   conv_dw  the adjoint in w: dw of x and dy                                                  over n, p, q
 *
 * A back-end is one file and one row of backends.h. The rows stand in order: the first that fits computes
 * a convolution. What fits follows from the sizes, the processor and what the planner says of the
 * operands, never from time. */
#ifndef GNT_NN_CONV_H
#define GNT_NN_CONV_H

#include <stddef.h>
#include <stdint.h>

#include "nn/graph/graph.h"

/* x: n × c × h × w; weights: o × c × kh × kw; y: n × o × oh × ow. */
typedef struct gnt_conv {
    int64_t n, c, h, w, o, kh, kw, oh, ow, stride, pad;
    void *made; /* what the back-end's prepare left for its kernels, else NULL */
} gnt_conv;

/* A convolution with a stride (sh, sw), padding (ph, pw) and dilation (dh, dw) for each axis, in groups:
 *   y[n, o, p, q] = Σ w[o, c, i, j]·x[n, first + c, p·sh + i·dh − ph, q·sw + j·dw − pw]    over c, i, j
 * where c runs over the C/groups channels of o's group, which begin at `first`.
 * x: n × c × h × w; weights: o × c/groups × kh × kw; y: n × o × oh × ow. */
typedef struct gnt_general_conv {
    int64_t n, c, h, w, o, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw, groups;
} gnt_general_conv;

/* A convolution for which a back-end is wanted. */
typedef struct gnt_conv_case {
    int op; /* GNT_OP_CONV, GNT_OP_CONV_DX or GNT_OP_CONV_DW */
    gnt_conv s;
    /* 0: all operands are in rows, whatever would suit. The rest is 0 then. */
    int any_layout;
    struct gnt_dnnl *dnnl; /* NULL: there is no oneDNN */
    int64_t block;         /* channels of a block of oneDNN; 0: there is none */
    /* The weights are an input; and one that is held, so that they are rewritten once for many calls. */
    int given, held;
    /* A forward pass, in which every rounding error decides which ReLUs are open: it keeps sums that round
     * as direct ones. */
    int exact;
} gnt_conv_case;

typedef enum gnt_conv_fit {
    GNT_CONV_UNFIT, /* another row may have it */
    GNT_CONV_FITS,
    GNT_CONV_FAILED /* out of memory, or of pages that may be executed: never a silent change of kernels */
} gnt_conv_fit;

/* result of first and second: y of x and w, dx of dy and w, dw of x and dy; each in the layout that the
 * back-end's row names. `scratch` has the bytes that its row asks for, aligned to 64, of any content. */
typedef void gnt_conv_kernel(void *result, const void *first, const void *second, void *scratch,
                             const gnt_conv *s);

typedef void gnt_general_conv_kernel(void *result, const void *first, const void *second, void *scratch,
                                     const gnt_general_conv *s);

typedef struct gnt_conv_backend gnt_conv_backend;

/* A convolution with its back-end. Ended by gnt_conv_discard. */
typedef struct gnt_conv_choice {
    const gnt_conv_backend *backend;
    int op;
    gnt_conv s;
    uint8_t weights;               /* gnt_layout of w or dw; prepare may change it */
    uint8_t first, second, result; /* gnt_layout of the operands */
    size_t scratch;                /* bytes */
} gnt_conv_choice;

struct gnt_conv_backend {
    const char *name;
    /* gnt_layout of x, dx, y and dy; and of w and dw. GNT_LAYOUT_OWN: the weights are rewritten by
     * `rewrite`. */
    uint8_t activations, weights;
    int (*fits)(const gnt_conv_case *q);
    /* Makes what the kernels need beside their operands: c->s.made, c->scratch, c->weights. NULL: nothing. */
    gnt_conv_fit (*prepare)(const gnt_conv_case *q, gnt_conv_choice *c);
    void (*discard)(void *made);
    /* Bytes of scratch. NULL: none, or as prepare said. */
    size_t (*scratch)(int op, const gnt_conv *s);
    /* u: own·o·c entries as the face `op` reads them, from w: o × c × kh × kw in rows. */
    void (*rewrite)(int op, float *u, const float *w, int64_t o, int64_t c);
    int64_t own;
    gnt_conv_kernel *forward, *dx, *dw; /* NULL: a face that never fits */
};

/* What one precision has. The back-ends are in the order in which they are asked; the last fits always. */
typedef struct gnt_conv_table {
    size_t size; /* of a real, in bytes */
    int32_t n;
    const gnt_conv_backend *const *backend;
    /* Loops straight from the definitions, for tests to compare with. */
    const gnt_conv_backend *plain;
    /* y (n × o × oh × ow) and dx (n × c × h × w): conv and conv_dx by the weights conv_dw(x, dy), without
     * these. */
    size_t (*gram_scratch)(const gnt_conv *s); /* bytes */
    gnt_conv_kernel *gram, *gram_dx;
    /* General convolutions, operands in rows: by face, from GNT_OP_GENERAL_CONV on. */
    size_t (*general_scratch)(const gnt_general_conv *s); /* bytes */
    gnt_general_conv_kernel *general[3];
} gnt_conv_table;

const gnt_conv_table *gnt_conv_table_f32(void);
const gnt_conv_table *gnt_conv_table_f64(void);

/* The first back-end that fits. 0, or −1 where one that fits could not be prepared. */
int gnt_conv_choose(const gnt_conv_table *t, const gnt_conv_case *q, gnt_conv_choice *c);
void gnt_conv_discard(gnt_conv_choice *c);

/* The kernel of a face. */
gnt_conv_kernel *gnt_conv_face(const gnt_conv_backend *b, int op);

/* The layouts from GNT_LAYOUT_OWN on belong to back-ends, two to each: weights as its conv and as its
 * conv_dx reads them. How many there are; whose one is, and which face it is for. */
int32_t gnt_conv_own_layouts(void);
const gnt_conv_backend *gnt_conv_owner(int layout, int *op);

static inline int gnt_conv_is_face(int op) {
    return op == GNT_OP_CONV || op == GNT_OP_CONV_DX || op == GNT_OP_CONV_DW;
}

/* Whether blocks of channels suit it: over so few places, copying the weights into them costs more than it
 * gains. */
static inline int gnt_conv_suits_blocks(const gnt_conv_case *q) {
    enum { FEW_PLACES = 16 };
    const gnt_conv *s = &q->s;
    return q->block > 0 && s->c % q->block == 0 && s->o % q->block == 0 && s->n * s->oh * s->ow > FEW_PLACES;
}

#endif
