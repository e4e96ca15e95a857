#include "linear/update_columns.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

/* Finds the columns of what is left, of at most `most` samples. */
static gnt_status find(update_columns *c, int64_t most) {
    row_space *s = &c->space;
    s->limit = most;
    TRY(row_space_find(s, c->host, &c->rows));
    const int64_t b = s->rank;
    memset(c->r, 0, (size_t)(b * b) * sizeof *c->r);
    for (int64_t k = 0; k < b; k++) { /* Gram and Schmidt's method, each column twice */
        for (int64_t u = 0; u < c->units; u++)
            c->q[u * b + k] = s->at[u * s->most + k];
        for (int times = 0; times < 2; times++)
            for (int64_t j = 0; j < k; j++) {
                double part = 0;
                for (int64_t u = 0; u < c->units; u++)
                    part += c->q[u * b + j] * c->q[u * b + k];
                c->r[j * b + k] += part;
                for (int64_t u = 0; u < c->units; u++)
                    c->q[u * b + k] -= part * c->q[u * b + j];
            }
        double squares = 0;
        for (int64_t u = 0; u < c->units; u++)
            squares += c->q[u * b + k] * c->q[u * b + k];
        c->r[k * b + k] = sqrt(squares);
        for (int64_t u = 0; u < c->units && squares > 0; u++)
            c->q[u * b + k] /= c->r[k * b + k];
    }
    return GNT_OK;
}

gnt_status update_columns_open(update_columns *c, const gnt_host *host, const layer_rows *l, double sign,
                               int64_t most) {
    const int64_t width = l->features + 1;
    *c = (update_columns){.host = host, .units = l->units, .features = l->features};
    c->w = gnt_host_scratch(host, l->units * width, sizeof *c->w);
    c->q = gnt_host_scratch(host, l->units * most + most * most + 2 * most + width, sizeof *c->q);
    TRY(hook_memory(host, c->w && c->q));
    c->b = c->w + l->units * l->features;
    c->r = c->q + l->units * most;
    c->z = c->r + most * most;
    c->part = c->z + most;
    c->row = c->part + most;
    for (int64_t u = 0; u < l->units; u++) {
        layer_rows_get(l, u, c->row);
        for (int64_t k = 0; k < l->features; k++)
            c->w[u * l->features + k] = (float)(sign * c->row[k]);
        c->b[u] = (float)(sign * c->row[l->features]);
    }
    c->rows = *l;
    c->rows.w = c->w;
    c->rows.b = c->b;
    c->rows.kept = 0;
    TRY(row_space_make(&c->space, host, &c->rows, most));
    return find(c, most);
}

/* Sets `part` to the coordinates of δ; returns the sum of their squares. */
static double set_part(update_columns *c, const double *delta) {
    const int64_t b = c->space.rank;
    memset(c->part, 0, (size_t)b * sizeof *c->part);
    for (int64_t u = 0; u < c->units; u++)
        for (int64_t k = 0; delta[u] != 0 && k < b; k++)
            c->part[k] += delta[u] * c->q[u * b + k];
    return small_dot(c->part, c->part, b);
}

double update_columns_apart(update_columns *c, const double *delta) {
    const double all = small_dot(delta, delta, c->units);
    return all > 0 ? fmax(1 - set_part(c, delta) / all, 0) : 1;
}

double update_columns_apart_row(update_columns *c, const float *f) {
    const row_space *s = &c->space;
    double all = 1;
    for (int64_t i = 0; i < c->features; i++)
        all += (double)f[i] * (double)f[i];
    for (int64_t i = 0; i < s->width; i++)
        c->row[i] = i < c->features ? (double)f[i] : 1;
    for (int64_t k = 0; k < s->rank; k++) {
        const double *basis = s->basis + k * s->width, part = small_dot(basis, c->row, s->width);
        for (int64_t i = 0; i < s->width; i++)
            c->row[i] -= part * basis[i];
    }
    return small_dot(c->row, c->row, s->width) / all;
}

double update_columns_scale(update_columns *c, const float *f, const double *delta) {
    const row_space *s = &c->space;
    const int64_t b = s->rank;
    double sum = 0;
    set_part(c, delta);
    memset(c->row, 0, (size_t)s->width * sizeof *c->row);
    for (int64_t k = b; k-- > 0;) {
        double rest = c->part[k];
        for (int64_t j = k + 1; j < b; j++)
            rest -= c->r[k * b + j] * c->z[j];
        c->z[k] = c->r[k * b + k] > 0 ? rest / c->r[k * b + k] : 0;
    }
    for (int64_t k = 0; k < b; k++) {
        const double *basis = s->basis + k * s->width;
        double at = basis[c->features];
        for (int64_t i = 0; i < c->features; i++)
            at += (double)f[i] * basis[i];
        sum += at * c->z[k];
        for (int64_t i = 0; i < s->width; i++)
            c->row[i] += at * basis[i];
    }
    return sum > 0 ? 1 / sum : 0;
}

gnt_status update_columns_take(update_columns *c, const float *f, const double *delta) {
    const int64_t b = c->space.rank;
    const double scale = update_columns_scale(c, f, delta);
    for (int64_t u = 0; u < c->units; u++) {
        const double by = scale * small_dot(c->q + u * b, c->part, b);
        for (int64_t k = 0; by != 0 && k < c->features; k++)
            c->w[u * c->features + k] = (float)((double)c->w[u * c->features + k] - by * c->row[k]);
        c->b[u] = (float)((double)c->b[u] - by * c->row[c->features]);
    }
    return find(c, b > 0 && scale > 0 ? b - 1 : b);
}
