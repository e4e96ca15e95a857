#include "shared/attribute/strip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/attribute/pool.h"
#include "shared/try.h"

/* Relative to the step: rounding of sums of a few steps in single precision is far smaller. */
static const double lattice_error = 1e-3;
/* Relative to the largest entry of a layer: a smaller difference is rounding. */
static const double rounding = 1e-5;

enum { STARTS = 3, SWEEPS = 30 };

int64_t attr_strip_lattice(float *update, float *change, int64_t size, double step, int64_t most) {
    int64_t found = 0;
    for (int64_t i = 0; i < size; i++) {
        const double steps = step > 0 ? (double)update[i] / step : 0, whole = nearbyint(steps);
        change[i] = 0;
        if (whole == 0 || fabs(whole) > (double)most || fabs(steps - whole) > lattice_error)
            continue;
        change[i] = update[i];
        update[i] = 0;
        found++;
    }
    return found;
}

/* ---- nearest outer product by the least absolute error ---- */

typedef struct entry {
    double value, weight;
} entry;

typedef struct layer {
    int64_t rows, columns; /* with the bias as the last column */
    double *g;             /* rows × columns */
    double *u, *v;         /* rows, columns: the outer product */
    double *best_u, *best_v;
    entry *sorted; /* the larger of rows and columns */
} layer;

static int by_value(const void *a, const void *b) {
    const entry *p = a, *q = b;
    return (p->value > q->value) - (p->value < q->value);
}

/* Returns the value with at most half of the weight on either side; 0 if there is no weight. */
static double weighted_median(entry *e, int64_t n) {
    double all = 0, below = 0;
    qsort(e, (size_t)n, sizeof *e, by_value);
    for (int64_t i = 0; i < n; i++)
        all += e[i].weight;
    for (int64_t i = 0; i < n; i++) {
        below += e[i].weight;
        if (below >= all / 2)
            return e[i].value;
    }
    return 0;
}

/* Computes the best v for u: for each column, the weighted median of g/u. Strides swap rows and columns. */
static void fit_side(const layer *l, const double *u, int64_t n_u, int64_t stride_u, double *v, int64_t n_v,
                     int64_t stride_v) {
    for (int64_t j = 0; j < n_v; j++) {
        int64_t n = 0;
        for (int64_t i = 0; i < n_u; i++)
            if (u[i] != 0)
                l->sorted[n++] = (entry){l->g[i * stride_u + j * stride_v] / u[i], fabs(u[i])};
        v[j] = weighted_median(l->sorted, n);
    }
}

static double absolute_error(const layer *l) {
    double sum = 0;
    for (int64_t i = 0; i < l->rows; i++)
        for (int64_t j = 0; j < l->columns; j++)
            sum += fabs(l->g[i * l->columns + j] - l->u[i] * l->v[j]);
    return sum;
}

/* Improves u and v in turn from a row of g until the error no longer falls. Returns it. */
static double fit_from(layer *l, int64_t row) {
    double error = INFINITY;
    for (int64_t j = 0; j < l->columns; j++)
        l->v[j] = l->g[row * l->columns + j];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        fit_side(l, l->v, l->columns, 1, l->u, l->rows, l->columns);
        fit_side(l, l->u, l->rows, l->columns, l->v, l->columns, 1);
        const double now = absolute_error(l);
        if (!(now < error * (1 - 1e-9)))
            break;
        error = now;
    }
    return error;
}

static double size_of_row(const layer *l, int64_t i) {
    double sum = 0;
    for (int64_t j = 0; j < l->columns; j++)
        sum += fabs(l->g[i * l->columns + j]);
    return sum;
}

/* Fits from the few rows with the largest entries, and keeps the best fit. */
static void fit(layer *l) {
    double least = INFINITY, before = INFINITY;
    for (int64_t i = 0; i < l->rows; i++)
        l->best_u[i] = 0;
    for (int64_t j = 0; j < l->columns; j++)
        l->best_v[j] = 0;
    for (int s = 0; s < STARTS; s++) {
        int64_t row = -1;
        double largest = 0;
        for (int64_t i = 0; i < l->rows; i++) {
            const double size = size_of_row(l, i);
            if (size < before && size > largest) {
                largest = size;
                row = i;
            }
        }
        if (row < 0)
            return;
        before = largest;
        const double error = fit_from(l, row);
        if (!(error < least))
            continue;
        least = error;
        for (int64_t i = 0; i < l->rows; i++)
            l->best_u[i] = l->u[i];
        for (int64_t j = 0; j < l->columns; j++)
            l->best_v[j] = l->v[j];
    }
}

/* ---- the layers of an update ---- */

static gnt_status take_room(const gnt_host *host, layer *l) {
    const size_t m = (size_t)l->rows, n = (size_t)l->columns;
    l->g = gnt_host_scratch(host, m * n, sizeof *l->g);
    l->u = gnt_host_scratch(host, 2 * m, sizeof *l->u);
    l->v = gnt_host_scratch(host, 2 * n, sizeof *l->v);
    l->sorted = gnt_host_scratch(host, m > n ? m : n, sizeof *l->sorted);
    TRY(have_memory(host, l->g && l->u && l->v && l->sorted, "no memory for a dense layer's update"));
    l->best_u = l->u + m;
    l->best_v = l->v + n;
    return GNT_OK;
}

/* Returns the place of entry (i, j) of a layer whose weights begin at `at`, followed by its bias if it has
 * one. */
static int64_t place_of(const layer *l, int64_t inputs, int64_t i, int64_t j) {
    return j < inputs ? i * inputs + j : l->rows * inputs + i;
}

static gnt_status strip_layer(const gnt_host *host, const gnt_view *weight, int has_bias, float *update,
                              float *change) {
    const int64_t inputs = weight->dim[1];
    layer l = {.rows = weight->dim[0], .columns = inputs + has_bias};
    double largest = 0;
    TRY(take_room(host, &l));
    for (int64_t i = 0; i < l.rows; i++)
        for (int64_t j = 0; j < l.columns; j++) {
            const double g = (double)update[place_of(&l, inputs, i, j)];
            l.g[i * l.columns + j] = g;
            largest = fabs(g) > largest ? fabs(g) : largest;
        }
    fit(&l);
    for (int64_t i = 0; i < l.rows; i++)
        for (int64_t j = 0; j < l.columns; j++) {
            const int64_t at = place_of(&l, inputs, i, j);
            const double product = l.best_u[i] * l.best_v[j], rest = (double)update[at] - product;
            change[at] = fabs(rest) > rounding * largest ? (float)rest : 0;
            update[at] = (float)product;
        }
    return GNT_OK;
}

gnt_status attr_strip_rank1(const gnt_host *host, const gnt_views *seen, float *update, float *change,
                            int64_t *layers) {
    int64_t at = 0;
    *layers = 0;
    memset(change, 0, (size_t)attr_update_size(seen) * sizeof *change);
    for (int64_t k = 0; k < seen->n; at += seen->view[k].count, k++) {
        const gnt_view *w = &seen->view[k], *next = k + 1 < seen->n ? w + 1 : NULL;
        if (w->rank != 2 || w->count < 1)
            continue;
        const int has_bias = next && next->rank == 1 && next->layer == w->layer && next->dim[0] == w->dim[0];
        gnt_status status = strip_layer(host, w, has_bias, update + at, change + at);
        if (status != GNT_OK)
            return status;
        ++*layers;
    }
    return GNT_OK;
}
