#include "cost/update_match.h"

#include <math.h>
#include <stdio.h>

#include "defense/perturbed.h"
#include "defense/survivors.h"
#include "update.h"
#include "hook.h"

/* The square of a norm beyond which differences from usual updates are lost, and 1 over it: squares of floats
 * overflow there. */
static const double largest = 1e36;

const char *const match_families[] = {"dp-gaussian", "dp-laplace",        "clip", "prune",
                                      "soteria",     PERTURBING_DEFENSES, NULL};

static int fits(const match *m, const gnt_observation *seen, int32_t masked) {
    return m->function && !m->ordered && !seen->order && m->n == seen->n && m->steps == seen->steps &&
           m->batch == seen->batch && m->momentum == seen->momentum && m->decay == decay_of_steps(seen) &&
           m->optimizer == optimizer_of_steps(seen) && m->masked == masked;
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

/* Adam keeps of a gradient little more than signs, and so has next to no derivative by the samples. What
 * compares directions searches with the sums of gradients in their place, which have about the same signs; a
 * cost by sizes would say nothing of them. */
static gnt_status choose_steps(gnt_function_spec *spec, const gnt_host *host) {
    const int directions =
        spec->kind == GNT_FN_MATCH && (spec->cost == GNT_COST_COSINE || spec->cost == GNT_COST_SCALE_FREE);
    if (spec->optimizer != GNT_OPTIMIZER_ADAM || !spec->vjp)
        return GNT_OK;
    if (!directions)
        return unsupported(host, "the clients step by Adam, which keeps of gradients little more than signs, "
                                 "and this cost compares sizes: take one that compares directions, such as "
                                 "that of invert-gradients without the grant defense");
    spec->optimizer = GNT_OPTIMIZER_SGD;
    gnt_host_fact(host, "adam_by_directions", 1);
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
    TRY(choose_steps(&spec, host));
    *m = (match){.n = seen->n,
                 .batch = seen->batch,
                 .momentum = seen->momentum,
                 .decay = decay_of_steps(seen),
                 .steps = seen->steps,
                 .optimizer = optimizer_of_steps(seen),
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

int match_is_zero(const gnt_views *update) {
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            if (update->view[t].data[i] != 0)
                return 0;
    return 1;
}

gnt_status match_check_size(const gnt_host *host, double squares, match_scale scale) {
    char text[240];
    if (!isfinite(squares))
        return gnt_host_fail(host, "the observed update holds NaN or infinite entries");
    if (!(squares > 0))
        return gnt_host_fail(
            host, "every entry of the observed update that counts is 0: there is nothing to match");
    if (scale != MATCH_SIZE || (squares < largest && squares > 1 / largest))
        return GNT_OK;
    snprintf(
        text, sizeof text,
        "the observed update has norm %.3g: expected %.0e to %.0e, for its cost compares differences, which "
        "are lost in rounding beyond; one that compares directions takes any norm",
        sqrt(squares), 1 / sqrt(largest), sqrt(largest));
    return gnt_host_fail(host, text);
}

/* Returns what the observed update is multiplied by. */
static double factor_of(match_scale scale, double squares) {
    int exponent;
    if (scale == MATCH_SHARE)
        return 1 / sqrt(squares);
    frexp(sqrt(squares), &exponent);
    return ldexp(1, -exponent);
}

/* Copies the observed update times the factor; outliers, which are not matched, become 0. */
static gnt_status rescale(const gnt_host *host, const gnt_views *update, const outliers *apart, double factor,
                          const float **observed) {
    float **copy = hook_tensors(host, update);
    TRY(hook_memory(host, copy != NULL));
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        for (int64_t i = 0; i < v->count; i++)
            copy[t][i] = outliers_has(apart, t, i) ? 0 : (float)(factor * (double)v->data[i]);
        observed[t] = copy[t];
    }
    return GNT_OK;
}

/* Returns the square norm of the update without outliers; not finite if an entry is not. */
static double matched_squares(const gnt_views *update, const outliers *apart) {
    double all = 0, squares = 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++) {
            const double square = (double)update->view[t].data[i] * (double)update->view[t].data[i];
            all += square;
            squares += outliers_has(apart, t, i) ? 0 : square;
        }
    return isfinite(all) ? squares : all;
}

gnt_status match_bind(gnt_function_args *args, const gnt_host *host, const gnt_observation *seen,
                      match_choice choice, match_scale scale, outliers *apart, int32_t *masked,
                      double *squares) {
    const gnt_views *update = seen->update;
    TRY(hook_needs_update(host, seen));
    const float **observed = gnt_host_scratch(host, update->n, sizeof *observed);
    TRY(hook_memory(host, observed != NULL));
    TRY(survivors_check(host, seen, choice.mask_zeros));
    TRY(outliers_find(apart, host, seen, choice.outliers));
    *squares = matched_squares(update, apart);
    TRY(match_check_size(host, *squares, scale));
    for (int64_t t = 0; t < update->n; t++)
        observed[t] = update->view[t].data;
    if (scale != MATCH_SIZE) {
        const double factor = factor_of(scale, *squares);
        TRY(rescale(host, update, apart, factor, observed));
        *squares *= factor * factor;
    }
    args->observed = observed;
    return survivors_mask(host, seen, apart, choice.mask_zeros, masked, &args->mask);
}
