#include "gate/ranks_impl.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { EXACT_SCORES = 50 };

typedef struct ranked {
    double x;
    size_t twice; /* its rank, doubled so that the mean of two is whole */
    int is_new;
} ranked;

static int rising(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Sets ranks; returns Σ(t³ − t) over groups of t equal scores. */
static double rank(ranked *r, size_t n) {
    double ties = 0;
    qsort(r, n, sizeof *r, rising);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && r[end].x == r[i].x; end++)
            ;
        const double t = (double)(end - i);
        ties += t * t * t - t;
        for (size_t k = i; k < end; k++)
            r[k].twice = i + 1 + end;
    }
    return ties;
}

/* Returns the share of all choices of `chosen` of the n ranks whose sum, doubled, is at least `seen`. */
static int exact_tail(const ranked *r, size_t n, size_t chosen, size_t seen, double *p) {
    const size_t width = n * (n + 1) + 1; /* sums from 0 to all ranks together */
    double *ways = gnt_array((chosen + 1) * width, sizeof *ways), all = 0, above = 0;
    size_t reached = 0; /* the largest sum so far */
    if (!ways)
        return -1;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++, reached += r[i - 1].twice)
        for (size_t k = chosen < i + 1 ? chosen : i + 1; k > 0; k--) {
            const double *from = ways + (k - 1) * width;
            double *to = ways + k * width + r[i].twice;
            for (size_t sum = 0; sum <= reached; sum++)
                to[sum] += from[sum];
        }
    for (size_t sum = 0; sum < width; sum++) {
        all += ways[chosen * width + sum];
        above += sum >= seen ? ways[chosen * width + sum] : 0;
    }
    *p = above / all;
    gnt_free(ways);
    return 0;
}

static double normal_tail(double n, double m, double ties, double seen) {
    const double all = n + m, mean = n * (all + 1) / 2;
    const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    return variance > 0 ? 0.5 * erfc((seen - 0.5 - mean) / sqrt(2 * variance)) : 1;
}

int gnt_rank_sum_tail(const gnt_sample *now, const gnt_sample *before, double tolerance, int sign,
                      double *p) {
    const size_t n = now->n + before->n;
    ranked *r = gnt_array(n, sizeof *r);
    size_t seen = 0;
    int rc = 0;
    if (!r)
        return -1;
    for (size_t i = 0; i < now->n; i++)
        r[i] = (ranked){.x = sign * now->x[i] - tolerance, .is_new = 1};
    for (size_t i = 0; i < before->n; i++)
        r[now->n + i] = (ranked){.x = sign * before->x[i]};
    const double ties = rank(r, n);
    for (size_t i = 0; i < n; i++)
        seen += r[i].is_new ? r[i].twice : 0;
    if (n <= EXACT_SCORES)
        rc = exact_tail(r, n, now->n, seen, p);
    else
        *p = normal_tail((double)now->n, (double)before->n, ties, (double)seen / 2);
    gnt_free(r);
    return rc;
}

double gnt_rank_sum_least(size_t n, size_t m) {
    return exp(lgamma((double)n + 1) + lgamma((double)m + 1) - lgamma((double)(n + m) + 1));
}
