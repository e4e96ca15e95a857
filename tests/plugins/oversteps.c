/* oversteps: plugins whose fault lies in what they give, one fault each, for checks of `gauntlet vet`:
 * answers that were not requested, outputs written beyond their ends, a strength without effect. The id is
 * the fault. */
#include <math.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
    double value;
} plugin;

/* ---- answers ---- */

/* Gives `count` grey reconstructions. */
static gnt_status answer_grey(const plugin *p, const gnt_answer *answer, int64_t count, float grey) {
    const gnt_model_info *info = p->host->model->info;
    int64_t features = 1;
    for (int32_t k = 0; k < info->rank; k++)
        features *= info->dim[k];
    float *x = gnt_host_scratch(p->host, count * features, sizeof *x);
    if (!x)
        return gnt_host_fail(p->host, "no memory for a reconstruction");
    for (int64_t i = 0; i < count * features; i++)
        x[i] = grey;
    return answer->reconstruction(answer->context, count, x);
}

static gnt_status answers_labels(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                 const gnt_answer *answer) {
    const plugin *p = self;
    float *scores = gnt_host_scratch(p->host, seen->n * seen->classes, sizeof *scores);
    (void)own;
    if (!scores)
        return gnt_host_fail(p->host, "no memory for scores");
    answer->labels(answer->context, seen->n, seen->classes, scores);
    return answer_grey(p, answer, seen->n, 0.5f);
}

static gnt_status answers_twice(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                const gnt_answer *answer) {
    (void)own;
    answer_grey(self, answer, seen->n, 0.4f);
    return answer_grey(self, answer, seen->n, 0.6f);
}

static gnt_status answers_too_many(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                   const gnt_answer *answer) {
    (void)own;
    return answer_grey(self, answer, seen->n + 1, 0.5f);
}

static gnt_status answers_nan(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                              const gnt_answer *answer) {
    (void)own;
    return answer_grey(self, answer, seen->n, NAN);
}

/* ---- outputs ---- */

static gnt_status writes_behind(void *self, const gnt_client *client, gnt_tensors *update) {
    gnt_tensor *t = &update->tensor[0];
    (void)self, (void)client;
    for (int64_t i = 0; i <= t->count; i++)
        t->data[i] = 0;
    return GNT_OK;
}

static gnt_status writes_in_front(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    update->tensor[1].data[-1] = 0;
    return GNT_OK;
}

static gnt_status aggregates_too_much(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    for (int64_t i = 0; i <= in->n_params; i++) /* the last is one too many */
        new_weights[i] = i < in->n_params ? in->old_weights[i] : 0;
    return GNT_OK;
}

static int64_t two_entries(void *self) {
    (void)self;
    return 2;
}

static gnt_status contributes_three(void *self, const gnt_client *client, double *vector) {
    (void)self, (void)client;
    vector[0] = vector[1] = vector[2] = 1;
    return GNT_OK;
}

static gnt_status receives(void *self, const double *sum, int64_t n) {
    (void)self, (void)sum, (void)n;
    return GNT_OK;
}

/* ---- a strength ---- */

static gnt_status halves(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            update->tensor[k].data[i] /= 2;
    return GNT_OK;
}

static const gnt_parameter strength[] = {
    GNT_STRENGTH_REAL(plugin, value, 0, 10, 1, GNT_SCALE_LINEAR, 1, "", "what no hook reads"),
};

/* ---- descriptors ---- */

#define SHARED(name)                                                                                         \
    .size = sizeof(gnt_descriptor), .id = name, .version = "1.0", .line = "a test's plugin that oversteps",  \
    .licence = "MIT", .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_TABULAR,        \
    .instance_size = GNT_INSTANCE(plugin)
#define HOOKS(...)                                                                                           \
    .kind = GNT_PLUGIN_DEFENSE, .defense = &(const gnt_defense) {                                            \
        .size = sizeof(gnt_defense), __VA_ARGS__                                                             \
    }
#define ATTACK(name, function)                                                                               \
    {                                                                                                        \
        SHARED(name), .kind = GNT_PLUGIN_ATTACK, .goals = GNT_GOAL_RECONSTRUCTION,                           \
                      .attack = &(const gnt_attack) {                                                        \
            .size = sizeof(gnt_attack), .run = function                                                      \
        }                                                                                                    \
    }

static const gnt_descriptor descriptors[] = {
    ATTACK("answers-labels", answers_labels),
    ATTACK("answers-twice", answers_twice),
    ATTACK("answers-too-many", answers_too_many),
    ATTACK("answers-nan", answers_nan),
    {SHARED("writes-behind"), HOOKS(.transform_update = writes_behind)},
    {SHARED("writes-in-front"), HOOKS(.transform_update = writes_in_front)},
    {SHARED("aggregates-too-much"), HOOKS(.aggregate = aggregates_too_much)},
    {SHARED("contributes-three"),
     HOOKS(.contribute_size = two_entries, .contribute = contributes_three, .receive_sum = receives)},
    {SHARED("idle-strength"), .parameters = strength, .n_parameters = 1, HOOKS(.transform_update = halves)},
};

static const gnt_descriptor *const list[] = {
    &descriptors[0], &descriptors[1], &descriptors[2], &descriptors[3], &descriptors[4],
    &descriptors[5], &descriptors[6], &descriptors[7], &descriptors[8],
};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
