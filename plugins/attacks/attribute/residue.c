/* recup-residue, rank1: separate an update from the perturbation that RecUP-FL (2023) or a similar defense
 * added, and infer the attribute from either.
 *
 * recup-residue knows the defense: it adds whole multiples of ε to entries, most of which were 0 and so
 * contain the perturbation alone. rank1 knows that one sample's gradient of a dense layer is an outer
 * product.
 *
 * The perturbation makes the true value less likely for the defense's own networks, and so for others that
 * learnt from undefended updates: the value whose probability it lowers most is the true one. The update
 * without it can be read as if there had been no defense. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute_attacks.h"
#include "attr_known.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/pool.h"
#include "shared/attribute/strip.h"
#include "shared/attribute/zoo.h"
#include "shared/try.h"

enum { CHANGE, UPDATE };

typedef struct residue {
    const gnt_host *host;
    attr_zoo_recipe recipe;
    attr_reading reading; /* of rank1; recup-residue takes the defense's */
    int64_t read;
    double gamma;
} residue;

static gnt_status start(void *self) {
    residue *s = self;
    s->recipe.net.host = s->host;
    return GNT_OK;
}

/* ---- its networks ---- */

/* Writes the number of training updates of each value of the attribute as artefact "count". */
static gnt_status write_count(const residue *s, const attr_table *t, const gnt_sink *out) {
    const int64_t values = t->values;
    float *count = gnt_host_scratch(s->host, values, sizeof *count);
    for (int64_t v = 0; count && v < values; v++)
        count[v] = (float)t->count[v];
    return count && out->tensor(out->context, "count", 1, &values, count) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(s->host, "the counts of its training data could not be stored");
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
        return gnt_host_fail(s->host, "it needs the defense and its parameters; grant defense");
    gnt_status status = attr_known_read(k, s->host, setting);
    k->reading.share = s->reading.share;
    return status;
}

static gnt_status prepare_residue(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const residue *s = self;
    attr_known k;
    TRY(read_known(s, in->setting, &k));
    return learn(s, &k.reading, in, out);
}

static gnt_status prepare_rank1(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const residue *s = self;
    return learn(s, &s->reading, in, out);
}

/* ---- one update ---- */

/* The score of a value that was not in the training data. */
static const float never = -1e6F;

typedef struct stripped {
    int64_t size;
    float *update, *change;
} stripped;

static gnt_status take(const residue *s, const gnt_observation *seen, stripped *u) {
    const gnt_host *host = s->host;
    if (!seen->update || seen->update->n < 1)
        return unsupported(host, "it reads updates, and none was observed");
    u->size = attr_update_size(seen->update);
    u->update = gnt_host_scratch(host, 2 * u->size, sizeof *u->update);
    TRY(have_memory(host, u->update != NULL, "no memory for two copies of the update"));
    u->change = u->update + u->size;
    attr_flatten(seen->update, u->update);
    return GNT_OK;
}

/* Adds the networks' mean log probability of each value given the update, multiplied by `times`. */
static gnt_status add_reading(const attr_zoo *zoo, const float *update, int64_t size, double times,
                              double *scores) {
    const gnt_host *host = zoo->host;
    int64_t widest = 1;
    for (int32_t k = 0; k < zoo->nets; k++)
        widest = attr_widest(&zoo->net[k]) > widest ? attr_widest(&zoo->net[k]) : widest;
    float *x = gnt_host_scratch(host, zoo->columns, sizeof *x);
    float *room = gnt_host_scratch(host, 2 * widest, sizeof *room);
    float *out = gnt_host_scratch(host, zoo->values, sizeof *out);
    TRY(have_memory(host, x && room && out, "no memory for its networks' layers"));
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
    double *sum = gnt_host_scratch(host, values, sizeof *sum);
    float *scores = gnt_host_scratch(host, values, sizeof *scores);
    TRY(have_memory(host, sum && scores, "no memory for the attribute's values"));
    memset(sum, 0, (size_t)values * sizeof *sum);
    if (!count || count->count != values || attr_zoo_read(&zoo, host, own, "", reading, u->size, values) != 0)
        return gnt_host_fail(host, "its artefacts are not networks for this attribute and updates of "
                                   "this size: they were prepared for another task");
    TRY(add_reading(&zoo, u->update, u->size, 1, sum));
    for (int64_t i = 0; i < u->size; i++)
        u->update[i] += u->change[i];
    if (reads == CHANGE)
        TRY(add_reading(&zoo, u->update, u->size, -1, sum));
    for (int32_t v = 0; v < values; v++)
        scores[v] = count->data[v] > 0 ? (float)sum[v] : never;
    return answer->attribute(answer->context, values, scores);
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
    TRY(read_known(s, seen, &k));
    TRY(take(s, seen, &u));
    /* one step of ε, or steps of ε/Q */
    const int whole = k.how.method == ATTR_META || k.how.method == ATTR_ONE;
    const double step = s->gamma * k.how.epsilon / (whole ? 1 : k.how.drawn);
    const int64_t most = whole ? k.how.iterations : k.how.drawn;
    const int64_t found = attr_strip_lattice(u.update, u.change, u.size, step, most);
    gnt_host_fact(s->host, "read_in_the_clear", (double)found / (double)u.size);
    const int reads = k.random_target || found == 0 ? UPDATE : s->read;
    return answer_from(s, &k.reading, reads, seen, own, &u, answer);
}

static gnt_status run_rank1(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                            const gnt_answer *answer) {
    const residue *s = self;
    stripped u = {0};
    int64_t layers = 0;
    gnt_status status = take(s, seen, &u);
    if (status == GNT_OK && (seen->n > 1 || seen->steps > 1))
        return unsupported(s->host, "it needs the gradient, or one step, of a single sample");
    if (status == GNT_OK)
        status = attr_strip_rank1(s->host, seen->update, u.update, u.change, &layers);
    if (status != GNT_OK)
        return status;
    if (layers == 0)
        return unsupported(s->host, "it needs a model with a dense layer");
    const int reads = has_change(&u) ? s->read : UPDATE;
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

#define COMMON_MEMBERS(preset)                                                                               \
    GNT_CHOICE(residue, read, readings, preset,                                                              \
               "change: the value that became less likely by what was added; update: what is left without "  \
               "it"),                                                                                        \
        GNT_INT_ID("nets", residue, recipe.nets, 1, ATTR_ZOO_MOST, 4, "networks",                            \
                   "networks that learn from undefended updates"),                                           \
        GNT_INT_ID("widest", residue, recipe.widest, 128, 4096, 512, "neurons",                              \
                   "their hidden layers have 128, 256 … neurons, drawn up to this"),                         \
        ATTR_SGD_MEMBERS(residue, recipe.net),                                                               \
        ATTR_JUDGING_MEMBERS(residue, reading, recipe.net.balanced, ATTR_BEST_EPOCH)

static const gnt_parameter residue_parameters[] = {
    COMMON_MEMBERS("change"),
    GNT_REAL(residue, gamma, 1e-3, 1, 1, GNT_SCALE_LINEAR, "",
             "γ: weight of hiding the attribute, which multiplies each step of ε"),
};

static const gnt_parameter rank1_parameters[] = {COMMON_MEMBERS("update"),
                                                 ATTR_POOLING_MEMBERS(residue, reading)};

const gnt_descriptor recup_residue_descriptor = {
    GNT_ATTACK("recup-residue", "1.0",
               "infers the attribute from what recup added to entries of an update that were 0", "MIT", ""),
    GNT_PARAMETERS(residue_parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_DEFENSE,
    .families = families,
    .conditions = GNT_IF_ONLY_NAMED,
    .least_shadow = 2,
    ATTRIBUTE_ATTACK(residue, residue_hooks),
    .start = start};

const gnt_descriptor rank1_descriptor = {
    GNT_ATTACK(
        "rank1", "1.0",
        "restores a dense layer's gradient of one sample by its rank, and infers the attribute from it",
        "MIT", ""),
    GNT_PARAMETERS(rank1_parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .families = any,
    .conditions = GNT_IF_ONE_SAMPLE | GNT_IF_ONE_STEP | GNT_IF_DENSE,
    .least_shadow = 2,
    ATTRIBUTE_ATTACK(residue, rank1_hooks),
    .start = start};
