/* invert: decodes the sample behind a representation, and infers a private attribute from it. A decoder
 * learns to map f(x) to x by the least squared error on shadow samples; a classifier learns the attribute
 * from the decoder's output. Samples behind one observation are read one by one, and the classifier's scores
 * are averaged. */
#include <math.h>
#include <stdlib.h>

#include "attribute_attacks.h"
#include "mapped.h"
#include "shared/try.h"

/* ---- single samples ---- */

/* An observation of one sample. */
typedef struct single {
    gnt_view view;
    gnt_views representation;
    gnt_observation seen;
} single;

/* Returns the number of samples behind an observation; 0 if it has no representation of each. */
static int64_t samples_of(const gnt_observation *o) {
    const gnt_views *r = o->surface == GNT_SURFACE_REPRESENTATION ? o->representation : NULL;
    return r && r->n == 1 && o->n > 0 && r->view->count >= o->n && r->view->count % o->n == 0 ? o->n : 0;
}

static void show(const gnt_observation *o, int64_t k, single *out) {
    const int64_t width = o->representation->view->count / o->n;
    out->view = (gnt_view){.name = "representation",
                           .rank = 2,
                           .dim = {1, width},
                           .count = width,
                           .data = o->representation->view->data + k * width};
    out->representation = (gnt_views){1, &out->view};
    out->seen = (gnt_observation){.size = sizeof out->seen,
                                  .surface = GNT_SURFACE_REPRESENTATION,
                                  .attribute_values = o->attribute_values,
                                  .n = 1,
                                  .representation = &out->representation};
}

/* Shadow observations of one sample each. */
typedef struct singles {
    gnt_attack_prepare in;
    gnt_observation setting;
} singles;

static gnt_status split(singles *s, const gnt_host *host, const gnt_attack_prepare *in) {
    int64_t n = 0;
    for (int64_t i = 0; i < in->n_shadow; i++) {
        const int64_t each = samples_of(in->shadow[i]);
        if (each < 1 || in->shadow_truth[i]->n != each)
            return gnt_host_fail(host, "a shadow observation shows no representation of each of its samples");
        n += each;
    }
    single *one = gnt_host_scratch(host, n, sizeof *one);
    gnt_samples *truth = gnt_host_scratch(host, n, sizeof *truth);
    const gnt_observation **shadow = gnt_host_scratch(host, n, sizeof *shadow);
    const gnt_samples **behind = gnt_host_scratch(host, n, sizeof *behind);
    TRY(have_memory(host, one && truth && shadow && behind, "no memory for the shadow observations"));
    s->in.n_shadow = n;
    s->in.shadow = shadow;
    s->in.shadow_truth = behind;
    for (int64_t i = 0, at = 0; i < in->n_shadow; i++)
        for (int64_t k = 0; k < in->shadow[i]->n; k++, at++) {
            show(in->shadow[i], k, &one[at]);
            truth[at] = attr_sample_of(in->shadow_truth[i], k);
            shadow[at] = &one[at].seen;
            behind[at] = &truth[at];
        }
    return GNT_OK;
}

static gnt_status singles_open(singles *s, const gnt_host *host, const gnt_attack_prepare *in) {
    s->in = *in;
    if (in->setting) {
        s->setting = *in->setting;
        s->setting.n = 1;
        s->in.setting = &s->setting;
    }
    return in->shadow && in->shadow_truth && in->n_shadow > 0 ? split(s, host, in) : GNT_OK;
}

/* ---- learning ---- */

static gnt_status learn(const mapped *s, const attr_source *from, const attr_table *t, const gnt_sink *out) {
    const gnt_host *host = s->base.host;
    const int64_t one = 1;
    int64_t features;
    float deviation, *x = mapped_samples(s, from, &features);
    if (!x)
        return GNT_FAILED;
    float *mean = gnt_host_scratch(host, features, sizeof *mean);
    TRY(have_memory(host, mean != NULL, "no memory for the mean of the shadow samples"));
    mapped_centre(t, x, features, mean, &deviation);
    TRY(mapped_learn(s, t, x, features, out));
    return out->tensor(out->context, "sample.mean", 1, &features, mean) == GNT_OK &&
                   out->tensor(out->context, "sample.deviation", 1, &one, &deviation) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "the mean of the shadow samples could not be stored");
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const mapped *s = self;
    singles alone;
    attr_source from;
    attr_table t;
    gnt_status status = singles_open(&alone, s->base.host, in);
    if (status != GNT_OK)
        return status;
    status = classic_table(&s->base, &from, &t, &alone.in, out);
    if (status == GNT_OK)
        status = learn(s, &from, &t, out);
    attr_source_close(&from);
    return status;
}

/* ---- observation ---- */

/* The networks, and the mean and deviation that map the decoder's outputs to image space. */
typedef struct decoder {
    mapped_nets nets;
    int64_t features;
    const float *mean; /* features */
    float deviation;
} decoder;

/* True if the model's samples have so many entries, as answers must. */
static int is_of_model(const gnt_host *host, int64_t features) {
    const gnt_model_info *m = host->model ? host->model->info : NULL;
    int64_t of_model = 1;
    for (int32_t i = 0; m && i < m->rank; i++)
        of_model *= m->dim[i];
    return !m || of_model == features;
}

static gnt_status open_decoder(const mapped *s, decoder *d, const gnt_artefacts *own, int64_t columns,
                               int32_t values) {
    const gnt_view *mean = attr_find(own, "sample.", "mean", 1);
    const gnt_view *deviation = attr_find(own, "sample.", "deviation", 1);
    TRY(mapped_read(s, &d->nets, own, columns, values));
    d->features = d->nets.map.width[d->nets.map.layers];
    if (!mean || mean->count != d->features || !deviation || deviation->count != 1 ||
        !is_of_model(s->base.host, d->features))
        return classic_foreign(s->base.host, "a decoder to samples of this size");
    d->mean = mean->data;
    d->deviation = deviation->data[0];
    return GNT_OK;
}

/* The answer to one observation. */
typedef struct reading {
    decoder with;
    float *x;       /* n × features; NULL: not requested */
    float *scores;  /* values: the mean over samples */
    float *of_this; /* values */
} reading;

static gnt_status open_reading(const mapped *s, reading *r, const gnt_observation *seen,
                               const gnt_artefacts *own, int64_t columns) {
    const gnt_host *host = s->base.host;
    const size_t values = (size_t)seen->attribute_values;
    const int wanted = (seen->goals & GNT_GOAL_RECONSTRUCTION) != 0;
    TRY(open_decoder(s, &r->with, own, columns, seen->attribute_values));
    r->scores = gnt_host_scratch(host, 2 * values, sizeof *r->scores);
    r->of_this = r->scores + values;
    if (wanted)
        r->x = gnt_host_scratch(host, seen->n * r->with.features, sizeof *r->x);
    return r->scores && (r->x || !wanted) ? GNT_OK : gnt_host_fail(host, "no memory for what it answers");
}

/* Adds sample k to the answer. */
static gnt_status read_one(const mapped *s, reading *r, const gnt_observation *seen, int64_t k,
                           const gnt_artefacts *own) {
    const gnt_host *host = s->base.host;
    const decoder *d = &r->with;
    single one;
    int64_t columns;
    const float *z;
    show(seen, k, &one);
    TRY(classic_see(&s->base, &one.seen, own, &z, &columns));
    TRY(may_go_on(host));
    if (k == 0)
        TRY(open_reading(s, r, seen, own, columns));
    mapped_scores(&d->nets, z, r->of_this);
    for (int32_t v = 0; v < seen->attribute_values; v++)
        r->scores[v] += r->of_this[v] / (float)seen->n;
    for (int64_t j = 0; r->x && j < d->features; j++)
        r->x[k * d->features + j] = fminf(1, fmaxf(0, d->mean[j] + d->deviation * d->nets.given[j]));
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const mapped *s = self;
    const gnt_host *host = s->base.host;
    reading r = {0};
    if (samples_of(seen) < 1)
        return unsupported(host, "it reads representations of samples, and none was observed");
    for (int64_t k = 0; k < seen->n; k++)
        TRY(read_one(s, &r, seen, k, own));
    if (r.x)
        TRY(answer->reconstruction(answer->context, seen->n, r.x));
    return answer->attribute(answer->context, seen->attribute_values, r.scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {MAPPED_MEMBERS};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor invert_descriptor = {
    GNT_ATTACK("invert", "1.0",
               "decodes samples from their representations, and infers a private attribute from these", "MIT",
               ""),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_REPRESENTATION,
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_SHADOW_OBS,
    .families = families,
    .least_shadow = 2,
    ATTRIBUTE_ATTACK(mapped, hooks),
    .start = mapped_start};
