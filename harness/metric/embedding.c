#include "metric/embedding.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/mem.h"
#include "gauntlet/nn.h"

/* ---- products ---- */

/* Computes ⟨a, b⟩ in four sums, so that an addition need not wait for the one before. */
static double dot(const double *a, const double *b, size_t n) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Subtracts the mean row from each row. */
static void centre(double *out, const float *x, size_t n, size_t d) {
    for (size_t k = 0; k < d; k++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += (double)x[i * d + k] / (double)n;
        for (size_t i = 0; i < n; i++)
            out[i * d + k] = (double)x[i * d + k] - mean;
    }
}

int gnt_gram_make(gnt_gram *out, const float *x, size_t n, size_t d, gnt_err *err) {
    *out = (gnt_gram){.n = n};
    const int64_t bad = gnt_first_not_finite(x, (int64_t)(n * d));
    if (bad < (int64_t)(n * d))
        return gnt_fail(err, "entry %zu of row %zu is not finite", (size_t)bad % d, (size_t)bad / d);
    double *about = gnt_array(n * d, sizeof *about);
    out->product = gnt_array(n * n, sizeof *out->product);
    if (!about || !out->product) {
        gnt_free(about);
        return gnt_fail(err, "out of memory for the products of %zu rows", n);
    }
    centre(about, x, n, d);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            out->product[i * n + j] = out->product[j * n + i] = dot(about + i * d, about + j * d, d);
    gnt_free(about);
    return 0;
}

void gnt_gram_free(gnt_gram *g) {
    gnt_free(g->product);
    g->product = NULL;
}

static double trace(const gnt_gram *g) {
    double sum = 0;
    for (size_t i = 0; i < g->n; i++)
        sum += g->product[i * g->n + i];
    return sum;
}

/* ---- principal components ---- */

/* Scales v to length 1, unless it is 0. Returns its length before. */
static double normalise(double *v, size_t n) {
    const double length = sqrt(dot(v, v, n));
    for (size_t i = 0; length > 0 && i < n; i++)
        v[i] /= length;
    return length;
}

/* Computes the eigenvector of the greatest eigenvalue among those orthogonal to `other` (NULL: among all),
 * by power iteration from the column of greatest length. Returns the eigenvalue. */
static double leading(double *v, double *next, const gnt_gram *g, const double *other) {
    enum { MOST = 3000 };
    const size_t n = g->n;
    double most = -1, value = 0;
    for (size_t j = 0; j < n; j++) {
        double left = g->product[j * n + j];
        if (other)
            left -= other[j] * other[j] * left;
        if (left > most) {
            most = left;
            memcpy(v, g->product + j * n, n * sizeof *v);
        }
    }
    for (int t = 0; t < MOST; t++) {
        const double along = other ? dot(v, other, n) : 0;
        for (size_t i = 0; other && i < n; i++)
            v[i] -= along * other[i];
        if (normalise(v, n) == 0)
            return 0;
        for (size_t i = 0; i < n; i++)
            next[i] = dot(g->product + i * n, v, n);
        const double now = dot(v, next, n);
        const int rests = fabs(now - value) <= 1e-13 * fabs(now);
        value = now;
        if (rests)
            break;
        memcpy(v, next, n * sizeof *v);
    }
    return fmax(value, 0);
}

static double sign_of(const double *v, size_t n) {
    size_t most = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(v[i]) > fabs(v[most]))
            most = i;
    return v[most] < 0 ? -1 : 1;
}

int gnt_embed_pca(double *xy, double share[2], const gnt_gram *g, gnt_err *err) {
    const size_t n = g->n;
    double *memory = gnt_array(3 * n, sizeof *memory), *next = memory + 2 * n;
    const double all = trace(g);
    if (!memory)
        return gnt_fail(err, "out of memory for %zu points", n);
    for (int k = 0; k < 2; k++) {
        double *v = memory + (size_t)k * n;
        double value = leading(v, next, g, k ? memory : NULL);
        if (!(value > 1e-12 * all)) /* what is left is rounding */
            value = 0;
        share[k] = all > 0 ? value / all : 0;
        const double scale = sign_of(v, n) * sqrt(value);
        for (size_t i = 0; i < n; i++)
            xy[2 * i + (size_t)k] = scale * v[i];
    }
    gnt_free(memory);
    return 0;
}

/* ---- t-SNE ---- */

/* Computes row i's probabilities p at a precision (half the inverse of a variance); returns their entropy. */
static double row_entropy(double *p, const gnt_gram *g, size_t i, double nearest, double precision) {
    const size_t n = g->n;
    const double *product = g->product, own = product[i * n + i];
    double sum = 0, mean = 0;
    for (size_t j = 0; j < n; j++) {
        const double apart = own + product[j * n + j] - 2 * product[i * n + j] - nearest;
        p[j] = j == i ? 0 : exp(-precision * apart);
        sum += p[j];
        mean += j == i ? 0 : p[j] * apart;
    }
    for (size_t j = 0; j < n; j++)
        p[j] /= sum;
    return log(sum) + precision * mean / sum;
}

/* Finds the precision at which row i has the wanted entropy, by bisection, and its probabilities. A row
 * with many neighbours at one distance keeps a greater entropy. */
static void find_row(double *p, const gnt_gram *g, size_t i, double wanted) {
    const size_t n = g->n;
    double nearest = INFINITY, least = 0, most = INFINITY;
    for (size_t j = 0; j < n; j++)
        if (j != i)
            nearest =
                fmin(nearest, g->product[i * n + i] + g->product[j * n + j] - 2 * g->product[i * n + j]);
    double precision = (double)n / (2 * fmax(trace(g), 1e-300));
    for (int t = 0; t < 200; t++) {
        const double over = row_entropy(p, g, i, nearest, precision) - wanted;
        if (fabs(over) < 1e-7 || precision > 1e250)
            return;
        if (over > 0)
            least = precision;
        else
            most = precision;
        precision = isinf(most) ? 2 * precision : (least + most) / 2;
    }
}

void gnt_tsne_neighbours(double *p, const gnt_gram *g, double perplexity) {
    const size_t n = g->n;
    for (size_t i = 0; i < n; i++)
        find_row(p + i * n, g, i, log(perplexity));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            p[i * n + j] = p[j * n + i] = (p[i * n + j] + p[j * n + i]) / (2 * (double)n);
}

/* Computes the weights of pairs in the plane, 1/(1 + d²), n × n; returns their sum. */
static double weights_of(double *weight, const double *xy, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double dx = xy[2 * i] - xy[2 * j], dy = xy[2 * i + 1] - xy[2 * j + 1];
            weight[i * n + j] = i == j ? 0 : 1 / (1 + dx * dx + dy * dy);
            sum += weight[i * n + j];
        }
    return sum;
}

void gnt_tsne_slope(double *slope, const double *p, const double *xy, size_t n, double *weight) {
    const double sum = weights_of(weight, xy, n);
    for (size_t i = 0; i < n; i++) {
        double x = 0, y = 0;
        for (size_t j = 0; j < n; j++) {
            const double w = weight[i * n + j], pull = 4 * (p[i * n + j] - w / sum) * w;
            x += pull * (xy[2 * i] - xy[2 * j]);
            y += pull * (xy[2 * i + 1] - xy[2 * j + 1]);
        }
        slope[2 * i] = x;
        slope[2 * i + 1] = y;
    }
}

/* Takes a step of gradient descent with momentum and gains, which grow where the derivative keeps its
 * sign. */
static void descend(double *xy, double *velocity, double *gain, const double *slope, size_t n, double rate,
                    double momentum) {
    for (size_t i = 0; i < 2 * n; i++) {
        gain[i] = slope[i] * velocity[i] < 0 ? gain[i] + 0.2 : fmax(gain[i] * 0.8, 0.01);
        velocity[i] = momentum * velocity[i] - rate * gain[i] * slope[i];
        xy[i] += velocity[i];
    }
}

/* Sets the starting points, the principal components, scaled so that the first has deviation 1e-4. */
static int begin(double *xy, const gnt_gram *g, gnt_err *err) {
    double share[2], squares = 0;
    if (gnt_embed_pca(xy, share, g, err) != 0)
        return -1;
    for (size_t i = 0; i < g->n; i++)
        squares += xy[2 * i] * xy[2 * i];
    const double scale = squares > 0 ? 1e-4 / sqrt(squares / (double)g->n) : 0;
    for (size_t i = 0; i < 2 * g->n; i++)
        xy[i] *= scale;
    return 0;
}

int gnt_embed_tsne(double *xy, const gnt_gram *g, gnt_err *err) {
    enum { EARLY = 250 };
    const double exaggeration = 12;
    const size_t n = g->n;
    double *memory = gnt_array(2 * n * n + 6 * n, sizeof *memory);
    if (!memory)
        return gnt_fail(err, "out of memory for %zu points", n);
    double *p = memory, *weight = p + n * n, *slope = weight + n * n, *velocity = slope + 2 * n,
           *gain = velocity + 2 * n;
    const int rc = begin(xy, g, err);
    gnt_tsne_neighbours(p, g, fmin(30, (double)(n - 1) / 3));
    for (size_t i = 0; i < 2 * n; i++)
        gain[i] = 1;
    for (size_t i = 0; i < n * n; i++)
        p[i] *= exaggeration;
    const double rate = (double)n / 6;
    for (int t = 0; rc == 0 && t < GNT_TSNE_STEPS; t++) {
        for (size_t i = 0; t == EARLY && i < n * n; i++)
            p[i] /= exaggeration;
        gnt_tsne_slope(slope, p, xy, n, weight);
        descend(xy, velocity, gain, slope, n, rate, t < EARLY ? 0.5 : 0.8);
    }
    gnt_free(memory);
    return rc;
}

/* ---- the linear probe ---- */

enum { PARTS = 5 };

typedef struct probe {
    const gnt_gram *g;
    const int32_t *value;
    int32_t values;
    double constant, ridge; /* a feature that is the same in all rows; what keeps coefficients small */
    double *kernel, *coefficient;
    size_t *row, *count; /* those that are learned from; rows of each value among them */
    int64_t *right;      /* of each value, and of each how many there are */
} probe;

/* Learns from all rows but those of one part. 1 where it can. */
static int learn(probe *p, size_t part, size_t *learned) {
    size_t n = 0;
    memset(p->count, 0, (size_t)p->values * sizeof *p->count);
    for (size_t i = 0; i < p->g->n; i++)
        if (i % PARTS != part) {
            p->row[n++] = i;
            p->count[p->value[i]]++;
        }
    for (size_t a = 0; a < n; a++) {
        const size_t i = p->row[a];
        for (size_t b = 0; b <= a; b++)
            p->kernel[a * n + b] = p->g->product[i * p->g->n + p->row[b]] + p->constant;
        p->kernel[a * n + a] += p->ridge * (double)p->values * (double)p->count[p->value[i]] / (double)n;
        for (int32_t v = 0; v < p->values; v++)
            p->coefficient[a * (size_t)p->values + (size_t)v] = p->value[i] == v;
    }
    *learned = n;
    if (gnt_cholesky(p->kernel, (int64_t)n) != 0)
        return 0;
    gnt_cholesky_solve(p->kernel, (int64_t)n, p->coefficient, p->values);
    return 1;
}

static int32_t predicted(const probe *p, size_t row, size_t n) {
    int32_t best = 0;
    double most = -INFINITY;
    for (int32_t v = 0; v < p->values; v++) {
        double score = 0;
        for (size_t a = 0; a < n; a++)
            score += (p->g->product[row * p->g->n + p->row[a]] + p->constant) *
                     p->coefficient[a * (size_t)p->values + (size_t)v];
        if (score > most) {
            most = score;
            best = v;
        }
    }
    return best;
}

static double balanced_of(const probe *p) {
    double sum = 0;
    int there = 0;
    for (int32_t v = 0; v < p->values; v++)
        if (p->right[p->values + v]) {
            sum += (double)p->right[v] / (double)p->right[p->values + v];
            there++;
        }
    return there < 2 ? NAN : sum / there;
}

int gnt_linear_probe(double *balanced, const gnt_gram *g, const int32_t *value, int32_t values,
                     gnt_err *err) {
    const size_t n = g->n;
    const double mean = fmax(trace(g) / (double)n, 1e-300);
    probe p = {.g = g,
               .value = value,
               .values = values,
               .constant = mean,
               .ridge = mean,
               .kernel = gnt_array(n * n, sizeof *p.kernel),
               .coefficient = gnt_array(n * (size_t)values, sizeof *p.coefficient),
               .row = gnt_array(n, sizeof *p.row),
               .count = gnt_array((size_t)values, sizeof *p.count),
               .right = gnt_array(2 * (size_t)values, sizeof *p.right)};
    const int ok = p.kernel && p.coefficient && p.row && p.count && p.right;
    for (size_t part = 0, learned; ok && part < PARTS; part++) {
        const int can = learn(&p, part, &learned);
        for (size_t i = part; i < n; i += PARTS) {
            p.right[values + value[i]]++;
            p.right[value[i]] += can && predicted(&p, i, learned) == value[i];
        }
    }
    *balanced = ok ? balanced_of(&p) : NAN;
    gnt_free(p.kernel);
    gnt_free(p.coefficient);
    gnt_free(p.row);
    gnt_free(p.count);
    gnt_free(p.right);
    return ok ? 0 : gnt_fail(err, "out of memory for a probe of %zu rows", n);
}
