/* dlg and idlg: deep leakage from gradients, with the label searched along with the image, or inferred
 * first.
 *
 * Sources: Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019; Zhao, Mopuri and Bilen, iDLG, 2020.
 * The reference settings have no line search: most of their failures are jumps of L-BFGS to where every
 * sigmoid is saturated and no gradient leads back. The default therefore refuses steps that raise the cost
 * (by more than rounding does near a match), and restarts if the search stagnates far from one; it also
 * takes more inner iterations, and a prior if the update does not determine the image (guarded.c). Mode
 * "reference" does none of this (reference.c). */
#include <stdio.h>
#include <string.h>

#include "dlg.h"
#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "defense/survivors.h"

static const char *const modes[] = {"guarded", "reference", NULL};

static const gnt_parameter parameters[] = {
    GNT_CHOICE_ID("mode", dlg, reference, modes, "guarded",
                  "reference: as published: rate 1, 20 inner iterations, history 100, no guard, no restarts"),
    GNT_INT(dlg, steps, 1, 1000000, 300, "outer steps",
            "outer steps of L-BFGS, all restarts together, where the suite gives no budget"),
    GNT_INT(dlg, inner, 1, 1000, 40, "iterations",
            "iterations of L-BFGS in an outer step; where the gradient is faint more of them help"),
    GNT_INT(dlg, history, 1, 1000, 100, "pairs", "steps that L-BFGS remembers"),
    GNT_REAL(dlg, rate, 1e-6, 100, 1, GNT_SCALE_LOG, "",
             "length of a step, in units of the quasi-Newton step"),
    GNT_REAL(dlg, guard, 0, 1000, 1.1, GNT_SCALE_LINEAR, "",
             "a step is halved while it leaves more than this multiple of the cost before; 0: never"),
    GNT_INT(dlg, restarts, 0, 10000, 30, "restarts",
            "fresh starts allowed when the search stagnates, within the same outer steps"),
    GNT_INT(dlg, patience, 1, 1000000, 8, "outer steps",
            "outer steps without the least cost falling by a tenth that count as stagnation"),
    GNT_REAL(dlg, tolerance, 0, 1, 3e-9, GNT_SCALE_LINEAR, "",
             "the search ends at this fraction of the observed update's squared norm"),
    GNT_CHOICE_ID("mask_zeros", dlg, choice.mask_zeros, survivors_choices, "auto",
                  "what zeros say: auto: no entry was larger than the least that survived; always: nothing"),
    GNT_CHOICE_ID("outliers", dlg, choice.outliers, outliers_choices, "auto", OUTLIERS_HELP),
    GNT_REAL(
        dlg, prior, 0, 1000, 1, GNT_SCALE_LINEAR, "",
        "how much total variation and the range of pixels count where zeros or noise leave room; 0: not"),
};

static int is_default(const dlg *s, const gnt_parameter *p) {
    const void *member = (const char *)s + p->member - 1;
    if (p->type == GNT_TYPE_REAL)
        return *(const double *)member == p->preset;
    const int64_t i = *(const int64_t *)member;
    return p->type == GNT_TYPE_INT ? (double)i == p->preset : strcmp(p->choices[i], p->preset_text) == 0;
}

/* Sets the constants of mode reference, which takes `steps` and no other parameter. A parameter that a
 * suite sets to its default looks as one that it leaves out, and changes nothing. */
static gnt_status start_reference(dlg *s) {
    char text[300];
    for (int i = 2; i < (int)(sizeof parameters / sizeof *parameters); i++)
        if (!is_default(s, &parameters[i])) {
            snprintf(
                text, sizeof text,
                "\"%s\" has no meaning in mode reference, which is the authors' program: remove it, or take "
                "mode guarded",
                parameters[i].id);
            return gnt_host_fail(s->host, text);
        }
    s->inner = 20;
    s->history = 100;
    s->rate = 1;
    s->guard = s->tolerance = s->prior = 0;
    s->restarts = s->patience = 0;
    s->choice = (match_choice){SURVIVORS_NEVER, OUTLIERS_KEEP};
    return GNT_OK;
}

static gnt_status start(dlg *s, const char *id) {
    s->parts = recipe_of(id);
    return s->reference ? start_reference(s) : GNT_OK;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = recipe_run};

#define COMMON                                                                                               \
    GNT_PARAMETERS(parameters),                                                                              \
        .surfaces = GNT_SURFACE_UPDATE, .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,                   \
        .uses = GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE, .data_kinds = GNT_KIND_ANY, .families = match_families, \
        .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_TAKES_START | GNT_FLAG_BUDGET_SCHEDULE, .attack = &hooks,    \
        .instance_size = GNT_INSTANCE(dlg)

/* Defines the descriptor of the attack whose row in recipes.c has that id. */
#define BY_RECIPE(NAME, id, of, line, citation)                                                              \
    static gnt_status start_##NAME(void *self) {                                                             \
        return start(self, id);                                                                              \
    }                                                                                                        \
    const gnt_descriptor gradient_##NAME = {GNT_ATTACK(id, "1.3", line, "MIT", citation), COMMON,            \
                                            .conditions = of, .start = start_##NAME}

BY_RECIPE(dlg, "dlg", GNT_IF_CLASSES, "searches image and label whose gradient is the one observed",
          "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019");
BY_RECIPE(idlg, "idlg", GNT_IF_CLASSES | GNT_IF_ONE_SAMPLE | GNT_IF_DENSE,
          "reads the label off the gradient, then searches the image",
          "Zhao, Mopuri and Bilen, iDLG: Improved Deep Leakage from Gradients, 2020");
