#include "cost/update_match.h"

#include <math.h>

#include "defense/survivors.h"
#include "update.h"
#include "hook.h"

static int fits(const match *m, const gnt_observation *seen, int32_t masked) {
    return m->function && !m->ordered && !seen->order && m->n == seen->n && m->steps == seen->steps &&
           m->batch == seen->batch && m->momentum == seen->momentum && m->decay == decay_of_steps(seen) &&
           m->masked == masked;
}

/* Sets *out to the order of samples as gnt_function_spec takes it, scratch of the hook; to NULL if it was
 * not granted. */
static gnt_status order_of(const gnt_host *host, const gnt_observation *seen, const int64_t **out) {
    const int64_t n = seen->steps * seen->batch;
    *out = NULL;
    if (!seen->order || n == 0)
        return GNT_OK;
    int64_t *order = gnt_host_scratch(host, n, sizeof *order);
    TRY(hook_memory(host, order != NULL));
    for (int64_t i = 0; i < n; i++)
        order[i] = seen->order[i];
    *out = order;
    return GNT_OK;
}

static gnt_status prepare(match *m, const gnt_host *host, const gnt_observation *seen,
                          gnt_function_spec spec) {
    const gnt_model_service *service = host->model;
    if (fits(m, seen, spec.masked)) {
        service->changed(service->context, m->function);
        return GNT_OK;
    }
    if (m->function)
        service->release(service->context, m->function);
    spec_unroll(&spec, seen);
    *m = (match){.n = seen->n,
                 .batch = seen->batch,
                 .momentum = seen->momentum,
                 .decay = decay_of_steps(seen),
                 .steps = seen->steps,
                 .masked = spec.masked,
                 .ordered = seen->order != NULL};
    TRY(order_of(host, seen, &spec.order));
    m->function = service->prepare(service->context, &spec);
    return m->function ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

gnt_status match_prepare(match *m, const gnt_host *host, const gnt_observation *seen, int32_t cost,
                         uint32_t vjp, int32_t masked) {
    return prepare(m, host, seen,
                   (gnt_function_spec){.kind = GNT_FN_MATCH,
                                       .cost = cost,
                                       .masked = masked,
                                       .vjp = vjp,
                                       .held = GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED});
}

gnt_status match_prepare_update(match *m, const gnt_host *host, const gnt_observation *seen, uint32_t vjp) {
    return prepare(m, host, seen,
                   (gnt_function_spec){.kind = GNT_FN_UPDATE, .vjp = vjp, .held = GNT_HELD_WEIGHTS});
}

gnt_status match_bind(gnt_function_args *args, const gnt_host *host, const gnt_observation *seen,
                      match_choice choice, outliers *apart, int32_t *masked, double *squares) {
    const gnt_views *update = seen->update;
    TRY(hook_needs_update(host, seen));
    const float **observed = gnt_host_scratch(host, update->n, sizeof *observed);
    TRY(hook_memory(host, observed != NULL));
    TRY(survivors_check(host, seen, choice.mask_zeros));
    TRY(outliers_find(apart, host, seen, choice.outliers));
    double all = 0;
    *squares = 0;
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        for (int64_t i = 0; i < v->count; i++) {
            double square = (double)v->data[i] * (double)v->data[i];
            all += square;
            if (!outliers_has(apart, t, i))
                *squares += square;
        }
        observed[t] = v->data;
    }
    if (!isfinite(all))
        return gnt_host_fail(host, "the observed update holds NaN or infinite entries");
    args->observed = observed;
    return survivors_mask(host, seen, apart, choice.mask_zeros, masked, &args->mask);
}
