/* mixup and instahide as encodings of a client's set.
 *
 * mixup (Zhang et al., 2018): e = Σ w_c x_c over k samples, y = Σ w_c y_c. instahide (Huang et al., 2020):
 * the same sum of images centred on 0, v = Σ w_c (2x_c − 1), then a random sign for every entry: s ∘ v.
 * Encodings live in image space [0, 1] as all samples do here: e = (s ∘ v + 1)/2, which is the plain mix or
 * its negative, entry by entry; an attacker gets |v| back as |2e − 1|. Public partners bring no labels: those
 * of the private samples are scaled up to sum to 1. */
#include <stdio.h>
#include <string.h>

#include "mixing_defenses.h"
#include "shared/try.h"

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
        gnt_host_fail(host, text);
        return GNT_UNSUPPORTED;
    }
    if (client->samples->n >= privates)
        return GNT_OK;
    snprintf(text, sizeof text,
             "k = %d mixes %d different private samples, but the set to be encoded holds %d; lower k, give "
             "clients more "
             "rows, or let observe.set say how many samples are encoded together",
             (int)m->k, (int)privates, (int)client->samples->n);
    return gnt_host_fail(host, text);
}

static void add(const gnt_samples *s, int64_t row, double weight, float *x) {
    const float *from = s->x + row * s->features;
    for (int64_t i = 0; i < s->features; i++)
        x[i] += (float)weight * from[i];
}

/* Makes mix i and passes it to the sink: draws its weights, sums its samples and labels, hides the signs. */
static gnt_status release(job *j, int64_t i, const gnt_samples_sink *out, double *largest) {
    mixing *m = j->m;
    const gnt_samples *own = j->own;
    double weight[MOST_PARTNERS], sum = 0;
    int64_t id[MOST_PARTNERS], row[MOST_PARTNERS], most = 0;
    TRY(mixing_draw_weights(m, j->privates, weight));
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
    gnt_status status = out->put(out->context, j->x, j->y, id[most]);
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
    TRY(fits(m, client, j.privates));
    j.partner = gnt_host_scratch(host, j.privates * own->n, sizeof *j.partner);
    j.x = gnt_host_scratch(host, own->features, sizeof *j.x);
    j.y = gnt_host_scratch(host, own->classes, sizeof *j.y);
    TRY(have_memory(host, j.partner && j.x && j.y, "no memory for the mixes of a set"));
    TRY(mixing_draw_partners(m, own->n, j.privates, j.partner));
    for (int64_t i = 0; i < own->n; i++)
        TRY(gnt_host_should_stop(host) ? GNT_STOPPED : release(&j, i, out, &largest));
    gnt_host_fact(host, "largest_private_weight", largest);
    return GNT_OK;
}

/* Flips the pixels of query samples, but does not mix them: a network trained on flipped pixels has hardly
 * seen an image without. */
static gnt_status encode_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    mixing *m = self;
    const gnt_host *host = m->host;
    const gnt_samples *own = client->samples;
    float *x = gnt_host_scratch(host, own->features, sizeof *x);
    (void)draw;
    TRY(have_memory(host, x != NULL, "no memory for one sample"));
    for (int64_t i = 0; i < own->n; i++) {
        TRY(may_go_on(host));
        memcpy(x, own->x + i * own->features, (size_t)own->features * sizeof *x);
        mixing_flip(m, own->features, x);
        TRY(out->put(out->context, x, NULL, 0));
    }
    return GNT_OK;
}

static gnt_status start_instahide(void *self) {
    mixing *m = self;
    m->flips = 1;
    if (m->signs == SIGNS_CSPRNG)
        mixing_key(m);
    return GNT_OK;
}

static const gnt_defense mixup_hooks = {.size = sizeof mixup_hooks, .encode_set = encode_set};
static const gnt_defense instahide_hooks = {
    .size = sizeof instahide_hooks, .encode_set = encode_set, .encode_query = encode_query};

static const char *const schemes[] = {"intra", "cross", NULL};
static const char *const sources[] = {"seeded", "csprng", NULL};

#define SHARED_PARAMETERS                                                                                    \
    GNT_STRENGTH_INT(mixing, k, 2, MOST_PARTNERS, 4, GNT_SCALE_LINEAR, 1, "samples",                         \
                     "samples in one mix; the papers take 4 within one set, 6 across two"),                  \
        GNT_CHOICE(mixing, scheme, schemes, "intra",                                                         \
                   "partners: intra: private samples alone; cross: two private ones, the others public"),    \
        GNT_REAL_ID("max_weight", mixing, most, 0.1, 1, 0.65, GNT_SCALE_LINEAR, "",                          \
                    "weights are drawn again while one is above this"),                                      \
        GNT_REAL_ID("private_weight", mixing, least_private, 0, 1, 0.3, GNT_SCALE_LINEAR, "",                \
                    "cross: weights are drawn again while the two private ones sum to less")

static const gnt_parameter mixup_parameters[] = {SHARED_PARAMETERS};
static const gnt_parameter instahide_parameters[] = {
    SHARED_PARAMETERS,
    GNT_CHOICE(mixing, signs, sources, "seeded",
               "where signs come from: the host's stream, or ChaCha20 with a key from it"),
};

static const char *const families[] = {GNT_FAMILY_MIXING, NULL};

#define COMMON                                                                                               \
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING, .families = families,                             \
    .instance_size = GNT_INSTANCE(mixing)

static const gnt_descriptor mixup = {
    GNT_DEFENSE("mixup", "1.0", "trains on weighted sums of k samples, drawn again in each epoch", "MIT",
                "Zhang, Cisse, Dauphin and Lopez-Paz, mixup: Beyond Empirical Risk Minimization, ICLR 2018"),
    GNT_PARAMETERS(mixup_parameters),
    COMMON,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,
    .data_kinds = GNT_KIND_ANY,
    .defense = &mixup_hooks,
};
static const gnt_descriptor instahide = {
    GNT_DEFENSE("instahide", "1.0",
                "mixes k images as mixup does, then flips the sign of each pixel at random", "MIT",
                "Huang, Song, Li and Arora, InstaHide: Instance-hiding Schemes for Private Distributed "
                "Learning, ICML 2020"),
    GNT_PARAMETERS(instahide_parameters),
    COMMON,
    .flags = GNT_FLAG_RANDOMISED,
    .data_kinds = GNT_KIND_IMAGE,
    .defense = &instahide_hooks,
    .start = start_instahide,
};

static const gnt_descriptor *const list[] = {&mixup, &instahide};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
