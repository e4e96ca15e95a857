#include "shared/attribute/updates.h"

#include <string.h>

#include "shared/attribute/pool.h"
#include "shared/try.h"

enum { LEAST_OF_VALUE = 8 };

int32_t attr_label_of(const gnt_samples *s, int32_t attribute, int32_t values) {
    int32_t best = 0;
    int64_t most = -1;
    for (int64_t i = 0; i < s->n; i++) {
        int32_t v = s->a[i * s->n_attributes + attribute];
        if (v < 0 || v >= values)
            return -1;
    }
    for (int32_t v = 0; v < values; v++) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->n; i++)
            count += s->a[i * s->n_attributes + attribute] == v;
        if (count > most) {
            most = count;
            best = v;
        }
    }
    return best;
}

/* Returns the entries of one sample's representation. */
static int64_t width_of(const gnt_model_info *m) {
    const gnt_layer_info *layer = &m->layer[m->representation];
    int64_t width = 1;
    for (int32_t i = 0; i < layer->rank; i++)
        width *= layer->dim[i];
    return width;
}

static int64_t shared_size(const gnt_model_info *m) {
    int64_t size = 0;
    for (int64_t k = 0; k < m->params.n; k++)
        size += !m->federated || m->federated[k] ? m->params.view[k].count : 0;
    return size;
}

/* Returns the number of updates made of c rows of one value, each of different rows; but a rare value still
 * makes a few, which share or repeat rows. */
static int64_t updates_of(int64_t c, int64_t behind) {
    const int64_t few = c < LEAST_OF_VALUE ? c : LEAST_OF_VALUE;
    return c / behind > few ? c / behind : few;
}

static int64_t rows_of(const gnt_samples *s, int32_t attribute, int32_t value, int64_t *row) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (s->a[i * s->n_attributes + attribute] == value)
            row[n++] = i;
    return n;
}

static void deal(attr_updates *u, int32_t attribute, int64_t *of_value) {
    const gnt_samples *s = u->samples;
    int64_t *row = u->row;
    for (int32_t v = 0; v < s->attribute[attribute].values; v++) {
        const int64_t c = rows_of(s, attribute, v, of_value), n = updates_of(c, u->behind);
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < u->behind; i++)
                *row++ = of_value[(k * c / n + i) % c];
        u->n += n;
    }
}

static gnt_status allocate(attr_updates *u, int32_t values, int64_t **of_value) {
    const gnt_host *host = u->host;
    const gnt_samples *s = u->samples;
    const size_t rows = (size_t)(s->n + LEAST_OF_VALUE * values * u->behind);
    u->row = gnt_host_scratch(host, rows + (size_t)s->n, sizeof *u->row);
    *of_value = u->row ? u->row + rows : NULL;
    u->x = gnt_host_scratch(host, u->behind * s->features, sizeof *u->x);
    u->y = gnt_host_scratch(host, u->behind * s->classes, sizeof *u->y);
    u->rates = gnt_host_scratch(host, (size_t)u->steps + 1, sizeof *u->rates);
    return u->row && u->x && u->y && u->rates ? GNT_OK
                                              : gnt_host_fail(host, "no memory for batches of samples");
}

gnt_status attr_updates_open(attr_updates *u, const gnt_host *host, const gnt_samples *samples,
                             const float *weights, const float *buffers, const attr_setting *setting,
                             int32_t attribute) {
    const int64_t batch = setting->batch > 0 ? setting->batch : 1;
    *u = (attr_updates){.host = host,
                        .samples = samples,
                        .weights = weights,
                        .buffers = buffers,
                        .steps = setting->features ? 0 : setting->steps,
                        .features = setting->features,
                        .behind = setting->behind};
    if (u->behind < 1)
        u->behind = batch * (setting->steps > 1 ? setting->steps : 1);
    u->size = u->features ? width_of(host->model->info) : shared_size(host->model->info);
    int64_t *of_value;
    TRY(allocate(u, samples->attribute[attribute].values, &of_value));
    deal(u, attribute, of_value);
    for (int32_t t = 0; t < u->steps; t++)
        u->rates[t] = (float)setting->rate;
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = u->features ? GNT_FN_FEATURES : GNT_FN_UPDATE,
                                    .n = u->behind,
                                    .layer = u->features ? &host->model->info->representation : NULL,
                                    .n_layers = u->features,
                                    .steps = u->steps,
                                    .batch = u->steps ? batch : 0,
                                    .training = u->features ? 0 : -1,
                                    .held = GNT_HELD_WEIGHTS,
                                    .momentum = setting->momentum,
                                    .decay = setting->decay,
                                    .optimizer = setting->optimizer};
    u->f = host->model->prepare(host->model->context, &spec);
    return u->f ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

void attr_updates_close(attr_updates *u) {
    if (u->f)
        u->host->model->release(u->host->model->context, u->f);
    u->f = NULL;
}

gnt_status attr_update_at(attr_updates *u, int64_t i, float *out) {
    const gnt_samples *s = u->samples;
    const gnt_views *update;
    for (int64_t k = 0; k < u->behind; k++) {
        const int64_t row = u->row[i * u->behind + k];
        memcpy(u->x + k * s->features, s->x + row * s->features, (size_t)s->features * sizeof *u->x);
        memcpy(u->y + k * s->classes, s->y + row * s->classes, (size_t)s->classes * sizeof *u->y);
    }
    const gnt_function_args args = {.size = sizeof args,
                                    .x = u->x,
                                    .y = u->y,
                                    .weights = u->weights,
                                    .buffers = u->buffers,
                                    .rates = u->rates};
    gnt_status status = u->host->model->eval(u->host->model->context, u->f, &args, &update);
    if (status != GNT_OK)
        return gnt_host_fail(u->host, gnt_host_last_error(u->host));
    if (u->features)
        attr_mean_representation(update->view, u->behind, out);
    else
        attr_flatten(update, out);
    return GNT_OK;
}
