/* tappfl: a representation that tells as much as it can of the sample and as little as it can of an attribute
 * (Arroyo Arevalo et al., Task-Agnostic Privacy-Preserving Representation Learning for Federated Learning
 * Against Attribute Inference Attacks, AAAI 2024).
 *
 * Each device trains three networks: the extractor f, which alone is shared; g, which tells the attribute
 * from the representation; and h, which tells a sample that belongs to a representation from another that has
 * the same value. No label enters. Line 18 of Algorithm 1 prints +λ·CE, by which f would help g; Eq. 7 has
 * the sign that hides, and is the default. */
#include "representation.h"

enum { SIGN = REPRESENTATION_COMMON };

static void *create(const gnt_host *host, const gnt_value *v) {
    const extractor_setting setting = representation_setting(v, tappfl_objective, v[SIGN].i == 0 ? -1 : 1);
    return extractor_new(host, &setting);
}

static const char *const signs[] = {"hiding", "printed", NULL};
static const char *const families[] = {"tappfl", NULL};

static const gnt_parameter parameters[] = {
    REPRESENTATION_ROWS,
    {.id = "sign",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "hiding",
     .choices = signs,
     .help = "hiding: f raises g's loss (Eq. 7); printed: it lowers it (line 18 of Algorithm 1)"},
};

const gnt_descriptor tappfl_descriptor = {
    .size = sizeof tappfl_descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "tappfl",
    .version = "1.0",
    .line = "trains an extractor whose representation hides an attribute and keeps the rest, without labels",
    .licence = "MIT",
    .citation = "TAPPFL, AAAI 2024, Algorithm 1",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_REPRESENTATION | GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_IMAGE | GNT_KIND_TABULAR,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = extractor_free,
    .defense = &representation_hooks,
};
