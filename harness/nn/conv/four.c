/* four: 3×3 convolutions of one image of 4×4 with many channels, in float on AVX-512: activations in rows,
 * weights rewritten beforehand. Reading the weights of such a layer (9 MB with 512 channels) dominates: they
 * are read once, in order, a vector of sixteen outputs at a time, and each vector is multiplied only with
 * those of the 16 places whose window entry is in the image: 100 for the nine of a channel, where the padding
 * would make it 144.
 *
 *   y[o, place] = Σ_c Σ_tap u[o / 16][c][tap][o % 16]·x[c, place + tap]
 *
 * conv_dx is the same with windows reversed and channels exchanged. Sums are split into pieces of PIECE
 * channels. */
#include "nn/conv/backends.h"
#include "nn/kernels/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")

#include "nn/kernels/square.h"

enum {
    V = 16,
    SIDE = 4,
    TAPS = 9,
    PIECE = 32,            /* channels that are added up at once */
    AHEAD = 1 << 10,       /* entries of u that are prefetched */
    MANY_WEIGHTS = 1 << 18 /* fewer stay in the L2 cache, where blocks are as fast */
};

/* Writes u: outs/16 × ins × 3 × 3 × 16, from w: o × c × 3 × 3. */
static void rewrite(int op, float *u, const float *w, int64_t o, int64_t c) {
    int turned = op == GNT_OP_CONV_DX;
    int64_t ins = turned ? o : c, outs = turned ? c : o;
    int64_t out_step = turned ? TAPS : c * TAPS, in_step = turned ? c * TAPS : TAPS;
    for (int64_t i = 0; i < outs; i += V)
        for (int64_t j = 0; j < ins; j++)
            for (int64_t k = 0; k < TAPS; k++)
                for (int64_t l = 0; l < V; l++)
                    *u++ = w[(i + l) * out_step + j * in_step + (turned ? TAPS - 1 - k : k)];
}

/* Adds sum[place] += u[tap]·x[place + tap] for one channel. */
static inline __attribute__((always_inline)) void add_channel(__m512 sum[V], const float *u, const float *x) {
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            __m512 w = _mm512_loadu_ps(u + (i * 3 + j) * V);
            _mm_prefetch((const char *)(u + (i * 3 + j) * V + AHEAD), _MM_HINT_T1);
#pragma GCC unroll 16
            for (int p = 0; p < V; p++) {
                int row = p / SIDE + i - 1, column = p % SIDE + j - 1;
                if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
                    sum[p] = _mm512_fmadd_ps(w, _mm512_set1_ps(x[row * SIDE + column]), sum[p]);
            }
        }
}

static void run(float *y, const float *x, const float *u, int64_t outs, int64_t ins) {
    for (int64_t o = 0; o < outs; o += V) {
        __m512 total[V];
        for (int p = 0; p < V; p++)
            total[p] = _mm512_setzero_ps();
        for (int64_t from = 0; from < ins; from += PIECE) {
            int64_t to = ins - from < PIECE ? ins : from + PIECE;
            __m512 sum[V];
            for (int p = 0; p < V; p++)
                sum[p] = _mm512_setzero_ps();
            for (int64_t c = from; c < to; c++, u += TAPS * V)
                add_channel(sum, u, x + c * V);
            for (int p = 0; p < V; p++)
                total[p] = _mm512_add_ps(total[p], sum[p]);
        }
        gnt_turn_square(total);
        for (int p = 0; p < V; p++)
            _mm512_storeu_ps(y + (o + p) * V, total[p]);
    }
}

#pragma GCC pop_options

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
    return gnt_cpu_has_avx512() && q->constant && q->op != GNT_OP_CONV_DW && s->n == 1 && s->h == SIDE &&
           s->w == SIDE && s->kh == 3 && s->kw == 3 && s->stride == 1 && s->pad == 1 && s->c % V == 0 &&
           s->o % V == 0 && s->o * s->c * TAPS >= MANY_WEIGHTS;
}

const gnt_conv_backend gnt_conv_four = {.name = "4x4",
                                        .activations = GNT_LAYOUT_ROWS,
                                        .weights = GNT_LAYOUT_OWN,
                                        .own = TAPS,
                                        .fits = fits,
                                        .rewrite = rewrite,
                                        .forward = conv,
                                        .dx = conv_dx};

#else

const gnt_conv_backend gnt_conv_four = {.name = "4x4", .weights = GNT_LAYOUT_OWN, .fits = gnt_conv_never};

#endif
