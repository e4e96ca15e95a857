/* attr-svm: a private attribute by support vector machines with an RBF kernel (RecUP-FL, 2023, section
 * 5.4). The paper gives neither C nor γ: the defaults are libsvm's, C = 1 and γ = 1/columns, of
 * standardised inputs. */
#include <stdlib.h>

#include "attribute.h"
#include "svm.h"

enum { COST, GAMMA, ROWS, READING };

typedef struct attack {
    classic base;
    svm_recipe recipe;
} attack;

static void *create(const gnt_host *host, const gnt_value *v) {
    attack *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    classic_open(&s->base, host, v + READING);
    s->recipe = (svm_recipe){.cost = v[COST].r, .gamma = v[GAMMA].r, .rows = v[ROWS].i};
    return s;
}

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
        status = host->fail(host->context, "its machines could not be kept");
    attr_source_close(&from);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    int64_t columns;
    gnt_status status;
    svm_machine m;
    const float *x = classic_see(&s->base, seen, own, &columns, &status);
    if (!x)
        return status;
    if (svm_read(&m, &s->recipe, own, columns, seen->attribute_values) != 0)
        return classic_foreign(s->base.host, "support vector machines");
    status = svm_open(&m, s->base.host);
    return status == GNT_OK ? classic_answer(&s->base, seen, x, svm_scores, &m, answer) : status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "cost",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 1e6,
     .preset = 1,
     .help = "C: what a margin that is not kept costs; large ones take long"},
    {.id = "gamma",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1e6,
     .preset = 0,
     .help = "γ of the kernel exp(−γ‖a − b‖²) of standardised inputs; 0: one over their number"},
    {.id = "rows",
     .type = GNT_TYPE_INT,
     .unit = "updates",
     .least = 10,
     .most = 20000,
     .preset = 4000,
     .help = "shadow updates that it learns from at most, drawn from each value's; n take about 20·n² bytes"},
    CLASSIC_ROWS,
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_svm_descriptor = {
    .size = sizeof attr_svm_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "attr-svm",
    .version = "1.0",
    .line = "infers a private attribute from the max-pooled update, or the representation, by support vector "
            "machines with an RBF "
            "kernel",
    .licence = "MIT",
    .citation = "RecUP-FL, ASIA CCS 2023, section 5.4; Chang and Lin, LIBSVM, 2011",
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
