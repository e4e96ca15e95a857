#include "prior/image_prior.h"
#include "hook.h"

#include <math.h>

double image_prior_variation(const float *z, int64_t planes, int64_t height, int64_t width, double weight,
                             float *grad) {
    double total = 0;
    for (int axis = 0; axis < 2; axis++) {
        int64_t rows = height - (axis == 0), columns = width - (axis == 1), next = axis == 0 ? width : 1;
        if (rows < 1 || columns < 1)
            continue;
        double sum = 0, share = weight / (double)(planes * rows * columns);
        for (int64_t p = 0; p < planes; p++)
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++) {
                    int64_t at = (p * height + i) * width + j;
                    float d = z[at + next] - z[at], g = d > 0 ? (float)share : d < 0 ? -(float)share : 0;
                    sum += fabs((double)d);
                    grad[at + next] += g;
                    grad[at] -= g;
                }
        total += share * sum;
    }
    return total;
}

/* ---- the Gaussian ---- */

static double dot(const float *a, const float *b, int64_t n) {
    float part[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            part[k] += a[i + k] * b[i + k];
    double sum = 0;
    for (int k = 0; k < 16; k++)
        sum += (double)part[k];
    for (; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Computes ρ = min(1, b²/d²) with d² = ‖S − τI‖², b² = (Σ_k ‖e_k‖⁴/N − ‖S‖²)/N; norms of matrices divided
 * by their side D. ‖S‖² = Σ_ij ⟨e_i, e_j⟩²/N² needs no covariance. */
static gnt_status shrinkage(const gnt_host *host, const float *e, int64_t n, int64_t features, double *rho,
                            double *tau) {
    double squares = 0, fourth = 0, trace = 0, d = (double)features, count = (double)n;
    for (int64_t i = 0; i < n; i++) {
        TRY(may_go_on(host));
        for (int64_t j = 0; j < i; j++) {
            double product = dot(e + i * features, e + j * features, features);
            squares += 2 * product * product;
        }
        double own = dot(e + i * features, e + i * features, features);
        squares += own * own;
        fourth += own * own;
        trace += own;
    }
    squares /= count * count * d;
    *tau = trace / (count * d);
    double apart = squares - *tau * *tau, noise = (fourth / (count * d) - squares) / count;
    *rho = !(apart > 0) || noise > apart ? 1 : noise < 0 ? 0 : noise / apart;
    return GNT_OK;
}

gnt_status image_gaussian_fit(image_gaussian *g, const gnt_host *host, const float *x, int64_t features,
                              const int64_t *row, int64_t n) {
    float *mean = gnt_host_scratch(host, features, sizeof *mean);
    float *e = gnt_host_scratch(host, n * features, sizeof *e);
    double rho = 1, tau = 0;
    TRY(hook_memory(host, mean && e));
    for (int64_t i = 0; i < features; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += (double)x[row[k] * features + i];
        mean[i] = (float)(sum / (double)n);
    }
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < features; i++)
            e[k * features + i] = x[row[k] * features + i] - mean[i];
    gnt_status status = shrinkage(host, e, n, features, &rho, &tau);
    float scale = (float)sqrt((1 - rho) / (double)n);
    for (int64_t i = 0; i < n * features; i++)
        e[i] *= scale;
    *g = (image_gaussian){n, features, mean, e, (float)sqrt(fmax(rho * tau, 1e-8))};
    return status;
}

void image_gaussian_image(const image_gaussian *g, const float *w, float *x) {
    const float *own = w + g->n;
    for (int64_t i = 0; i < g->features; i++)
        x[i] = g->mean[i] + g->own * own[i];
    for (int64_t k = 0; k < g->n; k++)
        for (int64_t i = 0; i < g->features; i++)
            x[i] += w[k] * g->spread[k * g->features + i];
    for (int64_t i = 0; i < g->features; i++)
        x[i] = x[i] < 0 ? 0 : x[i] > 1 ? 1 : x[i];
}

void image_gaussian_vjp(const image_gaussian *g, const float *x, const float *d_x, float *d_w) {
    float *own = d_w + g->n;
    for (int64_t i = 0; i < g->features; i++)
        own[i] = (x[i] <= 0 && d_x[i] > 0) || (x[i] >= 1 && d_x[i] < 0) ? 0 : d_x[i];
    for (int64_t k = 0; k < g->n; k++)
        d_w[k] = (float)dot(g->spread + k * g->features, own, g->features);
    for (int64_t i = 0; i < g->features; i++)
        own[i] *= g->own;
}
