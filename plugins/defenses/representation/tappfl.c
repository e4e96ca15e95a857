/* tappfl: a representation that tells as much as it can of the sample and as little as it can of an attribute
 * (Arroyo Arevalo et al., Task-Agnostic Privacy-Preserving Representation Learning for Federated Learning
 * Against Attribute Inference Attacks, AAAI 2024).
 *
 * Each device trains three networks: the extractor f, which alone is shared; g, which tells the attribute
 * from the representation; and h, which tells a sample that belongs to a representation from another that has
 * the same value. No label enters. Line 18 of Algorithm 1 prints +λ·CE, by which f would help g; Eq. 7 has
 * the sign that hides, and is the default. */
#include "representation.h"

enum { LAMBDA, PRETRAIN, SIDE_RATE, WIDTH, SIGN };

static void *create(const gnt_host *host, const gnt_value *v) {
    const extractor_setting setting = {.build = tappfl_objective,
                                       .lambda = v[LAMBDA].r,
                                       .sign = v[SIGN].i == 0 ? -1 : 1,
                                       .pretrain = (int32_t)v[PRETRAIN].i,
                                       .rate = v[SIDE_RATE].r,
                                       .width = v[WIDTH].r};
    return extractor_new(host, &setting);
}

static const gnt_defense hooks = {.size = sizeof hooks,
                                  .client_update = extractor_client_update,
                                  .save = extractor_save,
                                  .load = extractor_load};

static const char *const signs[] = {"hiding", "printed", NULL};
static const char *const families[] = {"tappfl", NULL};

static const gnt_parameter parameters[] = {
    {.id = "lambda",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 0.5,
     .strength = 1,
     .help = "λ: how much hiding the attribute counts against keeping the rest, 0 to 1"},
    {.id = "pretrain",
     .type = GNT_TYPE_INT,
     .unit = "rounds",
     .least = 0,
     .most = 1000000,
     .preset = 0,
     .help = "first rounds, in which λ is 0; the paper pretrains the extractor for \"high utility\""},
    {.id = "side_rate",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 10,
     .preset = 0,
     .help = "learning rate of g and h; 0: that of the clients, as in the paper"},
    {.id = "width",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0.001,
     .most = 4,
     .preset = 1,
     .help = "how wide the layers of g and h are; 1: as published"},
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
    .defense = &hooks,
};
