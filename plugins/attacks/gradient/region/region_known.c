/* region-known: reconstructs the sensitive region alone, where the rest of the image is known.
 *
 * An attacker who has the blank form, or the document before it was filled in, has all of the image but the
 * region. The unknowns are the pixels inside the mask; all others stay as they were granted. Search and
 * cost are those of dlg-whitened, or with `cost` plain those of an attacker who takes all layers alike and
 * ignores clipping. Of a granted pixel-noise it takes the noise off what it found (region_denoise.h). The
 * search begins at the mean of public images if they are granted, else at grey. */

#include <string.h>

#include "gauntlet/plugin.h"
#include "region/known_region.h"
#include "region/region_denoise.h"
#include "search/chosen.h"
#include "search/likely_search.h"
#include "shared/by_name.h"
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

/* Where the noise is in the region's pixels, the search finds them with it. */
gnt_status region_run(search *s, const gnt_observation *seen) {
    TRY(likely_run(s, seen));
    const int noisy = seen->defense && strcmp(seen->defense, "pixel-noise") == 0;
    const gnt_value *sigma = noisy ? value_of(seen->defense_values, seen->n_defense_values, "sigma") : NULL;
    return sigma ? region_denoise(s->self->host, seen, sigma->r, s->winner) : GNT_OK;
}

CHOSEN_RUN("region-known")

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

const gnt_descriptor gradient_region_known = {
    GNT_ATTACK("region-known", "1.2", "searches the sensitive region of an image whose rest is known", "MIT",
               ""),
    LIKELY_COMMON(region_families),
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_REGION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_IMAGE,
    .attack = &hooks};
