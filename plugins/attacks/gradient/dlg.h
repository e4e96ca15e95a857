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
#include "match.h"
#include "residual.h"

typedef struct dlg {
    const gnt_host *host;
    int fixed_label; /* idlg */
    /* guarded mode: costs relative to ‖what was observed‖², and help where the search stagnates */
    int relative;
    /* parameters, as the table explains them */
    int64_t steps, inner, history, restarts, patience;
    double rate, guard, tolerance;
    match_choice choice;

    match match;
} dlg;

/* The cost as a function of z; lives for one run. */
typedef struct dlg_objective {
    dlg *self;
    gnt_function_args args;
    residual residual;
    int64_t features, classes, n, size; /* size of z */
    double units;
    double scale;    /* of the cost: brings a weight delta to a gradient's units */
    double observed; /* ‖what was observed‖², scaled too: the cost of an empty update */
    float *y;        /* n × classes: labels, fixed or softmax of the logits in z */
    int stopped, failed;
    float *best; /* z of least cost since dlg_objective_begin, and that cost */
    double least;
} dlg_objective;

/* Prepares the function and the arguments. GNT_OK, or a status after host->fail. */
gnt_status dlg_objective_open(dlg_objective *o, dlg *self, const gnt_observation *seen);
/* A gnt_cost_fn whose context is a dlg_objective; NaN after a stop or a failure, which are then flagged. */
double dlg_cost(void *objective, const float *z, float *grad);
void dlg_softmax(const float *logits, int64_t n, int64_t classes, float *y);

gnt_status dlg_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                   const gnt_answer *answer);

#endif
