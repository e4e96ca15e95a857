/* recup: hides private attributes by small changes of the update that mislead classifiers of it
 * (RecUP-FL, 2023).
 *
 * `prepare` trains a zoo of such classifiers for each attribute that the task hides, on updates of the
 * defender's shadow samples at the first weights, as the paper makes it before the training. Each client
 * then moves its update against them, Eq. 9: by Σ_m γ_m·(what attribute m moves it by), where γ is the
 * attribute's weight. The attribute of a batch is that of most of its samples. A weight delta is about
 * the rate times a gradient, so there ε stands for ε times the rate.
 *
 * recup-random-target moves the update towards a value drawn at random, whatever the true one: its
 * moves then reveal nothing of that. It is no part of the paper. */
#include <math.h>
#include <stdio.h>

#include "attribute_defenses.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/perturb.h"
#include "shared/attribute/pool.h"
#include "shared/try.h"

enum { ATTRIBUTES = 16 };

typedef struct hidden {
    int32_t attribute, values;
    attr_zoo zoo;
} hidden;

typedef struct defense {
    const gnt_host *host;
    attr_perturbation how;
    attr_zoo_recipe recipe;
    attr_reading reading;
    int64_t agreement;
    /* zoos of the artefacts that were read last, by attribute */
    const float *read_from;
    hidden zoo[ATTRIBUTES];
    int32_t zoos;
} defense;

static void close_zoos(defense *s) {
    for (int32_t k = 0; k < s->zoos; k++)
        attr_zoo_close(&s->zoo[k].zoo);
    s->zoos = 0;
    s->read_from = NULL;
}

static void stop(void *self) {
    close_zoos(self);
}

/* ---- the zoo ---- */

static void prefix_of(char out[32], int32_t attribute) {
    snprintf(out, 32, "zoo.%d.", attribute);
}

static gnt_status make_zoo(const defense *s, const gnt_defense_prepare *in, int32_t attribute,
                           const gnt_sink *out) {
    const attr_setting setting = {.steps = in->steps, .batch = in->batch, .rate = in->rate};
    attr_source from;
    attr_table t;
    attr_zoo zoo = {0};
    char prefix[32];
    prefix_of(prefix, attribute);
    gnt_status status = attr_source_of_samples(&from, s->host, &s->reading, in->shadow_data, in->weights,
                                               in->buffers, &setting, attribute);
    if (status == GNT_OK)
        status = attr_table_make(&t, &s->reading, &from);
    if (status == GNT_OK)
        status = attr_zoo_train(&zoo, &s->recipe, &from, &t);
    if (status == GNT_OK)
        status = attr_zoo_write(&zoo, out, prefix);
    attr_zoo_close(&zoo);
    attr_source_close(&from);
    return status;
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const defense *s = self;
    const gnt_samples *shadow = in->shadow_data;
    int32_t made = 0;
    for (int32_t m = 0; shadow && m < shadow->n_attributes; m++) {
        if (!(shadow->attribute[m].weight > 0))
            continue;
        TRY(make_zoo(s, in, m, out));
        made++;
    }
    if (made == 0)
        return unsupported(s->host,
                           "no attribute is hidden; name the task's private attributes in its `hide`");
    return GNT_OK;
}

/* Opens the zoos of these artefacts for one update at a time; they are kept for the next client. */
static gnt_status read_zoos(defense *s, const gnt_artefacts *from, const gnt_samples *samples, int64_t size) {
    const float *first = from && from->tensors.n > 0 ? from->tensors.view[0].data : NULL;
    if (first && first == s->read_from)
        return GNT_OK;
    close_zoos(s);
    for (int32_t m = 0; m < samples->n_attributes && s->zoos < ATTRIBUTES; m++) {
        char prefix[32];
        hidden *h = &s->zoo[s->zoos];
        prefix_of(prefix, m);
        h->attribute = m;
        h->values = samples->attribute[m].values;
        if (attr_zoo_read(&h->zoo, s->host, from, prefix, &s->reading, size, h->values) != 0)
            continue;
        s->zoos++;
        TRY(attr_zoo_open(&h->zoo, 1));
    }
    s->read_from = first;
    return GNT_OK;
}

/* ---- the client ---- */

typedef struct moving {
    int64_t size;
    float *update, *moved; /* as computed; as one attribute moves it */
    double *sum;           /* Σ_m γ_m·(moved − update) */
    int32_t attributes;    /* that took part */
    attr_agreement agreement;
} moving;

static gnt_status move_one(defense *s, hidden *h, const gnt_client *client, double gamma, moving *m) {
    const gnt_host *host = s->host;
    int32_t label = attr_label_of(client->samples, h->attribute, h->values);
    attr_perturbation how = s->how;
    how.agreement = s->agreement ? &m->agreement : NULL;
    attr_room room;
    if (label < 0)
        return gnt_host_fail(host, "a sample has a hidden attribute out of its range");
    if (s->how.toward)
        label = (int32_t)gnt_host_below(host, "target", (uint64_t)h->values);
    if (client->steps > 0)
        how.epsilon *= client->rate;
    for (int64_t i = 0; i < m->size; i++)
        m->moved[i] = m->update[i];
    gnt_status status = attr_room_open(&room, &h->zoo);
    if (status == GNT_OK)
        status = attr_perturb(&how, &h->zoo, &room, &m->moved, &label);
    for (int64_t i = 0; status == GNT_OK && i < m->size; i++)
        m->sum[i] += gamma * ((double)m->moved[i] - (double)m->update[i]);
    m->attributes += status == GNT_OK;
    return status;
}

static void write_back(const defense *s, const moving *m, double epsilon, gnt_tensors *update) {
    const gnt_host *host = s->host;
    double most = 0, entries = 0;
    int64_t at = 0;
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++, at++) {
            update->tensor[k].data[i] = (float)((double)m->update[at] + m->sum[at]);
            most = fabs(m->sum[at]) > most ? fabs(m->sum[at]) : most;
            entries += m->sum[at] != 0;
        }
    gnt_host_fact(host, "moved_most", epsilon > 0 ? most / epsilon : 0);
    gnt_host_fact(host, "moved_share", m->size ? entries / (double)m->size : 0);
    if (m->agreement.n > 0) {
        gnt_host_fact(host, "agreement", m->agreement.learnt / (double)m->agreement.n);
        gnt_host_fact(host, "agreement_unlearnt", m->agreement.unlearnt / (double)m->agreement.n);
    }
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    defense *s = self;
    const gnt_host *host = s->host;
    const gnt_samples *samples = client->samples;
    moving m = {0};
    if (!samples || !samples->a)
        return unsupported(host,
                           "the samples behind an update have no attributes; an encoding that mixes samples "
                           "leaves them none");
    m.size = attr_tensors_size(update);
    m.update = gnt_host_scratch(host, 2 * m.size, sizeof *m.update);
    m.sum = gnt_host_scratch(host, m.size, sizeof *m.sum);
    TRY(have_memory(host, m.update && m.sum, "no memory for a copy of the update"));
    m.moved = m.update + m.size;
    attr_flatten_tensors(update, m.update);
    gnt_status status = read_zoos(s, client->artefacts, samples, m.size);
    for (int32_t k = 0; status == GNT_OK && k < s->zoos; k++) {
        const double gamma = (double)samples->attribute[s->zoo[k].attribute].weight;
        if (gamma > 0)
            status = gnt_host_should_stop(host) ? GNT_STOPPED : move_one(s, &s->zoo[k], client, gamma, &m);
    }
    if (status == GNT_OK)
        write_back(s, &m, client->steps > 0 ? s->how.epsilon * client->rate : s->how.epsilon, update);
    return status;
}

static const gnt_defense hooks = {
    .size = sizeof hooks, .prepare = prepare, .transform_update = transform_update};

/* ---- descriptors ---- */

static const char *const families[] = {"adversarial", NULL};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL_ID(
        "epsilon", defense, how.epsilon, 1e-7, 10, 1e-3, GNT_SCALE_LOG, 1, "",
        "ε: how far one step moves an entry of the update; of a weight delta, times the rate"),
    GNT_INT_ID("zoo", defense, recipe.nets, 1, ATTR_ZOO_MOST, 20, "networks",
               "networks that infer a hidden attribute"),
    GNT_INT_ID("widest", defense, recipe.widest, 128, 4096, 2048, "neurons",
               "each of their three hidden layers has 128, 256 … neurons, drawn up to this"),
    ATTR_POOLING_MEMBERS(defense, reading),
    ATTR_SGD_MEMBERS(defense, recipe.net),
    ATTR_JUDGING_MEMBERS(defense, reading, recipe.net.balanced, ATTR_BEST_EPOCH),
    GNT_INT_ID("drawn", defense, how.drawn, 1, ATTR_ZOO_MOST, 5, "networks",
               "Q: networks that are drawn at a time, at most the whole zoo"),
    /* of Algorithm 1 alone, so the last two */
    GNT_INT_ID("iterations", defense, how.iterations, 1, 1000, 10, "iterations",
               "P: how often networks are drawn, each time starting from the perturbed update"),
    GNT_BOOL(defense, agreement, 0,
             "facts say how far the steps against the first Q − 1 networks point where the last one does"),
};
enum { ALL = sizeof parameters / sizeof *parameters };

static gnt_status start(void *self, attr_method method) {
    defense *s = self;
    s->how.method = method;
    s->recipe.net.host = s->host;
    if (method != ATTR_META)
        s->how.iterations = 1;
    if (method == ATTR_ONE)
        s->how.drawn = 1;
    return GNT_OK;
}
static gnt_status start_recup(void *self) {
    return start(self, ATTR_META);
}
static gnt_status start_random(void *self) {
    ((defense *)self)->how.toward = 1;
    return start(self, ATTR_META);
}
static gnt_status start_one(void *self) {
    return start(self, ATTR_ONE);
}
static gnt_status start_average(void *self) {
    return start(self, ATTR_AVERAGE);
}
static gnt_status start_iterated(void *self) {
    return start(self, ATTR_ITERATED);
}
static gnt_status start_momentum(void *self) {
    return start(self, ATTR_MOMENTUM);
}

/* A plugin of the first n rows. */
#define DESCRIPTOR(name, id, version, line, citation, n, how)                                                \
    const gnt_descriptor name = {                                                                            \
        GNT_DEFENSE(id, version, line, "MIT", citation),                                                     \
        parameters,                                                                                          \
        n,                                                                                                   \
        .scope = GNT_SCOPE_TASK,                                                                             \
        .surfaces = GNT_SURFACE_UPDATE,                                                                      \
        .data_kinds = GNT_KIND_ANY,                                                                          \
        .families = families,                                                                                \
        .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_NEEDS_SHADOW | GNT_FLAG_ARTEFACTS_PRIVATE |                  \
                 GNT_FLAG_PREPARES_ONCE,                                                                     \
        .defense = &hooks,                                                                                   \
        .instance_size = GNT_INSTANCE(defense),                                                              \
        .start = how,                                                                                        \
        .conditions = GNT_IF_HIDES,                                                                          \
        .stop = stop,                                                                                        \
    }

DESCRIPTOR(recup, "recup", "1.1", "moves an update so that classifiers of a hidden attribute are misled",
           "RecUP-FL, ASIA CCS 2023, Algorithm 1", ALL, start_recup);
DESCRIPTOR(recup_random_target, "recup-random-target", "1.1",
           "moves an update so that classifiers tell a value of the hidden attribute drawn at random",
           "after RecUP-FL, ASIA CCS 2023, Algorithm 1", ALL, start_random);
DESCRIPTOR(fgsm_one, "fgsm-one", "1.0",
           "moves an update by one step against one classifier of a hidden attribute",
           "RecUP-FL, ASIA CCS 2023, Eq. 10", ALL - 3, start_one);
DESCRIPTOR(fgsm_avg, "fgsm-avg", "1.0",
           "moves an update by the mean step against classifiers of a hidden attribute",
           "RecUP-FL, ASIA CCS 2023, Eq. 11", ALL - 2, start_average);
DESCRIPTOR(fgsm_iter, "fgsm-iter", "1.0",
           "moves an update by a step against each classifier of a hidden attribute in turn",
           "RecUP-FL, ASIA CCS 2023, Eq. 12", ALL - 2, start_iterated);
DESCRIPTOR(fgsm_momentum, "fgsm-momentum", "1.0",
           "moves an update along a running sum of derivatives of classifiers of a hidden attribute",
           "RecUP-FL, ASIA CCS 2023, Eq. 13 and 14", ALL - 2, start_momentum);
