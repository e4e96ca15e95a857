#include "label/label_fit.h"
#include "hook.h"

#include <math.h>
#include <string.h>

enum { OUTER = 4, INNER = 20, HISTORY = 20 };

gnt_status label_fit_open(label_fit *f, const gnt_host *host, const label_gradient *of) {
    size_t n = (size_t)of->n, classes = (size_t)of->classes, inputs = (size_t)of->inputs;
    *f = (label_fit){.of = of};
    f->label = gnt_host_scratch(host, n, sizeof *f->label);
    f->r = gnt_host_scratch(host, n * inputs, sizeof *f->r);
    f->weight = gnt_host_scratch(host, 2 * classes, sizeof *f->weight);
    f->p = gnt_host_scratch(host, (n + 1) * classes, sizeof *f->p);
    f->left = gnt_host_scratch(host, classes * inputs, sizeof *f->left);
    f->lbfgs = gnt_lbfgs_new(of->n * of->inputs, HISTORY);
    TRY(hook_memory(host, f->label && f->r && f->weight && f->p && f->left && f->lbfgs));
    f->left_b = f->weight + classes;
    double length = 1e-12, largest = 0;
    for (size_t i = 0; i < inputs; i++)
        length += (double)of->mean[i] * (double)of->mean[i];
    for (int pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < classes; c++) {
            double size = 0, scale = (double)(n * n);
            for (size_t i = 0; i < inputs; i++)
                size += (double)of->rows[c * inputs + i] * (double)of->rows[c * inputs + i] / length;
            size = scale * (size + (of->exact ? (double)of->g[c] * (double)of->g[c] : 0));
            largest = fmax(largest, size);
            f->weight[c] = (float)(1 / (size + 1e-4 * largest + 1e-12));
        }
    return GNT_OK;
}

void label_fit_close(label_fit *f) {
    gnt_lbfgs_free(f->lbfgs);
    f->lbfgs = NULL;
}

static void softmax(const label_gradient *of, const float *r, float *p) {
    float most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < of->classes; c++) {
        p[c] = of->b ? of->b[c] : 0;
        for (int64_t i = 0; i < of->inputs; i++)
            p[c] += of->w[c * of->inputs + i] * r[i];
        most = fmaxf(most, p[c]);
    }
    for (int64_t c = 0; c < of->classes; c++)
        sum += p[c] = expf(p[c] - most);
    for (int64_t c = 0; c < of->classes; c++)
        p[c] /= sum;
}

/* Sets f->p to p_ic − y_ic, and each row's residual: Σ_i (p_ic − y_ic)·(1, r_i) − n·(g_c, G_c). */
static void predict(label_fit *f, const float *r) {
    const label_gradient *of = f->of;
    int64_t classes = of->classes, inputs = of->inputs;
    float n = (float)of->n;
    for (int64_t c = 0; c < classes; c++) {
        f->left_b[c] = of->exact ? -n * of->g[c] : 0;
        for (int64_t i = 0; i < inputs; i++)
            f->left[c * inputs + i] = -n * of->rows[c * inputs + i];
    }
    for (int64_t k = 0; k < of->n; k++) {
        float *d = f->p + k * classes;
        softmax(of, r + k * inputs, d);
        d[f->label[k]] -= 1;
        for (int64_t c = 0; c < classes; c++) {
            f->left_b[c] += of->exact ? d[c] : 0;
            for (int64_t i = 0; i < inputs; i++)
                f->left[c * inputs + i] += d[c] * r[k * inputs + i];
        }
    }
}

/* Returns Σ_c weight_c·(left_b² + ‖left‖²/L), L the squared norm of the mean input. */
static double label_fit_cost(void *fit, const float *r, float *grad) {
    label_fit *f = fit;
    const label_gradient *of = f->of;
    int64_t classes = of->classes, inputs = of->inputs;
    double cost = 0;
    float length = 1e-12f;
    for (int64_t i = 0; i < inputs; i++)
        length += of->mean[i] * of->mean[i];
    predict(f, r);
    for (int64_t c = 0; c < classes; c++) {
        float *left = f->left + c * inputs, squares = 0;
        for (int64_t i = 0; i < inputs; i++)
            squares += left[i] * left[i];
        cost += (double)(f->weight[c] * (f->left_b[c] * f->left_b[c] + squares / length));
        f->left_b[c] *= 2 * f->weight[c]; /* from here on the derivatives by the rows */
        for (int64_t i = 0; i < inputs; i++)
            left[i] *= 2 * f->weight[c] / length;
    }
    memset(grad, 0, (size_t)(of->n * inputs) * sizeof *grad);
    for (int64_t k = 0; k < of->n; k++) {
        float *d = f->p + k * classes, *own = grad + k * inputs, mean = 0;
        const float *x = r + k * inputs;
        float *by = f->p + of->n * classes;
        for (int64_t c = 0; c < classes; c++) {
            by[c] = f->left_b[c];
            for (int64_t i = 0; i < inputs; i++) {
                by[c] += f->left[c * inputs + i] * x[i];
                own[i] += d[c] * f->left[c * inputs + i];
            }
        }
        d[f->label[k]] += 1; /* the softmax itself again */
        for (int64_t c = 0; c < classes; c++)
            mean += d[c] * by[c];
        for (int64_t c = 0; c < classes; c++)
            for (int64_t i = 0; i < inputs; i++)
                own[i] += d[c] * (by[c] - mean) * of->w[c * inputs + i];
    }
    return cost;
}

double label_fit_judge(label_fit *f, const int64_t *count) {
    const label_gradient *of = f->of;
    double cost = INFINITY, least = INFINITY;
    int64_t k = 0, calls = 0;
    for (int64_t c = 0; c < of->classes; c++)
        for (int64_t i = 0; i < count[c]; i++, k++) {
            f->label[k] = c;
            for (int64_t j = 0; j < of->inputs; j++) /* samples of one class begin a little apart */
                f->r[k * of->inputs + j] = of->mean[j] * (1 + 0.1f * (float)i * ((j + i) % 2 ? 1.f : -1.f));
        }
    gnt_lbfgs_reset(f->lbfgs);
    for (int outer = 0; outer < OUTER; outer++) {
        cost = gnt_lbfgs_step(f->lbfgs, f->r, 1, INNER, 1.0, label_fit_cost, f, &calls);
        least = isfinite(cost) ? fmin(least, cost) : least;
    }
    return least;
}
