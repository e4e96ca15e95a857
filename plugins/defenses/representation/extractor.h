/* extractor: a device's local training of the shared feature extractor f against an objective, with
 * side networks, which stay the device's own (TAPPFL, 2024, Algorithm 1).
 *
 * Each step takes one batch of the device's samples and computes all derivatives at the same point: those of
 * the side networks, then ∂(a·hidden + b·kept)/∂r, which the model service carries on to Θ.
 * A device's samples come in a new random order in each epoch; what is left of one that fills no batch goes
 * into the next. */
#ifndef REPRESENTATION_EXTRACTOR_H
#define REPRESENTATION_EXTRACTOR_H

#include "gauntlet/plugin.h"
#include "objective.h"

typedef struct extractor_setting {
    objective_build *build;
    double lambda;    /* how much the attribute counts, 0 … 1 */
    double sign;      /* a = sign·λ, b = 1 − λ */
    int64_t pretrain; /* rounds with λ = 0, first */
    double rate;      /* of the side networks; 0: the clients' */
    double g_rate;    /* of g instead; 0: rate */
    double width;     /* of these networks; 1: as published */
    double g_width;   /* of g, and of a task's head, instead; 0: width */
    /* share of a device's samples, spread evenly over them, that are kept for trying g */
    double validation;
    double decay;         /* L2 weight decay of all three networks */
    int64_t adam;         /* 1: Adam, whose averages start at 0 in each round; 0: SGD */
    int64_t of_program;   /* objective_shape */
    int64_t by_attribute; /* 1: `pretrain` trains f and g to infer the attribute, and h not at all */
    /* 1: behind `pretrain` g and h begin each round as at its end; 0: as the last round left them */
    int64_t as_pretrained;
    int64_t next; /* 1: x̄ is the next sample of the batch; 0: another sample with the same value */
} extractor_setting;

/* The program of steps of one size. */
typedef struct extractor_program {
    objective_shape shape;
    objective nodes;
    gnt_program *program; /* hidden, kept, ∂/∂r, scores, then ∂own of each tensor of the side networks */
    gnt_function *features;
} extractor_program;

/* The networks that a device keeps; NULL before it first trains. */
typedef struct extractor_state {
    float *flat;
    int64_t n;
} extractor_state;

typedef struct extractor {
    const gnt_host *host;
    extractor_setting setting;
    int64_t printed; /* the parameter `sign` of tappfl */
    extractor_program now;
    extractor_state *state; /* states: of each device */
    int32_t states;
} extractor;

void extractor_stop(void *self); /* gives back what the hooks took */

/* Trains the extractor in a client's round; extractor_save and extractor_load store and restore a client's
 * state. Hooks of gnt_defense. The facts of the last round: `hidden_loss`, `kept_loss`, means over the
 * last epoch's steps, and `own_accuracy`, how often the device's own network inferred the attribute there;
 * with `validation` also `unseen_accuracy`, how often it infers that of the samples kept for it, after the
 * last step; and where g begins each round as pretrained `stale_accuracy`, how often that g does before the
 * last round, on the f that was received. */
gnt_status extractor_client_update(void *self, const gnt_client *client, gnt_tensors *update);
gnt_status extractor_save(void *self, int32_t client, const gnt_sink *out);
gnt_status extractor_load(void *self, int32_t client, const gnt_artefacts *from);

#endif
