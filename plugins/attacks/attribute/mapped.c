#include "mapped.h"

#include <math.h>
#include <string.h>

#include "shared/attribute/pool.h"
#include "shared/try.h"

/* Prefixes of the artefacts of T and of the statistics of its outputs; C's have none. */
static const char map_prefix[] = "map.", given_prefix[] = "given.";

gnt_status mapped_start(void *self) {
    mapped *m = self;
    m->classifier.host = m->host;
    m->classifier.hidden[0] = m->classifier.hidden[1] = m->hidden;
    m->map = m->classifier;
    m->map.n_hidden = 2;
    m->map.adam = 1;
    m->map.rate = m->map_rate;
    m->classifier.n_hidden = 1;
    m->classifier.balanced = m->base.balanced;
    return GNT_OK;
}

/* ---- training data ---- */

float *mapped_samples(const mapped *m, const attr_source *from, int64_t *features) {
    const gnt_host *host = m->base.host;
    *features = attr_source_features(from);
    if (*features < 1 || *features > INT32_MAX)
        return gnt_host_fail(host, "it learns from the samples behind shadow observations, and has none"),
               NULL;
    float *x = gnt_host_scratch(host, from->n * *features, sizeof *x);
    if (!x)
        gnt_host_fail(host, "no memory for the shadow samples; fewer of them need less");
    for (int64_t i = 0; x && i < from->n; i++)
        attr_source_sample(from, i, x + i * *features);
    return x;
}

void mapped_centre(const attr_table *t, float *rows, int64_t columns, float *mean, float *deviation) {
    double squares = 0;
    for (int64_t j = 0; j < columns; j++) {
        double sum = 0;
        for (int64_t i = 0; i < t->n_train; i++)
            sum += (double)rows[t->row[i] * columns + j];
        mean[j] = (float)(sum / (double)t->n_train);
        for (int64_t i = 0; i < t->n_train; i++) {
            const double d = (double)rows[t->row[i] * columns + j] - (double)mean[j];
            squares += d * d;
        }
    }
    *deviation = (float)sqrt(squares / ((double)t->n_train * (double)columns));
    const float factor = *deviation > 0 ? 1 / *deviation : 0;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = 0; j < columns; j++)
            rows[i * columns + j] = (rows[i * columns + j] - mean[j]) * factor;
}

/* ---- learning ---- */

static void report(const gnt_host *host, const char *name, double value) {
    if (isfinite(value))
        gnt_host_fact(host, name, value);
}

/* Trains C; given: T's outputs for each row, standardised here. */
static gnt_status learn_classifier(const mapped *m, const attr_table *t, float *given, int64_t outputs,
                                   const gnt_sink *out) {
    const gnt_host *host = m->base.host;
    attr_table of = *t;
    attr_trained c;
    float *mean = gnt_host_scratch(host, 2 * outputs, sizeof *mean), *scale = mean + outputs;
    TRY(have_memory(host, mean != NULL, "no memory for the mean of the map's outputs"));
    of.x = given;
    of.columns = outputs;
    attr_statistics(given, outputs, t->row, t->n_train, mean, scale);
    for (int64_t i = 0; i < t->n; i++)
        attr_standardise(given + i * outputs, outputs, mean, scale);
    TRY(attr_train_scratch(&c, &m->classifier, &of));
    report(host, "validation_accuracy", c.accuracy);
    return attr_write_statistics(out, given_prefix, outputs, mean, scale) == GNT_OK &&
                   attr_write_net(out, "", &c.net) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "its classifier could not be stored");
}

gnt_status mapped_learn(const mapped *m, const attr_table *t, const float *target, int64_t outputs,
                        const gnt_sink *out) {
    const gnt_host *host = m->base.host;
    attr_table of = *t;
    attr_trained map;
    float *given = gnt_host_scratch(host, t->n * outputs, sizeof *given);
    TRY(have_memory(host, given != NULL, "no memory for the map's outputs; fewer shadow samples need less"));
    of.target = target;
    of.values = (int32_t)outputs;
    TRY(attr_train_scratch(&map, &m->map, &of));
    TRY(attr_forward_all(&map.net, host, t->x, t->n, given));
    gnt_host_fact(host, "inputs", (double)t->columns);
    report(host, "unexplained", map.unexplained);
    if (attr_write_net(out, map_prefix, &map.net) != GNT_OK)
        return gnt_host_fail(host, "its map could not be stored");
    return learn_classifier(m, t, given, outputs, out);
}

/* ---- observation ---- */

gnt_status mapped_read(const mapped *m, mapped_nets *nets, const gnt_artefacts *own, int64_t columns,
                       int32_t values) {
    const gnt_host *host = m->base.host;
    const gnt_view *mean = attr_find(own, given_prefix, "mean", 1);
    const gnt_view *scale = attr_find(own, given_prefix, "scale", 1);
    const int64_t outputs = mean && scale && mean->count == scale->count ? mean->count : 0;
    if (outputs < 1 || outputs > INT32_MAX ||
        attr_read_net(&nets->map, own, map_prefix, columns, (int32_t)outputs) != 0 ||
        attr_read_net(&nets->classifier, own, "", outputs, values) != 0)
        return classic_foreign(host, "a map and a classifier");
    const int64_t widest = attr_widest(&nets->map) > attr_widest(&nets->classifier)
                               ? attr_widest(&nets->map)
                               : attr_widest(&nets->classifier);
    nets->mean = mean->data;
    nets->scale = scale->data;
    nets->room = gnt_host_scratch(host, 2 * (widest + outputs), sizeof *nets->room);
    TRY(have_memory(host, nets->room != NULL, "no memory for the networks' layers"));
    nets->given = nets->room + 2 * widest;
    nets->input = nets->given + outputs;
    return GNT_OK;
}

void mapped_scores(const void *of, const float *x, float *scores) {
    const mapped_nets *n = of;
    const int64_t outputs = n->map.width[n->map.layers];
    attr_forward(&n->map, x, n->room, n->given);
    memcpy(n->input, n->given, (size_t)outputs * sizeof *n->input);
    attr_standardise(n->input, outputs, n->mean, n->scale);
    attr_forward(&n->classifier, n->input, n->room, scores);
}
