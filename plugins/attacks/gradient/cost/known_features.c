#include "cost/known_features.h"

#include <string.h>

#include "hook.h"

/* Prepares the function, unless the instance has it. */
static gnt_status prepare(known_features *k, int32_t layer) {
    const gnt_host *host = k->host;
    const gnt_model_service *service = host->model;
    const uint32_t constant = k->steps == 1 ? GNT_HELD_WEIGHTS : 0;
    features_function *of = k->of;
    if (of->features && of->n == k->batch && of->constant == constant) {
        service->changed(service->context, of->features);
        return GNT_OK;
    }
    if (of->features)
        service->release(service->context, of->features);
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = k->batch,
                              .layer = &layer,
                              .n_layers = 1,
                              .training = -1,
                              .vjp = GNT_WRT_X,
                              .held = constant};
    *of = (features_function){service->prepare(service->context, &spec), k->batch, constant};
    return of->features ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

gnt_status known_features_open(known_features *k, features_function *of, const gnt_host *host,
                               const gnt_observation *seen, int32_t layer, int64_t features) {
    const int64_t pixels = hook_features(host->model->info);
    const int in_steps = seen->steps > 1 && seen->n == seen->steps * seen->batch;
    *k = (known_features){.host = host, .seen = seen, .of = of, .n = seen->n, .features = features};
    k->steps = in_steps ? seen->steps : 1;
    k->batch = in_steps ? seen->batch : seen->n;
    k->args = hook_args(seen, NULL, NULL, NULL);
    k->wanted = gnt_host_scratch(host, seen->n * features, sizeof *k->wanted);
    k->d_f = gnt_host_scratch(host, seen->n * features, sizeof *k->d_f);
    k->known = gnt_host_scratch(host, seen->n, sizeof *k->known);
    k->at = gnt_host_scratch(host, k->batch, sizeof *k->at);
    TRY(hook_memory(host, k->wanted && k->d_f && k->known && k->at));
    if (in_steps) {
        k->weights = gnt_host_scratch(host, host->model->info->n_params, sizeof *k->weights);
        k->x = gnt_host_scratch(host, (k->batch + k->n) * pixels, sizeof *k->x);
        TRY(hook_memory(host, k->weights && k->x));
        k->d_x = k->x + k->batch * pixels;
    }
    return prepare(k, layer);
}

int64_t known_features_step(const known_features *k, int64_t i) {
    const gnt_observation *seen = k->seen;
    for (int64_t j = 0; k->steps > 1 && seen->order && j < k->n; j++)
        if (seen->order[j] == i)
            return j / k->batch;
    return i / k->batch;
}

/* Sets the weights to those of a step. */
static void set_weights(known_features *k, int64_t step) {
    const gnt_model_info *info = k->host->model->info;
    const float share = (float)((double)step / (double)k->steps), *from = k->seen->weights;
    float *to = k->weights;
    int64_t t = 0;
    for (int64_t p = 0; k->weights && p < info->params.n; p++) {
        const int64_t count = info->params.view[p].count;
        const int is_sent = !info->federated || info->federated[p];
        const float *change = is_sent ? k->seen->update->view[t++].data : NULL;
        for (int64_t i = 0; i < count; i++)
            to[i] = from[i] + (change ? share * change[i] : 0);
        from += count;
        to += count;
    }
    k->args.weights = k->weights ? k->weights : k->seen->weights;
}

/* Computes the features of `batch` samples at the weights that are set. */
static gnt_status features_of(known_features *k, const float *x, const float **f) {
    const gnt_views *out;
    k->args.x = x;
    TRY(hook_eval(k->host, k->of->features, &k->args, &out));
    *f = out->view[0].data;
    return GNT_OK;
}

gnt_status known_features_of_rows(known_features *k, const float *x, int64_t n, int64_t step, float *f) {
    const int64_t pixels = hook_features(k->host->model->info);
    float *batch = gnt_host_scratch(k->host, k->batch * pixels, sizeof *batch);
    const float *of_batch;
    TRY(hook_memory(k->host, batch != NULL));
    set_weights(k, step);
    for (int64_t i = 0; i < n; i += k->batch) {
        const int64_t count = n - i < k->batch ? n - i : k->batch;
        TRY(may_go_on(k->host));
        memcpy(batch, x + i * pixels, (size_t)(count * pixels) * sizeof *batch);
        TRY(features_of(k, batch, &of_batch));
        memcpy(f + i * k->features, of_batch, (size_t)(count * k->features) * sizeof *f);
    }
    return GNT_OK;
}

/* Returns the cost of one of the samples, and sets its derivative d_f. */
static double cost_of_one(const float *f, const float *wanted, int64_t features, double share, float *d_f) {
    double apart = 0, squares = 1e-12;
    for (int64_t i = 0; i < features; i++) {
        const double d = (double)f[i] - (double)wanted[i];
        apart += d * d;
        squares += (double)wanted[i] * (double)wanted[i];
    }
    for (int64_t i = 0; i < features; i++)
        d_f[i] = (float)(2 * share * ((double)f[i] - (double)wanted[i]) / squares);
    return share * apart / squares;
}

/* Adds the cost of the samples `at`, `batch` of them, and returns the derivatives by these. x: them. */
static gnt_status add_batch(known_features *k, const int64_t *at, const float *x, double share, double *cost,
                            const float **d_x) {
    const gnt_gradient *g;
    const float *f;
    TRY(features_of(k, x, &f));
    memset(k->d_f, 0, (size_t)(k->batch * k->features) * sizeof *k->d_f);
    for (int64_t i = 0; i < k->batch; i++)
        if (k->known[at[i]])
            *cost += cost_of_one(f + i * k->features, k->wanted + at[i] * k->features, k->features, share,
                                 k->d_f + i * k->features);
    TRY(hook_vjp(k->host, k->of->features, &k->d_f, &g));
    *d_x = g->x;
    return GNT_OK;
}

gnt_status known_features_eval(known_features *k, const float *x, double *cost, const float **d_x) {
    const int64_t pixels = hook_features(k->host->model->info);
    int64_t known = 0, *at = k->at;
    *cost = 0;
    for (int64_t i = 0; i < k->n; i++)
        known += k->known[i];
    const double share = 1 / (double)known;
    for (int64_t step = 0; step < k->steps; step++) {
        const float *own;
        int64_t n = 0;
        for (int64_t i = 0; i < k->n; i++)
            if (known_features_step(k, i) == step && n < k->batch)
                at[n++] = i;
        set_weights(k, step);
        for (int64_t i = 0; k->steps > 1 && i < n; i++)
            memcpy(k->x + i * pixels, x + at[i] * pixels, (size_t)pixels * sizeof *x);
        TRY(add_batch(k, at, k->steps > 1 ? k->x : x, share, cost, &own));
        for (int64_t i = 0; k->steps > 1 && i < n; i++)
            memcpy(k->d_x + at[i] * pixels, own + i * pixels, (size_t)pixels * sizeof *own);
        *d_x = k->steps > 1 ? k->d_x : own;
    }
    return GNT_OK;
}
