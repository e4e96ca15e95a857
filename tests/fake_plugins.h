/* Plugins that exist as descriptions only, for tests of what is decided before any plugin is loaded: suites,
 * plans. Their tables are as small as the cases need; their ids are those of real plugins where that reads
 * better. */
#ifndef TESTS_FAKE_PLUGINS_H
#define TESTS_FAKE_PLUGINS_H

#include "plugin/info.h"

#define FAKE_COUNT(a) ((int32_t)(sizeof(a) / sizeof(a)[0]))
#define FAKE_REAL(name, units, low, high, value, how, turns)                                                 \
    {                                                                                                        \
        .id = name, .type = GNT_TYPE_REAL, .scale = how, .unit = units, .least = low, .most = high,          \
        .preset = value, .preset_text = "", .strength = turns, .help = ""                                    \
    }
#define FAKE_INT(name, low, high, value, turns)                                                              \
    {                                                                                                        \
        .id = name, .type = GNT_TYPE_INT, .unit = "", .least = low, .most = high, .preset = value,           \
        .preset_text = "", .strength = turns, .help = ""                                                     \
    }

static const char *const fake_norms[] = {"l2", "max", NULL};
static const gnt_parameter fake_dp[] = {
    FAKE_REAL("sigma", "", 0, 10, 0.01, GNT_SCALE_LOG, 1),
    FAKE_REAL("clip", "", 0, 1e6, 1, GNT_SCALE_LOG, 0),
    {.id = "norm",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "l2",
     .choices = fake_norms,
     .help = ""},
    {.id = "adaptive", .type = GNT_TYPE_BOOL, .unit = "", .preset_text = "", .help = ""}};
static const gnt_parameter fake_prune[] = {FAKE_REAL("share", "", 0, 1, 0.9, GNT_SCALE_LINEAR, 1)};
static const gnt_parameter fake_quantise[] = {FAKE_INT("bits", 1, 16, 8, -1)};
static const gnt_parameter fake_mixup[] = {FAKE_INT("k", 1, 8, 4, 1)};
static const gnt_parameter fake_loda[] = {
    {.id = "extractor", .type = GNT_TYPE_MODEL, .unit = "", .help = ""},
    {.id = "judge", .type = GNT_TYPE_MODEL, .unit = "", .preset_text = "", .help = ""}};
static const gnt_parameter fake_dlg[] = {FAKE_INT("steps", 1, 1000000, 300, 0),
                                         {.id = "schedule",
                                          .type = GNT_TYPE_REAL_LIST,
                                          .unit = "",
                                          .least = 0,
                                          .most = 1,
                                          .preset_text = "[0.375, 0.625]",
                                          .help = ""}};

static gnt_status fake_transform(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    return GNT_OK;
}
static gnt_status fake_encode(void *self, const gnt_client *client, int64_t epoch,
                              const gnt_samples_sink *out) {
    (void)self, (void)client, (void)epoch, (void)out;
    return GNT_OK;
}
static gnt_status fake_aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self, (void)in, (void)new_weights;
    return GNT_OK;
}
static gnt_status fake_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                           const gnt_answer *answer) {
    (void)self, (void)seen, (void)own, (void)answer;
    return GNT_OK;
}
static void *fake_create(const gnt_host *host, const gnt_value *values) {
    (void)host, (void)values;
    return NULL;
}
static void fake_destroy(void *self) {
    (void)self;
}

static const gnt_defense fake_plain = {.size = sizeof(gnt_defense)};
static const gnt_defense fake_transforms = {.size = sizeof(gnt_defense), .transform_update = fake_transform};
static int64_t fake_size(void *self) {
    (void)self;
    return 1;
}
static gnt_status fake_contribute(void *self, const gnt_client *client, double *vector) {
    (void)self, (void)client, (void)vector;
    return GNT_OK;
}
static gnt_status fake_receive(void *self, const double *sum, int64_t n) {
    (void)self, (void)sum, (void)n;
    return GNT_OK;
}
static const gnt_defense fake_sums = {.size = sizeof(gnt_defense),
                                      .contribute_size = fake_size,
                                      .contribute = fake_contribute,
                                      .receive_sum = fake_receive};
static const gnt_defense fake_takes_over = {.size = sizeof(gnt_defense), .client_update = fake_transform};
static const gnt_defense fake_encodes = {.size = sizeof(gnt_defense), .encode_set = fake_encode};
static const gnt_defense fake_aggregates = {.size = sizeof(gnt_defense), .aggregate = fake_aggregate};
static const gnt_attack fake_attack = {.size = sizeof(gnt_attack), .run = fake_run};

#define FAKE_SHARED                                                                                          \
    .size = sizeof(gnt_descriptor), .version = "1", .line = "a description for tests", .licence = "MIT",     \
    .citation = "", .create = fake_create, .destroy = fake_destroy
#define FAKE_DEFENSE(name, hooks, table, seen, data, bits)                                                   \
    {                                                                                                        \
        FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = name, .parameters = table,                            \
                     .n_parameters = FAKE_COUNT(table), .surfaces = seen, .data_kinds = data, .flags = bits, \
                     .defense = &hooks                                                                       \
    }
#define FAKE_ATTACK(name, seen, wants, need, use, data, bits)                                                \
    {                                                                                                        \
        FAKE_SHARED, .kind = GNT_PLUGIN_ATTACK, .id = name, .parameters = fake_dlg,                          \
                     .n_parameters = FAKE_COUNT(fake_dlg), .surfaces = seen, .goals = wants, .needs = need,  \
                     .uses = use, .data_kinds = data, .flags = bits, .attack = &fake_attack                  \
    }

#define FAKE_ANY_SURFACE (GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING | GNT_SURFACE_REPRESENTATION)

/* An attack of updates with these GNT_IF_*. */
#define FAKE_PICKY(name, of, rows)                                                                           \
    {                                                                                                        \
        FAKE_SHARED, .kind = GNT_PLUGIN_ATTACK, .id = name, .surfaces = GNT_SURFACE_UPDATE,                  \
                     .goals = GNT_GOAL_RECONSTRUCTION, .uses = GNT_KNOWS_PUBLIC | GNT_KNOWS_RATES,           \
                     .data_kinds = GNT_KIND_ANY, .attack = &fake_attack, .families = fake_named,             \
                     .conditions = of, .least_public = rows                                                  \
    }
static const char *const fake_named[] = {"prune", NULL};

static const gnt_descriptor fake_descriptors[] = {
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "none",
     .surfaces = FAKE_ANY_SURFACE | GNT_SURFACE_TRANSCRIPT, .data_kinds = GNT_KIND_ANY,
     .defense = &fake_plain},
    FAKE_DEFENSE("dp-gaussian", fake_transforms, fake_dp, GNT_SURFACE_UPDATE, GNT_KIND_ANY,
                 GNT_FLAG_RANDOMISED),
    FAKE_DEFENSE("prune", fake_transforms, fake_prune, GNT_SURFACE_UPDATE, GNT_KIND_ANY, 0),
    FAKE_DEFENSE("quantise", fake_transforms, fake_quantise, GNT_SURFACE_UPDATE, GNT_KIND_ANY, 0),
    FAKE_DEFENSE("mixup", fake_encodes, fake_mixup, GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING, GNT_KIND_IMAGE,
                 GNT_FLAG_NEEDS_PUBLIC),
    FAKE_DEFENSE("loda", fake_encodes, fake_loda, GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING, GNT_KIND_IMAGE,
                 0),
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "soteria", .surfaces = GNT_SURFACE_UPDATE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_takes_over},
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "tappfl", .surfaces = FAKE_ANY_SURFACE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_takes_over},
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "trains", .surfaces = FAKE_ANY_SURFACE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_transforms,
     .conditions = GNT_IF_LOCAL_STEPS | GNT_IF_HIDES | GNT_IF_WHOLE_MODEL},
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "sums", .surfaces = FAKE_ANY_SURFACE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_sums},
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "fedre", .surfaces = GNT_SURFACE_UPDATE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_aggregates},
    {FAKE_SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "trimmed-mean", .surfaces = GNT_SURFACE_UPDATE,
     .data_kinds = GNT_KIND_ANY, .defense = &fake_aggregates},
    FAKE_ATTACK("dlg", GNT_SURFACE_UPDATE, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, 0, GNT_KNOWS_LABELS,
                GNT_KIND_ANY, GNT_FLAG_TAKES_START),
    FAKE_ATTACK("invert-gradients", GNT_SURFACE_UPDATE, GNT_GOAL_RECONSTRUCTION, GNT_KNOWS_LABELS,
                GNT_KNOWS_BN_STATS, GNT_KIND_IMAGE, 0),
    FAKE_ATTACK("linear-layer", GNT_SURFACE_UPDATE, GNT_GOAL_RECONSTRUCTION, 0, 0, GNT_KIND_ANY,
                GNT_FLAG_FIRST_DENSE),
    FAKE_ATTACK("attr-nn", GNT_SURFACE_UPDATE, GNT_GOAL_ATTRIBUTE, GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_ATTRIBUTE,
                0, GNT_KIND_ANY, 0),
    FAKE_ATTACK("needs-rates", GNT_SURFACE_UPDATE, GNT_GOAL_RECONSTRUCTION, GNT_KNOWS_RATES, 0, GNT_KIND_ANY,
                0),
    FAKE_ATTACK("follows", GNT_SURFACE_UPDATE, GNT_GOAL_RECONSTRUCTION, GNT_KNOWS_HISTORY, 0, GNT_KIND_ANY,
                0),
    FAKE_PICKY("one-sample", GNT_IF_ONE_SAMPLE, 0),
    FAKE_PICKY("one-step", GNT_IF_ONE_STEP, 0),
    FAKE_PICKY("of-named", GNT_IF_NAMED, 0),
    FAKE_PICKY("of-only-named", GNT_IF_ONLY_NAMED, 0),
    FAKE_PICKY("of-public", 0, 51),
    FAKE_ATTACK("decompose", GNT_SURFACE_ENCODING, GNT_GOAL_RECONSTRUCTION, GNT_KNOWS_PUBLIC,
                GNT_KNOWS_DEFENSE, GNT_KIND_IMAGE, 0),
};

/* Free with gnt_plugin_list_free. */
static int fake_plugins(gnt_plugin_list *out, gnt_err *err) {
    *out = (gnt_plugin_list){0};
    for (int32_t i = 0; i < FAKE_COUNT(fake_descriptors); i++) {
        gnt_plugin_info info = {0};
        if (gnt_info_of_descriptor(&info, &fake_descriptors[i], "fake.so", NULL, i, err) ||
            gnt_plugin_list_add(out, &info, err)) {
            gnt_info_free(&info);
            gnt_plugin_list_free(out);
            return -1;
        }
    }
    return 0;
}

#endif
