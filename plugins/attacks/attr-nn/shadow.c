/* The table of shadow observations: features, labels, and which of them are for validation. */
#include <stdio.h>
#include <stdlib.h>

#include "attr_nn.h"

enum { LEAST_OBSERVATIONS = 10 };

static gnt_status refuse(const gnt_host *host, const char *format, int64_t found, int64_t expected) {
    char text[300];
    snprintf(text, sizeof text, format, (long long)found, (long long)expected);
    return host->fail(host->context, text);
}

/* The attribute of most of the batch; −1 where a value is none of its values. */
static int32_t label_of(const gnt_samples *s, int32_t attribute, int32_t values, int64_t *count) {
    int32_t best = 0;
    for (int32_t v = 0; v < values; v++)
        count[v] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int32_t v = s->a[i * s->n_attributes + attribute];
        if (v < 0 || v >= values)
            return -1;
        count[v]++;
    }
    for (int32_t v = 1; v < values; v++)
        if (count[v] > count[best])
            best = v;
    return best;
}

static gnt_status check(const gnt_host *host, const gnt_attack_prepare *in) {
    if (in->attribute < 0 || in->attribute_values < 2) {
        host->fail(host->context, "it needs the task to name a private attribute (observe.attribute)");
        return GNT_UNSUPPORTED;
    }
    if (in->n_shadow < LEAST_OBSERVATIONS || !in->shadow || !in->shadow_truth)
        return refuse(host,
                      "there are %lld shadow observations, and it needs at least %lld to learn from; raise "
                      "shadow.observations (a few hundred are sensible)",
                      in->n_shadow, LEAST_OBSERVATIONS);
    for (int64_t i = 0; i < in->n_shadow; i++) {
        const gnt_observation *o = in->shadow[i];
        const gnt_samples *truth = in->shadow_truth[i];
        if (!o->update || o->update->n < 1 ||
            attr_update_size(o->update) != attr_update_size(in->shadow[0]->update))
            return refuse(host, "shadow observation %lld of %lld holds no update of the model's size", i + 1,
                          in->n_shadow);
        if (!truth->a || truth->n < 1 || truth->n_attributes <= in->attribute)
            return refuse(host, "the samples behind shadow observation %lld of %lld have no such attribute",
                          i + 1, in->n_shadow);
    }
    return GNT_OK;
}

static gnt_status fill(attr_table *t, const attr_settings *s, const gnt_attack_prepare *in, int64_t window) {
    const gnt_host *host = s->host;
    for (int64_t i = 0; i < t->n; i++) {
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        attr_pool(in->shadow[i]->update, window, t->x + i * t->columns);
        t->label[i] = label_of(in->shadow_truth[i], in->attribute, t->values, t->count);
        if (t->label[i] < 0)
            return refuse(host, "shadow observation %lld of %lld has an attribute out of its range", i + 1,
                          t->n);
    }
    return GNT_OK;
}

typedef struct owner { /* of an observation: its first sample */
    int64_t id;
    int32_t row;
} owner;

static int by_id(const void *a, const void *b) {
    const owner *p = a, *q = b;
    return p->id != q->id ? (p->id < q->id ? -1 : 1) : (p->row > q->row) - (p->row < q->row);
}

/* Shuffles, and takes the validation part from the end. Observations of one batch of samples (there are
 * several where more observations than batches were asked for) stay on one side: else validation would reward
 * learning samples by heart. */
static gnt_status split(attr_table *t, const attr_settings *s, const gnt_attack_prepare *in) {
    const gnt_host *host = s->host;
    owner *of = host->scratch(host->context, (size_t)t->n * sizeof *of);
    int64_t *group = host->scratch(host->context, ((size_t)t->n + 1) * sizeof *group), groups = 0, at = 0;
    if (!of || !group)
        return host->fail(host->context, "no memory for the shadow observations");
    for (int64_t i = 0; i < t->n; i++)
        of[i] = (owner){in->shadow_truth[i]->id ? in->shadow_truth[i]->id[0] : i, (int32_t)i};
    qsort(of, (size_t)t->n, sizeof *of, by_id);
    for (int64_t i = 0; i < t->n; i++)
        if (i == 0 || of[i].id != of[i - 1].id)
            group[groups++] = i; /* where it begins in `of` */
    for (int64_t g = groups - 1; g > 0; g--) {
        int64_t other = (int64_t)host->below(host->context, "split", (uint64_t)g + 1), kept = group[g];
        group[g] = group[other];
        group[other] = kept;
    }
    int64_t train = groups - (int64_t)(s->share * (double)groups + 0.5);
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
    int32_t *sorted = host->scratch(host->context, (size_t)t->n * sizeof *sorted), present = 0;
    int64_t at = 0;
    if (!sorted)
        return host->fail(host->context, "no memory for the shadow observations");
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
    return refuse(
        host,
        "the %lld shadow observations that it trains on show %lld of the attribute's values, and it "
        "needs two; raise shadow.observations, or choose an attribute that varies",
        t->n_train, present);
}

gnt_status attr_table_make(attr_table *t, const attr_settings *s, const gnt_attack_prepare *in) {
    const gnt_host *host = s->host;
    gnt_status status = check(host, in);
    if (status != GNT_OK)
        return status;
    int64_t size = attr_update_size(in->shadow[0]->update), window = attr_window(s, size);
    *t = (attr_table){
        .n = in->n_shadow, .columns = attr_pooled_size(size, window), .values = in->attribute_values};
    if (t->n > INT32_MAX / 2 || t->columns > INT64_MAX / 8 / t->n)
        return host->fail(host->context, "there are too many shadow observations of too large updates");
    size_t n = (size_t)t->n;
    t->x = host->scratch(host->context, n * (size_t)t->columns * sizeof *t->x);
    t->label = host->scratch(host->context, n * sizeof *t->label);
    t->row = host->scratch(host->context, n * sizeof *t->row);
    t->count = host->scratch(host->context, (size_t)t->values * sizeof *t->count);
    if (!t->x || !t->label || !t->row || !t->count)
        return host->fail(host->context, "no memory for the pooled shadow observations; a larger window, or "
                                         "fewer inputs, needs less");
    status = fill(t, s, in, window);
    if (status == GNT_OK)
        status = split(t, s, in);
    return status == GNT_OK ? sort_values(t, host) : status;
}
