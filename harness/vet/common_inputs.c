/* What defenses and attacks share: the federation's configuration, artefacts on guard pages, and memory that
 * hooks fill. */
#include <string.h>

#include "base/mem.h"
#include "vet/setting.h"

gnt_fl_config gnt_vet_config(const gnt_vet_setting *s) {
    return (gnt_fl_config){.rounds = 1,
                           .steps = s->spec.steps,
                           .batch = s->spec.batch,
                           .rate = 0.05,
                           .participation = 1,
                           .clients = GNT_VET_CLIENTS,
                           .training_stats = s->model.training_stats};
}

gnt_defense_prepare gnt_vet_prepare_input(const gnt_vet_setting *s) {
    const gnt_fl_config c = gnt_vet_config(s);
    return (gnt_defense_prepare){.size = sizeof(gnt_defense_prepare),
                                 .stage = -1,
                                 .public_data = s->public_data,
                                 .shadow_data = s->shadow,
                                 .weights = s->weights,
                                 .buffers = s->buffers,
                                 .n_clients = c.clients,
                                 .steps = c.steps,
                                 .batch = c.batch,
                                 .rate = c.rate,
                                 .rounds = c.rounds,
                                 .per_round = gnt_fl_per_round(&c)};
}

gnt_artefacts *gnt_vet_guard_artefacts(gnt_vet_setting *s, const char *name, const gnt_artefacts *from) {
    gnt_guard *g = s->guard;
    gnt_artefacts *to = gnt_guard_put(g, name, from, sizeof *from);
    gnt_view *view =
        gnt_guard_put(g, name, from->tensors.view, (size_t)from->tensors.n * sizeof *from->tensors.view);
    gnt_blob *blob = gnt_guard_put(g, name, from->blob, (size_t)from->n_blobs * sizeof *from->blob);
    if (!to || !view || !blob)
        return NULL;
    for (int64_t i = 0; i < from->tensors.n; i++) {
        view[i].name = gnt_guard_put(g, name, view[i].name, strlen(view[i].name) + 1);
        view[i].data = gnt_guard_put(g, name, view[i].data, (size_t)view[i].count * sizeof *view[i].data);
    }
    for (int64_t i = 0; i < from->n_blobs; i++) {
        blob[i].name = gnt_guard_put(g, name, blob[i].name, strlen(blob[i].name) + 1);
        blob[i].data = gnt_guard_put(g, name, blob[i].data, (size_t)blob[i].count);
    }
    to->tensors.view = view;
    to->blob = blob;
    gnt_guard_save(g);
    return gnt_guard_full(g) ? NULL : to;
}

void *gnt_vet_output(gnt_vet_setting *s, const char *name, int64_t n, size_t size) {
    if (s->spec.fenced)
        return gnt_guard_fence(s->guard, name, (size_t)n * size);
    void *made = GNT_GROW(s->output, s->n_outputs) == 0 ? gnt_aligned((size_t)n, size) : NULL;
    if (made)
        s->output[s->n_outputs++] = made;
    return made;
}
