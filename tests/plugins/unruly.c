/* unruly: a defense that never comes back, and one that takes more memory than it may have. */
#include <stdlib.h>
#include <string.h>
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

static gnt_status endless(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    for (int i = 0; i >= 0;) /* deaf, but not busy: tests share their machine */
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    return GNT_OK;
}

static gnt_status hoards(void *self, const gnt_client *client, gnt_tensors *update) {
    enum { BLOCKS = 400, BLOCK = 1 << 20 };
    const gnt_host *host = ((plugin *)self)->host;
    void **block = calloc(BLOCKS, sizeof *block);
    (void)client, (void)update;
    for (int i = 0; block && i < BLOCKS; i++)
        if ((block[i] = malloc(BLOCK)))
            memset(block[i], 1, BLOCK);
    for (int i = 0; i < 30 && !host->should_stop(host->context); i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* long enough to be seen */
    for (int i = 0; block && i < BLOCKS; i++)
        free(block[i]);
    free(block);
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

static const gnt_descriptor descriptors[] = {DEFENSE("endless", endless), DEFENSE("hoards", hoards)};

static const gnt_descriptor *at(int32_t index) {
    return index >= 0 && index < 2 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {
        GNT_ABI_MAGIC, sizeof entry, GNT_ABI_MAJOR, GNT_ABI_MINOR, sizeof(void *), "", 2, 0, at};
    return &entry;
}
