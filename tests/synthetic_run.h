/* synthetic_run: a made-up run folder of plausible numbers, for tests of the report. Leakage falls and
 * utility falls as a defense gets stronger; one defense is unmatched, one cell fails, one attack does not
 * fit. `spoil` is appended to every name and sentence, so that a test can plant hostile text everywhere. */
#ifndef SYNTHETIC_RUN_H
#define SYNTHETIC_RUN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"

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

static inline char *synthetic_name(const synthetic *s, const char *name, char out[512]) {
    snprintf(out, 512, "%s%s", name, s->spoil);
    return out;
}

static inline json_t *synthetic_text(const synthetic *s, const char *name) {
    char text[512];
    return json_string(synthetic_name(s, name, text));
}

/* Strength 0 … 1: how far a defense is turned up. */
static inline double synthetic_utility(int task, int defense, double strength) {
    static const double none[] = {0.93, 0.71, 0.84}, cost[] = {0, 0.35, 0.5, 0.12, 0.05};
    return none[task] - cost[defense] * strength * strength;
}

static inline double synthetic_psnr(int attack, int defense, double strength) {
    static const double gain[] = {0, 26, 22, 18, 9};
    return fmax(7.5 + attack * 0.2, synthetic_reach[attack] - gain[defense] * sqrt(strength));
}

static inline json_t *synthetic_stat(double mean, double deviation, double worst) {
    return json_pack("{s:f, s:f, s:f, s:f, s:i, s:f, s:f}", "mean", mean, "deviation", deviation, "worst",
                     worst, "median", mean * 0.99, "n", 8, "low", mean - 0.6 * deviation, "high",
                     mean + 0.6 * deviation);
}

static inline void synthetic_measures(json_t *o, int task, int attack, int defense, double strength) {
    json_t *m = json_object(), *f = json_object(), *c = json_object();
    double psnr = synthetic_psnr(attack, defense, strength), share = fmin(1, fmax(0, (psnr - 9) / 14));
    double mse = pow(10, -psnr / 10);
    if (attack == 4) {
        double a = 0.5 + 0.45 * share;
        json_object_set_new(m, "attribute_accuracy", synthetic_stat(a, 0.05, 1));
        json_object_set_new(c, "attribute_accuracy", json_real(0.52));
    } else {
        json_object_set_new(m, "mse", synthetic_stat(mse, mse * 0.4, mse * 0.2));
        json_object_set_new(
            f, "mse",
            json_pack("{s:f, s:f, s:f}", "random", 0.19, "mean_image", 0.07, "nearest_public", 0.05));
        if (task < 2) {
            json_object_set_new(m, "psnr", synthetic_stat(psnr, 2.2, psnr + 4));
            json_object_set_new(
                f, "psnr",
                json_pack("{s:f, s:f, s:f}", "random", 7.2, "mean_image", 11.6, "nearest_public", 13.1));
            json_object_set_new(m, "ssim", synthetic_stat(0.05 + 0.9 * share, 0.08, 0.99));
            json_object_set_new(
                f, "ssim",
                json_pack("{s:f, s:f, s:f}", "random", 0.01, "mean_image", 0.2, "nearest_public", 0.35));
            json_object_set_new(m, "identification", synthetic_stat(share, 0.1, 1));
            json_object_set_new(c, "identification", json_real(0.01));
        }
        if (attack == 1) {
            json_object_set_new(m, "label_accuracy", synthetic_stat(0.2 + 0.8 * share, 0.04, 1));
            json_object_set_new(c, "label_accuracy", json_real(0.1));
        }
    }
    json_object_set_new(o, "measures", m);
    json_object_set_new(o, "floors", f);
    json_object_set_new(o, "chance", c);
}

static inline json_t *synthetic_curves(int attack, int defense, double strength) {
    json_t *all = json_array();
    for (int target = 0; target < 8; target++)
        for (int restart = 0; restart < 2; restart++) {
            json_t *points = json_array();
            double floor = 1e-5 * (1 + target) * (1 + 900 * strength * (defense > 0)) * (1 + restart);
            for (int step = 0; step <= 300; step += 10) {
                double cost = floor + (2 + 0.2 * target) * exp(-step / (18.0 + 4 * attack + 2 * target));
                json_array_append_new(points, json_pack("[i, f]", step, cost));
            }
            json_array_append_new(
                all, json_pack("{s:i, s:i, s:o}", "target", target, "restart", restart, "points", points));
        }
    return all;
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

static inline json_t *synthetic_outcome(const synthetic *s, const synthetic_place *p, int seed) {
    static const char *const modes[] = {"none", "matched", "sweep", "fixed"};
    int na = (p->task == 2) != (p->attack == 4), failed = p->defense == 3 && p->attack == 0 && p->mode == 1;
    double u = synthetic_utility(p->task, p->defense, p->strength), none = synthetic_utility(p->task, 0, 0);
    json_t *o =
        json_pack("{s:o, s:i, s:o, s:o, s:s, s:s, s:b}", "task", synthetic_text(s, synthetic_tasks[p->task]),
                  "stage", p->stage, "defense", synthetic_text(s, synthetic_defenses[p->defense]), "attack",
                  synthetic_text(s, synthetic_attacks[p->attack]), "mode", modes[p->mode], "status",
                  na       ? "n/a"
                  : failed ? "crashed"
                           : "ok",
                  "matched", p->mode == 0 || (p->mode == 1 && p->defense != 2));
    json_object_set_new(o, "strength", p->mode == 0 ? json_null() : json_real(p->strength));
    if (!na && !failed)
        synthetic_measures(o, p->task, p->attack, p->defense, p->strength);
    if (seed < 0) {
        json_object_set_new(o, "n_cells", json_integer(2));
        json_object_set_new(o, "n_ok", json_integer(na || failed ? 0 : 2));
        json_object_set_new(o, "utility",
                            json_pack("{s:f, s:f, s:f}", "mean", u, "low", u - 0.01, "high", u + 0.01));
        json_object_set_new(o, "utility_none", json_real(none));
        return o;
    }
    char id[256];
    snprintf(id, sizeof id, "%s/r%d/%s@%g/%s/s%d", synthetic_tasks[p->task], p->stage,
             synthetic_defenses[p->defense], p->strength, synthetic_attacks[p->attack], seed);
    json_object_set_new(o, "cell", synthetic_text(s, id));
    json_object_set_new(o, "plugin", synthetic_text(s, synthetic_defenses[p->defense]));
    json_object_set_new(o, "attack_plugin", synthetic_text(s, synthetic_attacks[p->attack]));
    json_object_set_new(o, "seed", json_integer(seed));
    json_object_set_new(o, "reason",
                        na       ? synthetic_text(s, "needs attribute labels, which the task does not have")
                        : failed ? synthetic_text(s, "stopped by signal 11")
                                 : json_null());
    json_object_set_new(o, "utility",
                        json_pack("{s:s, s:f, s:f}", "measure", "accuracy", "value", u, "none", none));
    if (na || failed || p->mode == 2)
        return o;
    if (p->attack < 3)
        json_object_set_new(o, "convergence", synthetic_curves(p->attack, p->defense, p->strength));
    if (p->task < 2 && s->images) {
        json_t *targets = json_array();
        char name[128];
        double psnr = synthetic_psnr(p->attack, p->defense, p->strength);
        snprintf(name, sizeof name, "images/%d-%d-%d-%d-%d-%d.safetensors", p->task, p->stage, p->defense,
                 p->attack, p->mode, seed);
        for (int t = 0; t < 4; t++)
            json_array_append_new(
                targets, json_pack("{s:i, s:f, s:b}", "id", t, "psnr", fmin(60, psnr + t), "exact", 0));
        json_object_set_new(o, "targets", targets);
        if (synthetic_images(s, name, p->task, fmin(1, fmax(0, (30 - psnr) / 20))) == 0)
            json_object_set_new(o, "images", json_string(name));
    }
    return o;
}

static inline void synthetic_add(const synthetic *s, json_t *cells, json_t *groups, synthetic_place p) {
    for (p.attack = 0; p.attack < 5; p.attack++) {
        json_array_append_new(groups, synthetic_outcome(s, &p, -1));
        for (int seed = 1; seed <= 2; seed++)
            json_array_append_new(cells, synthetic_outcome(s, &p, seed));
    }
}

static inline json_t *synthetic_match(const synthetic *s, int task, int defense, double strength) {
    json_t *history = json_array();
    for (int i = 0; i < 3; i++) {
        double at = strength * (0.5 + 0.25 * i);
        json_array_append_new(history, json_pack("{s:f, s:f, s:f, s:i}", "strength", at, "utility",
                                                 synthetic_utility(task, defense, at), "standard_error",
                                                 0.004, "seed", 1 + i));
    }
    double none = synthetic_utility(task, 0, 0);
    return json_pack(
        "{s:o, s:o, s:s, s:f, s:f, s:s, s:o, s:f, s:f, s:f, s:b, s:o}", "task",
        synthetic_text(s, synthetic_tasks[task]), "defense", synthetic_text(s, synthetic_defenses[defense]),
        "strength_id", "noise", "target", none * 0.95, "tolerance", 0.01, "verdict",
        defense == 2 ? "unmatched" : "matched", "reason",
        synthetic_text(s, defense == 2 ? "the nearest of 8 trainings is outside the tolerance" : ""),
        "strength", strength, "utility", synthetic_utility(task, defense, strength), "utility_none", none,
        "confirmed", defense != 2, "history", history);
}

static inline json_t *synthetic_results(const synthetic *s) {
    static const double matched[] = {0, 0.36, 0.55, 0.62, 0.9};
    json_t *cells = json_array(), *groups = json_array(), *matches = json_array(), *tasks = json_array();
    json_t *defenses = json_array(), *attacks = json_array();
    for (int t = 0; t < s->tasks; t++) {
        json_array_append_new(tasks, json_pack("{s:o}", "id", synthetic_text(s, synthetic_tasks[t])));
        for (int stage = 0; stage <= (t == 0 && s->stages > 1 ? 10 : 0); stage += 10) {
            synthetic_add(s, cells, groups, (synthetic_place){t, stage, 0, 0, 0, 0});
            for (int d = 1; d < 4; d++) {
                synthetic_add(s, cells, groups, (synthetic_place){t, stage, d, 0, 1, matched[d]});
                for (int k = 1; k <= 4 && d != 2; k++)
                    synthetic_add(s, cells, groups, (synthetic_place){t, stage, d, 0, 2, 0.25 * k});
            }
            synthetic_add(s, cells, groups, (synthetic_place){t, stage, 4, 0, 3, 0.9});
        }
        for (int d = 1; d < 4; d++)
            json_array_append_new(matches, synthetic_match(s, t, d, matched[d]));
    }
    for (int d = 0; d < 5; d++)
        json_array_append_new(defenses,
                              json_pack("{s:o}", "label", synthetic_text(s, synthetic_defenses[d])));
    for (int a = 0; a < 5; a++)
        json_array_append_new(attacks, json_pack("{s:o}", "label", synthetic_text(s, synthetic_attacks[a])));
    return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", 1, "suite", "quick", "title",
                     synthetic_text(s, "A quick look"), "tasks", tasks, "defenses", defenses, "attacks",
                     attacks, "matches", matches, "cells", cells, "groups", groups);
}

/* Returns 0 when the folder holds the run. */
static inline int synthetic_write(const synthetic *s) {
    char path[1024];
    gnt_err err;
    snprintf(path, sizeof path, "%s/images", s->folder);
    if (gnt_make_dirs(path, &err))
        return -1;
    json_t *results = synthetic_results(s);
    char *text = json_dumps(results, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    snprintf(path, sizeof path, "%s/results.json", s->folder);
    int failed = !text || gnt_file_write(path, text, strlen(text), &err);
    free(text);
    json_decref(results);
    return failed;
}

#endif
