#include "both_signs.h"

#include <math.h>
#include <string.h>

static const double no_noise = 1e-9; /* variance: the prior's own density is meant */

typedef struct one_sign { /* of one sign */
    double *x, *variance, **delta, **spread;
} one_sign;

static int has_negatives(const rank_one_input *input, int64_t features) {
    for (int64_t k = 0; k < features; k++)
        if (input->shift[k] < 0 && input->shift[k] + input->slope[k] > 0)
            return 1;
    return 0;
}

static int sign_make(one_sign *k, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                     int64_t features) {
    k->x = host->scratch(host->context, (size_t)features * sizeof *k->x);
    k->variance = host->scratch(host->context, (size_t)features * sizeof *k->variance);
    k->delta = host->scratch(host->context, (size_t)rounds * sizeof *k->delta);
    k->spread = host->scratch(host->context, (size_t)rounds * sizeof *k->spread);
    for (int64_t t = 0; k->delta && k->spread && t < rounds; t++) {
        k->delta[t] = host->scratch(host->context, (size_t)round[t]->units * sizeof(double));
        k->spread[t] = host->scratch(host->context, (size_t)round[t]->units * sizeof(double));
        if (!k->delta[t] || !k->spread[t])
            return 0;
    }
    return k->x && k->variance && k->delta && k->spread;
}

/* Copies fit and rounds to k, or back. */
static void copy_sign(const one_sign *k, rank_one_fit *fit, rank_one_round *const *round, int64_t rounds,
                      int64_t features, int back) {
    const size_t bytes = (size_t)features * sizeof(double);
    memcpy(back ? fit->x : k->x, back ? k->x : fit->x, bytes);
    memcpy(back ? fit->variance : k->variance, back ? k->variance : fit->variance, bytes);
    for (int64_t t = 0; t < rounds; t++) {
        const size_t units = (size_t)round[t]->units * sizeof(double);
        memcpy(back ? round[t]->delta : k->delta[t], back ? k->delta[t] : round[t]->delta, units);
        memcpy(back ? round[t]->variance : k->spread[t], back ? k->spread[t] : round[t]->variance, units);
    }
}

static void negate(rank_one_fit *fit, rank_one_round *const *round, int64_t rounds,
                   const rank_one_input *input, int64_t features) {
    for (int64_t k = 0; k < features; k++)
        fit->x[k] = -fit->x[k] - 2 * input->shift[k] / input->slope[k];
    for (int64_t t = 0; t < rounds; t++)
        for (int64_t i = 0; i < round[t]->units; i++)
            round[t]->delta[i] = -round[t]->delta[i];
}

/* −log of the noise's and the prior's densities at fit->x, without constants. room2: 2 × features. */
static double cost_of(const rank_one_fit *fit, rank_one_round *const *round, int64_t rounds,
                      const rank_one_input *input, const noise_law *noise, const sample_prior *prior,
                      prior_room *room, double *room2) {
    const int64_t d = prior->features;
    double sum = 0;
    for (int64_t k = 0; k < d; k++) {
        room2[k] = no_noise;
        room2[d + k] = fit->x[k] - prior->mean[k];
    }
    if (sample_prior_density_open(prior, 1, room2, room) != 0)
        return (double)NAN;
    sum = -sample_prior_density_at(prior, room2 + d, room);
    for (int64_t t = 0; t < rounds; t++)
        sum += rank_one_cost(round[t], input, noise, fit->x);
    return sum;
}

gnt_status both_signs(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                      const rank_one_input *input, const noise_law *noise, const sample_prior *prior,
                      prior_room *room) {
    const int64_t d = prior->features;
    one_sign first;
    if (noise->kind == NOISE_NONE || !has_negatives(input, d))
        return GNT_OK;
    double *room2 = host->scratch(host->context, 2 * (size_t)d * sizeof *room2);
    if (!room2 || !sign_make(&first, host, round, rounds, d))
        return host->fail(host->context, "no memory for the estimate");
    const double cost = cost_of(fit, round, rounds, input, noise, prior, room, room2);
    copy_sign(&first, fit, round, rounds, d, 0);
    negate(fit, round, rounds, input, d);
    fit->begun = 1;
    const gnt_status status = rank_one_solve(fit, host, round, rounds, input, prior, room);
    if (status != GNT_OK)
        return status;
    if (!(cost_of(fit, round, rounds, input, noise, prior, room, room2) < cost))
        copy_sign(&first, fit, round, rounds, d, 1);
    return GNT_OK;
}
