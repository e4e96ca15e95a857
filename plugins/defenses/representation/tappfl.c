/* tappfl: a representation that keeps as much as it can of the sample and as little as it can of an attribute
 * (Arroyo Arevalo et al., Task-Agnostic Privacy-Preserving Representation Learning for Federated Learning
 * Against Attribute Inference Attacks, AAAI 2024).
 *
 * Each device trains three networks: the extractor f, which alone is shared; g, which infers the attribute
 * from the representation; and h, which distinguishes the sample of a representation from another with the
 * same value. No label enters. Line 18 of Algorithm 1 prints +λ·CE, by which f would help g; Eq. 7 has the
 * sign that hides, and is the default. */
#include "representation.h"

static gnt_status start(void *self) {
    extractor *e = self;
    e->setting.build = tappfl_objective;
    e->setting.sign = e->printed ? 1 : -1;
    return GNT_OK;
}

static const char *const signs[] = {"hiding", "printed", NULL};
static const char *const families[] = {"tappfl", NULL};

static const gnt_parameter parameters[] = {
    REPRESENTATION_ROWS,
    GNT_CHOICE_ID("sign", extractor, printed, signs, "hiding",
                  "hiding: f raises g's loss (Eq. 7); printed: it lowers it (line 18 of Algorithm 1)"),
};

const gnt_descriptor tappfl_descriptor = {
    GNT_DEFENSE(
        "tappfl", "1.0",
        "trains an extractor whose representation hides an attribute and keeps the rest, without labels",
        "MIT", "TAPPFL, AAAI 2024, Algorithm 1"),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_REPRESENTATION | GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_IMAGE | GNT_KIND_TABULAR,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .conditions = GNT_IF_LOCAL_STEPS | GNT_IF_HIDES,
    .defense = &representation_hooks,
    .instance_size = GNT_INSTANCE(extractor),
    .start = start,
    .stop = extractor_stop,
};
