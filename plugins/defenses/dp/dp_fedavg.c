/* dp-fedavg: DP-FedAvg with noise at the server. Each client clips its update u_k to the norm C; the server
 * adds noise to the sum of the m clients of a round, and divides by m.
 *
 *   W ← W + (Σ_k u_k·min(1, C/‖u_k‖) + zC·N(0, I)) / m
 *
 * Source: McMahan, Ramage, Talwar and Zhang, Learning Differentially Private Recurrent Language Models, ICLR
 * 2018, Algorithm 1, with flat clipping and all weights w_k = 1: a client counts once, whatever it holds. Of
 * one shared gradient the mean is noised, and the step is −rate times that.
 *
 * It protects a client from those who see the models alone: the epsilons (shared/dp/epsilon_facts.h) are
 * of the sum, in which one client's update is left out (its place counts in m, which is no secret) or is
 * exchanged for another. The server gets single updates, which are clipped and no more: against it there is
 * no epsilon, which the fact `epsilon_covers_updates` says. The paper's accountant counts amplification by
 * the sampling of clients too; this one does not.
 *
 * What clients send of batch-norm statistics is a part of the sum: clipped with the update, as one vector,
 * and noised at the server. */
#include <string.h>

#include "clip_noise.h"
#include "dp_plugins.h"
#include "shared/dp/epsilon_facts.h"
#include "shared/try.h"

enum { CHUNK = 1 << 15 }; /* entries between two calls of should_stop */

typedef struct fedavg {
    const gnt_host *host;
    double noise_multiplier; /* z */
    double clip, delta;
    int64_t statistics; /* 1: those of batch norm are treated as a part of the update */
} fedavg;

/* ---- the client ---- */

static void report(const fedavg *self, const gnt_client *client, const dp_clipped *clipped) {
    const gnt_host *host = self->host;
    gnt_host_fact(host, "norm", clipped->norm);
    gnt_host_fact(host, "clipped", clipped->share);
    if (self->delta == 0)
        return;
    gaussian_epsilon_facts(host, client, self->delta, 1 / self->noise_multiplier);
    gnt_host_fact(host, "epsilon_covers_updates", 0);
    if (dp_sent_statistics(client))
        gnt_host_fact(host, "epsilon_covers_statistics", self->statistics != 0);
}

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const fedavg *self = context;
    const gnt_host *host = self->host;
    const dp bound = {.host = host,
                      .clip = self->clip,
                      .clip_mode = CLIP_GLOBAL,
                      .norm = NORM_L2,
                      .statistics = self->statistics};
    dp_clipped clipped;
    gnt_tensors *all = dp_released(&bound, client, update, NULL);
    if (!all)
        return gnt_host_fail(host, "no memory for a list of the update's tensors");
    TRY(may_go_on(host));
    if (dp_clip(&bound, all, &clipped) != 0)
        return gnt_host_fail(host, "the update holds NaN or infinite entries, which cannot be clipped");
    report(self, client, &clipped);
    return GNT_OK;
}

/* ---- the server ---- */

/* The m vectors that clients sent, and what they are added to. */
typedef struct sum {
    const float *const *of_client;
    const float *less; /* taken off each; NULL: 0 */
    const float *to;
    int64_t n, clients;
    double step; /* times the noisy mean */
} sum;

/* Computes out = to + step·(Σ_k (of_client_k − less) + deviation·N(0, I))/m. */
static gnt_status add_noisy_mean(const gnt_host *host, const sum *s, double deviation, const char *stream,
                                 float *out) {
    float *noise = gnt_host_scratch(host, CHUNK, sizeof *noise);
    TRY(have_memory(host, noise != NULL, "no memory for the noise"));
    for (int64_t from = 0; from < s->n; from += CHUNK) {
        const int64_t n = s->n - from < CHUNK ? s->n - from : CHUNK;
        TRY(may_go_on(host));
        gnt_host_normal(host, stream, n, noise);
        for (int64_t i = from; i < from + n; i++) {
            double total = deviation * (double)noise[i - from];
            for (int64_t k = 0; k < s->clients; k++)
                total += (double)s->of_client[k][i] - (s->less ? (double)s->less[i] : 0);
            out[i] = (float)((double)s->to[i] + s->step * total / (double)s->clients);
        }
    }
    return GNT_OK;
}

/* Sets negative variances to 0, as the host does with those that it averages. */
static void lift_variances(const gnt_views *statistics, float *at) {
    static const char variance[] = "running_var";
    const size_t end = sizeof variance - 1;
    for (int64_t k = 0; k < statistics->n; at += statistics->view[k++].count) {
        const gnt_view *v = &statistics->view[k];
        const size_t length = strlen(v->name);
        if (length < end || strcmp(v->name + length - end, variance) != 0)
            continue;
        for (int64_t i = 0; i < v->count; i++)
            at[i] = at[i] < 0 ? 0 : at[i];
    }
}

static gnt_status aggregate(void *context, const gnt_aggregate *in, float *new_weights) {
    const fedavg *self = context;
    const gnt_host *host = self->host;
    const double deviation = self->noise_multiplier * self->clip;
    const sum updates = {.of_client = in->update,
                         .to = in->old_weights,
                         .n = in->n_params,
                         .clients = in->n_clients,
                         .step = in->is_gradient ? -in->rate : 1};
    TRY(add_noisy_mean(host, &updates, deviation, "noise", new_weights));
    gnt_host_fact(host, "noise_of_mean", deviation / (double)in->n_clients);
    if (!self->statistics || in->n_buffers == 0)
        return GNT_OK;
    const sum statistics = {.of_client = in->client_buffers,
                            .less = in->buffers,
                            .to = in->buffers,
                            .n = in->n_buffers,
                            .clients = in->n_clients,
                            .step = 1};
    TRY(add_noisy_mean(host, &statistics, deviation, "noise of statistics", in->new_buffers));
    lift_variances(&host->model->info->buffers, in->new_buffers);
    return GNT_OK;
}

static const gnt_defense hooks = {
    .size = sizeof hooks, .transform_update = transform_update, .aggregate = aggregate};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(fedavg, noise_multiplier, 1e-5, 100, 1, GNT_SCALE_LOG, 1, "clip",
                      "z: deviation of the noise on the sum of the clients' updates, in units of `clip`; on "
                      "their mean it is z*clip over their number"),
    GNT_REAL(fedavg, clip, 1e-10, 1e6, 4, GNT_SCALE_LOG, "units of the update",
             "C: greatest L2 norm of a client's update"),
    GNT_REAL(fedavg, delta, 0, 0.5, 1e-5, GNT_SCALE_LINEAR, "",
             "of the epsilons that are reported; 0: none are"),
    GNT_BOOL(fedavg, statistics, 1,
             "1: what is sent of batch-norm statistics is clipped with the update, as one vector, and noised "
             "by the server; 0: it is averaged as it is, and epsilon does not cover it"),
};

/* The plugin that attacks name: of an update they read no more than its clip, and there is no more. */
static const char *const families[] = {"clip", NULL};

const gnt_descriptor dp_fedavg_descriptor = {
    GNT_DEFENSE("dp-fedavg", "1.0",
                "clips each update; the server adds Gaussian noise to their mean, which hides none from it",
                "MIT",
                "McMahan, Ramage, Talwar and Zhang, Learning Differentially Private Recurrent Language "
                "Models, ICLR 2018, Algorithm 1"),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,
    .families = families,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(fedavg),
};
