#include "psi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "seeded_draws.h"
#include "shared/try.h"

enum { CHUNK = 16 }; /* samples processed at once */

typedef struct measuring {
    const gnt_host *host;
    const layers *layers;
    const psi_request *in;
    int64_t plane, channels; /* pixels of a sample, entries of a pixel */
    gnt_function *f;
    float *x, *y;            /* exactly: a direction; else CHUNK samples and their labels */
    float *probe;            /* entries of the largest layer */
    const float **cotangent; /* one for each tensor */
    double *square; /* plane (exactly: layers × plane; else CHUNK × plane): Σ_c ‖∂g/∂x_pc‖² */
    const int64_t *count; /* entries of each tensor */
    double *score;        /* samples × layers */
} measuring;

static gnt_status failed(const measuring *m) {
    return gnt_host_fail(m->host, gnt_host_last_error(m->host));
}

static int64_t plane_of(const gnt_samples *s) {
    return s->rank == 3 ? s->dim[1] * s->dim[2] : s->features;
}

static int in_region(const gnt_samples *s, int64_t row, int64_t plane, int64_t pixel) {
    return !s->mask || s->mask[row * plane + pixel];
}

static int has_region(const gnt_samples *s, int64_t row) {
    const int64_t plane = plane_of(s);
    int64_t p = 0;
    while (p < plane && !in_region(s, row, plane, p))
        p++;
    return p < plane;
}

/* Sets a layer's score for one sample: the mean over its region of √(square/probes). */
static void set_score(measuring *m, int32_t layer, int64_t i, const double *square, double probes) {
    const gnt_samples *s = m->in->samples;
    const int64_t row = m->in->row[i];
    double sum = 0, pixels = 0;
    for (int64_t p = 0; p < m->plane; p++)
        if (in_region(s, row, m->plane, p)) {
            sum += sqrt(square[p] / probes);
            pixels++;
        }
    m->score[i * m->layers->n + layer] = pixels > 0 ? sum / pixels : 0;
}

/* ---- exactly ---- */

/* Adds Σ of squares of each layer's derivative by one entry of the sample. */
static gnt_status add_entry(measuring *m, int64_t pixel, int64_t channel) {
    const gnt_model_service *model = m->host->model;
    const gnt_function_args direction = {.size = sizeof direction, .x = m->x};
    const gnt_views *by;
    float *entry = &m->x[channel * m->plane + pixel];
    TRY(may_go_on(m->host));
    *entry = 1;
    const gnt_status status = model->jvp(model->context, m->f, &direction, &by);
    *entry = 0;
    if (status != GNT_OK)
        return failed(m);
    for (int64_t k = 0; k < by->n; k++) {
        double sum = 0;
        for (int64_t i = 0; i < by->view[k].count; i++)
            sum += (double)by->view[k].data[i] * (double)by->view[k].data[i];
        m->square[m->layers->of[k] * m->plane + pixel] += sum;
    }
    return GNT_OK;
}

static gnt_status measure_exactly(measuring *m) {
    const gnt_model_service *model = m->host->model;
    const psi_request *in = m->in;
    const gnt_samples *s = in->samples;
    const gnt_views *gradient;
    gnt_status status = GNT_OK;
    const gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .jvp = GNT_WRT_X, .held = GNT_HELD_WEIGHTS};
    if (!(m->f = model->prepare(model->context, &spec)))
        return failed(m);
    for (int64_t i = 0; status == GNT_OK && i < in->n; i++) {
        const int64_t row = in->row[i];
        const gnt_function_args at = {.size = sizeof at,
                                      .x = s->x + row * s->features,
                                      .y = s->y + row * s->classes,
                                      .weights = in->weights,
                                      .buffers = in->buffers};
        memset(m->square, 0, (size_t)(m->layers->n * m->plane) * sizeof *m->square);
        if (model->eval(model->context, m->f, &at, &gradient) != GNT_OK)
            return failed(m);
        for (int64_t p = 0; status == GNT_OK && p < m->plane; p++)
            for (int64_t c = 0; in_region(s, row, m->plane, p) && status == GNT_OK && c < m->channels; c++)
                status = add_entry(m, p, c);
        for (int32_t l = 0; l < m->layers->n; l++)
            set_score(m, l, i, m->square + l * m->plane, 1);
    }
    return status;
}

/* ---- by probes ---- */

/* Draws a cotangent on the tensors of one layer only. */
static void draw_probe(measuring *m, int32_t layer, draws *d) {
    static const float none = 0; /* of a scalar, where NULL would mean 1 */
    float *at = m->probe;
    for (int64_t k = 0; k < m->layers->tensors; k++) {
        m->cotangent[k] = m->count[k] == 1 ? &none : NULL;
        if (m->layers->of[k] != layer)
            continue;
        m->cotangent[k] = at;
        for (int64_t i = 0; i < m->count[k]; i++)
            *at++ = (float)draws_normal(d);
    }
}

/* Adds the products of a layer's probe. The update is the mean gradient of `size` samples, so each sample's
 * part is multiplied by `size`. */
static gnt_status probe_layer(measuring *m, int32_t layer, int64_t from, int64_t size, draws *d) {
    const gnt_host *host = m->host;
    const gnt_model_service *model = host->model;
    const int64_t features = m->in->samples->features;
    const gnt_gradient *by;
    memset(m->square, 0, (size_t)(size * m->plane) * sizeof *m->square);
    for (int64_t probe = 0; probe < m->in->probes; probe++) {
        TRY(may_go_on(host));
        draw_probe(m, layer, d);
        if (model->vjp(model->context, m->f, m->cotangent, &by) != GNT_OK)
            return failed(m);
        for (int64_t i = 0; i < size * features; i++) {
            const double one = (double)size * (double)by->x[i];
            m->square[i / features * m->plane + i % features % m->plane] += one * one;
        }
    }
    for (int64_t i = 0; i < size; i++)
        set_score(m, layer, from + i, m->square + i * m->plane, (double)m->in->probes);
    return GNT_OK;
}

static gnt_status probe_chunk(measuring *m, int64_t from, int64_t size, draws *d) {
    const gnt_model_service *model = m->host->model;
    const psi_request *in = m->in;
    const gnt_samples *s = in->samples;
    const gnt_views *gradient;
    gnt_status status = GNT_OK;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = size, .vjp = GNT_WRT_X};
    const gnt_function_args at = {
        .size = sizeof at, .x = m->x, .y = m->y, .weights = in->weights, .buffers = in->buffers};
    for (int64_t i = 0; i < size; i++) {
        const int64_t row = in->row[from + i];
        memcpy(m->x + i * s->features, s->x + row * s->features, (size_t)s->features * sizeof *m->x);
        memcpy(m->y + i * s->classes, s->y + row * s->classes, (size_t)s->classes * sizeof *m->y);
    }
    if (!(m->f = model->prepare(model->context, &spec)) ||
        model->eval(model->context, m->f, &at, &gradient) != GNT_OK)
        return failed(m);
    for (int32_t l = 0; status == GNT_OK && l < m->layers->n; l++)
        status = probe_layer(m, l, from, size, d);
    model->release(model->context, m->f);
    m->f = NULL;
    return status;
}

static gnt_status measure_by_probes(measuring *m) {
    draws d = draws_from(m->in->seed);
    for (int64_t from = 0; from < m->in->n; from += CHUNK)
        TRY(probe_chunk(m, from, m->in->n - from < CHUNK ? m->in->n - from : CHUNK, &d));
    return GNT_OK;
}

/* ---- both ---- */

static gnt_status open_measuring(measuring *m) {
    const gnt_host *host = m->host;
    const gnt_model_info *info = host->model->info;
    const gnt_samples *s = m->in->samples;
    const int64_t rows = m->in->probes > 0 ? CHUNK : 1;
    const int64_t planes = m->in->probes > 0 ? CHUNK : m->layers->n;
    int64_t *count = gnt_host_scratch(host, m->layers->tensors, sizeof *count);
    int64_t largest = 0, at = 0;
    TRY(have_memory(host, count != NULL, "no memory for the scores of layers"));
    for (int64_t k = 0; k < info->params.n; k++)
        if (!info->federated || info->federated[k])
            count[at++] = info->params.view[k].count;
    for (int32_t l = 0; l < m->layers->n; l++) {
        int64_t entries = 0;
        for (int64_t k = 0; k < m->layers->tensors; k++)
            entries += m->layers->of[k] == l ? count[k] : 0;
        largest = entries > largest ? entries : largest;
    }
    m->count = count;
    m->x = gnt_host_scratch(host, rows * s->features, sizeof *m->x);
    m->y = gnt_host_scratch(host, rows * s->classes, sizeof *m->y);
    m->probe = gnt_host_scratch(host, largest, sizeof *m->probe);
    m->cotangent = gnt_host_scratch(host, m->layers->tensors, sizeof *m->cotangent);
    m->square = gnt_host_scratch(host, planes * m->plane, sizeof *m->square);
    TRY(have_memory(host, m->x && m->y && m->probe && m->cotangent && m->square,
                    "no memory for the scores of layers"));
    return GNT_OK;
}

gnt_status psi_of_each(const gnt_host *host, const layers *l, const psi_request *in, double *score) {
    const int64_t plane = plane_of(in->samples);
    measuring m = {.host = host,
                   .layers = l,
                   .in = in,
                   .plane = plane,
                   .channels = in->samples->features / plane,
                   .score = score};
    if (in->n == 0)
        return GNT_OK;
    gnt_status status = open_measuring(&m);
    if (status == GNT_OK)
        status = in->probes > 0 ? measure_by_probes(&m) : measure_exactly(&m);
    if (m.f)
        host->model->release(host->model->context, m.f);
    return status;
}

gnt_status psi_scores(const gnt_host *host, const layers *l, const psi_request *in, double *score) {
    const size_t scores = (size_t)(in->n * l->n);
    double *each = gnt_host_scratch(host, scores > 0 ? scores : 1, sizeof *each);
    TRY(have_memory(host, each != NULL, "no memory for the scores of layers"));
    memset(score, 0, (size_t)l->n * sizeof *score);
    TRY(psi_of_each(host, l, in, each));
    for (int64_t i = 0; i < in->n; i++)
        for (int32_t k = 0; k < l->n; k++)
            score[k] += each[i * l->n + k] / (double)in->n;
    return GNT_OK;
}

gnt_status psi_choose(const gnt_host *host, const gnt_samples *s, int64_t most, const char *stream,
                      int64_t **row, int64_t *n) {
    int64_t *all = gnt_host_scratch(host, s->n > 0 ? s->n : 1, sizeof *all), found = 0;
    TRY(have_memory(host, all != NULL, "no memory for the numbers of samples"));
    for (int64_t i = 0; i < s->n; i++)
        if (has_region(s, i))
            all[found++] = i;
    for (int64_t i = 0; found > most && i < most; i++) {
        const int64_t k = i + (int64_t)gnt_host_below(host, stream, (uint64_t)(found - i));
        const int64_t kept = all[i];
        all[i] = all[k];
        all[k] = kept;
    }
    *row = all;
    *n = found < most ? found : most;
    return GNT_OK;
}

gnt_status psi_fits(const gnt_host *host, const gnt_samples *s, const char *whose) {
    const gnt_model_info *info = host->model->info;
    int64_t features = 1;
    char text[240];
    for (int32_t i = 0; i < info->rank; i++)
        features *= info->dim[i];
    if (s && s->x && s->y && s->features == features && s->classes == info->classes)
        return GNT_OK;
    snprintf(text, sizeof text,
             "%s samples of the model's shape, %lld numbers, with labels of its %d classes are needed to "
             "measure the layers; found %s",
             whose, (long long)features, (int)info->classes,
             !s || !s->x || !s->y ? "none" : "samples of another shape, or with other classes");
    return unsupported(host, text);
}
