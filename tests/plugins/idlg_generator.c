/* idlg-generator: idlg that searches the code of a generator in place of pixels, by L-BFGS. One row of parts
 * (recipes.h), and the descriptor of any attack. */
#include "dlg.h"

static const recipe row = {
    "idlg-generator", &cost_squares, &prior_generator, {&search_guarded, NULL}, &label_from_update};

static gnt_status start(void *self) {
    dlg *s = self;
    s->parts = &row;
    s->steps = 30;
    s->inner = 20;
    s->history = 20;
    s->rate = 1;
    s->guard = 1.1;
    s->restarts = 2;
    s->patience = 4;
    s->tolerance = 1e-6;
    s->prior = 1;
    s->plan = (generator_plan){.latents = 48, .features = 6, .images = 400, .learning = {400, 32, 2e-3, 0.1}};
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    return row.prior->prepare(self, in, out);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = recipe_run};

static const gnt_descriptor descriptor = {
    GNT_ATTACK("idlg-generator", "1.0", "searches the code of an image whose gradient is the one observed",
               "MIT", ""),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,
    .needs = GNT_KNOWS_PUBLIC,
    .data_kinds = GNT_KIND_IMAGE,
    .flags = GNT_FLAG_RANDOMISED,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(dlg),
    .start = start};

GNT_DEFINE_ENTRY(descriptor)
