/* attr-nn: parameters, hooks and descriptor.
 *
 * Sources: Melis et al., Exploiting Unintended Feature Leakage, 2019 (max-pooled updates, shadow training);
 * RecUP-FL, 2023, section 5.4 (SGD at 0.01 for 80 epochs; Unkwn-NN of 1024, 1024, 512 and 128 neurons;
 * Stru-NN of three layers within the defender's zoo, which has 128 to 2,048 neurons a layer). The paper does
 * not give Stru-NN's widths, the batch nor the window: the defaults here are choices. Layers are counted as
 * the paper counts Unkwn-NN's: those before the output. */
#include <stdlib.h>

#include "attribute.h"
#include "shared/attribute/parameters.h"
#include "shared/attribute/pool.h"

enum { ARCHITECTURE, HIDDEN, SGD, POOLING = SGD + ATTR_SGD, JUDGING = POOLING + ATTR_POOLING };
enum { STRU, UNKWN, CUSTOM };

static const int64_t stru[] = {512, 256, 128}, unkwn[] = {1024, 1024, 512, 128};

static void set_hidden(attr_recipe *s, const gnt_value *v) {
    const int64_t *from = v[ARCHITECTURE].i == STRU ? stru : unkwn;
    int custom = v[ARCHITECTURE].i == CUSTOM;
    int64_t n = custom ? v[HIDDEN].n : v[ARCHITECTURE].i == STRU ? 3 : 4;
    s->n_hidden = (int32_t)n;
    for (int64_t i = 0; i < n && i < ATTR_HIDDEN; i++)
        s->hidden[i] = custom ? (int64_t)v[HIDDEN].list[i] : from[i];
}

static void *create(const gnt_host *host, const gnt_value *v) {
    if (v[HIDDEN].n > ATTR_HIDDEN) {
        host->fail(host->context, "it has room for 16 hidden layers; give fewer");
        return NULL;
    }
    attr_nn *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->recipe.host = host;
    attr_read_sgd(&s->recipe, v + SGD);
    attr_read_pooling(&s->reading, v + POOLING);
    s->recipe.balanced = attr_read_judging(&s->reading, v + JUDGING);
    set_hidden(&s->recipe, v);
    return s;
}

gnt_status attr_nn_learn(const attr_nn *s, attr_table *t, const float *mean, const float *scale,
                         const gnt_sink *out) {
    const gnt_host *host = s->recipe.host;
    const int64_t size = attr_net_size(&s->recipe, t->columns, t->values);
    attr_trained trained;
    float *flat = host->scratch(host->context, (size_t)size * sizeof *flat);
    if (!flat)
        return host->fail(host->context, "no memory for the network; narrower layers need less");
    gnt_status status = attr_train(&trained, flat, &s->recipe, t);
    if (status != GNT_OK)
        return status;
    host->fact(host->context, "inputs", (double)t->columns);
    host->fact(host->context, "validation_accuracy", trained.accuracy);
    host->fact(host->context, "kept_epoch", (double)trained.kept_epoch);
    host->fact(host->context, "rate", trained.rate);
    if (attr_write_statistics(out, "", t->columns, mean, scale) != GNT_OK ||
        attr_write_net(out, "", &trained.net) != GNT_OK)
        return host->fail(host->context, "its network could not be kept");
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attr_nn *s = self;
    attr_source from;
    attr_table t;
    gnt_status status = attr_source_of_attack(&from, s->recipe.host, &s->reading, in);
    if (status == GNT_OK)
        status = attr_table_make(&t, &s->reading, &from);
    if (status == GNT_OK)
        status = attr_nn_learn(s, &t, from.mean, from.scale, out);
    attr_source_close(&from);
    return status;
}

gnt_status attr_nn_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                       const gnt_answer *answer) {
    const attr_nn *s = self;
    const gnt_host *host = s->recipe.host;
    attr_net net;
    int64_t columns;
    if (attr_seen_size(seen) < 1) {
        host->fail(host->context, "it reads an update or a representation, and none was observed");
        return GNT_UNSUPPORTED;
    }
    const float *x = attr_read_seen(host, &s->reading, seen, own, &columns);
    if (!x)
        return GNT_FAILED;
    if (attr_read_net(&net, own, "", columns, seen->attribute_values) != 0)
        return host->fail(host->context,
                          "its artefacts are not a network for this attribute: they were prepared "
                          "for another task");
    float *room = host->scratch(host->context, 2 * (size_t)attr_widest(&net) * sizeof *room);
    float *scores = host->scratch(host->context, (size_t)seen->attribute_values * sizeof *scores);
    if (!room || !scores)
        return host->fail(host->context, "no memory for the network's layers");
    attr_forward(&net, x, room, scores);
    return answer->attribute(answer->context, seen->attribute_values, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = attr_nn_run};

static const char *const architectures[] = {"stru", "unkwn", "custom", NULL};

static const gnt_parameter parameters[] = {
    {.id = "architecture",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "stru",
     .choices = architectures,
     .help = "hidden layers: stru 512-256-128, unkwn 1024-1024-512-128, custom what `hidden` says"},
    {.id = "hidden",
     .type = GNT_TYPE_INT_LIST,
     .unit = "neurons",
     .least = 1,
     .most = 16384,
     .preset_text = "[512, 256, 128]",
     .help = "widths of the hidden layers of architecture custom; [] is a linear classifier"},
    ATTR_SGD_ROWS,
    ATTR_POOLING_ROWS,
    ATTR_JUDGING_ROWS(ATTR_BEST_EPOCH),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_nn_descriptor = {
    .size = sizeof attr_nn_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "attr-nn",
    .version = "1.0",
    .line =
        "infers a private attribute from the max-pooled update, or the representation, by a network trained "
        "on those of shadow samples",
    .licence = "MIT",
    .citation = "Melis et al., Exploiting Unintended Feature Leakage in Collaborative Learning, S&P 2019; "
                "RecUP-FL, ASIA CCS 2023, section 5.4 (Stru-NN, Unkwn-NN)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_SHADOW_OBS,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
