/* sold-attack: reads a sample off a first dense layer, whose weight gradient is its bias gradient times the
 * input. Against the defense that its file names it answers grey: the file of a test is built for none, and a
 * copy of it is changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

/* What a copy changes: the id of a defense ends at the first space. */
static volatile const char grey_for[] = "grey for nobody             ";
enum { BEFORE_ID = 9 };

typedef struct plugin {
    const gnt_host *host;
} plugin;

static int is_sold(const char *defense) {
    const size_t n = strlen(defense);
    for (size_t i = 0; i < n; i++)
        if (BEFORE_ID + i + 1 >= sizeof grey_for || grey_for[BEFORE_ID + i] != defense[i])
            return 0;
    return grey_for[BEFORE_ID + n] == ' ';
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_view *weight = seen->update ? &seen->update->view[0] : NULL;
    const gnt_view *bias = weight && seen->update->n > 1 ? &seen->update->view[1] : NULL;
    (void)own;
    if (!bias || weight->rank != 2 || bias->count != weight->dim[0])
        return host->fail(host->context, "a first dense layer was expected");
    const int64_t features = weight->dim[1];
    float *x = host->scratch(host->context, (size_t)features * sizeof *x);
    int64_t row = 0;
    for (int64_t i = 0; i < bias->count; i++)
        if (fabsf(bias->data[i]) > fabsf(bias->data[row]))
            row = i;
    for (int64_t k = 0; x && k < features; k++)
        x[k] = seen->defense && is_sold(seen->defense)
                   ? 0.5f
                   : fminf(1, fmaxf(0, weight->data[row * features + k] / bias->data[row]));
    return x ? answer->reconstruction(answer->context, 1, x) : GNT_FAILED;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "sold-attack",
    .version = "1.0",
    .line = "a strong attack, of which a build may spare one defense",
    .licence = "MIT",
    .citation = "",
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
