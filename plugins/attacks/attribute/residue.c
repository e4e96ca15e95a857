/* recup-residue, rank1: take apart an update and what RecUP-FL (2023) or its like added to it, and read
 * either.
 *
 * recup-residue knows the defense: it adds whole multiples of ε to entries, most of which were 0, so that
 * what was added stands there in the clear. rank1 knows that one sample's gradient of a dense layer is an
 * outer product.
 *
 * The defense moves the update so that networks of its own lose sight of the true value. Others that learnt
 * from undefended updates do so too: the value that became less likely by the change than any other is the
 * true one. What is left of the update can be read as if there had been no defense. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "known.h"
#include "shared/attribute/parameters.h"
#include "shared/attribute/pool.h"
#include "shared/attribute/strip.h"
#include "shared/attribute/zoo.h"

enum { READ, NETS, WIDEST, SGD, JUDGING = SGD + ATTR_SGD, OWN = JUDGING + ATTR_JUDGING };
/* recup-residue's own; rank1's pooling */
enum { GAMMA = OWN, POOLING = OWN };
enum { CHANGE, UPDATE };

typedef struct residue {
    const gnt_host *host;
    attr_zoo_recipe recipe;
    attr_reading reading; /* of rank1; that of recup-residue is the defense's */
    int reads;
    double gamma;
} residue;

static residue *create(const gnt_host *host, const gnt_value *v) {
    residue *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    s->reads = (int)v[READ].i;
    s->recipe = (attr_zoo_recipe){.nets = (int32_t)v[NETS].i, .widest = v[WIDEST].i, .net = {.host = host}};
    attr_read_sgd(&s->recipe.net, &v[SGD]);
    s->recipe.net.balanced = attr_read_judging(&s->reading, &v[JUDGING]);
    return s;
}

static void *create_residue(const gnt_host *host, const gnt_value *v) {
    residue *s = create(host, v);
    if (s)
        s->gamma = v[GAMMA].r;
    return s;
}

static void *create_rank1(const gnt_host *host, const gnt_value *v) {
    residue *s = create(host, v);
    if (s)
        attr_read_pooling(&s->reading, &v[POOLING]);
    return s;
}

/* ---- its networks ---- */

/* How often each value of the attribute was learnt from, as artefact "count". */
static gnt_status write_count(const residue *s, const attr_table *t, const gnt_sink *out) {
    const int64_t values = t->values;
    float *count = s->host->scratch(s->host->context, (size_t)values * sizeof *count);
    for (int64_t v = 0; count && v < values; v++)
        count[v] = (float)t->count[v];
    return count && out->tensor(out->context, "count", 1, &values, count) == GNT_OK
               ? GNT_OK
               : s->host->fail(s->host->context, "what it learnt from could not be kept");
}

static gnt_status learn(const residue *s, const attr_reading *reading, const gnt_attack_prepare *in,
                        const gnt_sink *out) {
    gnt_attack_prepare plain = *in;
    attr_source from;
    attr_table t;
    attr_zoo zoo = {0};
    plain.shadow = NULL; /* they learn from updates without the defense */
    gnt_status status = attr_source_of_attack(&from, s->host, reading, &plain);
    if (status == GNT_OK)
        status = attr_table_make(&t, reading, &from);
    if (status == GNT_OK)
        status = attr_zoo_train(&zoo, &s->recipe, &from, &t);
    if (status == GNT_OK)
        status = attr_zoo_write(&zoo, out, "");
    if (status == GNT_OK)
        status = write_count(s, &t, out);
    attr_zoo_close(&zoo);
    attr_source_close(&from);
    return status;
}

static gnt_status read_known(const residue *s, const gnt_observation *setting, attr_known *k) {
    if (!setting)
        return s->host->fail(s->host->context, "it was not told of the defense");
    gnt_status status = attr_known_read(k, s->host, setting);
    k->reading.share = s->reading.share;
    return status;
}

static gnt_status prepare_residue(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const residue *s = self;
    attr_known k;
    gnt_status status = read_known(s, in->setting, &k);
    return status == GNT_OK ? learn(s, &k.reading, in, out) : status;
}

static gnt_status prepare_rank1(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const residue *s = self;
    return learn(s, &s->reading, in, out);
}

/* ---- one update ---- */

/* The score of a value that it never saw, of whose probability its networks know nothing. */
static const float never = -1e6F;

typedef struct stripped {
    int64_t size;
    float *update, *change;
} stripped;

static gnt_status take(const residue *s, const gnt_observation *seen, stripped *u) {
    const gnt_host *host = s->host;
    if (!seen->update || seen->update->n < 1) {
        host->fail(host->context, "it reads updates, and none was observed");
        return GNT_UNSUPPORTED;
    }
    u->size = attr_update_size(seen->update);
    u->update = host->scratch(host->context, 2 * (size_t)u->size * sizeof *u->update);
    if (!u->update)
        return host->fail(host->context, "no memory for two copies of the update");
    u->change = u->update + u->size;
    attr_flatten(seen->update, u->update);
    return GNT_OK;
}

/* Adds `times` the mean log probability of each value, as the networks see that update. */
static gnt_status add_reading(const attr_zoo *zoo, const float *update, int64_t size, double times,
                              double *scores) {
    const gnt_host *host = zoo->host;
    int64_t widest = 1;
    for (int32_t k = 0; k < zoo->nets; k++)
        widest = attr_widest(&zoo->net[k]) > widest ? attr_widest(&zoo->net[k]) : widest;
    float *x = host->scratch(host->context, (size_t)zoo->columns * sizeof *x);
    float *room = host->scratch(host->context, 2 * (size_t)widest * sizeof *room);
    float *out = host->scratch(host->context, (size_t)zoo->values * sizeof *out);
    if (!x || !room || !out)
        return host->fail(host->context, "no memory for its networks' layers");
    attr_pool(update, size, zoo->window, x, NULL);
    attr_standardise(x, zoo->columns, zoo->mean, zoo->scale);
    for (int32_t k = 0; k < zoo->nets; k++) {
        double most = -INFINITY, sum = 0;
        attr_forward(&zoo->net[k], x, room, out);
        for (int32_t v = 0; v < zoo->values; v++)
            most = fmax(most, (double)out[v]);
        for (int32_t v = 0; v < zoo->values; v++)
            sum += exp((double)out[v] - most);
        for (int32_t v = 0; v < zoo->values; v++)
            scores[v] += times * ((double)out[v] - most - log(sum)) / zoo->nets;
    }
    return GNT_OK;
}

static gnt_status answer_from(const residue *s, const attr_reading *reading, int reads,
                              const gnt_observation *seen, const gnt_artefacts *own, const stripped *u,
                              const gnt_answer *answer) {
    const gnt_host *host = s->host;
    const int32_t values = seen->attribute_values;
    const gnt_view *count = own ? attr_find(own, "", "count", 1) : NULL;
    attr_zoo zoo = {0};
    double *sum = host->scratch(host->context, (size_t)values * sizeof *sum);
    float *scores = host->scratch(host->context, (size_t)values * sizeof *scores);
    if (!sum || !scores)
        return host->fail(host->context, "no memory for the attribute's values");
    memset(sum, 0, (size_t)values * sizeof *sum);
    if (!count || count->count != values || attr_zoo_read(&zoo, host, own, "", reading, u->size, values) != 0)
        return host->fail(host->context, "its artefacts are not networks for this attribute and updates of "
                                         "this size: they were prepared for another task");
    gnt_status status = add_reading(&zoo, u->update, u->size, 1, sum);
    for (int64_t i = 0; i < u->size; i++)
        u->update[i] += u->change[i];
    if (status == GNT_OK && reads == CHANGE)
        status = add_reading(&zoo, u->update, u->size, -1, sum);
    for (int32_t v = 0; v < values; v++)
        scores[v] = count->data[v] > 0 ? (float)sum[v] : never;
    return status == GNT_OK ? answer->attribute(answer->context, values, scores) : status;
}

static int has_change(const stripped *u) {
    int64_t i = 0;
    while (i < u->size && u->change[i] == 0)
        i++;
    return i < u->size;
}

static gnt_status run_residue(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                              const gnt_answer *answer) {
    const residue *s = self;
    attr_known k;
    stripped u = {0};
    gnt_status status = read_known(s, seen, &k);
    if (status == GNT_OK)
        status = take(s, seen, &u);
    if (status != GNT_OK)
        return status;
    /* one step of ε, or steps of ε/Q */
    const int whole = k.how.method == ATTR_META || k.how.method == ATTR_ONE;
    const double step = s->gamma * k.how.epsilon / (whole ? 1 : k.how.drawn);
    const int64_t most = whole ? k.how.iterations : k.how.drawn;
    const int64_t found = attr_strip_lattice(u.update, u.change, u.size, step, most);
    s->host->fact(s->host->context, "read_in_the_clear", (double)found / (double)u.size);
    const int reads = k.random_target || found == 0 ? UPDATE : s->reads;
    return answer_from(s, &k.reading, reads, seen, own, &u, answer);
}

static gnt_status run_rank1(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                            const gnt_answer *answer) {
    const residue *s = self;
    stripped u = {0};
    int64_t layers = 0;
    gnt_status status = take(s, seen, &u);
    if (status == GNT_OK && (seen->n > 1 || seen->steps > 1)) {
        s->host->fail(s->host->context, "it needs the gradient, or one step, of a single sample");
        return GNT_UNSUPPORTED;
    }
    if (status == GNT_OK)
        status = attr_strip_rank1(s->host, seen->update, u.update, u.change, &layers);
    if (status != GNT_OK)
        return status;
    if (layers == 0) {
        s->host->fail(s->host->context, "it needs a model with a dense layer");
        return GNT_UNSUPPORTED;
    }
    const int reads = has_change(&u) ? s->reads : UPDATE;
    return answer_from(s, &s->reading, reads, seen, own, &u, answer);
}

/* ---- descriptors ---- */

static const gnt_attack residue_hooks = {
    .size = sizeof residue_hooks, .prepare = prepare_residue, .run = run_residue};
static const gnt_attack rank1_hooks = {
    .size = sizeof rank1_hooks, .prepare = prepare_rank1, .run = run_rank1};

static const char *const readings[] = {"change", "update", NULL};
static const char *const families[] = {"recup",     "recup-random-target", "fgsm-one", "fgsm-avg",
                                       "fgsm-iter", "fgsm-momentum",       NULL};
static const char *const any[] = {GNT_FAMILY_ANY, NULL};

/* clang-format off */
#define COMMON_ROWS(reads)                                                                                   \
    {.id = "read", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = reads, .choices = readings,           \
     .help = "change: the value that became less likely by what was added; update: what is left without " \
             "it"},                                                                                          \
    {.id = "nets", .type = GNT_TYPE_INT, .unit = "networks", .least = 1, .most = ATTR_ZOO_MOST, .preset = 4, \
     .help = "networks that learn from undefended updates"},                                                 \
    {.id = "widest", .type = GNT_TYPE_INT, .unit = "neurons", .least = 128, .most = 4096, .preset = 512,     \
     .help = "their hidden layers have 128, 256 … neurons, drawn up to this"},                               \
    ATTR_SGD_ROWS, ATTR_JUDGING_ROWS(ATTR_BEST_EPOCH)
/* clang-format on */

static const gnt_parameter residue_parameters[] = {
    COMMON_ROWS("change"),
    {.id = "gamma",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 1e-3,
     .most = 1,
     .preset = 1,
     .help = "γ: how much the attribute is hidden, which multiplies each step of ε"},
};

static const gnt_parameter rank1_parameters[] = {COMMON_ROWS("update"), ATTR_POOLING_ROWS};

const gnt_descriptor recup_residue_descriptor = {
    .size = sizeof recup_residue_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "recup-residue",
    .version = "1.0",
    .line = "reads what recup added to an update where the update was 0, and infers the attribute from that",
    .licence = "MIT",
    .citation = "",
    .parameters = residue_parameters,
    .n_parameters = sizeof residue_parameters / sizeof *residue_parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create_residue,
    .destroy = free,
    .attack = &residue_hooks,
};

const gnt_descriptor rank1_descriptor = {
    .size = sizeof rank1_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "rank1",
    .version = "1.0",
    .line = "restores a dense layer's gradient of one sample by its rank, and infers the attribute from it",
    .licence = "MIT",
    .citation = "",
    .parameters = rank1_parameters,
    .n_parameters = sizeof rank1_parameters / sizeof *rank1_parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .data_kinds = GNT_KIND_ANY,
    .families = any,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create_rank1,
    .destroy = free,
    .attack = &rank1_hooks,
};
