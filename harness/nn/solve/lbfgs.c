/* lbfgs: L-BFGS with a fixed rate, in the order of torch.optim.LBFGS without line search (Nocedal & Wright,
 * algorithm 7.4, for the two-loop recursion). Its four tolerances are that optimiser's defaults.
 *
 * Invariant: the pairs in use are numbers first … first+pairs−1 (modulo history), oldest first, each with ⟨y,
 * s⟩ > 0. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gauntlet/nn.h"

/* Vectorises the loops with the same bits: no sum changes its order. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define INDEPENDENT _Pragma("GCC ivdep")
#define INLINE inline __attribute__((always_inline))
#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))
#endif
#else
#define INDEPENDENT
#define INLINE inline
#endif

static const double tolerance_grad = 1e-7, tolerance_change = 1e-9, least_curvature = 1e-10;
enum { MOST_HALVINGS = 10 };

struct gnt_lbfgs {
    int64_t n, iterations; /* iterations since the start, over all steps */
    int32_t history, first, pairs;
    double t, scale;     /* last step length; first guess of the inverse Hessian is scale · identity */
    float *s, *y;        /* history × n: steps, and changes of the gradient */
    double *rho, *alpha; /* history: 1/⟨y, s⟩, and the recursion's coefficients */
    float *d, *grad, *prev_grad, *prev_x;
};

gnt_lbfgs *gnt_lbfgs_new(int64_t n, int32_t history) {
    if (n < 1 || history < 1 || (uint64_t)n > SIZE_MAX / sizeof(float) / (uint64_t)history)
        return NULL;
    gnt_lbfgs *o = gnt_alloc(sizeof *o);
    if (!o)
        return NULL;
    o->n = n;
    o->history = history;
    o->s = gnt_aligned((size_t)n * (size_t)history, sizeof(float));
    o->y = gnt_aligned((size_t)n * (size_t)history, sizeof(float));
    o->rho = gnt_array((size_t)history, sizeof(double));
    o->alpha = gnt_array((size_t)history, sizeof(double));
    o->d = gnt_aligned((size_t)n, sizeof(float));
    o->grad = gnt_aligned((size_t)n, sizeof(float));
    o->prev_grad = gnt_aligned((size_t)n, sizeof(float));
    o->prev_x = gnt_aligned((size_t)n, sizeof(float));
    if (o->s && o->y && o->rho && o->alpha && o->d && o->grad && o->prev_grad && o->prev_x) {
        gnt_lbfgs_reset(o);
        return o;
    }
    gnt_lbfgs_free(o);
    return NULL;
}

void gnt_lbfgs_free(gnt_lbfgs *o) {
    if (!o)
        return;
    gnt_free_aligned(o->s);
    gnt_free_aligned(o->y);
    gnt_free(o->rho);
    gnt_free(o->alpha);
    gnt_free_aligned(o->d);
    gnt_free_aligned(o->grad);
    gnt_free_aligned(o->prev_grad);
    gnt_free_aligned(o->prev_x);
    gnt_free(o);
}

void gnt_lbfgs_reset(gnt_lbfgs *o) {
    o->iterations = 0;
    o->first = o->pairs = 0;
    o->t = 0;
    o->scale = 1;
}

/* Returns the dot product from eight running sums in a fixed order: fast, and the same on every machine. */
static INLINE double dot_body(const float *a, const float *b, int64_t n) {
    double sum[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            sum[j] += (double)a[i + j] * (double)b[i + j];
    for (; i < n; i++)
        sum[i & 7] += (double)a[i] * (double)b[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static INLINE void add_scaled_body(float *x, float f, const float *d, int64_t n) {
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        x[i] += f * d[i];
}

#ifdef WIDE
WIDE static double dot_wide(const float *a, const float *b, int64_t n) {
    return dot_body(a, b, n);
}

WIDE static void add_scaled_wide(float *x, float f, const float *d, int64_t n) {
    add_scaled_body(x, f, d, n);
}
#endif

static double dot(const float *a, const float *b, int64_t n) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2"))
        return dot_wide(a, b, n);
#endif
    return dot_body(a, b, n);
}

static void add_scaled(float *x, double a, const float *d, int64_t n) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) {
        add_scaled_wide(x, (float)a, d, n);
        return;
    }
#endif
    add_scaled_body(x, (float)a, d, n);
}

static double largest(const float *a, int64_t n) {
    float most = 0;
    for (int64_t i = 0; i < n; i++) {
        float size = fabsf(a[i]);
        if (!(size <= most)) /* NaN wins */
            most = size;
    }
    return (double)most;
}

static double sum_abs(const float *a, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs((double)a[i]);
    return sum;
}

/* Returns the offset of pair i, 0 the oldest. */
static int64_t row(const gnt_lbfgs *o, int32_t i) {
    return (int64_t)((o->first + i) % o->history) * o->n;
}

/* Stores the pair s = t·d, y = grad − prev_grad if its curvature is large enough. */
static void remember(gnt_lbfgs *o) {
    int full = o->pairs == o->history;
    int32_t slot = full ? o->first : (o->first + o->pairs) % o->history;
    double t = o->t, ys = 0, yy = 0;
    for (int64_t i = 0; i < o->n; i++) {
        double y = (double)(o->grad[i] - o->prev_grad[i]);
        ys += y * (double)((float)t * o->d[i]);
        yy += y * y;
    }
    if (!(ys > least_curvature))
        return;
    float *s_row = o->s + (int64_t)slot * o->n, *y_row = o->y + (int64_t)slot * o->n;
    for (int64_t i = 0; i < o->n; i++) {
        s_row[i] = (float)t * o->d[i];
        y_row[i] = o->grad[i] - o->prev_grad[i];
    }
    o->rho[slot] = 1 / ys;
    o->scale = ys / yy;
    if (full)
        o->first = (o->first + 1) % o->history;
    else
        o->pairs++;
}

/* Computes d ← −H·grad by the two-loop recursion. */
static void direction(gnt_lbfgs *o) {
    for (int64_t i = 0; i < o->n; i++)
        o->d[i] = -o->grad[i];
    for (int32_t i = o->pairs - 1; i >= 0; i--) {
        int32_t slot = (o->first + i) % o->history;
        o->alpha[i] = dot(o->s + row(o, i), o->d, o->n) * o->rho[slot];
        add_scaled(o->d, -o->alpha[i], o->y + row(o, i), o->n);
    }
    for (int64_t i = 0; i < o->n; i++)
        o->d[i] *= (float)o->scale;
    for (int32_t i = 0; i < o->pairs; i++) {
        int32_t slot = (o->first + i) % o->history;
        double beta = dot(o->y + row(o, i), o->d, o->n) * o->rho[slot];
        add_scaled(o->d, o->alpha[i] - beta, o->s + row(o, i), o->n);
    }
}

/* Moves x by t·d, halving t until the cost there is finite and at most guard × the cost before. Returns 0, or
 * −1 if no step was accepted: x is then unchanged. */
static int guarded_move(gnt_lbfgs *o, float *x, double guard, double before, gnt_cost_fn cost, void *context,
                        double *now, int64_t *calls) {
    memcpy(o->prev_x, x, (size_t)o->n * sizeof *x);
    for (int i = 0; i <= MOST_HALVINGS; i++) {
        add_scaled(x, o->t, o->d, o->n);
        *now = cost(context, x, o->grad);
        ++*calls;
        if (isfinite(*now) && *now <= guard * before)
            return 0;
        memcpy(x, o->prev_x, (size_t)o->n * sizeof *x);
        o->t /= 2;
    }
    return -1;
}

double gnt_lbfgs_step(gnt_lbfgs *o, float *x, double rate, int32_t inner, double guard, gnt_cost_fn cost,
                      void *context, int64_t *evaluations) {
    int64_t calls = 1, most_calls = (int64_t)inner * 5 / 4;
    double first = cost(context, x, o->grad), now = first;
    if (isnan(now) || largest(o->grad, o->n) <= tolerance_grad)
        goto done;
    for (int32_t i = 1; i <= inner; i++) {
        o->iterations++;
        if (o->iterations > 1)
            remember(o);
        direction(o);
        memcpy(o->prev_grad, o->grad, (size_t)o->n * sizeof *o->grad);
        double before = now, most = 1 / sum_abs(o->grad, o->n);
        o->t = o->iterations == 1 ? fmin(1, most) * rate : rate;
        if (dot(o->grad, o->d, o->n) > -tolerance_change)
            break;
        if (guard > 0) {
            if (guarded_move(o, x, guard, before, cost, context, &now, &calls)) {
                gnt_lbfgs_reset(o); /* the stored curvature gives no descent: restart from the gradient */
                break;
            }
        } else {
            add_scaled(x, o->t, o->d, o->n);
            if (i < inner) { /* the next step's first evaluation covers the last move */
                now = cost(context, x, o->grad);
                calls++;
            }
        }
        if (i == inner || (guard <= 0 && calls >= most_calls) || isnan(now) ||
            largest(o->grad, o->n) <= tolerance_grad ||
            fabs(o->t) * largest(o->d, o->n) <= tolerance_change || fabs(now - before) < tolerance_change)
            break;
    }
done:
    if (evaluations)
        *evaluations += calls;
    return first;
}
