#include "shared/attribute/attr_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "shared/attribute/pool.h"
#include "shared/try.h"

enum { LEAST_OBSERVATIONS = 10 };

static gnt_status refuse(const gnt_host *host, const char *format, int64_t found, int64_t expected) {
    char text[300];
    snprintf(text, sizeof text, format, (long long)found, (long long)expected);
    return gnt_host_fail(host, text);
}

static gnt_status check_observations(const gnt_host *host, const gnt_attack_prepare *in) {
    for (int64_t i = 0; i < in->n_shadow; i++) {
        const gnt_observation *o = in->shadow[i];
        const gnt_samples *truth = in->shadow_truth[i];
        if (attr_seen_size(o) < 1 || attr_seen_size(o) != attr_seen_size(in->shadow[0]))
            return refuse(host,
                          "shadow observation %lld of %lld holds no update, or representation, of the "
                          "model's size",
                          i + 1, in->n_shadow);
        if (!truth->a || truth->n < 1 || truth->n_attributes <= in->attribute)
            return refuse(host, "the samples behind shadow observation %lld of %lld have no such attribute",
                          i + 1, in->n_shadow);
    }
    return GNT_OK;
}

static gnt_status size_up(attr_source *s, const attr_reading *reading) {
    const gnt_host *host = s->host;
    if (s->n < LEAST_OBSERVATIONS)
        return refuse(host,
                      "there are %lld updates of shadow samples, or representations, and it needs at least "
                      "%lld to learn from; give "
                      "more rows of that role in data, and shadow.observations where they are granted (a few "
                      "hundred are sensible)",
                      s->n, LEAST_OBSERVATIONS);
    s->window = attr_window(reading->window, reading->inputs, s->size);
    s->columns = attr_pooled_size(s->size, s->window);
    if (s->n > INT32_MAX / 2 || s->columns > INT64_MAX / 8 / s->n)
        return gnt_host_fail(host, "there are too many shadow observations of too large updates");
    s->flat = gnt_host_scratch(host, s->size, sizeof *s->flat);
    s->mean = gnt_host_scratch(host, 2 * s->columns, sizeof *s->mean);
    s->scale = s->mean ? s->mean + s->columns : NULL;
    return s->flat && s->mean ? GNT_OK : gnt_host_fail(host, "no memory for one update");
}

gnt_status attr_source_of_samples(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                  const gnt_samples *samples, const float *weights, const float *buffers,
                                  const attr_setting *setting, int32_t attribute) {
    *s = (attr_source){.host = host, .attribute = attribute};
    if (!samples || !samples->a || samples->n_attributes <= attribute ||
        samples->attribute[attribute].values < 2)
        return unsupported(host,
                           "it learns from shadow samples with that attribute, and has none; give rows of "
                           "that role in data");
    s->values = samples->attribute[attribute].values;
    TRY(attr_updates_open(&s->own, host, samples, weights, buffers, setting, attribute));
    s->n = s->own.n;
    s->size = s->own.size;
    return size_up(s, reading);
}

/* Adds the weights of earlier stages. */
static gnt_status add_earlier(attr_source *s, const attr_reading *reading, const gnt_samples *samples,
                              const attr_setting *setting, const gnt_observation *like) {
    gnt_status status = GNT_OK;
    for (int64_t k = 0; status == GNT_OK && k < attr_earlier(like) && k < ATTR_MOST_EARLIER; k++) {
        attr_setting then = *setting;
        then.rate = like->history[k]->rate;
        status = attr_updates_open(&s->earlier[k], s->host, samples, like->history[k]->weights,
                                   like->history[k]->buffers, &then, s->attribute);
        s->size += s->earlier[k].size;
        s->n_earlier = k + 1;
    }
    return status == GNT_OK && s->n_earlier > 0 ? size_up(s, reading) : status;
}

gnt_status attr_source_of_attack(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                 const gnt_attack_prepare *in) {
    const gnt_observation *like = in->setting;
    *s = (attr_source){.host = host, .seen = in, .attribute = in->attribute, .values = in->attribute_values};
    if (in->attribute < 0 || in->attribute_values < 2)
        return unsupported(host, "it needs the task to name a private attribute (observe.attribute)");
    if (in->shadow && in->shadow_truth) {
        s->n = in->n_shadow;
        gnt_status status = check_observations(host, in);
        s->size = status == GNT_OK && s->n > 0 ? attr_seen_size(in->shadow[0]) : 0;
        return status == GNT_OK ? size_up(s, reading) : status;
    }
    if (!like)
        return gnt_host_fail(host, "it was not told what the targets show");
    const attr_setting setting = {.steps = like->steps,
                                  .batch = like->batch,
                                  .behind = like->n,
                                  .rate = like->rate,
                                  .momentum = like->momentum,
                                  .decay = like->decay,
                                  .optimizer = like->steps > 0 && GNT_HAS(gnt_observation, like, optimizer)
                                                   ? like->optimizer
                                                   : GNT_OPTIMIZER_SGD,
                                  .features = like->surface == GNT_SURFACE_REPRESENTATION};
    const gnt_status status = attr_source_of_samples(s, host, reading, in->shadow_data, in->weights,
                                                     in->buffers, &setting, in->attribute);
    return status == GNT_OK ? add_earlier(s, reading, in->shadow_data, &setting, like) : status;
}

void attr_source_close(attr_source *s) {
    if (s->own.f)
        attr_updates_close(&s->own);
    for (int64_t k = 0; k < s->n_earlier; k++)
        attr_updates_close(&s->earlier[k]);
}

gnt_status attr_source_read(attr_source *s, int64_t i) {
    TRY(may_go_on(s->host));
    if (!s->seen) {
        float *at = s->flat;
        gnt_status status = GNT_OK;
        for (int64_t k = 0; status == GNT_OK && k < s->n_earlier; at += s->earlier[k++].size)
            status = attr_update_at(&s->earlier[k], i, at);
        return status == GNT_OK ? attr_update_at(&s->own, i, at) : status;
    }
    attr_seen_flatten(s->seen->shadow[i], s->flat);
    return GNT_OK;
}

int64_t attr_source_features(const attr_source *s) {
    const int64_t features = s->seen ? s->seen->shadow_truth[0]->features : s->own.samples->features;
    for (int64_t i = 0; s->seen && i < s->n; i++)
        if (!s->seen->shadow_truth[i]->x || s->seen->shadow_truth[i]->features != features)
            return 0;
    return features;
}

void attr_source_sample(const attr_source *s, int64_t i, float *out) {
    const gnt_samples *of = s->seen ? s->seen->shadow_truth[i] : s->own.samples;
    const int64_t behind = s->seen ? of->n : s->own.behind;
    for (int64_t k = 0; k < of->features; k++) {
        double sum = 0;
        for (int64_t j = 0; j < behind; j++) {
            const int64_t row = s->seen ? j : s->own.row[i * behind + j];
            sum += (double)of->x[row * of->features + k];
        }
        out[k] = (float)(sum / (double)behind);
    }
}

gnt_samples attr_sample_of(const gnt_samples *s, int64_t k) {
    return (gnt_samples){.size = sizeof(gnt_samples),
                         .kind = s->kind,
                         .n = 1,
                         .classes = s->classes,
                         .features = s->features,
                         .id = s->id ? s->id + k : NULL,
                         .x = s->x ? s->x + k * s->features : NULL,
                         .n_attributes = s->n_attributes,
                         .attribute = s->attribute,
                         .a = s->a ? s->a + k * s->n_attributes : NULL};
}

int32_t attr_class_of(const gnt_samples *s, int64_t row) {
    const float *y = s->y + row * s->classes;
    int32_t best = 0;
    for (int32_t c = 1; c < s->classes; c++)
        best = y[c] > y[best] ? c : best;
    return best;
}

static int32_t label_at(const attr_source *s, int64_t i) {
    if (s->seen)
        return s->by_class ? attr_class_of(s->seen->shadow_truth[i], 0)
                           : attr_label_of(s->seen->shadow_truth[i], s->attribute, s->values);
    const gnt_samples *own = s->own.samples;
    const int64_t row = s->own.row[i * s->own.behind];
    return s->by_class ? attr_class_of(own, row) : own->a[row * own->n_attributes + s->attribute];
}

/* Returns the first sample behind an update, by which updates of the same samples are found. */
static int64_t owner_of(const attr_source *s, int64_t i) {
    const gnt_samples *behind = s->seen ? s->seen->shadow_truth[i] : NULL;
    return behind && behind->id ? behind->id[0] : i;
}

static gnt_status fill(attr_table *t, attr_source *s) {
    for (int64_t i = 0; i < t->n; i++) {
        gnt_status status = attr_source_read(s, i);
        if (status != GNT_OK)
            return status;
        attr_pool(s->flat, s->size, s->window, t->x + i * t->columns, NULL);
        t->label[i] = label_at(s, i);
        if (t->label[i] < 0)
            return refuse(s->host, "shadow observation %lld of %lld has an attribute out of its range", i + 1,
                          t->n);
    }
    return GNT_OK;
}

typedef struct owner { /* the first sample of an observation */
    int64_t id;
    int32_t row;
} owner;

static int by_id(const void *a, const void *b) {
    const owner *p = a, *q = b;
    return p->id != q->id ? (p->id < q->id ? -1 : 1) : (p->row > q->row) - (p->row < q->row);
}

/* Shuffles, and takes the validation part from the end. Observations of one batch of samples (there are
 * several if more observations than batches were requested) stay in one part: else validation would reward
 * memorising samples. */
static gnt_status split(attr_table *t, const attr_source *s, double share) {
    const gnt_host *host = s->host;
    owner *of = gnt_host_scratch(host, t->n, sizeof *of);
    int64_t *group = gnt_host_scratch(host, (size_t)t->n + 1, sizeof *group), groups = 0, at = 0;
    TRY(have_memory(host, of && group, "no memory for the shadow observations"));
    for (int64_t i = 0; i < t->n; i++)
        of[i] = (owner){owner_of(s, i), (int32_t)i};
    qsort(of, (size_t)t->n, sizeof *of, by_id);
    for (int64_t i = 0; i < t->n; i++)
        if (i == 0 || of[i].id != of[i - 1].id)
            group[groups++] = i; /* where it begins in `of` */
    for (int64_t g = groups - 1; g > 0; g--) {
        int64_t other = (int64_t)gnt_host_below(host, "split", (uint64_t)g + 1), kept = group[g];
        group[g] = group[other];
        group[other] = kept;
    }
    int64_t train = groups - (int64_t)(share * (double)groups + 0.5);
    for (int64_t g = 0; g < groups; g++) {
        for (int64_t i = group[g]; i < t->n && of[i].id == of[group[g]].id; i++)
            t->row[at++] = of[i].row;
        if (g + 1 == train)
            t->n_train = at;
    }
    return GNT_OK;
}

/* Counts the training part's values and puts its rows in their order. */
static gnt_status sort_values(attr_table *t, const gnt_host *host) {
    int32_t *sorted = gnt_host_scratch(host, t->n, sizeof *sorted), present = 0;
    int64_t at = 0;
    TRY(have_memory(host, sorted != NULL, "no memory for the shadow observations"));
    for (int32_t v = 0; v < t->values; v++) {
        int64_t from = at;
        for (int64_t i = 0; i < t->n_train; i++)
            if (t->label[t->row[i]] == v)
                sorted[at++] = t->row[i];
        t->count[v] = at - from;
        present += at > from;
    }
    for (int64_t i = 0; i < at; i++)
        t->row[i] = sorted[i];
    if (present >= 2)
        return GNT_OK;
    refuse(host,
           "the %lld shadow observations that it trains on show %lld of the attribute's values, and it "
           "needs two; raise shadow.observations, or choose an attribute that varies",
           t->n_train, present);
    return GNT_UNSUPPORTED;
}

gnt_status attr_table_make(attr_table *t, const attr_reading *reading, attr_source *s) {
    const gnt_host *host = s->host;
    *t = (attr_table){.n = s->n, .columns = s->columns, .values = s->values};
    size_t n = (size_t)t->n;
    t->x = gnt_host_scratch(host, n * (size_t)t->columns, sizeof *t->x);
    t->label = gnt_host_scratch(host, n, sizeof *t->label);
    t->row = gnt_host_scratch(host, n, sizeof *t->row);
    t->count = gnt_host_scratch(host, t->values, sizeof *t->count);
    TRY(have_memory(host, t->x && t->label && t->row && t->count,
                    "no memory for the pooled shadow observations; a larger window, or "
                    "fewer inputs, needs less"));
    TRY(fill(t, s));
    TRY(split(t, s, reading->share));
    TRY(sort_values(t, host));
    attr_statistics(t->x, t->columns, t->row, t->n_train, s->mean, s->scale);
    for (int64_t i = 0; i < t->n; i++)
        attr_standardise(t->x + i * t->columns, t->columns, s->mean, s->scale);
    return GNT_OK;
}

gnt_status attr_write_statistics(const gnt_sink *out, const char *prefix, int64_t columns, const float *mean,
                                 const float *scale) {
    char name[64];
    snprintf(name, sizeof name, "%smean", prefix);
    TRY(out->tensor(out->context, name, 1, &columns, mean));
    snprintf(name, sizeof name, "%sscale", prefix);
    return out->tensor(out->context, name, 1, &columns, scale);
}

float *attr_read_seen(const gnt_host *host, const attr_reading *reading, const gnt_observation *seen,
                      const gnt_artefacts *own, int64_t *columns) {
    const int64_t size = attr_seen_size(seen);
    const int64_t window = attr_window(reading->window, reading->inputs, size);
    const gnt_view *mean = attr_find(own, "", "mean", 1), *scale = attr_find(own, "", "scale", 1);
    *columns = attr_pooled_size(size, window);
    if (!mean || !scale || mean->count != *columns || scale->count != *columns)
        return gnt_host_fail(host,
                             "its artefacts are not of what has this size: they were prepared for another "
                             "task"),
               NULL;
    float *flat = gnt_host_scratch(host, size, sizeof *flat);
    float *x = gnt_host_scratch(host, *columns, sizeof *x);
    if (!flat || !x)
        return gnt_host_fail(host, "no memory for one pooled update"), NULL;
    attr_seen_flatten(seen, flat);
    attr_pool(flat, size, window, x, NULL);
    attr_standardise(x, *columns, mean->data, scale->data);
    return x;
}
