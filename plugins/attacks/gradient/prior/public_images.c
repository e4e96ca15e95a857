/* Public images as the priors of invert-gradients use them. */
#include <math.h>

#include "search/invert.h"
#include "hook.h"

enum { MOST_IMAGES = 2000, LEAST_IMAGES = 8 };

static double mean_difference(const public_images *p, const gnt_model_info *info) {
    int64_t height = info->dim[1], width = info->dim[2], planes = p->n * info->dim[0], n = 0;
    double sum = 0;
    for (int64_t k = 0; k < planes; k++)
        for (int64_t i = 0; i < height; i++)
            for (int64_t j = 0; j + 1 < width; j++, n++) {
                const float *at = p->x + (k * height + i) * width + j;
                sum += fabs((double)at[1] - (double)at[0]);
            }
    return n ? sum / (double)n : 0;
}

gnt_status public_images_open(public_images *p, const gnt_host *host, const gnt_samples *public_data,
                              int64_t trials) {
    const gnt_model_info *info = host->model->info;
    *p = (public_images){.features = hook_features(info), .classes = info->classes};
    if (!public_data || info->rank != 3 || public_data->features != p->features ||
        public_data->n < LEAST_IMAGES + trials)
        return GNT_OK;
    p->trials = trials;
    p->n = public_data->n - trials < MOST_IMAGES ? public_data->n - trials : MOST_IMAGES;
    p->x = public_data->x;
    p->y = public_data->classes == info->classes ? public_data->y : NULL;
    p->difference = mean_difference(p, info);
    p->of_class = gnt_host_scratch(host, p->classes, sizeof *p->of_class);
    return p->of_class ? GNT_OK : hook_no_memory(host);
}

static int has_label(const public_images *p, int64_t row, int64_t label) {
    for (int64_t c = 0; c < p->classes; c++)
        if (c != label && p->y[row * p->classes + c] >= p->y[row * p->classes + label])
            return 0;
    return 1;
}

gnt_status public_images_gaussian(public_images *p, const gnt_host *host, int64_t label,
                                  const image_gaussian **out) {
    int by_class = label >= 0 && p->y;
    image_gaussian *g = by_class ? &p->of_class[label] : &p->all;
    *out = g;
    if (g->n)
        return GNT_OK;
    int64_t *row = gnt_host_scratch(host, p->n + 1, sizeof *row), n = 0;
    TRY(hook_memory(host, row != NULL));
    for (int64_t k = 0; k < p->n; k++)
        if (!by_class || has_label(p, k, label))
            row[n++] = k;
    if (n < LEAST_IMAGES && by_class)
        return public_images_gaussian(p, host, -1, out);
    if (n < LEAST_IMAGES)
        return unsupported(host,
                           "the Gaussian prior needs public images of the model's size (knows: public)");
    return image_gaussian_fit(g, host, p->x, p->features, row, n);
}
