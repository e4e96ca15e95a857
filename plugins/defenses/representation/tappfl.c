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

static const char *const optimizers[] = {"sgd", "adam", NULL};
static const char *const networks[] = {"printed", "program", NULL};
static const char *const pretrained[] = {"kept", "attribute", NULL};
static const char *const begins[] = {"kept", "pretrained", NULL};
static const char *const independent[] = {"value", "next", NULL};
static const char *const signs[] = {"hiding", "printed", NULL};
static const char *const families[] = {"tappfl", NULL};

static const gnt_parameter parameters[] = {
    REPRESENTATION_ROWS,
    GNT_CHOICE_ID("sign", extractor, printed, signs, "hiding",
                  "hiding: f raises g's loss (Eq. 7); printed: it lowers it (line 18 of Algorithm 1)"),
    GNT_CHOICE_ID(
        "networks", extractor, setting.of_program, networks, "printed",
        "g and h as Table 3 prints them, or with batch norm and two towers, as in the authors' program"),
    GNT_CHOICE_ID("optimizer", extractor, setting.adam, optimizers, "sgd",
                  "of f, g and h; adam, whose averages start at 0 in each round, is the program's"),
    GNT_REAL_ID("decay", extractor, setting.decay, 0, 1, 0, GNT_SCALE_LINEAR, "",
                "L2 weight decay of f, g and h; the program has 0.0001"),
    GNT_CHOICE_ID(
        "pretrain_on", extractor, setting.by_attribute, pretrained, "kept",
        "what `pretrain` trains: kept, f and h with λ = 0; attribute, f and g to infer the attribute, as "
        "in the program"),
    GNT_CHOICE_ID("side_begins", extractor, setting.as_pretrained, begins, "kept",
                  "how g and h begin a round: kept from the last, or as after `pretrain`, as in the program"),
    GNT_CHOICE_ID("independent", extractor, setting.next, independent, "value",
                  "x̄: another sample with the same value, or the next of the batch, as in the program"),
};

const gnt_descriptor tappfl_descriptor = {
    GNT_DEFENSE(
        "tappfl", "1.1",
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
