#include "prior/sample_prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "prior/principal.h"
#include "prior/matrix_rows.h"
#include "prior/stationary.h"
#include "hook.h"

/* Vector code for the loops, with the same bits: no sum changes its order. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_COPIES = SAMPLE_PRIOR_MOST };
enum { LEAST_RANK = 128, MOST_RANK = 256 };
static const double grey = 0.5, grey_variance = 0.08, channels_agree = 0.8;
static const double least_variance = 1e-5, rest_floor = 1e-7;

sample_shape sample_shape_of(const gnt_model_info *info) {
    sample_shape s = {.features = hook_features(info)};
    s.channels = info->rank == 3 ? info->dim[0] : s.features;
    s.height = info->rank == 3 ? info->dim[1] : 1;
    s.width = info->rank == 3 ? info->dim[2] : 1;
    return s;
}

/* ---- public samples, moved about ---- */

typedef struct copies {
    int64_t n;
    float *x; /* n × features */
} copies;

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Shifts an image: to(row, column) = from(row − down, column − right), with the edges repeated. */
static void move(const sample_shape *s, const float *from, int64_t down, int64_t right, float *to) {
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < s->height; i++)
            for (int64_t k = 0; k < s->width; k++)
                *to++ = from[(c * s->height + clamp(i - down, s->height)) * s->width +
                             clamp(k - right, s->width)];
}

static gnt_status copies_make(copies *out, const gnt_host *host, const sample_shape *s, const float *x,
                              int64_t n, const uint8_t *kept, int64_t shift) {
    int64_t used = 0, done = 0;
    for (int64_t i = 0; i < n; i++)
        used += !kept || kept[i];
    const int64_t most = used < MOST_COPIES ? used : MOST_COPIES;
    if (s->height < 2 * shift + 2 || s->width < 2 * shift + 2)
        shift = 0;
    while (shift > 0 && most * (2 * shift + 1) * (2 * shift + 1) > MOST_COPIES)
        shift--;
    *out = (copies){most * (2 * shift + 1) * (2 * shift + 1), NULL};
    out->x = gnt_host_scratch(host, out->n * s->features + 1, sizeof *out->x);
    TRY(hook_memory(host, out->x != NULL));
    for (int64_t i = 0; i < n && done < out->n; i++)
        for (int64_t down = -shift; (!kept || kept[i]) && down <= shift; down++)
            for (int64_t right = -shift; right <= shift; right++)
                move(s, x + i * s->features, down, right, out->x + done++ * s->features);
    return GNT_OK;
}

/* ---- the covariance ---- */

typedef struct covariance {
    const sample_shape *shape;
    const double *mean;
    copies of;
    prior_setting setting;
    double *deviation, *by_distance; /* features; height × width */
    double *by;                      /* a weight of each copy, and of each column of the factor */
    stationary even;                 /* with setting.by_distance */
} covariance;

static void moments(const covariance *c, double *mean) {
    const int64_t d = c->shape->features, n = c->of.n;
    for (int64_t k = 0; k < d; k++)
        mean[k] = c->deviation[k] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++) {
            const double v = (double)c->of.x[i * d + k];
            mean[k] += v / (double)n;
            c->deviation[k] += v * v / (double)n;
        }
    for (int64_t k = 0; k < d; k++) {
        mean[k] = n ? mean[k] : grey;
        c->deviation[k] = sqrt(n ? fmax(c->deviation[k] - mean[k] * mean[k], least_variance) : grey_variance);
    }
}

/* Returns the weight of the covariance that is mixed in. */
static double weight_of_mixed(const covariance *c) {
    const double even = c->setting.by_distance;
    return c->of.n == 0 ? 1 : even > 0 ? even / (even + (double)c->of.n) : c->setting.smooth;
}

static double variance_of(const covariance *c, int64_t k) {
    return c->deviation[k] * c->deviation[k];
}

/* Mixes means and deviations with those of each channel. */
static void mix_moments(const covariance *c, double *mean) {
    const int64_t d = c->shape->features, area = c->shape->height * c->shape->width;
    const double w = weight_of_mixed(c);
    for (int64_t k = 0; k < d; k++) {
        c->deviation[k] = sqrt(
            fmax((1 - w) * variance_of(c, k) + w * stationary_variance(&c->even, k / area), least_variance));
        mean[k] = (1 - w) * mean[k] + w * c->even.mean[k / area];
    }
}

/* Adds w times column k of the smooth covariance of images to out. */
static void add_smooth(const covariance *c, int64_t k, double w, double *out) {
    const sample_shape *s = c->shape;
    const int64_t area = s->height * s->width, row = k % area / s->width, at = k % s->width;
    for (int64_t channel = 0; channel < s->channels; channel++)
        for (int64_t i = 0; i < s->height; i++) {
            const int64_t first = channel * area + i * s->width;
            const double by = w * (channel == k / area ? 1 : channels_agree) * c->deviation[k];
            for (int64_t l = 0; l < s->width; l++)
                out[first + l] +=
                    by * c->deviation[first + l] * c->by_distance[llabs(i - row) * s->width + llabs(l - at)];
        }
}

/* Computes column k of the mixed covariance. */
static void column(const covariance *c, int64_t k, double *out) {
    const sample_shape *s = c->shape;
    const int64_t d = s->features, area = s->height * s->width;
    const double w = weight_of_mixed(c);
    for (int64_t l = 0; l < d; l++)
        out[l] = c->of.n ? -(1 - w) * c->mean[k] * c->mean[l] : 0;
    for (int64_t i = 0; i < c->of.n; i++)
        c->by[i] = (1 - w) * (double)c->of.x[i * d + k] / (double)c->of.n;
    rows_combine_floats(c->of.x, c->of.n, d, c->by, out);
    if (c->even.mean)
        stationary_add_column(&c->even, k, w, out);
    else if (area > 1)
        add_smooth(c, k, w, out);
    else
        out[k] += w * variance_of(c, k);
}

static int64_t greatest(const double *v, int64_t n) {
    int64_t at = 0;
    for (int64_t k = 1; k < n; k++)
        at = v[k] > v[at] ? k : at;
    return at;
}

/* Factors the covariance by a pivoted Cholesky decomposition: takes the column of the largest variance
 * left until that is small or there are `most` columns. */
static void factor(sample_prior *p, const covariance *c, int64_t most, double *room) {
    const int64_t d = p->features;
    for (int64_t k = 0; k < d; k++)
        p->rest[k] = variance_of(c, k);
    const double enough = 1e-4 * p->rest[greatest(p->rest, d)];
    for (p->rank = 0; p->rank < most; p->rank++) {
        const int64_t pivot = greatest(p->rest, d);
        if (p->rest[pivot] <= enough)
            break;
        column(c, pivot, room);
        for (int64_t j = 0; j < p->rank; j++)
            c->by[j] = -(double)p->factor[j * d + pivot];
        rows_combine_floats(p->factor, p->rank, d, c->by, room);
        const double root = sqrt(p->rest[pivot]);
        for (int64_t k = 0; k < d; k++) {
            p->factor[p->rank * d + k] = (float)(room[k] / root);
            p->rest[k] -= room[k] * room[k] / (root * root);
        }
        p->rest[pivot] = 0;
    }
}

/* Keeps the best `rank` columns, and sets `rest` to the variances that they leave. */
static gnt_status shorten(sample_prior *p, const gnt_host *host, const covariance *c, int64_t rank) {
    const int64_t d = p->features;
    gnt_status status = GNT_OK;
    if (p->rank > rank) {
        status = principal_rows(host, p->factor, p->rank, d, rank);
        p->rank = rank;
    }
    for (int64_t k = 0; k < d; k++)
        p->rest[k] = variance_of(c, k);
    for (int64_t i = 0; i < p->rank; i++)
        for (int64_t k = 0; k < d; k++)
            p->rest[k] -= (double)p->factor[i * d + k] * (double)p->factor[i * d + k];
    for (int64_t k = 0; k < d; k++)
        p->rest[k] = fmax(p->rest[k], rest_floor);
    return status;
}

static gnt_status make(sample_prior *p, const gnt_host *host, const sample_shape *shape, const float *x,
                       int64_t n, const uint8_t *kept, prior_setting setting, int64_t rank, int64_t pivots) {
    const int64_t d = shape->features, most = d < pivots ? d : pivots;
    const size_t bytes = (size_t)d * sizeof(double);
    covariance c = {.shape = shape, .setting = setting};
    TRY(copies_make(&c.of, host, shape, x, n, kept, setting.shift));
    *p = (sample_prior){.features = d,
                        .mean = gnt_host_scratch(host, bytes, 1),
                        .rest = gnt_host_scratch(host, bytes, 1),
                        .factor = gnt_host_scratch(host, most * d, sizeof(float))};
    c.deviation = gnt_host_scratch(host, bytes, 1);
    c.by_distance = gnt_host_scratch(host, shape->height * shape->width, sizeof(double));
    c.by = gnt_host_scratch(host, c.of.n + most, sizeof(double));
    double *room = gnt_host_scratch(host, bytes, 1), *own = gnt_host_scratch(host, bytes, 1);
    TRY(hook_memory(host,
                    p->mean && p->rest && p->factor && c.deviation && c.by_distance && c.by && room && own));
    for (int64_t i = 0; i < shape->height; i++)
        for (int64_t k = 0; k < shape->width; k++)
            c.by_distance[i * shape->width + k] = exp(-sqrt((double)(i * i + k * k)) / setting.reach);
    moments(&c, p->mean);
    c.mean = p->mean;
    if (setting.by_distance > 0 && n > 0 && shape->height * shape->width > 1) {
        TRY(stationary_make(&c.even, host, shape, x,
                            n < SAMPLE_PRIOR_MOST_EVEN ? n : SAMPLE_PRIOR_MOST_EVEN));
        c.mean = memcpy(own, p->mean, bytes);
        mix_moments(&c, p->mean);
    }
    factor(p, &c, most, room);
    return shorten(p, host, &c, rank);
}

gnt_status sample_prior_make(sample_prior *p, const gnt_host *host, const sample_shape *shape, const float *x,
                             int64_t n, prior_setting setting) {
    const int64_t rank = n < LEAST_RANK ? LEAST_RANK : n < MOST_RANK ? n : MOST_RANK;
    return make(p, host, shape, x, n, NULL, setting, rank, 2 * rank);
}

gnt_status sample_prior_sketch(sample_prior *p, const gnt_host *host, const sample_shape *shape,
                               const float *x, int64_t n, const uint8_t *kept, prior_setting setting) {
    return make(p, host, shape, x, n, kept, setting, LEAST_RANK, LEAST_RANK);
}

/* ---- the posterior ----
 *
 * With A the precision of what is observed, B = A/(1 + rest·A): what it says of F z. Then
 *   z = M⁻¹ Fᵀ (pull − A·mean)/(1 + rest·A),  M = I + Fᵀ B F,
 *   x = mean + F z + rest·(pull − A·(mean + F z))/(1 + rest·A). */
struct prior_room {
    double *by, *centred, *m, *z; /* features, features, rank², rank */
    float *rows, *turned;         /* rank × features; F, features × rank */
    /* of the density that is open: 1/(noise + scale·rest), features; the rest of it */
    double *precision, scale, log_determinant;
};

prior_room *prior_room_make(const gnt_host *host, const sample_prior *p) {
    const size_t d = (size_t)p->features, r = (size_t)p->rank + 1;
    prior_room *room = gnt_host_scratch(host, 1, sizeof *room);
    if (!room)
        return NULL;
    *room = (prior_room){.by = gnt_host_scratch(host, d, sizeof(double)),
                         .centred = gnt_host_scratch(host, d, sizeof(double)),
                         .precision = gnt_host_scratch(host, d, sizeof(double)),
                         .m = gnt_host_scratch(host, r * r, sizeof(double)),
                         .z = gnt_host_scratch(host, r, sizeof(double)),
                         .rows = gnt_host_scratch(host, r * d, sizeof(float)),
                         .turned = gnt_host_scratch(host, r * d, sizeof(float))};
    if (!room->by || !room->centred || !room->m || !room->z || !room->rows || !room->turned ||
        !room->precision)
        return NULL;
    rows_turn(p->factor, p->rank, p->features, room->turned);
    return room;
}

/* Computes the Cholesky factor of m = I + Fᵀ diag(by) F. Returns a nonzero number if there is none. */
static int middle(const sample_prior *p, prior_room *room) {
    const int64_t r = p->rank;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            room->m[i * r + j] = i == j;
    rows_squares(room->turned, p->features, r, room->by, room->m);
    return gnt_cholesky(room->m, r);
}

/* Computes z = Fᵀ centred. */
static void project(const sample_prior *p, prior_room *room) {
    for (int64_t i = 0; i < p->rank; i++)
        room->z[i] = 0;
    rows_combine(room->turned, p->features, p->rank, room->centred, room->z);
}

/* Computes variance = rest/(1 + rest·A) + ‖L⁻¹ F_k‖²/(1 + rest·A)² */
static void variances(const sample_prior *p, const evidence *e, prior_room *room, double *variance) {
    const int64_t d = p->features, r = p->rank;
    memcpy(room->rows, p->factor, (size_t)(r * d) * sizeof *room->rows);
    rows_forward(room->rows, r, d, room->m);
    for (int64_t k = 0; k < d; k++)
        variance[k] = 0;
    for (int64_t i = 0; i < r; i++)
        for (int64_t k = 0; k < d; k++)
            variance[k] += (double)room->rows[i * d + k] * (double)room->rows[i * d + k];
    for (int64_t k = 0; k < d; k++) {
        const double grown = 1 + p->rest[k] * e->precision[k];
        variance[k] = p->rest[k] / grown + variance[k] / (grown * grown);
    }
}

int sample_prior_apply(const sample_prior *p, const evidence *e, prior_room *room, double *mean,
                       double *variance) {
    const int64_t d = p->features;
    for (int64_t k = 0; k < d; k++) {
        const double grown = 1 + p->rest[k] * e->precision[k];
        room->by[k] = e->precision[k] / grown;
        room->centred[k] = (e->pull[k] - e->precision[k] * p->mean[k]) / grown;
        mean[k] = p->mean[k];
        if (!isfinite(room->by[k]) || !isfinite(room->centred[k]))
            return -1;
    }
    if (middle(p, room) != 0)
        return -1;
    project(p, room);
    gnt_cholesky_solve(room->m, p->rank, room->z, 1);
    rows_combine(p->factor, p->rank, d, room->z, mean);
    for (int64_t k = 0; k < d; k++)
        mean[k] += p->rest[k] * (e->pull[k] - e->precision[k] * mean[k]) / (1 + p->rest[k] * e->precision[k]);
    if (variance)
        variances(p, e, room, variance);
    return 0;
}

void sample_prior_spread(const sample_prior *p, const evidence *e, prior_room *room, const double *v,
                         double *out) {
    const int64_t d = p->features;
    for (int64_t k = 0; k < d; k++) {
        room->centred[k] = v[k] / (1 + p->rest[k] * e->precision[k]);
        out[k] = 0;
    }
    project(p, room);
    gnt_cholesky_solve(room->m, p->rank, room->z, 1);
    rows_combine(p->factor, p->rank, d, room->z, out);
    for (int64_t k = 0; k < d; k++)
        out[k] += p->rest[k] * (v[k] - e->precision[k] * out[k]) / (1 + p->rest[k] * e->precision[k]);
}

void sample_prior_precondition(const sample_prior *p, prior_room *room, const double *r, double *out) {
    const int64_t d = p->features;
    for (int64_t k = 0; k < d; k++)
        room->centred[k] = room->by[k] * r[k];
    project(p, room);
    gnt_cholesky_solve(room->m, p->rank, room->z, 1);
    for (int64_t k = 0; k < d; k++)
        out[k] = 0;
    rows_combine(p->factor, p->rank, d, room->z, out);
    for (int64_t k = 0; k < d; k++)
        out[k] = room->by[k] * (r[k] - out[k]);
}

double sample_prior_narrowing(const sample_prior *p, const double *precision, prior_room *room) {
    double sum = 0;
    for (int64_t k = 0; k < p->features; k++) {
        const double grown = 1 + p->rest[k] * precision[k];
        room->by[k] = precision[k] / grown;
        sum += log(grown) / 2;
    }
    if (!isfinite(sum) || middle(p, room) != 0)
        return (double)NAN;
    for (int64_t i = 0; i < p->rank; i++)
        sum += log(room->m[i * p->rank + i]);
    return sum;
}

int sample_prior_density_open(const sample_prior *p, double scale, const double *noise, prior_room *room) {
    const int64_t r = p->rank;
    double log_determinant = 0;
    for (int64_t k = 0; k < p->features; k++) {
        const double own = noise[k] + scale * p->rest[k];
        room->precision[k] = 1 / own;
        room->by[k] = scale / own;
        log_determinant += log(own);
    }
    room->scale = scale;
    if (!isfinite(log_determinant) || middle(p, room) != 0)
        return -1;
    for (int64_t i = 0; i < r; i++)
        log_determinant += 2 * log(room->m[i * r + i]);
    room->log_determinant = log_determinant;
    return 0;
}

double sample_prior_density_at(const sample_prior *p, const double *y, prior_room *room) {
    const int64_t r = p->rank;
    double squares = 0;
    for (int64_t k = 0; k < p->features; k++) {
        room->centred[k] = y[k] * room->precision[k];
        squares += y[k] * room->centred[k];
    }
    project(p, room);
    for (int64_t i = 0; i < r; i++) { /* z ← L⁻¹ z */
        for (int64_t j = 0; j < i; j++)
            room->z[i] -= room->m[i * r + j] * room->z[j];
        room->z[i] /= room->m[i * r + i];
        squares -= room->scale * room->z[i] * room->z[i];
    }
    return -(squares + room->log_determinant) / 2;
}
