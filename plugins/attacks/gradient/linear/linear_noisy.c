/* linear-layer for an update that is noisy or pruned.
 *
 *  1. The noise is given by the granted defense or by a parameter, or estimated from the layer.
 *  2. rank_one.h estimates the sample from all rows of the layer, in all rounds that show the same sample,
 *     under a prior whose setting is chosen on the public samples.
 *  3. If clip and noise are known, whole_update.h refines δ; its result is kept if it agrees with the
 *     layer's δ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "defense/granted_defense.h"
#include "linear/both_signs.h"
#include "linear/linear_layer.h"
#include "linear/rank_one.h"
#include "prior/natural_rows.h"
#include "update.h"
#include "linear/whole_update.h"
#include "hook.h"

static const double rounding = 1e-6; /* of floats, against the largest entry: the noise where there is none */
static const double negligible =
    1e-3; /* deviation of noise against the layer's norm, both over all entries */
static const double laplace_below =
    0.752;                             /* mean |r| / √mean r²: 0.798 in a normal law, 0.707 in Laplace's */
static const double many_zeros = 0.05; /* share of entries */
static const double settled_to_choose =
    0.1; /* as rank_one.h has it: a choice is by factors of 4 in variance */
static const double least_precision = 1e-9;
static const double least_loud = 1e-6; /* where nothing is left: so that precisions are floats */
enum { SCALES = 11 };
static const double coarse = 2, fine = 1.15; /* factors of the scale that are tried, at most */

typedef struct estimate {
    linear_layer *s;
    const gnt_host *host;
    layer_noise noise;
    sample_shape shape;
    const float *known; /* n_known public samples */
    int64_t n_known;
    sample_prior prior;
    prior_room *room;
    rank_one_input input;
    rank_one_fit fit;
    int64_t rounds; /* the observation, then its history */
    whole_round *whole;
    rank_one_round *of, **list;
    gnt_status judged; /* of what judged the signs */
} estimate;

/* ---- what is known of the noise ---- */

static int64_t zeros_of(const gnt_view *v) {
    int64_t n = 0;
    for (int64_t i = 0; i < v->count; i++)
        n += v->data[i] == 0;
    return n;
}

enum { POWER_STEPS = 30 };

/* Computes the greatest singular pair of W (units × features): W ≈ left·rightᵀ, ‖right‖ = 1. */
static void principal_pair(const gnt_view *w, double *left, double *right) {
    const int64_t units = w->dim[0], d = w->dim[1];
    for (int64_t i = 0; i < units; i++)
        left[i] = 1;
    for (int step = 0; step <= POWER_STEPS; step++) {
        double norm = 0;
        for (int64_t k = 0; k < d; k++)
            right[k] = 0;
        for (int64_t i = 0; i < units; i++)
            for (int64_t k = 0; k < d; k++)
                right[k] += (left[i] + (step == 0 && i % 2)) * (double)w->data[i * d + k];
        for (int64_t k = 0; k < d; k++)
            norm += right[k] * right[k];
        for (int64_t k = 0; k < d; k++)
            right[k] /= norm > 0 ? sqrt(norm) : 1;
        for (int64_t i = 0; i < units; i++) {
            left[i] = 0;
            for (int64_t k = 0; k < d; k++)
                left[i] += (double)w->data[i * d + k] * right[k];
        }
    }
}

/* Estimates the noise: one sample's weight gradient has rank one, and the rest is noise or pruning. */
static layer_noise noise_read_off(const gnt_host *host, const gnt_view *w) {
    const int64_t units = w->dim[0], d = w->dim[1];
    layer_noise out = {.granted = 0};
    double *left = gnt_host_scratch(host, units, sizeof *left);
    double *right = gnt_host_scratch(host, d, sizeof *right);
    double sizes = 0, squares = 0;
    if (!left || !right || units < 2 || d < 2)
        return out;
    principal_pair(w, left, right);
    for (int64_t i = 0; i < units; i++)
        for (int64_t k = 0; k < d; k++) {
            const double r = (double)w->data[i * d + k] - left[i] * right[k];
            sizes += fabs(r);
            squares += r * r;
        }
    if (!(squares > negligible * negligible * squares_of(w)))
        return out;
    if ((double)zeros_of(w) > many_zeros * (double)w->count) {
        out.pruned = 1;
        return out;
    }
    const double mean = sizes / (double)w->count, freedom = (double)((units - 1) * (d - 1));
    out.law.kind = mean < laplace_below * sqrt(squares / (double)w->count) ? NOISE_LAPLACE : NOISE_GAUSSIAN;
    out.law.scale = sqrt(squares / freedom) / (out.law.kind == NOISE_LAPLACE ? sqrt(2) : 1);
    return out;
}

int linear_is_noisy(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                    layer_noise *noise) {
    const granted_defense granted = granted_defense_of(seen);
    const uint8_t *covered;
    *noise = (layer_noise){.granted = 0};
    if (seen->n != 1 || s->noise == 0 || granted_layers(s->host, &granted, seen->update, &covered) != GNT_OK)
        return 0;
    if (covered) { /* the layer on its own: what is around it has other noise */
        noise->law = (noise_law){.kind = covered[l->w_at] ? granted.of_layers.kind : NOISE_NONE,
                                 .scale = granted.of_layers.scale,
                                 .mean = granted.of_layers.mean};
        return noise->law.kind != NOISE_NONE;
    }
    if (s->noise > 0)
        noise->law = (noise_law){.kind = NOISE_GAUSSIAN, .scale = s->noise};
    else if (granted.is_complete) /* what another plugin did counts as noise: read off */
        *noise = (layer_noise){granted.noise, granted.pruned, granted.pruned_together, 1};
    if (s->noise < 0 && !noise->granted && seen->public_data)
        *noise = noise_read_off(s->host, l->w);
    return noise->law.kind != NOISE_NONE || noise->pruned;
}

/* ---- rounds ---- */

static float largest_in(const float *v, int64_t n) {
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(v[i]));
    return most;
}

/* Returns the least magnitude that survived pruning; INFINITY if none did. */
static double least_of(const gnt_view *v) {
    float least = INFINITY;
    for (int64_t i = 0; i < v->count; i++)
        if (v->data[i] != 0)
            least = fminf(least, fabsf(v->data[i]));
    return (double)least;
}

typedef struct entry_law {
    double precision, zero_precision, mean; /* of what is there, and of what was pruned */
    double bound;                           /* of what was pruned; 0: nothing was */
} entry_law;

/* Returns the bound on the magnitude of a tensor's pruned entries: its least survivor, or that of the whole
 * update if one threshold served all tensors. Nothing is known of a tensor without survivors. */
static double pruned_within(const layer_noise *n, const gnt_views *update, const gnt_view *v) {
    double least = least_of(v);
    for (int64_t t = 0; n->pruned_together && t < update->n; t++)
        least = fmin(least, least_of(&update->view[t]));
    return n->pruned ? least : 0;
}

static entry_law law_of(const layer_noise *n, const gnt_views *update, const gnt_view *v, double loudest) {
    const double deviation = noise_deviation(&n->law);
    const double variance = fmax(deviation * deviation, rounding * rounding * loudest * loudest);
    const double bound = pruned_within(n, update, v);
    return (entry_law){1 / variance, 1 / fmax(variance, bound * bound / 3), n->law.mean, bound};
}

static void put(const entry_law *law, float value, int apart, float *g, float *w) {
    const int zero = law->bound > 0 && value == 0;
    *g = zero ? 0 : (float)((double)value - law->mean);
    *w = apart ? 0 : (float)(zero ? law->zero_precision : law->precision);
}

static gnt_status open_round(estimate *e, int64_t t, const gnt_observation *seen) {
    const int64_t d = e->shape.features;
    rank_one_round *r = &e->of[t];
    dense_layer l;
    TRY(linear_find(e->s, seen, d, &l));
    const double loudest =
        fmax((double)fmaxf(largest_in(l.w->data, l.w->count), largest_in(l.b->data, l.b->count)), least_loud);
    const entry_law weights = law_of(&e->noise, seen->update, l.w, loudest),
                    biases = law_of(&e->noise, seen->update, l.b, loudest);
    if (!isfinite(squares_of(l.w) + squares_of(l.b)))
        return gnt_host_fail(e->host, "the observed update holds NaN or infinite entries");
    *r = rank_one_round_make(e->host, l.b->count, d);
    TRY(hook_memory(e->host, r->g != NULL));
    r->laplace = e->noise.law.kind == NOISE_LAPLACE;
    r->scale = e->noise.law.scale;
    r->from_bias = e->noise.law.kind == NOISE_NONE;
    r->bias_bound = biases.bound;
    const int is_missing = e->noise.law.kind != NOISE_NONE && squares_of(l.b) == 0; /* it was not sent */
    for (int64_t i = 0; i < r->units; i++) {
        float *g = r->g + i * (d + 1), *w = r->weight + i * (d + 1);
        for (int64_t k = 0; k < d; k++)
            put(&weights, l.w->data[i * d + k], outliers_has(&l.apart, l.w_at, i * d + k), g + k, w + k);
        put(&biases, l.b->data[i], is_missing || outliers_has(&l.apart, l.b_at, i), g + d, w + d);
        if (weights.bound > 0 && largest_in(g, d + 1) == 0)
            memset(w, 0, (size_t)(d + 1) * sizeof *w); /* a small δ, whatever x is */
    }
    e->list[t] = r;
    e->whole[t] = (whole_round){.seen = seen, .apart = l.apart, .w_at = l.w_at, .b_at = l.b_at};
    return GNT_OK;
}

static gnt_status open_rounds(estimate *e, const gnt_observation *seen) {
    const gnt_host *host = e->host;
    const size_t most = (size_t)(1 + (seen->history ? seen->n_history : 0));
    e->whole = gnt_host_scratch(host, most, sizeof *e->whole);
    e->of = gnt_host_scratch(host, most, sizeof *e->of);
    e->list = gnt_host_scratch(host, most, sizeof *e->list);
    if (!e->whole || !e->of || !e->list || !rank_one_input_make(&e->input, host, e->shape.features) ||
        !rank_one_fit_make(&e->fit, host, e->shape.features))
        return hook_no_memory(host);
    TRY(open_round(e, 0, seen));
    e->rounds = 1;
    for (size_t t = 1; t < most; t++) {
        const gnt_observation *past = seen->history[t - 1];
        if (past->n == 1 && is_whole_update(host->model->info, past->update))
            TRY(open_round(e, e->rounds++, past));
    }
    return GNT_OK;
}

/* ---- the estimate ---- */

static gnt_status solve(estimate *e, int64_t from, int64_t n) {
    return rank_one_solve(&e->fit, e->host, e->list + from, n, &e->input, &e->prior, e->room);
}

static gnt_status open_prior(estimate *e, int candidate) {
    TRY(kept_prior_get(&e->s->known, &e->prior, e->host, &e->shape, e->known, e->n_known, candidate));
    e->room = prior_room_make(e->host, &e->prior);
    return hook_memory(e->host, e->room != NULL);
}

/* Returns the noise's variance in an entry of x that the rounds leave, on average over precisions. */
static double variance_left(const estimate *e) {
    double sum = 0;
    for (int64_t k = 0; k < e->shape.features; k++)
        sum += e->fit.evidence.precision[k];
    return (double)e->shape.features / fmax(sum, least_precision);
}

/* Solves roughly with the preset, chooses a setting by the noise that is left, and takes that prior. */
static gnt_status choose_prior(estimate *e) {
    int choice = 0;
    kept_prior_begin(&e->s->known, e->known, e->n_known, e->shape.features);
    TRY(open_prior(e, 0));
    e->fit.settled = settled_to_choose;
    TRY(solve(e, 0, 1));
    e->fit.settled = RANK_ONE_SETTLED;
    if (e->n_known == 0)
        return GNT_OK;
    TRY(kept_prior_choose(&e->s->known, &choice, e->host, &e->shape, e->known, e->n_known, variance_left(e)));
    gnt_host_fact(e->host, "prior_setting", (double)choice);
    return choice == 0 ? GNT_OK : open_prior(e, choice);
}

/* Sets value and variance to the estimate of x from the rounds alone, without the prior; the variance is
 * very large where they reveal nothing. */
static void estimate_without_prior(const estimate *e, double *value, double *variance) {
    for (int64_t k = 0; k < e->shape.features; k++) {
        const double precision = e->fit.evidence.precision[k];
        value[k] = precision > least_precision ? e->fit.evidence.pull[k] / precision : e->prior.mean[k];
        variance[k] = 1 / fmax(precision, least_precision);
    }
}

static double density_of(estimate *e, double scale, const double *y, const double *noise) {
    if (sample_prior_density_open(&e->prior, scale, noise, e->room) != 0)
        return (double)NAN;
    return sample_prior_density_at(&e->prior, y, e->room);
}

/* Sets *same to 1 if round t differs from the observation by noise, rather than being of another sample.
 * Under the prior both are hypotheses about the difference: N(0, R) against N(0, R + 2·covariance). */
static gnt_status is_same_sample(estimate *e, int64_t t, const double *value, const double *variance,
                                 double *off, double *both, int *same) {
    TRY(solve(e, t, 1));
    estimate_without_prior(e, off, both);
    for (int64_t k = 0; k < e->shape.features; k++) {
        off[k] -= value[k];
        both[k] += variance[k];
    }
    *same = density_of(e, 0, off, both) >= density_of(e, 2, off, both);
    return GNT_OK;
}

/* Drops the earlier rounds, leaving the observation's own estimate in fit.x, if one of them shows another
 * sample. Otherwise the joint estimate is still to be solved, from its beginning. */
static gnt_status compare_rounds(estimate *e) {
    const gnt_host *host = e->host;
    const size_t bytes = (size_t)e->shape.features * sizeof(double);
    double *room[5];
    int same = 1;
    TRY(solve(e, 0, 1));
    e->fit.begun = 0;
    for (int i = 0; i < 5; i++)
        room[i] = gnt_host_scratch(host, bytes, 1);
    TRY(hook_memory(host, room[0] && room[1] && room[2] && room[3] && room[4]));
    memcpy(room[4], e->fit.x, bytes);
    estimate_without_prior(e, room[0], room[1]);
    for (int64_t t = 1; same && t < e->rounds; t++)
        TRY(is_same_sample(e, t, room[0], room[1], room[2], room[3], &same));
    if (!same) {
        gnt_host_log(host, GNT_LOG_WARN,
                     "the client's earlier updates are of other samples than this one's: they are left out");
        memcpy(e->fit.x, room[4], bytes);
        e->rounds = 1;
    }
    gnt_host_fact(host, "rounds_joined", (double)e->rounds);
    return GNT_OK;
}

/* True if x is plausible. With the true x and y the layer's δ differ from those of a free fit by noise
 * alone: twice the difference of the costs has a χ² law with a degree of freedom for each δ. A unit that is
 * wrongly taken for active or inactive makes it much larger. */
static int is_plausible(const estimate *e, const double *x) {
    double excess = 0, units = 0;
    for (int64_t t = 0; t < e->rounds; t++) {
        excess += e->whole[t].layer_cost - rank_one_cost(e->list[t], &e->input, &e->noise.law, x);
        units += (double)e->list[t]->units;
    }
    gnt_host_fact(e->host, "excess", excess / units);
    return 2 * excess <= units + 2 * sqrt(2 * units);
}

/* True if the law of all entries is known, so that the whole update can be used. */
static int is_whole_known(const estimate *e) {
    return !e->s->first_alone && e->noise.granted && e->noise.law.kind != NOISE_NONE && !e->noise.pruned;
}

/* Sets *cost to that of the whole updates at fit.x. */
static gnt_status cost_of_whole(estimate *e, double *cost) {
    return whole_update_cost(cost, e->host, e->whole, e->rounds, &e->noise.law, &e->prior, &e->input,
                             e->fit.x);
}

/* Tries factors of δ, from 1/most to most, with the sample that goes with each, and leaves the one at which
 * the sample explains the whole updates best; *cost: that. */
static gnt_status try_scales(estimate *e, double most, double *cost) {
    double best = 1, last = 1;
    *cost = INFINITY;
    for (int i = 0; i <= SCALES; i++) {
        const double at = i < SCALES ? pow(most, 2.0 * i / (SCALES - 1) - 1) : best;
        double tried = INFINITY;
        TRY(may_go_on(e->host));
        if (rank_one_rescale(&e->fit, e->list, e->rounds, &e->input, &e->prior, e->room, at / last) != 0)
            return gnt_host_fail(e->host, "the estimate is not finite: the update's entries are too large");
        last = at;
        if (i < SCALES)
            TRY(cost_of_whole(e, &tried));
        if (tried < *cost) {
            *cost = tried;
            best = at;
        }
    }
    return GNT_OK;
}

/* Finds the scale by the network, which makes δ of the sample, so that a sample of a wrong scale does not
 * explain the update. The first layer alone shows it by its bias, which noise hides, and by the prior. */
static gnt_status scale_by_network(estimate *e, double *cost) {
    TRY(try_scales(e, coarse, cost));
    return try_scales(e, fine, cost);
}

/* Returns the cost of the whole update at the best scale, for a sign_judge: x is fit.x. */
static double whole_cost(void *estimate_, const double *x) {
    estimate *e = estimate_;
    double cost = (double)NAN;
    (void)x;
    if (e->judged == GNT_OK)
        e->judged = scale_by_network(e, &cost);
    return cost;
}

/* Returns the cost of a pruned update at x itself, for a sign_judge: missing entries count as noise as
 * large as the least that is left. */
static double pruned_cost(void *estimate_, const double *x) {
    estimate *e = estimate_;
    noise_law law = e->noise.law; /* its clip, if any */
    double cost = (double)NAN;
    law.kind = NOISE_GAUSSIAN;
    law.scale = INFINITY;
    for (int64_t t = 0; t < e->rounds; t++)
        for (int64_t v = 0; v < e->whole[t].seen->update->n; v++)
            law.scale = fmin(law.scale, least_of(&e->whole[t].seen->update->view[v]));
    if (e->judged == GNT_OK && isfinite(law.scale))
        e->judged = whole_update_cost(&cost, e->host, e->whole, e->rounds, &law, &e->prior, &e->input, x);
    return cost;
}

static gnt_status choose_sign(estimate *e) {
    const gnt_host *host = e->host;
    layer_densities l = {.round = e->list,
                         .rounds = e->rounds,
                         .input = &e->input,
                         .noise = &e->noise.law,
                         .prior = &e->prior,
                         .room = e->room};
    sign_judge judge = {whole_cost, e};
    l.vectors = gnt_host_scratch(host, 2 * e->shape.features, sizeof *l.vectors);
    TRY(hook_memory(host, l.vectors != NULL));
    if (e->noise.law.kind == NOISE_NONE)
        judge.cost = pruned_cost;
    else if (!is_whole_known(e))
        judge = (sign_judge){layer_densities_cost, &l};
    TRY(both_signs(&e->fit, host, e->list, e->rounds, &e->input, &e->prior, e->room, judge));
    return e->judged;
}

/* Solves again, with the δ inferred from the whole updates as prior means. */
static gnt_status solve_about(estimate *e) {
    for (int64_t t = 0; t < e->rounds; t++) {
        e->list[t]->expected = e->whole[t].delta;
        memcpy(e->list[t]->delta, e->whole[t].delta, (size_t)e->list[t]->units * sizeof(double));
    }
    e->fit.begun = 1;
    return solve(e, 0, e->rounds);
}

/* Puts the estimate `before` back if it explains the whole updates better; *kept: it does not. */
static gnt_status keep_better(estimate *e, const double *before, int *kept) {
    double earlier, now;
    TRY(whole_update_cost(&earlier, e->host, e->whole, e->rounds, &e->noise.law, &e->prior, &e->input,
                          before));
    TRY(whole_update_cost(&now, e->host, e->whole, e->rounds, &e->noise.law, &e->prior, &e->input, e->fit.x));
    *kept = !(earlier < now);
    if (!*kept)
        memcpy(e->fit.x, before, (size_t)e->shape.features * sizeof *before);
    return GNT_OK;
}

static gnt_status refine(estimate *e) {
    const gnt_host *host = e->host;
    whole_fit whole;
    double *x = gnt_host_scratch(host, e->shape.features, sizeof *x);
    TRY(hook_memory(host, x != NULL));
    memcpy(x, e->fit.x, (size_t)e->shape.features * sizeof *x);
    TRY(whole_update_fit(&whole, host, e->whole, e->rounds, &e->noise.law, &e->prior, &e->input, x));
    int kept = is_plausible(e, x);
    if (kept) {
        memcpy(x, e->fit.x, (size_t)e->shape.features * sizeof *x);
        TRY(solve_about(e));
        TRY(keep_better(e, x, &kept));
    }
    gnt_host_fact(host, "whole_update_kept", kept);
    return GNT_OK;
}

static gnt_status give(const estimate *e, const gnt_answer *answer) {
    const gnt_host *host = e->host;
    const int64_t d = e->shape.features;
    float *x = gnt_host_scratch(host, d, sizeof *x);
    double squares = 0;
    TRY(hook_memory(host, x != NULL));
    for (int64_t k = 0; k < d; k++)
        x[k] = (float)fmin(1, fmax(0, e->fit.x[k]));
    for (int64_t i = 0; i < e->of[0].units; i++)
        squares += e->of[0].delta[i] * e->of[0].delta[i];
    gnt_host_fact(host, "noise_scale", e->noise.law.scale);
    gnt_host_fact(host, "delta_norm", sqrt(squares));
    gnt_host_fact(host, "iterations", (double)e->fit.iterations);
    return answer->reconstruction(answer->context, 1, x);
}

gnt_status linear_noisy_run(linear_layer *s, const gnt_observation *seen, const layer_noise *noise,
                            const gnt_answer *answer) {
    estimate e = {.s = s, .host = s->host, .noise = *noise, .shape = sample_shape_of(s->host->model->info)};
    const gnt_samples *known = natural_rows(seen, e.shape.features);
    if (known) {
        e.known = known->x;
        e.n_known = known->n;
    }
    TRY(open_rounds(&e, seen));
    TRY(choose_prior(&e));
    e.fit.begun = 1;
    if (e.rounds > 1)
        TRY(compare_rounds(&e));
    if (e.fit.begun || e.rounds > 1)
        TRY(solve(&e, 0, e.rounds));
    TRY(choose_sign(&e));
    if (is_whole_known(&e)) {
        double cost;
        TRY(scale_by_network(&e, &cost));
        TRY(refine(&e));
    }
    return give(&e, answer);
}
