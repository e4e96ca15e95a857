#include "job/record/treated_rounds.h"

#include <math.h>

#include "base/mem.h"
#include "base/sort.h"

/* How many other rounds say what is usual, and how many times the distance that three quarters of them keep
 * to is too much. A defense could make a few of them differ, so that their largest distance says nothing. */
static const size_t least_rounds = 8;
static const double usual_share = 0.75, unusual = 3;

typedef struct treated_round {
    double sum[GNT_TREATMENTS];
    size_t updates, observed;
} treated_round;

static int is_observed(const treated_round *r) {
    return r->observed > 0;
}

static int is_whole(const treated_round *r) {
    return r->observed > 0 && r->observed == r->updates;
}

/* Returns how far a round's mean lies from that of the rounds next to it; NaN if none of these is known. */
static double distance(const treated_round *round, size_t n, size_t at, int what) {
    double sum = 0, updates = 0;
    for (size_t next = at > 0 ? at - 1 : 0; next <= at + 1 && next < n; next++)
        if (next != at) {
            sum += round[next].sum[what];
            updates += (double)round[next].updates;
        }
    const double own = (double)round[at].updates;
    return own > 0 && updates > 0 ? fabs(round[at].sum[what] / own - sum / updates) : NAN;
}

/* True if round `at` is not observed, and not next to one that is. */
static int is_apart(const treated_round *round, size_t n, size_t at) {
    return !is_observed(&round[at]) && !(at > 0 && is_observed(&round[at - 1])) &&
           !(at + 1 < n && is_observed(&round[at + 1]));
}

/* True if a round that is observed as a whole is unusually far from the rounds next to it. space: room for n
 * numbers. */
static int is_far(const treated_round *round, size_t n, int what, double *space) {
    double observed = 0;
    size_t others = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = distance(round, n, i, what);
        if (isnan(d))
            continue;
        if (is_whole(&round[i]))
            observed = fmax(observed, d);
        else if (is_apart(round, n, i))
            space[others++] = d;
    }
    gnt_sort_reals(space, others);
    return others >= least_rounds && observed > unusual * space[(size_t)(usual_share * (double)others)];
}

/* Copies the updates of the rounds that are observed as a whole, and of those next to them. */
static size_t gather_near(const gnt_treatment *t, size_t n, const treated_round *round, size_t rounds,
                          gnt_treatment *out) {
    size_t used = 0;
    for (size_t at = 0; at < rounds; at++)
        for (size_t i = 0; is_whole(&round[at]) && i < n; i++)
            if (t[i].stratum >= (int32_t)at - 1 && t[i].stratum <= (int32_t)at + 1) {
                out[used] = t[i];
                out[used].observed = t[i].observed && t[i].stratum == (int32_t)at;
                out[used++].stratum = (int32_t)at;
            }
    return used;
}

static void add_rounds(const gnt_treatment *t, size_t n, treated_round *round) {
    for (size_t i = 0; i < n; i++) {
        treated_round *r = &round[t[i].stratum];
        for (int what = 0; what < GNT_TREATMENTS; what++)
            r->sum[what] += (double)t[i].value[what];
        r->updates++;
        r->observed += t[i].observed != 0;
    }
}

int gnt_treated_rounds_differ(const gnt_treatment *t, size_t n, gnt_err *says) {
    if (n == 0)
        return 0;
    const size_t rounds = (size_t)t[n - 1].stratum + 1;
    treated_round *round = gnt_array(rounds, sizeof *round);
    gnt_treatment *near = gnt_array(3 * n, sizeof *near); /* a round is next to two at most */
    double *space = gnt_array(rounds, sizeof *space);
    int found = round && near && space ? 0 : gnt_fail(says, "out of memory for %zu treatments", n);
    if (found == 0) {
        add_rounds(t, n, round);
        const size_t used = gather_near(t, n, round, rounds, near);
        for (int what = 0; what < GNT_TREATMENT_PLAIN_COSINE && found == 0; what++)
            if (is_far(round, rounds, what, space))
                found = gnt_treatment_differs_in(near, used, what, says);
    }
    gnt_free(round);
    gnt_free(near);
    gnt_free(space);
    return found;
}
