/* shadow-likelihood: infers a private attribute from how likely the observed update is, under the granted
 * noise, if it came from each shadow sample.
 *
 *   p(a | o) ∝ Σ_i [a_i = a] · p(o | s(u_i)·u_i + noise), divided by the number of samples with value a if
 *   `weights` is balanced
 *
 * u_i is the update that shadow sample i would have given at the broadcast weights, s the granted clip. This
 * is Bayes' rule with the shadow samples as the prior: an attack with the same knowledge does better only if
 * it generalises between them. Without noise the nearest sample's value wins. */
#include <math.h>
#include <string.h>

#include "defense/covered.h"
#include "hook.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/pool.h"

typedef struct shadow_likelihood {
    const gnt_host *host;
    int64_t balanced;
} shadow_likelihood;

/* ---- prepare: keeps the shadow samples ---- */

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((shadow_likelihood *)self)->host;
    const gnt_samples *s = in->shadow_data;
    if (!s || s->n < 2 || !s->y || !s->a)
        return unsupported(host, "it needs shadow samples with labels and attributes");
    const int64_t x[2] = {s->n, s->features}, y[2] = {s->n, s->classes}, a[2] = {s->n, s->n_attributes};
    float *value = gnt_host_scratch(host, a[0] * a[1], sizeof *value);
    TRY(have_memory(host, value != NULL, "no memory for the shadow samples' attributes"));
    for (int64_t i = 0; i < a[0] * a[1]; i++)
        value[i] = (float)s->a[i];
    return out->tensor(out->context, "x", 2, x, s->x) == GNT_OK &&
                   out->tensor(out->context, "y", 2, y, s->y) == GNT_OK &&
                   out->tensor(out->context, "a", 2, a, value) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "the shadow samples could not be kept");
}

/* ---- run ---- */

/* One observed update, and what the law of its noise says of a candidate. */
typedef struct judge {
    const gnt_host *host;
    noise_law law;
    int is_distance;      /* there is no noise, and the law is that of one deviation an entry */
    covered_part covered; /* where the defense has noise in some layers alone */
    int64_t entries;
    const float **observed;
} judge;

static gnt_status judge_open(judge *j, const gnt_host *host, const gnt_observation *seen) {
    const gnt_views *update = seen->update;
    const granted_defense granted = granted_defense_of(seen);
    *j = (judge){.host = host, .law = granted.noise, .entries = entries_of(update)};
    TRY(granted_defense_check(host, &granted));
    TRY(covered_open(&j->covered, host, &granted, update));
    j->is_distance = granted.noise.kind == NOISE_NONE && !j->covered.flag;
    if (j->is_distance) {
        j->law.kind = NOISE_GAUSSIAN;
        j->law.scale = 1;
    }
    j->observed = gnt_host_scratch(host, update->n, sizeof *j->observed);
    TRY(hook_memory(host, j->observed != NULL));
    for (int64_t t = 0; t < update->n; t++)
        j->observed[t] = update->view[t].data;
    return GNT_OK;
}

/* Returns −log p(observed | the update u), up to a constant. */
static double judge_cost(judge *j, const gnt_views *u) {
    if (!j->covered.flag)
        return noise_cost(&j->law, u, j->observed, NULL, NULL);
    double cost = covered_cost(&j->covered, u, j->observed, NULL, NULL);
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t i = 0; !j->covered.flag[t] && i < u->view[t].count; i++) {
            const double r = ((double)u->view[t].data[i] - (double)j->observed[t][i]) / j->covered.floor;
            cost += r * r / 2;
        }
    return cost;
}

/* The kept shadow samples. */
typedef struct kept_samples {
    const gnt_view *x, *y, *a;
    int64_t n;
} kept_samples;

static gnt_status samples_read(kept_samples *s, const gnt_host *host, const gnt_artefacts *own,
                               int32_t attribute) {
    const gnt_model_info *info = host->model->info;
    *s =
        (kept_samples){attr_find(own, "", "x", 2), attr_find(own, "", "y", 2), attr_find(own, "", "a", 2), 0};
    s->n = s->x ? s->x->dim[0] : 0;
    if (s->n < 1 || !s->y || !s->a || s->y->dim[0] != s->n || s->a->dim[0] != s->n ||
        s->x->dim[1] != hook_features(info) || s->y->dim[1] != info->classes || s->a->dim[1] <= attribute)
        return gnt_host_fail(host, "its artefacts are not shadow samples of this task");
    return GNT_OK;
}

/* Sets cost[i] to −log p(observed | sample i), up to a constant. */
static gnt_status cost_of_all(const gnt_host *host, const gnt_observation *seen, const kept_samples *s,
                              double *cost) {
    judge j;
    TRY(judge_open(&j, host, seen));
    gnt_function_spec spec = {.kind = GNT_FN_UPDATE};
    spec_unroll(&spec, seen);
    const float *rates = hook_rates(host, seen);
    TRY(hook_memory(host, rates != NULL));
    const gnt_model_service *m = host->model;
    gnt_function *f = m->prepare(m->context, &spec);
    gnt_status status = f ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
    double least = INFINITY;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        const gnt_function_args args =
            hook_args(seen, s->x->data + i * s->x->dim[1], s->y->data + i * s->y->dim[1], rates);
        const gnt_views *u;
        status = may_go_on(host);
        if (status == GNT_OK)
            status = hook_eval(host, f, &args, &u);
        if (status == GNT_OK)
            least = fmin(least, cost[i] = judge_cost(&j, u));
    }
    if (f)
        m->release(m->context, f);
    for (int64_t i = 0; status == GNT_OK && j.is_distance && i < s->n; i++)
        cost[i] *=
            (double)j.entries / fmax(2 * least, 1e-30); /* as if noise were as large as the least residual */
    return status;
}

/* Sets scores to log p(o | value), and returns how many samples share the likelihood: 1 / Σ p(i | o)². */
static double score(const shadow_likelihood *self, const kept_samples *s, int32_t attribute,
                    const double *cost, int32_t values, double *sum, float *scores) {
    double least = INFINITY, all = 0, squares = 0;
    for (int64_t i = 0; i < s->n; i++)
        least = fmin(least, cost[i]);
    memset(sum, 0, 2 * (size_t)values * sizeof *sum);
    double *count = sum + values;
    for (int64_t i = 0; i < s->n; i++) {
        const float a = s->a->data[i * s->a->dim[1] + attribute];
        const double p = exp(least - cost[i]);
        all += p;
        squares += p * p;
        if (!(a >= 0 && a < (float)values))
            continue;
        sum[(int32_t)a] += p;
        count[(int32_t)a]++;
    }
    for (int32_t v = 0; v < values; v++)
        scores[v] = (float)log((sum[v] + 1e-300) / (self->balanced ? fmax(count[v], 1) : 1));
    return all * all / squares;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((shadow_likelihood *)self)->host;
    const int32_t values = seen->attribute_values;
    kept_samples s;
    TRY(hook_needs_batch(host, seen));
    TRY(hook_needs_update(host, seen));
    if (seen->n != 1 || seen->steps > 1)
        return unsupported(host, "it needs the gradient, or one step, of a single sample");
    TRY(samples_read(&s, host, own, seen->attribute));
    double *cost = gnt_host_scratch(host, s.n, sizeof *cost);
    double *sum = gnt_host_scratch(host, 2 * values, sizeof *sum);
    float *scores = gnt_host_scratch(host, values, sizeof *scores);
    TRY(hook_memory(host, cost && sum && scores));
    TRY(cost_of_all(host, seen, &s, cost));
    gnt_host_fact(host, "likely_samples", score(self, &s, seen->attribute, cost, values, sum, scores));
    return answer->attribute(answer->context, values, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_CHOICE_ID("weights", shadow_likelihood, balanced, attr_weightings, "balanced",
                  "balanced: rare values of the attribute count as much as common ones"),
};

static const char *const families[] = {"dp-gaussian", "dp-laplace", "clip", NULL};

const gnt_descriptor gradient_shadow_likelihood = {
    GNT_ATTACK("shadow-likelihood", "1.0",
               "infers a private attribute by how likely an update is under known noise if it came from each "
               "shadow sample",
               "MIT", ""),
    GNT_PARAMETERS(parameters),
    .families = families,
    .surfaces = GNT_SURFACE_UPDATE,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(shadow_likelihood),
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_PREPARES_ONCE,
    .conditions = GNT_IF_ONE_SAMPLE | GNT_IF_ONE_STEP | GNT_IF_ONLY_NAMED,
    .scope = GNT_SCOPE_TASK,
    .least_shadow = 2};
