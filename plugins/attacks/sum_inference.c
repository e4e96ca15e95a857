/* update-norm and masked-words: infer single clients' inputs to a secure sum from the server's view.
 *
 * update-norm: under lrp a client's steps are proportional to its share of the samples, p_k·N, under ada-lrp
 * to K·p_k·N, and so is the norm of its update, up to noise: the mean of E rates from U(0, 2r) deviates from
 * r by a fraction 1/√(3E). So each entry is estimated as
 *
 *     ‖update‖ / ‖update of public samples at the announced rate‖ · sum / N
 *
 * Without public samples the gradient of each step is assumed to have norm 1; the order of the clients is the
 * same.
 *
 * masked-words: the words of a transcript as if no masks had been added: a control. */
#include <math.h>

#include "gauntlet/plugin.h"
#include "shared/try.h"

typedef struct attack {
    const gnt_host *host;
} attack;

static double length(const gnt_views *v) {
    double sum = 0;
    for (int64_t t = 0; v && t < v->n; t++)
        for (int64_t i = 0; i < v->view[t].count; i++)
            sum += (double)v->view[t].data[i] * (double)v->view[t].data[i];
    return sqrt(sum);
}

/* ---- update-norm ---- */

/* Computes the norm of the update of a client with as many public samples, at the announced rate. */
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
                              .decay = s->steps > 0 && GNT_HAS(gnt_observation, s, decay) ? s->decay : 0,
                              .optimizer = s->steps > 0 && GNT_HAS(gnt_observation, s, optimizer)
                                               ? s->optimizer
                                               : GNT_OPTIMIZER_SGD};
    float *rates = gnt_host_scratch(host, s->steps > 0 ? s->steps : 1, sizeof *rates);
    TRY(have_memory(host, rates != NULL, "no memory for the rates of local steps"));
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
        return gnt_host_fail(host, gnt_host_last_error(host));
    *out = length(update);
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((const attack *)self)->host;
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

static gnt_status run_norm(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                           const gnt_answer *answer) {
    const gnt_host *host = ((const attack *)self)->host;
    const gnt_view *kept = own && own->tensors.n == 1 ? own->tensors.view : NULL;
    const int64_t n = seen->n_contribution;
    if (!seen->update || !seen->sum || seen->n_sum != n || n < 1 || seen->n_clients < 1)
        return gnt_host_fail(host, "it needs an update and the secure sum");
    if (!kept || kept->count != 1 || !(kept->data[0] > 0))
        return gnt_host_fail(host, "there is no norm to compare an update with");
    double *value = gnt_host_scratch(host, n, sizeof *value);
    const double ratio = length(seen->update) / (double)kept->data[0];
    TRY(have_memory(host, value != NULL, "no memory for the answer"));
    for (int64_t i = 0; i < n; i++)
        value[i] = (isfinite(ratio) ? ratio : 1) * seen->sum[i] / seen->n_clients;
    gnt_host_fact(host, "ratio", ratio);
    return answer->contribution(answer->context, n, value);
}

static const gnt_attack norm_hooks = {.size = sizeof norm_hooks, .prepare = prepare, .run = run_norm};

/* ---- masked-words ---- */

static gnt_status run_words(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                            const gnt_answer *answer) {
    const gnt_host *host = ((const attack *)self)->host;
    const gnt_transcript *t = seen->transcript;
    (void)own;
    if (!t || t->n < 1 || t->n_clients < 1)
        return gnt_host_fail(host, "it needs the transcript of a secure sum");
    const int64_t n = t->n_clients * t->n;
    double *value = gnt_host_scratch(host, n, sizeof *value);
    TRY(have_memory(host, value != NULL, "no memory for the answer"));
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)(int64_t)t->masked[i] / t->scale;
    return answer->contribution(answer->context, n, value);
}

static const gnt_attack words_hooks = {.size = sizeof words_hooks, .run = run_words};

static const gnt_descriptor norm = {
    GNT_ATTACK("update-norm", "1.0", "infers a client's input to a secure sum from the length of its update",
               "MIT", ""),
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_CONTRIBUTION,
    .needs = GNT_KNOWS_SUM,
    .uses = GNT_KNOWS_PUBLIC,
    .scope = GNT_SCOPE_STAGE,
    .data_kinds = GNT_KIND_ANY,
    .attack = &norm_hooks,
    .instance_size = GNT_INSTANCE(attack)};

static const gnt_descriptor words = {
    GNT_ATTACK("masked-words", "1.0",
               "takes the masked words of a secure sum as its clients' inputs: a control", "MIT", ""),
    .surfaces = GNT_SURFACE_TRANSCRIPT,
    .goals = GNT_GOAL_CONTRIBUTION,
    .data_kinds = GNT_KIND_ANY,
    .attack = &words_hooks,
    .instance_size = GNT_INSTANCE(attack)};

static const gnt_descriptor *const list[] = {&norm, &words};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
