/* attr-forest: infers a private attribute by a random forest (RecUP-FL, 2023, section 5.4: 120 trees). The
 * paper gives no other settings; the defaults are Breiman's (2001): samples as large as the training part,
 * fully grown trees, √columns considered in a node. */
#include <stdlib.h>

#include "attribute_attacks.h"
#include "forest.h"
#include "shared/try.h"

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of base */
        classic base;
    };
    forest_recipe recipe;
} attack;

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
        status = gnt_host_fail(host, "its trees could not be stored");
    free(owned);
    attr_source_close(&from);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    int64_t columns;
    forest f;
    const float *x;
    TRY(classic_see(&s->base, seen, own, &x, &columns));
    if (forest_read(&f, s->recipe.trees, own, columns, seen->attribute_values) != 0)
        return classic_foreign(s->base.host, "a forest of so many trees");
    TRY(forest_open(&f, s->base.host));
    return classic_answer(&s->base, seen, x, forest_scores, &f, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT_ID("trees", attack, recipe.trees, 1, 10000, 120, "trees",
               "each grown on a sample of the shadow updates, drawn with replacement"),
    GNT_INT_ID("depth", attack, recipe.depth, 0, 1000000, 0, "splits",
               "greatest number of splits above a leaf; 0: any"),
    GNT_INT_ID("leaf", attack, recipe.leaf, 1, 1000000, 1, "updates",
               "least number of a tree's updates in a leaf"),
    CLASSIC_MEMBERS(attack),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_forest_descriptor = {
    GNT_ATTACK(
        "attr-forest", "1.0",
        "infers a private attribute from the max-pooled update, or the representation, by a random forest",
        "MIT", "RecUP-FL, ASIA CCS 2023, section 5.4; Breiman, Random Forests, 2001"),
    ATTRIBUTE_LEARNT(attack, ATTRIBUTE_SEEN), .uses = GNT_KNOWS_SHADOW_OBS, .least_shadow = 2};
