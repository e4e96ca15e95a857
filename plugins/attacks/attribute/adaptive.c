/* attr-nn-adaptive: attr-nn that learns from updates which it perturbs itself, as recup and its like do.
 *
 * It knows the defense and its parameters, not the clients' zoo. It deals its shadow updates into parts,
 * trains a zoo for each part on the others, and perturbs the part with that: so every update that its
 * network learns from was perturbed by networks that had not seen it, as a target's. What is drawn is
 * drawn anew every few epochs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "known.h"
#include "shared/attribute/parameters.h"
#include "shared/attribute/pool.h"

enum {
    ZOOS,
    NETS,
    WIDEST,
    FACTOR,
    RENEW,
    HIDES,
    SGD,
    POOLING = SGD + ATTR_SGD,
    JUDGING = POOLING + ATTR_POOLING
};
enum { MOST_ZOOS = 16, BLOCK = 32, MOST_ENTRIES = 8 << 20 /* of updates perturbed together */ };

typedef struct adaptive {
    attr_nn nn; /* first, for attr_nn_run */
    int32_t zoos, nets;
    int64_t widest, renew;
    double factor;
    const char *hides; /* "": the attribute that is asked for */
} adaptive;

static void *create(const gnt_host *host, const gnt_value *v) {
    static const int64_t stru[] = {512, 256, 128};
    adaptive *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->nn.recipe = (attr_recipe){.host = host, .n_hidden = 3};
    memcpy(s->nn.recipe.hidden, stru, sizeof stru);
    attr_read_sgd(&s->nn.recipe, v + SGD);
    attr_read_pooling(&s->nn.reading, v + POOLING);
    s->nn.recipe.balanced = attr_read_judging(&s->nn.reading, v + JUDGING);
    s->zoos = (int32_t)v[ZOOS].i;
    s->nets = (int32_t)v[NETS].i;
    s->widest = v[WIDEST].i;
    s->factor = v[FACTOR].r;
    s->renew = v[RENEW].i;
    s->hides = v[HIDES].text;
    return s;
}

/* ---- what it learns from ---- */

typedef struct lesson {
    const adaptive *s;
    attr_known k;
    attr_source from;      /* plain updates, read as the defense's zoo reads them */
    attr_table plain, own; /* as the zoos learn from them; perturbed, as the attack's network does */
    /* of the attribute that the clients hide, which the zoos tell: its values, and that of each update */
    int32_t hidden_values, *hidden;
    attr_zoo zoo[MOST_ZOOS];
    attr_room room;
    int64_t window, rows, epoch; /* of the attack's pooling; updates perturbed together */
    float *mean, *scale;         /* of `own`; NULL: not known yet */
    float *block;                /* rows × size */
    float **at;                  /* rows */
    int32_t *label;              /* rows */
    int64_t *order;              /* of all updates */
} lesson;

static gnt_status no_memory(const gnt_host *host) {
    return host->fail(host->context, "no memory for perturbed updates; fewer shadow rows need less");
}

static int part_of(const lesson *l, int64_t update) {
    return (int)(update % l->s->zoos);
}

static int32_t find_attribute(const gnt_samples *samples, const char *name) {
    for (int32_t m = 0; m < samples->n_attributes; m++)
        if (strcmp(samples->attribute[m].name, name) == 0)
            return m;
    return -1;
}

/* The value that most samples behind an update have, ties to the lowest. */
static int32_t hidden_of(const attr_updates *u, int64_t update, int32_t attribute, int32_t values,
                         int64_t *count) {
    const gnt_samples *samples = u->samples;
    int32_t most = 0;
    memset(count, 0, (size_t)values * sizeof *count);
    for (int64_t k = 0; k < u->behind; k++) {
        const int32_t v = samples->a[u->row[update * u->behind + k] * samples->n_attributes + attribute];
        if (v < 0 || v >= values)
            return -1;
        count[v]++;
    }
    for (int32_t v = 1; v < values; v++)
        most = count[v] > count[most] ? v : most;
    return most;
}

static gnt_status read_hidden(lesson *l) {
    const gnt_host *host = l->s->nn.recipe.host;
    const attr_updates *u = &l->from.own;
    const int32_t attribute = *l->s->hides ? find_attribute(u->samples, l->s->hides) : l->from.attribute;
    if (attribute < 0)
        return host->fail(host->context, "no attribute of the shadow samples has the name that `hides` says");
    l->hidden_values = u->samples->attribute[attribute].values;
    l->hidden = host->scratch(host->context, (size_t)l->plain.n * sizeof *l->hidden);
    int64_t *count = host->scratch(host->context, (size_t)l->hidden_values * sizeof *count);
    if (!l->hidden || !count)
        return no_memory(host);
    for (int64_t i = 0; i < l->plain.n; i++) {
        l->hidden[i] = hidden_of(u, i, attribute, l->hidden_values, count);
        if (l->hidden[i] < 0)
            return host->fail(host->context, "a shadow sample has a hidden attribute out of its range");
    }
    return GNT_OK;
}

/* The updates but those of part z, with the values of the hidden attribute. */
static gnt_status without(const lesson *l, int z, attr_table *out) {
    const attr_table *t = &l->plain;
    const gnt_host *host = l->s->nn.recipe.host;
    *out = *t;
    out->n = out->n_train = 0;
    out->values = l->hidden_values;
    out->label = l->hidden;
    out->row = host->scratch(host->context, (size_t)t->n * sizeof *out->row);
    out->count = host->scratch(host->context, (size_t)out->values * sizeof *out->count);
    if (!out->row || !out->count)
        return no_memory(host);
    for (int32_t v = 0; v < out->values; v++) { /* the training part by value */
        const int64_t before = out->n;
        for (int64_t i = 0; i < t->n_train; i++)
            if (l->hidden[t->row[i]] == v && (part_of(l, t->row[i]) != z || l->s->zoos == 1))
                out->row[out->n++] = t->row[i];
        out->count[v] = out->n - before;
    }
    out->n_train = out->n;
    for (int64_t i = t->n_train; i < t->n; i++)
        if (part_of(l, t->row[i]) != z || l->s->zoos == 1)
            out->row[out->n++] = t->row[i];
    return GNT_OK;
}

static gnt_status train_zoos(lesson *l) {
    const adaptive *s = l->s;
    attr_zoo_recipe recipe = {.nets = s->nets, .widest = s->widest, .net = s->nn.recipe};
    gnt_status status = GNT_OK;
    for (int z = 0; status == GNT_OK && z < s->zoos; z++) {
        attr_table part;
        status = without(l, z, &part);
        if (status == GNT_OK)
            status = attr_zoo_train(&l->zoo[z], &recipe, &l->from, &part);
        if (status == GNT_OK)
            status = attr_zoo_open(&l->zoo[z], l->rows);
    }
    return status == GNT_OK ? attr_room_open(&l->room, &l->zoo[0]) : status;
}

/* Perturbs the updates in the block, of which the first n are looked at, and pools them into `own`. */
static gnt_status perturb_block(lesson *l, int z, const int64_t *update, int64_t n) {
    const gnt_host *host = l->s->nn.recipe.host;
    attr_perturbation how = l->k.how;
    double u = 0;
    for (int64_t r = n; r < l->rows; r++) { /* what fills the block up */
        memcpy(l->at[r], l->at[0], (size_t)l->from.size * sizeof *l->block);
        l->label[r] = l->label[0];
    }
    if (l->s->factor > 1) {
        host->uniform(host->context, "epsilon", 1, &u);
        how.epsilon *= pow(l->s->factor, 2 * u - 1);
    }
    for (int64_t r = 0; r < l->rows && l->k.random_target; r++)
        l->label[r] = (int32_t)host->below(host->context, "target", (uint64_t)l->hidden_values);
    gnt_status status = how.epsilon > 0 ? attr_perturb(&how, &l->zoo[z], &l->room, l->at, l->label) : GNT_OK;
    for (int64_t r = 0; status == GNT_OK && r < n; r++) {
        float *x = l->own.x + update[r] * l->own.columns;
        attr_pool(l->at[r], l->from.size, l->window, x, NULL);
        if (l->mean)
            attr_standardise(x, l->own.columns, l->mean, l->scale);
    }
    return status;
}

/* Updates come sorted by their value. Perturbed in that order, those of a block, which share what is
 * drawn for it, would share their value too, and the network would learn the draws. */
static void shuffle(lesson *l) {
    const gnt_host *host = l->s->nn.recipe.host;
    for (int64_t i = 0; i < l->from.n; i++) {
        const int64_t at = (int64_t)host->below(host->context, "blocks", (uint64_t)i + 1);
        l->order[i] = l->order[at];
        l->order[at] = i;
    }
}

static gnt_status perturb_part(lesson *l, int z) {
    int64_t update[BLOCK], n = 0;
    gnt_status status = GNT_OK;
    for (int64_t i = 0; status == GNT_OK && i < l->from.n; i++) {
        if (part_of(l, l->order[i]) != z)
            continue;
        status = attr_source_read(&l->from, l->order[i]);
        if (status != GNT_OK)
            return status;
        memcpy(l->at[n], l->from.flat, (size_t)l->from.size * sizeof *l->block);
        l->label[n] = l->hidden[l->order[i]];
        update[n++] = l->order[i];
        if (n == l->rows) {
            status = perturb_block(l, z, update, n);
            n = 0;
        }
    }
    return status == GNT_OK && n > 0 ? perturb_block(l, z, update, n) : status;
}

static gnt_status perturb_all(lesson *l) {
    gnt_status status = GNT_OK;
    shuffle(l);
    for (int z = 0; status == GNT_OK && z < l->s->zoos; z++)
        status = perturb_part(l, z);
    return status;
}

static gnt_status renew(void *context, attr_table *t) {
    lesson *l = context;
    (void)t;
    return ++l->epoch % l->s->renew == 0 && l->k.how.epsilon > 0 ? perturb_all(l) : GNT_OK;
}

/* The table of the attack's own network: the same updates in the same parts, perturbed. */
static gnt_status make_table(lesson *l) {
    const gnt_host *host = l->s->nn.recipe.host;
    const attr_reading *reading = &l->s->nn.reading;
    const int64_t size = l->from.size, n = l->plain.n;
    l->window = attr_window(reading->window, reading->inputs, size);
    l->own = l->plain;
    l->own.columns = attr_pooled_size(size, l->window);
    l->own.x = host->scratch(host->context, (size_t)(n * l->own.columns) * sizeof *l->own.x);
    l->block = host->scratch(host->context, (size_t)(l->rows * size) * sizeof *l->block);
    l->at = host->scratch(host->context, (size_t)l->rows * sizeof *l->at);
    l->label = host->scratch(host->context, (size_t)l->rows * sizeof *l->label);
    l->order = host->scratch(host->context, (size_t)n * sizeof *l->order);
    float *mean = host->scratch(host->context, 2 * (size_t)l->own.columns * sizeof *mean);
    if (!l->own.x || !l->block || !l->at || !l->label || !l->order || !mean)
        return no_memory(host);
    for (int64_t r = 0; r < l->rows; r++)
        l->at[r] = l->block + r * size;
    gnt_status status = perturb_all(l);
    if (status != GNT_OK)
        return status;
    l->mean = mean;
    l->scale = mean + l->own.columns;
    attr_statistics(l->own.x, l->own.columns, l->own.row, l->own.n_train, l->mean, l->scale);
    for (int64_t i = 0; i < n; i++)
        attr_standardise(l->own.x + i * l->own.columns, l->own.columns, l->mean, l->scale);
    return GNT_OK;
}

static gnt_status learn(lesson *l, const gnt_attack_prepare *in, const gnt_sink *out) {
    const adaptive *s = l->s;
    const gnt_host *host = s->nn.recipe.host;
    attr_nn nn = s->nn;
    gnt_attack_prepare plain = *in;
    plain.shadow = NULL; /* what it was shown of the defense is not needed */
    l->k.reading.share = s->nn.reading.share;
    gnt_status status = attr_source_of_attack(&l->from, host, &l->k.reading, &plain);
    if (status == GNT_OK)
        status = attr_table_make(&l->plain, &l->k.reading, &l->from);
    if (status == GNT_OK)
        status = read_hidden(l);
    if (status != GNT_OK)
        return status;
    l->rows = MOST_ENTRIES / l->from.size;
    l->rows = l->rows < 1 ? 1 : l->rows > BLOCK ? BLOCK : l->rows;
    if (l->k.how.epsilon > 0)
        status = train_zoos(l);
    if (status == GNT_OK)
        status = make_table(l);
    nn.recipe.renew = renew;
    nn.recipe.context = l;
    return status == GNT_OK ? attr_nn_learn(&nn, &l->own, l->mean, l->scale, out) : status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const adaptive *s = self;
    const gnt_host *host = s->nn.recipe.host;
    lesson *l = calloc(1, sizeof *l);
    if (!l)
        return no_memory(host);
    l->s = s;
    gnt_status status = GNT_FAILED;
    if (!in->setting)
        host->fail(host->context, "it was not told of the defense");
    else
        status = attr_known_read(&l->k, host, in->setting);
    if (status == GNT_OK)
        status = learn(l, in, out);
    for (int z = 0; z < s->zoos; z++)
        attr_zoo_close(&l->zoo[z]);
    attr_source_close(&l->from);
    free(l);
    return status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = attr_nn_run};

static const char *const families[] = {"recup",     "recup-random-target", "fgsm-one", "fgsm-avg",
                                       "fgsm-iter", "fgsm-momentum",       NULL};

static const gnt_parameter parameters[] = {
    {.id = "zoos",
     .type = GNT_TYPE_INT,
     .unit = "zoos",
     .least = 1,
     .most = MOST_ZOOS,
     .preset = 3,
     .help = "its own; each perturbs updates that it has not learnt from"},
    {.id = "nets",
     .type = GNT_TYPE_INT,
     .unit = "networks",
     .least = 1,
     .most = ATTR_ZOO_MOST,
     .preset = 8,
     .help = "of each zoo"},
    {.id = "widest",
     .type = GNT_TYPE_INT,
     .unit = "neurons",
     .least = 128,
     .most = 4096,
     .preset = 512,
     .help = "their hidden layers have 128, 256 … neurons, drawn up to this"},
    {.id = "factor",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1,
     .most = 1000,
     .preset = 1,
     .help = "how far it may be off in ε: it learns from updates perturbed with ε/factor to ε·factor; 1: it "
             "knows ε"},
    {.id = "renew",
     .type = GNT_TYPE_INT,
     .unit = "epochs",
     .least = 1,
     .most = 100000,
     .preset = 10,
     .help = "after so many epochs the updates are perturbed anew"},
    {.id = "hides",
     .type = GNT_TYPE_TEXT,
     .unit = "",
     .preset_text = "",
     .help = "name of the attribute that the clients hide; empty: the one that is asked for"},
    ATTR_SGD_ROWS,
    ATTR_POOLING_ROWS,
    ATTR_JUDGING_ROWS(ATTR_BEST_EPOCH),
};

const gnt_descriptor attr_nn_adaptive_descriptor = {
    .size = sizeof attr_nn_adaptive_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "attr-nn-adaptive",
    .version = "1.0",
    .line = "infers a private attribute by a network trained on updates that it perturbs as recup does",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
