/* deaf: defenses that do not stop on request: one never polls should_stop, one polls and goes on. */
#include <stdlib.h>
#include <time.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static void destroy(void *self) {
    free(self);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gnt_status never_polls(void *self, const gnt_client *client, gnt_tensors *update) {
    const double from = now();
    (void)self, (void)client, (void)update;
    while (now() < from + 1.3)
        ;
    return GNT_OK;
}

static gnt_status polls_and_goes_on(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *host = ((plugin *)self)->host;
    const double from = now();
    (void)client, (void)update;
    while (now() < from + 1.3)
        host->should_stop(host->context);
    return GNT_OK;
}

#define DEFENSE(name, function)                                                                              \
    {                                                                                                        \
        .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .id = name, .version = "1.0",            \
        .line = "a test's unruly defense", .licence = "MIT", .citation = "", .surfaces = GNT_SURFACE_UPDATE, \
        .data_kinds = GNT_KIND_TABULAR, .create = create, .destroy = destroy,                                \
        .defense = &(const gnt_defense) {                                                                    \
            .size = sizeof(gnt_defense), .transform_update = function                                        \
        }                                                                                                    \
    }

static const gnt_descriptor descriptors[] = {DEFENSE("never-asks", never_polls),
                                             DEFENSE("asks-and-goes-on", polls_and_goes_on)};

static const gnt_descriptor *at(int32_t index) {
    return index >= 0 && index < 2 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {
        GNT_ABI_MAGIC, sizeof entry, GNT_ABI_MAJOR, GNT_ABI_MINOR, sizeof(void *), "", 2, 0, at};
    return &entry;
}
