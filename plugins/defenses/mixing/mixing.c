/* mixup and instahide as encodings of a client's set.
 *
 * mixup (Zhang et al., 2018): e = Σ w_c x_c over k samples, y = Σ w_c y_c. instahide (Huang et al., 2020):
 * the same sum of images centred on 0, v = Σ w_c (2x_c − 1), then a random sign for every entry: s ∘ v.
 * Encodings live in image space [0, 1] as all samples do here: e = (s ∘ v + 1)/2, which is the plain mix or
 * its negative, entry by entry; an attacker gets |v| back as |2e − 1|. Public partners bring no labels: those
 * of the private samples are scaled up to sum to 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixing.h"

enum { K, SCHEME, MAX_WEIGHT, PRIVATE_WEIGHT, SIGNS };

/* The sets that one call mixes. */
typedef struct job {
    mixing *m;
    const gnt_samples *own, *shared; /* private, public */
    int64_t privates;                /* samples of a mix that are private */
    int64_t *partner;                /* privates × own->n */
    float *x, *y;                    /* the mix at hand */
} job;

static gnt_status fits(const mixing *m, const gnt_client *client, int64_t privates) {
    const gnt_host *host = m->host;
    const gnt_samples *shared = client->public_data;
    char text[240];
    if (m->scheme == SCHEME_CROSS && m->k > privates && (!shared || shared->n < m->k - privates)) {
        snprintf(text, sizeof text,
                 "scheme \"cross\" mixes with %d public samples, but the task has %d; raise data.public, or "
                 "take \"intra\"",
                 (int)(m->k - privates), shared ? (int)shared->n : 0);
        host->fail(host->context, text);
        return GNT_UNSUPPORTED;
    }
    if (client->samples->n >= privates)
        return GNT_OK;
    snprintf(text, sizeof text,
             "k = %d mixes %d different private samples, but the set to be encoded holds %d; lower k, give "
             "clients more "
             "rows, or let observe.set say how many samples are encoded together",
             (int)m->k, (int)privates, (int)client->samples->n);
    return host->fail(host->context, text);
}

static void add(const gnt_samples *s, int64_t row, double weight, float *x) {
    const float *from = s->x + row * s->features;
    for (int64_t i = 0; i < s->features; i++)
        x[i] += (float)weight * from[i];
}

/* Mix i: draws its weights, sums up, hides the signs, hands over. */
static gnt_status release(job *j, int64_t i, const gnt_samples_sink *out, double *largest) {
    mixing *m = j->m;
    const gnt_samples *own = j->own;
    double weight[MOST_PARTNERS], sum = 0;
    int64_t id[MOST_PARTNERS], row[MOST_PARTNERS], most = 0;
    gnt_status status = mixing_draw_weights(m, j->privates, weight);
    if (status != GNT_OK)
        return status;
    for (int64_t f = 0; f < own->features; f++)
        j->x[f] = 0;
    for (int32_t c = 0; c < own->classes; c++)
        j->y[c] = 0;
    for (int64_t c = 0; c < j->privates; c++)
        sum += weight[c];
    for (int64_t c = 0; c < j->privates; c++) {
        int64_t from = j->partner[c * own->n + i];
        add(own, from, weight[c], j->x);
        for (int32_t k = 0; k < own->classes; k++)
            j->y[k] += (float)(weight[c] / sum) * own->y[from * own->classes + k];
        id[c] = own->id[from];
        most = weight[c] > weight[most] ? c : most;
    }
    if (m->k > j->privates)
        mixing_draw_public(m, j->shared->n, m->k - j->privates, row);
    for (int64_t c = j->privates; c < m->k; c++)
        add(j->shared, row[c - j->privates], weight[c], j->x);
    if (m->flips)
        mixing_flip(m, own->features, j->x);
    *largest += weight[most] / (double)own->n;
    status = out->put(out->context, j->x, j->y, id[most]);
    return status == GNT_OK && out->size > offsetof(gnt_samples_sink, mixed) && out->mixed
               ? out->mixed(out->context, j->privates, id, weight)
               : status;
}

static gnt_status encode_set(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    mixing *m = self;
    const gnt_host *host = m->host;
    const gnt_samples *own = client->samples;
    job j = {
        .m = m, .own = own, .shared = client->public_data, .privates = m->scheme == SCHEME_CROSS ? 2 : m->k};
    double largest = 0;
    (void)epoch; /* the streams go on where they stopped, so no two epochs are alike */
    gnt_status status = fits(m, client, j.privates);
    if (status != GNT_OK)
        return status;
    j.partner = host->scratch(host->context, (size_t)(j.privates * own->n) * sizeof *j.partner);
    j.x = host->scratch(host->context, (size_t)own->features * sizeof *j.x);
    j.y = host->scratch(host->context, (size_t)own->classes * sizeof *j.y);
    if (!j.partner || !j.x || !j.y)
        return host->fail(host->context, "no memory for the mixes of a set");
    status = mixing_draw_partners(m, own->n, j.privates, j.partner);
    for (int64_t i = 0; status == GNT_OK && i < own->n; i++)
        status = host->should_stop(host->context) ? GNT_STOPPED : release(&j, i, out, &largest);
    if (status == GNT_OK)
        host->fact(host->context, "largest_private_weight", largest);
    return status;
}

/* A network trained on flipped pixels has hardly seen an image without: samples it is asked about are flipped
 * too, each by itself, and not mixed. */
static gnt_status encode_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    mixing *m = self;
    const gnt_host *host = m->host;
    const gnt_samples *own = client->samples;
    float *x = host->scratch(host->context, (size_t)own->features * sizeof *x);
    (void)draw;
    if (!x)
        return host->fail(host->context, "no memory for one sample");
    for (int64_t i = 0; i < own->n; i++) {
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        memcpy(x, own->x + i * own->features, (size_t)own->features * sizeof *x);
        mixing_flip(m, own->features, x);
        const gnt_status status = out->put(out->context, x, NULL, 0);
        if (status != GNT_OK)
            return status;
    }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *v, int flips) {
    mixing *m = calloc(1, sizeof *m);
    if (!m) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *m = (mixing){.host = host,
                  .flips = flips,
                  .k = v[K].i,
                  .scheme = v[SCHEME].i,
                  .signs = flips ? v[SIGNS].i : SIGNS_SEEDED,
                  .most = v[MAX_WEIGHT].r,
                  .least_private = v[PRIVATE_WEIGHT].r};
    if (m->signs == SIGNS_CSPRNG)
        mixing_key(m);
    return m;
}

static void *create_mixup(const gnt_host *host, const gnt_value *values) {
    return create(host, values, 0);
}

static void *create_instahide(const gnt_host *host, const gnt_value *values) {
    return create(host, values, 1);
}

static const gnt_defense mixup_hooks = {.size = sizeof mixup_hooks, .encode_set = encode_set};
static const gnt_defense instahide_hooks = {
    .size = sizeof instahide_hooks, .encode_set = encode_set, .encode_query = encode_query};

static const char *const schemes[] = {"intra", "cross", NULL};
static const char *const sources[] = {"seeded", "csprng", NULL};

#define SHARED_PARAMETERS                                                                                    \
    {.id = "k",                                                                                              \
     .type = GNT_TYPE_INT,                                                                                   \
     .scale = GNT_SCALE_LINEAR,                                                                              \
     .unit = "samples",                                                                                      \
     .least = 2,                                                                                             \
     .most = MOST_PARTNERS,                                                                                  \
     .preset = 4,                                                                                            \
     .strength = 1,                                                                                          \
     .help = "samples in one mix; the papers take 4 within one set, 6 across two"},                          \
        {.id = "scheme",                                                                                     \
         .type = GNT_TYPE_CHOICE,                                                                            \
         .unit = "",                                                                                         \
         .preset_text = "intra",                                                                             \
         .choices = schemes,                                                                                 \
         .help = "partners: intra: private samples alone; cross: two private ones, the others public"},      \
        {.id = "max_weight",                                                                                 \
         .type = GNT_TYPE_REAL,                                                                              \
         .scale = GNT_SCALE_LINEAR,                                                                          \
         .unit = "",                                                                                         \
         .least = 0.1,                                                                                       \
         .most = 1,                                                                                          \
         .preset = 0.65,                                                                                     \
         .help = "weights are drawn anew while one is above this"},                                          \
    {                                                                                                        \
        .id = "private_weight", .type = GNT_TYPE_REAL, .scale = GNT_SCALE_LINEAR, .unit = "", .least = 0,    \
        .most = 1, .preset = 0.3,                                                                            \
        .help = "cross: weights are drawn anew while the two private ones sum to less"                       \
    }

static const gnt_parameter mixup_parameters[] = {SHARED_PARAMETERS};
static const gnt_parameter instahide_parameters[] = {
    SHARED_PARAMETERS,
    {.id = "signs",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "seeded",
     .choices = sources,
     .help = "where signs come from: the host's stream, or ChaCha20 with a key from it"}};

static const char *const families[] = {GNT_FAMILY_MIXING, NULL};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .version = "1.0", .licence = "MIT",          \
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING, .flags = GNT_FLAG_RANDOMISED,                     \
    .families = families, .destroy = free

static const gnt_descriptor descriptors[] = {
    {COMMON, .id = "mixup", .line = "trains on weighted sums of k samples, drawn anew each epoch",
     .citation = "Zhang, Cisse, Dauphin and Lopez-Paz, mixup: Beyond Empirical Risk Minimization, ICLR 2018",
     .parameters = mixup_parameters, .n_parameters = sizeof mixup_parameters / sizeof *mixup_parameters,
     .data_kinds = GNT_KIND_ANY, .create = create_mixup, .defense = &mixup_hooks},
    {COMMON, .id = "instahide",
     .line = "mixes k images as mixup does, then flips the sign of each pixel at random",
     .citation = "Huang, Song, Li and Arora, InstaHide: Instance-hiding Schemes for Private Distributed "
                 "Learning, ICML 2020",
     .parameters = instahide_parameters,
     .n_parameters = sizeof instahide_parameters / sizeof *instahide_parameters, .data_kinds = GNT_KIND_IMAGE,
     .create = create_instahide, .defense = &instahide_hooks},
};

static const gnt_descriptor *const list[] = {&descriptors[0], &descriptors[1]};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
