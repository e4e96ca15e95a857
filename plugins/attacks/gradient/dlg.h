/* What the files of dlg and idlg share.
 *
 * Both look for an input whose gradient equals the one observed, by L-BFGS on the sum of squared differences:
 * dlg for the image and the label together, idlg for the image alone once the label is known.
 * The unknown z of the search is the batch x (n × features, image space), followed for dlg by the logits of
 * its labels (n × classes). */
#ifndef DLG_H
#define DLG_H

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"
#include "cost/match.h"
#include "prior/prior.h"
#include "cost/residual.h"

typedef struct dlg {
    const gnt_host *host;
    int fixed_label; /* idlg */
    /* parameters, as the table explains them */
    int64_t reference; /* as published; else costs are relative to ‖what was observed‖² */
    int64_t steps, inner, history, restarts, patience;
    double rate, guard, tolerance, prior;
    match_choice choice;

    match match;
} dlg;

/* The cost as a function of z; lives for one run. */
typedef struct dlg_objective {
    dlg *self;
    gnt_function_args args;
    residual residual;
    prior prior;
    double weight;                      /* of the prior, in the cost's units */
    int64_t features, classes, n, size; /* size of z */
    double units;
    double scale;    /* of the cost: brings a weight delta to a gradient's units */
    double observed; /* ‖what was observed‖², scaled too: the cost of an empty update */
    float *y;        /* n × classes: labels, fixed or softmax of the logits in z */
    int stopped, failed;
    /* z of least cost since dlg_objective_begin, that cost, and its part without the prior */
    float *best;
    double least, fit;
} dlg_objective;

/* Prepares the function and the arguments. GNT_OK, or a status after host->fail. */
gnt_status dlg_objective_open(dlg_objective *o, dlg *self, const gnt_observation *seen);
/* Gives the prior this weight, and begins to look for the least cost anew. */
void dlg_objective_begin(dlg_objective *o, double weight);
/* A gnt_cost_fn whose context is a dlg_objective; NaN after a stop or a failure, which are then flagged. */
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
} dlg_search;

/* Sets z: where the suite says to begin, else noise, that of the image times `scale`. */
void dlg_start(dlg_search *s, int32_t restart, float scale);
/* Takes one outer step, the k-th of its restart, and tells the host. Returns the cost before it. */
double dlg_step(dlg_search *s, int32_t restart, int64_t k);
/* Each fills winner, least and chosen; a stop or a failure is flagged in the objective. */
void dlg_search_guarded(dlg_search *s);
void dlg_search_as_published(dlg_search *s);

gnt_status dlg_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                   const gnt_answer *answer);

#endif
