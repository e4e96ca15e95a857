/* dlg-whitened: the input whose update, clipped layer by layer, is the likeliest behind the noise of each
 * layer.
 *
 * FedRE moves noise between the layers of an update: those that show the sensitive region get more, the
 * others less. A distance that takes all layers alike is drowned by the first. This one minimises
 *
 *     Σ_l ‖clip_l(u_l(x)) − o_l‖² / (2·s_l²) + tv·Σ|d|/β
 *
 * over images x, with the labels where they are not granted; d: differences of neighbours, β: their mean size
 * (of public images where granted). C_l and s_l are whitening.h's. Where no layer has noise, and with `cost`
 * plain anyway, it is the squared distance of DLG. What earlier rounds showed of the same samples (history)
 * joins the sum, each round with its own noise. Source of a likelihood in place of a distance: Balunović,
 * Dimitrov, Staab and Vechev, Bayesian Framework for Gradient Leakage, ICLR 2022. */
#include "gauntlet/plugin.h"
#include "search/chosen.h"
#include "search/likely_search.h"

CHOSEN_RUN("dlg-whitened")

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

const gnt_descriptor gradient_dlg_whitened = {
    GNT_ATTACK("dlg-whitened", "1.2",
               "searches the input whose clipped update is the likeliest, each layer by its own noise", "MIT",
               "Balunović, Dimitrov, Staab and Vechev, Bayesian Framework for Gradient Leakage, ICLR 2022"),
    LIKELY_COMMON(likely_families),
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .attack = &hooks};
