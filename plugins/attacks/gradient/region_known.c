/* region-known: the sensitive region alone, where the rest of the image is known.
 *
 * Whoever has the form, or the document before it was filled in, has all of the image but the region. The
 * unknowns are the pixels inside the mask; all others stay as they were granted. Search and cost are those of
 * dlg-whitened, or with `cost` plain its cost as by an attacker who takes all layers alike and knows of no
 * clip. The search begins at the mean of public images, where they are granted, else at grey. */
#include <stdlib.h>
#include <string.h>

#include "gradient.h"
#include "likely_search.h"
#include "region.h"

enum { REGION_COST = LIKELY_COMMON };
enum { COST_WHITENED, COST_PLAIN };

static gnt_status bind_region(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    known_region region;
    gnt_status status = known_region_open(&region, host, seen);
    if (status != GNT_OK)
        return status;
    host->fact(host->context, "pixels_sought", (double)region.sought);
    s->known = region.known;
    s->given = region.image;
    s->begin = region.image;
    return GNT_OK;
}

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    invert *self = context;
    search s = {.answer = answer};
    public_images images;
    const int plain = self->value[REGION_COST].i == COST_PLAIN;
    (void)own;
    /* who is granted the defense has to adapt to count as an attack that knows it */
    if (plain && (seen->granted & GNT_KNOWS_DEFENSE))
        return match_refuse(
            self->host, "cost is \"plain\", as by an attacker who does not know of the layers' noise, but "
                        "the defense is granted: leave that grant out, or take \"whitened\"");
    gnt_status status = likely_search_open(&s, self, seen, plain ? DATA_PLAIN : DATA_WHITENED, &images);
    if (status == GNT_OK)
        status = bind_region(&s, seen);
    if (status == GNT_OK)
        status = likely_search_run(&s, seen);
    if (status != GNT_OK)
        return status;
    answer->chosen(answer->context, s.chosen, s.least);
    return answer->reconstruction(answer->context, s.n, s.winner);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const char *const costs[] = {"whitened", "plain", NULL};

static const gnt_parameter parameters[] = {
    LIKELY_ROWS,
    {.id = "cost",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "whitened",
     .choices = costs,
     .help = "whitened: each layer by its own noise, clipped; plain: all layers alike"},
};

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
