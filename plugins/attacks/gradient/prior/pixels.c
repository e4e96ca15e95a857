/* Images are their own unknowns; neighbours are mostly alike (prior.h). */
#include "dlg.h"

static gnt_status pixels_open(dlg_objective *o, const gnt_artefacts *own) {
    (void)own;
    o->unknowns = o->n * o->features;
    o->prior = prior_of(o->self->host->model->info, o->n);
    return GNT_OK;
}

static const float *pixels_image(dlg_objective *o, const float *z) {
    (void)o;
    return z;
}

static int pixels_pull(dlg_objective *o, double scale, const float *d_x, float *grad) {
    for (int64_t i = 0; i < o->unknowns; i++)
        grad[i] = (float)scale * d_x[i];
    return 1;
}

static double pixels_add(const dlg_objective *o, const float *z, double weight, float *grad) {
    return prior_add(&o->prior, z, weight, grad);
}

const prior_part prior_pixels = {
    .name = "pixels", .open = pixels_open, .image = pixels_image, .pull = pixels_pull, .add = pixels_add};
