/* rank_one: the sample behind a dense layer's gradients, from all their entries and their noise.
 *
 * The gradients of a layer's weight and bias for one sample are G = δ [x̃; 1]ᵀ: a matrix of rank one, x̃ the
 * sample as the layer sees it. Each round that was observed gives such a matrix with a δ of its own,
 * N(expected, τ²) with τ fitted; x is common to all. What is looked for is the posterior of x under a
 * sample_prior, by variational Bayes: δ and x are taken as independent, and each is got in turn from the
 * other's mean and variance in closed form.
 *
 * Of Laplace noise the bound needs E|r|/b, for a residual r whose law is taken for N(m, s²). Near m it is
 * that of a normal observation: slope erf(m/(s√2))/b, curvature 2φ(m/s)/(b s). (The usual bound by normal
 * noise of unknown precision, 1/(b·√E r²), makes all precisions too large and so δ too small.) */
#ifndef GRADIENT_RANK_ONE_H
#define GRADIENT_RANK_ONE_H

#include "defense/noise_law.h"
#include "prior/sample_prior.h"

/* One round. All memory is scratch of the hook. */
typedef struct rank_one_round {
    int64_t units, features;
    float *g;                 /* units × (features + 1): weight gradients, then the bias's */
    float *weight;            /* the same shape: precision of each entry; 0: nothing is known of it */
    float *normal;            /* the same shape: what normal noise would have to show; g where it is normal */
    double *delta, *variance; /* units: mean and variance of δ */
    const double *expected;   /* units: about what δ lies before the round is seen; NULL: 0 */
    int from_bias;            /* begin at δ as first_delta.h has it: there is no noise to average */
    int against_prior;        /* of two signs that first_delta.h has to choose from, take the other */
    double bias_bound;        /* of a bias's gradient that was pruned; 0: none was, INFINITY: not known */
    int laplace;
    double scale; /* b */
} rank_one_round;

/* x̃ = slope·x + shift, entry by entry. */
typedef struct rank_one_input {
    double *slope, *shift; /* features */
} rank_one_input;

/* Sets it to the model's normalisation. Scratch of the hook. Returns 0 when memory ran out. */
int rank_one_input_make(rank_one_input *in, const gnt_host *host, int64_t features);

typedef struct rank_one_fit {
    double *x, *variance; /* features, image space */
    evidence evidence;    /* by the rounds alone */
    int64_t iterations;
    /* a solve ends where no entry of x changes by more, in its standard deviations */
    double settled;
    /* x, variance and the rounds' δ are of an earlier solve of the same rounds: it begins there */
    int begun;
} rank_one_fit;

/* Where an estimate is settled. */
#define RANK_ONE_SETTLED 0.01

/* Takes memory for units × features. NULL in `g` when it ran out. */
rank_one_round rank_one_round_make(const gnt_host *host, int64_t units, int64_t features);
/* Allocates the fit, scratch of the hook. Returns 0 when memory ran out. */
int rank_one_fit_make(rank_one_fit *fit, const gnt_host *host, int64_t features);

/* Fits x to the rounds; weights of Laplace rounds change. GNT_OK, GNT_STOPPED, or a status after host->fail.
 */
gnt_status rank_one_solve(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round,
                          int64_t rounds, const rank_one_input *input, const sample_prior *prior,
                          prior_room *room);

/* Multiplies the rounds' δ by `by`, and sets fit->x to the posterior mean that they give. Allocates nothing.
 * Returns 0, or −1 if numbers are not finite. */
int rank_one_rescale(rank_one_fit *fit, rank_one_round *const *round, int64_t rounds,
                     const rank_one_input *input, const sample_prior *prior, prior_room *room, double by);

/* Returns the cost (noise_law.h) of a round's entries at x with the δ that fits them best. */
double rank_one_cost(const rank_one_round *r, const rank_one_input *input, const noise_law *noise,
                     const double *x);

#endif
