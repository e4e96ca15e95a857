/* Norms, clipping, and what a clipped update's sensitivity is. */
#include <math.h>

#include "clip_noise.h"

/* Returns Σ|u| or Σu², from which a norm is computed. The sums of tensors add up to that of the update. */
static double total(const gnt_tensor *t, int64_t norm) {
    double sum = 0;
    for (int64_t i = 0; i < t->count; i++)
        sum += norm == NORM_L1 ? fabs((double)t->data[i]) : (double)t->data[i] * (double)t->data[i];
    return sum;
}

static double norm_of(double sum, int64_t norm) {
    return norm == NORM_L1 ? sum : sqrt(sum);
}

/* Scales n tensors of the given norm down to the bound; returns 1 if they were longer. Each product is
 * rounded to a float, which may lengthen it by 2⁻²⁴: twice that is taken off, so that the bound holds for
 * what is released. */
static int shorten(gnt_tensor *t, int64_t n, double norm, double bound) {
    if (norm <= bound)
        return 0;
    double factor = bound / norm * (1 - 0x1p-23);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < t[k].count; i++)
            t[k].data[i] = (float)(factor * (double)t[k].data[i]);
    return 1;
}

int dp_clip(const dp *self, gnt_tensors *update, dp_clipped *out) {
    double sum = 0;
    int64_t shortened = 0;
    *out = (dp_clipped){0};
    for (int64_t k = 0; k < update->n; k++)
        sum += total(&update->tensor[k], self->norm);
    out->norm = norm_of(sum, self->norm);
    if (self->clip_mode == CLIP_NONE)
        return 0;
    if (!isfinite(out->norm))
        return -1;
    if (self->clip_mode == CLIP_GLOBAL) {
        out->share = shorten(update->tensor, update->n, out->norm, self->clip);
        return 0;
    }
    for (int64_t k = 0; k < update->n; k++) {
        gnt_tensor *t = &update->tensor[k];
        shortened += shorten(t, 1, norm_of(total(t, self->norm), self->norm), self->clip);
    }
    out->share = update->n ? (double)shortened / (double)update->n : 0;
    return 0;
}

double dp_sensitivity(const dp *self, const gnt_tensors *update) {
    double entries = 0, roots = 0, tensors = (double)update->n;
    for (int64_t k = 0; k < update->n; k++) {
        entries += (double)update->tensor[k].count;
        roots += sqrt((double)update->tensor[k].count);
    }
    int global = self->clip_mode == CLIP_GLOBAL;
    if (!self->laplace)
        return self->clip * (global ? 1 : sqrt(tensors));
    if (self->norm == NORM_L1)
        return self->clip * (global ? 1 : tensors);
    return self->clip * (global ? sqrt(entries) : roots);
}
