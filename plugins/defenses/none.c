/* none: the plain behaviour, without any defense. What every other defense is compared with. */
#include "gauntlet/plugin.h"

static const gnt_defense hooks = {.size = sizeof hooks};
static const gnt_descriptor descriptor = {
    GNT_DEFENSE("none", "1.0", "no defense: clients share what they computed", "MIT", ""), .defense = &hooks,
    .surfaces = GNT_SURFACE_ANY, .data_kinds = GNT_KIND_ANY, .instance_size = sizeof(const gnt_host *)};

GNT_DEFINE_ENTRY(descriptor)
