#include "per_sample.h"

#include <math.h>
#include <string.h>

#include "gauntlet/dp.h"
#include "shared/dp/epsilon_facts.h"
#include "shared/try.h"

/* One client's computation. */
typedef struct local {
    const gnt_host *host;
    const mechanism *m;
    const gnt_client *client;
    const layers *l;
    gnt_function *gradient;  /* of one sample */
    gnt_tensors *mean;       /* of a step; its entries are those of the update */
    float *weights, *noise;  /* all parameters; room for draws */
    double *sigma, *squares; /* of each layer: S·σ_l over C; ‖g_l‖² of a sample */
    int64_t *order, at;      /* the samples of this pass, and the next */
    int64_t rows, steps;     /* B; 1 of one gradient */
    double clipped, ratio;   /* shares and noise to signal, summed over steps */
} local;

static gnt_status open_local(local *l) {
    const gnt_host *host = l->host;
    const gnt_model_info *info = host->model->info;
    const gnt_samples *s = l->client->samples;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .training = 0};
    const int32_t n_layers = l->l->n > 0 ? l->l->n : 1;
    l->steps = l->client->steps > 0 ? l->client->steps : 1;
    l->rows = l->client->steps > 0 && l->client->batch < s->n ? l->client->batch : s->n;
    l->weights = gnt_host_scratch(host, info->n_params, sizeof *l->weights);
    l->noise = gnt_host_scratch(host, MECHANISM_CHUNK, sizeof *l->noise);
    l->sigma = gnt_host_scratch(host, n_layers, sizeof *l->sigma);
    l->squares = gnt_host_scratch(host, n_layers, sizeof *l->squares);
    l->order = gnt_host_scratch(host, s->n, sizeof *l->order);
    TRY(have_memory(host, l->weights && l->noise && l->sigma && l->squares && l->order,
                    "no memory for a client's local steps"));
    memcpy(l->weights, l->client->weights, (size_t)info->n_params * sizeof *l->weights);
    for (int64_t i = 0; i < s->n; i++)
        l->order[i] = i;
    l->at = s->n; /* the first batch begins a pass */
    l->gradient = host->model->prepare(host->model->context, &spec);
    return l->gradient ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

/* Begins a pass where what is left of the last is no whole batch. */
static void next_batch(local *l) {
    const int64_t n = l->client->samples->n;
    if (l->at + l->rows <= n)
        return;
    for (int64_t i = n; l->rows < n && i-- > 1;) {
        const int64_t k = (int64_t)gnt_host_below(l->host, "order", (uint64_t)i + 1), kept = l->order[i];
        l->order[i] = l->order[k];
        l->order[k] = kept;
    }
    l->at = 0;
}

/* Adds a sample's gradient over B, clipped layer by layer. */
static gnt_status add_sample(local *l, int64_t sample) {
    const gnt_host *host = l->host;
    const gnt_samples *s = l->client->samples;
    const gnt_function_args args = {.size = sizeof args,
                                    .x = s->x + sample * s->features,
                                    .y = s->y + sample * s->classes,
                                    .weights = l->weights,
                                    .buffers = l->client->buffers};
    const gnt_views *g;
    if (host->model->eval(host->model->context, l->gradient, &args, &g) != GNT_OK)
        return gnt_host_fail(host, gnt_host_last_error(host));
    memset(l->squares, 0, (size_t)l->l->n * sizeof *l->squares);
    for (int64_t k = 0; k < g->n; k++)
        for (int64_t i = 0; i < g->view[k].count; i++)
            l->squares[l->l->of[k]] += (double)g->view[k].data[i] * (double)g->view[k].data[i];
    for (int64_t k = 0; k < g->n; k++) {
        const double norm = sqrt(l->squares[l->l->of[k]]), bound = mechanism_clip(l->m, l->l->of[k]);
        if (!isfinite(norm))
            return gnt_host_fail(host, "the gradient of a sample is not finite, which cannot be clipped; a "
                                       "lower rate may help");
        const double factor = (norm > bound ? bound / norm : 1) / (double)l->rows;
        for (int64_t i = 0; i < g->view[k].count; i++)
            l->mean->tensor[k].data[i] += (float)(factor * (double)g->view[k].data[i]);
    }
    for (int32_t k = 0; k < l->l->n; k++)
        l->clipped += (sqrt(l->squares[k]) > mechanism_clip(l->m, k)) / ((double)l->rows * l->l->n);
    return GNT_OK;
}

/* Adds the noise of a step; what it is in proportion to the mean counts towards noise_to_signal. */
static gnt_status add_noise(local *l) {
    double noise = 0, signal = 0;
    for (int64_t k = 0; k < l->mean->n; k++) {
        gnt_tensor *t = &l->mean->tensor[k];
        const double deviation = mechanism_clip(l->m, l->l->of[k]) * l->sigma[l->l->of[k]];
        for (int64_t i = 0; i < t->count; i++)
            signal += (double)t->data[i] * (double)t->data[i];
        noise += (double)t->count * deviation * deviation;
        TRY(mechanism_add_noise(l->host, t, deviation, l->noise));
    }
    l->ratio += signal > 0 ? sqrt(noise / signal) : 0;
    return GNT_OK;
}

/* Adds `factor` times the mean to the weights; puts what they moved by into it if `ends`. */
static void move(local *l, double factor, int ends) {
    const gnt_model_info *info = l->host->model->info;
    int64_t at = 0, shared = 0;
    for (int64_t k = 0; k < info->params.n; at += info->params.view[k++].count) {
        if (info->federated && !info->federated[k])
            continue;
        gnt_tensor *t = &l->mean->tensor[shared++];
        for (int64_t i = 0; i < t->count; i++) {
            float *w = &l->weights[at + i];
            *w = (float)((double)*w + factor * (double)t->data[i]);
            if (ends)
                t->data[i] = *w - l->client->weights[at + i];
        }
    }
}

static gnt_status compute(local *l) {
    for (int64_t i = 0; i < l->steps; i++) {
        next_batch(l);
        for (int64_t k = 0; k < l->mean->n; k++)
            memset(l->mean->tensor[k].data, 0, (size_t)l->mean->tensor[k].count * sizeof(float));
        for (int64_t r = 0; r < l->rows; r++) {
            TRY(may_go_on(l->host));
            TRY(add_sample(l, l->order[l->at++]));
        }
        TRY(add_noise(l));
        if (l->client->steps > 0)
            move(l, -l->client->rate, i + 1 == l->steps);
    }
    return GNT_OK;
}

/* Returns in how many batches of a round one sample is at most. */
static double uses_of(const local *l) {
    const int64_t of_pass = l->client->samples->n / l->rows;
    return (double)((l->steps + of_pass - 1) / of_pass);
}

static void report(const local *l, const double *epsilon) {
    const gnt_host *host = l->host;
    const double rounds = l->client->rounds > 1 ? l->client->rounds : 1, steps = (double)l->steps;
    double claimed = 0, inverse = 0; /* Σ (C/(S·σ_l))² */
    for (int32_t k = 0; k < l->l->n; k++) {
        claimed += epsilon[k];
        inverse += 1 / (l->sigma[k] * l->sigma[k]);
    }
    gnt_host_fact(host, "epsilon_claimed", claimed);
    gaussian_epsilon_facts(host, l->client, l->m->delta, sqrt(steps * inverse));
    gnt_host_fact(
        host, "epsilon_sample_replace",
        gnt_dp_gaussian_epsilon(1, l->m->delta, 2 / (double)l->rows * sqrt(rounds * uses_of(l) * inverse)));
    gnt_host_fact(host, "clipped", l->clipped / steps);
    gnt_host_fact(host, "noise_to_signal", l->ratio / steps);
}

gnt_status per_sample_update(const gnt_host *host, const mechanism *m, const gnt_client *client,
                             const layers *of, const double *epsilon, gnt_tensors *update) {
    local l = {.host = host, .m = m, .client = client, .l = of, .mean = update};
    TRY(mechanism_fits(host, m, of->n));
    gnt_status status = open_local(&l);
    if (status == GNT_OK) {
        const int by_sample = m->sensitivity == SENSITIVITY_SAMPLE;
        const double rounds = client->rounds > 1 ? client->rounds : 1;
        const double noisy = rounds * (by_sample ? uses_of(&l) : (double)l.steps);
        const double share = by_sample ? 2 / (double)l.rows : 1;
        for (int32_t k = 0; k < of->n; k++)
            l.sigma[k] = share * mechanism_sigma(epsilon[k], m->delta / of->n, noisy);
        status = compute(&l);
    }
    if (l.gradient)
        host->model->release(host->model->context, l.gradient);
    if (status == GNT_OK)
        report(&l, epsilon);
    return status;
}
