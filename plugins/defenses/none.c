/* none: the plain behaviour, without any defense. What every other defense is compared with. */
#include "gauntlet/plugin.h"

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    return (void *)(uintptr_t)host; /* there is nothing to keep; any address but NULL will do */
}

static void destroy(void *self) {
    (void)self;
}

static const gnt_defense hooks = {.size = sizeof hooks};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "none",
    .version = "1.0",
    .line = "no defense: clients share what they computed",
    .licence = "MIT",
    .citation = "",
    .surfaces =
        GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING | GNT_SURFACE_REPRESENTATION | GNT_SURFACE_TRANSCRIPT,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = destroy,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
