#include "match/level_impl.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "metric/stats.h"

/* A strength's own scatter is a poor estimate from two or three seeds: the scatter of all strengths together
 * joins it with this many degrees of freedom. */
static const double prior_freedom = 2;

static int by_strength_and_seed(const void *a, const void *b) {
    const gnt_match_point *x = a, *y = b;
    if (x->strength != y->strength)
        return x->strength < y->strength ? -1 : 1;
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static int by_place(const void *a, const void *b) {
    const gnt_match_level *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int same_value(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static int check_point(const gnt_match_spec *spec, const gnt_match_point *p, gnt_err *err) {
    int64_t seeds = spec->most_seeds + (int64_t)spec->confirmations * gnt_match_most_confirming(spec);
    double least = spec->has_strength ? spec->least : 0, most = spec->has_strength ? spec->most : 0;
    if (!(p->strength >= least && p->strength <= most))
        return gnt_fail(err,
                        "a training at strength %.17g lies outside the range %.17g to %.17g of this search",
                        p->strength, least, most);
    if (p->seed < 0 || p->seed >= seeds)
        return gnt_fail(err, "a training at strength %.17g has seed number %lld; this search uses 0 to %lld",
                        p->strength, (long long)p->seed, (long long)seeds - 1);
    if (!(p->noise >= 0) || isinf(p->noise))
        return gnt_fail(
            err, "the training at strength %.17g, seed %lld states a noise of %g; a number ≥ 0 is expected",
            p->strength, (long long)p->seed, p->noise);
    return 0;
}

/* Copies the history, sorted, repeats left out; *m points remain. */
static gnt_match_point *tidy(const gnt_match_spec *spec, const gnt_match_point *history, size_t n, size_t *m,
                             gnt_err *err) {
    gnt_match_point *p = gnt_array(n, sizeof *p);
    if (!p) {
        gnt_fail(err, "out of memory while reading %zu training runs", n);
        return NULL;
    }
    *m = 0;
    for (size_t i = 0; i < n; i++) {
        if (check_point(spec, &history[i], err) != 0)
            goto fail;
        p[i] = history[i];
        p[i].strength += 0; /* −0 and 0 are one strength */
    }
    qsort(p, n, sizeof *p, by_strength_and_seed);
    for (size_t i = 0; i < n; i++) {
        const gnt_match_point *last = *m ? &p[*m - 1] : NULL;
        if (!last || by_strength_and_seed(last, &p[i]) != 0) {
            p[(*m)++] = p[i];
        } else if (!same_value(last->utility, p[i].utility) || last->noise != p[i].noise) {
            gnt_fail(err, "two training runs at strength %.17g, seed %lld disagree: utility %.17g and %.17g",
                     p[i].strength, (long long)p[i].seed, last->utility, p[i].utility);
            goto fail;
        }
    }
    return p;
fail:
    gnt_free(p);
    return NULL;
}

/* True if a utility is usable: finite, and so small that squares do not overflow. Others count as failed. */
static int usable(double utility) {
    return isfinite(utility) && fabs(utility) < 1e100;
}

static int trial_number(const gnt_match_spec *spec, const gnt_match_point *p) {
    if (p->seed < spec->most_seeds)
        return -1;
    return (int)((p->seed - spec->most_seeds) / gnt_match_most_confirming(spec));
}

/* Takes the n-th utility into a mean, the squared deviations from it, and the mean of the stated noise². */
static void add_utility(double *mean, double *squares, double *noise2, int n, const gnt_match_point *p) {
    const double step = p->utility - *mean;
    *mean += step / n;
    *squares += step * (p->utility - *mean);
    *noise2 += (p->noise * p->noise - *noise2) / n;
}

static void level_add(gnt_match_level *l, const gnt_match_point *p, int is_search) {
    l->searched += is_search;
    if (!usable(p->utility)) {
        l->broken++;
        return;
    }
    add_utility(&l->mean, &l->squares, &l->noise2, ++l->n, p);
}

static int trial_add(gnt_match_trial *t, const gnt_match_point *p, gnt_err *err) {
    if (t->n + t->broken == 0)
        t->strength = p->strength;
    if (t->strength != p->strength)
        return gnt_fail(err, "confirmation %d has training runs at two strengths, %.17g and %.17g", t->number,
                        t->strength, p->strength);
    if (!usable(p->utility)) {
        t->broken++;
        return 0;
    }
    add_utility(&t->mean, &t->squares, &t->noise2, ++t->n, p);
    return 0;
}

static int fill(gnt_match_view *v, const gnt_match_spec *spec, const gnt_match_point *p, size_t n,
                int with_last, gnt_err *err) {
    v->trial.number = -1;
    for (size_t i = 0; i < n; i++)
        if (trial_number(spec, &p[i]) > v->trial.number)
            v->trial.number = trial_number(spec, &p[i]);
    for (size_t i = 0; i < n; i++) {
        int number = trial_number(spec, &p[i]);
        if (i == 0 || p[i].strength != p[i - 1].strength)
            v->level[v->n_levels++] =
                (gnt_match_level){.strength = p[i].strength, .place = gnt_match_place(spec, p[i].strength)};
        if (number < 0 || number < v->trial.number || with_last)
            level_add(&v->level[v->n_levels - 1], &p[i], number < 0);
        v->level[v->n_levels - 1].failed |= number >= 0 && (number < v->trial.number || with_last);
        if (number >= 0 && number == v->trial.number && trial_add(&v->trial, &p[i], err) != 0)
            return -1;
    }
    return 0;
}

static void estimate(gnt_match_view *v, const gnt_match_spec *spec) {
    double squares = 0, freedom = 0, far = 10 * spec->tolerance;
    for (int i = 0; i < v->n_levels; i++) {
        squares += v->level[i].squares;
        freedom += v->level[i].n > 1 ? v->level[i].n - 1 : 0;
    }
    double pooled = freedom > 0 ? squares / freedom : 0;
    double few = freedom > 0 ? (freedom + 2) / freedom
                             : 1; /* few seeds often agree by luck (as Student's t allows for) */
    for (int i = 0; i < v->n_levels; i++) {
        gnt_match_level *l = &v->level[i];
        double own = l->n > 0 ? (l->squares + prior_freedom * pooled) / (l->n - 1 + prior_freedom) : 0;
        l->variance = fmax(own * few, l->noise2);
        l->error = l->n > 0 ? sqrt(l->variance / l->n) : 0;
        l->gap = spec->lower_is_better ? spec->target - l->mean : l->mean - spec->target;
        if (l->n > 0)
            far = fmax(far, fabs(l->gap));
    }
    for (int i = 0; i < v->n_levels; i++)
        if (v->level[i].broken || v->level[i].n == 0)
            v->level[i].gap = -far;
}

/* Fits a weighted antitonic regression by pooling adjacent violators. The error has a lower limit, since
 * means with error 0 would outweigh all others without bound. */
static int fit(gnt_match_view *v, const gnt_match_spec *spec, gnt_err *err) {
    const size_t n = (size_t)v->n_levels;
    double *gap = gnt_array(n, sizeof *gap), *weight = gnt_array(n, sizeof *weight);
    size_t *pooled = gnt_array(n, sizeof *pooled);
    const int rc =
        gap && weight && pooled ? 0 : gnt_fail(err, "out of memory while fitting %zu strengths", n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        const double error = fmax(v->level[i].error, spec->tolerance / 4);
        gap[i] = v->level[i].gap;
        weight[i] = 1 / (error * error);
    }
    if (rc == 0)
        gnt_metric_isotonic(gap, weight, pooled, n, -1);
    for (size_t i = 0; i < n && rc == 0; i++)
        v->level[i].fitted = gap[i];
    gnt_free(gap);
    gnt_free(weight);
    gnt_free(pooled);
    return rc;
}

const gnt_match_level *gnt_match_level_at(const gnt_match_view *v, double strength) {
    for (int i = 0; i < v->n_levels; i++)
        if (v->level[i].strength == strength)
            return &v->level[i];
    return NULL;
}

int gnt_match_view_make(gnt_match_view *out, const gnt_match_spec *spec, const gnt_match_point *history,
                        size_t n, int with_last, gnt_err *err) {
    size_t m = 0;
    *out = (gnt_match_view){.trial = {.number = -1}};
    gnt_match_point *p = tidy(spec, history, n, &m, err);
    if (!p)
        return -1;
    out->level = gnt_array(m, sizeof *out->level);
    if (!out->level) {
        gnt_fail(err, "out of memory while reading %zu training runs", n);
        goto fail;
    }
    if (fill(out, spec, p, m, with_last, err) != 0)
        goto fail;
    out->trainings = (int)m;
    qsort(out->level, (size_t)out->n_levels, sizeof *out->level, by_place);
    estimate(out, spec);
    if (fit(out, spec, err) != 0)
        goto fail;
    gnt_free(p);
    return 0;
fail:
    gnt_free(p);
    gnt_match_view_free(out);
    return -1;
}

void gnt_match_view_free(gnt_match_view *v) {
    gnt_free(v->level);
    v->level = NULL;
}
