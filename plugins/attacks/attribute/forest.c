/* attr-forest: a private attribute by a random forest (RecUP-FL, 2023, section 5.4: 120 trees). The paper
 * gives nothing else of it; the defaults are Breiman's (2001): samples as large as the training part, trees
 * grown to the end, √columns looked at in a node. */
#include <stdlib.h>

#include "attribute.h"
#include "forest.h"

enum { TREES, DEPTH, LEAF, READING };

typedef struct attack {
    classic base;
    forest_recipe recipe;
} attack;

static void *create(const gnt_host *host, const gnt_value *v) {
    attack *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    classic_open(&s->base, host, v + READING);
    s->recipe = (forest_recipe){.trees = v[TREES].i, .depth = v[DEPTH].i, .leaf = v[LEAF].i};
    return s;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    const gnt_host *host = s->base.host;
    attr_source from;
    attr_table t;
    forest f;
    float *owned = NULL;
    gnt_status status = classic_table(&s->base, &from, &t, in, out);
    if (status == GNT_OK)
        status = forest_grow(&f, &owned, &s->base, &s->recipe, &t);
    if (status == GNT_OK)
        status = classic_judge(&s->base, &t, forest_scores, &f);
    if (status == GNT_OK && forest_write(&f, out) != GNT_OK)
        status = host->fail(host->context, "its trees could not be kept");
    free(owned);
    attr_source_close(&from);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    int64_t columns;
    gnt_status status;
    forest f;
    const float *x = classic_see(&s->base, seen, own, &columns, &status);
    if (!x)
        return status;
    if (forest_read(&f, s->recipe.trees, own, columns, seen->attribute_values) != 0)
        return classic_foreign(s->base.host, "a forest of so many trees");
    status = forest_open(&f, s->base.host);
    return status == GNT_OK ? classic_answer(&s->base, seen, x, forest_scores, &f, answer) : status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "trees",
     .type = GNT_TYPE_INT,
     .unit = "trees",
     .least = 1,
     .most = 10000,
     .preset = 120,
     .help = "each grown on a sample of the shadow updates, drawn with replacement"},
    {.id = "depth",
     .type = GNT_TYPE_INT,
     .unit = "splits",
     .least = 0,
     .most = 1000000,
     .preset = 0,
     .help = "greatest number of splits above a leaf; 0: any"},
    {.id = "leaf",
     .type = GNT_TYPE_INT,
     .unit = "updates",
     .least = 1,
     .most = 1000000,
     .preset = 1,
     .help = "least number of a tree's updates in a leaf"},
    CLASSIC_ROWS,
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_forest_descriptor = {
    .size = sizeof attr_forest_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "attr-forest",
    .version = "1.0",
    .line =
        "infers a private attribute from the max-pooled update, or the representation, by a random forest",
    .licence = "MIT",
    .citation = "RecUP-FL, ASIA CCS 2023, section 5.4; Breiman, Random Forests, 2001",
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
