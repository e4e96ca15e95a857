#include "defense/layer_noise.h"

#include <math.h>

#include "cost/update_match.h"
#include "defense/kth_entry.h"
#include "hook.h"

/* Quartiles of |v| for v ~ N(0, 1). */
static const double lower = 0.3186, middle = 0.6745, upper = 1.1503;
/* How far a quartile's ratio to the median may lie from the normal law's: of any number of entries, and in
 * 1/√entries. A Laplace law's upper one is 0.29 away, those of gradients 2 and more. */
static const double slack = 0.2, sampling = 3;
/* How much neighbours' signs may agree. */
static const double alike = 0.08;
static const double below_clean = 1e-3, below_noisy = 1e-6;

static int has_shape_of_noise(double first, double second, double third, int64_t n) {
    const double most = slack + sampling / sqrt((double)n);
    return second > 0 && fabs(first / second - lower / middle) < most &&
           fabs(third / second - upper / middle) < most;
}

static int sign_of(float v) {
    return (v > 0) - (v < 0);
}

/* Returns the mean product of the signs of adjacent entries about the centre: neighbours in a row, or if
 * `rows` is set in a column. It is about 0 for noise. */
static double agreement(const layer_noise_part *l, const gnt_views *update, float centre, int rows) {
    int64_t sum = 0, n = 0;
    for (int64_t t = l->first; t < l->first + l->n; t++) {
        const gnt_view *v = &update->view[t];
        const int64_t step = rows && v->rank > 1 && v->dim[0] > 0 ? v->count / v->dim[0] : 1;
        for (int64_t i = 0; i + step < v->count; i++, n++)
            sum += sign_of(v->data[i] - centre) * sign_of(v->data[i + step] - centre);
    }
    return n > 0 ? (double)sum / (double)n : 0;
}

/* Estimates the spread of a layer's entries, and whether it is that of noise. room: the layer's entries. */
static void read_layer(layer_noise_part *l, const gnt_views *update, float *room) {
    int64_t n = 0;
    for (int64_t t = l->first; t < l->first + l->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            room[n++] = update->view[t].data[i];
    if (n == 0)
        return;
    const float centre = kth_entry(room, n, n / 2);
    for (int64_t i = 0; i < n; i++)
        room[i] = fabsf(room[i] - centre);
    const double second = (double)kth_entry(room, n, n / 2), first = (double)kth_entry(room, n, n / 4),
                 third = (double)kth_entry(room, n, 3 * n / 4);
    l->spread = second / middle;
    const double most = alike + sampling / sqrt((double)n);
    l->is_noisy = n >= LAYER_NOISE_ENTRIES && has_shape_of_noise(first, second, third, n) &&
                  fabs(agreement(l, update, centre, 0)) < most &&
                  fabs(agreement(l, update, centre, 1)) < most;
}

/* Decides on layers too small to judge by their shape: they have noise if all others have. */
static void settle_small_layers(layer_noise *of) {
    int64_t large = 0, noisy = 0;
    for (int64_t k = 0; k < of->n; k++) {
        large += of->layer[k].entries >= LAYER_NOISE_ENTRIES;
        noisy += of->layer[k].is_noisy;
    }
    for (int64_t k = 0; k < of->n; k++) {
        layer_noise_part *l = &of->layer[k];
        if (l->entries < LAYER_NOISE_ENTRIES)
            l->is_noisy = large > 0 && noisy == large && l->spread > 0;
        of->n_noisy += l->is_noisy;
    }
}

static double root_mean_square(const layer_noise *of, const gnt_views *update, int noisy) {
    double sum = 0, n = 0;
    for (int64_t k = 0; k < of->n; k++) {
        const layer_noise_part *l = &of->layer[k];
        for (int64_t t = l->first; l->is_noisy == noisy && t < l->first + l->n; t++)
            for (int64_t i = 0; i < update->view[t].count; i++, n++)
                sum += (double)update->view[t].data[i] * (double)update->view[t].data[i];
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

gnt_status layer_noise_read(layer_noise *out, const gnt_host *host, const gnt_views *update) {
    int64_t most = 0;
    *out = (layer_noise){.layer = gnt_host_scratch(host, update->n + 1, sizeof *out->layer)};
    TRY(hook_memory(host, out->layer != NULL));
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        if (t == 0 || v->layer != v[-1].layer)
            out->layer[out->n++].first = t;
        layer_noise_part *l = &out->layer[out->n - 1];
        l->n++;
        l->entries += v->count;
        most = l->entries > most ? l->entries : most;
    }
    float *room = gnt_host_scratch(host, most + 1, sizeof *room);
    TRY(hook_memory(host, room != NULL));
    for (int64_t k = 0; k < out->n; k++) {
        TRY(may_go_on(host));
        read_layer(&out->layer[k], update, room);
    }
    settle_small_layers(out);
    out->floor = out->n_noisy < out->n ? below_clean * root_mean_square(out, update, 0)
                                       : below_noisy * root_mean_square(out, update, 1);
    out->floor = out->floor > 0 ? out->floor : 1;
    return GNT_OK;
}

double layer_noise_deviation(const layer_noise *of, int64_t layer) {
    const layer_noise_part *l = &of->layer[layer];
    return l->is_noisy ? fmax(l->spread, of->floor) : of->floor;
}
