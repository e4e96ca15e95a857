/* schedule: how often, how fast and with how many clients a federation trains. */
#ifndef GNT_FL_SCHEDULE_H
#define GNT_FL_SCHEDULE_H

#include <stdint.h>

#include "fl/augment.h"
#include "fl/hide.h"

typedef struct gnt_fl_config {
    int32_t rounds;
    /* Local steps; 0: one gradient. */
    int32_t steps;
    /* Samples a step. */
    int64_t batch;
    double rate;
    /* momentum of local SGD, or of the server when steps is 0 */
    double momentum;
    /* local SGD: this share of the weights is added to each step's gradient */
    double decay;
    /* Local steps by Adam, as gnt_function_spec.optimizer has it; its averages start at 0 in each round. */
    int adam;
    /* for each batch that a client draws */
    gnt_augment augment;
    /* The rate falls as a half cosine over the rounds. */
    int cosine;
    /* Share of the clients in a round. */
    double participation;
    /* The others train as well, and what they would share is left: they go on with what they keep. */
    int all_train;
    /* Batch norm in clients: 1: batch statistics. */
    int training_stats;
    int32_t clients;
    /* What each of them wants hidden. */
    gnt_fl_hidden hidden;
} gnt_fl_config;

double gnt_fl_rate(const gnt_fl_config *config, int32_t round);
/* Returns the number of clients that take part in a round, if so many have samples. */
int32_t gnt_fl_per_round(const gnt_fl_config *config);
/* Passes over n samples that a client's drawn batches make in one round, at least 1; each encodes sets
 * again. */
int64_t gnt_fl_passes(const gnt_fl_config *config, int64_t n);
/* Returns how many passes begin, if encodings keep the number of samples: the last step may take samples
 * beyond the end of a pass without beginning another. */
int64_t gnt_fl_passes_begun(const gnt_fl_config *config, int64_t n);

#endif
