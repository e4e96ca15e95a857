#include "shared/attribute/pass.h"

#include <stdlib.h>
#include <string.h>

/* Compiles for the widest vectors of the processor. Results have the same bits with any width, as no sum
 * changes its order and C11 fuses no product with a sum. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#define WITHIN __attribute__((always_inline)) /* functions that are not inlined have the narrowest vectors */
#endif
#endif
#ifndef WIDEST
#define WIDEST
#define WITHIN
#endif

enum {
    LANES = 32,   /* running sums of a dot product */
    STREAMS = 4,  /* rows multiplied at a time */
    TOGETHER = 8, /* rows added to a vector at a time */
    AHEAD = 1024, /* floats: a page, beyond which the processor does not prefetch by itself */
    LINE = 16     /* floats of a cache line */
};

int attr_pass_open(attr_pass *p, const attr_net *net, int32_t n) {
    int64_t widest = 1;
    int32_t layers = 0;
    *p = (attr_pass){0};
    for (int32_t k = 0; k < n; k++) {
        layers = net[k].layers > layers ? net[k].layers : layers;
        for (int32_t i = 1; i <= net[k].layers; i++)
            widest = net[k].width[i] > widest ? net[k].width[i] : widest;
    }
    p->memory = calloc((size_t)layers + 3, (size_t)widest * sizeof *p->memory);
    if (!p->memory)
        return -1;
    for (int32_t i = 0; i < layers; i++)
        p->out[i] = p->memory + i * widest;
    p->pull = p->memory + layers * widest;
    p->by = p->pull + widest;
    p->row = (int32_t *)(p->by + widest);
    return 0;
}

void attr_pass_close(attr_pass *p) {
    free(p->memory);
    *p = (attr_pass){0};
}

/* Computes out[r·by] = row r·by of w times x, for r below n. Sum l of a row takes columns l, l + LANES, …;
 * they are added up pairwise. */
WITHIN static inline void dot_rows(const float *restrict w, int64_t by, int n, const float *restrict x,
                                   int64_t columns, float *restrict out) {
    float sum[STREAMS][LANES] = {{0}};
    int64_t k = 0;
    for (; k + LANES <= columns; k += LANES)
        for (int r = 0; r < n; r++) {
            const float *a = w + r * by * columns + k;
            for (int l = 0; l < LANES; l += LINE)
                __builtin_prefetch(a + l + AHEAD);
            for (int l = 0; l < LANES; l++)
                sum[r][l] += a[l] * x[k + l];
        }
    for (int r = 0; r < n; r++) {
        const float *a = w + r * by * columns + k;
        for (int l = 0; k + l < columns; l++)
            sum[r][l] += a[l] * x[k + l];
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                sum[r][l] += sum[r][l + half];
        out[r * by] = sum[r][0];
    }
}

/* Computes out (rows) = W·x, W of rows × columns. Reading several parts of W at once uses more memory
 * bandwidth. */
WIDEST static void multiply(const float *restrict w, const float *restrict x, int64_t rows, int64_t columns,
                            float *restrict out) {
    const int64_t part = rows / STREAMS;
    for (int64_t o = 0; o < part; o++)
        dot_rows(w + o * columns, part, STREAMS, x, columns, out + o);
    for (int64_t o = part * STREAMS; o < rows; o++)
        dot_rows(w + o * columns, 0, 1, x, columns, out + o);
}

/* Adds Σ_i by[i] · row row[i] of w to out (columns), in their order. */
WIDEST static void add_rows(const float *restrict w, int64_t columns, const int32_t *restrict row,
                            const float *restrict by, int64_t n, float *restrict out) {
    int64_t i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        const float *a0 = w + row[i] * columns, *a1 = w + row[i + 1] * columns,
                    *a2 = w + row[i + 2] * columns, *a3 = w + row[i + 3] * columns,
                    *a4 = w + row[i + 4] * columns, *a5 = w + row[i + 5] * columns,
                    *a6 = w + row[i + 6] * columns, *a7 = w + row[i + 7] * columns;
        const float *b = by + i;
        for (int64_t k = 0; k < columns; k++)
            out[k] = out[k] + b[0] * a0[k] + b[1] * a1[k] + b[2] * a2[k] + b[3] * a3[k] + b[4] * a4[k] +
                     b[5] * a5[k] + b[6] * a6[k] + b[7] * a7[k];
    }
    for (; i < n; i++)
        for (int64_t k = 0; k < columns; k++)
            out[k] += by[i] * w[row[i] * columns + k];
}

const float *attr_pass_forward(attr_pass *p, const attr_net *net, const float *x) {
    for (int32_t i = 0; i < net->layers; i++) {
        float *out = p->out[i];
        multiply(net->weight[i], x, net->width[i + 1], net->width[i], out);
        for (int64_t o = 0; o < net->width[i + 1]; o++) {
            out[o] += net->bias[i][o];
            out[o] = i + 1 < net->layers && out[o] <= 0 ? 0 : out[o];
        }
        x = out;
    }
    return x;
}

void attr_pass_back(attr_pass *p, const attr_net *net, const float *by_scores, float *by_x) {
    memcpy(p->pull, by_scores, (size_t)net->width[net->layers] * sizeof *p->pull);
    for (int32_t i = net->layers - 1; i >= 0; i--) {
        const float *out = p->out[i];
        const int closes = i + 1 < net->layers;
        int32_t n = 0;
        for (int32_t o = 0; o < net->width[i + 1]; o++) { /* without branches, which could not be predicted */
            p->by[n] = p->pull[o];
            p->row[n] = o;
            n += (p->pull[o] != 0) & ((out[o] > 0) | !closes);
        }
        float *to = i > 0 ? p->pull : by_x;
        memset(to, 0, (size_t)net->width[i] * sizeof *to);
        add_rows(net->weight[i], net->width[i], p->row, p->by, n, to);
    }
}
