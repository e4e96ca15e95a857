/* Every short form of plugin.h, in what C99, C11 and C++17 have in common; tests/abi/run compiles it as
 * each. */
#include <gauntlet/plugin.h>

typedef struct thing {
    const gnt_host *host;
    double real, strength;
    int64_t whole, steps, flag, choice;
    const char *text, *model, *required;
    gnt_list wholes, reals;
    struct inner {
        int64_t whole;
        double real;
    } inner;
    float *room;
} thing;

static const char *const choices[] = {"one", "two", NULL};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(thing, strength, 0, 1, 0.5, GNT_SCALE_COMPLEMENT, 1, "", "help"),
    GNT_REAL(thing, real, 1e-6, 100, 1, GNT_SCALE_LOG, "seconds", "help"),
    GNT_INT(thing, whole, -3, 1000, 7, "steps", "help"),
    GNT_BOOL(thing, flag, 1, "help"),
    GNT_CHOICE(thing, choice, choices, "two", "help"),
    GNT_TEXT(thing, text, "", "help"),
    GNT_MODEL(thing, model, "", "help"),
    GNT_MODEL(thing, required, NULL, "help"),
    GNT_INT_LIST(thing, wholes, 0, 9, "[1, 2]", "neurons", "help"),
    GNT_REAL_LIST(thing, reals, 0, 1, "[]", "", "help"),
    GNT_INT_ID("inner_whole", thing, inner.whole, 0, 9, 1, "", "help"),
    GNT_REAL_ID("inner_real", thing, inner.real, 0, 9, 1, GNT_SCALE_LINEAR, "", "help"),
};
static const gnt_parameter others[] = {
    GNT_STRENGTH_INT(thing, steps, 1, 9, 1, GNT_SCALE_LINEAR, -1, "", "help"),
};

static gnt_status start(void *self) {
    thing *t = (thing *)self;
    double uniform;
    float normal, laplace;
    gnt_host_uniform(t->host, "a", 1, &uniform);
    gnt_host_normal(t->host, "b", 1, &normal);
    gnt_host_laplace(t->host, "c", 1, &laplace);
    gnt_host_log(t->host, GNT_LOG_INFO, gnt_host_last_error(t->host));
    gnt_host_progress(t->host, 0, 1);
    gnt_host_fact(t->host, "drawn", uniform + (double)normal + (double)laplace);
    t->room =
        (float *)gnt_host_scratch(t->host, 1 + (int64_t)gnt_host_below(t->host, "d", 9), sizeof *t->room);
    if (!t->room || !gnt_host_extension(t->host, GNT_EXTENSION_MODELS, 1))
        return gnt_host_fail(t->host, "no memory for the room");
    return gnt_host_should_stop(t->host) ? GNT_STOPPED : GNT_OK;
}

static void stop(void *self) {
    (void)self;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    (void)self, (void)seen, (void)own;
    gnt_answer_ended(answer, GNT_ENDED_BUDGET, 1);
    return GNT_OK;
}

#ifdef __cplusplus
static const gnt_defense hooks = {sizeof hooks, 0,    NULL, NULL, NULL, NULL, NULL, NULL,
                                  NULL,         NULL, NULL, NULL, NULL, NULL, NULL};
#else
static const gnt_defense hooks = {.size = sizeof hooks};
#endif
static const gnt_attack attack_hooks = {sizeof attack_hooks, 0, NULL, run, NULL};

static const gnt_descriptor defense = {GNT_DEFENSE("thing", "1.0", "a line", "MIT", ""),
                                       GNT_PARAMETERS(parameters),
#ifdef __cplusplus
                                       GNT_SCOPE_NONE,
                                       GNT_SURFACE_ANY,
                                       0,
                                       0,
                                       0,
                                       GNT_KIND_ANY,
                                       0,
                                       NULL,
                                       NULL,
                                       NULL,
                                       &hooks,
                                       NULL,
                                       NULL,
                                       GNT_INSTANCE(thing),
                                       start,
                                       stop,
                                       GNT_IF_LOCAL_STEPS,
                                       0,
                                       0,
                                       0
#else
                                       .surfaces = GNT_SURFACE_ANY,
                                       .data_kinds = GNT_KIND_ANY,
                                       .defense = &hooks,
                                       .instance_size = GNT_INSTANCE(thing),
                                       .start = start,
                                       .stop = stop,
                                       .conditions = GNT_IF_LOCAL_STEPS
#endif
};

static const gnt_descriptor attack = {GNT_ATTACK("other", "1.0", "a line", "MIT", ""),
                                      GNT_PARAMETERS(others),
                                      GNT_SCOPE_NONE,
                                      GNT_SURFACE_ANY,
                                      GNT_GOAL_LABEL,
                                      0,
                                      GNT_KNOWS_LABELS,
                                      GNT_KIND_ANY,
                                      0,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      &attack_hooks,
                                      NULL,
                                      GNT_INSTANCE(thing),
                                      NULL,
                                      NULL,
                                      0,
                                      0,
                                      0,
                                      2};

static const gnt_descriptor *const descriptors[] = {&defense, &attack};
GNT_DEFINE_ENTRY_LIST(descriptors, 2)
