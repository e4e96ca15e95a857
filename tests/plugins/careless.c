/* careless: plugins with one fault each, in their defaults, so that each check of `gauntlet vet` has
 * something to find. The id of each is the fault. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
    double value;
    int n_served;
} plugin;

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = calloc(1, sizeof *p);
    if (p) {
        p->host = host;
        p->value = values ? values[0].r : 0;
    }
    return p;
}

static void *refuse(const gnt_host *host, const gnt_value *values) {
    (void)values;
    host->fail(host->context, "it does not like its own defaults");
    return NULL;
}

static void destroy(void *self) {
    free(self);
}

/* ---- hooks ---- */

static gnt_status crashes(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    abort();
}

static gnt_status gives_nothing(void *self, const gnt_client *client, int64_t epoch,
                                const gnt_samples_sink *out) {
    (void)self, (void)client, (void)epoch, (void)out;
    return GNT_OK;
}

static gnt_status answers_nothing(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                  const gnt_answer *answer) {
    (void)self, (void)seen, (void)own, (void)answer;
    return GNT_OK;
}

/* Says that the budget ended a search that took one step. */
static gnt_status gives_up(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                           const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float *scores = gnt_host_scratch(host, seen->n * seen->classes, sizeof *scores);
    (void)own;
    if (!scores)
        return gnt_host_fail(host, "no memory for scores");
    gnt_answer_ended(answer, GNT_ENDED_BUDGET, 1);
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static gnt_status save_once(void *self, int32_t client, const gnt_sink *out) {
    const int64_t one = 1;
    const float value = (float)((plugin *)self)->value++;
    (void)client;
    return out->tensor(out->context, "value", 1, &one, &value);
}

static gnt_status load_nothing(void *self, int32_t client, const gnt_artefacts *state) {
    (void)self, (void)client, (void)state;
    return GNT_OK;
}

/* ---- edges ---- */

static gnt_status fails_at_most(void *self, const gnt_client *client, gnt_tensors *update) {
    const plugin *p = self;
    (void)client, (void)update;
    return p->value < 10 ? GNT_OK : p->host->fail(p->host->context, "ten is too much");
}

/* ---- repeats, random, instances ---- */

static gnt_status reads_clock(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    update->tensor[0].data[0] = (float)(time(NULL) % 100000);
    return GNT_OK;
}

static gnt_status reads_address(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)client;
    update->tensor[0].data[0] = (float)((uintptr_t)self >> 12 & 0xffffff);
    return GNT_OK;
}

static gnt_status does_nothing(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    return GNT_OK;
}

static gnt_status adds_noise(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *host = ((plugin *)self)->host;
    (void)client;
    host->normal(host->context, "noise", 1, update->tensor[0].data);
    return GNT_OK;
}

static gnt_status counts_calls(void *self, const gnt_client *client, gnt_tensors *update) {
    static int calls; /* outside the instance */
    (void)self, (void)client;
    update->tensor[0].data[0] = (float)++calls;
    return GNT_OK;
}

/* ---- clients ---- */

static gnt_status scales_by_count(void *self, const gnt_client *client, gnt_tensors *update) {
    plugin *p = self; /* in the instance, which serves all clients */
    (void)client;
    update->tensor[0].data[0] *= (float)++p->n_served;
    return GNT_OK;
}

/* ---- inputs ---- */

static gnt_status writes_samples(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)update;
    ((float *)(uintptr_t)client->samples->x)[3] = 0.5f;
    return GNT_OK;
}

static gnt_status writes_weights(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    ((float *)(uintptr_t)in->old_weights)[0] = 0; /* even where it was zero already */
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    return GNT_OK;
}

static gnt_status writes_update(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                const gnt_answer *answer) {
    (void)self, (void)own;
    float *scores = calloc((size_t)(seen->n * seen->classes), sizeof *scores);
    ((float *)(uintptr_t)seen->update->view[0].data)[0] = 1;
    gnt_status status = answer->labels(answer->context, seen->n, seen->classes, scores);
    free(scores);
    return status;
}

static gnt_status writes_artefact(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)update;
    ((float *)(uintptr_t)client->artefacts->tensors.view[0].data)[0] = 2;
    return GNT_OK;
}

static gnt_status prepares(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const int64_t one = 1;
    (void)self;
    return out->tensor(out->context, "made", 1, &one, in->weights);
}

/* ---- finite ---- */

static gnt_status gives_nan(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    update->tensor[0].data[1] = NAN;
    return GNT_OK;
}

static gnt_status answers_infinity(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                   const gnt_answer *answer) {
    (void)self, (void)own;
    float *scores = calloc((size_t)(seen->n * seen->classes), sizeof *scores);
    scores[1] = INFINITY;
    gnt_status status = answer->labels(answer->context, seen->n, seen->classes, scores);
    free(scores);
    return status;
}

/* ---- memory ---- */

static void *volatile kept;

static gnt_status keeps_memory(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    kept = malloc(40); /* and nobody knows the one before */
    return GNT_OK;
}

/* ---- leaves ---- */

static void *sleeps(void *nothing) {
    for (;;) /* deaf, but not busy: tests share their machine */
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    return nothing;
}

static gnt_status leaves_thread(void *self, const gnt_client *client, gnt_tensors *update) {
    pthread_t thread;
    (void)self, (void)client, (void)update;
    if (pthread_create(&thread, NULL, sleeps, NULL) == 0)
        pthread_detach(thread);
    return GNT_OK;
}

static gnt_status leaves_process(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    if (fork() == 0)
        sleeps(NULL);
    return GNT_OK;
}

static gnt_status leaves_file(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    return open("/etc/ld.so.cache", O_RDONLY) >= 0 ? GNT_OK : GNT_UNSUPPORTED;
}

/* ---- descriptors ---- */

static const gnt_parameter value[] = {{.id = "value",
                                       .type = GNT_TYPE_REAL,
                                       .unit = "",
                                       .least = 0,
                                       .most = 10,
                                       .preset = 1,
                                       .help = "ten is its edge"}};

#define SHARED(name)                                                                                         \
    .size = sizeof(gnt_descriptor), .id = name, .version = "1.0", .line = "a test's careless plugin",        \
    .licence = "MIT", .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_TABULAR,        \
    .destroy = destroy
#define HOOKS(...)                                                                                           \
    .kind = GNT_PLUGIN_DEFENSE, .defense = &(const gnt_defense) {                                            \
        .size = sizeof(gnt_defense), __VA_ARGS__                                                             \
    }
#define DEFENSE(name, ...)                                                                                   \
    { SHARED(name), .create = create, HOOKS(__VA_ARGS__) }
#define ATTACK(name, wants, function)                                                                        \
    {                                                                                                        \
        SHARED(name), .create = create, .kind = GNT_PLUGIN_ATTACK, .goals = wants,                           \
                      .attack = &(const gnt_attack) {                                                        \
            .size = sizeof(gnt_attack), .run = function                                                      \
        }                                                                                                    \
    }

static const gnt_descriptor descriptors[] = {
    DEFENSE("crashes", .transform_update = crashes),
    {SHARED("refuses-defaults"), .create = refuse, HOOKS(.transform_update = adds_noise)},
    DEFENSE("gives-nothing", .encode_set = gives_nothing),
    ATTACK("answers-nothing", GNT_GOAL_LABEL, answers_nothing),
    ATTACK("gives-up", GNT_GOAL_LABEL, gives_up),
    DEFENSE("forgets-state", .save = save_once, .load = load_nothing),
    {SHARED("fails-at-most"), .create = create, .parameters = value, .n_parameters = 1,
     HOOKS(.transform_update = fails_at_most)},
    DEFENSE("reads-clock", .transform_update = reads_clock),
    DEFENSE("reads-address", .transform_update = reads_address),
    DEFENSE("undeclared-noise", .transform_update = adds_noise),
    {SHARED("declared-noise"), .create = create, .flags = GNT_FLAG_RANDOMISED,
     HOOKS(.transform_update = does_nothing)},
    DEFENSE("counts-calls", .transform_update = counts_calls),
    DEFENSE("scales-by-count", .transform_update = scales_by_count),
    DEFENSE("writes-samples", .transform_update = writes_samples),
    DEFENSE("writes-weights", .aggregate = writes_weights),
    {SHARED("writes-artefact"), .create = create, .scope = GNT_SCOPE_TASK,
     HOOKS(.prepare = prepares, .transform_update = writes_artefact)},
    ATTACK("writes-update", GNT_GOAL_LABEL, writes_update),
    DEFENSE("gives-nan", .transform_update = gives_nan),
    ATTACK("answers-infinity", GNT_GOAL_LABEL, answers_infinity),
    DEFENSE("keeps-memory", .transform_update = keeps_memory),
    DEFENSE("leaves-thread", .transform_update = leaves_thread),
    DEFENSE("leaves-process", .transform_update = leaves_process),
    DEFENSE("leaves-file", .transform_update = leaves_file),
};

static const gnt_descriptor *at(int32_t index) {
    return index >= 0 && (size_t)index < sizeof descriptors / sizeof *descriptors ? &descriptors[index]
                                                                                  : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    sizeof entry,
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    sizeof(void *),
                                    "",
                                    (int32_t)(sizeof descriptors / sizeof *descriptors),
                                    0,
                                    at};
    return &entry;
}
