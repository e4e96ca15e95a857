#include "cost/residual.h"

#include <math.h>

#include "defense/granted_defense.h"
#include "cost/update_match.h"
#include "defense/survivors.h"
#include "update.h"
#include "hook.h"

/* Returns the bound on the magnitude of entry i of tensor t, if it was pruned. */
static double bound_of(const residual *r, int64_t t, int64_t i) {
    return zeroed_columns_has(&r->zeroed, &r->seen->view[t], t, i) ? INFINITY : (double)r->bound[t];
}

static double weight_of(const residual *r, int64_t t) {
    return r->some.n > 0 && r->some.flag[t] ? r->some.weight : 1;
}

static void count_tensor(residual *r, int64_t t) {
    const gnt_view *v = &r->seen->view[t];
    const double weight = weight_of(r, t);
    for (int64_t i = 0; i < v->count; i++) {
        const double bound = bound_of(r, t, i);
        if (outliers_has(&r->apart, t, i))
            continue;
        r->matched++;
        r->squares += weight * (double)v->data[i] * (double)v->data[i];
        if (v->data[i] == 0 && isfinite(bound))
            r->hidden += bound * bound;
    }
}

gnt_status residual_open(residual *r, const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros,
                         int64_t outlier_choice) {
    const gnt_views *update = seen->update;
    TRY(hook_needs_update(host, seen));
    const granted_defense granted = granted_defense_of(seen);
    *r = (residual){.seen = update};
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            if (!isfinite(update->view[t].data[i]))
                return gnt_host_fail(host, "the observed update holds NaN or infinite entries");
    TRY(survivors_check(host, seen, mask_zeros));
    TRY(seen_clip_open(&r->clip, host, &granted, update));
    TRY(covered_open(&r->some, host, &granted, update));
    TRY(outliers_find(&r->apart, host, seen, outlier_choice));
    if (mask_zeros == SURVIVORS_AUTO)
        TRY(zeroed_columns_find(&r->zeroed, host, seen));
    float *bound = gnt_host_scratch(host, update->n, sizeof *bound);
    r->cotangent = hook_tensors(host, update);
    TRY(hook_memory(host, bound && r->cotangent));
    survivors_bounds(update, &r->apart, mask_zeros, granted.pruned_together, bound);
    r->bound = bound;
    for (int64_t t = 0; t < update->n; t++)
        count_tensor(r, t);
    gnt_host_fact(host, "zeros_bounded", r->squares > 0 ? r->hidden / r->squares : 0);
    return GNT_OK;
}

/* ---- the sum of squares ---- */

static double tensor_squares(const residual *r, const gnt_view *u, int64_t t, double f) {
    const gnt_view *o = &r->seen->view[t];
    const double mean = r->some.n > 0 && r->some.flag[t] ? r->some.law.mean : r->clip.law.mean;
    const double weight = weight_of(r, t);
    double sum = 0;
    for (int64_t i = 0; i < o->count; i++) {
        const double bound = bound_of(r, t, i);
        double v = f * (double)u->data[i], d = v + mean - (double)o->data[i];
        double within = 0; /* what is left of v */
        if (o->data[i] == 0) {
            d = v > bound ? v - bound : v < -bound ? v + bound : 0;
            within = isfinite(bound) ? v - d : 0;
        }
        if (outliers_has(&r->apart, t, i))
            d = within = 0;
        sum += weight * (d * d + r->shrink * within * within);
        r->cotangent[t][i] = (float)(2 * weight * (d + (fabs(v) < bound ? r->shrink * within : 0)));
    }
    return sum;
}

/* The sum where some layers are clipped together and have noise. */
static double squares_in_part(residual *r, const gnt_views *u) {
    const noise_clip clip = covered_clip(&r->some, u);
    double sum = 0;
    for (int64_t t = 0; t < u->n; t++)
        sum += tensor_squares(r, &u->view[t], t, r->some.flag[t] ? clip.factor : 1);
    covered_vjp(&r->some, clip, r->cotangent);
    return sum;
}

double residual_squares(residual *r, const gnt_views *u) {
    if (r->some.n > 0)
        return squares_in_part(r, u);
    const int64_t group = noise_clip_group(&r->clip.law, u->n);
    double sum = 0;
    for (int64_t t = 0; t < u->n; t += group) {
        const noise_clip clip = seen_clip_of(&r->clip, u, t);
        for (int64_t s = t; s < t + group; s++)
            sum += tensor_squares(r, &u->view[s], s, clip.factor);
        seen_clip_vjp(&r->clip, clip, u, t, r->cotangent);
    }
    return sum;
}
