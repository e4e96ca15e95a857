/* data_term: how well the update of a batch x fits one that was observed, and the derivative by x. */
#ifndef GRADIENT_DATA_TERM_H
#define GRADIENT_DATA_TERM_H

#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "defense/granted_defense.h"
#include "defense/noise_law.h"
#include "defense/seen_clip.h"
#include "cost/whitening.h"

/* The choices of the parameter `cost`, in its order. */
enum { DATA_AUTO, DATA_COSINE, DATA_L2, DATA_L1, DATA_SCALE_FREE, DATA_LIKELIHOOD };
/* For other attacks: the likelihood with the noise of each layer (whitening.h), or of one noise in all. */
enum { DATA_WHITENED = DATA_LIKELIHOOD + 1, DATA_PLAIN };
extern const char *const data_term_costs[];

/* Prepared once for observations of one shape and kept by the instance; zeros at first. */
typedef struct data_function {
    match distance;
    match update; /* the update itself, for the costs that are computed here */
    /* Set once by the owner: whether the derivative by the rates is computed as well. For costs other than
     * the likelihood, and observations with local steps. */
    int by_rates;
    /* … by the labels, for DATA_WHITENED and DATA_PLAIN alone */
    int by_labels;
} data_function;

typedef struct data_term {
    const gnt_host *host;
    data_function *of;
    int cost;        /* a DATA_* other than auto */
    noise_law law;   /* DATA_LIKELIHOOD */
    seen_clip clip;  /* DATA_COSINE: of each tensor on its own, */
    int clipped;     /* which changes what the cosine sees */
    whitening white; /* DATA_WHITENED, DATA_PLAIN */
    /* x is set at each evaluation; y, rates and weights stay */
    gnt_function_args args;
    /* args.rates, which the owner may change between evaluations; and the derivatives by them and by
     * args.y, where data_function has by_rates or by_labels: the host's, valid until the next evaluation */
    float *rates;
    const float *d_rates, *d_y;
    outliers apart;
    float **d_u; /* where the cost is computed here: one tensor for each of the update */
} data_term;

/* Binds one observation: weights, buffers, the entries of the update that are matched, the rates as granted
 * or else as announced. The caller sets args.y. `cost` is a DATA_* other than auto. `granted` gives the
 * noise of DATA_LIKELIHOOD, and the clip that DATA_LIKELIHOOD and DATA_COSINE apply to the candidate.
 * GNT_OK, or a status after host->fail. */
gnt_status data_term_open(data_term *d, data_function *of, const gnt_host *host, const gnt_observation *seen,
                          match_choice choice, int cost, const granted_defense *granted);

/* Computes the cost at x and its derivative. *d_x: n × features, the host's, valid until the next
 * evaluation. */
gnt_status data_term_eval(data_term *d, const float *x, double *cost, const float **d_x);

/* Estimates unknown noise from what x leaves unexplained (whitening_refit); for DATA_WHITENED and
 * DATA_PLAIN. */
gnt_status data_term_refit(data_term *d, const float *x);

/* Computes the cost alone. */
gnt_status data_term_cost(data_term *d, const float *x, double *cost);

#endif
