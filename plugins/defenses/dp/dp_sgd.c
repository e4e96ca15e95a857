/* dp-sgd: DP-SGD at each client. Each local step takes a random batch, clips the gradient of each of its
 * samples to C, adds N(0, (σC)²) to every entry of their sum, and divides by the size of the batch.
 *
 *   W ← W − rate·(Σ_i g_i·min(1, C/‖g_i‖) + σC·z)/B
 *
 * Source: Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang, Deep Learning with Differential
 * Privacy, CCS 2016, Algorithm 1. It promises privacy of one sample of a client: `epsilon_sample_add` and
 * `epsilon_sample_replace` are of the whole training, with amplification by random batches
 * (shared/dp/sampled_gaussian.h), and count the client as one that takes part in every round. The epsilons of
 * clients (shared/dp/epsilon_facts.h) count no amplification.
 *
 * Steps are plain SGD. Batch norm computes with the broadcast running statistics, because a gradient of one
 * sample must not depend on others, and none are sent. Where a client shares one gradient, the host has
 * chosen its samples, so that nothing is amplified. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp_plugins.h"
#include "shared/dp/epsilon_facts.h"
#include "shared/dp/sampled_gaussian.h"
#include "shared/try.h"

typedef struct dp_sgd {
    const gnt_host *host;
    double sigma, clip, delta;
    int64_t sampling;
    /* of the last epsilons that were computed */
    sampled_gaussian known;
    double add, replace;
} dp_sgd;

/* One client's computation. */
typedef struct local {
    const dp_sgd *self;
    const gnt_client *client;
    gnt_function *gradient; /* of one sample */
    gnt_tensors *sum;       /* of clipped gradients; its entries are those of the update */
    float *weights, *noise; /* all parameters; of the largest tensor */
    int64_t *order;         /* samples; those of a fixed batch come first */
    int64_t clipped, taken; /* samples so far */
    double batch;           /* samples of a step that are expected */
} local;

static gnt_status open_local(local *l, gnt_tensors *update) {
    const gnt_host *host = l->self->host;
    const gnt_model_info *info = host->model->info;
    const gnt_samples *s = l->client->samples;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .training = 0};
    int64_t largest = 1;
    for (int64_t k = 0; k < update->n; k++)
        largest = update->tensor[k].count > largest ? update->tensor[k].count : largest;
    l->sum = update;
    l->batch = (double)(l->client->steps > 0 && l->client->batch < s->n ? l->client->batch : s->n);
    l->weights = gnt_host_scratch(host, info->n_params, sizeof *l->weights);
    l->noise = gnt_host_scratch(host, largest, sizeof *l->noise);
    l->order = gnt_host_scratch(host, s->n, sizeof *l->order);
    TRY(have_memory(host, l->weights && l->noise && l->order, "no memory for a client's local steps"));
    memcpy(l->weights, l->client->weights, (size_t)info->n_params * sizeof *l->weights);
    for (int64_t i = 0; i < s->n; i++)
        l->order[i] = i;
    l->gradient = host->model->prepare(host->model->context, &spec);
    return l->gradient ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

/* Adds the clipped gradient of a sample. */
static gnt_status add_sample(local *l, int64_t sample) {
    const gnt_host *host = l->self->host;
    const gnt_samples *s = l->client->samples;
    const gnt_function_args args = {.size = sizeof args,
                                    .x = s->x + sample * s->features,
                                    .y = s->y + sample * s->classes,
                                    .weights = l->weights,
                                    .buffers = l->client->buffers};
    const gnt_views *g;
    double squares = 0;
    if (host->model->eval(host->model->context, l->gradient, &args, &g) != GNT_OK)
        return gnt_host_fail(host, gnt_host_last_error(host));
    for (int64_t k = 0; k < g->n; k++)
        for (int64_t i = 0; i < g->view[k].count; i++)
            squares += (double)g->view[k].data[i] * (double)g->view[k].data[i];
    const double norm = sqrt(squares);
    if (!isfinite(norm))
        return gnt_host_fail(host, "the gradient of a sample is not finite, which cannot be clipped; a lower "
                                   "rate may help");
    const float factor = norm > l->self->clip ? (float)(l->self->clip / norm) : 1;
    for (int64_t k = 0; k < g->n; k++)
        for (int64_t i = 0; i < g->view[k].count; i++)
            l->sum->tensor[k].data[i] += factor * g->view[k].data[i];
    l->clipped += norm > l->self->clip;
    l->taken++;
    return GNT_OK;
}

/* Adds those of a random batch, or of all samples of one gradient. */
static gnt_status add_batch(local *l) {
    const gnt_host *host = l->self->host;
    const int64_t n = l->client->samples->n, batch = (int64_t)l->batch;
    const int poisson = l->self->sampling == SAMPLED_POISSON;
    for (int64_t k = 0; k < l->sum->n; k++)
        memset(l->sum->tensor[k].data, 0, (size_t)l->sum->tensor[k].count * sizeof(float));
    for (int64_t i = 0; i < (poisson ? n : batch); i++) {
        TRY(may_go_on(host));
        if (batch < n && poisson) {
            double u;
            gnt_host_uniform(host, "batch", 1, &u);
            if (u >= l->batch / (double)n)
                continue;
        } else if (batch < n) {
            const int64_t k = i + (int64_t)gnt_host_below(host, "batch", (uint64_t)(n - i)), at = l->order[i];
            l->order[i] = l->order[k];
            l->order[k] = at;
        }
        TRY(add_sample(l, l->order[i]));
    }
    return GNT_OK;
}

/* Adds the noise and divides: the sum becomes the step's gradient. */
static void finish_gradient(local *l) {
    const dp_sgd *self = l->self;
    const double scale = self->sigma * self->clip;
    for (int64_t k = 0; k < l->sum->n; k++) {
        gnt_tensor *t = &l->sum->tensor[k];
        char stream[200];
        snprintf(stream, sizeof stream, "noise %s", t->name);
        if (scale > 0)
            gnt_host_normal(self->host, stream, t->count, l->noise);
        for (int64_t i = 0; i < t->count; i++)
            t->data[i] =
                (float)(((double)t->data[i] + (scale > 0 ? scale * (double)l->noise[i] : 0)) / l->batch);
    }
}

/* Adds `factor` times what `l->sum` has to the weights; puts what they moved by into l->sum if `ends`. */
static void move(local *l, double factor, int ends) {
    const gnt_model_info *info = l->self->host->model->info;
    int64_t at = 0, shared = 0;
    for (int64_t k = 0; k < info->params.n; at += info->params.view[k++].count) {
        if (info->federated && !info->federated[k])
            continue;
        gnt_tensor *t = &l->sum->tensor[shared++];
        for (int64_t i = 0; i < t->count; i++) {
            float *w = &l->weights[at + i];
            *w = (float)((double)*w + factor * (double)t->data[i]);
            if (ends)
                t->data[i] = *w - l->client->weights[at + i];
        }
    }
}

static gnt_status compute(local *l) {
    const int32_t steps = l->client->steps;
    for (int32_t i = 0; i < (steps > 0 ? steps : 1); i++) {
        TRY(add_batch(l));
        finish_gradient(l);
        if (steps > 0)
            move(l, -l->client->rate, i + 1 == steps);
    }
    return GNT_OK;
}

/* Reports the epsilons of one sample, and those of a client, whose data are all of what a step adds. */
static void report(dp_sgd *self, const local *l) {
    const gnt_client *c = l->client;
    const int64_t n = c->samples->n;
    const double steps = c->steps > 0 ? c->steps : 1, rounds = c->rounds > 0 ? c->rounds : 1;
    const sampled_gaussian s = {.sampling = self->sampling == SAMPLED_FIXED,
                                .q = c->steps > 0 ? l->batch / (double)n : 1,
                                .sigma = self->sigma,
                                .steps = steps * rounds};
    gnt_host_fact(self->host, "clipped", l->taken > 0 ? (double)l->clipped / (double)l->taken : 0);
    if (!(self->delta > 0) || !(self->sigma > 0))
        return;
    if (s.q != self->known.q || s.steps != self->known.steps) {
        self->add = sampled_gaussian_add(&s, self->delta);
        self->replace = sampled_gaussian_replace(&s, self->delta);
        self->known = s;
    }
    if (isfinite(self->add))
        gnt_host_fact(self->host, "epsilon_sample_add", self->add);
    if (isfinite(self->replace))
        gnt_host_fact(self->host, "epsilon_sample_replace", self->replace);
    const double most = s.sampling == SAMPLED_FIXED ? l->batch : (double)n;
    gaussian_epsilon_facts(self->host, c, self->delta, sqrt(steps) * most / self->sigma);
}

static gnt_status client_update(void *context, const gnt_client *client, gnt_tensors *update) {
    dp_sgd *self = context;
    local l = {.self = self, .client = client};
    gnt_status status = open_local(&l, update);
    if (status == GNT_OK)
        status = compute(&l);
    if (l.gradient)
        self->host->model->release(self->host->model->context, l.gradient);
    if (status == GNT_OK)
        report(self, &l);
    return status;
}

static const gnt_defense hooks = {.size = sizeof hooks, .client_update = client_update};

static const char *const samplings[] = {"poisson", "fixed", NULL};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(dp_sgd, sigma, 1e-4, 1000, 1, GNT_SCALE_LOG, 1, "clip",
                      "deviation of the noise on the sum of a batch's gradients, in units of `clip`"),
    GNT_REAL(dp_sgd, clip, 1e-8, 1e6, 1, GNT_SCALE_LOG, "units of the gradient",
             "C: greatest L2 norm of a sample's gradient"),
    GNT_REAL(dp_sgd, delta, 0, 0.5, 1e-5, GNT_SCALE_LINEAR, "",
             "of the epsilons that are reported; 0: none are"),
    GNT_CHOICE(
        dp_sgd, sampling, samplings, "poisson",
        "poisson: each sample is in a batch with the same probability, so that batches differ in size; "
        "fixed: batches of one size, drawn without replacement"),
};

static const char *const families[] = {GNT_FAMILY_NOISE, GNT_FAMILY_CLIPPING, NULL};

const gnt_descriptor dp_sgd_descriptor = {
    GNT_DEFENSE("dp-sgd", "1.0",
                "clips the gradient of each sample and adds Gaussian noise in each local step", "MIT",
                "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang, Deep Learning with Differential "
                "Privacy, CCS 2016, Algorithm 1"),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,
    .families = families,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(dp_sgd),
};
