#include "linear/vertices.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

enum { PIVOTS = 40, STARTS = 4 };   /* the first for each dimension */
enum { STRIDE = 7919 };             /* a prime above any number of forms: steps of it meet all */
static const double tolerance = 10; /* times the noise: what counts as 0 */
static const double most_zero =
    0.02; /* of the root mean square of all forms: of larger ones none counts as 0 */
static const double most_rest = 0.05; /* of a form that the forms before it leave of it, at the first start */
static const double favoured = 0.1; /* of the root mean square of all forms: how near to 0 they weigh most */
enum { SOFT_PASSES = 4 };           /* in each, forms that are small, but not 0, count less */
static const double softer = 0.03;
static const double most_leverage = 1 - 1e-6;
static const double least_slope = 1e-9; /* of the longest */

gnt_status vertices_start(vertices *v, const gnt_host *host, const double *row, const double *error,
                          int64_t n, int64_t rank) {
    *v = (vertices){.host = host, .n = n, .rank = rank, .row = row, .error = error};
    v->q = gnt_host_scratch(host, 3 * rank, sizeof *v->q);
    v->active = gnt_host_scratch(host, rank, sizeof *v->active);
    v->edge = gnt_host_scratch(host, rank * rank, sizeof *v->edge);
    v->value = gnt_host_scratch(host, 2 * n, sizeof *v->value);
    v->work = gnt_host_scratch(host, 2 * rank * rank + rank, sizeof *v->work);
    TRY(hook_memory(host, v->q && v->active && v->edge && v->value && v->work));
    v->sum = v->q + rank;
    v->cost = v->sum + rank;
    v->slope = v->value + n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < rank; k++)
            v->sum[k] += row[j * rank + k];
    v->length = sqrt(small_dot(row, row, n * rank) / (double)n);
    return GNT_OK;
}

/* Returns the deviation of a form at q. */
static double noise_at(const vertices *v, const double *q) {
    double squares = 0;
    for (int64_t k = 0; k < v->rank; k++)
        squares += q[k] * q[k] * v->error[k] * v->error[k];
    return sqrt(squares);
}

static void set_products(vertices *v, const double *q, double *out) {
    for (int64_t j = 0; j < v->n; j++)
        out[j] = small_dot(v->row + j * v->rank, q, v->rank);
    v->spent += (double)(2 * v->n * v->rank);
}

/* ---- the simplex method ---- */

/* Sets edges and values from the forms that are 0, so that rounding does not add up. Returns 0 if the forms
 * depend on each other. */
static int renew(vertices *v) {
    const int64_t b = v->rank;
    double *forms = v->work, *inverse = forms + b * b;
    for (int64_t i = 0; i < b; i++)
        memcpy(forms + i * b, i + 1 < b ? v->row + v->active[i] * b : v->sum, (size_t)b * sizeof *forms);
    v->spent += (double)(4 * b * b * b);
    if (!small_invert(forms, inverse, b))
        return 0;
    for (int64_t i = 0; i < b; i++)
        for (int64_t k = 0; k < b; k++)
            v->edge[i * b + k] = inverse[k * b + i];
    set_products(v, v->edge + (b - 1) * b, v->value);
    return 1;
}

/* Takes from u what the n vectors of the basis, of length 1, have of it. Returns the length of the rest. */
static double leave_out(const double *basis, int64_t n, double *u, int64_t b) {
    for (int64_t i = 0; i < n; i++) {
        const double part = small_dot(basis + i * b, u, b);
        for (int64_t k = 0; k < b; k++)
            u[k] -= part * basis[i * b + k];
    }
    return sqrt(small_dot(u, u, b));
}

/* Begins where forms are 0 that follow a random one and that far from depend on each other. Returns 0 if
 * there are not enough. */
static int draw_point(vertices *v, double least_rest) {
    const int64_t b = v->rank;
    const int64_t first = (int64_t)v->host->below(v->host->context, "vertices", (uint64_t)v->n);
    double *basis = v->work;
    int64_t n = 0;
    for (int64_t j = -1; j < v->n && n < b; j++) {
        const int64_t at = (first + j * STRIDE) % v->n;
        const double *form = j < 0 ? v->sum : v->row + at * b;
        double *u = basis + n * b;
        memcpy(u, form, (size_t)b * sizeof *u);
        const double rest = leave_out(basis, n, u, b);
        if (!(rest > least_rest * sqrt(small_dot(form, form, b))))
            continue;
        for (int64_t k = 0; k < b; k++)
            u[k] /= rest;
        if (n > 0)
            v->active[n - 1] = at;
        n++;
    }
    v->spent += (double)(2 * v->n * b * b);
    return n == b && renew(v);
}

/* Sets the cost: the objective, or where forms are negative, minus their sum. Returns how many are. */
static int64_t set_cost(vertices *v, const double *objective, double zero) {
    int64_t negative = 0;
    memcpy(v->cost, objective, (size_t)v->rank * sizeof *v->cost);
    for (int64_t j = 0; j < v->n; j++) {
        if (v->value[j] >= -zero)
            continue;
        if (negative++ == 0)
            memset(v->cost, 0, (size_t)v->rank * sizeof *v->cost);
        for (int64_t k = 0; k < v->rank; k++)
            v->cost[k] -= v->row[j * v->rank + k];
    }
    return negative;
}

/* Returns the edge along which the cost falls fastest; −1 if it falls along none. */
static int64_t steepest(const vertices *v) {
    const int64_t b = v->rank;
    const double norm = sqrt(small_dot(v->cost, v->cost, b));
    double least = -1e-9 * norm;
    int64_t best = -1;
    for (int64_t i = 0; i + 1 < b; i++) {
        const double *edge = v->edge + i * b;
        const double fall = small_dot(v->cost, edge, b) / sqrt(small_dot(edge, edge, b));
        if (fall < least) {
            least = fall;
            best = i;
        }
    }
    return best;
}

/* Returns the form that becomes 0 first along the slopes, of several within the tolerance the one with
 * the steepest slope; while forms are negative, those that are not stop it, or else the last of these to
 * become 0. −1: none does. */
static int64_t first_zero(const vertices *v, double zero, double flat) {
    double reach = INFINITY, steep = 0, farthest = 0;
    int64_t best = -1, last = -1;
    for (int64_t j = 0; j < v->n; j++)
        if (v->slope[j] < -flat && v->value[j] >= -zero)
            reach = fmin(reach, (v->value[j] + zero) / -v->slope[j]);
    for (int64_t j = 0; j < v->n; j++) {
        const double value = v->value[j], slope = v->slope[j];
        if (value >= -zero && slope < -flat && value / -slope <= reach && -slope > steep) {
            steep = -slope;
            best = j;
        }
        if (value < -zero && slope > flat && -value / slope > farthest) {
            farthest = -value / slope;
            last = j;
        }
    }
    return last >= 0 && farthest < reach ? last : best;
}

/* Exchanges the form that is 0 of edge i for form j, after the step along that edge. */
static void pivot(vertices *v, int64_t i, int64_t j) {
    const int64_t b = v->rank;
    const double *row = v->row + j * b, slope = v->slope[j];
    const double step = v->value[j] / -slope;
    double *own = v->edge + i * b;
    for (int64_t k = 0; k < v->n; k++)
        v->value[k] += step * v->slope[k];
    for (int64_t k = 0; k < b; k++)
        own[k] /= slope;
    for (int64_t e = 0; e < b; e++) {
        double *edge = v->edge + e * b;
        const double part = small_dot(row, edge, b);
        for (int64_t k = 0; e != i && k < b; k++)
            edge[k] -= part * own[k];
    }
    v->active[i] = j;
    v->spent += (double)(2 * v->n + 4 * b * b);
}

int vertices_descend(vertices *v, const double *objective) {
    const int64_t b = v->rank;
    const double *point = v->edge + (b - 1) * b;
    v->is_open = v->is_open && renew(v);
    double rest = most_rest;
    for (int start = 0; start < STARTS && !v->is_open; start++, rest *= 0.1)
        v->is_open = draw_point(v, rest);
    for (int64_t times = 0; v->is_open && times < PIVOTS * b; times++) {
        const double zero = tolerance * noise_at(v, point);
        const int64_t negative = set_cost(v, objective, zero), i = steepest(v);
        v->is_open = i >= 0 || negative == 0;
        if (i < 0)
            break;
        set_products(v, v->edge + i * b, v->slope);
        double longest = 0;
        for (int64_t j = 0; j < v->n; j++)
            longest = fmax(longest, fabs(v->slope[j]));
        const int64_t j = first_zero(v, zero, least_slope * longest);
        v->is_open = j >= 0;
        if (j >= 0)
            pivot(v, i, j);
    }
    memcpy(v->q, point, (size_t)b * sizeof *v->q);
    return v->is_open;
}

/* ---- where it leads ---- */

void vertices_favour_zeros(const vertices *v, double *objective) {
    const int64_t b = v->rank;
    const double near = favoured * sqrt(small_dot(v->value, v->value, v->n) / (double)v->n);
    memset(objective, 0, (size_t)b * sizeof *objective);
    for (int64_t j = 0; j < v->n; j++)
        for (int64_t k = 0; k < b; k++)
            objective[k] += v->row[j * b + k] / (fmax(v->value[j], 0) + near);
}

/* Sets `value` at q, which gets a length of 1. Returns 0 if it has none. */
static int measure(vertices *v) {
    const double length = sqrt(small_dot(v->q, v->q, v->rank));
    if (!(length > 0) || !isfinite(length))
        return 0;
    for (int64_t k = 0; k < v->rank; k++)
        v->q[k] /= length;
    set_products(v, v->q, v->value);
    return 1;
}

/* Adds up the squares of the forms that are at most `zero` at q, those of larger values less if `soft` is
 * not 0: as 1 / (1 + value²/soft²). Returns how many they are. */
static int64_t add_zeros(vertices *v, double zero, double soft, double *normal) {
    const int64_t b = v->rank;
    int64_t n = 0;
    memset(normal, 0, (size_t)(b * b) * sizeof *normal);
    for (int64_t j = 0; j < v->n; j++) {
        const double *row = v->row + j * b, value = v->value[j];
        if (fabs(value) > zero)
            continue;
        const double weight = soft > 0 ? 1 / (1 + value * value / (soft * soft)) : 1;
        n++;
        for (int64_t i = 0; i < b; i++)
            for (int64_t k = 0; k < b; k++)
                normal[i * b + k] += weight * row[i] * row[k];
    }
    v->spent += (double)(b * b * (4 * b + 2 * n));
    return n;
}

/* True if nothing confirms one of the forms that are 0, since it alone has its direction: as where a
 * mixture of two samples is 0 at the first entry that one more of it would make negative. inverse: of the
 * squares of these forms, but for q; it is lost. */
static int has_lone_form(const vertices *v, double zero, double *inverse) {
    const int64_t b = v->rank;
    double of_q = 0;
    for (int64_t i = 0; i < b; i++)
        of_q += v->q[i] * small_dot(inverse + i * b, v->q, b);
    for (int64_t i = 0; i < b; i++)
        for (int64_t k = 0; k < b; k++)
            inverse[i * b + k] -= of_q * v->q[i] * v->q[k];
    for (int64_t j = 0; j < v->n; j++) {
        const double *row = v->row + j * b;
        double leverage = 0;
        for (int64_t i = 0; fabs(v->value[j]) <= zero && i < b; i++)
            leverage += row[i] * small_dot(inverse + i * b, row, b);
        if (leverage > most_leverage)
            return 1;
    }
    return 0;
}

int vertices_polish(vertices *v) {
    const int64_t b = v->rank;
    double *normal = v->work + b * b + b, spread = 0, soft = INFINITY;
    for (int pass = 0; pass < SOFT_PASSES; pass++, soft *= softer) {
        if (!measure(v))
            return 0;
        const double near = most_zero * sqrt(small_dot(v->value, v->value, v->n) / (double)v->n);
        soft = fmax(fmin(soft, softer * near), tolerance * noise_at(v, v->q));
        if (add_zeros(v, near, soft, normal) < b)
            return 0;
        small_least_vector(normal, v->q, b, v->work, NULL);
    }
    if (!measure(v) || add_zeros(v, tolerance * noise_at(v, v->q) * (1 + v->length), 0, normal) < b ||
        !small_least_vector(normal, v->q, b, v->work, &spread) || !measure(v))
        return 0;
    const double noise = noise_at(v, v->q), zero = tolerance * noise * (1 + spread * v->length);
    v->zeros = add_zeros(v, zero, 0, normal);
    v->deviation = spread * noise;
    v->is_lone = has_lone_form(v, zero, v->work);
    return v->zeros >= b;
}
