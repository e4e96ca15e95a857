#include "search/cma.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "shared/try.h"

static void open_weights(cma *c) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < c->parents; i++)
        sum += c->weight[i] = log(((double)c->population + 1) / 2) - log((double)i + 1);
    for (int64_t i = 0; i < c->parents; i++) {
        c->weight[i] /= sum;
        squares += c->weight[i] * c->weight[i];
    }
    c->mass = 1 / squares;
}

gnt_status cma_open(cma *c, const gnt_host *host, int64_t n, int64_t population, const double *start,
                    double step, const char *stream) {
    if (population < 4)
        population = 4 + (int64_t)floor(3 * log((double)n));
    *c = (cma){.host = host, .stream = stream, .n = n, .population = population, .step = step};
    c->parents = population / 2;
    const size_t one = (size_t)n * sizeof(double), square = (size_t)n * one, all = (size_t)population;
    c->weight = gnt_host_scratch(host, c->parents, sizeof *c->weight);
    c->mean = gnt_host_scratch(host, one, 1);
    c->covariance = gnt_host_scratch(host, square, 1);
    c->factor = gnt_host_scratch(host, square, 1);
    c->path_step = gnt_host_scratch(host, one, 1);
    c->path_spread = gnt_host_scratch(host, one, 1);
    c->moved = gnt_host_scratch(host, one, 1);
    c->y = gnt_host_scratch(host, all * one, 1);
    c->z = gnt_host_scratch(host, all * (size_t)n, sizeof *c->z);
    c->order = gnt_host_scratch(host, all, sizeof *c->order);
    TRY(have_memory(host,
                    c->weight && c->mean && c->covariance && c->factor && c->path_step && c->path_spread &&
                        c->moved && c->y && c->z && c->order,
                    "no memory for the covariance of CMA-ES: take fewer latents"));
    memcpy(c->mean, start, one);
    for (int64_t i = 0; i < n; i++)
        c->covariance[i * n + i] = c->factor[i * n + i] = 1;
    open_weights(c);
    return GNT_OK;
}

void cma_ask(cma *c, double *x) {
    const int64_t n = c->n;
    gnt_host_normal(c->host, c->stream, c->population * n, c->z);
    for (int64_t k = 0; k < c->population; k++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j <= i; j++)
                sum += c->factor[i * n + j] * (double)c->z[k * n + j];
            c->y[k * n + i] = sum;
            x[k * n + i] = c->mean[i] + c->step * sum;
        }
}

static int is_better(const double *cost, int64_t a, int64_t b) {
    const double left = isfinite(cost[a]) ? cost[a] : INFINITY,
                 right = isfinite(cost[b]) ? cost[b] : INFINITY;
    return left < right || (left == right && a < b);
}

static void sort(cma *c, const double *cost) {
    for (int64_t k = 0; k < c->population; k++) {
        int64_t at = k;
        for (; at > 0 && is_better(cost, k, c->order[at - 1]); at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = k;
    }
}

/* Updates the path of σ, then σ, by equations 43 to 45 of the tutorial. Returns h_σ: 0 while that path is
 * so long that C's should not follow it. */
static int move_step(cma *c) {
    const int64_t n = c->n;
    const double d = (double)n, rate = (c->mass + 2) / (d + c->mass + 5);
    const double damping = 1 + 2 * fmax(0, sqrt((c->mass - 1) / (d + 1)) - 1) + rate;
    const double usual = sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d)); /* E‖N(0, I)‖ */
    double squares = 0;
    for (int64_t j = 0; j < n; j++) {
        double z = 0;
        for (int64_t i = 0; i < c->parents; i++)
            z += c->weight[i] * (double)c->z[c->order[i] * n + j];
        c->path_step[j] = (1 - rate) * c->path_step[j] + sqrt(rate * (2 - rate) * c->mass) * z;
        squares += c->path_step[j] * c->path_step[j];
    }
    const double length = sqrt(squares), begun = 1 - pow(1 - rate, 2 * ((double)c->generation + 1));
    c->step *= exp(fmin(1, rate / damping * (length / usual - 1)));
    return length / sqrt(begun) < (1.4 + 2 / (d + 1)) * usual;
}

/* Updates the path of C, then C, by equations 45 and 47. Each entry is computed once and written to both
 * places. */
static void move_covariance(cma *c, int follow) {
    const int64_t n = c->n;
    const double d = (double)n, rate = (4 + c->mass / d) / (d + 4 + 2 * c->mass / d);
    const double one = 2 / ((d + 1.3) * (d + 1.3) + c->mass);
    const double many = fmin(1 - one, 2 * (c->mass - 2 + 1 / c->mass) / ((d + 2) * (d + 2) + c->mass));
    const double kept = 1 - one - many + (follow ? 0 : one * rate * (2 - rate));
    for (int64_t j = 0; j < n; j++)
        c->path_spread[j] =
            (1 - rate) * c->path_spread[j] + (follow ? sqrt(rate * (2 - rate) * c->mass) * c->moved[j] : 0);
    for (int64_t i = 0; i < n; i++) {
        double *row = c->covariance + i * n;
        for (int64_t j = 0; j <= i; j++)
            row[j] = kept * row[j] + one * c->path_spread[i] * c->path_spread[j];
        for (int64_t k = 0; k < c->parents; k++) {
            const double *y = c->y + c->order[k] * n, weight = many * c->weight[k] * y[i];
            for (int64_t j = 0; j <= i; j++)
                row[j] += weight * y[j];
        }
        for (int64_t j = 0; j < i; j++)
            c->covariance[j * n + i] = row[j];
    }
}

/* Computes the Cholesky factor L of C. If rounding made C indefinite, keeps only its diagonal. */
static void factorise(cma *c) {
    const int64_t n = c->n;
    memcpy(c->factor, c->covariance, (size_t)(n * n) * sizeof *c->factor);
    if (gnt_cholesky(c->factor, n) == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double entry = c->covariance[i * n + j];
            c->covariance[i * n + j] = i != j ? 0 : entry > 0 && isfinite(entry) ? entry : 1;
            c->factor[i * n + j] = i == j ? sqrt(c->covariance[i * n + j]) : 0;
        }
}

void cma_tell(cma *c, const double *cost) {
    const int64_t n = c->n;
    sort(c, cost);
    for (int64_t j = 0; j < n; j++) {
        c->moved[j] = 0;
        for (int64_t i = 0; i < c->parents; i++)
            c->moved[j] += c->weight[i] * c->y[c->order[i] * n + j];
        c->mean[j] += c->step * c->moved[j];
    }
    move_covariance(c, move_step(c));
    factorise(c);
    c->generation++;
}
