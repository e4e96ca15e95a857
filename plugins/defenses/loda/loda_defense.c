/* loda: "Learning to Obscure Data". A client's images go out as others that look like public ones but make
 * the extractor feel the same. Each is encoded once: what an image becomes depends on its pixels, the public
 * images and a secret that `prepare` draws for all clients, not on the round, the epoch or the other
 * images (up to the rounding of sums). */
#include <math.h>
#include <string.h>

#include "image_key.h"
#include "obscure.h"
#include "shared/try.h"

typedef struct loda {
    const gnt_host *host;
    obscurer obscurer;
    int64_t preset;
    const char *extractor, *layers;
    const gnt_memo *memo; /* of each image by its key: an `obscured`, and the encoding */
    int64_t n_done;
    uint64_t secret;
    int has_secret;
} loda;

/* ---- where an image starts ---- */

static uint64_t draw_secret(const gnt_host *host) {
    uint64_t high = gnt_host_below(host, "secret", (uint64_t)1 << 32);
    return high << 32 | gnt_host_below(host, "secret", (uint64_t)1 << 32);
}

/* Reads the secret from the artefacts; draws it where nothing was prepared. */
static void know_secret(loda *self, const gnt_artefacts *artefacts) {
    for (int64_t i = 0; !self->has_secret && artefacts && i < artefacts->n_blobs; i++) {
        const gnt_blob *b = &artefacts->blob[i];
        if (strcmp(b->name, "secret") != 0 || b->count != 8)
            continue;
        for (int k = 0; k < 8; k++)
            self->secret = self->secret << 8 | b->data[k];
        self->has_secret = 1;
    }
    if (!self->has_secret)
        self->secret = draw_secret(self->host);
    self->has_secret = 1;
}

/* Chooses one of n public images, by SplitMix64 of the secret and the image's key: the same one each time. */
static int64_t start_of(const loda *self, image_key key, int64_t n) {
    uint64_t z = self->secret ^ key.b;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* ---- hooks ---- */

static gnt_status prepare(void *self_, const gnt_defense_prepare *in, const gnt_sink *out) {
    loda *self = self_;
    const gnt_host *host = self->host;
    uint8_t bytes[8];
    if (!in->public_data || in->public_data->n < 1)
        return gnt_host_fail(host,
                             "it starts from public images and the task has none; give it data.public rows");
    if (host->model)
        TRY(features_fit(&self->obscurer.g, host->model->info));
    uint64_t secret = draw_secret(host);
    for (int k = 0; k < 8; k++)
        bytes[k] = (uint8_t)(secret >> (56 - 8 * k));
    return out->blob(out->context, "secret", bytes, 8);
}

typedef struct waiting { /* images of a set that are still to be encoded, one batch at a time */
    int64_t *row, n;
    image_key *key, *new_key; /* of all images, and of a batch */
    float *truth, *x;
    obscured *about;
    uint8_t *values; /* what the memo gets of a batch */
} waiting;

/* ---- the memo ---- */

static int64_t value_size(int64_t pixels) {
    return (int64_t)sizeof(obscured) + pixels * (int64_t)sizeof(float);
}

/* Returns the encoding of an image; NULL: it has none yet. *is_new: 1 if it was made before this process, and
 * *about is to be reported. */
static const float *encoding_of(const loda *self, const image_key *key, int32_t *is_new, obscured *about) {
    int64_t count;
    const uint8_t *value = self->memo->find(self->memo->context, (const uint8_t *)key, &count, is_new);
    if (!value || count != value_size(self->obscurer.g.pixels))
        return NULL;
    memcpy(about, value, sizeof *about);
    return (const float *)(const void *)(value + sizeof *about);
}

/* Keeps a batch: rows from … from + n − 1 of the list. */
static gnt_status keep_batch(loda *self, const waiting *w, int64_t from, int64_t n) {
    const int64_t pixels = self->obscurer.g.pixels, size = value_size(pixels);
    for (int64_t k = 0; k < n; k++) {
        uint8_t *value = w->values + k * size;
        memcpy(value, &w->about[k], sizeof w->about[k]);
        memcpy(value + sizeof w->about[k], w->x + k * pixels, (size_t)pixels * sizeof(float));
        w->new_key[k] = w->key[w->row[from + k]];
    }
    self->n_done += n;
    return self->memo->put(self->memo->context, n, (const uint8_t *)w->new_key, w->values, size);
}

/* ---- encoding ---- */

static int open_waiting(waiting *w, const loda *self, const gnt_samples *s) {
    const gnt_host *host = self->host;
    const int64_t batch = self->obscurer.batch, pixels = batch * s->features;
    w->row = gnt_host_scratch(host, s->n, sizeof *w->row);
    w->key = gnt_host_scratch(host, s->n, sizeof *w->key);
    w->truth = gnt_host_scratch(host, pixels, sizeof(float));
    w->x = gnt_host_scratch(host, pixels, sizeof(float));
    w->about = gnt_host_scratch(host, batch, sizeof *w->about);
    w->values = gnt_host_scratch(host, batch, (size_t)value_size(s->features));
    w->new_key = gnt_host_scratch(host, batch, sizeof *w->new_key);
    return w->row && w->key && w->new_key && w->truth && w->x && w->about && w->values ? 0 : -1;
}

static void report(const loda *self, const obscured *about, int64_t pixels) {
    const gnt_host *host = self->host;
    double mean = about->square / (double)pixels;
    gnt_host_fact(host, "objective_start", about->first);
    gnt_host_fact(host, "objective_end", about->last);
    gnt_host_fact(host, "psnr_to_private", mean > 0 ? -10 * log10(mean) : INFINITY);
}

/* Lists the rows whose encoding is not known, each image once. Reports those that were made before this
 * process. */
static void list_new(waiting *w, loda *self, const gnt_samples *s) {
    for (int64_t i = 0; i < s->n; i++) {
        int32_t is_new = 0;
        obscured about;
        w->key[i] = image_key_of(s->x + i * s->features, s->features);
        int known = encoding_of(self, &w->key[i], &is_new, &about) != NULL;
        if (known && is_new) {
            report(self, &about, s->features);
            self->n_done++;
        }
        for (int64_t k = 0; !known && k < w->n; k++)
            known = w->key[w->row[k]].a == w->key[i].a && w->key[w->row[k]].b == w->key[i].b;
        if (!known)
            w->row[w->n++] = i;
    }
}

/* Encodes rows from … from + n − 1 of the list. */
static gnt_status encode_batch_of(loda *self, waiting *w, int64_t from, int64_t n, const gnt_client *client) {
    const gnt_samples *s = client->samples, *start = client->public_data;
    size_t bytes = (size_t)s->features * sizeof(float);
    for (int64_t k = 0; k < n; k++) {
        int64_t row = w->row[from + k], begin = start_of(self, w->key[row], start->n);
        memcpy(w->truth + k * s->features, s->x + row * s->features, bytes);
        memcpy(w->x + k * s->features, start->x + begin * s->features, bytes);
    }
    double each = (double)self->obscurer.steps, known = (double)(self->n_done * self->obscurer.steps);
    double all = known + each * (double)(w->n - from);
    /* clients hold about the same number of images, and each comes round once */
    double whole = each * (double)client->n_clients * (double)client->n_samples;
    gnt_status status =
        obscurer_run(&self->obscurer, n, w->truth, w->x, w->about, known, whole > all ? whole : all);
    for (int64_t k = 0; status == GNT_OK && k < n; k++)
        report(self, &w->about[k], s->features);
    if (status == GNT_OK)
        status = keep_batch(self, w, from, n);
    return status;
}

static gnt_status check_set(const loda *self, const gnt_client *client) {
    const gnt_host *host = self->host;
    const gnt_samples *s = client->samples, *start = client->public_data;
    if (!start || start->n < 1)
        return gnt_host_fail(host,
                             "it starts from public images and the task has none; give it data.public rows");
    if (start->features != s->features)
        return gnt_host_fail(host, "the public images have another shape than the private ones");
    gnt_status fits = host->model ? features_fit(&self->obscurer.g, host->model->info) : GNT_OK;
    if (fits == GNT_OK && s->features != self->obscurer.g.pixels)
        return gnt_host_fail(host, "the images have another shape than the extractor reads");
    return fits;
}

static gnt_status encode_set(void *self_, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    loda *self = self_;
    const gnt_host *host = self->host;
    const gnt_samples *s = client->samples;
    waiting w = {0};
    (void)epoch;
    gnt_status status = check_set(self, client);
    if (status != GNT_OK)
        return status;
    know_secret(self, client->artefacts);
    if (open_waiting(&w, self, s) != 0)
        return gnt_host_fail(host, "no memory for a batch: set \"batch\" lower");
    list_new(&w, self, s);
    for (int64_t from = 0; status == GNT_OK && from < w.n; from += self->obscurer.batch) {
        int64_t n = w.n - from < self->obscurer.batch ? w.n - from : self->obscurer.batch;
        status = encode_batch_of(self, &w, from, n, client);
    }
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        obscured about;
        int32_t is_new;
        const float *encoding = encoding_of(self, &w.key[i], &is_new, &about);
        status = encoding ? out->put(out->context, encoding, s->y + i * s->classes, s->id ? s->id[i] : i)
                          : gnt_host_fail(host, "an encoding was kept in another size");
    }
    return status;
}

/* ---- the plugin ---- */

static const char *const preset_names[] = {"LODA1", "LODA2", "LODA3", "custom", NULL};

enum { CUSTOM = 3 };

static gnt_status start(void *self_) {
    loda *self = self_;
    if (self->preset != CUSTOM && *self->layers)
        return gnt_host_fail(self->host,
                             "\"layers\" is set, but the preset names its own; set \"preset\" to \"custom\"");
    if (features_open(&self->obscurer.g, self->host, "extractor",
                      features_preset(self->preset, self->layers)))
        return GNT_FAILED;
    self->memo = gnt_host_extension(self->host, GNT_EXTENSION_MEMO, 1);
    if (obscurer_open(&self->obscurer) != 0)
        return gnt_host_fail(self->host, "out of memory: set \"batch\" lower");
    return GNT_OK;
}

static void stop(void *self_) {
    loda *self = self_;
    obscurer_close(&self->obscurer);
}

static const gnt_parameter parameters[] = {
    GNT_MODEL(loda, extractor, NULL, "network trained on public data whose activations are to stay"),
    GNT_CHOICE(
        loda, preset, preset_names, "LODA1",
        "LODA1: the first five convolutions (c = 20 in the paper); LODA2: all (c = 30); LODA3: the last "
        "five and the dense layer (c = 1)"),
    GNT_TEXT(loda, layers, "",
             "with preset custom: names of layers, convs:firstN, convs:lastN, convs:all, dense, joined by +"),
    GNT_STRENGTH_REAL_ID("c", loda, obscurer.c, 1e-3, 1e7, 20, GNT_SCALE_LOG, 1, "",
                         "weight of the distance to the private image; its effect depends on the size of the "
                         "activations"),
    GNT_INT_ID("steps", loda, obscurer.steps, 1, 100000, 500, "", "of descent"),
    GNT_REAL_ID("step", loda, obscurer.step, 1e-6, 100, 0.1, GNT_SCALE_LOG, "",
                "length of a step, L2 over the image"),
    GNT_INT_ID("batch", loda, obscurer.batch, 1, 4096, 16, "",
               "images encoded at once; changes speed and memory only"),
};

static const gnt_defense hooks = {.size = sizeof hooks, .prepare = prepare, .encode_set = encode_set};
static const char *const services[] = {GNT_EXTENSION_MODELS, GNT_EXTENSION_MEMO, NULL};

static const char *const families[] = {"loda", NULL};

static const gnt_descriptor descriptor = {
    GNT_DEFENSE("loda", "1.0",
                "replaces each image by one that keeps an extractor's activations and lies far from it",
                "MIT", "Learning to Obscure Data (LODA), Algorithm 1 and Eq. 4"),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING,
    .data_kinds = GNT_KIND_IMAGE,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_NEEDS_PUBLIC | GNT_FLAG_NO_GRADIENT | GNT_FLAG_ARTEFACTS_PRIVATE |
             GNT_FLAG_RESUMES,
    .services = services,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(loda),
    .start = start,
    .stop = stop,
};

GNT_DEFINE_ENTRY(descriptor)
