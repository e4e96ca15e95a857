#include "linear/both_signs.h"
#include "hook.h"

#include <math.h>
#include <string.h>

static const double no_noise = 1e-9; /* variance: the prior's own density is meant */

typedef struct one_sign { /* of one sign */
    double *x, *variance, **delta, **spread;
} one_sign;

/* True if the sign is known: without noise, any bias that was not pruned gives it. */
static int is_sign_known(rank_one_round *const *round, int64_t rounds) {
    for (int64_t t = 0; t < rounds; t++)
        for (int64_t i = 0; round[t]->from_bias && i < round[t]->units; i++)
            if (round[t]->g[i * (round[t]->features + 1) + round[t]->features] != 0)
                return 1;
    return 0;
}

static int has_negatives(const rank_one_input *input, int64_t features) {
    for (int64_t k = 0; k < features; k++)
        if (input->shift[k] < 0 && input->shift[k] + input->slope[k] > 0)
            return 1;
    return 0;
}

static int sign_make(one_sign *k, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                     int64_t features) {
    k->x = gnt_host_scratch(host, features, sizeof *k->x);
    k->variance = gnt_host_scratch(host, features, sizeof *k->variance);
    k->delta = gnt_host_scratch(host, rounds, sizeof *k->delta);
    k->spread = gnt_host_scratch(host, rounds, sizeof *k->spread);
    for (int64_t t = 0; k->delta && k->spread && t < rounds; t++) {
        k->delta[t] = gnt_host_scratch(host, round[t]->units, sizeof(double));
        k->spread[t] = gnt_host_scratch(host, round[t]->units, sizeof(double));
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

double layer_densities_cost(void *layer_densities_, const double *x) {
    const layer_densities *l = layer_densities_;
    const int64_t d = l->prior->features;
    for (int64_t k = 0; k < d; k++) {
        l->vectors[k] = no_noise;
        l->vectors[d + k] = x[k] - l->prior->mean[k];
    }
    if (sample_prior_density_open(l->prior, 1, l->vectors, l->room) != 0)
        return (double)NAN;
    double sum = -sample_prior_density_at(l->prior, l->vectors + d, l->room);
    for (int64_t t = 0; t < l->rounds; t++)
        sum += rank_one_cost(l->round[t], l->input, l->noise, x);
    return sum;
}

/* Makes the next solve begin at the other sign. */
static void turn(rank_one_fit *fit, rank_one_round *const *round, int64_t rounds, const rank_one_input *input,
                 int64_t features) {
    fit->begun = !round[0]->from_bias;
    if (fit->begun)
        negate(fit, round, rounds, input, features);
    for (int64_t t = 0; t < rounds; t++)
        round[t]->against_prior = !fit->begun;
}

gnt_status both_signs(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                      const rank_one_input *input, const sample_prior *prior, prior_room *room,
                      sign_judge judge) {
    const int64_t d = prior->features;
    one_sign first;
    if (!has_negatives(input, d) || is_sign_known(round, rounds))
        return GNT_OK;
    if (!sign_make(&first, host, round, rounds, d))
        return hook_no_memory(host);
    const double cost = judge.cost(judge.context, fit->x);
    copy_sign(&first, fit, round, rounds, d, 0);
    turn(fit, round, rounds, input, d);
    TRY(rank_one_solve(fit, host, round, rounds, input, prior, room));
    const int is_better = judge.cost(judge.context, fit->x) < cost;
    gnt_host_fact(host, "sign_turned", is_better);
    if (!is_better)
        copy_sign(&first, fit, round, rounds, d, 1);
    return GNT_OK;
}
