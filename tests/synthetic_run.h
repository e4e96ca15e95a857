/* synthetic_run: a made-up run folder of plausible numbers, for tests of the report. Leakage falls and
 * utility falls as a defense gets stronger; one defense is unmatched, one cell fails, one attack does not
 * fit. `spoil` is appended to every name and sentence, so that a test can plant hostile text everywhere. */
#ifndef SYNTHETIC_RUN_H
#define SYNTHETIC_RUN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "result/result.h"

typedef struct synthetic {
    const char *folder; /* made by the caller; gets results.json and images/ */
    const char *spoil;  /* "" for none */
    int tasks, stages;  /* tasks 1 … 3; the first has 1 or 2 stages */
    int images;         /* also write images/ */
} synthetic;

static const char *const synthetic_tasks[] = {"glyphs-lenet", "scenes-convnet", "census-mlp"};
static const char *const synthetic_attacks[] = {"dlg", "idlg", "invert-gradients", "linear-layer", "attr-nn"};
static const char *const synthetic_defenses[] = {"none", "dp-gaussian", "dp-laplace", "prune", "soteria"};
static const double synthetic_reach[] = {31, 33, 36, 48, 20}; /* dB of each attack without defense */

/* The text with what spoils it, in the arena of the run. */
static inline const char *synthetic_text(gnt_result *r, const synthetic *s, const char *name) {
    char text[512];
    snprintf(text, sizeof text, "%s%s", name, s->spoil);
    return gnt_arena_text(&r->memory, text);
}

/* Strength 0 … 1: how strong a defense is. */
static inline double synthetic_utility(int task, int defense, double strength) {
    static const double none[] = {0.93, 0.71, 0.84}, cost[] = {0, 0.35, 0.5, 0.12, 0.05};
    return none[task] - cost[defense] * strength * strength;
}

static inline double synthetic_psnr(int attack, int defense, double strength) {
    static const double gain[] = {0, 26, 22, 18, 9};
    return fmax(7.5 + attack * 0.2, synthetic_reach[attack] - gain[defense] * sqrt(strength));
}

static inline gnt_stat synthetic_stat(double mean, double deviation, double worst) {
    return (gnt_stat){.mean = mean,
                      .deviation = deviation,
                      .worst = worst,
                      .median = mean * 0.99,
                      .n = 8,
                      .low = mean - 0.6 * deviation,
                      .high = mean + 0.6 * deviation};
}

/* One measure of an outcome; floors and chance of 0: none. */
typedef struct synthetic_measure {
    const char *name;
    int is_there;
    gnt_stat stat;
    double random, mean, nearest, chance;
} synthetic_measure;

static inline gnt_named_floor synthetic_floors(const synthetic_measure *m) {
    gnt_named_floor f = {m->name, 0, {m->random, m->mean, m->nearest, NAN}};
    for (int i = 0; i < GNT_FLOOR_OTHER; i++)
        gnt_fields_mark(&gnt_floor_fields, &f, &f.floor[i]);
    return f;
}

static inline void synthetic_measures(gnt_result *r, gnt_outcome *o, int task, int attack, int defense,
                                      double strength) {
    const double psnr = synthetic_psnr(attack, defense, strength), mse = pow(10, -psnr / 10);
    const double share = fmin(1, fmax(0, (psnr - 9) / 14));
    const int data = attack != 4, image = data && task < 2;
    const synthetic_measure all[] = {
        {"attribute_accuracy", !data, synthetic_stat(0.5 + 0.45 * share, 0.05, 1), 0, 0, 0, 0.52},
        {"mse", data, synthetic_stat(mse, mse * 0.4, mse * 0.2), 0.19, 0.07, 0.05, 0},
        {"psnr", image, synthetic_stat(psnr, 2.2, psnr + 4), 7.2, 11.6, 13.1, 0},
        {"ssim", image, synthetic_stat(0.05 + 0.9 * share, 0.08, 0.99), 0.01, 0.2, 0.35, 0},
        {"identification", image, synthetic_stat(share, 0.1, 1), 0, 0, 0, 0.01},
        {"label_accuracy", attack == 1, synthetic_stat(0.2 + 0.8 * share, 0.04, 1), 0, 0, 0, 0.1}};
    enum { MOST = sizeof all / sizeof *all };
    gnt_named_stat *stat = gnt_arena_array(&r->memory, MOST, sizeof *stat);
    gnt_named_floor *floor = gnt_arena_array(&r->memory, MOST, sizeof *floor);
    gnt_named_real *chance = gnt_arena_array(&r->memory, MOST, sizeof *chance);
    o->measures.at = stat;
    o->floors.at = floor;
    o->chance.at = chance;
    for (const synthetic_measure *m = all; m < all + MOST; m++) {
        if (!m->is_there)
            continue;
        stat[o->measures.n++] = (gnt_named_stat){m->name, m->stat};
        if (m->random != 0)
            floor[o->floors.n++] = synthetic_floors(m);
        if (m->chance != 0)
            chance[o->chance.n++] = (gnt_named_real){m->name, m->chance};
    }
}

static inline gnt_restarts synthetic_curves(gnt_result *r, int attack, int defense, double strength) {
    enum { TARGETS = 8, RESTARTS = 2, POINTS = 31 };
    gnt_restart *all = gnt_arena_array(&r->memory, TARGETS * RESTARTS, sizeof *all);
    for (int i = 0; i < TARGETS * RESTARTS; i++) {
        const int target = i / RESTARTS, restart = i % RESTARTS;
        gnt_cost *at = gnt_arena_array(&r->memory, POINTS, sizeof *at);
        double floor = 1e-5 * (1 + target) * (1 + 900 * strength * (defense > 0)) * (1 + restart);
        for (int k = 0; k < POINTS; k++)
            at[k] = (gnt_cost){10 * k,
                               floor + (2 + 0.2 * target) * exp(-10 * k / (18.0 + 4 * attack + 2 * target))};
        all[i] = (gnt_restart){target, restart, {at, POINTS}};
    }
    return (gnt_restarts){all, TARGETS * RESTARTS};
}

static inline void synthetic_image(uint8_t *px, int channels, int side, int target, double noise) {
    for (int c = 0; c < channels; c++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                double u = x - side / 2.0 - target, v = y - side / 2.0 + target;
                double ring = exp(-fabs(sqrt(u * u + v * v) - 6 - target) / 2.5) * (c == 1 ? 0.5 : 1);
                uint32_t h = (uint32_t)(((c * side + y) * side + x) * 2654435761u + (unsigned)target * 97u);
                double dust = ((h >> 13) % 1000) / 1000.0;
                px[(c * side + y) * side + x] = (uint8_t)(255 * ((1 - noise) * ring + noise * dust));
            }
}

static inline int synthetic_images(const synthetic *s, const char *name, int task, double noise) {
    enum { K = 4 };
    static uint8_t private_px[K * 3 * 32 * 32], recovered[K * 3 * 32 * 32];
    int channels = task == 1 ? 3 : 1, side = task == 1 ? 32 : 28, one = channels * side * side;
    int64_t dim[4] = {K, channels, side, side};
    char path[1024];
    gnt_st st;
    gnt_st_init(&st);
    for (int k = 0; k < K; k++) {
        synthetic_image(private_px + k * one, channels, side, k, 0);
        synthetic_image(recovered + k * one, channels, side, k, noise);
    }
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    int failed = gnt_st_add(&st, "private", GNT_ST_U8, 4, dim, private_px, NULL, NULL) ||
                 gnt_st_add(&st, "recovered", GNT_ST_U8, 4, dim, recovered, NULL, NULL) ||
                 gnt_st_save(&st, path, NULL);
    gnt_st_free(&st);
    return failed;
}

typedef struct synthetic_place {
    int task, stage, defense, attack, mode; /* mode: 0 none, 1 matched, 2 sweep, 3 fixed */
    double strength;
} synthetic_place;

/* The pictures of a cell, and the targets that they are of. */
static inline void synthetic_targets(gnt_result *r, gnt_outcome *o, const synthetic *s,
                                     const synthetic_place *p, int seed) {
    enum { TARGETS = 4 };
    gnt_target *all = gnt_arena_array(&r->memory, TARGETS, sizeof *all);
    char name[128];
    double psnr = synthetic_psnr(p->attack, p->defense, p->strength);
    snprintf(name, sizeof name, "images/%d-%d-%d-%d-%d-%d.safetensors", p->task, p->stage, p->defense,
             p->attack, p->mode, seed);
    for (int t = 0; t < TARGETS; t++) {
        gnt_fields_clear(&gnt_target_fields, &all[t]);
        all[t].id = t;
        all[t].score[GNT_MEASURE_PSNR] = fmin(60, psnr + t);
        gnt_fields_mark(&gnt_target_fields, &all[t], &all[t].score[GNT_MEASURE_PSNR]);
        gnt_fields_mark(&gnt_target_fields, &all[t], &all[t].exact);
    }
    o->targets = (gnt_targets){all, TARGETS};
    if (synthetic_images(s, name, p->task, fmin(1, fmax(0, (30 - psnr) / 20))) == 0)
        o->images = gnt_arena_text(&r->memory, name);
}

/* seed −1: the group of them */
static inline gnt_outcome synthetic_outcome(gnt_result *r, const synthetic *s, const synthetic_place *p,
                                            int seed) {
    static const gnt_row_mode modes[] = {GNT_ROW_NONE, GNT_ROW_MATCHED, GNT_ROW_SWEEP, GNT_ROW_FIXED};
    int na = (p->task == 2) != (p->attack == 4), failed = p->defense == 3 && p->attack == 0 && p->mode == 1;
    double u = synthetic_utility(p->task, p->defense, p->strength);
    char id[256];
    gnt_outcome o;
    gnt_fields_clear(&gnt_cell_fields, &o);
    o.task = r->tasks.at[p->task].id;
    o.stage = p->stage;
    o.defense = r->defenses.at[p->defense].label;
    o.attack = r->attacks.at[p->attack].label;
    o.mode = modes[p->mode];
    o.status = na ? GNT_CELL_NA : failed ? GNT_CELL_CRASHED : GNT_CELL_OK;
    o.matched = p->mode == 0 || (p->mode == 1 && p->defense != 2);
    o.strength = p->mode == 0 ? NAN : p->strength;
    if (!na && !failed)
        synthetic_measures(r, &o, p->task, p->attack, p->defense, p->strength);
    o.utility.value = u;
    o.utility.none = synthetic_utility(p->task, 0, 0);
    if (seed < 0) {
        o.n_cells = 2;
        o.n_ok = na || failed ? 0 : 2;
        o.utility.low = u - 0.01;
        o.utility.high = u + 0.01;
        return o;
    }
    snprintf(id, sizeof id, "%s/r%d/%s@%g/%s/s%d", synthetic_tasks[p->task], p->stage,
             synthetic_defenses[p->defense], p->strength, synthetic_attacks[p->attack], seed);
    o.id = synthetic_text(r, s, id);
    o.plugin = o.defense;
    o.attack_plugin = o.attack;
    o.seed = seed;
    o.reason = na       ? synthetic_text(r, s, "needs attribute labels, which the task does not have")
               : failed ? synthetic_text(r, s, "stopped by signal 11")
                        : gnt_no_text;
    o.utility.measure = "accuracy";
    if (na || failed || p->mode == 2)
        return o;
    if (p->attack < 3)
        o.convergence = synthetic_curves(r, p->attack, p->defense, p->strength);
    if (p->task < 2 && s->images)
        synthetic_targets(r, &o, s, p, seed);
    return o;
}

static inline void synthetic_add(gnt_result *r, const synthetic *s, synthetic_place p) {
    for (p.attack = 0; p.attack < 5; p.attack++) {
        r->groups.at[r->groups.n++] = synthetic_outcome(r, s, &p, -1);
        for (int seed = 1; seed <= 2; seed++)
            r->cells.at[r->cells.n++] = synthetic_outcome(r, s, &p, seed);
    }
}

static inline gnt_match_row synthetic_match(gnt_result *r, const synthetic *s, int task, int defense,
                                            double strength) {
    enum { ATTEMPTS = 3 };
    const double none = synthetic_utility(task, 0, 0);
    gnt_attempt *history = gnt_arena_array(&r->memory, ATTEMPTS, sizeof *history);
    for (int i = 0; i < ATTEMPTS; i++) {
        double at = strength * (0.5 + 0.25 * i);
        history[i] = (gnt_attempt){at, synthetic_utility(task, defense, at), 0.004, 1 + i};
    }
    return (gnt_match_row){
        .task = r->tasks.at[task].id,
        .defense = r->defenses.at[defense].label,
        .target = none * 0.95,
        .tolerance = 0.01,
        .verdict = defense == 2 ? "unmatched" : "matched",
        .reason =
            synthetic_text(r, s, defense == 2 ? "the nearest of 8 trainings is outside the tolerance" : ""),
        .strength = strength,
        .utility = synthetic_utility(task, defense, strength),
        .utility_none = none,
        .confirmed = defense != 2,
        .history = history,
        .n_history = ATTEMPTS};
}

static inline void synthetic_names(gnt_result *r, const synthetic *s) {
    gnt_result_task *task = gnt_arena_array(&r->memory, 3, sizeof *task);
    gnt_result_defense *defense = gnt_arena_array(&r->memory, 5, sizeof *defense);
    gnt_result_attack *attack = gnt_arena_array(&r->memory, 5, sizeof *attack);
    for (int i = 0; i < s->tasks; i++) {
        gnt_fields_clear(&gnt_task_fields, &task[i]);
        task[i].id = synthetic_text(r, s, synthetic_tasks[i]);
    }
    for (int i = 0; i < 5; i++) {
        gnt_fields_clear(&gnt_defense_fields, &defense[i]);
        gnt_fields_clear(&gnt_attack_fields, &attack[i]);
        defense[i].label = synthetic_text(r, s, synthetic_defenses[i]);
        attack[i].label = synthetic_text(r, s, synthetic_attacks[i]);
    }
    r->suite = "quick";
    r->title = synthetic_text(r, s, "A quick look");
    r->tasks = (gnt_result_tasks){task, (size_t)s->tasks};
    r->defenses = (gnt_result_defenses){defense, 5};
    r->attacks = (gnt_result_attacks){attack, 5};
}

static inline void synthetic_fill(gnt_result *r, const synthetic *s) {
    static const double matched[] = {0, 0.36, 0.55, 0.62, 0.9};
    enum { MOST_GROUPS = 512, MOST_MATCHES = 9 };
    gnt_result_clear(r);
    synthetic_names(r, s);
    r->groups.at = gnt_arena_array(&r->memory, MOST_GROUPS, sizeof *r->groups.at);
    r->cells.at = gnt_arena_array(&r->memory, 2 * MOST_GROUPS, sizeof *r->cells.at);
    r->matches.at = gnt_arena_array(&r->memory, MOST_MATCHES, sizeof *r->matches.at);
    for (int t = 0; t < s->tasks; t++) {
        for (int stage = 0; stage <= (t == 0 && s->stages > 1 ? 10 : 0); stage += 10) {
            synthetic_add(r, s, (synthetic_place){t, stage, 0, 0, 0, 0});
            for (int d = 1; d < 4; d++) {
                synthetic_add(r, s, (synthetic_place){t, stage, d, 0, 1, matched[d]});
                for (int k = 1; k <= 4 && d != 2; k++)
                    synthetic_add(r, s, (synthetic_place){t, stage, d, 0, 2, 0.25 * k});
            }
            synthetic_add(r, s, (synthetic_place){t, stage, 4, 0, 3, 0.9});
        }
        for (int d = 1; d < 4; d++)
            r->matches.at[r->matches.n++] = synthetic_match(r, s, t, d, matched[d]);
    }
}

/* Returns 0 when the folder holds the run. */
static inline int synthetic_write(const synthetic *s) {
    char path[1024];
    gnt_err err;
    gnt_result r;
    snprintf(path, sizeof path, "%s/images", s->folder);
    if (gnt_make_dirs(path, &err))
        return -1;
    synthetic_fill(&r, s);
    char *text = gnt_result_text(&r, 1);
    snprintf(path, sizeof path, "%s/results.json", s->folder);
    int failed = !text || gnt_file_write(path, text, strlen(text), &err);
    gnt_free(text);
    gnt_result_free(&r);
    return failed;
}

#endif
