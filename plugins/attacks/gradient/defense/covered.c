#include "defense/covered.h"

#include <math.h>

#include "update.h"
#include "hook.h"

static const double known_within = 1e-3;

gnt_status covered_open(covered_part *c, const gnt_host *host, const granted_defense *granted,
                        const gnt_views *update) {
    double squares = 0, entries = 0;
    *c = (covered_part){.law = granted->of_layers, .weight = 1};
    TRY(granted_layers(host, granted, update, &c->flag));
    if (!c->flag)
        return GNT_OK;
    c->tensor = gnt_host_scratch(host, update->n, sizeof *c->tensor);
    c->view = gnt_host_scratch(host, update->n, sizeof *c->view);
    c->slope = gnt_host_scratch(host, update->n, sizeof *c->slope);
    c->observed = gnt_host_scratch(host, update->n, sizeof *c->observed);
    c->mask = gnt_host_scratch(host, update->n, sizeof *c->mask);
    TRY(hook_memory(host, c->tensor && c->view && c->slope && c->observed && c->mask));
    for (int64_t t = 0; t < update->n; t++) {
        if (c->flag[t])
            c->tensor[c->n++] = t;
        squares += c->flag[t] ? 0 : squares_of(&update->view[t]);
        entries += c->flag[t] ? 0 : (double)update->view[t].count;
    }
    c->floor = entries > 0 && squares > 0 ? known_within * sqrt(squares / entries) : 1;
    const double ratio = c->law.kind == NOISE_NONE ? 0 : noise_deviation(&c->law) / c->floor;
    c->weight = squares > 0 ? 1 / (1 + ratio * ratio) : 1;
    gnt_host_fact(host, "tensors_with_noise", (double)c->n);
    return GNT_OK;
}

static void gather(covered_part *c, const gnt_views *u) {
    for (int64_t k = 0; k < c->n; k++)
        c->view[k] = u->view[c->tensor[k]];
}

noise_clip covered_clip(covered_part *c, const gnt_views *u) {
    gather(c, u);
    return noise_clip_of(&c->law, c->view, c->n);
}

void covered_vjp(covered_part *c, noise_clip clip, float *const *d) {
    for (int64_t k = 0; k < c->n; k++)
        c->slope[k] = d[c->tensor[k]];
    noise_clip_vjp(&c->law, clip, c->view, c->n, c->slope);
}

double covered_cost(covered_part *c, const gnt_views *u, const float *const *observed,
                    const float *const *mask, float *const *d) {
    gather(c, u);
    for (int64_t k = 0; k < c->n; k++) {
        c->observed[k] = observed[c->tensor[k]];
        c->mask[k] = mask ? mask[c->tensor[k]] : NULL;
        c->slope[k] = d ? d[c->tensor[k]] : NULL;
    }
    const gnt_views own = {c->n, c->view};
    return noise_cost(&c->law, &own, c->observed, mask ? c->mask : NULL, d ? c->slope : NULL);
}
