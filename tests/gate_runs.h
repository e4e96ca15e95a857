/* gate_runs: made-up results of a run, cell by cell, for tests of the gate. Included after cmocka.h. */
#ifndef TESTS_GATE_RUNS_H
#define TESTS_GATE_RUNS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "gate/gate.h"
#include "result/result.h"

typedef struct made_cell {
    const char *task, *defense, *mode, *attack, *status;
    int stage, seed;
    double strength; /* 0: none */
    double utility;
} made_cell;

static inline json_t *made_run(void) {
    gnt_result r;
    gnt_result_clear(&r);
    r.suite = "made";
    r.suite_digest = "d";
    json_t *run = gnt_fields_encode(&gnt_result_fields, &r, GNT_FIELDS_ALL);
    assert_non_null(run);
    return run;
}

/* Targets with the scores x, numbered from 0. */
static inline gnt_targets made_targets(gnt_target *to, gnt_measure_id measure, const double *x, int n) {
    for (int i = 0; i < n; i++) {
        gnt_fields_clear(&gnt_target_fields, &to[i]);
        to[i].id = i;
        to[i].score[measure] = x[i];
        gnt_fields_mark(&gnt_target_fields, &to[i], &to[i].score[measure]);
    }
    return (gnt_targets){to, (size_t)n};
}

enum { MADE_MOST_TARGETS = 256 };

/* Adds a cell whose targets have the scores x; returns it, for tests that spoil it. */
static inline json_t *made_add(json_t *run, const made_cell *c, const char *measure, const double *x, int n) {
    static gnt_target targets[MADE_MOST_TARGETS];
    gnt_named_stat stat = {measure,
                           {.n = n, .deviation = NAN, .worst = NAN, .median = NAN, .low = NAN, .high = NAN}};
    char id[400], at[32];
    uint32_t mode = 0, status = 0;
    gnt_outcome o;
    assert_true(n <= MADE_MOST_TARGETS);
    for (int i = 0; i < n; i++)
        stat.stat.mean += x[i] / n;
    assert_int_equal(gnt_word_bit(&gnt_row_mode_words, c->mode, &mode), 0);
    assert_int_equal(gnt_word_bit(&gnt_status_words, c->status ? c->status : "ok", &status), 0);
    snprintf(at, sizeof at, "%g", c->strength);
    snprintf(id, sizeof id, "%s/r%d/%s@%s/%s/s%d", c->task, c->stage, c->defense,
             mode == GNT_ROW_MATCHED ? "matched"
             : c->strength == 0      ? "none"
                                     : at,
             c->attack, c->seed);
    gnt_fields_clear(&gnt_cell_fields, &o);
    o.id = id;
    o.task = c->task;
    o.stage = c->stage;
    o.defense = c->defense;
    o.attack = c->attack;
    o.seed = c->seed;
    o.mode = (gnt_row_mode)mode;
    o.status = (gnt_cell_status)status;
    o.strength = c->strength != 0 ? c->strength : NAN;
    o.surface = "update";
    o.reason = c->status ? "it said why" : gnt_no_text;
    o.utility.measure = "accuracy";
    o.utility.value = c->utility;
    o.utility.error = 0.01;
    o.targets = made_targets(targets, gnt_measure_id_of(gnt_measure_find(measure)), x, n);
    o.measures = (gnt_named_stats){&stat, n > 0};
    json_t *cell = gnt_fields_encode(&gnt_cell_fields, &o, GNT_FIELDS_ALL);
    assert_non_null(cell);
    json_array_append_new(json_object_get(run, "cells"), cell);
    return cell;
}

/* Both runs as the gate reads them from files. */
typedef struct made_pair {
    gnt_results now, before;
    gnt_gate gate;
} made_pair;

static inline void made_parse(gnt_results *r, json_t *run, const char *name) {
    char *text = json_dumps(run, JSON_REAL_PRECISION(9));
    gnt_err err = {""};
    assert_non_null(text);
    if (gnt_results_parse(r, name, text, strlen(text), &err))
        fail_msg("%s", err.text);
    free(text);
}

/* Takes both over. redrawn: `now` is of another seed. */
static inline void made_compare(made_pair *p, json_t *now, json_t *before, int redrawn) {
    gnt_err err = {""};
    made_parse(&p->now, now, "now");
    made_parse(&p->before, before, "before");
    json_decref(now);
    json_decref(before);
    if ((redrawn ? gnt_gate_make_redrawn : gnt_gate_make)(&p->gate, &p->now, "now", &p->before, "before",
                                                          &err))
        fail_msg("%s", err.text);
}

static inline void made_check(made_pair *p, json_t *now, json_t *before) {
    made_compare(p, now, before, 0);
}

static inline void made_free(made_pair *p) {
    gnt_gate_free(&p->gate);
    gnt_results_free(&p->now);
    gnt_results_free(&p->before);
}

#endif
