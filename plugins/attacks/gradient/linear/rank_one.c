#include "linear/rank_one.h"

#include <math.h>
#include <string.h>

#include "linear/first_delta.h"
#include "hook.h"

/* Vector code for the loops, with the same bits: no sum changes its order. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_ITERATIONS = 60, LEAST_ITERATIONS = 5, RESCALED_AT = 3, REWEIGHED = 6 };
static const double prior_scale = 0.15; /* deviation, relative */
static const double sure_scale = 10;    /* Σ w δ² of a bias that gives the scale by itself */
/* Lower limits for Laplace noise: of a residual's deviation, in units of b, and of an entry's precision, in
 * units of 1/b². */
static const double least_spread = 0.02, least_curvature = 0.05;

rank_one_round rank_one_round_make(const gnt_host *host, int64_t units, int64_t features) {
    const size_t entries = (size_t)(units * (features + 1));
    rank_one_round r = {.units = units,
                        .features = features,
                        .g = gnt_host_scratch(host, entries, sizeof(float)),
                        .weight = gnt_host_scratch(host, entries, sizeof(float)),
                        .delta = gnt_host_scratch(host, units, sizeof(double)),
                        .variance = gnt_host_scratch(host, units, sizeof(double))};
    if (!r.weight || !r.delta || !r.variance)
        r.g = NULL;
    r.normal = r.g;
    return r;
}

int rank_one_input_make(rank_one_input *in, const gnt_host *host, int64_t features) {
    const gnt_model_info *info = host->model->info;
    const int64_t area = features / info->dim[0];
    in->slope = gnt_host_scratch(host, features, sizeof *in->slope);
    in->shift = gnt_host_scratch(host, features, sizeof *in->shift);
    for (int64_t k = 0; in->slope && in->shift && k < features; k++) {
        in->slope[k] = info->mean ? 1 / (double)info->deviation[k / area] : 1;
        in->shift[k] = info->mean ? -(double)info->mean[k / area] * in->slope[k] : 0;
    }
    return in->slope && in->shift;
}

int rank_one_fit_make(rank_one_fit *fit, const gnt_host *host, int64_t features) {
    const size_t bytes = (size_t)features * sizeof(double);
    *fit = (rank_one_fit){.settled = RANK_ONE_SETTLED,
                          .x = gnt_host_scratch(host, bytes, 1),
                          .variance = gnt_host_scratch(host, bytes, 1),
                          .evidence = {gnt_host_scratch(host, bytes, 1), gnt_host_scratch(host, bytes, 1)}};
    return fit->x && fit->variance && fit->evidence.precision && fit->evidence.pull;
}

static double expected_of(const rank_one_round *r, int64_t i) {
    return r->expected ? r->expected[i] : 0;
}

/* Sets δ_i = (expected/τ² + Σ w g E[x̃]) / (1/τ² + Σ w E[x̃²]), over the entries of row i. τ² = 0: no
 * prior. */
static void solve_delta(rank_one_round *r, const rank_one_fit *fit, const rank_one_input *in, double tau2) {
    const int64_t d = r->features;
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->normal + i * (d + 1), *w = r->weight + i * (d + 1);
        double pull = (double)w[d] * (double)g[d] + (tau2 > 0 ? expected_of(r, i) / tau2 : 0);
        double precision = (double)w[d] + (tau2 > 0 ? 1 / tau2 : 0);
        for (int64_t k = 0; k < d; k++) {
            const double x = in->slope[k] * fit->x[k] + in->shift[k];
            pull += (double)w[k] * (double)g[k] * x;
            precision += (double)w[k] * (x * x + in->slope[k] * in->slope[k] * fit->variance[k]);
        }
        r->delta[i] = precision > 0 ? pull / precision : 0;
        r->variance[i] = precision > 0 ? 1 / precision : 0;
    }
}

/* Rescales δ. Alternating between x and δ hardly changes how the scale is split between them, but over
 * many iterations the scale drifts to where the prior of x is densest, though real samples are no draws of
 * that prior. The bias determines the scale to within 1/√Σ w δ², the prior to about a sixth. So δ is
 * rescaled once, and where the bias determines it better, in every iteration. */
static void rescale(rank_one_round *r, int is_first) {
    double pull = 0, precision = 0;
    for (int64_t i = 0; i < r->units; i++) {
        const int64_t at = i * (r->features + 1) + r->features;
        pull += (double)r->weight[at] * (double)r->normal[at] * r->delta[i];
        precision += (double)r->weight[at] * r->delta[i] * r->delta[i];
    }
    if (!is_first && precision < sure_scale)
        return;
    const double prior = 1 / (prior_scale * prior_scale), by = (prior + pull) / (prior + precision);
    for (int64_t i = 0; by > 0 && i < r->units; i++)
        r->delta[i] *= by;
}

static double mean_square(const rank_one_round *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->units; i++) {
        const double off = r->delta[i] - expected_of(r, i);
        sum += off * off + r->variance[i];
    }
    return sum / (double)r->units;
}

/* Adds the evidence of a round on x: Σ_i w (g − δ(slope·x + shift))² as a quadratic in x. */
static void add_evidence(evidence *e, const rank_one_round *r, const rank_one_input *in) {
    const int64_t d = r->features;
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->normal + i * (d + 1), *w = r->weight + i * (d + 1);
        const double mean = r->delta[i], square = mean * mean + r->variance[i];
        for (int64_t k = 0; k < d; k++) {
            const double by = (double)w[k] * in->slope[k];
            e->precision[k] += by * in->slope[k] * square;
            e->pull[k] += by * (mean * (double)g[k] - square * in->shift[k]);
        }
    }
}

/* Replaces each entry with Laplace noise by an equivalent normal observation; entries of which nothing is
 * known keep weight 0. */
static void weigh(rank_one_round *r, const rank_one_fit *fit, const rank_one_input *in) {
    const int64_t d = r->features;
    const double b = r->scale, least = least_spread * b;
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->g + i * (d + 1);
        float *w = r->weight + i * (d + 1), *normal = r->normal + i * (d + 1);
        const double mean = r->delta[i], square = mean * mean + r->variance[i];
        for (int64_t k = 0; k <= d; k++) {
            const double x = k < d ? in->slope[k] * fit->x[k] + in->shift[k] : 1;
            const double spread = k < d ? in->slope[k] * in->slope[k] * fit->variance[k] : 0;
            const double off = (double)g[k] - mean * x;
            const double s2 = fmax(r->variance[i] * x * x + square * spread, least * least);
            const double curvature = sqrt(2 / (M_PI * s2)) / b * exp(-off * off / (2 * s2));
            if (!(w[k] > 0))
                continue;
            w[k] = (float)fmax(curvature, least_curvature / (b * b));
            normal[k] = (float)(mean * x + erf(off / sqrt(2 * s2)) / (b * (double)w[k]));
        }
    }
}

/* Allocates the normal observations that replace Laplace ones. Returns 0 if memory ran out. */
static int open_normal(rank_one_round *r, const gnt_host *host) {
    const size_t bytes = (size_t)(r->units * (r->features + 1)) * sizeof *r->normal;
    if (!r->laplace || r->normal != r->g)
        return 1;
    r->normal = gnt_host_scratch(host, bytes, 1);
    return r->normal && memcpy(r->normal, r->g, bytes);
}

static double greatest_change(const double *before, const rank_one_fit *fit, int64_t n) {
    double most = 0;
    for (int64_t k = 0; k < n; k++)
        most = fmax(most, fabs(before[k] - fit->x[k]) / sqrt(fit->variance[k]));
    return most;
}

gnt_status rank_one_solve(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round,
                          int64_t rounds, const rank_one_input *input, const sample_prior *prior,
                          prior_room *room) {
    const int64_t d = prior->features;
    double *before = gnt_host_scratch(host, d, sizeof *before);
    double change = INFINITY;
    TRY(hook_memory(host, before != NULL));
    for (int64_t t = 0; t < rounds; t++)
        TRY(hook_memory(host, open_normal(round[t], host)));
    const int64_t first = fit->begun ? LEAST_ITERATIONS : 0;
    int bad = 0;
    if (!fit->begun) {
        for (int64_t k = 0; k < d; k++)
            fit->evidence.precision[k] = fit->evidence.pull[k] = 0;
        bad = sample_prior_apply(prior, &fit->evidence, room, fit->x, fit->variance);
    }
    for (fit->iterations = first; !bad && fit->iterations < MOST_ITERATIONS; fit->iterations++) {
        TRY(may_go_on(host));
        if (fit->iterations >= LEAST_ITERATIONS && change < fit->settled)
            break;
        for (int64_t k = 0; k < d; k++) {
            before[k] = fit->x[k];
            fit->evidence.precision[k] = fit->evidence.pull[k] = 0;
        }
        for (int64_t t = 0; t < rounds; t++) {
            if (fit->iterations == 0 && round[t]->from_bias) {
                TRY(hook_memory(host, first_delta(round[t], host, input, prior)));
            } else
                solve_delta(round[t], fit, input, fit->iterations ? mean_square(round[t]) : 0);
            if (fit->iterations >= RESCALED_AT && !round[t]->from_bias && !round[t]->expected)
                rescale(round[t], fit->iterations == RESCALED_AT);
            add_evidence(&fit->evidence, round[t], input);
        }
        bad = sample_prior_apply(prior, &fit->evidence, room, fit->x, fit->variance);
        for (int64_t t = 0; !bad && t < rounds; t++)
            if (round[t]->laplace)
                weigh(round[t], fit, input);
        change = greatest_change(before, fit, d);
    }
    if (bad)
        return gnt_host_fail(host, "the estimate is not finite: the update's entries are too large");
    return GNT_OK;
}

int rank_one_rescale(rank_one_fit *fit, rank_one_round *const *round, int64_t rounds,
                     const rank_one_input *input, const sample_prior *prior, prior_room *room, double by) {
    for (int64_t k = 0; k < prior->features; k++)
        fit->evidence.precision[k] = fit->evidence.pull[k] = 0;
    for (int64_t t = 0; t < rounds; t++) {
        for (int64_t i = 0; i < round[t]->units; i++) {
            round[t]->delta[i] *= by;
            round[t]->variance[i] *= by * by;
        }
        add_evidence(&fit->evidence, round[t], input);
    }
    return sample_prior_apply(prior, &fit->evidence, room, fit->x, fit->variance);
}

/* Returns the δ of row i that fits x best; for Laplace noise by iteratively reweighted least squares,
 * weights 1/|r|. */
static double fitting_delta(const rank_one_round *r, int64_t i, const rank_one_input *input,
                            const double *x) {
    const int64_t d = r->features;
    const float *g = r->g + i * (d + 1), *w = r->weight + i * (d + 1);
    double delta = 0;
    for (int turn = 0; turn < (r->laplace ? REWEIGHED : 1); turn++) {
        double pull = 0, precision = 0;
        for (int64_t k = 0; k <= d; k++) {
            const double seen = k < d ? input->slope[k] * x[k] + input->shift[k] : 1;
            double by = (double)w[k];
            if (r->laplace && by > 0)
                by = turn ? 1 / fmax(fabs((double)g[k] - delta * seen), least_spread * r->scale) : 1;
            pull += by * (double)g[k] * seen;
            precision += by * seen * seen;
        }
        delta = precision > 0 ? pull / precision : 0;
    }
    return delta;
}

double rank_one_cost(const rank_one_round *r, const rank_one_input *input, const noise_law *noise,
                     const double *x) {
    const int64_t d = r->features;
    double sum = 0, slope;
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->g + i * (d + 1), *w = r->weight + i * (d + 1);
        const double delta = fitting_delta(r, i, input, x);
        for (int64_t k = 0; k <= d; k++) {
            const double seen = k < d ? input->slope[k] * x[k] + input->shift[k] : 1;
            if (w[k] > 0)
                sum += noise_entry_cost(noise, (double)g[k] - delta * seen, &slope);
        }
    }
    return sum;
}
