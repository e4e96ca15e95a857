/* shares: what a defense leaks in arenas, as shares of what leaks there without it: 0 is no more than chance,
 * 1 as much as undefended. One row for a defense over the arenas of a group, in which each arena counts alike
 * however many targets of utility or training runs it has. Pure. */
#ifndef GNT_JUDGE_SHARES_H
#define GNT_JUDGE_SHARES_H

#include <stddef.h>

#include "metric/leak.h"

/* Returns the measure of an arena's shares, of the one that leads its section: the identification rate for
 * recovered data. */
const gnt_measure *gnt_share_measure(const gnt_measure *lead);
/* Returns (leaked − chance) / (undefended − chance) of one training run, cut to 0 … 1. *clipped: no more than
 * chance leaks, or more than undefended. NAN if a number is unknown, or if no more than chance leaks
 * undefended. */
double gnt_share(const gnt_measure *m, double leaked, double undefended, double chance, int *clipped);

/* Shares of n_row defenses: `share[(row * n_arena + arena) * trainings + s]` is that of training run s of the
 * arena; NAN: none. */
typedef struct gnt_shares {
    const double *share;
    size_t n_row, n_arena, trainings;
} gnt_shares;

enum { GNT_SHARE_DRAWS = 4000 };

/* Computes the mean over arenas of the mean over training runs. Its interval has 95 % of the means of
 * GNT_SHARE_DRAWS samples, in which the training runs of each arena are drawn with replacement from the
 * stream `stream` of a fixed key, the same for all rows. Distances from the mean are widened by
 * √(t / (t − 1)) for t training runs, since a few of them scatter less than all that could be. All is NAN if
 * an arena has no number; with a single training run in an arena the interval is NAN. Returns −1 if memory
 * ran out. */
int gnt_share_mean(gnt_leak *out, const gnt_shares *s, size_t row, const char *stream);

/* Two rows, compared over the training runs that both have a number of. */
typedef struct gnt_share_pair {
    size_t a, b;
    /* common training runs; in how many a leaks less, a tie being a half */
    size_t of;
    double less;
    /* mean of a's share less b's; NAN: no common training run */
    double difference;
    /* of the paired t-test, by Holm's method over all pairs that can be tested; NAN: fewer than
     * GNT_METRIC_COMPARE_LEAST common training runs */
    double p;
} gnt_share_pair;

/* Fills n_row * (n_row − 1) / 2 pairs. Returns −1 if memory ran out. */
int gnt_share_pairs(gnt_share_pair *out, const gnt_shares *s);

#endif
