#include "linear/row_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

static const double above = 10; /* times the noise: what counts as a dimension */

double layer_rows_dot(const layer_rows *l, int64_t row, const double *v) {
    const float *w = l->w + row * l->features, *kept = l->weight + row * l->features;
    double sum = (double)l->b[row] * v[l->features], of_kept = 0;
    for (int64_t k = 0; k < l->features; k++)
        sum += (double)w[k] * v[k];
    if (l->kept == 0)
        return sum;
    for (int64_t k = 0; k < l->features; k++)
        of_kept += (double)kept[k] * v[k];
    return sum - l->kept * (of_kept + (double)l->bias[row] * v[l->features]);
}

void layer_rows_get(const layer_rows *l, int64_t row, double *out) {
    const int64_t f = l->features;
    for (int64_t k = 0; k < f; k++)
        out[k] = (double)l->w[row * f + k] - l->kept * (double)l->weight[row * f + k];
    out[f] = (double)l->b[row] - l->kept * (double)l->bias[row];
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Subtracts from v what the first n basis vectors have of it. */
static void leave_out(const row_space *s, int64_t n, double *v) {
    for (int64_t r = 0; r < n; r++) {
        const double *basis = s->basis + r * s->width;
        const double part = small_dot(basis, v, s->width);
        for (int64_t k = 0; k < s->width; k++)
            v[k] -= part * basis[k];
    }
}

/* Makes the row of which most is left the next basis vector, and sets each row's coordinate on it. Returns
 * the share of the row that was left; 0 if no row has any. remaining: squares of what is left. */
static double add_direction(row_space *s, const layer_rows *l, double *remaining) {
    int64_t top = 0;
    for (int64_t i = 0; i < s->units; i++)
        top = remaining[i] > remaining[top] ? i : top;
    double *v = s->basis + s->rank * s->width;
    layer_rows_get(l, top, v);
    leave_out(s, s->rank, v);
    leave_out(s, s->rank, v);
    const double norm = sqrt(small_dot(v, v, s->width));
    if (!(remaining[top] > 0) || !(norm > 1e-12 * s->norm[top]))
        return 0;
    for (int64_t k = 0; k < s->width; k++)
        v[k] /= norm;
    for (int64_t i = 0; i < s->units; i++) {
        const double part = s->norm[i] > 0 ? layer_rows_dot(l, i, v) : 0;
        s->at[i * s->most + s->rank] = part;
        remaining[i] -= part * part;
    }
    remaining[top] = 0; /* it is in the basis */
    s->rank++;
    return norm / s->norm[top];
}

/* Sets `left` and the noise. work: width; sorted: units. */
static void find_noise(row_space *s, const layer_rows *l, double *work, double *sorted) {
    int64_t n = 0;
    double loudest = 0;
    for (int64_t i = 0; i < s->units; i++)
        loudest = fmax(loudest, s->norm[i]);
    for (int64_t i = 0; i < s->units; i++) {
        s->left[i] = 0;
        if (!(s->norm[i] > 0))
            continue;
        layer_rows_get(l, i, work);
        leave_out(s, s->rank, work);
        const double squares = small_dot(work, work, s->width);
        s->left[i] = sqrt(squares / (double)(s->width > s->rank ? s->width - s->rank : 1));
        /* a row of the basis leaves nothing, and a row that is all rounding says nothing of the others */
        if (squares > 1e-24 * s->norm[i] * s->norm[i] && s->norm[i] > 1e-3 * loudest)
            sorted[n++] = s->left[i] / s->norm[i];
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    s->noise = fmax(n ? sorted[n / 2] : 0, ldexp(1, -24) / sqrt((double)s->width));
}

/* Leaves out the directions that are no more than noise. */
static void cut(row_space *s, const double *share) {
    int64_t rank = 0;
    while (rank < s->rank && share[rank] > above * s->noise * sqrt((double)s->width))
        rank++;
    s->rank = rank;
}

/* Makes the basis orthonormal again, and sets all coordinates on it. */
static void set_coordinates(row_space *s, const layer_rows *l) {
    for (int64_t r = 0; r < s->rank; r++) {
        double *v = s->basis + r * s->width;
        leave_out(s, r, v);
        leave_out(s, r, v);
        const double norm = sqrt(small_dot(v, v, s->width));
        for (int64_t k = 0; k < s->width; k++)
            v[k] /= norm;
        for (int64_t i = 0; i < s->units; i++)
            s->at[i * s->most + r] = s->norm[i] > 0 ? layer_rows_dot(l, i, v) : 0;
    }
}

/* Solves for the basis by weighted least squares over all rows: so far it has the noise of the few that it
 * was made of. room: 2 × rank² + rank × width + width. Returns 0 if it cannot. */
static int settle(row_space *s, const layer_rows *l, double *room) {
    const int64_t b = s->rank, width = s->width;
    double *normal = room, *inverse = normal + b * b, *right = inverse + b * b, *row = right + b * width;
    memset(room, 0, (size_t)(2 * b * b + b * width) * sizeof *room);
    for (int64_t i = 0; i < s->units; i++) {
        const double *at = s->at + i * s->most, norm = s->norm[i], left = s->left[i];
        if (!(norm > 0) || left > 0.1 * norm)
            continue;
        const double scale = 1 / fmax(left, s->noise * norm);
        layer_rows_get(l, i, row);
        for (int64_t j = 0; j < b; j++) {
            for (int64_t k = 0; k < b; k++)
                normal[j * b + k] += at[j] * scale * (at[k] * scale);
            for (int64_t k = 0; k < width; k++)
                right[j * width + k] += at[j] * scale * (row[k] * scale);
        }
    }
    if (!small_invert(normal, inverse, b))
        return 0;
    memset(s->basis, 0, (size_t)(b * width) * sizeof *s->basis);
    for (int64_t j = 0; j < b; j++) {
        for (int64_t r = 0; r < b; r++)
            for (int64_t k = 0; k < width; k++)
                s->basis[j * width + k] += inverse[j * b + r] * right[r * width + k];
        s->error[j] = sqrt(fabs(inverse[j * (b + 1)]));
    }
    set_coordinates(s, l);
    return 1;
}

gnt_status row_space_make(row_space *s, const gnt_host *host, const layer_rows *l, int64_t most) {
    const int64_t width = l->features + 1;
    *s = (row_space){.units = l->units, .width = width, .most = most, .limit = most};
    s->basis = gnt_host_scratch(host, most * width, sizeof *s->basis);
    s->at = gnt_host_scratch(host, l->units * most, sizeof *s->at);
    s->norm = gnt_host_scratch(host, 2 * l->units + most, sizeof *s->norm);
    s->room =
        gnt_host_scratch(host, 2 * l->units + most + 2 * most * most + (most + 2) * width, sizeof *s->room);
    TRY(hook_memory(host, s->basis && s->at && s->norm && s->room));
    s->left = s->norm + l->units;
    s->error = s->left + l->units;
    return GNT_OK;
}

gnt_status row_space_find(row_space *s, const gnt_host *host, const layer_rows *l) {
    double *remaining = s->room, *sorted = remaining + l->units, *work = sorted + l->units;
    double *share = work + s->width, *rest = share + s->most;
    s->rank = 0;
    for (int64_t i = 0; i < l->units; i++) {
        layer_rows_get(l, i, work);
        remaining[i] = small_dot(work, work, s->width);
        s->norm[i] = sqrt(remaining[i]);
    }
    while (s->rank < s->limit && (share[s->rank] = add_direction(s, l, remaining)) > 0)
        TRY(may_go_on(host));
    find_noise(s, l, work, sorted);
    s->full_noise = s->noise;
    cut(s, share);
    if (s->rank > 0)
        find_noise(s, l, work, sorted);
    if (s->rank > 0 && !settle(s, l, rest))
        s->rank = 0;
    if (s->rank > 0)
        find_noise(s, l, work, sorted);
    return GNT_OK;
}
