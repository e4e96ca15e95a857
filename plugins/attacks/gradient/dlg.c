/* dlg and idlg: deep leakage from gradients, with the label searched along with the image, or read off
 * first.
 *
 * Sources: Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019; Zhao, Mopuri and Bilen, iDLG,
 * 2020. The reference settings have no line search: most of their failures are jumps of L-BFGS to where
 * every sigmoid is saturated and no gradient leads back. The default therefore refuses steps that raise
 * the cost (by more than rounding does near a match), and starts anew where the search stagnates far from
 * one; it also takes more inner iterations, and a prior where the update does not say all (guarded.c).
 * Mode "reference" does none of this (reference.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlg.h"
#include "gradient.h"
#include "defense/survivors.h"

enum { MODE, STEPS, INNER, HISTORY, RATE, GUARD, RESTARTS, PATIENCE, TOLERANCE, MASK_ZEROS, OUTLIERS, PRIOR };
enum { MODE_GUARDED, MODE_REFERENCE };

static const char *const modes[] = {"guarded", "reference", NULL};

static const gnt_parameter parameters[] = {
    {.id = "mode",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "guarded",
     .choices = modes,
     .help = "reference: as published: rate 1, 20 inner iterations, history 100, no guard, no restarts"},
    {.id = "steps",
     .type = GNT_TYPE_INT,
     .unit = "outer steps",
     .least = 1,
     .most = 1000000,
     .preset = 300,
     .help = "outer steps of L-BFGS, all restarts together, where the suite gives no budget"},
    {.id = "inner",
     .type = GNT_TYPE_INT,
     .unit = "iterations",
     .least = 1,
     .most = 1000,
     .preset = 40,
     .help = "iterations of L-BFGS in an outer step; where the gradient is faint more of them help"},
    {.id = "history",
     .type = GNT_TYPE_INT,
     .unit = "pairs",
     .least = 1,
     .most = 1000,
     .preset = 100,
     .help = "steps that L-BFGS remembers"},
    {.id = "rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 100,
     .preset = 1,
     .help = "length of a step, in units of the quasi-Newton step"},
    {.id = "guard",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 1000,
     .preset = 1.1,
     .help = "a step is halved while it leaves more than this multiple of the cost before; 0: never"},
    {.id = "restarts",
     .type = GNT_TYPE_INT,
     .unit = "restarts",
     .least = 0,
     .most = 10000,
     .preset = 30,
     .help = "fresh starts allowed when the search stagnates, within the same outer steps"},
    {.id = "patience",
     .type = GNT_TYPE_INT,
     .unit = "outer steps",
     .least = 1,
     .most = 1000000,
     .preset = 8,
     .help = "outer steps without the least cost falling by a tenth that count as stagnation"},
    {.id = "tolerance",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 3e-9,
     .help = "the search ends at this fraction of the observed update's squared norm"},
    {.id = "mask_zeros",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = survivors_choices,
     .help = "what zeros say: auto: no entry was larger than the least that survived; always: nothing"},
    {.id = "outliers",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = outliers_choices,
     .help = OUTLIERS_HELP},
    {.id = "prior",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 1000,
     .preset = 1,
     .help =
         "how much total variation and the range of pixels count where zeros or noise leave room; 0: not"},
};

/* Mode reference takes `steps` and nothing else. What a suite sets to its default cannot be told from what it
 * leaves out, and changes nothing. */
static gnt_status refuse_settings(const gnt_host *host, const gnt_value *v) {
    char text[300];
    for (int i = INNER; i < (int)(sizeof parameters / sizeof *parameters); i++) {
        const gnt_parameter *p = &parameters[i];
        if (p->type == GNT_TYPE_CHOICE ? strcmp(v[i].text, p->preset_text) == 0 : v[i].r == p->preset)
            continue;
        snprintf(
            text, sizeof text,
            "\"%s\" has no meaning in mode reference, which is the authors' program: remove it, or take mode "
            "guarded",
            p->id);
        return host->fail(host->context, text);
    }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *v, int fixed_label) {
    if (v[MODE].i == MODE_REFERENCE && refuse_settings(host, v) != GNT_OK)
        return NULL;
    dlg *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    s->fixed_label = fixed_label;
    s->steps = v[STEPS].i;
    if (v[MODE].i == MODE_REFERENCE) {
        s->reference = 1;
        s->inner = 20;
        s->history = 100;
        s->rate = 1;
        s->choice = (match_choice){SURVIVORS_NEVER, OUTLIERS_KEEP};
        return s;
    }
    s->inner = v[INNER].i;
    s->history = v[HISTORY].i;
    s->rate = v[RATE].r;
    s->guard = v[GUARD].r;
    s->restarts = v[RESTARTS].i;
    s->patience = v[PATIENCE].i;
    s->tolerance = v[TOLERANCE].r;
    s->prior = v[PRIOR].r;
    s->choice = (match_choice){v[MASK_ZEROS].i, v[OUTLIERS].i};
    return s;
}

static void *create_dlg(const gnt_host *host, const gnt_value *values) {
    return create(host, values, 0);
}

static void *create_idlg(const gnt_host *host, const gnt_value *values) {
    return create(host, values, 1);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = dlg_run};

/* Plugins, not families: what it makes of the grant are their parameters. */
static const char *const families[] = {"dp-gaussian", "dp-laplace", "clip", "prune", "soteria", NULL};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_ATTACK, .version = "1.0", .licence = "MIT",           \
    .parameters = parameters, .n_parameters = sizeof parameters / sizeof *parameters,                        \
    .surfaces = GNT_SURFACE_UPDATE, .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,                       \
    .uses = GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE, .data_kinds = GNT_KIND_ANY, .families = families,           \
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_TAKES_START, .destroy = free, .attack = &hooks

const gnt_descriptor gradient_dlg = {
    COMMON, .id = "dlg", .line = "searches image and label whose gradient is the one observed",
    .citation = "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019", .create = create_dlg};
const gnt_descriptor gradient_idlg = {
    COMMON, .id = "idlg", .line = "reads the label off the gradient, then searches the image",
    .citation = "Zhao, Mopuri and Bilen, iDLG: Improved Deep Leakage from Gradients, 2020",
    .create = create_idlg};
