/* Claims: what a defense says of its encodings, compared with what they show. Which sample an encoding is of,
 * and how much of each is in it, is the defense's word, which may be false. No score rests on it.
 *
 * An image counts where it is nearer to one member of the set than every public image and their mean are. The
 * mean alone is not enough: an encoding far from its own sample is often nearer to some member than the mean
 * is. It agrees where the defense says that this member is in the encoding, with any weight: every partner of
 * a mix shows. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/floors.h"

enum { MOST_JUDGED = 512, FEWEST = 8 };
static const double level = 0.001;

typedef struct votes {
    int64_t agree, n;
} votes;

/* Computes the MSE to each row of `targets` below which an image shows it: that of the nearest public
 * image or of their mean. Without public images none does. */
static int find_limits(score *s, gnt_err *err) {
    const size_t n = (size_t)s->targets.view.n, f = (size_t)s->targets.view.features;
    if (!s->mean)
        return 0;
    const score_table table = {s->public_data.x, f};
    gnt_metric_rows rows = score_rows(&table, (size_t)s->public_data.view.n);
    size_t *row = gnt_array(n, sizeof *row);
    s->mse_limit = gnt_array(n, sizeof *s->mse_limit);
    int rc = row && s->mse_limit
                 ? gnt_metric_nearest(row, s->mse_limit, s->targets.x, NULL, n, s->shape, &rows, err)
                 : gnt_fail(err, "out of memory for the nearest of %zu images", n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        s->mse_limit[i] = fmin(s->mse_limit[i], gnt_metric_mse(s->targets.x + i * f, s->mean, f, NULL));
    gnt_free(row);
    return rc;
}

/* True if an image that has `mse` to a row of `targets` shows it. */
static int shows(const score *s, int64_t row, double mse) {
    return s->mse_limit && mse < s->mse_limit[row];
}

/* True if the defense claims that encoding e of the set contains this member. */
static int is_claimed(const score *s, int64_t set, int64_t e, int64_t member) {
    const float *weight = score_mixing(s, "weight", set)->data;
    const int64_t *source = score_mixing(s, "source", set)->data;
    return source[e] == member || weight[e * s->sets.size + member] > 0;
}

static void vote(votes *v, const score *s, int64_t set, int64_t e, int64_t member) {
    v->agree += is_claimed(s, set, e, member);
    v->n++;
}

/* Answers to updates: each was assigned to the member it is nearest to. */
static votes of_answers(const score *s) {
    votes v = {0, 0};
    int64_t i = 0;
    for (int64_t j = 0; j < score_n_sets(s); j++)
        for (int64_t e = 0; e < score_mixing(s, "source", j)->dim[0]; e++, i++) {
            const score_target *t = &s->target[i];
            if (!t->image.missing && !t->image.broken && shows(s, t->member, t->image.mse))
                vote(&v, s, j, e, t->member - j * s->sets.size);
        }
    return v;
}

/* Counts the claims that released encodings, as images, confirm or contradict. */
static votes of_encodings(const score *s) {
    const gnt_st_tensor *x = gnt_st_find(&s->observed, "encoded_x");
    const int64_t f = s->targets.view.features;
    votes v = {0, 0};
    int64_t at = 0;
    if (!x || x->type != GNT_ST_F32 || x->rank != 2 || x->dim[1] != f)
        return v;
    for (int64_t j = 0; j < s->layout.observations; j++)
        for (int64_t e = 0; e < score_mixing(s, "source", j)->dim[0] && at < x->dim[0] && at < MOST_JUDGED;
             e++, at++) {
            const float *one = (const float *)x->data + at * f;
            int64_t best = 0;
            double least = INFINITY;
            for (int64_t k = 0; k < s->sets.size; k++) {
                double mse = gnt_metric_mse(s->targets.x + (j * s->sets.size + k) * f, one, (size_t)f, NULL);
                if (mse < least) {
                    least = mse;
                    best = k;
                }
            }
            if (shows(s, j * s->sets.size + best, least))
                vote(&v, s, j, e, best);
        }
    return v;
}

/* Returns the image that the attack says an encoding is mostly of; −1 if none. */
static int64_t most_of(const float *weight, int64_t clusters) {
    int64_t best = -1;
    for (int64_t c = 0; c < clusters; c++)
        if (isfinite(weight[c]) && weight[c] > 0 && (best < 0 || weight[c] > weight[best]))
            best = c;
    return best;
}

/* Counts the claims that an attack's answer on the mixing confirms or contradicts, through the members
 * that its images were assigned to. */
static votes of_mixture(const score *s) {
    votes v = {0, 0};
    for (int64_t j = 0; j < s->layout.observations; j++) {
        const gnt_st_tensor *w = score_mixing(s, "weight", j);
        char name[64];
        snprintf(name, sizeof name, "mixture.%lld", (long long)j);
        const gnt_st_tensor *t = gnt_st_find(&s->answer, name);
        if (!t || t->type != GNT_ST_F32 || t->rank != 2 || t->dim[0] != w->dim[0] || t->dim[1] < 1)
            continue;
        for (int64_t e = 0; e < t->dim[0]; e++) {
            int64_t image = most_of((const float *)t->data + e * t->dim[1], t->dim[1]);
            for (int64_t k = 0; image >= 0 && k < s->sets.size; k++) {
                const score_target *target = &s->target[j * s->layout.batch + k];
                if (!target->image.missing && target->image.answer == image &&
                    shows(s, target->member, target->image.mse))
                    vote(&v, s, j, e, k);
            }
        }
    }
    return v;
}

static void put(score *s, const char *name, votes v) {
    if (v.n > 0)
        score_add_fact(s, name, (double)v.agree / (double)v.n);
}

/* Returns P(X ≤ k), X binomial with n trials of probability 1/2. */
static double at_most(int64_t k, int64_t n) {
    double sum = 0, all = lgamma((double)n + 1) - (double)n * log(2);
    for (int64_t i = 0; i <= k; i++)
        sum += exp(all - lgamma((double)i + 1) - lgamma((double)(n - i) + 1));
    return sum;
}

static int mark(score *s, votes v, gnt_err *err) {
    char says[300];
    if (v.n < FEWEST || 2 * v.agree >= v.n || at_most(v.agree, v.n) >= level)
        return 0;
    snprintf(
        says, sizeof says,
        "%lld %s show a sample of the client's set, and in only %lld of them the defense says that it is "
        "there: what it says of its encodings does not fit what they show",
        (long long)v.n, s->sets.as_sets ? "encodings" : "answers", (long long)v.agree);
    s->mark = (gnt_mark){"claims-differ", gnt_arena_text(&s->memory, says)};
    s->has_mark = 1;
    return s->mark.says ? 0 : gnt_fail(err, "out of memory for a mark");
}

int score_claims(score *s, gnt_err *err) {
    if (!s->sets.size)
        return 0;
    if (find_limits(s, err) != 0)
        return -1;
    votes v = s->sets.as_sets ? of_encodings(s) : of_answers(s);
    put(s, "claims_agree", v);
    if (s->sets.as_sets)
        put(s, "claims_agree_mixture", of_mixture(s));
    return mark(s, v, err);
}
