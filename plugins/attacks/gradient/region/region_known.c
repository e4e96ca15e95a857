/* region-known: reconstructs the sensitive region alone, where the rest of the image is known.
 *
 * An attacker who has the blank form, or the document before it was filled in, has all of the image but the
 * region. The unknowns are the pixels inside the mask; all others stay as they were granted. Search and
 * cost are those of dlg-whitened, or with `cost` plain those of an attacker who takes all layers alike and
 * ignores clipping. The search begins at the mean of public images if they are granted, else at grey. */

#include "gauntlet/plugin.h"
#include "region/known_region.h"
#include "search/chosen.h"
#include "search/likely_search.h"
#include "hook.h"

gnt_status region_bind(search *s, const gnt_observation *seen, const granted_defense *granted) {
    const gnt_host *host = s->self->host;
    known_region region;
    TRY(likely_bind(s, seen, granted));
    TRY(known_region_open(&region, host, seen));
    gnt_host_fact(host, "pixels_sought", (double)region.sought);
    s->known = region.known;
    s->given = region.image;
    s->begin = region.image;
    return GNT_OK;
}

CHOSEN_RUN("region-known")

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

const gnt_descriptor gradient_region_known = {
    GNT_ATTACK("region-known", "1.1", "searches the sensitive region of an image whose rest is known", "MIT",
               ""),
    LIKELY_COMMON(likely_families),
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_REGION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_IMAGE,
    .attack = &hooks};
