#include "linear/refined_batch.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

typedef struct refined {
    const column_choice *c;
    int64_t rank, width;
    double *x;                               /* rank × width */
    double *gram, *part, *inverse, *product; /* rank² each but the last: rank */
    int64_t *active;                         /* rank */
} refined;

/* Sets delta to the best δ of one row over the samples it was active for. row: width. Returns 0 if these
 * depend on each other, or there are none. */
static int solve_row(refined *r, int64_t unit, const double *row, double *delta) {
    const int64_t b = r->rank;
    int64_t n = 0;
    memset(delta, 0, (size_t)b * sizeof *delta);
    for (int64_t s = 0; s < b; s++)
        if (!r->c->zero[s * r->c->units + unit])
            r->active[n++] = s;
    for (int64_t i = 0; i < n; i++) {
        r->product[i] = small_dot(r->x + r->active[i] * r->width, row, r->width);
        for (int64_t j = 0; j < n; j++)
            r->part[i * n + j] = r->gram[r->active[i] * b + r->active[j]];
    }
    if (n > 0 && !small_invert(r->part, r->inverse, n))
        return 0;
    for (int64_t i = 0; i < n; i++)
        delta[r->active[i]] = small_dot(r->inverse + i * n, r->product, n);
    return n > 0;
}

static void set_gram(refined *r) {
    for (int64_t i = 0; i < r->rank; i++)
        for (int64_t j = 0; j < r->rank; j++)
            r->gram[i * r->rank + j] = small_dot(r->x + i * r->width, r->x + j * r->width, r->width);
}

/* Adds one row with its δ and weight to the normal equations of the samples. */
static void add_row(double *normal, double *right, const double *delta, const double *row, double weight,
                    int64_t b, int64_t width) {
    for (int64_t i = 0; i < b; i++) {
        if (delta[i] == 0)
            continue;
        for (int64_t j = 0; j < b; j++)
            normal[i * b + j] += weight * delta[i] * delta[j];
        for (int64_t k = 0; k < width; k++)
            right[i * width + k] += weight * delta[i] * row[k];
    }
}

/* Sets x to inverse·right, each row divided by its last entry, and error. */
static void solve_samples(refined *r, const double *right, double *error) {
    const int64_t b = r->rank;
    for (int64_t i = 0; i < b; i++) {
        double *x = r->x + i * r->width;
        memset(x, 0, (size_t)r->width * sizeof *x);
        for (int64_t j = 0; j < b; j++)
            for (int64_t k = 0; k < r->width; k++)
                x[k] += r->inverse[i * b + j] * right[j * r->width + k];
        const double last = x[r->width - 1];
        for (int64_t k = 0; k < r->width; k++)
            x[k] /= last;
        error[i] = sqrt(r->inverse[i * (b + 1)]) / fabs(last);
    }
}

gnt_status refined_batch(const gnt_host *host, const column_choice *c, const layer_rows *l, double *x,
                         double *error) {
    const row_space *s = c->space;
    const int64_t b = s->rank, width = s->width;
    refined r = {.c = c, .rank = b, .width = width, .x = x};
    double *right = gnt_host_scratch(host, b * width, sizeof *right);
    double *room = gnt_host_scratch(host, 4 * b * b + 2 * b + width, sizeof *room);
    r.active = gnt_host_scratch(host, b, sizeof *r.active);
    TRY(hook_memory(host, right && room && r.active));
    r.gram = room;
    r.part = r.gram + b * b;
    r.inverse = r.part + b * b;
    double *normal = r.inverse + b * b, *delta = normal + b * b, *row = delta + b;
    r.product = row + width;
    memset(x, 0, (size_t)(b * width) * sizeof *x);
    for (int64_t i = 0; i < b; i++)
        for (int64_t k = 0; k < b; k++)
            for (int64_t j = 0; j < width; j++)
                x[i * width + j] += c->sample[i * b + k] * s->basis[k * width + j];
    set_gram(&r);
    for (int64_t i = 0; i < s->units; i++) {
        const double noise = fmax(s->left[i], s->noise * s->norm[i]);
        TRY(may_go_on(host));
        if (!(s->norm[i] > 0) || noise > 0.01 * s->norm[i])
            continue;
        layer_rows_get(l, i, row);
        if (solve_row(&r, i, row, delta)) /* squared norms and weights of a tiny update stay finite */
            add_row(normal, right, delta, row, 1 / (noise * noise), b, width);
    }
    if (!small_invert(normal, r.inverse, b)) {
        for (int64_t i = 0; i < b; i++)
            error[i] = INFINITY;
        return GNT_OK;
    }
    solve_samples(&r, right, error);
    return GNT_OK;
}
