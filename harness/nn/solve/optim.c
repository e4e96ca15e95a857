/* optim: Adam, gradient descent, learning-rate schedules and the projection onto a box. State is float, as
 * weights and images are; factors are computed in double. */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"
#include "gauntlet/nn.h"

struct gnt_adam {
    int64_t n, steps;
    double beta1, beta2, eps;
    float *mean, *square; /* running averages of the gradient and of its square */
};

gnt_adam *gnt_adam_new(int64_t n, double beta1, double beta2, double eps) {
    gnt_adam *a = n < 0 ? NULL : gnt_alloc(sizeof *a);
    if (!a)
        return NULL;
    *a = (gnt_adam){.n = n, .beta1 = beta1, .beta2 = beta2, .eps = eps};
    a->mean = gnt_aligned((size_t)n, sizeof(float));
    a->square = gnt_aligned((size_t)n, sizeof(float));
    if (a->mean && a->square)
        return a;
    gnt_adam_free(a);
    return NULL;
}

void gnt_adam_free(gnt_adam *a) {
    if (!a)
        return;
    gnt_free_aligned(a->mean);
    gnt_free_aligned(a->square);
    gnt_free(a);
}

void gnt_adam_reset(gnt_adam *a) {
    a->steps = 0;
    memset(a->mean, 0, (size_t)a->n * sizeof(float));
    memset(a->square, 0, (size_t)a->n * sizeof(float));
}

/* Steps x ← x − rate · m̂ / (√v̂ + eps), m̂ = m/(1 − β₁ᵗ), v̂ = v/(1 − β₂ᵗ). */
static void adam_step(gnt_adam *a, float *x, const float *grad, double rate, int sign_only) {
    a->steps++;
    double t = (double)a->steps;
    float b1 = (float)a->beta1, b2 = (float)a->beta2, c1 = (float)(1 - a->beta1), c2 = (float)(1 - a->beta2);
    float size = (float)(rate / (1 - pow(a->beta1, t)));
    float root = (float)sqrt(1 - pow(a->beta2, t)), eps = (float)a->eps, *mean = a->mean, *square = a->square;
    int64_t n = a->n;
    GNT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        float g = grad[i], s = g > 0 ? 1.0f : g < 0 ? -1.0f : g; /* 0 and NaN unchanged */
        g = sign_only ? s : g;
        float m = b1 * mean[i] + c1 * g, v = b2 * square[i] + c2 * g * g;
        mean[i] = m;
        square[i] = v;
        x[i] -= size * m / (sqrtf(v) / root + eps);
    }
}

void gnt_adam_step(gnt_adam *a, float *x, const float *grad, double rate) {
    adam_step(a, x, grad, rate, 0);
}

void gnt_adam_step_signed(gnt_adam *a, float *x, const float *grad, double rate) {
    adam_step(a, x, grad, rate, 1);
}

GNT_CLONES void gnt_sgd_step(float *x, float *v, const float *grad, int64_t n, double rate, double momentum,
                             double decay) {
    float r = (float)rate, m = (float)momentum, d = (float)decay;
    if (!v) {
        GNT_INDEPENDENT
        for (int64_t i = 0; i < n; i++)
            x[i] -= r * (grad[i] + d * x[i]);
        return;
    }
    GNT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        v[i] = m * v[i] + (grad[i] + d * x[i]);
        x[i] -= r * v[i];
    }
}

double gnt_rate_milestones(double rate, int64_t step, int64_t steps, const double *milestones, int32_t n,
                           double factor) {
    for (int32_t i = 0; i < n; i++)
        if ((double)step >= milestones[i] * (double)steps)
            rate *= factor;
    return rate;
}

double gnt_rate_cosine(double rate, int64_t step, int64_t steps) {
    double done = steps > 0 ? (double)step / (double)steps : 1;
    done = done < 0 ? 0 : done > 1 ? 1 : done;
    return rate * 0.5 * (1 + cos(acos(-1.0) * done));
}

void gnt_project_box(float *x, int64_t n, float least, float most) {
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] < least ? least : x[i] > most ? most : x[i]; /* NaN stays NaN */
}
