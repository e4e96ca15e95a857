/* bad_defense: a defense that does one forbidden thing, named by `how`, from its first hook on; "nothing" and
 * it is a sound one that leaves updates as they are. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "gauntlet/plugin.h"

typedef enum way {
    NOTHING,
    NAN_UPDATE,
    INFINITE_UPDATE,
    CHANGE_SAMPLES,
    CHANGE_WEIGHTS,
    CRASH,
    CRASH_IN_PREPARE,
    HANG,
    EXIT
} way;

static const char *const ways[] = {"nothing",        "nan",   "infinite",         "change-samples",
                                   "change-weights", "crash", "crash-in-prepare", "hang",
                                   "exit",           NULL};

typedef struct plugin {
    const gnt_host *host;
    way how;
} plugin;

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const int64_t one = 1;
    const float value = 1;
    (void)in;
    if (((plugin *)self)->how == CRASH_IN_PREPARE)
        abort();
    return out->tensor(out->context, "nothing", 1, &one, &value);
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    switch (((plugin *)self)->how) {
    case NAN_UPDATE:
        update->tensor[0].data[0] = NAN;
        break;
    case INFINITE_UPDATE:
        update->tensor[update->n - 1].data[0] = INFINITY;
        break;
    case CHANGE_SAMPLES: /* what it was given to read: the truth itself, made grey */
        for (int64_t i = 0; i < client->samples->n * client->samples->features; i++)
            ((float *)(uintptr_t)client->samples->x)[i] = 0.5f;
        break;
    case CHANGE_WEIGHTS:
        ((float *)(uintptr_t)client->weights)[0] += 1;
        break;
    case CRASH:
        abort();
    case HANG:
        for (;;) /* deaf, but not busy: tests share their machine */
            nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    case EXIT:
        exit(0);
    default:
        break;
    }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = calloc(1, sizeof *p);
    if (p)
        *p = (plugin){host, (way)values[0].i};
    return p;
}

static const gnt_defense hooks = {
    .size = sizeof hooks, .prepare = prepare, .transform_update = transform_update};

static const gnt_parameter parameters[] = {
    {.id = "how",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "nothing",
     .choices = ways,
     .help = "what it does wrong"},
};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "bad-defense",
    .version = "1.0",
    .line = "a test's defense that does one forbidden thing",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = 1,
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
