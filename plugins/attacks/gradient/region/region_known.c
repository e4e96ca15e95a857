/* region-known: the sensitive region alone, where the rest of the image is known.
 *
 * Whoever has the form, or the document before it was filled in, has all of the image but the region. The
 * unknowns are the pixels inside the mask; all others stay as they were granted. Search and cost are those of
 * dlg-whitened, or with `cost` plain its cost as by an attacker who takes all layers alike and knows of no
 * clip. The search begins at the mean of public images, where they are granted, else at grey. */
#include <stdlib.h>

#include "gradient.h"
#include "region/region_search.h"

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    search s = {.answer = answer};
    public_images images;
    (void)own;
    gnt_status status = region_search(&s, context, seen, &images);
    if (status != GNT_OK)
        return status;
    answer->chosen(answer->context, s.chosen, s.least);
    return answer->reconstruction(answer->context, s.n, s.winner);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_parameter parameters[] = {LIKELY_ROWS};

/* Plugins, not families: what it makes of the grant are their parameters. */
static const char *const families[] = {"fedre", "uniform", "dp-gaussian", "dp-laplace", "clip", NULL};

const gnt_descriptor gradient_region_known = {
    .size = sizeof(gnt_descriptor),
    .kind = GNT_PLUGIN_ATTACK,
    .id = "region-known",
    .version = "1.0",
    .line = "searches the sensitive region of an image whose rest is known",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .families = families,
    .needs = GNT_KNOWS_REGION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_IMAGE,
    .flags = GNT_FLAG_RANDOMISED,
    .create = likely_search_create,
    .destroy = free,
    .attack = &hooks,
};
