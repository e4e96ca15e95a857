/* matched_runs: made-up results of a suite that judges its defenses at matched utility alone. The real search
 * finds the strengths (match/match.h). Utility and leakage follow curves of the strength, and scatter as
 * those of real runs do: between replicates, between training runs of one, by the test set, between targets.
 * Included after cmocka.h. */
#ifndef TESTS_MATCHED_RUNS_H
#define TESTS_MATCHED_RUNS_H

#include <math.h>

#include "base/random.h"
#include "gate_runs.h"
#include "match/match.h"

/* the suite's seeds, which no search draws */
enum { MATCHED_CELLS = 1000 };
enum { MATCHED_TARGETS = 8, MATCHED_MOST = 256, MATCHED_DEFENSES = 3 };

/* How a defense is weaker in the new run. */
typedef struct weakening {
    const char *name;
    /* the strength that is in force is this times the requested one; of what pruning keeps, its inverse */
    double force;
    /* the share of targets that nothing defends, and dB that the others leak more */
    double bare, more;
    /* what is lost of utility is this times what it was */
    double cost;
} weakening;

typedef struct matched_suite {
    int replicates, search_seeds;
    double tolerance;
    /* deviations of a utility: of a replicate, of a training run in addition where nothing is lost (more
     * where much is), of the test set's samples, half of whose variance all training runs of a key have in
     * common */
    double replicate, training, sampling;
} matched_suite;

/* One run: `key` says what was drawn, `noise` what the defenses drew in addition. */
typedef struct matched_world {
    const matched_suite *suite;
    gnt_key key, noise;
    /* where each defense's utility has fallen half way, on its scale */
    double middle[MATCHED_DEFENSES];
} matched_world;

typedef struct matched_defense {
    const char *name, *scale;
    gnt_match_scale match_scale;
    double least, most;
    /* how fast utility falls; dB that leakage falls by for each factor 10 of the strength */
    double steep, decade;
} matched_defense;

static const matched_defense matched_defenses[MATCHED_DEFENSES] = {
    {"noise", "log", GNT_MATCH_LOG, 1e-5, 10, 2, 20},
    {"prune", "complement", GNT_MATCH_COMPLEMENT, 0, 0.9999, 1.5, 15},
    {"cliff", "log", GNT_MATCH_LOG, 1e-5, 10, 6, 25}};

static const double matched_none = 0.75, matched_chance = 0.1, matched_undefended = 55, matched_floor = 9;

static inline double matched_draw(const gnt_key *key, const char *what, double strength, int64_t seed) {
    char name[200];
    snprintf(name, sizeof name, "%.100s/%.17g/%lld", what, strength, (long long)seed);
    gnt_stream s = gnt_stream_open(key, name);
    return gnt_random_normal(&s);
}

/* How strong a setting is: σ, or what 1/(1 − p) is above 1. */
static inline double matched_force(int d, double strength, const weakening *w) {
    if (matched_defenses[d].match_scale == GNT_MATCH_COMPLEMENT) {
        double kept = fmin(1, (1 - strength) / w->force);
        return 1 / kept - 1;
    }
    return strength * w->force;
}

static inline double matched_utility(const matched_world *m, int d, double strength, int64_t seed,
                                     const weakening *w) {
    const matched_suite *s = m->suite;
    char name[100];
    double lost = 0;
    if (d >= 0) {
        const double x = pow(matched_force(d, strength, w) / m->middle[d], matched_defenses[d].steep);
        lost = fmin(1, w->cost * (isinf(x) ? 1 : x / (1 + x)));
    }
    snprintf(name, sizeof name, "training %d", d);
    const double scatter =
        s->replicate * matched_draw(&m->key, "replicate", 0, seed) +
        s->training * (1 + 2 * lost) * matched_draw(d >= 0 ? &m->noise : &m->key, name, strength, seed) +
        s->sampling * sqrt(0.5) *
            (matched_draw(&m->key, "test set", 0, 0) +
             matched_draw(d >= 0 ? &m->noise : &m->key, "answers", strength + d, seed));
    return matched_chance + (matched_none - matched_chance) * (1 - lost) + scatter;
}

static inline double matched_leak(const matched_world *m, int d, double strength, int64_t seed, int target,
                                  const weakening *w) {
    char name[100];
    const double own = 1.5 * matched_draw(&m->key, "target", target, seed);
    double fallen = 0;
    if (d >= 0 && !(target < w->bare * MATCHED_TARGETS)) {
        const double x = matched_force(d, strength, w) / (0.02 * m->middle[d]);
        fallen = matched_defenses[d].decade * log10(1 + x) - w->more;
    }
    snprintf(name, sizeof name, "leak %d %d", d, target);
    const double fresh = d >= 0 ? 0.8 * matched_draw(&m->noise, name, strength, seed) : 0;
    const double train =
        d >= 0 ? 0.4 * matched_draw(&m->noise, d ? "trained" : "trained too", strength, seed) : 0;
    return fmax(matched_floor, fmin(60, matched_undefended - fmax(fallen, 0) + own + fresh + train));
}

static inline json_t *matched_search(const matched_world *m, int d, const weakening *w, double *strength) {
    static const weakening nothing = {"", 1, 0, 0, 1};
    static const char *const reasons[GNT_MATCH_REASONS] = {"",      "weakest", "step",       "humps",
                                                           "noise", "budget",  "unconfirmed"};
    const matched_suite *s = m->suite;
    double none = 0;
    for (int i = 0; i < s->replicates; i++)
        none += matched_utility(m, -1, 0, MATCHED_CELLS + i, &nothing) / s->replicates;
    gnt_match_spec spec = {.has_strength = 1,
                           .least = matched_defenses[d].least,
                           .most = matched_defenses[d].most,
                           .scale = matched_defenses[d].match_scale,
                           .start = NAN,
                           .target = 0.9 * none,
                           .tolerance = s->tolerance,
                           .max_strengths = 8,
                           .seeds = s->search_seeds,
                           .most_seeds = s->search_seeds > 3 ? s->search_seeds : 3,
                           .confirm_seeds = 1,
                           .confirmations = 2};
    gnt_match_point history[MATCHED_MOST];
    gnt_match_next_step step;
    gnt_err err = {""};
    size_t n = 0;
    for (;;) {
        if (gnt_match_next(&step, &spec, history, n, &err))
            fail_msg("%s", err.text);
        if (step.what == GNT_MATCH_MATCHED || step.what == GNT_MATCH_UNMATCHED)
            break;
        for (int64_t k = step.seed; k < step.seed + step.n_seeds; k++) {
            size_t i = 0;
            while (i < n && (history[i].strength != step.strength || history[i].seed != k))
                i++;
            assert_true(n < MATCHED_MOST);
            if (i == n)
                history[n++] = (gnt_match_point){step.strength, k, matched_utility(m, d, step.strength, k, w),
                                                 s->sampling};
        }
    }
    *strength = step.strength;
    gnt_attempt tried[MATCHED_MOST];
    for (size_t i = 0; i < n; i++)
        tried[i] = (gnt_attempt){history[i].strength, history[i].utility, s->sampling, history[i].seed};
    const int is_matched = step.what == GNT_MATCH_MATCHED;
    const gnt_match_row row = {.task = "t",
                               .defense = matched_defenses[d].name,
                               .target = spec.target,
                               .tolerance = spec.tolerance,
                               .verdict = !is_matched      ? "unmatched"
                                          : step.saturated ? "saturated"
                                                           : "matched",
                               .reason = is_matched ? gnt_no_text : reasons[step.reason],
                               .strength = step.strength,
                               .utility = step.utility,
                               .utility_none = none,
                               .confirmed = is_matched,
                               .history = tried,
                               .n_history = n};
    return gnt_fields_encode(&gnt_match_fields, &row, GNT_FIELDS_ALL);
}

/* name: of their strength in ids, or NULL for that of the mode. */
static inline void matched_cells(json_t *run, const matched_world *m, int d, double strength,
                                 const char *name, const weakening *w) {
    for (int seed = MATCHED_CELLS; seed < MATCHED_CELLS + m->suite->replicates; seed++) {
        double x[MATCHED_TARGETS];
        made_cell c = {.task = "t",
                       .defense = d < 0 ? "none" : matched_defenses[d].name,
                       .mode = d < 0  ? "none"
                               : name ? "sweep"
                                      : "matched",
                       .attack = "a",
                       .stage = 3,
                       .seed = seed + 1,
                       .strength = d < 0 ? 0 : strength,
                       .utility = matched_utility(m, d, strength, seed, w)};
        for (int i = 0; i < MATCHED_TARGETS; i++)
            x[i] = matched_leak(m, d, strength, seed, i, w);
        json_t *cell = made_add(run, &c, "psnr", x, MATCHED_TARGETS);
        json_object_set_new(json_object_get(cell, "utility"), "standard_error",
                            json_real(m->suite->sampling));
        if (name) {
            char id[200];
            snprintf(id, sizeof id, "t/r3/%s@%s/a/s%d", c.defense, name, c.seed);
            json_object_set_new(cell, "cell", json_string(id));
        }
        json_object_set_new(cell, "strength", d < 0 ? json_null() : json_real(strength));
        json_object_set_new(
            cell, "floors",
            json_pack("{s:{s:f}}", "psnr", "mean_image", 12 + matched_draw(&m->key, "floor", 0, seed)));
    }
}

/* w: what is wrong with each defense. before: the run at whose strengths this one is measured too, or
 * NULL. */
static inline json_t *matched_run(const matched_world *m, const weakening *const w[MATCHED_DEFENSES],
                                  const json_t *before) {
    json_t *run = made_run();
    matched_cells(run, m, -1, 0, NULL, w[0]);
    for (int d = 0; d < MATCHED_DEFENSES; d++) {
        double strength;
        json_array_append_new(json_object_get(run, "defenses"),
                              json_pack("{s:s, s:s, s:s, s:s}", "label", matched_defenses[d].name, "plugin",
                                        matched_defenses[d].name, "strength", "s", "scale",
                                        matched_defenses[d].scale));
        json_array_append_new(json_object_get(run, "matches"), matched_search(m, d, w[d], &strength));
        matched_cells(run, m, d, strength, NULL, w[d]);
        const json_t *old = json_array_get(json_object_get(before, "matches"), (size_t)d);
        if (old)
            matched_cells(run, m, d, json_number_value(json_object_get(old, "strength")), "baseline", w[d]);
    }
    return run;
}

#endif
