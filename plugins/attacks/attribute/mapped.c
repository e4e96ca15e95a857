#include "mapped.h"

#include <math.h>
#include <string.h>

#include "shared/attribute/pool.h"

enum { HIDDEN, MAP_RATE, SGD, READING = SGD + ATTR_SGD };

/* Artefacts of T, and the statistics of what it gives; C's have no prefix. */
static const char map_prefix[] = "map.", given_prefix[] = "given.";

void mapped_open(mapped *m, const gnt_host *host, const gnt_value *v) {
    classic_open(&m->base, host, v + READING);
    m->map = (attr_recipe){.host = host, .n_hidden = 2, .hidden = {v[HIDDEN].i, v[HIDDEN].i}};
    attr_read_sgd(&m->map, v + SGD);
    m->classifier = m->map;
    m->classifier.n_hidden = 1;
    m->classifier.balanced = m->base.balanced;
    m->map.adam = 1;
    m->map.rate = v[MAP_RATE].r;
}

/* ---- what is learnt from ---- */

float *mapped_samples(const mapped *m, const attr_source *from, int64_t *features) {
    const gnt_host *host = m->base.host;
    *features = attr_source_features(from);
    if (*features < 1 || *features > INT32_MAX) {
        host->fail(host->context, "it learns from the samples behind shadow observations, and has none");
        return NULL;
    }
    float *x = host->scratch(host->context, (size_t)from->n * (size_t)*features * sizeof *x);
    if (!x)
        host->fail(host->context, "no memory for the shadow samples; fewer of them need less");
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

static gnt_status train(const mapped *m, const attr_recipe *recipe, attr_table *t, attr_trained *out) {
    const gnt_host *host = m->base.host;
    float *flat =
        host->scratch(host->context, (size_t)attr_net_size(recipe, t->columns, t->values) * sizeof *flat);
    return flat ? attr_train(out, flat, recipe, t)
                : host->fail(host->context, "no memory for the network; a smaller `hidden` needs less");
}

static void tell(const gnt_host *host, const char *name, double value) {
    if (isfinite(value))
        host->fact(host->context, name, value);
}

/* given: what T gives for each row, standardised here. */
static gnt_status learn_classifier(const mapped *m, const attr_table *t, float *given, int64_t outputs,
                                   const gnt_sink *out) {
    const gnt_host *host = m->base.host;
    attr_table of = *t;
    attr_trained c;
    float *mean = host->scratch(host->context, 2 * (size_t)outputs * sizeof *mean), *scale = mean + outputs;
    if (!mean)
        return host->fail(host->context, "no memory for the mean of what the map gives");
    of.x = given;
    of.columns = outputs;
    attr_statistics(given, outputs, t->row, t->n_train, mean, scale);
    for (int64_t i = 0; i < t->n; i++)
        attr_standardise(given + i * outputs, outputs, mean, scale);
    const gnt_status status = train(m, &m->classifier, &of, &c);
    if (status != GNT_OK)
        return status;
    tell(host, "validation_accuracy", c.accuracy);
    return attr_write_statistics(out, given_prefix, outputs, mean, scale) == GNT_OK &&
                   attr_write_net(out, "", &c.net) == GNT_OK
               ? GNT_OK
               : host->fail(host->context, "its classifier could not be kept");
}

gnt_status mapped_learn(const mapped *m, const attr_table *t, const float *target, int64_t outputs,
                        const gnt_sink *out) {
    const gnt_host *host = m->base.host;
    attr_table of = *t;
    attr_trained map;
    float *given = host->scratch(host->context, (size_t)t->n * (size_t)outputs * sizeof *given);
    if (!given)
        return host->fail(host->context, "no memory for what the map gives; fewer shadow samples need less");
    of.target = target;
    of.values = (int32_t)outputs;
    gnt_status status = train(m, &m->map, &of, &map);
    if (status == GNT_OK)
        status = attr_forward_all(&map.net, host, t->x, t->n, given);
    if (status != GNT_OK)
        return status;
    host->fact(host->context, "inputs", (double)t->columns);
    tell(host, "unexplained", map.unexplained);
    if (attr_write_net(out, map_prefix, &map.net) != GNT_OK)
        return host->fail(host->context, "its map could not be kept");
    return learn_classifier(m, t, given, outputs, out);
}

/* ---- what is observed ---- */

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
    nets->room = host->scratch(host->context, 2 * (size_t)(widest + outputs) * sizeof *nets->room);
    if (!nets->room)
        return host->fail(host->context, "no memory for the networks' layers");
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
