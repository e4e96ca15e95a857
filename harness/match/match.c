#include "match/match.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "match/level_impl.h"

/* A bracket narrower than this part of the scale whose ends are both off the target is called a step. */
static const double step_width = 1.0 / 256;

/* Beyond this ratio of the two gaps of a bracket, regula falsi would creep along the near end: bisect
 * instead. */
static const double lopsided = 2;

static const char *const reasons[GNT_MATCH_REASONS] = {
    [GNT_MATCH_NO_REASON] = "",
    [GNT_MATCH_TOO_WEAK] = "even the weakest setting costs more utility than the target allows",
    [GNT_MATCH_STEP] = "utility jumps across the target between two neighbouring settings",
    [GNT_MATCH_NOT_MONOTONE] =
        "utility rose with strength by more than its error and no setting met the target",
    [GNT_MATCH_TOO_NOISY] = "utility scatters so much between seeds that the tolerance cannot be told",
    [GNT_MATCH_BUDGET] = "the number of strengths that may be tried is used up",
    [GNT_MATCH_NOT_CONFIRMED] = "the match did not hold on fresh seeds",
    [GNT_MATCH_NOT_PASSED] =
        "the target does not lie between the utilities of two neighbouring strengths of the suite",
};

void gnt_match_write_reason(const gnt_match_next_step *v, const gnt_match_spec *s,
                            char text[GNT_MATCH_REASON_SIZE]) {
    const int known = (int)v->reason >= 0 && v->reason < GNT_MATCH_REASONS;
    if (v->reason != GNT_MATCH_TOO_NOISY)
        snprintf(text, GNT_MATCH_REASON_SIZE, "%s", known ? reasons[v->reason] : "");
    else if (v->confirming)
        snprintf(
            text, GNT_MATCH_REASON_SIZE,
            "%s: after %d confirming trainings their mean %.3g is known to ±%.2g only (one-sided 90 %%); "
            "half the tolerance is %.2g",
            reasons[v->reason], v->confirming, v->confirm, v->confirm_t * v->confirm_error, s->tolerance / 2);
    else
        snprintf(text, GNT_MATCH_REASON_SIZE,
                 "%s: after %d trainings the mean %.3g has a standard error of %.2g", reasons[v->reason],
                 s->most_seeds, v->utility, v->error);
}

int gnt_match_is_too_noisy(const char *reason) {
    const char *noisy = reasons[GNT_MATCH_TOO_NOISY];
    return strncmp(reason, noisy, strlen(noisy)) == 0;
}

/* ---- reading the view ---- */

static int near(const gnt_match_spec *s, const gnt_match_level *l) {
    return !l->broken && l->n > 0 && fabs(l->gap) <= s->tolerance;
}

/* True if fresh seeds have failed there once: near the edge of the tolerance they would fail again, while a
 * neighbouring strength may pass. */
static int likely_to_fail(const gnt_match_spec *s, const gnt_match_level *l) {
    return l->failed && fabs(l->gap) > s->tolerance / 2;
}

static int better_near(const gnt_match_level *a, const gnt_match_level *b) {
    return !b || fabs(a->gap) <= fabs(b->gap); /* called from weak to strong: ties go to the stronger */
}

/* Returns the level within reach whose mean is nearest, or the saturated strongest one, or NULL. `again`
 * includes those that are likely to fail. */
static const gnt_match_level *candidate(const gnt_match_spec *s, const gnt_match_view *v, int again,
                                        int *saturated) {
    const gnt_match_level *best = NULL;
    *saturated = 0;
    for (int i = 0; i < v->n_levels; i++) {
        const gnt_match_level *l = &v->level[i];
        if (near(s, l) && l->error <= s->tolerance && (again || !likely_to_fail(s, l)) &&
            better_near(l, best))
            best = l;
    }
    if (best || v->n_levels == 0)
        return best;
    const gnt_match_level *last = &v->level[v->n_levels - 1];
    int settled = last->error <= s->tolerance || last->gap > s->tolerance + last->error ||
                  last->searched >= s->most_seeds;
    if (last->strength == gnt_match_end(s, 1) && last->gap > s->tolerance && settled) {
        *saturated = 1;
        return last;
    }
    return NULL;
}

/* Returns the nearest level whose error matters, is too large and can still be lowered; NULL if there is
 * none. */
static const gnt_match_level *unsettled(const gnt_match_spec *s, const gnt_match_view *v) {
    const gnt_match_level *best = NULL;
    for (int i = 0; i < v->n_levels; i++) {
        const gnt_match_level *l = &v->level[i];
        if (!l->broken && l->n > 0 && l->searched < s->most_seeds && l->error > s->tolerance &&
            fabs(l->gap) <= s->tolerance + l->error && better_near(l, best))
            best = l;
    }
    return best;
}

static int too_noisy(const gnt_match_spec *s, const gnt_match_view *v) {
    for (int i = 0; i < v->n_levels; i++)
        if (near(s, &v->level[i]) && v->level[i].error > s->tolerance)
            return 1;
    return 0;
}

static int rises(const gnt_match_spec *s, const gnt_match_view *v) {
    int below = 0;
    for (int i = 0; i < v->n_levels; i++) {
        const gnt_match_level *l = &v->level[i];
        double sure = s->tolerance + 2 * l->error;
        if (below && l->gap > sure)
            return 1;
        below |= l->gap < -sure;
    }
    return 0;
}

/* Returns the index of the strongest level whose fitted utility is above the target; −1 if none is. The next
 * one is below. */
static int last_above(const gnt_match_view *v) {
    int i = v->n_levels - 1;
    while (i >= 0 && !(v->level[i].fitted > 0))
        i--;
    return i;
}

/* ---- answers ---- */

static void request(gnt_match_next_step *out, double strength, int64_t n_seeds) {
    out->what = GNT_MATCH_EVALUATE;
    out->strength = strength;
    out->seed = 0;
    out->n_seeds = n_seeds;
}

static void request_confirmation(gnt_match_next_step *out, const gnt_match_spec *s, double strength,
                                 int number, int n_seeds, int saturated) {
    out->what = GNT_MATCH_CONFIRM;
    out->strength = strength;
    out->seed = s->most_seeds + (int64_t)number * gnt_match_most_confirming(s);
    out->n_seeds = n_seeds;
    out->saturated = saturated;
}

static void describe(gnt_match_next_step *out, const gnt_match_level *l) {
    out->strength = l->strength;
    out->utility = l->n > 0 && !l->broken ? l->mean : NAN;
    out->error = l->n > 0 && !l->broken ? l->error : NAN;
}

static void give_up(gnt_match_next_step *out, const gnt_match_view *v, gnt_match_reason reason) {
    const gnt_match_level *nearest = NULL;
    for (int i = 0; i < v->n_levels; i++)
        if (!v->level[i].broken && v->level[i].n > 0 && better_near(&v->level[i], nearest))
            nearest = &v->level[i];
    out->what = GNT_MATCH_UNMATCHED;
    out->reason = reason;
    if (nearest)
        describe(out, nearest);
    else if (v->n_levels > 0)
        out->strength = v->level[0].strength;
}

static gnt_match_reason why_exhausted(const gnt_match_spec *s, const gnt_match_view *v) {
    int above = last_above(v);
    if (rises(s, v))
        return GNT_MATCH_NOT_MONOTONE;
    if (above >= 0 && above + 1 < v->n_levels &&
        v->level[above + 1].place - v->level[above].place < step_width)
        return GNT_MATCH_STEP;
    return GNT_MATCH_BUDGET;
}

/* Returns where to try next inside a bracket. */
static double split(const gnt_match_spec *s, const gnt_match_level *above, const gnt_match_level *below) {
    double width = below->place - above->place, part = 0.5;
    double up = above->fitted, down = -below->fitted;
    if (!below->broken && up < lopsided * down && down < lopsided * up)
        part = up / (up + down); /* between 1/3 and 2/3 */
    return gnt_match_between(s, above->strength, below->strength, above->place + part * width);
}

/* Returns how many seeds a level should have for its error to meet the tolerance, at least twice its present
 * number. */
static int64_t more_seeds(const gnt_match_spec *s, const gnt_match_level *l) {
    double wanted = fmax(2.0 * l->searched, ceil(l->variance / (s->tolerance * s->tolerance)));
    return wanted < s->most_seeds ? (int64_t)wanted : s->most_seeds;
}

/* Returns how many seeds the weakest setting should have before it is said to cost too much: as many as a
 * confirmation starts with, and more while the mean is within two errors of what is allowed; 0 if it has
 * them. */
static int64_t seeds_to_refuse(const gnt_match_spec *s, const gnt_match_level *l) {
    const int least = s->confirm_seeds < s->most_seeds ? s->confirm_seeds : s->most_seeds;
    if (l->broken || l->searched >= s->most_seeds)
        return 0;
    if (l->searched < least)
        return least;
    return l->gap + s->tolerance + 2 * l->error < 0 ? 0 : more_seeds(s, l);
}

static void explore(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *v) {
    int above = last_above(v);
    double strength;
    if (v->n_levels == 0) {
        strength = gnt_match_first(s);
    } else if (above < 0) { /* everything so far costs too much */
        strength = gnt_match_end(s, 0);
        if (v->level[0].strength == strength) {
            const int64_t seeds = seeds_to_refuse(s, &v->level[0]);
            if (seeds)
                request(out, strength, seeds);
            else
                give_up(out, v, rises(s, v) ? GNT_MATCH_NOT_MONOTONE : GNT_MATCH_TOO_WEAK);
            return;
        }
    } else if (above ==
               v->n_levels - 1) { /* nothing so far costs enough; were this the end, it would be saturated */
        strength = gnt_match_end(s, 1);
    } else {
        strength = split(s, &v->level[above], &v->level[above + 1]);
        if (isnan(strength)) {
            give_up(out, v, rises(s, v) ? GNT_MATCH_NOT_MONOTONE : GNT_MATCH_STEP);
            return;
        }
    }
    if (v->n_levels >= (s->has_strength ? s->max_strengths : 1) || gnt_match_level_at(v, strength))
        give_up(out, v, why_exhausted(s, v));
    else
        request(out, strength, s->seeds);
}

static int is_saturated(const gnt_match_spec *s, const gnt_match_view *v) {
    const gnt_match_level *l = gnt_match_level_at(v, v->trial.strength);
    return l && l->gap > s->tolerance;
}

/* Requests the training runs that are missing before the search may go on. Returns 1 if there are any. */
static int finish_first(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *v) {
    for (int i = 0; i < v->n_levels; i++)
        if (v->level[i].searched < s->seeds) {
            request(out, v->level[i].strength, s->seeds);
            return 1;
        }
    const gnt_match_trial *t = &v->trial;
    const int first = t->number >= 0 ? gnt_match_first_confirming(s, v, t->strength) : 0;
    if (t->number >= 0 && t->n + t->broken < first) {
        request_confirmation(out, s, t->strength, t->number, first, is_saturated(s, v));
        return 1;
    }
    return 0;
}

/* Judges the last confirmation. Returns 1 if that decides what comes next: a verdict, or more of its
 * training runs. `all` has them in the means. */
static int settle_trial(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *before,
                        const gnt_match_view *all) {
    const gnt_match_trial *t = &before->trial;
    gnt_match_bound bound;
    if (t->number < 0)
        return 0;
    const gnt_match_judgement judgement = gnt_match_judge(s, before, &bound);
    out->confirming = t->n + t->broken;
    out->confirm = t->n && !t->broken ? t->mean : NAN;
    out->confirm_error = bound.error;
    out->confirm_t = bound.t;
    if (judgement == GNT_MATCH_TRIAL_FAILED)
        return 0;
    if (judgement == GNT_MATCH_TRIAL_OPEN) {
        request_confirmation(out, s, t->strength, t->number, bound.wanted, is_saturated(s, before));
        return 1;
    }
    out->what = judgement == GNT_MATCH_TRIAL_PASSED ? GNT_MATCH_MATCHED : GNT_MATCH_UNMATCHED;
    out->reason = judgement == GNT_MATCH_TRIAL_PASSED ? GNT_MATCH_NO_REASON : GNT_MATCH_TOO_NOISY;
    out->saturated = judgement == GNT_MATCH_TRIAL_PASSED && is_saturated(s, before);
    describe(out, gnt_match_level_at(all, t->strength));
    return 1;
}

static void confirm(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *v,
                    const gnt_match_level *l, int saturated) {
    request_confirmation(out, s, l->strength, v->trial.number + 1,
                         gnt_match_first_confirming(s, v, l->strength), saturated);
}

static void decide(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *v) {
    int saturated;
    const gnt_match_level *l = candidate(s, v, 0, &saturated);
    if (v->trial.number + 1 >= s->confirmations)
        give_up(out, v, GNT_MATCH_NOT_CONFIRMED);
    else if (l)
        confirm(out, s, v, l, saturated);
    else if ((l = unsettled(s, v)) != NULL)
        request(out, l->strength, more_seeds(s, l));
    else if (too_noisy(s, v))
        give_up(out, v, GNT_MATCH_TOO_NOISY);
    else
        explore(out, s, v);
    if (out->what == GNT_MATCH_UNMATCHED && out->reason != GNT_MATCH_NOT_CONFIRMED &&
        (l = candidate(s, v, 1, &saturated)) != NULL) { /* nothing next to it is left to try */
        out->reason = GNT_MATCH_NO_REASON;
        out->utility = out->error = NAN;
        confirm(out, s, v, l, saturated);
    }
}

static void set_bracket(gnt_match_next_step *out, const gnt_match_view *v) {
    int above = last_above(v);
    if (above >= 0)
        out->weaker = v->level[above].strength;
    if (above + 1 < v->n_levels)
        out->stronger = v->level[above + 1].strength;
    out->strengths = v->n_levels;
    out->trainings = v->trainings;
}

int gnt_match_next(gnt_match_next_step *out, const gnt_match_spec *spec, const gnt_match_point *history,
                   size_t n, gnt_err *err) {
    gnt_match_view before = {0}, all = {0};
    int result = -1;
    *out = (gnt_match_next_step){.strength = NAN,
                                 .utility = NAN,
                                 .error = NAN,
                                 .confirm = NAN,
                                 .confirm_error = NAN,
                                 .confirm_t = NAN,
                                 .weaker = NAN,
                                 .stronger = NAN};
    if (gnt_match_check(spec, err) != 0)
        return -1;
    if (gnt_match_view_make(&before, spec, history, n, 0, err) != 0 ||
        gnt_match_view_make(&all, spec, history, n, 1, err) != 0)
        goto cleanup;
    set_bracket(out, &all);
    result = 0;
    if (spec->n_listed > 0) {
        gnt_match_read_curve(out, spec, &all);
        goto cleanup;
    }
    if (finish_first(out, spec, &before))
        goto cleanup;
    if (!settle_trial(out, spec, &before, &all))
        decide(out, spec, &all);
cleanup:
    gnt_match_view_free(&before);
    gnt_match_view_free(&all);
    return result;
}
