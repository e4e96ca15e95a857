#include "linear/sparse_columns.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

enum { PROBES = 6, SEEN = 256 };
enum { IN_VAIN = 20 };                  /* draws for each set of rows, after which the search ends */
static const double least_pivot = 300;  /* times the noise of a row */
static const double most_length = 0.01; /* of the tolerance of a product, which is about 1 */

static gnt_status take_memory(sparse_columns *c) {
    const int64_t b = c->rank;
    c->fresh = gnt_host_scratch(c->host, COLUMNS_FRESH * b, sizeof *c->fresh);
    c->seen = gnt_host_scratch(c->host, SEEN * b, sizeof *c->seen);
    c->column = gnt_host_scratch(c->host, b * b, sizeof *c->column);
    c->length = gnt_host_scratch(c->host, b, sizeof *c->length);
    c->probe = gnt_host_scratch(c->host, b * PROBES, sizeof *c->probe);
    c->work = gnt_host_scratch(c->host, 2 * b * b + 2 * b, sizeof *c->work);
    c->tried = gnt_host_scratch(c->host, b, sizeof *c->tried);
    c->order = gnt_host_scratch(c->host, c->rows, sizeof *c->order);
    return hook_memory(c->host, c->fresh && c->seen && c->column && c->length && c->probe && c->work &&
                                    c->tried && c->order);
}

gnt_status sparse_columns_start(sparse_columns *c, const gnt_host *host, const unit_rows *r) {
    *c = (sparse_columns){.host = host, .rows = r->n, .rank = r->rank, .row = r->row, .noise = r->noise};
    c->typical = r->typical;
    c->certain = r->certain;
    c->sets = 1;
    for (int64_t i = 0; i < c->rank; i++)
        c->sets *= (double)(c->rows - i) / (double)(i + 1);
    TRY(take_memory(c));
    for (int64_t i = 0; i < c->rows; i++)
        c->order[i] = i;
    return GNT_OK;
}

/* Moves a row that was not drawn yet to place `at` of the order, those that are certain first; returns it. */
static const double *draw_row(sparse_columns *c, int64_t at) {
    const uint64_t left = (uint64_t)(at < c->certain ? 1 : c->rows - at);
    const int64_t from = at + (int64_t)c->host->below(c->host->context, "row_sets", left);
    const int64_t drawn = c->order[from];
    c->order[from] = c->order[at];
    c->order[at] = drawn;
    return c->row + drawn * c->rank;
}

static void set_products(const sparse_columns *c, const double *row, double *out, int64_t stride) {
    for (int64_t k = 0; k < c->rank; k++)
        out[k * stride] = small_dot(c->column + k * c->rank, row, c->rank);
}

/* Makes column `pivot` 1 in the row with these products, and all others 0. */
static void eliminate(sparse_columns *c, int64_t pivot, const double *product) {
    const int64_t b = c->rank;
    double *of_pivot = c->column + pivot * b;
    const double scale = 1 / product[pivot];
    for (int64_t k = 0; k < b; k++)
        of_pivot[k] *= scale;
    for (int64_t j = 0; j < b; j++) {
        double *column = c->column + j * b;
        if (j != pivot)
            for (int64_t k = 0; k < b; k++)
                column[k] -= product[j] * of_pivot[k];
    }
}

/* Sets the columns to the inverse of a set of rows: column j is 0 in all of them but one. Returns how many
 * rows were drawn; 0 if the rows are not of full rank. */
static int64_t invert_set(sparse_columns *c) {
    const int64_t b = c->rank;
    double *product = c->work;
    int64_t drawn = 0, found = 0;
    for (int64_t k = 0; k < b * b; k++)
        c->column[k] = k % (b + 1) == 0;
    while (found < b && drawn < c->rows) {
        set_products(c, draw_row(c, drawn++), product, 1);
        int64_t top = found; /* columns before `found` have their row */
        for (int64_t j = found; j < b; j++)
            top = fabs(product[j]) > fabs(product[top]) ? j : top;
        if (fabs(product[top]) < least_pivot * c->typical)
            continue;
        for (int64_t k = 0; top != found && k < b; k++) {
            const double kept = c->column[found * b + k];
            c->column[found * b + k] = c->column[top * b + k];
            c->column[top * b + k] = kept;
        }
        const double kept = product[found];
        product[found] = product[top];
        product[top] = kept;
        eliminate(c, found++, product);
    }
    return found == b ? drawn : 0;
}

/* Counts the zeros of rows·q, q of length 1, within `times` the noise; if `normal` is not NULL, adds up the
 * squares of these rows there. */
static int64_t count_zeros(const sparse_columns *c, const double *q, double times, double *normal) {
    const int64_t b = c->rank;
    int64_t n = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        const double *row = c->row + i * b;
        if (!sparse_columns_is_zero(small_dot(row, q, b), times * c->noise[i]))
            continue;
        n++;
        for (int64_t j = 0; normal && j < b; j++)
            for (int64_t k = 0; k < b; k++)
                normal[j * b + k] += row[j] * row[k];
    }
    return n;
}

static int is_known(const sparse_columns *c, const double *q) {
    const int64_t n = c->n_seen < SEEN ? c->n_seen : SEEN;
    for (int64_t i = 0; i < n; i++)
        if (fabs(small_dot(c->seen + i * c->rank, q, c->rank)) > 1 - 1e-9 - 1e4 * c->typical * c->typical)
            return 1;
    return 0;
}

/* True if a row is the only one of those in `normal` that has its direction, so that it says nothing of the
 * others: of rows that were chosen to be 0 each is. inverse: of `normal` but for q. */
static int has_lone_row(const sparse_columns *c, const double *q, const double *inverse) {
    const int64_t b = c->rank;
    const double least = fmax(1e-8, 1e6 * c->typical * c->typical);
    for (int64_t i = c->certain; i < c->rows; i++) {
        const double *row = c->row + i * b;
        double leverage = 0;
        if (!sparse_columns_is_zero(small_dot(row, q, b), 3 * c->noise[i]))
            continue;
        for (int64_t j = 0; j < b; j++)
            leverage += row[j] * small_dot(inverse + j * b, row, b);
        if (leverage > 1 - least)
            return 1;
    }
    return 0;
}

/* Takes what q has off the inverse of a matrix of which q is the shortest vector. */
static void take_off(double *inverse, const double *q, int64_t b) {
    double most = 0;
    for (int64_t i = 0; i < b; i++)
        most += q[i] * small_dot(inverse + i * b, q, b);
    for (int64_t i = 0; i < b; i++)
        for (int64_t j = 0; j < b; j++)
            inverse[i * b + j] -= most * q[i] * q[j];
}

/* Keeps the vector tried, of any length, if it has more zeros than can be had by choice. Its zeros are looked
 * for with some tolerance first, then solved for, so that it is as exact as the noise allows. */
static void keep(sparse_columns *c, double tolerance) {
    const int64_t b = c->rank, least = b + (b > 4);
    double *q = c->tried, *normal = c->work + b * b + b;
    const double length = sqrt(small_dot(q, q, b));
    if (c->n == COLUMNS_FRESH || !(length > 0) || !isfinite(length))
        return;
    for (int64_t k = 0; k < b; k++)
        q[k] /= length;
    int64_t zeros = 0;
    double spread;
    for (int pass = 0; pass < 2; pass++) {
        memset(normal, 0, (size_t)(b * b) * sizeof *normal);
        c->spent += (double)(2 * c->rows * b);
        zeros = count_zeros(c, q, pass == 0 ? fmax(tolerance / length, 1) : 3, normal);
        if (zeros >= least)
            c->spent += (double)(b * b * (4 * b + zeros));
        if (zeros < least || !small_least_vector(normal, q, b, c->work, &spread))
            return;
    }
    zeros = count_zeros(c, q, 1, NULL);
    if (zeros < least || is_known(c, q))
        return;
    memcpy(c->seen + c->n_seen++ % SEEN * b, q, (size_t)b * sizeof *q);
    take_off(c->work, q, b);
    c->spent += (double)(2 * zeros * b * b);
    if (has_lone_row(c, q, c->work))
        return;
    memcpy(c->fresh + c->n * b, q, (size_t)b * sizeof *q);
    c->error[c->n] = c->typical * spread;
    c->zeros[c->n++] = zeros;
}

/* Tries the combinations of columns i and j of which two probed rows are 0. */
static void combine(sparse_columns *c, int64_t i, int64_t j, int64_t probes) {
    const int64_t b = c->rank;
    const double *x = c->probe + i * PROBES, *y = c->probe + j * PROBES;
    const double of_x = c->length[i], of_y = c->length[j];
    for (int64_t p = 0; p < probes; p++)
        for (int64_t r = p + 1; r < probes; r++) {
            const double tolerance = of_x * (fabs(y[p]) + fabs(y[r])) + of_y * (fabs(x[p]) + fabs(x[r]));
            if (fabs(x[p] * y[r] - x[r] * y[p]) > tolerance || fabs(y[p]) < 10 * of_y)
                continue;
            const double times = x[p] / y[p];
            for (int64_t k = 0; k < b; k++)
                c->tried[k] = c->column[i * b + k] - times * c->column[j * b + k];
            keep(c, (of_x + fabs(times) * of_y) / (10 * c->typical));
        }
}

/* Sets the length of each column to the tolerance of its products. */
static void set_lengths(sparse_columns *c) {
    for (int64_t j = 0; j < c->rank; j++) {
        const double *q = c->column + j * c->rank;
        c->length[j] = 10 * c->typical * sqrt(small_dot(q, q, c->rank)) * (1 + sqrt((double)c->rank));
    }
}

static void draw_set(sparse_columns *c) {
    const int64_t b = c->rank;
    int64_t drawn = invert_set(c), probes = 0;
    c->n = 0;
    c->spent += (double)(b * (4 * b * drawn + 2 * PROBES * b + 60 * b));
    if (drawn == 0)
        return;
    for (; probes < PROBES && drawn < c->rows; probes++)
        set_products(c, draw_row(c, drawn++), c->probe + probes, PROBES);
    set_lengths(c);
    for (int64_t j = 0; j < b; j++) {
        int64_t zeros = 0;
        if (c->length[j] > most_length)
            continue;
        for (int64_t p = 0; p < probes; p++)
            zeros += fabs(c->probe[j * PROBES + p]) <= c->length[j];
        if (zeros >= 2) {
            memcpy(c->tried, c->column + j * b, (size_t)b * sizeof *c->tried);
            keep(c, c->length[j] / (10 * c->typical));
        }
        for (int64_t i = 0; i < j; i++)
            if (c->length[i] <= most_length)
                combine(c, i, j, probes);
    }
}

void sparse_columns_draw(sparse_columns *c) {
    draw_set(c);
    c->in_vain = c->n > 0 ? 0 : c->in_vain + 1;
}

int sparse_columns_are_all_found(const sparse_columns *c) {
    return c->in_vain > IN_VAIN * c->sets;
}
