/* hook_work: processor seconds that hooks of this program's plugins take, for an estimate of a run
 * (needs.h): by the numbers among their parameters, at rates that were measured on one core. A plugin that no
 * rule here is about adds nothing to what its kind of job takes.
 *
 * Thread: any. Nothing fails: out of memory a rule's answer is 0. */
#ifndef GNT_RUN_HOOK_WORK_H
#define GNT_RUN_HOOK_WORK_H

#include "request/request.h"

/* What hooks of one task work with. */
typedef struct hook_work {
    double gradient;         /* seconds of the gradient of one sample */
    double layers;           /* of the model */
    double features, update; /* entries of a sample, and of an update */
    int image;               /* samples are images */
} hook_work;

/* Returns the seconds of the networks that a plugin learns from so many rows, each of `entries` entries
 * before it pools them: classifiers of attributes, and the zoos of RecUP-FL's defenses and of attacks on
 * these. */
double run_cost_of_learning(const gnt_request_plugin *p, double rows, double entries);
/* Returns the bytes of the rows that such networks read, and of their weights. */
double run_memory_of_learning(const gnt_request_plugin *p, double rows, double entries);
/* Returns what a defense adds to a training of these clients: extractors' adversaries, scores of regions,
 * encodings. clients: all; turns: rounds × clients that train in one; rows: of all clients. */
double run_cost_of_training(const gnt_request_plugin *p, const hook_work *w, const gnt_request_federated *g,
                            double turns, double rows);
/* Returns how often an attack computes the update of a candidate for one target. */
double run_evaluations_of(const gnt_request_attacker *a);
/* Returns what else an attack takes for one target. samples: behind the update. */
double run_cost_of_reading(const gnt_request_attacker *a, const hook_work *w, double samples,
                           double public_rows);

#endif
