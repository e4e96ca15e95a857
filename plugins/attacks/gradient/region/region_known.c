/* region-known: reconstructs the sensitive region alone, where the rest of the image is known.
 *
 * An attacker who has the blank form, or the document before it was filled in, has all of the image but the
 * region. The unknowns are the pixels inside the mask; all others stay as they were granted. Search and
 * cost are those of dlg-whitened, or with `cost` plain those of an attacker who takes all layers alike and
 * ignores clipping. The search begins at the mean of public images if they are granted, else at grey. */

#include "gauntlet/plugin.h"
#include "region/region_search.h"
#include "hook.h"

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    search s = {.answer = answer};
    public_images images;
    (void)own;
    TRY(region_search(&s, context, seen, &images));
    answer->chosen(answer->context, s.chosen, s.least);
    return answer->reconstruction(answer->context, s.n, s.winner);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

const gnt_descriptor gradient_region_known = {
    GNT_ATTACK("region-known", "1.0", "searches the sensitive region of an image whose rest is known", "MIT",
               ""),
    LIKELY_COMMON,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_REGION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_IMAGE,
    .attack = &hooks};
