/* The state that the parts of a recipe share (recipes.h): the instance, the cost as a function of the
 * unknowns, and one run of a search. */
#ifndef DLG_H
#define DLG_H

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "prior/prior.h"
#include "prior/kept_generator.h"
#include "cost/residual.h"
#include "recipes.h"

typedef struct dlg {
    const gnt_host *host;
    const recipe *parts; /* set by start */
    /* parameters, as the table explains them */
    int64_t reference; /* as published; else costs are relative to ‖what was observed‖² */
    int64_t steps, inner, history, restarts, patience;
    double rate, guard, tolerance, prior;
    match_choice choice;

    generator_plan plan; /* of prior_generator alone; set by start */
    match match;
} dlg;

/* The cost as a function of z; lives for one run. dlg_objective_open sets self, features, classes, n and y;
 * the cost part args, residual, units, scale and observed; the prior part unknowns and its own members; the
 * search weight, least and fit. */
typedef struct dlg_objective {
    dlg *self;
    gnt_function_args args;
    residual residual;
    prior prior;
    generator generator;
    generator_shape shape; /* the generator's */
    double weight;         /* of the prior, in the cost's units */
    int64_t features, classes, n;
    int64_t unknowns, size; /* of the images; size of z */
    double units;
    double scale;    /* of the cost: brings a weight delta to a gradient's units */
    double observed; /* ‖what was observed‖², scaled too: the cost of an empty update */
    float *y;        /* n × classes: labels, known or softmax of the logits in z */
    int stopped, failed;
    /* z of least cost since dlg_objective_begin, that cost, and its part without the prior */
    float *best;
    double least, fit;
} dlg_objective;

/* Opens the cost. GNT_OK, or a status after host->fail. */
gnt_status dlg_objective_open(dlg_objective *o, dlg *self, const gnt_observation *seen);
/* Opens the prior, once known labels are in o->y. GNT_OK, or a status after host->fail. */
gnt_status dlg_objective_open_prior(dlg_objective *o, const gnt_artefacts *own);
/* Frees what the prior holds. */
void dlg_objective_close(dlg_objective *o);
/* True if the labels' logits are unknowns of the search. */
int dlg_searches_labels(const dlg_objective *o);
/* Sets the weight of the prior and forgets the least cost. */
void dlg_objective_begin(dlg_objective *o, double weight);
/* Computes the cost of a dlg_objective, as a gnt_cost_fn; NaN after a stop or a failure, which it then
 * flags. */
double dlg_cost(void *objective, const float *z, float *grad);

/* A run of either mode. */
typedef struct dlg_search {
    dlg *self;
    dlg_objective objective;
    const gnt_observation *seen;
    const gnt_answer *answer;
    gnt_lbfgs *lbfgs;
    float *z, *winner;   /* the iterate; what is answered */
    double least;        /* cost of the winner, without any prior */
    int32_t chosen;      /* the restart that it comes from */
    int64_t step, steps; /* outer steps taken and allowed, over all restarts */
    int matched;         /* set by the search: it ended because the cost fell to its tolerance */
} dlg_search;

/* Sets z to the start that the suite gives, else to noise, scaled by `scale` in its image part. */
void dlg_start(dlg_search *s, int32_t restart, float scale);
/* Takes one outer step, the k-th of its restart, and reports it to the host. Returns the cost before it. */
double dlg_step(dlg_search *s, int32_t restart, int64_t k);
#endif
