/* default_outside: a parameter whose default lies outside its own range, which no run may be started with. */
#include "gauntlet/plugin.h"

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)host, (void)values;
    return (void *)0;
}

static void destroy(void *self) {
    (void)self;
}

static const gnt_parameter parameters[] = {{.id = "share",
                                            .type = GNT_TYPE_REAL,
                                            .unit = "",
                                            .least = 0,
                                            .most = 1,
                                            .preset = 90,
                                            .help = "not a per cent"}};
static const gnt_defense hooks = {.size = sizeof hooks};
static const gnt_descriptor descriptor = {.size = sizeof descriptor,
                                          .kind = GNT_PLUGIN_DEFENSE,
                                          .id = "default-outside",
                                          .version = "1.0",
                                          .line = "a test's defense with a default outside its range",
                                          .licence = "MIT",
                                          .citation = "",
                                          .parameters = parameters,
                                          .n_parameters = 1,
                                          .surfaces = GNT_SURFACE_UPDATE,
                                          .data_kinds = GNT_KIND_ANY,
                                          .create = create,
                                          .destroy = destroy,
                                          .defense = &hooks};

GNT_DEFINE_ENTRY(descriptor)
