/* gate_runs: made-up results of a run, cell by cell, for tests of the gate. Included after cmocka.h. */
#ifndef TESTS_GATE_RUNS_H
#define TESTS_GATE_RUNS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "gate/gate.h"

typedef struct made_cell {
    const char *task, *defense, *mode, *attack, *status;
    int stage, seed;
    double strength; /* 0: none */
    double utility;
} made_cell;

static inline json_t *made_run(void) {
    return json_pack("{s:i, s:s, s:s, s:s, s:[], s:[], s:[], s:[], s:[], s:[]}", "format", 1, "suite", "made",
                     "title", "", "suite_digest", "d", "tasks", "defenses", "attacks", "matches", "groups",
                     "cells");
}

/* Adds a cell whose targets have the scores x; returns it, for tests that spoil it. */
static inline json_t *made_add(json_t *run, const made_cell *c, const char *measure, const double *x, int n) {
    char id[400], at[32];
    double mean = 0;
    json_t *targets = json_array(), *measures = json_object();
    for (int i = 0; i < n; i++) {
        mean += x[i] / n;
        json_array_append_new(targets, json_pack("{s:i, s:f}", "id", i, measure, x[i]));
    }
    snprintf(at, sizeof at, "%g", c->strength);
    snprintf(id, sizeof id, "%s/r%d/%s@%s/%s/s%d", c->task, c->stage, c->defense,
             !strcmp(c->mode, "matched") ? "matched"
             : c->strength == 0          ? "none"
                                         : at,
             c->attack, c->seed);
    if (n)
        json_object_set_new(measures, measure, json_pack("{s:f, s:i}", "mean", mean, "n", n));
    json_t *cell =
        json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:s}", "cell", id, "task",
                  c->task, "stage", c->stage, "defense", c->defense, "mode", c->mode, "attack", c->attack,
                  "seed", c->seed, "status", c->status ? c->status : "ok", "surface", "update", "strength",
                  c->strength != 0 ? json_real(c->strength) : json_null(), "measures", measures, "targets",
                  targets, "reason", c->status ? "it said why" : "");
    json_object_set_new(
        cell, "utility",
        json_pack("{s:s, s:f, s:f}", "measure", "accuracy", "value", c->utility, "standard_error", 0.01));
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
