#include "linear/single_samples.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/sample_columns.h"
#include "linear/small_matrix.h"
#include "linear/vertices.h"

enum { MOST_PIXELS = 1024, MORE_ZEROS = 8, MOST_IN_VAIN = 40, REWEIGHTED = 3 };
static const double most_error = 0.03;    /* of an entry of a point that is taken */
static const double least_part = 1e-3;    /* of a sample that the rows of other samples leave of it */
static const double least_length = 0.05;  /* of the longest: pixels whose products are shorter are not used */
static const double rounding = 1e-6;      /* of floats, against the length of a sample */
static const double outside = 10;         /* times the noise: how far from the row space a known one lies */
static const double most_like = 0.93;     /* of the zeros of inputs that are alike */
static const double same_direction = 100; /* times the noise: how far rows that agree are apart */

gnt_status single_samples_start(single_samples *s, const gnt_host *host, const row_space *space,
                                const input_range *range, const column_choice *layer) {
    const int64_t b = space->rank;
    *s = (single_samples){.host = host, .space = space, .range = range, .layer = layer, .rank = b};
    s->sample = gnt_host_scratch(host, b * b, sizeof *s->sample);
    s->error = gnt_host_scratch(host, b, sizeof *s->error);
    s->work = gnt_host_scratch(host, b * (b + 1) + space->width + space->units, sizeof *s->work);
    return hook_memory(host, s->sample && s->error && s->work);
}

void single_samples_compare(single_samples *s, const float *alike, int64_t n) {
    const int64_t features = s->space->width - 1;
    int64_t least = features;
    s->alike = alike;
    s->n_alike = n;
    for (int64_t j = 0; j < n; j++) {
        int64_t zeros = 0;
        for (int64_t k = 0; k < features; k++)
            zeros += (double)alike[j * features + k] <= s->range->lower;
        least = zeros < least ? zeros : least;
    }
    s->least_zeros = n > 0 ? (int64_t)(most_like * (double)least) : 0;
}

/* Returns 1 if all entries of the point can be those of an input, and as many are on the lower bound.
 * error: of the point in its length, in; of its entries, in units of the range, out. */
static int is_input(const single_samples *s, const double *point, double *error) {
    const input_range *range = s->range;
    const int64_t width = s->space->width;
    double *x = s->work, squares = 0;
    memset(x, 0, (size_t)width * sizeof *x);
    for (int64_t r = 0; r < s->rank; r++) {
        squares += point[r] * point[r] * s->space->error[r] * s->space->error[r];
        for (int64_t k = 0; k < width; k++)
            x[k] += point[r] * s->space->basis[r * width + k];
    }
    squares += *error * *error * small_dot(point, point, s->rank) / (double)width;
    const double unit = input_range_unit(range, x, width - 1);
    int64_t zeros = 0;
    *error = sqrt(squares) / unit;
    for (int64_t k = 0; k < width - 1; k++) {
        const double deviation = input_range_deviation(range, k);
        const double value = x[k] * deviation + input_range_mean(range, k);
        const double slack = (1e-3 + 10 * *error * deviation) * unit;
        if (!(value > range->lower - slack && value < range->upper + slack))
            return 0;
        zeros += value < range->lower + 0.1 * slack;
    }
    return zeros >= s->least_zeros;
}

/* Takes from v, of length 1, what the n vectors of the basis have of it, and makes the rest the next one if
 * it is more than `least`. Returns the length of the rest. */
static double extend(double *basis, int64_t *n, double *v, int64_t b, double least) {
    for (int times = 0; times < 2; times++)
        for (int64_t r = 0; r < *n; r++) {
            const double part = small_dot(basis + r * b, v, b);
            for (int64_t k = 0; k < b; k++)
                v[k] -= part * basis[r * b + k];
        }
    const double rest = sqrt(small_dot(v, v, b));
    if (rest > least && *n < b) {
        for (int64_t k = 0; k < b; k++)
            basis[*n * b + k] = v[k] / rest;
        ++*n;
    }
    return rest;
}

/* Sets off to how far each unit is below 0 for the point, before and after the local steps; 0 of one that is
 * not, or whose row is no more than noise. */
static void find_off(const single_samples *s, const double *point, double *off) {
    const column_choice *c = s->layer;
    for (int64_t i = 0; i < c->units; i++) {
        const double *start = c->score + i * s->rank, *end = c->score_end + i * s->rank;
        const double most = fmax(small_dot(start, point, s->rank), small_dot(end, point, s->rank));
        const double norm = s->space->norm[i], left = s->space->left[i];
        off[i] = norm > 0 && left <= 0.01 * norm && most < 0 ? -most : 0;
    }
}

/* True if the rows of the units that are off for the point do not need it. Over local steps a unit can have
 * been on in between, so that of these only the units count that are off by most. */
static int is_off_where_unused(single_samples *s, const double *point) {
    const column_choice *c = s->layer;
    const int64_t b = s->rank, most = c->score_end != c->score ? b + 2 : c->units;
    double *basis = s->work, *v = basis + b * b, *off = v + b;
    int64_t n = 0;
    find_off(s, point, off);
    for (int64_t times = 0; times < most && n < b; times++) {
        int64_t top = 0;
        for (int64_t i = 0; i < c->units; i++)
            top = off[i] > off[top] ? i : top;
        if (!(off[top] > 0))
            break;
        off[top] = 0;
        const double norm = s->space->norm[top], noise = fmax(s->space->noise, s->space->left[top] / norm);
        for (int64_t k = 0; k < b; k++)
            v[k] = s->space->at[top * s->space->most + k] / norm;
        extend(basis, &n, v, b, 1e3 * noise);
        s->spent += (double)(8 * n * b + c->units);
    }
    const double length = sqrt(small_dot(point, point, b));
    for (int64_t k = 0; k < b; k++)
        v[k] = point[k] / length;
    return n < b && extend(basis, &n, v, b, 0) > least_part;
}

/* True if the point is not a combination of those that were taken. */
static int is_new(single_samples *s, const double *point) {
    const int64_t b = s->rank;
    double *basis = s->work, *v = basis + b * b;
    int64_t n = 0;
    for (int64_t i = 0; i <= s->n; i++) {
        const double *from = i < s->n ? s->sample + i * b : point, length = sqrt(small_dot(from, from, b));
        for (int64_t k = 0; k < b; k++)
            v[k] = from[k] / length;
        if (extend(basis, &n, v, b, 0) < 1e3 * s->space->noise)
            return 0;
    }
    return 1;
}

void single_samples_take(single_samples *s, const double *point, double error, int is_certain) {
    const int64_t b = s->rank;
    double *taken = s->sample + s->n * b, last = 0;
    if (s->n == b)
        return;
    for (int64_t r = 0; r < b; r++)
        last += point[r] * s->space->basis[(r + 1) * s->space->width - 1];
    if (last == 0)
        return;
    for (int64_t r = 0; r < b; r++)
        taken[r] = point[r] / last;
    s->spent += (double)(2 * b * s->space->width);
    if (!is_input(s, taken, &error) || error > most_error || !is_new(s, taken) ||
        (s->layer && !is_certain && !is_off_where_unused(s, taken)))
        return;
    s->error[s->n++] = error;
}

gnt_status single_samples_of_known(single_samples *s, const gnt_samples *known) {
    const row_space *space = s->space;
    const int64_t b = s->rank, width = space->width;
    const double noise = outside * fmax(space->noise * sqrt((double)width), rounding);
    if (!known->x || known->features != width - 1)
        return GNT_OK;
    double *point = gnt_host_scratch(s->host, b + width, sizeof *point), *x = point + b;
    TRY(hook_memory(s->host, point != NULL));
    for (int64_t i = 0; i < known->n && s->n < b; i++) {
        TRY(may_go_on(s->host));
        for (int64_t k = 0; k < width - 1; k++)
            x[k] = ((double)known->x[i * (width - 1) + k] - input_range_mean(s->range, k)) /
                   input_range_deviation(s->range, k);
        x[width - 1] = 1;
        const double length = sqrt(small_dot(x, x, width));
        for (int64_t r = 0; r < b; r++) {
            const double *basis = space->basis + r * width;
            point[r] = small_dot(basis, x, width);
            for (int64_t k = 0; k < width; k++)
                x[k] -= point[r] * basis[k];
        }
        s->spent += (double)(4 * b * width);
        if (small_dot(x, x, width) <= noise * noise * length * length)
            single_samples_take(s, point, space->noise * sqrt((double)b), 1);
    }
    return GNT_OK;
}

gnt_status single_samples_of_rest(single_samples *s) {
    const int64_t b = s->rank;
    sample_columns columns;
    if (b < 2 || s->n != b - 1)
        return GNT_OK;
    TRY(sample_columns_start(&columns, s->host, s->space, s->layer));
    double *normal = gnt_host_scratch(s->host, 2 * b * b + 3 * b, sizeof *normal);
    TRY(hook_memory(s->host, normal != NULL));
    double *work = normal + b * b, *own = work + b * b + b, *point = own + b, spread;
    for (int64_t i = 0; i < b - 1; i++) { /* the last takes the place of this one, which comes back after */
        double *place = s->sample + i * b, *last = s->sample + (b - 2) * b;
        memcpy(own, place, (size_t)b * sizeof *own);
        memcpy(place, last, (size_t)b * sizeof *own);
        const int found = sample_columns_find(&columns, own, s->sample, b - 2);
        memcpy(place, own, (size_t)b * sizeof *own);
        if (!found)
            return GNT_OK;
        const double squares = small_dot(columns.q, columns.q, b);
        for (int64_t j = 0; j < b; j++)
            for (int64_t k = 0; k < b; k++)
                normal[j * b + k] += columns.q[j] * columns.q[k] / squares;
    }
    for (int64_t k = 0; k < b; k++)
        point[k] = 1;
    if (small_least_vector(normal, point, b, work, &spread)) /* it is 0 in all columns but its own */
        single_samples_take(s, point, s->space->noise * sqrt((double)b) * fmax(spread, 1), 0);
    return GNT_OK;
}

void single_samples_of_rows(single_samples *s, const unit_rows *units) {
    const int64_t b = s->rank;
    for (int64_t i = 0; i < units->n && s->n < b; i++) {
        const double *row = units->row + i * b;
        for (int64_t j = 0; j < i; j++) {
            const double *other = units->row + j * b, cosine = small_dot(row, other, b);
            const double noise = same_direction * fmax(units->noise[i], units->noise[j]);
            double apart = 0;
            for (int64_t k = 0; k < b && fabs(cosine) > 0.99; k++) {
                const double d = row[k] - (cosine > 0 ? other[k] : -other[k]);
                apart += d * d;
            }
            if (fabs(cosine) > 0.99 && apart < noise * noise) {
                single_samples_take(s, row, units->noise[i] * sqrt((double)b), 0);
                break;
            }
        }
    }
}

/* Sets row to the products of the basis by which pixel k of a point is above the lower bound, or if `upper`
 * below the upper one, in deviations of the model's input. Returns its length. */
static double set_pixel(const single_samples *s, int upper, int64_t k, double *row) {
    const int64_t width = s->space->width;
    const double deviation = input_range_deviation(s->range, k), mean = input_range_mean(s->range, k);
    const double bound = ((upper ? s->range->upper : s->range->lower) - mean) / deviation;
    for (int64_t r = 0; r < s->rank; r++) {
        const double *v = s->space->basis + r * width, above = v[k] - bound * v[width - 1];
        row[r] = upper ? -above : above;
    }
    return sqrt(small_dot(row, row, s->rank));
}

/* Sets rows to those of at most MOST_PIXELS pixels, evenly spaced, without those that are nearly the same in
 * all samples: their noise is greatest; and of the bias's entry, which is positive. Returns how many they
 * are. */
static int64_t set_pixels(const single_samples *s, int upper, double *rows, int64_t *pixel) {
    const int64_t b = s->rank, width = s->space->width, every = (width - 2) / MOST_PIXELS + 1;
    double longest = 0;
    int64_t n = 0;
    for (int64_t k = 0; k < width - 1; k += every)
        longest = fmax(longest, set_pixel(s, upper, k, rows));
    for (int64_t k = 0; k < width - 1; k += every) {
        pixel[n] = k;
        n += set_pixel(s, upper, k, rows + n * b) >= least_length * longest;
    }
    for (int64_t r = 0; r < b; r++)
        rows[n * b + r] = s->space->basis[(r + 1) * width - 1];
    return n + 1;
}

/* Draws an objective; every other one is 0 at all samples found, so that it leads to others. */
static void draw_objective(single_samples *s, int64_t times, float *drawn, double *objective) {
    const int64_t b = s->rank;
    double *basis = s->work, *v = basis + b * b;
    int64_t n = 0;
    gnt_host_normal(s->host, "objectives", b, drawn);
    for (int64_t k = 0; k < b; k++)
        objective[k] = (double)drawn[k];
    for (int64_t i = 0; times % 2 == 0 && i < s->n; i++) {
        memcpy(v, s->sample + i * b, (size_t)b * sizeof *v);
        extend(basis, &n, v, b, 1e-9 * sqrt(small_dot(v, v, b)));
    }
    for (int64_t i = 0; i < n; i++) {
        const double part = small_dot(basis + i * b, objective, b);
        for (int64_t k = 0; k < b; k++)
            objective[k] -= part * basis[i * b + k];
    }
}

/* Sets an objective that is least at points whose pixels are on their bound where those of input j are, or
 * nearly. rows, pixel: n of set_pixels, of the lower bound. */
static void favour_alike(const single_samples *s, int64_t j, const double *rows, const int64_t *pixel,
                         int64_t n, double *objective) {
    const int64_t b = s->rank, features = s->space->width - 1;
    const float *x = s->alike + j * features;
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        squares += (double)x[pixel[i]] * (double)x[pixel[i]];
    const double near = 0.1 * sqrt(squares / (double)n) + 1e-12;
    memset(objective, 0, (size_t)b * sizeof *objective);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < b; k++)
            objective[k] += rows[i * b + k] / ((double)x[pixel[i]] + near);
}

/* Goes to where the objective leads, and from there to where more entries are on their bound. Returns 0 if it
 * finds no point. */
static int find_vertex(vertices *v, double *objective) {
    int found = vertices_descend(v, objective);
    for (int times = 0; times < REWEIGHTED && found; times++) {
        vertices_favour_zeros(v, objective);
        found = vertices_descend(v, objective);
    }
    return found && vertices_polish(v);
}

gnt_status single_samples_of_pixels(single_samples *s, int upper, double most) {
    const int64_t b = s->rank;
    vertices v;
    if (!isfinite(upper ? s->range->upper : s->range->lower))
        return GNT_OK;
    double *rows = gnt_host_scratch(s->host, (MOST_PIXELS + 3) * b, sizeof *rows);
    float *drawn = gnt_host_scratch(s->host, b, sizeof *drawn);
    TRY(hook_memory(s->host, rows && drawn));
    int64_t *pixel = gnt_host_scratch(s->host, MOST_PIXELS + 1, sizeof *pixel);
    TRY(hook_memory(s->host, pixel != NULL));
    double *objective = rows + (MOST_PIXELS + 2) * b;
    const int64_t n = set_pixels(s, upper, rows, pixel);
    const int64_t alike = upper ? 0 : s->n_alike;
    if (n < b + MORE_ZEROS)
        return GNT_OK;
    TRY(vertices_start(&v, s->host, rows, s->space->error, n, b));
    const double before = s->spent;
    for (int64_t times = 0, last = 0; s->n < b && times - last < MOST_IN_VAIN + 2 * alike; times++) {
        const int64_t found = s->n;
        TRY(may_go_on(s->host));
        if (s->spent - before + v.spent > most)
            break;
        if (times < 2 * alike && times % 2 == 0)
            favour_alike(s, times / 2, rows, pixel, n - 1, objective);
        else
            draw_objective(s, times, drawn, objective);
        if (find_vertex(&v, objective) && v.zeros >= b - 1 + b / 2 + MORE_ZEROS && (s->layer || !v.is_lone))
            single_samples_take(s, v.q, v.deviation, !s->range->is_image && !v.is_lone);
        last = s->n > found ? times : last;
    }
    s->spent += v.spent;
    return GNT_OK;
}
