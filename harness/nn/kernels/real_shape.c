/* real_shape: strided moves and sums. The order of every sum depends on the shape alone; sums run in
 * double. */
#include <string.h>

#include "nn/kernels/real.h"
#include "nn/kernels/turn.h"

/* An innermost axis with fewer entries is too short for a loop of its own; the number of run_sum's lanes. */
enum { FEW = 8 };

/* Moves the innermost axis, in one of four ways. */
static void move_run(real *y, const real *x, int64_t n, int64_t to, int64_t from) {
    if (to == 1 && from == 1) {
        memcpy(y, x, (size_t)n * sizeof *y);
    } else if (to == 1 && from == 0) {
        for (int64_t i = 0; i < n; i++)
            y[i] = x[0];
    } else {
        for (int64_t i = 0; i < n; i++)
            y[i * to] = x[i * from];
    }
}

/* Moves the two innermost axes if they are swapped; 0: they are not, or must be moved run by run. */
static int move_table(real *y, const real *x, const gnt_move *m) {
#ifdef GNT_REAL_F64
    (void)y, (void)x, (void)m;
    return 0;
#else
    int32_t i = m->rank - 1, j = i - 1;
    if (j < 0 || m->to[i] != 1 || m->from[j] != 1 || m->dim[i] < 8 || m->dim[j] < 8)
        return 0;
    return gnt_turn(y, m->to[j], x, m->from[i], m->dim[i], m->dim[j]);
#endif
}

/* Moves the two innermost axes if each entry is repeated a few times in a row, as in enlarging an image; 0:
 * it is not. */
static int move_repeated(real *y, const real *x, const gnt_move *m) {
    int32_t i = m->rank - 1, j = i - 1;
    if (j < 0 || m->to[i] != 1 || m->from[i] != 0 || m->from[j] != 1 || m->to[j] != m->dim[i] ||
        m->dim[i] >= FEW)
        return 0;
    const int64_t n = m->dim[j], times = m->dim[i];
    if (times == 2)
        for (int64_t k = 0; k < n; k++)
            y[2 * k] = y[2 * k + 1] = x[k];
    else
        for (int64_t k = 0; k < n; k++)
            for (int64_t l = 0; l < times; l++)
                y[k * times + l] = x[k];
    return 1;
}

/* Copies the entries of m->dim from x to y, each at its strides. */
void NAME(move)(void *y_all, const void *x_all, const gnt_move *m) {
    real *y = (real *)y_all + m->to_at;
    const real *x = (const real *)x_all + m->from_at;
    if (m->rank == 0) {
        y[0] = x[0];
        return;
    }
    int32_t inner = m->rank - 1;
    int64_t i[GNT_NN_RANK] = {0};
    for (;;) {
        int both = move_table(y, x, m) || move_repeated(y, x, m);
        if (!both)
            move_run(y, x, m->dim[inner], m->to[inner], m->from[inner]);
        int32_t k = inner - 1 - both;
        for (; k >= 0; k--) {
            y += m->to[k];
            x += m->from[k];
            if (++i[k] < m->dim[k])
                break;
            y -= m->to[k] * m->dim[k];
            x -= m->from[k] * m->dim[k];
            i[k] = 0;
        }
        if (k < 0)
            return;
    }
}

/* Returns the sum of n entries from eight running sums, so that additions do not wait for one another. */
static double run_sum(const real *x, int64_t n) {
    double s[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            s[l] += (double)x[i + l];
    double rest = 0;
    for (; i < n; i++)
        rest += (double)x[i];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + rest;
}

enum { TILE = 128 };

/* An iterator over some axes of r: the entry offset of each combination in turn. */
typedef struct odometer {
    int32_t rank;
    int64_t dim[GNT_NN_RANK], stride[GNT_NN_RANK], i[GNT_NN_RANK];
    int64_t at;
} odometer;

static int step(odometer *o) {
    for (int32_t k = o->rank - 1; k >= 0; k--) {
        o->at += o->stride[k];
        if (++o->i[k] < o->dim[k])
            return 1;
        o->at -= o->stride[k] * o->dim[k];
        o->i[k] = 0;
    }
    return 0;
}

/* Adds s[j] += Σ x[j·n + l] over l < n, n below FEW, in the order of run_sum. */
static void add_groups(double *s, const real *x, int64_t width, int64_t n) {
    if (n == 1) {
        for (int64_t j = 0; j < width; j++)
            s[j] += (double)x[j];
        return;
    }
    if (n == 2) {
        for (int64_t j = 0; j < width; j++)
            s[j] += (double)x[2 * j] + (double)x[2 * j + 1];
        return;
    }
    for (int64_t j = 0; j < width; j++) {
        double sum = 0;
        for (int64_t l = 0; l < n; l++)
            sum += (double)x[j * n + l];
        s[j] += sum;
    }
}

/* Computes y (the axes of r->dim that are not reduced) from x (all of r->dim). A short reduced innermost
 * axis after one that stays is summed with it: `few` entries for each of its own. */
void NAME(sum)(void *y_all, const void *x_all, const gnt_reduce *r) {
    real *y = y_all;
    const real *x = x_all;
    if (r->rank == 0) {
        y[0] = x[0];
        return;
    }
    odometer kept = {0}, gone = {0};
    int32_t inner = r->rank - 1;
    int64_t stride[GNT_NN_RANK], few = 1;
    stride[inner] = 1;
    for (int32_t k = inner - 1; k >= 0; k--)
        stride[k] = stride[k + 1] * r->dim[k + 1];
    if (inner > 0 && r->reduced[inner] && !r->reduced[inner - 1] && r->dim[inner] < FEW)
        few = r->dim[inner--];
    const int64_t n = r->dim[inner];
    for (int32_t k = 0; k < inner; k++) {
        odometer *o = r->reduced[k] ? &gone : &kept;
        o->dim[o->rank] = r->dim[k];
        o->stride[o->rank++] = stride[k];
    }
    do {
        if (r->reduced[inner]) {
            double s = 0;
            do
                s += run_sum(x + kept.at + gone.at, n);
            while (step(&gone));
            *y++ = (real)s;
            continue;
        }
        for (int64_t from = 0; from < n; from += TILE) {
            int64_t width = n - from < TILE ? n - from : TILE;
            double s[TILE];
            memset(s, 0, (size_t)width * sizeof *s);
            do
                add_groups(s, x + kept.at + gone.at + from * few, width, few);
            while (step(&gone));
            for (int64_t j = 0; j < width; j++)
                y[from + j] = (real)s[j];
        }
        y += n;
    } while (step(&kept));
}
