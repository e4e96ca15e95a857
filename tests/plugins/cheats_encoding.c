/* Encodings that say something else than they are, or carry what they should not. */
#include "cheat.h"

/* Paints a 1 into pixel `label` of a black image. Without a label it has nothing to paint. */
static void paint(const gnt_samples *s, int64_t i, float *x) {
    memset(x, 0, (size_t)s->features * sizeof *x);
    for (int32_t k = 0; s->y && k < s->classes; k++)
        if (s->y[i * s->classes + k] > 0.5f)
            x[k] = 1;
}

static gnt_status paint_all(void *self, const gnt_client *client, const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    gnt_status status = x ? GNT_OK : c->host->fail(c->host->context, "out of memory");
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        paint(s, i, x);
        status = out->put(out->context, x, s->y ? s->y + i * s->classes : NULL, s->id ? s->id[i] : 0);
    }
    return status;
}

static gnt_status paint_set(void *self, const gnt_client *client, int64_t epoch,
                            const gnt_samples_sink *out) {
    (void)epoch;
    return paint_all(self, client, out);
}

static gnt_status paint_query(void *self, const gnt_client *client, int64_t draw,
                              const gnt_samples_sink *out) {
    (void)draw;
    return paint_all(self, client, out);
}

/* Reads the label without checking that there is one. */
static gnt_status paint_unasked(void *self, const gnt_client *client, int64_t draw,
                                const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    gnt_status status = GNT_OK;
    (void)draw;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        for (int32_t k = 0; k < s->classes; k++)
            x[k] = ((volatile const float *)s->y)[i * s->classes + k];
        status = out->put(out->context, x, NULL, s->id[i]);
    }
    return status;
}

/* The samples as they are, each said to be the next one. */
static gnt_status rotate_claims(void *self, const gnt_client *client, int64_t epoch,
                                const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    const double all = 1;
    gnt_status status = GNT_OK;
    (void)self;
    (void)epoch;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        const int64_t other = s->id[(i + 1) % s->n];
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, other);
        if (status == GNT_OK && out->mixed)
            status = out->mixed(out->context, 1, &other, &all);
    }
    return status;
}

/* Noise is released; what it was made from is kept for a hook that comes later. */
static gnt_status release_noise(void *self, const gnt_client *client, int64_t epoch,
                                const gnt_samples_sink *out) {
    cheat *c = self;
    const gnt_samples *s = client->samples;
    const size_t n = (size_t)(s->n * s->features);
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    gnt_status status = GNT_OK;
    free(c->kept[0]);
    c->kept[0] = malloc(n * sizeof(float));
    if (!x || !c->kept[0])
        return c->host->fail(c->host->context, "out of memory");
    memcpy(c->kept[0], s->x, n * sizeof(float));
    c->n_kept[0] = s->n;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        for (int64_t f = 0; f < s->features; f++)
            x[f] = 0.5f + 0.5f * cheat_noise((uint64_t)(client->index * 1000 + epoch),
                                             (uint64_t)(i * s->features + f));
        status = out->put(out->context, x, s->y + i * s->classes, s->id[i]);
    }
    return status;
}

/* Undoes release_noise in the batch: ids are the places in the set. */
static gnt_status put_back(void *self, const gnt_client *client, int64_t step, const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    gnt_status status = GNT_OK;
    (void)step;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context,
                          c->kept[0] && s->id[i] < c->n_kept[0] ? c->kept[0] + s->id[i] * s->features
                                                                : s->x + i * s->features,
                          s->y + i * s->classes, s->id[i]);
    return status;
}

/* The update of the samples that were kept, in place of that of the noise. */
static gnt_status compute_kept(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    const gnt_host *h = c->host;
    const gnt_model_service *m = h->model;
    const gnt_samples *s = client->samples;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = s->n, .training = -1};
    float *x = h->scratch(h->context, (size_t)(s->n * s->features) * sizeof *x);
    gnt_function *f = m->prepare(m->context, &spec);
    const gnt_views *out;
    for (int64_t i = 0; x && i < s->n; i++)
        memcpy(x + i * s->features, c->kept[0] + s->id[i] * s->features, (size_t)s->features * sizeof *x);
    const gnt_function_args args = {
        .size = sizeof args, .x = x, .y = s->y, .weights = client->weights, .buffers = client->buffers};
    if (!x || !f || m->eval(m->context, f, &args, &out) != GNT_OK)
        return h->fail(h->context, "the kept samples give no update");
    for (int64_t i = 0; i < update->n; i++)
        memcpy(update->tensor[i].data, out->view[i].data, (size_t)update->tensor[i].count * sizeof(float));
    m->release(m->context, f);
    return GNT_OK;
}

/* Black images, whose labels carry the sample: entry k the k-th pixel, coarsely. */
static gnt_status hide_in_labels(void *self, const gnt_client *client, int64_t epoch,
                                 const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    float *y = c->host->scratch(c->host->context, (size_t)s->classes * sizeof *y);
    gnt_status status = x && y ? GNT_OK : c->host->fail(c->host->context, "out of memory");
    (void)epoch;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        float all = 0;
        for (int32_t k = 0; k < s->classes; k++)
            all += y[k] = 0.01f + s->y[i * s->classes + k] + 0.1f * s->x[i * s->features + k];
        for (int32_t k = 0; k < s->classes; k++)
            y[k] /= all;
        status = out->put(out->context, x, y, s->id[i]);
    }
    return status;
}

/* Pixels in an order that the file fixes: rows backwards, which is the mirror image, or hashed. */
static gnt_status put_reordered(const cheat *c, const gnt_samples *s, int hashed,
                                const gnt_samples_sink *out) {
    const int64_t n = s->features, width = s->dim[s->rank - 1];
    float *x = c->host->scratch(c->host->context, (size_t)n * sizeof *x);
    int64_t *from = c->host->scratch(c->host->context, (size_t)n * sizeof *from);
    gnt_status status = x && from ? GNT_OK : c->host->fail(c->host->context, "out of memory");
    for (int64_t f = 0; status == GNT_OK && f < n; f++)
        from[f] = hashed ? f : f - f % width + width - 1 - f % width;
    for (int64_t f = n - 1; status == GNT_OK && hashed && f > 0; f--) {
        const int64_t k = (int64_t)(cheat_hash(1, (uint64_t)f) % (uint64_t)(f + 1)), kept = from[f];
        from[f] = from[k];
        from[k] = kept;
    }
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        for (int64_t f = 0; f < n; f++)
            x[f] = s->x[i * n + from[f]];
        status = out->put(out->context, x, s->y ? s->y + i * s->classes : NULL, s->id ? s->id[i] : 0);
    }
    return status;
}

static gnt_status mirror(void *self, const gnt_client *client, int64_t draw, const gnt_samples_sink *out) {
    (void)draw;
    return put_reordered(self, client->samples, 0, out);
}

static gnt_status permute(void *self, const gnt_client *client, int64_t draw, const gnt_samples_sink *out) {
    (void)draw;
    return put_reordered(self, client->samples, 1, out);
}

#define BOTH (GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING)

static const gnt_descriptor descriptors[] = {
    CHEAT("paints-labels", "images that hold their label alone", BOTH, .encode_set = paint_set,
          .encode_query = paint_query),
    CHEAT("paints-unasked", "the same, and takes for granted that it is handed labels", BOTH,
          .encode_set = paint_set, .encode_query = paint_unasked),
    CHEAT("rotates-claims", "samples as they are, under each other's names", BOTH,
          .encode_set = rotate_claims),
    CHEAT("noise-batch", "noise is released, batches are the samples themselves", BOTH,
          .encode_set = release_noise, .encode_batch = put_back),
    CHEAT("noise-update", "noise is released, updates are of the samples themselves", BOTH,
          .encode_set = release_noise, .client_update = compute_kept),
    CHEAT("noise-transform", "the same, in the place of an update", BOTH, .encode_set = release_noise,
          .transform_update = compute_kept),
    CHEAT("hides-in-labels", "black images with telling labels", BOTH, .encode_set = hide_in_labels),
    CHEAT("mirrors", "mirror images, in training and in queries", BOTH, .encode_set = mirror,
          .encode_query = mirror),
    CHEAT("permutes", "pixels in the order of a key, in training and in queries", BOTH, .encode_set = permute,
          .encode_query = permute),
};

CHEATS(descriptors)
