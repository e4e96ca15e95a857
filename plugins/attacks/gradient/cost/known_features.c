#include "cost/known_features.h"

#include "hook.h"

gnt_status known_features_open(known_features *k, features_function *of, const gnt_host *host,
                               const gnt_observation *seen, int32_t layer, const float *wanted,
                               int64_t features) {
    const gnt_model_service *service = host->model;
    *k = (known_features){.host = host, .of = of, .n = seen->n, .features = features, .wanted = wanted};
    k->args = hook_args(seen, NULL, NULL, NULL);
    k->d_f = gnt_host_scratch(host, seen->n * features, sizeof *k->d_f);
    k->known = gnt_host_scratch(host, seen->n, sizeof *k->known);
    TRY(hook_memory(host, k->d_f && k->known));
    if (of->features && of->n == seen->n) {
        service->changed(service->context, of->features);
        return GNT_OK;
    }
    if (of->features)
        service->release(service->context, of->features);
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = seen->n,
                              .layer = &layer,
                              .n_layers = 1,
                              .training = -1,
                              .vjp = GNT_WRT_X,
                              .held = GNT_HELD_WEIGHTS};
    *of = (features_function){service->prepare(service->context, &spec), seen->n};
    return of->features ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
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

gnt_status known_features_of(known_features *k, const float *x, const float **f) {
    const gnt_views *out;
    k->args.x = x;
    TRY(hook_eval(k->host, k->of->features, &k->args, &out));
    *f = out->view[0].data;
    return GNT_OK;
}

gnt_status known_features_eval(known_features *k, const float *x, double *cost, const float **d_x) {
    const gnt_gradient *g;
    const float *f;
    int64_t known = 0;
    *cost = 0;
    TRY(known_features_of(k, x, &f));
    for (int64_t i = 0; i < k->n; i++)
        known += k->known[i];
    for (int64_t i = 0, at = 0; i < k->n; i++, at += k->features)
        if (k->known[i]) /* d_f of the others stays 0 */
            *cost += cost_of_one(f + at, k->wanted + at, k->features, 1 / (double)known, k->d_f + at);
    TRY(hook_vjp(k->host, k->of->features, &k->d_f, &g));
    *d_x = g->x;
    return GNT_OK;
}
