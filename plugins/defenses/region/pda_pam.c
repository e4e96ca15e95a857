/* pda-pam: the server weighs clients layer by layer, more where what a client's model would reveal of
 * sensitive regions is less (FedRE, Eq. 10 and 11).
 *
 * S_l^k: the score of layer l (psi.h) at client k's local model, which is the old weights with its update
 * and the running statistics that it came back with, on public samples: the same ones, in the same
 * directions, for all clients. u_k: its weight delta, or −rate times its gradient.
 *
 *   softmax   β_l^k = n_k·exp(−S_l^k) / Σ_t n_t·exp(−S_l^t),   w_l = w̃_l + Σ_k β_l^k·u_l^k
 *   printed   α_l^k = exp(S_l^k) / Σ_t exp(S_l^t),              w_l = w̃_l + (1/K)·Σ_k u_l^k/α_l^k
 *
 * As printed a step is K times FedAvg's even where all scores are the same, for Σ 1/α ≥ K². The first rule is
 * what the text says, clients with lower scores first: with equal scores it is FedAvg to the letter, which is
 * why shares n_k stand in it; the paper's clients all hold the same number.
 *
 * A score that is NaN, or infinite, counts as infinite: the client's layer has no weight, unless all clients'
 * are so; then shares alone count. New running statistics stay the host's average. */
#include <math.h>
#include <string.h>

#include "shared/region/seeded_draws.h"
#include "shared/region/psi.h"
#include "region.h"
#include "shared/try.h"

enum { RULE_SOFTMAX, RULE_PRINTED };

typedef struct pda_pam {
    const gnt_host *host;
    int64_t rule, samples, probes;
} pda_pam;

/* Computes the scores of every client's model, clients × layers. */
static gnt_status score_clients(const pda_pam *self, const gnt_aggregate *in, const layers *l,
                                double *score) {
    const gnt_host *host = self->host;
    psi_request at = {.samples = in->public_data, .probes = self->probes};
    int64_t *row;
    gnt_status status = psi_choose(host, in->public_data, self->samples, "samples", &row, &at.n);
    float *weights = gnt_host_scratch(host, in->n_params, sizeof *weights);
    if (status != GNT_OK || !weights)
        return gnt_host_fail(host, "no memory for a client's weights");
    at.row = row;
    at.seed = draw_seed(host, "probes");
    at.weights = weights;
    for (int64_t k = 0; status == GNT_OK && k < in->n_clients; k++) {
        const double step = in->is_gradient ? -in->rate : 1;
        for (int64_t i = 0; i < in->n_params; i++)
            weights[i] = (float)((double)in->old_weights[i] + step * (double)in->update[k][i]);
        at.buffers = in->client_buffers ? in->client_buffers[k] : NULL;
        status = psi_scores(host, l, &at, score + k * l->n);
    }
    return status;
}

/* Computes the weight of each client's u in one layer; score and factor are those of its layer of the first
 * client, and go on by n_layers for each other. −1: not finite. */
static int weigh(const pda_pam *self, const gnt_aggregate *in, const double *score, int32_t n_layers,
                 double *factor) {
    const int printed = self->rule == RULE_PRINTED;
    const double sign = printed ? 1 : -1;
    double most = -INFINITY, sum = 0;
    int good = 1;
    for (int64_t k = 0; k < in->n_clients; k++)
        if (isfinite(score[k * n_layers]))
            most = fmax(most, sign * score[k * n_layers]);
        else
            good = !printed;
    for (int64_t k = 0; k < in->n_clients; k++) {
        const double s = score[k * n_layers];
        const double e = isfinite(s) ? exp(sign * s - most) : isfinite(most) ? 0 : 1;
        sum += factor[k * n_layers] = e * (printed ? 1 : in->share[k]);
    }
    for (int64_t k = 0; k < in->n_clients; k++) {
        double *f = &factor[k * n_layers];
        *f = printed ? sum / *f / (double)in->n_clients : *f / sum;
        good &= isfinite(*f) != 0;
    }
    return good ? 0 : -1;
}

/* Returns the mean over layers of 1/Σβ²: how many clients share the weight. */
static double effective_clients(const double *factor, int64_t clients, int32_t n_layers) {
    double mean = 0;
    for (int32_t l = 0; l < n_layers; l++) {
        double sum = 0, squares = 0;
        for (int64_t k = 0; k < clients; k++) {
            const double f = factor[k * n_layers + l];
            sum += f;
            squares += f * f;
        }
        mean += sum * sum / squares / n_layers;
    }
    return mean;
}

static gnt_status add_up(const pda_pam *self, const gnt_aggregate *in, const layers *l, const double *factor,
                         float *new_weights) {
    const gnt_host *host = self->host;
    const gnt_views *params = &host->model->info->params;
    const double step = in->is_gradient ? -in->rate : 1;
    int64_t at = 0;
    for (int64_t t = 0; t < params->n; t++) {
        const double *of_layer = factor + l->of[t];
        TRY(may_go_on(host));
        for (int64_t end = at + params->view[t].count; at < end; at++) {
            double sum = 0;
            for (int64_t k = 0; k < in->n_clients; k++)
                sum += of_layer[k * l->n] * (double)in->update[k][at];
            new_weights[at] = (float)((double)in->old_weights[at] + step * sum);
        }
    }
    return GNT_OK;
}

static gnt_status aggregate(void *context, const gnt_aggregate *in, float *new_weights) {
    const pda_pam *self = context;
    const gnt_host *host = self->host;
    layers l;
    if (in->n_params != host->model->info->n_params)
        return unsupported(host, "the model has parameters that clients keep for themselves, and without "
                                 "them the server cannot score their models; share all of it");
    TRY(psi_fits(host, in->public_data, "public"));
    TRY(layers_of_model(host, &l));
    const size_t n = (size_t)in->n_clients * (size_t)l.n;
    double *score = gnt_host_scratch(host, n, sizeof *score);
    double *factor = gnt_host_scratch(host, n, sizeof *factor);
    TRY(have_memory(host, score && factor, "no memory for the scores of the clients' layers"));
    TRY(score_clients(self, in, &l, score));
    for (int32_t i = 0; i < l.n; i++)
        if (weigh(self, in, score + i, l.n, factor + i) != 0)
            return gnt_host_fail(
                host, "rule \"printed\" divides by a weight that is 0, for the scores of two clients "
                      "lie hundreds apart or are not finite; take rule \"softmax\"");
    gnt_host_fact(host, "effective_clients", effective_clients(factor, in->n_clients, l.n));
    return add_up(self, in, &l, factor, new_weights);
}

static const gnt_defense hooks = {.size = sizeof hooks, .aggregate = aggregate};

static const char *const rules[] = {"softmax", "printed", NULL};

static const gnt_parameter parameters[] = {
    GNT_CHOICE(pda_pam, rule, rules, "softmax",
               "softmax: a mean of updates, with more weight for lower scores; printed: Eq. 10 and 11, whose "
               "steps are at least as many times longer as there are clients"),
    SAMPLES_ROW(pda_pam, "public"),
    PROBES_ROW(pda_pam),
};

/* A word of its own: what clients send, given the model, is the same with it and without. */
static const char *const families[] = {"aggregation", NULL};

const gnt_descriptor pda_pam_descriptor = {
    GNT_DEFENSE("pda-pam", "1.0",
                "the server gives less weight to layers of clients that reveal more of sensitive regions",
                "MIT", FEDRE_PAPER),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_NEEDS_PUBLIC | GNT_FLAG_RESUMES,
    .conditions = GNT_IF_WHOLE_MODEL,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(pda_pam),
};
