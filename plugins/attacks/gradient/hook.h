/* hook: what the hooks of attacks on gradients share: how they fail, and what they use of the model. */
#ifndef GRADIENT_HOOK_H
#define GRADIENT_HOOK_H

#include "gauntlet/plugin.h"
#include "update.h"
#include "shared/try.h"

/* Says that scratch memory ran out. */
static inline gnt_status hook_no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the search: the limit on scratch memory is too low");
}

/* Returns GNT_OK if all scratch that was requested is there, else fails as hook_no_memory does. */
static inline gnt_status hook_memory(const gnt_host *host, int is_there) {
    return is_there ? GNT_OK : hook_no_memory(host);
}

/* Refuses to run without the model or the size of the batch. */
static inline gnt_status hook_needs_batch(const gnt_host *host, const gnt_observation *seen) {
    return host->model && seen->n >= 1 && seen->steps >= 0
               ? GNT_OK
               : unsupported(host, "it needs the model and the number of samples in the batch");
}

/* Refuses an update with other tensors than the parameters that clients share. */
static inline gnt_status hook_needs_update(const gnt_host *host, const gnt_observation *seen) {
    return is_whole_update(host->model->info, seen->update)
               ? GNT_OK
               : unsupported(host, "it needs one tensor of the update for each parameter that clients share");
}

/* Computes f, as the service does; a NULL f is one that could not be prepared. GNT_OK, or a status after
 * host->fail. */
static inline gnt_status hook_eval(const gnt_host *host, gnt_function *f, const gnt_function_args *args,
                                   const gnt_views **out) {
    const gnt_model_service *m = host->model;
    return f && m->eval(m->context, f, args, out) == GNT_OK ? GNT_OK
                                                            : gnt_host_fail(host, gnt_host_last_error(host));
}

/* Computes the derivatives of f, as the service does. GNT_OK, or a status after host->fail. */
static inline gnt_status hook_vjp(const gnt_host *host, gnt_function *f, float *const *u,
                                  const gnt_gradient **out) {
    const gnt_model_service *m = host->model;
    return m->vjp(m->context, f, (const float *const *)u, out) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, gnt_host_last_error(host));
}

/* Returns the arguments of a function of the observed model. */
static inline gnt_function_args hook_args(const gnt_observation *seen, const float *x, const float *y,
                                          const float *rates) {
    gnt_function_args args = {.size = sizeof args, .x = x, .y = y, .rates = rates};
    args.weights = seen->weights;
    args.buffers = seen->buffers;
    return args;
}

/* Returns the number of entries of a sample. */
static inline int64_t hook_features(const gnt_model_info *info) {
    int64_t features = 1;
    for (int32_t i = 0; i < info->rank; i++)
        features *= info->dim[i];
    return features;
}

/* Returns the rates of the local steps: those granted, else the announced one at each. Scratch of the
 * hook; NULL when memory ran out. */
static inline float *hook_rates(const gnt_host *host, const gnt_observation *seen) {
    float *rates = gnt_host_scratch(host, (int64_t)seen->steps + 1, sizeof *rates);
    for (int32_t i = 0; rates && i < seen->steps; i++)
        rates[i] = seen->rates ? seen->rates[i] : (float)seen->rate;
    return rates;
}

/* Allocates a tensor for each of `like`, of its size. Scratch of the hook; NULL when memory ran out. */
static inline float **hook_tensors(const gnt_host *host, const gnt_views *like) {
    float **of = gnt_host_scratch(host, like->n, sizeof *of);
    for (int64_t t = 0; of && t < like->n; t++)
        if (!(of[t] = gnt_host_scratch(host, like->view[t].count, sizeof **of)))
            return NULL;
    return of;
}

/* Returns the index of the largest entry, the first of equal ones. */
static inline int64_t hook_argmax(const float *v, int64_t n) {
    int64_t top = 0;
    for (int64_t i = 1; i < n; i++)
        top = v[i] > v[top] ? i : top;
    return top;
}

/* Designators that most descriptors have: parameters and hooks of their file; T: the type of an instance;
 * FAMILIES: what the attack adapts to. */
#define GRADIENT_COMMON(T, FAMILIES)                                                                         \
    GNT_PARAMETERS(parameters), .surfaces = GNT_SURFACE_UPDATE, .families = FAMILIES, .attack = &hooks,      \
                                .instance_size = GNT_INSTANCE(T)

#endif
