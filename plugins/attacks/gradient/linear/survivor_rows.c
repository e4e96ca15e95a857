#include "linear/survivor_rows.h"

#include <math.h>

#include "hook.h"

static const double rounding = 1e-6; /* of floats */

static double entry_of(const dense_layer *l, int64_t features, int64_t i, int64_t k) {
    const int64_t at = i * features + k;
    return outliers_has(&l->apart, l->w_at, at) ? 0 : (double)l->w->data[at];
}

/* Returns the unit of which most entries survived, the greater of the largest where several are; −1 if none
 * did. */
static int64_t loudest_unit(const dense_layer *l, int64_t features) {
    int64_t best = -1, most = 0;
    double largest = 0;
    for (int64_t i = 0; i < l->b->count; i++) {
        int64_t n = 0;
        double top = 0;
        for (int64_t k = 0; k < features; k++) {
            const double g = fabs(entry_of(l, features, i, k));
            n += g > 0;
            top = fmax(top, g);
        }
        if (n > most || (n > 0 && n == most && top > largest)) {
            best = i;
            most = n;
            largest = top;
        }
    }
    return best;
}

/* Returns δ_i over that of the unit whose entries are in `shown`, by the entries that both show. */
static double ratio_of(const survivor_rows *r, const dense_layer *l, int64_t i) {
    double products = 0, squares = 0;
    for (int64_t k = 0; k < r->features; k++) {
        const double g = entry_of(l, r->features, i, k);
        if (g != 0 && r->shown[k] != 0) {
            products += g * r->shown[k];
            squares += r->shown[k] * r->shown[k];
        }
    }
    return squares > 0 ? products / squares : 0;
}

gnt_status survivor_rows_read(survivor_rows *r, const gnt_host *host, const dense_layer *l, int64_t features,
                              double bound, double bias_bound) {
    double pull = 0, squares = 0;
    *r = (survivor_rows){.units = l->b->count,
                         .features = features,
                         .ratio = gnt_host_scratch(host, l->b->count, sizeof(double)),
                         .shown = gnt_host_scratch(host, features, sizeof(double)),
                         .bound = bound,
                         .bias_bound = bias_bound};
    TRY(hook_memory(host, r->ratio && r->shown));
    const int64_t loudest = loudest_unit(l, features);
    for (int64_t k = 0; loudest >= 0 && k < features; k++) {
        r->shown[k] = entry_of(l, features, loudest, k);
        r->n_shown += r->shown[k] != 0;
    }
    for (int64_t i = 0; loudest >= 0 && i < r->units; i++) {
        r->ratio[i] = ratio_of(r, l, i);
        if (l->b->data[i] != 0 && r->ratio[i] != 0 && !outliers_has(&l->apart, l->b_at, i)) {
            pull += r->ratio[i] * (double)l->b->data[i];
            squares += r->ratio[i] * r->ratio[i];
        }
    }
    r->a = squares > 0 ? pull / squares : 0;
    return GNT_OK;
}

void survivor_rows_range(const survivor_rows *r, const rank_one_input *in, double sign, double *least,
                         double *most) {
    double largest = 0;
    *least = 0;
    for (int64_t k = 0; k < r->features; k++) {
        const double low = in->shift[k], high = in->shift[k] + in->slope[k], seen = sign * r->shown[k];
        const double reach = seen > 0 ? fmax(low, high) : -fmin(low, high);
        if (seen != 0)
            *least = fmax(*least, reach > 0 ? fabs(seen) / reach : INFINITY);
    }
    for (int64_t i = 0; i < r->units; i++)
        largest = fmax(largest, fabs(r->ratio[i]));
    *most = largest > 0 ? r->bias_bound / largest * (1 + rounding) : INFINITY;
    *least *= 1 - rounding;
}

void survivor_rows_bounds(const survivor_rows *r, const rank_one_input *in, double a, entry_bounds *out) {
    const double reach = r->bound / fabs(a);
    for (int64_t k = 0; k < r->features; k++) {
        const double at = (r->shown[k] / a - in->shift[k]) / in->slope[k], by = reach / fabs(in->slope[k]),
                     zero = -in->shift[k] / in->slope[k];
        const int is_shown = r->shown[k] != 0;
        out->lower[k] = fmin(1, fmax(0, is_shown ? at : zero - by));
        out->upper[k] = fmin(1, fmax(0, is_shown ? at : zero + by));
    }
}
