#include "linear/column_choice.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"
#include "linear/sparse_columns.h"

static const double most_apart = 0.032; /* share of the units that may contradict a sample */
enum { LEAST_UNITS = 8 };               /* that are compared */
static const double loud = 0.01;        /* noise of a row, in its length: rows of more are not compared */

/* Sets score to the layer's products with the basis; `step` is 1 for the weights at the end. */
static void set_scores(const row_space *s, const layer_rows *l, double *score, double step) {
    for (int64_t i = 0; i < s->units; i++)
        for (int64_t r = 0; r < s->rank; r++) {
            const double *v = s->basis + r * s->width;
            const int64_t f = l->features;
            const float *start = l->weight + i * f, *change = l->w + i * f;
            double sum = ((double)l->bias[i] + step * (double)l->b[i]) * v[f];
            for (int64_t k = 0; k < f; k++)
                sum += ((double)start[k] + step * (double)change[k]) * v[k];
            score[i * s->rank + r] = sum;
        }
}

gnt_status column_choice_start(column_choice *c, const gnt_host *host, const row_space *s,
                               const layer_rows *l, int is_delta) {
    const int64_t b = s->rank;
    *c = (column_choice){.rank = b, .units = s->units, .most = 3 * b + 16, .space = s};
    c->q = gnt_host_scratch(host, c->most * b, sizeof *c->q);
    c->fit = gnt_host_scratch(host, c->most, sizeof *c->fit);
    c->pick = gnt_host_scratch(host, b, sizeof *c->pick);
    c->sample = gnt_host_scratch(host, b * b, sizeof *c->sample);
    c->agrees = gnt_host_scratch(host, b, sizeof *c->agrees);
    c->zero = gnt_host_scratch(host, b * s->units, sizeof *c->zero);
    c->score = gnt_host_scratch(host, 2 * b * s->units, sizeof *c->score);
    c->work = gnt_host_scratch(host, 2 * b * b + 3 * b, sizeof *c->work);
    c->target = gnt_host_scratch(host, s->units, sizeof *c->target);
    TRY(hook_memory(host, c->q && c->fit && c->pick && c->sample && c->agrees && c->zero && c->score &&
                              c->work && c->target));
    set_scores(s, l, c->score, 0);
    c->score_end = is_delta ? c->score + b * s->units : c->score;
    if (is_delta)
        set_scores(s, l, c->score_end, 1);
    return GNT_OK;
}

int column_choice_is_sample(const column_choice *c, int64_t which) {
    return c->agrees[which] >= 1 - most_apart;
}

/* Returns the noise of a row in its length; 0 of a row of zeros, where no sample was active. */
static double noise_of(const row_space *s, int64_t unit) {
    return s->norm[unit] > 0 ? fmax(s->noise, s->left[unit] / s->norm[unit]) : 0;
}

static int is_zero(const row_space *s, int64_t unit, const double *q) {
    const double norm = s->norm[unit];
    return norm == 0 ||
           sparse_columns_is_zero(small_dot(s->at + unit * s->most, q, s->rank) / norm, noise_of(s, unit));
}

/* ---- one column ---- */

/* Takes one step of Newton's method for the point a that minimises Σ max(0, 1 − target·score·a)², with
 * scores of length 1. Returns the share of units on their side before it. */
static double step_to_sides(column_choice *c, double *a, int64_t units) {
    const int64_t b = c->rank;
    double *normal = c->work, *inverse = normal + b * b, *slope = inverse + b * b;
    int64_t right = 0;
    c->spent += (double)(b * b * (4 * b + 2 * units));
    memset(normal, 0, (size_t)(b * b) * sizeof *normal);
    memset(slope, 0, (size_t)b * sizeof *slope);
    for (int64_t i = 0; i < c->units; i++) {
        const double *score = c->score + i * b, target = c->target[i];
        if (target == 0)
            continue;
        const double length = sqrt(small_dot(score, score, b));
        const double lacks = 1 - target * small_dot(score, a, b) / length;
        right += lacks < 1;
        for (int64_t j = 0; lacks > 0 && j < b; j++) {
            slope[j] += target * lacks * score[j] / length;
            for (int64_t k = 0; k < b; k++)
                normal[j * b + k] += score[j] * score[k] / (length * length);
        }
    }
    for (int64_t k = 0; k < b; k++)
        normal[k * (b + 1)] += 1e-9 * (double)units;
    if (!small_invert(normal, inverse, b))
        return -1;
    for (int64_t j = 0; j < b; j++)
        a[j] += small_dot(inverse + j * b, slope, b);
    return (double)right / (double)units;
}

/* Returns which share of the units have the sides that q's zeros demand, at the point for which most do. */
static double find_fit(column_choice *c, const double *q) {
    enum { STEPS = 12 };
    double *a = c->work + 2 * c->rank * c->rank + c->rank, best = 0;
    int64_t units = 0;
    memset(a, 0, (size_t)c->rank * sizeof *a);
    for (int64_t i = 0; i < c->units; i++) {
        const int compared = noise_of(c->space, i) <= loud;
        c->target[i] = !compared ? 0 : is_zero(c->space, i, q) ? -1 : 1;
        units += compared;
    }
    for (int i = 0; i < STEPS && best < 1; i++)
        best = fmax(best, step_to_sides(c, a, units));
    return best;
}

int column_choice_consider(column_choice *c, const double *q) {
    const double fit = find_fit(c, q);
    int64_t at = c->n;
    if (fit < 1 - 2 * most_apart)
        return 0;
    for (int64_t j = 0; j < c->n; j++)
        if (fabs(small_dot(c->q + j * c->rank, q, c->rank)) > 1 - 1e-9)
            return 0;
    if (c->n < c->most) {
        c->n++;
    } else {
        at = 0;
        for (int64_t j = 1; j < c->n; j++)
            at = c->fit[j] < c->fit[at] ? j : at;
        if (fit <= c->fit[at])
            return 0;
    }
    memcpy(c->q + at * c->rank, q, (size_t)c->rank * sizeof *q);
    c->fit[at] = fit;
    return 1;
}

/* ---- a choice ---- */

/* Sets `zero` of one sample and returns the share of the units that agree with the layer. */
static double compare(column_choice *c, int64_t which) {
    const int64_t b = c->rank;
    const double *q = c->q + c->pick[which] * b, *x = c->sample + which * b;
    int64_t agreeing = 0, compared = 0;
    for (int64_t i = 0; i < c->units; i++) {
        const double start = small_dot(c->score + i * b, x, b), end = small_dot(c->score_end + i * b, x, b);
        const int zero = is_zero(c->space, i, q);
        c->zero[which * c->units + i] = (uint8_t)zero;
        if (noise_of(c->space, i) > loud || (start > 0) != (end > 0))
            continue;
        compared++;
        agreeing += zero == !(start > 0);
    }
    return compared >= LEAST_UNITS ? (double)agreeing / (double)compared : -1;
}

/* Computes `sample`, `zero` and `agrees` of the columns picked. Returns the sum of what agrees; −1 if the
 * columns depend on each other. */
static double evaluate(column_choice *c) {
    const int64_t b = c->rank;
    const row_space *s = c->space;
    double sum = 0;
    c->spent += (double)(b * b * (4 * b + 6 * c->units));
    for (int64_t i = 0; i < b; i++) /* sample·q = 1 of its own column, 0 of the others */
        for (int64_t k = 0; k < b; k++)
            c->work[k * b + i] = c->q[c->pick[i] * b + k];
    if (!small_invert(c->work, c->sample, b))
        return -1;
    for (int64_t i = 0; i < b; i++) {
        double last = 0, *x = c->sample + i * b;
        for (int64_t r = 0; r < b; r++)
            last += x[r] * s->basis[(r + 1) * s->width - 1];
        for (int64_t r = 0; r < b; r++)
            x[r] /= last;
        c->agrees[i] = last != 0 ? compare(c, i) : -1;
        sum += c->agrees[i];
    }
    return sum;
}

static int is_picked(const column_choice *c, int64_t column) {
    for (int64_t i = 0; i < c->rank; i++)
        if (c->pick[i] == column)
            return 1;
    return 0;
}

/* Adds the column to the basis of those picked, unless it depends on them. */
static int add_to_basis(const column_choice *c, int64_t column, int64_t picked, double *basis) {
    const int64_t b = c->rank;
    double *v = basis + picked * b;
    memcpy(v, c->q + column * b, (size_t)b * sizeof *v);
    for (int times = 0; times < 2; times++)
        for (int64_t r = 0; r < picked; r++) {
            const double part = small_dot(basis + r * b, v, b);
            for (int64_t k = 0; k < b; k++)
                v[k] -= part * basis[r * b + k];
        }
    const double norm = sqrt(small_dot(v, v, b));
    for (int64_t k = 0; k < b; k++)
        v[k] /= norm;
    return norm > 100 * c->space->noise;
}

/* Picks columns that fit best first, such that they are independent. Returns how many it picked. */
static int64_t pick_best(column_choice *c) {
    int64_t picked = 0;
    double below = 2;
    while (picked < c->rank) { /* the columns of one fit after the other */
        double fit = -1;
        for (int64_t j = 0; j < c->n; j++)
            fit = c->fit[j] < below ? fmax(fit, c->fit[j]) : fit;
        for (int64_t j = 0; j < c->n && picked < c->rank; j++)
            if (c->fit[j] == fit && add_to_basis(c, j, picked, c->work))
                c->pick[picked++] = j;
        if (fit < 0)
            break;
        below = fit;
    }
    return picked;
}

/* Exchanges one column for a better one, if there is one. best: the sum of what agrees, in and out. */
static int exchange(column_choice *c, double *best) {
    for (int64_t i = 0; i < c->rank; i++) {
        const int64_t kept = c->pick[i];
        int64_t better = kept;
        for (int64_t j = 0; j < c->n; j++) {
            if (is_picked(c, j))
                continue;
            c->pick[i] = j;
            const double sum = evaluate(c);
            if (sum > *best + 1e-9) {
                *best = sum;
                better = j;
            }
            c->pick[i] = kept;
        }
        c->pick[i] = better;
        if (better != kept)
            return 1;
    }
    return 0;
}

int64_t column_choice_make(column_choice *c) {
    if (c->n < c->rank || pick_best(c) < c->rank)
        return 0;
    double best = evaluate(c);
    int64_t samples = 0;
    while (best < (double)c->rank - 1e-9 && exchange(c, &best))
        ;
    evaluate(c);
    for (int64_t i = 0; i < c->rank; i++)
        samples += column_choice_is_sample(c, i);
    return samples;
}
