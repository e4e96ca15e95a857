#include "residual.h"

#include <math.h>

#include "match.h"
#include "survivors.h"
#include "update.h"

static void count_tensor(residual *r, int64_t t) {
    const gnt_view *v = &r->seen->view[t];
    double bound = (double)r->bound[t];
    for (int64_t i = 0; i < v->count; i++) {
        if (outliers_has(&r->apart, t, i))
            continue;
        r->matched++;
        r->squares += (double)v->data[i] * (double)v->data[i];
        if (v->data[i] == 0 && isfinite(bound))
            r->hidden += bound * bound;
    }
}

gnt_status residual_open(residual *r, const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros,
                         int64_t outlier_choice) {
    const gnt_views *update = seen->update;
    if (!is_whole_update(host->model->info, update))
        return match_refuse(host, "it needs one tensor of the update for each parameter that clients share");
    *r = (residual){.seen = update, .known = known_defense_of(seen)};
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            if (!isfinite(update->view[t].data[i]))
                return host->fail(host->context, "the observed update holds NaN or infinite entries");
    gnt_status status = outliers_find(&r->apart, host, update, outlier_choice);
    float *bound = host->scratch(host->context, (size_t)update->n * sizeof *bound);
    r->cotangent = host->scratch(host->context, (size_t)update->n * sizeof *r->cotangent);
    if (status != GNT_OK || !bound || !r->cotangent)
        return status != GNT_OK ? status : match_no_memory(host);
    survivors_bounds(update, &r->apart, mask_zeros, r->known.pruned_together, bound);
    r->bound = bound;
    for (int64_t t = 0; t < update->n; t++) {
        r->cotangent[t] = host->scratch(host->context, (size_t)update->view[t].count * sizeof(float));
        if (!r->cotangent[t])
            return match_no_memory(host);
        count_tensor(r, t);
    }
    host->fact(host->context, "zeros_bounded", r->squares > 0 ? r->hidden / r->squares : 0);
    return GNT_OK;
}

/* ---- the clip ---- */

static double norm_of(const gnt_view *u, int64_t n, int l1) {
    double sum = 0;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++)
            sum += l1 ? fabs((double)u[t].data[i]) : (double)u[t].data[i] * (double)u[t].data[i];
    return l1 ? sum : sqrt(sum);
}

static double shortening(const known_defense *k, double norm) {
    return k->clip > 0 && norm > k->clip ? k->clip / norm : 1;
}

/* With v = f·u, f = C/‖u‖: the cotangent of u is f·(c − ⟨u, c⟩/‖u‖ · d‖u‖/du), c the one of v. */
static void through_clip(const gnt_view *u, float *const *c, int64_t n, double norm, double f, int l1) {
    double dot = 0;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++)
            dot += (double)u[t].data[i] * (double)c[t][i];
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++) {
            double v = (double)u[t].data[i], d_norm = l1 ? (v > 0) - (v < 0) : v / norm;
            c[t][i] = (float)(f * ((double)c[t][i] - dot / norm * d_norm));
        }
}

/* ---- the sum of squares ---- */

static double tensor_squares(const residual *r, const gnt_view *u, int64_t t, double f) {
    const gnt_view *o = &r->seen->view[t];
    double sum = 0, bound = (double)r->bound[t], mean = r->known.mean;
    for (int64_t i = 0; i < o->count; i++) {
        double v = f * (double)u->data[i], d = v + mean - (double)o->data[i];
        double within = 0; /* what is left of v */
        if (o->data[i] == 0) {
            d = v > bound ? v - bound : v < -bound ? v + bound : 0;
            within = isfinite(bound) ? v - d : 0;
        }
        if (outliers_has(&r->apart, t, i))
            d = within = 0;
        sum += d * d + r->shrink * within * within;
        r->cotangent[t][i] = (float)(2 * (d + (fabs(v) < bound ? r->shrink * within : 0)));
    }
    return sum;
}

double residual_squares(residual *r, const gnt_views *u) {
    const known_defense *k = &r->known;
    int64_t group = k->clip_each ? 1 : u->n; /* tensors that are clipped together */
    double sum = 0;
    for (int64_t t = 0; t < u->n; t += group) {
        double norm = k->clip > 0 ? norm_of(u->view + t, group, k->clip_l1) : 0, f = shortening(k, norm);
        for (int64_t s = t; s < t + group; s++)
            sum += tensor_squares(r, &u->view[s], s, f);
        if (f < 1)
            through_clip(u->view + t, r->cotangent + t, group, norm, f, k->clip_l1);
    }
    return sum;
}
