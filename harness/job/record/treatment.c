#include "job/record/treatment.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Two-sided, of a normal variable beyond 4. Where each of k rounds is tested by itself, of all k together
 * (Bonferroni). */
static const double beyond_chance = 6.3e-5;
/* Differences that count as large: in cosine, log₁₀ of a ratio (a factor of 1.4), share of entries. */
static const double large[GNT_TREATMENTS] = {0.1, 0.15, 0.05, 0.1, 0.15};
static const char *const words[GNT_TREATMENTS] = {"cosine of before to after", "log10 of the ratio of norms",
                                                  "share of entries changed", "cosine of undefended to sent",
                                                  "log10 of the ratio of norms, undefended to sent"};
/* By how much a server's cosine may lie above that of what it was sent. */
static const double more = 0.2;
/* How much of what was sent a server's step takes at least, as a share of what is usual; and the cosine of
 * undefended to sent below which something else was sent. */
static const double least_taken = 0.1, other = 0.5;
/* Masks that cancel: how much must be added, in units of the updates, and what may be left of it. */
static const double much = 0.25, left_over = 0.1;

/* Share of updates that hold little, and the number of updates that says so. */
static const double most_updates = 0.6;
static const int32_t least_updates = 8;

/* Over a training: how much must be added, in units of the updates, to be a mask; what may be left of it; how
 * many rounds it takes to say so. */
static const double masking = 4, taken = 0.25;
static const int32_t least_rounds = 8;

typedef struct ranked_treatment {
    int32_t stratum;
    float value;
    int observed;
} ranked_treatment;

static int by_stratum_and_value(const void *a, const void *b) {
    const ranked_treatment *x = a, *y = b;
    return x->stratum != y->stratum ? (x->stratum > y->stratum) - (x->stratum < y->stratum)
                                    : (x->value > y->value) - (x->value < y->value);
}

/* Sums over strata: ranks of the observed beyond what is expected, its variance, means of the observed and
 * the others. */
typedef struct sums {
    double surplus, variance, weight, observed, others;
} sums;

/* Adds the rank sum of one stratum's n values, which are sorted. */
static void add_stratum(sums *s, const ranked_treatment *r, size_t n) {
    double observed = 0, rank_sum = 0, ties = 0, mean[2] = {0, 0};
    for (size_t i = 0; i < n;) {
        size_t end = i;
        double of_observed = 0;
        for (; end < n && r[end].value == r[i].value; end++)
            of_observed += r[end].observed;
        const double same = (double)(end - i);
        rank_sum += of_observed * ((double)(i + end + 1) / 2);
        observed += of_observed;
        ties += same * same * same - same;
        i = end;
    }
    const double m = observed, others = (double)n - m, all = (double)n;
    if (m < 1 || others < 1)
        return;
    for (size_t i = 0; i < n; i++)
        mean[r[i].observed] += (double)r[i].value / (r[i].observed ? m : others);
    const double weight = 1 / (all + 1); /* van Elteren's */
    s->surplus += weight * (rank_sum - m * (all + 1) / 2);
    s->variance += weight * weight * m * others / 12 * (all + 1 - ties / (all * (all - 1)));
    s->weight += m;
    s->observed += m * mean[1];
    s->others += m * mean[0];
}

static void add_sums(sums *s, const sums *one) {
    s->surplus += one->surplus;
    s->variance += one->variance;
    s->weight += one->weight;
    s->observed += one->observed;
    s->others += one->others;
}

/* Returns |z| of a large difference; 0 if there is nothing to compare or the difference is small. */
static double z_of_large(const sums *s, int what) {
    if (s->weight <= 0 || s->variance <= 0 || !(fabs(s->observed - s->others) > large[what] * s->weight))
        return 0;
    return fabs(s->surplus) / sqrt(s->variance);
}

static int judge(const sums *s, int what, size_t tests, gnt_err *says) {
    if (!(erfc(z_of_large(s, what) / sqrt(2)) * (double)(tests ? tests : 1) < beyond_chance))
        return 0;
    gnt_fail(
        says,
        "what the defense did to the updates that were looked at is not what it did to the others: %s %.3g "
        "against %.3g",
        words[what], s->observed / s->weight, s->others / s->weight);
    return 1;
}

int gnt_treatment_differs_in(const gnt_treatment *t, size_t n, int what, gnt_err *says) {
    ranked_treatment *space = gnt_array(n, sizeof *space);
    if (!space)
        return gnt_fail(says, "out of memory for %zu treatments", n);
    sums total = {0}, most = {0};
    size_t strata = 0, known = 0;
    for (size_t i = 0; i < n; i++)
        if (what < GNT_TREATMENT_PLAIN_COSINE || t[i].compared)
            space[known++] = (ranked_treatment){t[i].stratum, t[i].value[what], t[i].observed != 0};
    n = known;
    qsort(space, n, sizeof *space, by_stratum_and_value);
    for (size_t from = 0, to; from < n; from = to) {
        sums one = {0};
        for (to = from; to < n && space[to].stratum == space[from].stratum;)
            to++;
        add_stratum(&one, space + from, to - from);
        add_sums(&total, &one);
        strata += one.weight > 0;
        if (z_of_large(&one, what) > z_of_large(&most, what))
            most = one;
    }
    gnt_free(space);
    return judge(&total, what, 1, says) || judge(&most, what, strata, says);
}

int gnt_treatment_differs(const gnt_treatment *t, size_t n, gnt_err *says) {
    int found = 0;
    for (int what = 0; what < GNT_TREATMENTS && !found; what++)
        found = gnt_treatment_differs_in(t, n, what, says);
    return found;
}

int gnt_treatment_server_knows_more(const gnt_fl_round *round, size_t n, gnt_err *says) {
    double sent = 0, server = 0, rounds = 0;
    for (size_t i = 0; i < n; i++)
        if (round[i].aggregated) {
            sent += round[i].sent;
            server += round[i].server;
            rounds++;
        }
    if (rounds == 0 || !(server / rounds - sent / rounds > more))
        return 0;
    gnt_fail(says,
             "the server's step follows the clients' undefended updates (cosine %.2f) more closely than what "
             "they sent "
             "does (%.2f): it has of them what no attack was shown",
             server / rounds, sent / rounds);
    return 1;
}

int gnt_treatment_is_ignored(const gnt_fl_round *round, size_t n, const gnt_fl_totals *all, gnt_err *says) {
    size_t ignored = 0;
    if (!(all->step > 0 && all->received > 0))
        return 0;
    for (size_t i = 0; i < n; i++)
        ignored += round[i].aggregated && round[i].sent < other &&
                   round[i].taken < least_taken * sqrt(all->step / all->received);
    if (ignored == 0)
        return 0;
    gnt_fail(
        says,
        "in %zu of %zu observed rounds clients sent something else than their updates, and the server's step "
        "is less than a tenth of what it is of what was sent in all rounds: the model comes from rounds that "
        "were not observed",
        ignored, n);
    return 1;
}

int gnt_treatment_masks_cancel(const gnt_fl_round *round, size_t n, gnt_err *says) {
    double added = 0, left = 0, plain = 0, plain_left = 0;
    for (size_t i = 0; i < n; i++) { /* each round in its own units */
        if (!(round[i].plain > 0))
            continue;
        added += round[i].added / round[i].plain;
        left += round[i].left / round[i].plain;
        plain += 1;
        plain_left += round[i].plain_left / round[i].plain;
    }
    const double usual = plain_left < plain ? plain_left / plain : 1;
    if (plain == 0 || !(added > much * plain) || !(left < left_over * usual * added))
        return 0;
    gnt_fail(says,
             "what the defense added to single updates cancels in their sum: %.2g of it is left, where "
             "independent "
             "additions leave about 1",
             left / added);
    return 1;
}

static int few_of(int32_t updates, int32_t little, const char *which, gnt_err *says) {
    if (updates < least_updates || !(little >= most_updates * updates))
        return 0;
    gnt_fail(
        says,
        "of the %" PRId32 " updates of %s %" PRId32
        " hold next to nothing of what their clients would have sent, and are small beside the others: the "
        "others make up the model, and what those leak is observed by chance",
        updates, which, little);
    return 1;
}

/* True if an observed update was withheld: those that others send leak more. */
static int is_withheld(const gnt_fl_totals *all, gnt_err *says) {
    if (all->withheld == 0)
        return 0;
    gnt_fail(says,
             "of the %" PRId32 " observed updates %" PRId32
             " hold next to nothing of what their clients would have sent, while others of the %" PRId32
             " updates of the training do: what those leak is not what was observed",
             all->observed, all->withheld, all->updates);
    return 1;
}

int gnt_treatment_few_send(const gnt_fl_round *round, size_t n, const gnt_fl_totals *all, gnt_err *says) {
    int32_t clients = 0, little = 0;
    for (size_t i = 0; i < n; i++) {
        clients += round[i].clients;
        little += round[i].little;
    }
    return few_of(clients, little, "observed rounds", says) ||
           few_of(all->updates, all->little, "the training", says) || is_withheld(all, says);
}

int gnt_treatment_is_taken_back(const gnt_fl_totals *t, gnt_err *says) {
    if (t->rounds < least_rounds || !(t->added > masking * t->plain) || !(t->left < taken * t->each))
        return 0;
    gnt_fail(
        says,
        "what the defense added to updates is taken back in other rounds: %.2g of it is left over %" PRId32
        " rounds, where independent additions leave about 1",
        t->left / t->each, t->rounds);
    return 1;
}
