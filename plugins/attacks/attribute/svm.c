/* attr-svm: infers a private attribute by support vector machines with an RBF kernel (RecUP-FL, 2023, section
 * 5.4). The paper gives neither C nor γ: the defaults are libsvm's, C = 1 and γ = 1/columns, of
 * standardised inputs. */
#include <stdlib.h>

#include "attribute_attacks.h"
#include "svm.h"
#include "shared/try.h"

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of base */
        classic base;
    };
    svm_recipe recipe;
} attack;

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    const gnt_host *host = s->base.host;
    attr_source from;
    attr_table t;
    svm_machine m;
    gnt_status status = classic_table(&s->base, &from, &t, in, out);
    if (status == GNT_OK)
        status = svm_train_machine(&m, &s->base, &s->recipe, &t);
    if (status == GNT_OK)
        status = classic_judge(&s->base, &t, svm_scores, &m);
    if (status == GNT_OK && svm_write(&m, out) != GNT_OK)
        status = gnt_host_fail(host, "its machines could not be stored");
    attr_source_close(&from);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    int64_t columns;
    svm_machine m;
    const float *x;
    TRY(classic_see(&s->base, seen, own, &x, &columns));
    if (svm_read(&m, &s->recipe, own, columns, seen->attribute_values) != 0)
        return classic_foreign(s->base.host, "support vector machines");
    TRY(svm_open(&m, s->base.host));
    return classic_answer(&s->base, seen, x, svm_scores, &m, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_REAL_ID("cost", attack, recipe.cost, 1e-6, 1e6, 1, GNT_SCALE_LOG, "",
                "C: cost of a violated margin; large values take long"),
    GNT_REAL_ID("gamma", attack, recipe.gamma, 0, 1e6, 0, GNT_SCALE_LINEAR, "",
                "γ of the kernel exp(−γ‖a − b‖²) of standardised inputs; 0: one over their number"),
    GNT_INT_ID(
        "rows", attack, recipe.rows, 10, 20000, 4000, "updates",
        "shadow updates that it learns from at most, drawn from each value's; n take about 20·n² bytes"),
    CLASSIC_MEMBERS(attack),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_svm_descriptor = {
    GNT_ATTACK("attr-svm", "1.0",
               "infers a private attribute from the max-pooled update, or the representation, by support "
               "vector machines with an RBF kernel",
               "MIT", "RecUP-FL, ASIA CCS 2023, section 5.4; Chang and Lin, LIBSVM, 2011"),
    ATTRIBUTE_LEARNT(attack, ATTRIBUTE_SEEN), .uses = GNT_KNOWS_SHADOW_OBS, .least_shadow = 2};
