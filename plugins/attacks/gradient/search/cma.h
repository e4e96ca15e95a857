/* cma: minimises a function of a few hundred variables from its values alone.
 *
 * The (μ/μ_w, λ)-CMA-ES of Hansen, The CMA Evolution Strategy: A Tutorial, arXiv 1604.00772, with its default
 * settings and positive weights: the covariance C learns from the better half of each population (rank μ) and
 * from the path of the mean (rank one). Samples are m + σ·L·z with C = L·Lᵀ by Cholesky instead of an
 * eigendecomposition, and the path of σ adds up the mean of the z themselves, where the tutorial takes
 * C^(−1/2) of the step: the same but for a rotation that changes slowly (Krause, Arbonès and Igel, CMA-ES
 * with Optimal Covariance Update and Storage Complexity, NeurIPS 2016).
 *
 * All memory is scratch of the hook that opens it. Draws come from one named stream of the host. */
#ifndef GRADIENT_CMA_H
#define GRADIENT_CMA_H

#include "gauntlet/plugin.h"

typedef struct cma {
    const gnt_host *host;
    const char *stream;
    int64_t n, population, parents, generation;
    double step;         /* σ */
    double *weight;      /* parents: sum to 1, falling */
    double mass;         /* μ_eff = 1/Σ weight² */
    double *mean;        /* n */
    double *covariance;  /* n × n, symmetric */
    double *factor;      /* n × n: L in its lower triangle */
    double *path_step;   /* n: of σ, in the z's coordinates */
    double *path_spread; /* n: of C */
    double *moved;       /* n: room */
    double *y;           /* population × n: L·z */
    float *z;            /* population × n */
    int64_t *order;      /* population: by cost */
} cma;

/* Starts a search. population 0: the tutorial's 4 + ⌊3 ln n⌋. start: n entries; step: the deviation of the
 * first samples. GNT_OK, or a status after host->fail. */
gnt_status cma_open(cma *c, const gnt_host *host, int64_t n, int64_t population, const double *start,
                    double step, const char *stream);
/* Draws the next population into x (population × n). */
void cma_ask(cma *c, double *x);
/* Learns from the costs of the population that cma_ask drew last; a cost that is not finite counts as
 * worst. Of equal costs the earlier is the better. */
void cma_tell(cma *c, const double *cost);

#endif
