/* pixel-noise: Gaussian noise in the pixels of each sample's sensitive region, cut to [0, 1].
 *
 * The noise is part of the data from the start, as FedRE's section 3.3 has it: a sample's is the same each
 * time that it is used, in whatever pass or round. It follows from the sample's pixels and a secret that
 * `prepare` draws for all clients. Without masks the whole sample is the region. */
#include <math.h>
#include <string.h>

#include "shared/region/seeded_draws.h"
#include "region.h"
#include "shared/try.h"

enum { SECRET_BYTES = 8 };

typedef struct pixel_noise {
    const gnt_host *host;
    double sigma;
    uint64_t secret;
    int has_secret;
} pixel_noise;

static gnt_status prepare(void *context, const gnt_defense_prepare *in, const gnt_sink *out) {
    const pixel_noise *self = context;
    const uint64_t secret = draw_seed(self->host, "secret");
    uint8_t bytes[SECRET_BYTES];
    (void)in;
    for (int k = 0; k < SECRET_BYTES; k++)
        bytes[k] = (uint8_t)(secret >> 8 * k);
    return out->blob(out->context, "secret", bytes, SECRET_BYTES);
}

static gnt_status know_secret(pixel_noise *self, const gnt_artefacts *from) {
    for (int64_t i = 0; !self->has_secret && from && i < from->n_blobs; i++)
        if (strcmp(from->blob[i].name, "secret") == 0 && from->blob[i].count == SECRET_BYTES) {
            for (int k = 0; k < SECRET_BYTES; k++)
                self->secret |= (uint64_t)from->blob[i].data[k] << 8 * k;
            self->has_secret = 1;
        }
    return self->has_secret ? GNT_OK
                            : gnt_host_fail(self->host, "the secret that `prepare` drew is not there");
}

/* Writes sample i with noise into x. Noise is drawn for every entry, but added only within the region.
 * Returns the number of entries there. */
static int64_t add_noise(const pixel_noise *self, const gnt_samples *s, int64_t i, float *x) {
    const int64_t plane = s->rank == 3 ? s->dim[1] * s->dim[2] : s->features;
    const float *from = s->x + i * s->features;
    draws d = draws_from(draw_seed_of(self->secret, from, s->features));
    int64_t changed = 0;
    for (int64_t f = 0; f < s->features; f++) {
        const double noise = self->sigma * draws_normal(&d);
        const int inside = !s->mask || s->mask[i * plane + f % plane];
        x[f] = inside ? (float)fmin(1, fmax(0, (double)from[f] + noise)) : from[f];
        changed += inside;
    }
    return changed;
}

static gnt_status encode_set(void *context, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    pixel_noise *self = context;
    const gnt_host *host = self->host;
    const gnt_samples *s = client->samples;
    int64_t changed = 0;
    (void)epoch;
    gnt_status status = know_secret(self, client->artefacts);
    float *x = gnt_host_scratch(host, s->features, sizeof *x);
    if (status == GNT_OK && !x)
        status = gnt_host_fail(host, "no memory for one sample");
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        TRY(may_go_on(host));
        changed += add_noise(self, s, i, x);
        status = out->put(out->context, x, s->y + i * s->classes, s->id ? s->id[i] : i);
    }
    if (status == GNT_OK && s->n > 0)
        gnt_host_fact(host, "region_share", (double)changed / ((double)s->n * (double)s->features));
    return status;
}

static const gnt_defense hooks = {.size = sizeof hooks, .prepare = prepare, .encode_set = encode_set};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(pixel_noise, sigma, 1e-4, 10, 0.1, GNT_SCALE_LOG, 1, "of the range of a pixel",
                      "standard deviation of the noise, before it is cut to the range"),
};

/* A word of its own: attacks that adapt to noise mean that of an update. */
static const char *const families[] = {"pixel-noise", NULL};

const gnt_descriptor pixel_noise_descriptor = {
    GNT_DEFENSE("pixel-noise", "1.0", "adds Gaussian noise to the pixels of each sample's sensitive region",
                "MIT", "as a baseline: " FEDRE_PAPER),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING,
    .data_kinds = GNT_KIND_IMAGE,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_ARTEFACTS_PRIVATE | GNT_FLAG_PREPARES_ONCE,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(pixel_noise),
};
