/* The search for a matched strength, on simulated defenses whose utility curve is known: how often it matches
 * and whether the match is true, how many training runs it takes, and every verdict it can give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "match/level_impl.h"
#include "match/match.h"
#include "match_spec.h"

enum { MOST = 512 };

typedef double (*curve)(double place); /* 0 weakest … 1 strongest → expected utility */

typedef struct run {
    gnt_match_next_step end;
    gnt_match_point history[MOST];
    size_t n;
    int strengths;
} run;

static double place_of(const gnt_match_spec *s, double x) {
    double p = s->scale == GNT_MATCH_LOG ? log(x / s->least) / log(s->most / s->least)
               : s->scale == GNT_MATCH_COMPLEMENT
                   ? log((1 - x) / (1 - s->least)) / log((1 - s->most) / (1 - s->least))
                   : (x - s->least) / (s->most - s->least);
    return s->smaller_is_stronger ? 1 - p : p;
}

/* One training: the same (strength, seed) gives the same utility whenever it is requested. */
static double train(const gnt_match_spec *s, curve f, double scatter, uint64_t world, double strength,
                    int64_t seed) {
    gnt_key key = gnt_key_of_seed(world);
    char name[64];
    snprintf(name, sizeof name, "%.17g/%lld", strength, (long long)seed);
    gnt_stream stream = gnt_stream_open(&key, name);
    double u = f(s->has_strength ? place_of(s, strength) : 0.5);
    return (s->lower_is_better ? 1 - u : u) + scatter * gnt_random_normal(&stream);
}

static int in_history(const run *r, double strength, int64_t seed) {
    for (size_t i = 0; i < r->n; i++)
        if (r->history[i].strength == strength && r->history[i].seed == seed)
            return 1;
    return 0;
}

static int strengths_of(const run *r) {
    int found = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t j = 0;
        while (r->history[j].strength != r->history[i].strength)
            j++;
        found += j == i;
    }
    return found;
}

/* Runs a search to its verdict and checks what holds for every search. */
static void search(run *r, const gnt_match_spec *s, curve f, double scatter, uint64_t world) {
    gnt_err err = {{0}};
    r->n = 0;
    for (;;) {
        assert_int_equal(gnt_match_next(&r->end, s, r->history, r->n, &err), 0);
        if (r->end.what == GNT_MATCH_MATCHED || r->end.what == GNT_MATCH_UNMATCHED)
            break;
        if (s->has_strength)
            assert_true(r->end.strength >= s->least && r->end.strength <= s->most);
        if (s->integer)
            assert_true(r->end.strength == nearbyint(r->end.strength));
        size_t before = r->n;
        for (int64_t k = r->end.seed; k < r->end.seed + r->end.n_seeds; k++) {
            assert_int_equal(k >= s->most_seeds, r->end.what == GNT_MATCH_CONFIRM);
            if (in_history(r, r->end.strength, k))
                continue;
            assert_true(r->n < MOST);
            r->history[r->n++] =
                (gnt_match_point){.strength = r->end.strength,
                                  .seed = k,
                                  .utility = train(s, f, scatter, world, r->end.strength, k)};
        }
        assert_true(r->n > before); /* every step requests something new */
    }
    r->strengths = strengths_of(r);
    assert_true(r->strengths <= (s->has_strength ? s->max_strengths : 1));
    assert_true((int64_t)r->n <= gnt_match_most_trainings(s));
    assert_int_equal(r->end.trainings, r->n);
    assert_int_equal(r->end.strengths, r->strengths);
}

static double logistic(double middle, double width, double place) {
    return 0.1 + 0.75 / (1 + exp((place - middle) / width));
}
static double gentle(double p) {
    return logistic(0.6, 0.1, p);
}
static double steep(double p) {
    return logistic(0.37, 0.01, p);
}
static double early(double p) {
    return logistic(0.08, 0.02, p);
}
static double late(double p) {
    return logistic(0.93, 0.02, p);
}
static double straight(double p) {
    return 0.85 - 0.6 * p;
}
static double bent(double p) {
    return 0.85 - 0.5 * p * p * p;
}
static double step(double p) {
    return p < 0.413 ? 0.85 : 0.3;
}
static double flat(double p) {
    return 0.85 - 0.001 * p;
}
static double poor(double p) {
    return 0.5 - 0.3 * p;
}
static double rising(double p) {
    return 0.3 + 0.55 * (p > 0.6);
}
static double hump(double p) { /* a little strength helps, then it hurts */
    return 0.8 + 0.3 * p - 0.9 * p * p;
}
static const curve smooth[] = {gentle, steep, early, late, straight, bent, hump};
enum { SMOOTH = sizeof smooth / sizeof *smooth };

static void matches_exactly_known_curves(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    s.seeds = s.most_seeds = 1;
    for (int scale = 0; scale < 2; scale++)
        for (int flip = 0; flip < 4; flip++)
            for (int i = 0; i < SMOOTH; i++) {
                s.scale = scale ? GNT_MATCH_LOG : GNT_MATCH_LINEAR;
                s.smaller_is_stronger = flip & 1;
                s.lower_is_better = flip >> 1;
                s.target = s.lower_is_better ? 0.3 : 0.7;
                search(&r, &s, smooth[i], 0, 1);
                assert_int_equal(r.end.what, GNT_MATCH_MATCHED);
                assert_false(r.end.saturated);
                assert_true(fabs(smooth[i](place_of(&s, r.end.strength)) - 0.7) <= 0.02);
                assert_true(fabs(r.end.confirm - s.target) <= 0.02);
            }
}

/* As suites have it by default, one training a strength in the search. A match is wrong where the curve
 * itself is more than one and a half tolerances from the target. At one and a half tolerances of scatter
 * ten training runs are too few to decide, which is reported. */
static void matches_noisy_curves(void **state) {
    (void)state;
    static const struct {
        double scatter, matched, wrong, trainings;
    } expected[] = {{0.25, 0.99, 0, 11}, {0.5, 0.98, 0.005, 13}, {1, 0.75, 0.01, 19}, {1.5, 0.1, 0.03, 26}};
    run r;
    gnt_match_spec s = match_spec();
    s.seeds = 1;
    s.most_seeds = 10;
    s.confirm_seeds = 3;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int matched = 0, wrong = 0, noisy = 0, searches = 0;
        double strengths = 0, trainings = 0;
        for (int i = 0; i < SMOOTH; i++)
            for (uint64_t world = 0; world < 60; world++) {
                search(&r, &s, smooth[i], expected[k].scatter * s.tolerance, world);
                searches++;
                strengths += r.strengths;
                trainings += (double)r.n;
                noisy += r.end.what == GNT_MATCH_UNMATCHED && r.end.reason == GNT_MATCH_TOO_NOISY;
                if (r.end.what != GNT_MATCH_MATCHED)
                    continue;
                matched++;
                wrong += fabs(smooth[i](place_of(&s, r.end.strength)) - s.target) > 1.5 * s.tolerance;
                assert_true(r.end.saturated || fabs(r.end.confirm - s.target) <= s.tolerance);
                assert_true(r.end.saturated || r.end.confirm_t * r.end.confirm_error <= s.tolerance / 2);
            }
        print_message("scatter %.2f: %.3f matched, %.3f wrongly, %.3f too noisy; %.1f strengths, %.1f "
                      "trainings\n",
                      expected[k].scatter, (double)matched / searches, (double)wrong / searches,
                      (double)noisy / searches, strengths / searches, trainings / searches);
        assert_true(matched >= searches * expected[k].matched);
        assert_true(wrong <= searches * expected[k].wrong);
        assert_true(trainings / searches <= expected[k].trainings);
        assert_true(strengths / searches <= 8);
    }
}

/* Shares walk 0.9, 0.99, 0.999: the middle of 0 … 0.9999 is 0.99, numbers keep the digits of 1 − p, and the
 * curves are matched as on the other scales. */
static void shares_near_one(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    gnt_match_next_step next;
    s.scale = GNT_MATCH_COMPLEMENT;
    s.least = 0;
    s.most = 0.9999;
    s.seeds = s.most_seeds = 1;
    assert_int_equal(gnt_match_next(&next, &s, NULL, 0, NULL), 0);
    assert_true(next.strength == 0.99);
    for (int flip = 0; flip < 2; flip++)
        for (int i = 0; i < SMOOTH; i++) {
            s.smaller_is_stronger = flip;
            search(&r, &s, smooth[i], 0, 1);
            assert_int_equal(r.end.what, GNT_MATCH_MATCHED);
            assert_true(fabs(smooth[i](place_of(&s, r.end.strength)) - 0.7) <= 0.02);
            char text[32];
            snprintf(text, sizeof text, "%.15g", r.end.strength);
            assert_true(strlen(text) <= strlen("0.9999123")); /* four digits of 1 − p */
        }
    s.most = 1;
    assert_int_equal(gnt_match_check(&s, NULL), -1);
}

static void whole_numbers_and_their_steps(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    s.least = 1;
    s.most = 64;
    s.integer = 1;
    s.seeds = s.most_seeds = 1;
    for (int scale = 0; scale < 2; scale++) {
        s.scale = scale ? GNT_MATCH_LOG : GNT_MATCH_LINEAR;
        search(&r, &s, straight, 0, 1);
        assert_int_equal(r.end.what, GNT_MATCH_MATCHED);
        search(&r, &s, step, 0, 1);
        assert_int_equal(r.end.what, GNT_MATCH_UNMATCHED);
        assert_int_equal(r.end.reason, GNT_MATCH_STEP);
        assert_true(r.end.stronger - r.end.weaker == 1);
        assert_true(r.end.utility == 0.85); /* 0.15 off, the other side 0.4 */
    }
    s.most = 2;
    search(&r, &s, straight, 0, 1);
    assert_int_equal(r.end.reason, GNT_MATCH_STEP);
    assert_int_equal(r.strengths, 2);
}

/* One whole number alone meets the target, wherever it lies: it is found, on either scale and from either
 * end. */
static void the_one_whole_number_is_found(void **state) {
    (void)state;
    gnt_match_spec s = match_spec();
    s.least = 1;
    s.most = 40;
    s.integer = 1;
    s.seeds = s.most_seeds = 1;
    s.tolerance = 0.004;
    s.max_strengths = 40;
    for (int kind = 0; kind < 4; kind++)
        for (int wanted = 1; wanted <= 40; wanted++) {
            gnt_match_next_step next;
            gnt_match_point history[MOST];
            size_t n = 0;
            s.scale = kind & 1 ? GNT_MATCH_LOG : GNT_MATCH_LINEAR;
            s.smaller_is_stronger = kind >> 1;
            s.target = 0.5 + 0.01 * (s.smaller_is_stronger ? wanted : -wanted);
            for (;;) {
                assert_int_equal(gnt_match_next(&next, &s, history, n, NULL), 0);
                if (next.what == GNT_MATCH_MATCHED || next.what == GNT_MATCH_UNMATCHED)
                    break;
                double u = 0.5 + 0.01 * (s.smaller_is_stronger ? next.strength : -next.strength);
                history[n++] = (gnt_match_point){next.strength, next.seed, u, 0};
            }
            assert_int_equal(next.what, GNT_MATCH_MATCHED);
            assert_true(next.strength == wanted);
            assert_true(n <= 13);
        }
}

/* Near the ends of a bracket rounding would fall on the ends; the number in between must still be found. */
static void a_number_between_is_found_if_there_is_one(void **state) {
    (void)state;
    gnt_match_spec s = match_spec();
    s.least = 1;
    s.most = 1000;
    s.integer = 1;
    for (double place = 0; place <= 1; place += 0.01) {
        assert_true(gnt_match_between(&s, 1, 3, place) == 2);
        assert_true(isnan(gnt_match_between(&s, 1, 2, place)));
    }
    s = match_spec();
    double x = gnt_match_between(&s, 0.12341, 0.12342, gnt_match_place(&s, 0.12341));
    assert_true(x > 0.12341 && x < 0.12342);
    assert_true(isnan(gnt_match_between(&s, 0.1234, 0.1234000001, 0.5)));
}

/* Among several strengths within reach the nearest is confirmed; of equally near ones the stronger. */
static void the_nearest_is_confirmed(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    s.seeds = s.most_seeds = 1;
    gnt_match_point p[] = {{0.01, 0, 0.71, 0}, {0.02, 0, 0.705, 0}, {0.03, 0, 0.69, 0}};
    assert_int_equal(gnt_match_next(&next, &s, p, 3, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.02);
    s.target = 0.75;
    s.tolerance = 0.25; /* exact in binary: .5 and 1 are equally near */
    p[0].utility = p[1].utility = 1;
    p[2].utility = 0.5;
    assert_int_equal(gnt_match_next(&next, &s, p, 3, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.03);
    s.smaller_is_stronger = 1;
    assert_int_equal(gnt_match_next(&next, &s, p, 3, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.01);
}

static void a_jump_is_unmatched(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    for (uint64_t world = 0; world < 20; world++) {
        search(&r, &s, step, 0.005, world);
        assert_int_equal(r.end.what, GNT_MATCH_UNMATCHED);
        assert_int_equal(r.end.reason, GNT_MATCH_STEP);
        assert_true(place_of(&s, r.end.weaker) < 0.413 && place_of(&s, r.end.stronger) >= 0.413);
    }
    s.max_strengths = 4;
    search(&r, &s, step, 0.005, 1);
    assert_int_equal(r.end.reason, GNT_MATCH_BUDGET);
    s.max_strengths = 60; /* on and on: until no setting lies between */
    search(&r, &s, step, 0.005, 1);
    assert_int_equal(r.end.reason, GNT_MATCH_STEP);
    assert_true(r.strengths < 40);
}

static void unreachable_targets(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    for (uint64_t world = 0; world < 40; world++) {
        search(&r, &s, poor, 0.01, world);
        assert_int_equal(r.end.what, GNT_MATCH_UNMATCHED);
        assert_int_equal(r.end.reason, GNT_MATCH_TOO_WEAK);
        assert_true(r.end.strength == s.least); /* the nearest */
        assert_true(r.strengths == 2);
        search(&r, &s, flat, 0.01, world);
        assert_int_equal(r.end.what, GNT_MATCH_MATCHED);
        assert_true(r.end.saturated);
        assert_true(r.end.strength == s.most && r.strengths == 2);
        s.smaller_is_stronger = 1;
        search(&r, &s, flat, 0.01, world);
        assert_true(r.end.saturated && r.end.strength == s.least);
        s.smaller_is_stronger = 0;
    }
}

static void one_unlucky_run_does_not_refuse_the_weakest_setting(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    s.seeds = 1;
    s.confirm_seeds = 3;
    s.target = 0.6;
    s.tolerance = 0.05;
    const gnt_match_point p[] = {{s.least, 0, 0.48, 0.02}, {1, 0, 0.3, 0.02},       {s.least, 1, 0.62, 0.02},
                                 {s.least, 2, 0.66, 0.02}, {s.least, 1, 0.5, 0.02}, {s.least, 2, 0.46, 0.02}};
    assert_int_equal(gnt_match_next(&next, &s, p, 2, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_EVALUATE);
    assert_true(next.strength == s.least);
    assert_int_equal(next.n_seeds, s.confirm_seeds);
    assert_int_equal(gnt_match_next(&next, &s, p, 4, NULL), 0);
    assert_int_not_equal(next.what, GNT_MATCH_UNMATCHED);
    const gnt_match_point poor_runs[] = {p[0], p[1], p[4], p[5]};
    assert_int_equal(gnt_match_next(&next, &s, poor_runs, 4, NULL), 0);
    assert_int_equal(next.reason, GNT_MATCH_TOO_WEAK);
}

static void a_curve_that_rises(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    s.target = 0.6;
    search(&r, &s, rising, 0.005, 3);
    assert_true(r.end.what == GNT_MATCH_UNMATCHED
                    ? r.end.reason == GNT_MATCH_NOT_MONOTONE || r.end.reason == GNT_MATCH_TOO_WEAK
                    : r.end.saturated);
    const gnt_match_point known[] = {{1e-5, 0, 0.3, 0},  {1e-5, 1, 0.3, 0}, {1e-2, 0, 0.31, 0},
                                     {1e-2, 1, 0.31, 0}, {1, 0, 0.9, 0},    {1, 1, 0.9, 0},
                                     {10, 0, 0.2, 0},    {10, 1, 0.2, 0}};
    s.max_strengths = 4;
    assert_int_equal(gnt_match_next(&r.end, &s, known, 8, NULL), 0);
    assert_int_equal(r.end.what, GNT_MATCH_UNMATCHED);
    assert_int_equal(r.end.reason, GNT_MATCH_NOT_MONOTONE);
}

static void too_much_scatter_is_said(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    int noisy = 0;
    for (uint64_t world = 0; world < 40; world++) {
        search(&r, &s, gentle, 0.15, world); /* an error of .06 with all six seeds */
        noisy += r.end.what == GNT_MATCH_UNMATCHED && r.end.reason == GNT_MATCH_TOO_NOISY;
        assert_true(r.end.what == GNT_MATCH_UNMATCHED);
    }
    assert_true(noisy >= 20);
}

/* Near the target with a large error: more seeds for the same strength, not a match and not another strength.
 */
static void requests_seeds_before_it_believes(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    const gnt_match_point two[] = {{0.01, 0, 0.66, 0}, {0.01, 1, 0.74, 0}};
    assert_int_equal(gnt_match_next(&next, &s, two, 2, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_EVALUATE);
    assert_true(next.strength == 0.01 && next.seed == 0 && next.n_seeds >= 4);
    const gnt_match_point close[] = {{0.01, 0, 0.69, 0}, {0.01, 1, 0.71, 0}};
    assert_int_equal(gnt_match_next(&next, &s, close, 2, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_CONFIRM);
    assert_true(next.strength == 0.01 && next.seed == s.most_seeds && next.n_seeds == 2);
    /* the caller's own noise counts too: .03/√2 > .02 */
    const gnt_match_point vague[] = {{0.01, 0, 0.69, 0.03}, {0.01, 1, 0.71, 0.03}};
    assert_int_equal(gnt_match_next(&next, &s, vague, 2, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_EVALUATE);
    assert_true(next.strength == 0.01 && next.n_seeds > 2);
}

/* Search seeds that lie: seeds 0 … 5 always show .15 more than the truth. Confirmation must catch it. */
static void confirmation_catches_lucky_seeds(void **state) {
    (void)state;
    gnt_match_spec s = match_spec();
    gnt_match_next_step next;
    gnt_match_point history[MOST];
    size_t n = 0;
    for (;;) {
        assert_int_equal(gnt_match_next(&next, &s, history, n, NULL), 0);
        if (next.what == GNT_MATCH_MATCHED || next.what == GNT_MATCH_UNMATCHED)
            break;
        for (int64_t k = next.seed; k < next.seed + next.n_seeds && n < MOST; k++)
            history[n++] = (gnt_match_point){
                next.strength, k, gentle(place_of(&s, next.strength)) + (k < s.most_seeds ? 0.15 : 0), 0};
    }
    int failed = 0;
    for (size_t i = 0; i < n; i++)
        failed += history[i].seed >= s.most_seeds && fabs(history[i].utility - s.target) > 0.1;
    assert_true(failed > 0);
    if (next.what == GNT_MATCH_MATCHED) /* the failed confirmations taught it */
        assert_true(fabs(next.confirm - s.target) < 0.1);
}

static double collapse(double p) {
    return p < 0.55 ? 0.85 - 0.3 * p : NAN;
}
static double nothing(double p) {
    return p < 2 ? NAN : 0;
}

static void trainings_that_come_to_nothing(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    for (uint64_t world = 0; world < 20; world++) {
        search(&r, &s, collapse, 0.005, world);
        assert_int_equal(r.end.what, GNT_MATCH_MATCHED);
        assert_true(fabs(collapse(place_of(&s, r.end.strength)) - 0.7) < 0.03);
    }
    search(&r, &s, nothing, 0, 1);
    assert_int_equal(r.end.what, GNT_MATCH_UNMATCHED);
    assert_int_equal(r.end.reason, GNT_MATCH_TOO_WEAK);
    assert_true(isnan(r.end.utility));
}

static void a_defense_without_strength(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    s.has_strength = 0;
    search(&r, &s, straight, 0.005, 1); /* .55 at its one setting */
    assert_int_equal(r.end.reason, GNT_MATCH_TOO_WEAK);
    assert_true(r.end.strength == 0 && r.n == 2);
    search(&r, &s, flat, 0.005, 1);
    assert_true(r.end.what == GNT_MATCH_MATCHED && r.end.saturated && r.end.strength == 0);
    s.target = 0.85;
    search(&r, &s, flat, 0.005, 1);
    assert_true(r.end.what == GNT_MATCH_MATCHED && !r.end.saturated);
}

static int same_step(const gnt_match_next_step *a, const gnt_match_next_step *b) {
    return a->what == b->what && (a->strength == b->strength || (isnan(a->strength) && isnan(b->strength))) &&
           a->seed == b->seed && a->n_seeds == b->n_seeds && a->reason == b->reason &&
           a->saturated == b->saturated &&
           (a->utility == b->utility || (isnan(a->utility) && isnan(b->utility)));
}

/* Any prefix of a search's history, shuffled and with repeats, gives the decision that the prefix gave. */
static void order_and_repeats_do_not_matter(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    gnt_key key = gnt_key_of_seed(9);
    gnt_stream stream = gnt_stream_open(&key, "shuffle");
    for (uint64_t world = 0; world < 20; world++) {
        search(&r, &s, smooth[world % SMOOTH], 0.02, world);
        for (size_t n = 0; n <= r.n; n++) {
            gnt_match_point mixed[2 * MOST];
            uint32_t order[MOST];
            gnt_match_next_step plain, again;
            for (uint32_t i = 0; i < n; i++)
                order[i] = i;
            gnt_random_shuffle(&stream, order, n);
            for (size_t i = 0; i < n; i++)
                mixed[2 * i] = mixed[2 * i + 1] = r.history[order[i]];
            assert_int_equal(gnt_match_next(&plain, &s, r.history, n, NULL), 0);
            assert_int_equal(gnt_match_next(&again, &s, mixed, 2 * n, NULL), 0);
            assert_true(same_step(&plain, &again));
        }
    }
}

static void proposed_strengths_are_readable(void **state) {
    (void)state;
    run r;
    gnt_match_spec s = match_spec();
    s.seeds = s.most_seeds = 1;
    search(&r, &s, steep, 0, 1);
    for (size_t i = 0; i < r.n; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.4g", r.history[i].strength);
        assert_true(strtod(text, NULL) == r.history[i].strength);
    }
    s.scale = GNT_MATCH_LINEAR;
    s.least = 0;
    s.most = 0.9;
    search(&r, &s, gentle, 0, 1);
    for (size_t i = 0; i < r.n; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.5f", r.history[i].strength);
        assert_true(strtod(text, NULL) == r.history[i].strength);
    }
}

static void refuse(gnt_match_spec s, const gnt_match_point *p, size_t n, const char *part) {
    gnt_match_next_step next;
    gnt_err err = {{0}};
    assert_int_equal(gnt_match_next(&next, &s, p, n, &err), -1);
    assert_non_null(strstr(err.text, part));
}

static void nonsense_is_refused(void **state) {
    (void)state;
    gnt_match_spec s = match_spec();
    s.least = 0;
    refuse(s, NULL, 0, "must start above 0");
    s = match_spec();
    s.tolerance = 0;
    refuse(s, NULL, 0, "tolerance");
    s = match_spec();
    s.target = NAN;
    refuse(s, NULL, 0, "target");
    s = match_spec();
    s.most_seeds = 1;
    refuse(s, NULL, 0, "largest number of seeds is 1; a number from 2");
    s = match_spec();
    s.integer = 1;
    refuse(s, NULL, 0, "whole numbers");
    s = match_spec();
    s.start = 11;
    refuse(s, NULL, 0, "to start at 11");
    s = match_spec();
    const gnt_match_point far = {11, 0, 0.5, 0}, late_seed = {1, 24, 0.5, 0}, nan_strength = {NAN, 0, 0.5, 0};
    refuse(s, &far, 1, "outside the range");
    refuse(s, &nan_strength, 1, "outside the range");
    refuse(s, &late_seed, 1, "seed number 24; this search uses 0 to 23");
    const gnt_match_point twice[] = {{1, 0, 0.5, 0}, {1, 0, 0.6, 0}};
    refuse(s, twice, 2, "disagree");
    const gnt_match_point mixed[] = {{1, 6, 0.5, 0}, {2, 6, 0.5, 0}};
    refuse(s, mixed, 2, "two strengths");
}

static void relative_targets(void **state) {
    (void)state;
    assert_true(fabs(gnt_match_relative(0.8, 0.95) - 0.76) < 1e-15);
    gnt_match_spec s = match_spec();
    assert_int_equal(gnt_match_most_trainings(&s), 12 * 6 + 3 * 6);
    s.has_strength = 0;
    assert_int_equal(gnt_match_most_trainings(&s), 6 + 3 * 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_exactly_known_curves),
        cmocka_unit_test(matches_noisy_curves),
        cmocka_unit_test(shares_near_one),
        cmocka_unit_test(whole_numbers_and_their_steps),
        cmocka_unit_test(the_one_whole_number_is_found),
        cmocka_unit_test(a_number_between_is_found_if_there_is_one),
        cmocka_unit_test(the_nearest_is_confirmed),
        cmocka_unit_test(a_jump_is_unmatched),
        cmocka_unit_test(unreachable_targets),
        cmocka_unit_test(one_unlucky_run_does_not_refuse_the_weakest_setting),
        cmocka_unit_test(a_curve_that_rises),
        cmocka_unit_test(too_much_scatter_is_said),
        cmocka_unit_test(requests_seeds_before_it_believes),
        cmocka_unit_test(confirmation_catches_lucky_seeds),
        cmocka_unit_test(trainings_that_come_to_nothing),
        cmocka_unit_test(a_defense_without_strength),
        cmocka_unit_test(order_and_repeats_do_not_matter),
        cmocka_unit_test(proposed_strengths_are_readable),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(relative_targets),
    };
    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
