/* conv: the three faces of a convolution, by a table of back-ends.
 *
 *   conv     y[n, o, p, q]  = Σ w[o, c, i, j]·x[n, c, p·stride + i − pad, q·stride + j − pad]   over c, i, j
 *   conv_dx  the adjoint in x: dx of dy and w                                                  over o, i, j
 *   conv_dw  the adjoint in w: dw of x and dy                                                  over n, p, q
 *
 * A back-end is one file and one row of backends.h. The rows are ordered: the first that fits computes a
 * convolution. Whether one fits depends on the sizes, the processor and the planner's facts about the
 * operands, never on time. */
#ifndef GNT_NN_CONV_H
#define GNT_NN_CONV_H

#include <stddef.h>
#include <stdint.h>

#include "nn/graph/graph.h"

/* x: n × c × h × w; weights: o × c × kh × kw; y: n × o × oh × ow. */
typedef struct gnt_conv {
    int64_t n, c, h, w, o, kh, kw, oh, ow, stride, pad;
    void *made; /* made by the back-end's prepare for its kernels, else NULL */
} gnt_conv;

/* A convolution with a stride (sh, sw), padding (ph, pw) and dilation (dh, dw) for each axis, in groups:
 *   y[n, o, p, q] = Σ w[o, c, i, j]·x[n, first + c, p·sh + i·dh − ph, q·sw + j·dw − pw]    over c, i, j
 * where c runs over the C/groups channels of o's group, which begin at `first`.
 * x: n × c × h × w; weights: o × c/groups × kh × kw; y: n × o × oh × ow. */
typedef struct gnt_general_conv {
    int64_t n, c, h, w, o, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw, groups;
} gnt_general_conv;

/* A convolution that needs a back-end. */
typedef struct gnt_conv_case {
    int op; /* GNT_OP_CONV, GNT_OP_CONV_DX or GNT_OP_CONV_DW */
    gnt_conv s;
    /* 0: all operands are in rows; the members below are 0 then. */
    int any_layout;
    struct gnt_dnnl *dnnl; /* NULL: no oneDNN */
    int64_t block;         /* channels of a block of oneDNN; 0: none */
    /* given: the weights are an input; constant: one that is constant, so that they are rewritten once for
     * many calls. */
    int given, constant;
    /* A forward pass, where rounding errors decide which ReLUs are active: it keeps sums that round as direct
     * ones. */
    int exact;
} gnt_conv_case;

typedef enum gnt_conv_fit {
    GNT_CONV_UNFIT, /* another row may fit */
    GNT_CONV_FITS,
    GNT_CONV_FAILED /* out of memory or executable pages: never a silent change of kernels */
} gnt_conv_fit;

/* Computes result from first and second: y from x and w, dx from dy and w, dw from x and dy; each in the
 * layout of the back-end's row. `scratch` has the bytes of its row, aligned to 64, with any content. */
typedef void gnt_conv_kernel(void *result, const void *first, const void *second, void *scratch,
                             const gnt_conv *s);

typedef void gnt_general_conv_kernel(void *result, const void *first, const void *second, void *scratch,
                                     const gnt_general_conv *s);

typedef struct gnt_conv_backend gnt_conv_backend;

/* A convolution with its back-end. Freed by gnt_conv_discard. */
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
    /* Bits of the vectors that its file is compiled for; 0: any processor runs it. On another one none of its
     * functions may be called, for the compiler may use such vectors in all of them. */
    int vectors;
    /* activations: gnt_layout of x, dx, y and dy; weights: of w and dw, GNT_LAYOUT_OWN if `rewrite` rewrites
     * them. */
    uint8_t activations, weights;
    int (*fits)(const gnt_conv_case *q);
    /* Makes what the kernels need in addition to their operands: c->s.made, c->scratch, c->weights. May be
     * NULL. */
    gnt_conv_fit (*prepare)(const gnt_conv_case *q, gnt_conv_choice *c);
    void (*discard)(void *made);
    /* Returns the bytes of scratch. NULL: none, or set by prepare. */
    size_t (*scratch)(int op, const gnt_conv *s);
    /* Writes u: own·o·c entries as the face `op` reads them, from w: o × c × kh × kw in rows. */
    void (*rewrite)(int op, float *u, const float *w, int64_t o, int64_t c);
    int64_t own;
    gnt_conv_kernel *forward, *dx, *dw; /* NULL: a face that never fits */
};

/* The convolutions of one precision. Back-ends are in order of preference; the last one always fits. */
typedef struct gnt_conv_table {
    size_t size; /* of a real, in bytes */
    int32_t n;
    const gnt_conv_backend *const *backend;
    /* Plain loops that follow the definitions, for tests to compare with. */
    const gnt_conv_backend *plain;
    /* Compute y (n × o × oh × ow) and dx (n × c × h × w): conv and conv_dx by the weights conv_dw(x, dy),
     * without computing these. */
    size_t (*gram_scratch)(const gnt_conv *s); /* bytes */
    gnt_conv_kernel *gram, *gram_dx;
    /* General convolutions, operands in rows: by face, from GNT_OP_GENERAL_CONV on. */
    size_t (*general_scratch)(const gnt_general_conv *s); /* bytes */
    gnt_general_conv_kernel *general[3];
} gnt_conv_table;

const gnt_conv_table *gnt_conv_table_f32(void);
const gnt_conv_table *gnt_conv_table_f64(void);

/* True if the back-end is for this processor's vectors (cpu.h) and fits. */
int gnt_conv_fits(const gnt_conv_backend *b, const gnt_conv_case *q);
/* Chooses the first back-end that fits. Returns 0, or −1 if it could not be prepared. */
int gnt_conv_choose(const gnt_conv_table *t, const gnt_conv_case *q, gnt_conv_choice *c);
void gnt_conv_discard(gnt_conv_choice *c);

/* Returns the kernel of a face. */
gnt_conv_kernel *gnt_conv_face(const gnt_conv_backend *b, int op);

/* Returns the number of layouts that belong to back ends. From GNT_LAYOUT_OWN on, each back end has two:
 * weights as its conv reads them and as its conv_dx does. */
int32_t gnt_conv_own_layouts(void);
const gnt_conv_backend *gnt_conv_owner(int layout, int *op);

static inline int gnt_conv_is_face(int op) {
    return op == GNT_OP_CONV || op == GNT_OP_CONV_DX || op == GNT_OP_CONV_DW;
}

/* True if blocks of channels suit q: over few places, copying the weights into blocks costs more than it
 * gains. */
static inline int gnt_conv_suits_blocks(const gnt_conv_case *q) {
    enum { FEW_PLACES = 16 };
    const gnt_conv *s = &q->s;
    return q->block > 0 && s->c % q->block == 0 && s->o % q->block == 0 && s->n * s->oh * s->ow > FEW_PLACES;
}

#endif
