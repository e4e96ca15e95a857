/* update-norm and masked-words: what single clients gave to a secure sum, from what the server sees of them.
 *
 * update-norm: under lrp a client's steps are in proportion to its share of the samples, p_k·N, under ada-lrp
 * to K·p_k·N, and so, but for chance, is the length of its update. The mean of E rates from U(0, 2r) is off
 * from r by 1/√(3E) of it. So each entry is told as
 *
 *     ‖update‖ / ‖what public samples give at the announced rate‖ · sum / N
 *
 * Without public samples the gradient of each step is taken to have the length 1; the order of the clients is
 * the same.
 *
 * masked-words: the words of a transcript as if no masks were added to them: a control. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    return (void *)(uintptr_t)host; /* all that an instance has */
}

static void destroy(void *self) {
    (void)self;
}

static double length(const gnt_views *v) {
    double sum = 0;
    for (int64_t t = 0; v && t < v->n; t++)
        for (int64_t i = 0; i < v->view[t].count; i++)
            sum += (double)v->view[t].data[i] * (double)v->view[t].data[i];
    return sqrt(sum);
}

/* ---- update-norm ---- */

/* The length of what a client of as many public samples would have sent, at the announced rate. */
static gnt_status reference_of(const gnt_host *host, const gnt_attack_prepare *in, double *out) {
    const gnt_observation *s = in->setting;
    const gnt_samples *p = in->public_data;
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_UPDATE,
                              .n = p->n < s->n ? p->n : s->n,
                              .steps = s->steps,
                              .batch = s->batch,
                              .training = -1,
                              .momentum = s->steps > 0 ? s->momentum : 0,
                              .decay = s->steps > 0 && GNT_HAS(gnt_observation, s, decay) ? s->decay : 0};
    float *rates = host->scratch(host->context, (size_t)(s->steps > 0 ? s->steps : 1) * sizeof *rates);
    if (!rates)
        return host->fail(host->context, "no memory for the rates of local steps");
    for (int32_t i = 0; i < s->steps; i++)
        rates[i] = (float)s->rate;
    const gnt_function_args args = {.size = sizeof args,
                                    .x = p->x,
                                    .y = p->y,
                                    .weights = in->weights,
                                    .buffers = in->buffers,
                                    .rates = rates};
    const gnt_views *update;
    gnt_function *f = host->model->prepare(host->model->context, &spec);
    if (!f || host->model->eval(host->model->context, f, &args, &update) != GNT_OK)
        return host->fail(host->context, host->last_error(host->context));
    *out = length(update);
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = self;
    const gnt_observation *s = in->setting;
    const int64_t one = 1;
    double reference = s->steps > 0 ? s->rate * s->steps : 1;
    if (in->public_data && in->public_data->n > 0 && in->public_data->y && host->model) {
        const gnt_status status = reference_of(host, in, &reference);
        if (status != GNT_OK)
            return status;
    }
    const float kept = (float)reference;
    return out->tensor(out->context, "reference", 1, &one, &kept);
}

static gnt_status tell_norm(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                            const gnt_answer *answer) {
    const gnt_host *host = self;
    const gnt_view *kept = own && own->tensors.n == 1 ? own->tensors.view : NULL;
    const int64_t n = seen->n_contribution;
    if (!seen->update || !seen->sum || seen->n_sum != n || n < 1 || seen->n_clients < 1)
        return host->fail(host->context, "it needs an update and the secure sum");
    if (!kept || kept->count != 1 || !(kept->data[0] > 0))
        return host->fail(host->context, "there is no length to compare an update with");
    double *value = host->scratch(host->context, (size_t)n * sizeof *value);
    const double ratio = length(seen->update) / (double)kept->data[0];
    if (!value)
        return host->fail(host->context, "no memory for the answer");
    for (int64_t i = 0; i < n; i++)
        value[i] = (isfinite(ratio) ? ratio : 1) * seen->sum[i] / seen->n_clients;
    host->fact(host->context, "ratio", ratio);
    return answer->contribution(answer->context, n, value);
}

static const gnt_attack norm_hooks = {.size = sizeof norm_hooks, .prepare = prepare, .run = tell_norm};

/* ---- masked-words ---- */

static gnt_status tell_words(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                             const gnt_answer *answer) {
    const gnt_host *host = self;
    const gnt_transcript *t = seen->transcript;
    (void)own;
    if (!t || t->n < 1 || t->n_clients < 1)
        return host->fail(host->context, "it needs the transcript of a secure sum");
    const int64_t n = t->n_clients * t->n;
    double *value = host->scratch(host->context, (size_t)n * sizeof *value);
    if (!value)
        return host->fail(host->context, "no memory for the answer");
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)(int64_t)t->masked[i] / t->scale;
    return answer->contribution(answer->context, n, value);
}

static const gnt_attack words_hooks = {.size = sizeof words_hooks, .run = tell_words};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_ATTACK, .version = "1.0", .licence = "MIT",           \
    .citation = "", .goals = GNT_GOAL_CONTRIBUTION, .data_kinds = GNT_KIND_ANY, .create = create,            \
    .destroy = destroy

static const gnt_descriptor descriptors[] = {
    {COMMON, .id = "update-norm",
     .line = "tells what a client gave to a secure sum by the length of its update",
     .surfaces = GNT_SURFACE_UPDATE, .needs = GNT_KNOWS_SUM, .uses = GNT_KNOWS_PUBLIC,
     .scope = GNT_SCOPE_STAGE, .attack = &norm_hooks},
    {COMMON, .id = "masked-words",
     .line = "takes the masked words of a secure sum for what its clients gave: a control",
     .surfaces = GNT_SURFACE_TRANSCRIPT, .attack = &words_hooks},
};

static const gnt_descriptor *const list[] = {&descriptors[0], &descriptors[1]};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
