/* blur-lus: Gaussian noise on updates that were made small and sparse beforehand, so that a clip takes less
 * from them (Cheng et al., CVPR 2022): bounded local update regularisation, then local update sparsification.
 *
 *   local steps    W ← W − rate·∇[loss + (λ/2)·max(0, ‖ΔW‖² − C²)],   ΔW = W − W_start
 *   sparsify       only the share `keep` of the entries of ΔW of greatest magnitude stays
 *   release        the whole of it clipped to C, N(0, (C·σ)²) in every entry, σ = √(2T ln(1/δ))/ε
 *
 * This is our reading: the regulariser is half the squared norm beyond the bound, whose gradient is λ·ΔW
 * where ‖ΔW‖ > C and 0 elsewhere; entries are chosen by magnitude alone; and σ is FedRE's, for all rounds
 * (see mechanism.h), so that the defenses compared in that paper mean the same by ε. Noise falls on the
 * entries that were dropped too, for which ones those are is private.
 *
 * Steps are SGD on batches of its own order, with the task's momentum and weight decay; of one gradient there
 * is nothing to regularise. Batch norm is the task's: with the statistics of each batch, of which the client
 * then sends running ones, without noise, as under the other defenses of this folder. */
#include <math.h>
#include <string.h>

#include "mechanism.h"
#include "region.h"
#include "sparse.h"
#include "shared/steps/running_statistics.h"
#include "shared/try.h"

typedef struct blur_lus {
    const gnt_host *host;
    mechanism mechanism;
    double lambda, keep;
} blur_lus;

static gnt_status service_failed(const gnt_host *host) {
    return gnt_host_fail(host, gnt_host_last_error(host));
}

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for a client's local steps");
}

/* ---- local steps ---- */

typedef struct training {
    const blur_lus *self;
    const gnt_host *host;
    const gnt_client *client;
    gnt_function *loss;
    int64_t rows;                      /* of a batch */
    float *weights, *velocity, *x, *y; /* velocity NULL without momentum */
    double momentum, decay;
    running_statistics statistics;
    int64_t *order, at;  /* the samples of this pass, and the next */
    int64_t regularised; /* steps in which the regulariser acted */
} training;

static int is_shared(const gnt_model_info *info, int64_t k) {
    return !info->federated || info->federated[k];
}

static void shuffle(training *t) {
    for (int64_t i = t->client->samples->n; i-- > 1;) {
        const int64_t k = (int64_t)gnt_host_below(t->host, "order", (uint64_t)i + 1);
        const int64_t kept = t->order[i];
        t->order[i] = t->order[k];
        t->order[k] = kept;
    }
    t->at = 0;
}

static void fill_batch(training *t) {
    const gnt_samples *s = t->client->samples;
    if (t->at + t->rows > s->n)
        shuffle(t);
    for (int64_t r = 0; r < t->rows; r++) {
        const int64_t i = t->order[t->at++];
        memcpy(t->x + r * s->features, s->x + i * s->features, (size_t)s->features * sizeof *t->x);
        memcpy(t->y + r * s->classes, s->y + i * s->classes, (size_t)s->classes * sizeof *t->y);
    }
}

/* Computes ‖ΔW‖² over the parameters that clients share. */
static double moved(const training *t) {
    const gnt_model_info *info = t->host->model->info;
    double sum = 0;
    int64_t at = 0;
    for (int64_t k = 0; k < info->params.n; k++)
        for (int64_t end = at + info->params.view[k].count; at < end; at++) {
            const double d = (double)t->weights[at] - (double)t->client->weights[at];
            sum += is_shared(info, k) ? d * d : 0;
        }
    return sum;
}

static gnt_status step(training *t) {
    const gnt_host *host = t->host;
    const gnt_model_service *m = host->model;
    const gnt_function_args args = {
        .size = sizeof args, .x = t->x, .y = t->y, .weights = t->weights, .buffers = t->client->buffers};
    const gnt_views *loss;
    const gnt_gradient *by;
    fill_batch(t);
    TRY(running_statistics_take(&t->statistics, t->x, t->weights));
    if (m->eval(m->context, t->loss, &args, &loss) != GNT_OK ||
        m->vjp(m->context, t->loss, NULL, &by) != GNT_OK)
        return service_failed(host);
    const double bound = t->self->mechanism.clip;
    const int acts = moved(t) > bound * bound;
    const double pull = acts ? t->self->lambda : 0;
    t->regularised += acts;
    int64_t at = 0;
    for (int64_t k = 0; k < m->info->params.n; at += m->info->params.view[k++].count)
        for (int64_t i = 0; is_shared(m->info, k) && i < m->info->params.view[k].count; i++) {
            const double w = (double)t->weights[at + i], d = w - (double)t->client->weights[at + i];
            double v = (double)by->weights[k][i] + t->decay * w + pull * d;
            if (t->velocity)
                t->velocity[at + i] = (float)(v += t->momentum * (double)t->velocity[at + i]);
            t->weights[at + i] = (float)(w - t->client->rate * v);
        }
    return GNT_OK;
}

static gnt_status open_training(training *t) {
    const gnt_host *host = t->host;
    const gnt_samples *s = t->client->samples;
    const int64_t n = host->model->info->n_params;
    t->rows = t->client->batch < s->n ? t->client->batch : s->n;
    const gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_LOSS, .n = t->rows, .training = -1, .vjp = GNT_WRT_WEIGHTS};
    t->weights = gnt_host_scratch(host, n, sizeof *t->weights);
    t->x = gnt_host_scratch(host, t->rows * s->features, sizeof *t->x);
    t->y = gnt_host_scratch(host, t->rows * s->classes, sizeof *t->y);
    t->order = gnt_host_scratch(host, s->n, sizeof *t->order);
    if (GNT_HAS(gnt_client, t->client, decay)) {
        t->momentum = t->client->momentum;
        t->decay = t->client->decay;
    }
    if (t->momentum > 0)
        t->velocity = gnt_host_scratch(host, n, sizeof *t->velocity);
    if (!t->weights || !t->x || !t->y || !t->order || (t->momentum > 0 && !t->velocity))
        return no_memory(host);
    TRY(running_statistics_open(&t->statistics, host, t->client, t->rows));
    if (!(t->loss = host->model->prepare(host->model->context, &spec)))
        return service_failed(host);
    memcpy(t->weights, t->client->weights, (size_t)n * sizeof *t->weights);
    for (int64_t i = 0; i < s->n; i++)
        t->order[i] = i;
    t->at = s->n; /* the first batch shuffles */
    return GNT_OK;
}

static gnt_status train(const blur_lus *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *host = self->host;
    const gnt_model_service *m = host->model;
    training t = {.self = self, .host = host, .client = client};
    gnt_status status = open_training(&t);
    for (int32_t i = 0; status == GNT_OK && i < client->steps; i++)
        status = gnt_host_should_stop(host) ? GNT_STOPPED : step(&t);
    if (t.loss)
        m->release(m->context, t.loss);
    if (status == GNT_OK)
        running_statistics_send(&t.statistics);
    running_statistics_close(&t.statistics);
    if (status != GNT_OK)
        return status;
    int64_t at = 0, out = 0;
    for (int64_t k = 0; k < m->info->params.n; at += m->info->params.view[k++].count)
        if (is_shared(m->info, k)) {
            gnt_tensor *to = &update->tensor[out++];
            for (int64_t i = 0; i < to->count; i++)
                to->data[i] = t.weights[at + i] - client->weights[at + i];
        }
    gnt_host_fact(host, "regularised", (double)t.regularised / client->steps);
    return GNT_OK;
}

static gnt_status share_gradient(const gnt_host *host, const gnt_client *client, gnt_tensors *update) {
    const gnt_model_service *m = host->model;
    const gnt_samples *s = client->samples;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = s->n, .training = -1};
    const gnt_function_args args = {
        .size = sizeof args, .x = s->x, .y = s->y, .weights = client->weights, .buffers = client->buffers};
    const gnt_views *gradient;
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f || m->eval(m->context, f, &args, &gradient) != GNT_OK)
        return service_failed(host);
    for (int64_t k = 0; k < update->n; k++)
        memcpy(update->tensor[k].data, gradient->view[k].data,
               (size_t)update->tensor[k].count * sizeof(float));
    m->release(m->context, f);
    running_statistics r;
    gnt_status status = running_statistics_open(&r, host, client, s->n);
    if (status == GNT_OK)
        status = running_statistics_take(&r, s->x, client->weights);
    if (status == GNT_OK)
        running_statistics_send(&r);
    running_statistics_close(&r);
    return status;
}

static gnt_status client_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const blur_lus *self = context;
    const gnt_host *host = self->host;
    const gnt_status status =
        client->steps > 0 ? train(self, client, update) : share_gradient(host, client, update);
    for (int64_t k = 0; status == GNT_OK && k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            if (!isfinite(update->tensor[k].data[i]))
                return gnt_host_fail(
                    host, "a client's training diverged; a lower rate, or a lower lambda, may help");
    return status;
}

/* ---- what leaves ---- */

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const blur_lus *self = context;
    const gnt_host *host = self->host;
    layers whole = {.n = 1, .tensors = update->n};
    whole.of = gnt_host_scratch(host, update->n > 0 ? update->n : 1, sizeof *whole.of);
    if (!whole.of)
        return no_memory(host);
    TRY(sparse_keep(host, update, self->keep));
    return mechanism_apply(host, &self->mechanism, client, &whole, &self->mechanism.epsilon, update);
}

static const gnt_defense hooks = {
    .size = sizeof hooks, .client_update = client_update, .transform_update = transform_update};

static const gnt_parameter parameters[] = {
    EPSILON_ROW(blur_lus),
    CLIP_ROW(blur_lus, 1, "C: greatest L2 norm of the update, by the clip and the regulariser"),
    DELTA_ROW(blur_lus),
    GNT_REAL(blur_lus, lambda, 0, 1000, 1, GNT_SCALE_LINEAR, "",
             "weight of the regulariser in local steps; it must stay below 2 over the rate"),
    GNT_REAL(blur_lus, keep, 0, 1, 0.5, GNT_SCALE_LINEAR, "",
             "share of the update's entries, those of greatest magnitude, that stay; the others become 0"),
};

static const char *const families[] = {GNT_FAMILY_NOISE, GNT_FAMILY_CLIPPING, GNT_FAMILY_PRUNING, NULL};

const gnt_descriptor blur_lus_descriptor = {
    GNT_DEFENSE("blur-lus", "1.1",
                "regularises and sparsifies local updates, then clips them and adds Gaussian noise", "MIT",
                "Cheng, Wang, Zhang and Cheng, Differentially Private Federated Learning with Local "
                "Regularization and Sparsification, CVPR 2022; as a baseline: " FEDRE_PAPER),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(blur_lus),
};
