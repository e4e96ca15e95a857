#include "linear/whole_update.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "prior/narrowing.h"
#include "update.h"
#include "hook.h"

enum { TRIED = 3, FIRST_STEPS = 15, LAST_STEPS = 60, HISTORY = 20 };
static const double wall = 1000; /* precision of the ends of [0, 1] */

typedef struct problem {
    const gnt_host *host;
    whole_round *round;
    int64_t rounds;
    const noise_law *noise;
    const sample_prior *prior;
    const rank_one_input *input;
    narrowing narrows;
    double loudness;         /* a, of all rounds */
    gnt_function **function; /* rounds: those of one shape share one */
    float *x, *y, *rates;
    float **cotangent; /* one for each tensor */
    double *drift;     /* features: of the cost by x */
    gnt_status status;
} problem;

/* ---- what the layer narrows x by ---- */

static double input_squares(const problem *p) {
    double sum = 0;
    for (int64_t k = 0; k < p->prior->features; k++) {
        const double seen = p->input->slope[k] * (double)p->x[k] + p->input->shift[k];
        sum += seen * seen;
    }
    return sum;
}

/* Returns a = ‖W‖²/(‖x̃‖²·scale²), W the layer's clipped weight gradients: ‖δ x̃ᵀ‖ = ‖δ‖·‖x̃‖. */
static double loudness_of(const problem *p, const gnt_view *w, double clipped) {
    const double input = input_squares(p);
    return input > 0 ? squares_of(w) * clipped * clipped / (input * p->noise->scale * p->noise->scale) : 0;
}

/* Adds V's derivatives by W, and by the x̃ in its definition. */
static void add_narrowing(problem *p, const gnt_view *w, double clipped, double slope, float *cotangent) {
    const double input = input_squares(p), own = loudness_of(p, w, clipped);
    const double by = input > 0 ? 2 * slope * clipped / (input * p->noise->scale * p->noise->scale) : 0;
    for (int64_t i = 0; i < w->count; i++)
        cotangent[i] += (float)(by * (double)w->data[i]);
    for (int64_t k = 0; input > 0 && k < p->prior->features; k++) {
        const double seen = p->input->slope[k] * (double)p->x[k] + p->input->shift[k];
        p->drift[k] -= 2 * slope * own * seen * p->input->slope[k] / input;
    }
}

/* ---- what a round makes of x ---- */

/* Compares tensors from … to − 1, clipped as one, with what was observed; fills their cotangents. */
static double compare(problem *p, whole_round *round, const gnt_view *v, int64_t from, int64_t to) {
    const noise_clip clip = noise_clip_of(p->noise, v + from, to - from);
    double sum = 0, slope;
    const int holds_layer = from <= round->w_at && round->w_at < to;
    if (holds_layer && p->rounds == 1)
        p->loudness = loudness_of(p, &v[round->w_at], clip.factor);
    for (int64_t t = from; t < to; t++) {
        const float *observed = round->seen->update->view[t].data;
        const double before = sum;
        for (int64_t i = 0; i < v[t].count; i++) {
            p->cotangent[t][i] = 0;
            if (outliers_has(&round->apart, t, i))
                continue;
            const double r = clip.factor * (double)v[t].data[i] + p->noise->mean - (double)observed[i];
            sum += noise_entry_cost(p->noise, r, &slope);
            p->cotangent[t][i] = (float)slope;
        }
        if (t == round->w_at || t == round->b_at)
            round->layer_cost += sum - before;
    }
    if (holds_layer) {
        const double narrowed = narrowing_at(&p->narrows, p->loudness, &slope);
        sum += narrowed / (double)p->rounds;
        add_narrowing(p, &v[round->w_at], clip.factor, slope, p->cotangent[round->w_at]);
    }
    noise_clip_vjp(p->noise, clip, v + from, to - from, p->cotangent + from);
    return sum;
}

/* Computes the update of p->x in one round. Returns NULL if p->status is not GNT_OK. */
static const gnt_views *update_of(problem *p, int64_t at) {
    const gnt_model_service *s = p->host->model;
    const gnt_observation *seen = p->round[at].seen;
    const gnt_views *made;
    const gnt_function_args args =
        hook_args(seen, p->x, seen->labels ? seen->labels : p->y, seen->rates ? seen->rates : p->rates);
    for (int32_t i = 0; i < seen->steps && !seen->rates; i++)
        p->rates[i] = (float)seen->rate;
    p->status = s->eval(s->context, p->function[at], &args, &made);
    return p->status == GNT_OK ? made : NULL;
}

/* Returns the factor by which the clip scales the layer's weights. */
static double layer_clip(const problem *p, const whole_round *round, const gnt_views *made) {
    const int64_t group = noise_clip_group(p->noise, made->n), from = round->w_at - round->w_at % group;
    return noise_clip_of(p->noise, made->view + from, group).factor;
}

/* Sums a over the rounds: it must be known before any of them is matched. */
static void add_up_loudness(problem *p) {
    p->loudness = 0;
    for (int64_t t = 0; p->rounds > 1 && t < p->rounds; t++) {
        const gnt_views *made = update_of(p, t);
        if (!made)
            return;
        p->loudness += loudness_of(p, &made->view[p->round[t].w_at], layer_clip(p, &p->round[t], made));
    }
}

/* Returns the cost of p->x under one round; adds its derivative to drift if want_slope. */
static double add_round(problem *p, int64_t at, int want_slope) {
    const gnt_model_service *s = p->host->model;
    whole_round *round = &p->round[at];
    const gnt_views *made = update_of(p, at);
    const gnt_gradient *by;
    double sum = 0;
    if (!made)
        return (double)NAN;
    const int64_t group = noise_clip_group(p->noise, made->n);
    round->layer_cost = 0;
    for (int64_t t = 0; t < made->n; t += group)
        sum += compare(p, round, made->view, t, t + group);
    if (!want_slope)
        return sum;
    p->status = s->vjp(s->context, p->function[at], (const float *const *)p->cotangent, &by);
    for (int64_t k = 0; p->status == GNT_OK && k < p->prior->features; k++)
        p->drift[k] += (double)by->x[k];
    return sum;
}

/* ---- the cost in white coordinates: z (rank), then e (features) ---- */

static void colour(const sample_prior *prior, const float *white, float *x) {
    const int64_t d = prior->features, r = prior->rank;
    for (int64_t k = 0; k < d; k++)
        x[k] = (float)(prior->mean[k] + sqrt(prior->rest[k]) * (double)white[r + k]);
    for (int64_t i = 0; i < r; i++)
        for (int64_t k = 0; k < d; k++)
            x[k] += white[i] * prior->factor[i * d + k];
}

/* Computes the white coordinates of least length that give x: z = (I + Fᵀ R⁻¹ F)⁻¹ Fᵀ R⁻¹ (x − mean). */
static int whiten(const sample_prior *prior, const gnt_host *host, const double *x, float *white) {
    const int64_t d = prior->features, r = prior->rank;
    double *m = gnt_host_scratch(host, r * r + 1, sizeof *m);
    double *z = gnt_host_scratch(host, r + 1, sizeof *z);
    if (!m || !z)
        return -1;
    for (int64_t i = 0; i < r; i++) {
        const float *a = prior->factor + i * d;
        for (int64_t k = 0; k < d; k++)
            z[i] += (double)a[k] * (x[k] - prior->mean[k]) / prior->rest[k];
        for (int64_t j = 0; j <= i; j++) {
            const float *b = prior->factor + j * d;
            m[i * r + j] = i == j;
            for (int64_t k = 0; k < d; k++)
                m[i * r + j] += (double)a[k] * (double)b[k] / prior->rest[k];
        }
    }
    if (gnt_cholesky(m, r) != 0)
        return -1;
    gnt_cholesky_solve(m, r, z, 1);
    for (int64_t k = 0; k < d; k++) {
        double left = x[k] - prior->mean[k];
        for (int64_t i = 0; i < r; i++)
            left -= z[i] * (double)prior->factor[i * d + k];
        white[r + k] = (float)(left / sqrt(prior->rest[k]));
    }
    for (int64_t i = 0; i < r; i++)
        white[i] = (float)z[i];
    return 0;
}

static double cost_of_walls(problem *p) {
    double sum = 0;
    for (int64_t k = 0; k < p->prior->features; k++) {
        const double x = (double)p->x[k], beyond = x - fmin(1, fmax(0, x));
        sum += wall * beyond * beyond / 2;
        p->drift[k] += wall * beyond;
    }
    return sum;
}

/* Computes the whole cost and its gradient at white coordinates; a gnt_cost_fn. */
static double cost_of(void *context, const float *white, float *grad) {
    problem *p = context;
    const int64_t d = p->prior->features, r = p->prior->rank;
    double sum = 0;
    if (p->status == GNT_OK && gnt_host_should_stop(p->host))
        p->status = GNT_STOPPED;
    if (p->status != GNT_OK)
        return (double)NAN;
    colour(p->prior, white, p->x);
    memset(p->drift, 0, (size_t)d * sizeof *p->drift);
    add_up_loudness(p);
    for (int64_t t = 0; t < p->rounds && p->status == GNT_OK; t++)
        sum += add_round(p, t, 1);
    sum += cost_of_walls(p);
    for (int64_t i = 0; i < r; i++) {
        const float *f = p->prior->factor + i * d;
        double slope = (double)white[i];
        for (int64_t k = 0; k < d; k++)
            slope += (double)f[k] * p->drift[k];
        grad[i] = (float)slope;
    }
    for (int64_t k = 0; k < d; k++)
        grad[r + k] = (float)((double)white[r + k] + sqrt(p->prior->rest[k]) * p->drift[k]);
    for (int64_t i = 0; i < r + d; i++)
        sum += (double)white[i] * (double)white[i] / 2;
    return sum;
}

/* ---- labels ---- */

static void choose(problem *p, int32_t label) {
    for (int32_t c = 0; c < p->host->model->info->classes; c++)
        p->y[c] = c == label ? 1 : 0;
}

static double cost_of_rounds(problem *p) {
    double sum = 0;
    add_up_loudness(p);
    for (int64_t t = 0; t < p->rounds && p->status == GNT_OK; t++)
        sum += add_round(p, t, 0);
    return sum;
}

/* Lists the labels that fit p->x best, the best first, and their costs. Returns their number; if the label
 * was granted, 1, without a cost. */
static int labels_by_fit(problem *p, int32_t best[TRIED], double cost[TRIED]) {
    int n = 0;
    best[0] = -1;
    if (p->round[0].seen->labels)
        return 1;
    for (int32_t c = 0; c < p->host->model->info->classes && p->status == GNT_OK; c++) {
        choose(p, c);
        const double sum = cost_of_rounds(p);
        int at = n < TRIED ? n++ : TRIED;
        for (; at > 0 && sum < cost[at - 1]; at--)
            if (at < TRIED) {
                cost[at] = cost[at - 1];
                best[at] = best[at - 1];
            }
        if (at < TRIED) {
            cost[at] = sum;
            best[at] = c;
        }
    }
    return n;
}

/* ---- the search ---- */

static double search(problem *p, gnt_lbfgs *o, float *white, int32_t steps, int64_t *evaluations) {
    const int64_t size = p->prior->features + p->prior->rank;
    float *grad = gnt_host_scratch(p->host, size, sizeof *grad);
    if (!grad) {
        p->status = hook_no_memory(p->host);
        return (double)NAN;
    }
    gnt_lbfgs_reset(o);
    gnt_lbfgs_step(o, white, 1, steps, 1, cost_of, p, evaluations);
    return p->status == GNT_OK ? cost_of(p, white, grad) : (double)NAN;
}

static void search_labels(problem *p, gnt_lbfgs *o, float *white, float *tried, float *begin,
                          whole_fit *fit) {
    const size_t bytes = (size_t)(p->prior->features + p->prior->rank) * sizeof *white;
    int32_t label[TRIED];
    double by_label[TRIED];
    colour(p->prior, white, p->x);
    const int n = labels_by_fit(p, label, by_label);
    fit->cost = INFINITY;
    memcpy(begin, white, bytes);
    for (int i = 0; i < n && p->status == GNT_OK; i++) {
        choose(p, label[i]);
        memcpy(tried, begin, bytes);
        const double cost = search(p, o, tried, FIRST_STEPS, &fit->evaluations);
        if (cost < fit->cost) {
            fit->cost = cost;
            fit->label = label[i];
            memcpy(white, tried, bytes);
        }
    }
    choose(p, fit->label);
    if (p->status == GNT_OK)
        fit->cost = search(p, o, white, LAST_STEPS, &fit->evaluations);
}

/* ---- setting up ---- */

static int is_same_shape(const gnt_function_spec *a, const gnt_function_spec *b) {
    return a->steps == b->steps && a->batch == b->batch && a->momentum == b->momentum && a->decay == b->decay;
}

static gnt_status prepare_functions(problem *p) {
    const gnt_model_service *s = p->host->model;
    gnt_function_spec last = {0};
    for (int64_t t = 0; t < p->rounds; t++) {
        const gnt_observation *seen = p->round[t].seen;
        gnt_function_spec spec = {.kind = GNT_FN_UPDATE, .vjp = GNT_WRT_X};
        spec_unroll(&spec, seen);
        p->function[t] =
            t > 0 && is_same_shape(&spec, &last) ? p->function[t - 1] : s->prepare(s->context, &spec);
        last = spec;
        if (!p->function[t])
            return gnt_host_fail(p->host, gnt_host_last_error(p->host));
    }
    return GNT_OK;
}

static void release_functions(problem *p) {
    const gnt_model_service *s = p->host->model;
    for (int64_t t = 0; t < p->rounds; t++)
        if (p->function[t] && (t == 0 || p->function[t] != p->function[t - 1]))
            s->release(s->context, p->function[t]);
}

/* Computes δ_i = W_i·x̃/‖x̃‖², of the clipped update at p->x. */
static void put_deltas(problem *p) {
    const int64_t d = p->prior->features;
    const double input = input_squares(p);
    for (int64_t t = 0; t < p->rounds && p->status == GNT_OK; t++) {
        whole_round *round = &p->round[t];
        const gnt_views *made = update_of(p, t);
        const double clipped = made ? layer_clip(p, round, made) : 0;
        for (int64_t i = 0; made && i < made->view[round->w_at].dim[0]; i++) {
            const float *row = made->view[round->w_at].data + i * d;
            double sum = 0;
            for (int64_t k = 0; k < d; k++)
                sum += (double)row[k] * (p->input->slope[k] * (double)p->x[k] + p->input->shift[k]);
            round->delta[i] = input > 0 ? clipped * sum / input : 0;
        }
    }
}

static int make_deltas(problem *p) {
    for (int64_t t = 0; t < p->rounds; t++) {
        const gnt_view *b = &p->round[t].seen->update->view[p->round[t].b_at];
        p->round[t].delta = gnt_host_scratch(p->host, b->count, sizeof(double));
        if (!p->round[t].delta)
            return 0;
    }
    return 1;
}

static int make_narrowing(problem *p) {
    const int64_t d = p->prior->features;
    double *unit = gnt_host_scratch(p->host, d, sizeof *unit);
    for (int64_t k = 0; unit && k < d; k++)
        unit[k] = p->input->slope[k] * p->input->slope[k];
    return unit && narrowing_make(&p->narrows, p->host, p->prior, unit);
}

static int make_room(problem *p) {
    const gnt_host *host = p->host;
    const gnt_views *update = p->round[0].seen->update;
    int32_t steps = 0;
    for (int64_t t = 0; t < p->rounds; t++)
        steps = p->round[t].seen->steps > steps ? p->round[t].seen->steps : steps;
    p->function = gnt_host_scratch(host, p->rounds, sizeof(gnt_function *));
    p->x = gnt_host_scratch(host, p->prior->features, sizeof(float));
    p->y = gnt_host_scratch(host, host->model->info->classes, sizeof(float));
    p->rates = gnt_host_scratch(host, steps + 1, sizeof(float));
    p->drift = gnt_host_scratch(host, p->prior->features, sizeof(double));
    p->cotangent = hook_tensors(host, update);
    return p->function && p->x && p->y && p->rates && p->drift && p->cotangent && make_deltas(p) &&
           make_narrowing(p);
}

static problem problem_of(const gnt_host *host, whole_round *round, int64_t rounds, const noise_law *noise,
                          const sample_prior *prior, const rank_one_input *input) {
    return (problem){.host = host,
                     .round = round,
                     .rounds = rounds,
                     .noise = noise,
                     .prior = prior,
                     .input = input,
                     .status = GNT_OK};
}

gnt_status whole_update_fit(whole_fit *fit, const gnt_host *host, whole_round *round, int64_t rounds,
                            const noise_law *noise, const sample_prior *prior, const rank_one_input *input,
                            double *x) {
    problem p = problem_of(host, round, rounds, noise, prior, input);
    const int64_t size = prior->features + prior->rank;
    float *white[3];
    *fit = (whole_fit){.label = -1};
    for (int i = 0; i < 3; i++)
        white[i] = gnt_host_scratch(host, size, sizeof(float));
    if (!white[0] || !white[1] || !white[2] || !make_room(&p))
        return hook_no_memory(host);
    if (whiten(prior, host, x, white[0]) != 0)
        return gnt_host_fail(host, "what the public samples say is not finite");
    gnt_lbfgs *o = gnt_lbfgs_new(size, HISTORY);
    TRY(have_memory(host, o != NULL, "out of memory"));
    p.status = prepare_functions(&p);
    if (p.status == GNT_OK)
        search_labels(&p, o, white[0], white[1], white[2], fit);
    put_deltas(&p);
    release_functions(&p);
    gnt_lbfgs_free(o);
    if (p.status != GNT_OK)
        return p.status;
    for (int64_t k = 0; k < prior->features; k++)
        x[k] = (double)p.x[k];
    return GNT_OK;
}

gnt_status whole_update_cost(double *cost, const gnt_host *host, whole_round *round, int64_t rounds,
                             const noise_law *noise, const sample_prior *prior, const rank_one_input *input,
                             const double *x) {
    problem p = problem_of(host, round, rounds, noise, prior, input);
    int32_t label[TRIED];
    double by_label[TRIED];
    if (!make_room(&p))
        return hook_no_memory(host);
    for (int64_t k = 0; k < prior->features; k++)
        p.x[k] = (float)fmin(1, fmax(0, x[k]));
    p.status = prepare_functions(&p);
    if (p.status == GNT_OK) {
        labels_by_fit(&p, label, by_label);
        *cost = round[0].seen->labels ? cost_of_rounds(&p) : by_label[0];
    }
    release_functions(&p);
    return p.status;
}
