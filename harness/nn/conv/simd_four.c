/* four: 3×3 convolutions of one image of 4×4 with many channels, in float: activations in rows, weights
 * rewritten beforehand. Reading the weights of such a layer (9 MB with 512 channels) dominates: they are read
 * once, in order, sixteen outputs at a time, and each vector of outputs is multiplied only with those of the
 * 16 places whose window entry is in the image: 100 for the nine of a channel, where the padding would make
 * it 144.
 *
 *   y[o, place] = Σ_c Σ_tap u[o / 16][c][tap][o % 16]·x[c, place + tap]
 *
 * conv_dx is the same with windows reversed and channels exchanged. Sums are split into pieces of PIECE
 * channels. Where registers do not suffice for all places, each row of them goes through a piece of the
 * weights in turn, which the first one has brought into the L1 cache. */
#include "nn/conv/backends.h"
#include "nn/kernels/vec.h"

enum {
    SIDE = 4,
    PLACES = SIDE * SIDE,
    TAPS = 9,
    OUTS = 16,              /* of a block of u */
    VECTORS = OUTS / V,     /* of outputs */
    ROWS = WIDE ? SIDE : 1, /* of places that are added up at once */
    PIECE = 32,             /* channels that are added up at once */
    AHEAD = 1 << 10,        /* entries of u that are prefetched */
    MANY_WEIGHTS = 1 << 18  /* fewer stay in the L2 cache, where blocks are as fast */
};

/* Writes u: outs/16 × ins × 3 × 3 × 16, from w: o × c × 3 × 3. */
static void rewrite(int op, float *u, const float *w, int64_t o, int64_t c) {
    int turned = op == GNT_OP_CONV_DX;
    int64_t ins = turned ? o : c, outs = turned ? c : o;
    int64_t out_step = turned ? TAPS : c * TAPS, in_step = turned ? c * TAPS : TAPS;
    for (int64_t i = 0; i < outs; i += OUTS)
        for (int64_t j = 0; j < ins; j++)
            for (int64_t k = 0; k < TAPS; k++)
                for (int64_t l = 0; l < OUTS; l++)
                    *u++ = w[(i + l) * out_step + j * in_step + (turned ? TAPS - 1 - k : k)];
}

/* Adds sum[vector][place] += u[tap][vector]·x[place + tap] for one channel and the places in ROWS rows from
 * `first` on. */
VEC_INLINE void add_channel(vec sum[VECTORS][PLACES], const float *u, const float *x, const int first) {
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            vec w[VECTORS];
#pragma GCC unroll 4
            for (int b = 0; b < VECTORS; b++)
                w[b] = vec_load(u + (i * 3 + j) * OUTS + b * V);
            if (first == 0)
                __builtin_prefetch(u + (i * 3 + j) * OUTS + AHEAD, 0, 2);
#pragma GCC unroll 16
            for (int p = 0; p < ROWS * SIDE; p++) {
                int row = first + p / SIDE + i - 1, column = p % SIDE + j - 1;
                if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
#pragma GCC unroll 4
                    for (int b = 0; b < VECTORS; b++)
                        sum[b][p] = vec_fma(w[b], vec_all(x[row * SIDE + column]), sum[b][p]);
            }
        }
}

/* Adds `channels` of them to the totals of these places. */
VEC_INLINE void add_piece(vec total[VECTORS][PLACES], const float *u, const float *x, int64_t channels,
                          const int first) {
    vec sum[VECTORS][PLACES];
    for (int b = 0; b < VECTORS; b++)
        for (int p = 0; p < ROWS * SIDE; p++)
            sum[b][p] = vec_zero();
    for (int64_t c = 0; c < channels; c++)
        add_channel(sum, u + c * TAPS * OUTS, x + c * PLACES, first);
    for (int b = 0; b < VECTORS; b++)
        for (int p = 0; p < ROWS * SIDE; p++)
            total[b][first * SIDE + p] += sum[b][p];
}

/* Writes sixteen outputs from vectors of them. */
static void write_outputs(float *y, vec total[VECTORS][PLACES]) {
    for (int b = 0; b < VECTORS; b++)
        for (int p = 0; p < PLACES; p += V) {
            vec_turn_square(total[b] + p);
            for (int l = 0; l < V; l++)
                vec_store(y + (b * V + l) * PLACES + p, total[b][p + l]);
        }
}

static void run(float *y, const float *x, const float *u, int64_t outs, int64_t ins) {
    for (int64_t o = 0; o < outs; o += OUTS) {
        vec total[VECTORS][PLACES];
        for (int b = 0; b < VECTORS; b++)
            for (int p = 0; p < PLACES; p++)
                total[b][p] = vec_zero();
        for (int64_t from = 0; from < ins; from += PIECE) {
            const int64_t channels = ins - from < PIECE ? ins - from : PIECE;
            const float *piece = x + from * PLACES;
            add_piece(total, u, piece, channels, 0);
            if (ROWS < SIDE) {
                add_piece(total, u, piece, channels, 1);
                add_piece(total, u, piece, channels, 2);
                add_piece(total, u, piece, channels, 3);
            }
            u += channels * TAPS * OUTS;
        }
        write_outputs(y + o * PLACES, total);
    }
}

/* Computes y (1 × o × 4 × 4) from x (1 × c × 4 × 4) and u (o/16 × c × 3 × 3 × 16). */
static void conv(void *y, const void *x, const void *u, void *scratch, const gnt_conv *s) {
    (void)scratch;
    run(y, x, u, s->o, s->c);
}

/* Computes dx (1 × c × 4 × 4) from dy (1 × o × 4 × 4) and u (c/16 × o × 3 × 3 × 16). */
static void conv_dx(void *dx, const void *dy, const void *u, void *scratch, const gnt_conv *s) {
    (void)scratch;
    run(dx, dy, u, s->c, s->o);
}

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    return q->constant && q->op != GNT_OP_CONV_DW && s->n == 1 && s->h == SIDE && s->w == SIDE &&
           s->kh == 3 && s->kw == 3 && s->stride == 1 && s->pad == 1 && s->c % OUTS == 0 &&
           s->o % OUTS == 0 && s->o * s->c * TAPS >= MANY_WEIGHTS;
}

const gnt_conv_backend SIMD(gnt_conv_four) = {.name = "4x4",
                                              .vectors = 32 * V,
                                              .activations = GNT_LAYOUT_ROWS,
                                              .weights = GNT_LAYOUT_OWN,
                                              .own = TAPS,
                                              .fits = fits,
                                              .rewrite = rewrite,
                                              .forward = conv,
                                              .dx = conv_dx};
