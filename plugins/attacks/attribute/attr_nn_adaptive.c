/* attr-nn-adaptive: attr-nn, trained on updates that it perturbs itself as recup and the fgsm defenses do.
 *
 * It knows the defense and its parameters, not the clients' zoo. It splits its shadow updates into parts,
 * trains a zoo for each part on the others, and perturbs the part with it: as for a target, every update was
 * perturbed by networks that had not seen it. Random choices are drawn again every few epochs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute_attacks.h"
#include "attr_known.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/pool.h"
#include "shared/try.h"

enum { MOST_ZOOS = 16, BLOCK = 32, MOST_ENTRIES = 8 << 20 /* of updates perturbed together */ };

typedef struct adaptive {
    union {
        const gnt_host *host; /* the first member of nn */
        attr_nn nn;
    };
    int64_t zoos, nets, widest, renew;
    double factor;
    const char *hides; /* "": the attribute that it infers */
} adaptive;

static gnt_status start(void *self) {
    static const int64_t stru[] = {512, 256, 128};
    attr_recipe *recipe = &((adaptive *)self)->nn.recipe;
    recipe->n_hidden = 3;
    memcpy(recipe->hidden, stru, sizeof stru);
    return GNT_OK;
}

/* ---- training data ---- */

typedef struct lesson {
    const adaptive *s;
    attr_known k;
    attr_source from;      /* plain updates, read as the defense's zoo reads them */
    attr_table plain, own; /* as the zoos learn from them; perturbed, as the attack's network does */
    /* the attribute that the clients hide, which the zoos infer: its values, and that of each update */
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
    return gnt_host_fail(host, "no memory for perturbed updates; fewer shadow rows need less");
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

/* Returns the most frequent value of the samples behind an update, ties to the lowest. */
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
    const gnt_host *host = l->s->host;
    const attr_updates *u = &l->from.own;
    const int32_t attribute = *l->s->hides ? find_attribute(u->samples, l->s->hides) : l->from.attribute;
    if (attribute < 0)
        return gnt_host_fail(host, "no attribute of the shadow samples has the name that `hides` says");
    l->hidden_values = u->samples->attribute[attribute].values;
    l->hidden = gnt_host_scratch(host, l->plain.n, sizeof *l->hidden);
    int64_t *count = gnt_host_scratch(host, l->hidden_values, sizeof *count);
    if (!l->hidden || !count)
        return no_memory(host);
    for (int64_t i = 0; i < l->plain.n; i++) {
        l->hidden[i] = hidden_of(u, i, attribute, l->hidden_values, count);
        if (l->hidden[i] < 0)
            return gnt_host_fail(host, "a shadow sample has a hidden attribute out of its range");
    }
    return GNT_OK;
}

/* Makes the table of all updates except those of part z, with the values of the hidden attribute. */
static gnt_status without(const lesson *l, int z, attr_table *out) {
    const attr_table *t = &l->plain;
    const gnt_host *host = l->s->host;
    *out = *t;
    out->n = out->n_train = 0;
    out->values = l->hidden_values;
    out->label = l->hidden;
    out->row = gnt_host_scratch(host, t->n, sizeof *out->row);
    out->count = gnt_host_scratch(host, out->values, sizeof *out->count);
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

/* Perturbs the updates in the block and pools the first n into `own`. */
static gnt_status perturb_block(lesson *l, int z, const int64_t *update, int64_t n) {
    const gnt_host *host = l->s->host;
    attr_perturbation how = l->k.how;
    double u = 0;
    for (int64_t r = n; r < l->rows; r++) { /* fills the block */
        memcpy(l->at[r], l->at[0], (size_t)l->from.size * sizeof *l->block);
        l->label[r] = l->label[0];
    }
    if (l->s->factor > 1) {
        gnt_host_uniform(host, "epsilon", 1, &u);
        how.epsilon *= pow(l->s->factor, 2 * u - 1);
    }
    for (int64_t r = 0; r < l->rows && l->k.random_target; r++)
        l->label[r] = (int32_t)gnt_host_below(host, "target", (uint64_t)l->hidden_values);
    gnt_status status = how.epsilon > 0 ? attr_perturb(&how, &l->zoo[z], &l->room, l->at, l->label) : GNT_OK;
    for (int64_t r = 0; status == GNT_OK && r < n; r++) {
        float *x = l->own.x + update[r] * l->own.columns;
        attr_pool(l->at[r], l->from.size, l->window, x, NULL);
        if (l->mean)
            attr_standardise(x, l->own.columns, l->mean, l->scale);
    }
    return status;
}

/* Shuffles the updates. They are sorted by value: perturbed in that order, those of a block, which share its
 * random choices, would share their value too, and the network would learn the choices. */
static void shuffle(lesson *l) {
    const gnt_host *host = l->s->host;
    for (int64_t i = 0; i < l->from.n; i++) {
        const int64_t at = (int64_t)gnt_host_below(host, "blocks", (uint64_t)i + 1);
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
    shuffle(l);
    for (int z = 0; z < l->s->zoos; z++)
        TRY(perturb_part(l, z));
    return GNT_OK;
}

static gnt_status renew(void *context, attr_table *t) {
    lesson *l = context;
    (void)t;
    return ++l->epoch % l->s->renew == 0 && l->k.how.epsilon > 0 ? perturb_all(l) : GNT_OK;
}

/* Makes the table of the attack's own network: the same updates in the same parts, perturbed. */
static gnt_status make_table(lesson *l) {
    const gnt_host *host = l->s->host;
    const attr_reading *reading = &l->s->nn.reading;
    const int64_t size = l->from.size, n = l->plain.n;
    l->window = attr_window(reading->window, reading->inputs, size);
    l->own = l->plain;
    l->own.columns = attr_pooled_size(size, l->window);
    l->own.x = gnt_host_scratch(host, n * l->own.columns, sizeof *l->own.x);
    l->block = gnt_host_scratch(host, l->rows * size, sizeof *l->block);
    l->at = gnt_host_scratch(host, l->rows, sizeof *l->at);
    l->label = gnt_host_scratch(host, l->rows, sizeof *l->label);
    l->order = gnt_host_scratch(host, n, sizeof *l->order);
    float *mean = gnt_host_scratch(host, 2 * l->own.columns, sizeof *mean);
    if (!l->own.x || !l->block || !l->at || !l->label || !l->order || !mean)
        return no_memory(host);
    for (int64_t r = 0; r < l->rows; r++)
        l->at[r] = l->block + r * size;
    TRY(perturb_all(l));
    l->mean = mean;
    l->scale = mean + l->own.columns;
    attr_statistics(l->own.x, l->own.columns, l->own.row, l->own.n_train, l->mean, l->scale);
    for (int64_t i = 0; i < n; i++)
        attr_standardise(l->own.x + i * l->own.columns, l->own.columns, l->mean, l->scale);
    return GNT_OK;
}

static gnt_status learn(lesson *l, const gnt_attack_prepare *in, const gnt_sink *out) {
    const adaptive *s = l->s;
    const gnt_host *host = s->host;
    attr_nn nn = s->nn;
    gnt_attack_prepare plain = *in;
    plain.shadow = NULL; /* observations of the defense are not needed */
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
    const gnt_host *host = s->host;
    lesson *l = calloc(1, sizeof *l);
    if (!l)
        return no_memory(host);
    l->s = s;
    gnt_status status = GNT_FAILED;
    if (!in->setting)
        gnt_host_fail(host, "it needs the defense and its parameters; grant defense");
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
    GNT_INT(adaptive, zoos, 1, MOST_ZOOS, 3, "zoos",
            "its own; each perturbs updates that it has not learnt from"),
    GNT_INT(adaptive, nets, 1, ATTR_ZOO_MOST, 8, "networks", "of each zoo"),
    GNT_INT(adaptive, widest, 128, 4096, 512, "neurons",
            "their hidden layers have 128, 256 … neurons, drawn up to this"),
    GNT_REAL(adaptive, factor, 1, 1000, 1, GNT_SCALE_LOG, "",
             "how far it may be off in ε: it learns from updates perturbed with ε/factor to ε·factor; 1: it "
             "knows ε"),
    GNT_INT(adaptive, renew, 1, 100000, 10, "epochs", "epochs after which the updates are perturbed again"),
    GNT_TEXT(adaptive, hides, "",
             "name of the attribute that the clients hide; empty: the one that is inferred"),
    ATTR_SGD_MEMBERS(adaptive, nn.recipe),
    ATTR_POOLING_MEMBERS(adaptive, nn.reading),
    ATTR_JUDGING_MEMBERS(adaptive, nn.reading, nn.recipe.balanced, ATTR_BEST_EPOCH),
};

const gnt_descriptor attr_nn_adaptive_descriptor = {
    GNT_ATTACK("attr-nn-adaptive", "1.0",
               "infers a private attribute by a network trained on updates that it perturbs as recup does",
               "MIT", ""),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_DEFENSE,
    .families = families,
    .conditions = GNT_IF_ONLY_NAMED,
    .least_shadow = 2,
    ATTRIBUTE_ATTACK(adaptive, hooks),
    .start = start};
