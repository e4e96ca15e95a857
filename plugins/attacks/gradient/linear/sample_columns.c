#include "linear/sample_columns.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/small_matrix.h"

enum { PASSES = 4, MORE_ROWS = 4 };
static const double loud = 0.01; /* noise of a row, in its length: rows of more are not used */

gnt_status sample_columns_start(sample_columns *c, const gnt_host *host, const row_space *s,
                                const column_choice *layer) {
    const int64_t b = s->rank;
    *c = (sample_columns){.space = s, .layer = layer};
    c->normal = gnt_host_scratch(host, 2 * b * b + b, sizeof *c->normal);
    TRY(hook_memory(host, c->normal != NULL));
    c->inverse = c->normal + b * b;
    c->q = c->inverse + b * b;
    return GNT_OK;
}

/* Adds the square of v to the normal equations. */
static void add(sample_columns *c, const double *v, double weight) {
    const int64_t b = c->space->rank;
    for (int64_t i = 0; i < b; i++)
        for (int64_t k = 0; k < b; k++)
            c->normal[i * b + k] += weight * v[i] * v[k];
}

/* Returns by how much a unit is below 0 for the sample, at the start and at the end of the steps; 0 of
 * one that is not, or whose row is mostly noise. */
static double off_by(const sample_columns *c, int64_t unit, const double *sample) {
    const row_space *s = c->space;
    const double *start = c->layer->score + unit * s->rank, *end = c->layer->score_end + unit * s->rank;
    const double norm = s->norm[unit];
    const double most = fmax(small_dot(start, sample, s->rank), small_dot(end, sample, s->rank));
    return norm > 0 && s->left[unit] <= loud * norm && most < 0 ? -most : 0;
}

/* Returns how many times the noise a unit's row is from 0 at q. */
static double distance(const sample_columns *c, int64_t unit) {
    const row_space *s = c->space;
    const double *at = s->at + unit * s->most, norm = s->norm[unit];
    const double noise = fmax(s->noise, s->left[unit] / norm);
    return fabs(small_dot(at, c->q, s->rank)) / (norm * noise * sqrt(small_dot(c->q, c->q, s->rank)));
}

/* Adds the rows of the units that are off, those less that were not 0 at the last q: a unit can have been
 * on during the steps. Sets `off` to how many there are. */
static void add_off(sample_columns *c, const double *sample, int pass) {
    const row_space *s = c->space;
    c->off = 0;
    for (int64_t i = 0; c->layer && i < s->units; i++) {
        const double norm = s->norm[i];
        if (!(off_by(c, i, sample) > 0))
            continue;
        add(c, s->at + i * s->most, 1 / (norm * norm) / (1 + (pass ? 0.1 * distance(c, i) : 0)));
        c->off++;
    }
}

/* Sets q to 1 at the sample and as near to 0 as can be in the equations. Returns 0 if they do not say. */
static int solve(sample_columns *c, const double *sample) {
    const int64_t b = c->space->rank;
    double trace = 0;
    for (int64_t k = 0; k < b; k++)
        trace += c->normal[k * (b + 1)];
    for (int64_t k = 0; k < b; k++)
        c->normal[k * (b + 1)] += b > 1 ? 1e-13 * trace : 1;
    if (!(trace > 0 || b == 1) || !small_invert(c->normal, c->inverse, b))
        return 0;
    for (int64_t k = 0; k < b; k++)
        c->q[k] = small_dot(c->inverse + k * b, sample, b);
    const double at = small_dot(c->q, sample, b);
    for (int64_t k = 0; k < b; k++)
        c->q[k] /= at;
    return isfinite(at) && at != 0;
}

int sample_columns_find(sample_columns *c, const double *sample, const double *others, int64_t n) {
    const int64_t b = c->space->rank;
    const int is_all = n >= b - 1;
    for (int pass = 0; pass < (is_all ? 1 : PASSES); pass++) {
        memset(c->normal, 0, (size_t)(b * b) * sizeof *c->normal);
        for (int64_t t = 0; t < n; t++)
            add(c, others + t * b, 1 / small_dot(others + t * b, others + t * b, b));
        if (!is_all)
            add_off(c, sample, pass);
        if ((!is_all && n + c->off < b - 1 + MORE_ROWS) || !solve(c, sample))
            return 0;
    }
    return 1;
}

gnt_status sample_columns_of(const gnt_host *host, const row_space *s, const column_choice *layer,
                             double *sample, int64_t n, double *delta) {
    const int64_t b = s->rank;
    sample_columns c;
    double *own = gnt_host_scratch(host, b, sizeof *own);
    TRY(sample_columns_start(&c, host, s, layer));
    TRY(hook_memory(host, own != NULL));
    for (int64_t i = 0; i < n; i++) { /* the last takes the place of this one, which comes back after */
        double *place = sample + i * b, *last = sample + (n - 1) * b;
        TRY(may_go_on(host));
        memcpy(own, place, (size_t)b * sizeof *own);
        memcpy(place, last, (size_t)b * sizeof *own);
        const int found = sample_columns_find(&c, own, sample, n - 1);
        memcpy(place, own, (size_t)b * sizeof *own);
        for (int64_t u = 0; u < s->units; u++)
            delta[i * s->units + u] = found && s->norm[u] > 0 ? small_dot(s->at + u * s->most, c.q, b) : 0;
    }
    return GNT_OK;
}
