#include "tree.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 4 };

typedef struct grid {
    const float *p;
    int64_t rows, c, h, w, n;
} grid;

static double cosine(const grid *g, int64_t a, int64_t b) {
    double s = 0, sa = 0, sb = 0;
    for (int64_t r = 0; r < g->rows; r++) {
        double x = (double)g->p[r * g->n + a], y = (double)g->p[r * g->n + b];
        s += x * y;
        sa += x * x;
        sb += y * y;
    }
    return sa > 0 && sb > 0 ? s / sqrt(sa * sb) : 0;
}

/* Lists the neighbours of column a: its place in the other channels, and the touching places. Returns their
 * number (< c + 4). */
static int64_t neighbours(const grid *g, int64_t a, int64_t *out) {
    static const int64_t down[STEPS] = {-1, 1, 0, 0}, along[STEPS] = {0, 0, -1, 1};
    int64_t k = a / (g->h * g->w), i = a / g->w % g->h, j = a % g->w, n = 0;
    for (int64_t o = 0; o < g->c; o++)
        if (o != k)
            out[n++] = (o * g->h + i) * g->w + j;
    for (int s = 0; s < STEPS; s++) {
        int64_t y = i + down[s], x = j + along[s];
        if (y >= 0 && y < g->h && x >= 0 && x < g->w)
            out[n++] = (k * g->h + y) * g->w + x;
    }
    return n;
}

/* Runs Prim's algorithm from column 0; best[b]: the largest cosine, by size, between b and the tree. */
static void walk(const grid *g, double *best, double *sign, int64_t *near) {
    int64_t at = 0;
    for (int64_t b = 0; b < g->n; b++)
        best[b] = sign[b] = 0;
    sign[0] = 1;
    for (int64_t done = 1; done < g->n; done++) {
        int64_t many = neighbours(g, at, near), next = -1;
        for (int64_t k = 0; k < many; k++) {
            double cosine_ab = sign[near[k]] == 0 ? cosine(g, at, near[k]) * sign[at] : 0;
            if (fabs(cosine_ab) > fabs(best[near[k]]))
                best[near[k]] = cosine_ab;
        }
        for (int64_t b = 0; b < g->n; b++)
            if (sign[b] == 0 && (next < 0 || fabs(best[b]) > fabs(best[next])))
                next = b;
        sign[next] = best[next] < 0 ? -1 : 1;
        at = next;
    }
}

int dec_agree(float *p, int64_t rows, int64_t c, int64_t h, int64_t w) {
    grid g = {p, rows, c, h, w, c * h * w};
    double *best = calloc((size_t)g.n, sizeof *best), *sign = calloc((size_t)g.n, sizeof *sign);
    int64_t *near = calloc((size_t)c + STEPS, sizeof *near);
    int ok = best && sign && near;
    if (ok)
        walk(&g, best, sign, near);
    for (int64_t r = 0; ok && r < rows; r++)
        for (int64_t k = 0; k < g.n; k++)
            p[r * g.n + k] *= (float)sign[k];
    free(best);
    free(sign);
    free(near);
    return ok ? 0 : -1;
}
