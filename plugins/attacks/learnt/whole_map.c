#include "whole_map.h"

#include <math.h>

#include "dual_ridge.h"
#include "gauntlet/nn.h"
#include "shared/try.h"

/* Ridges, as powers of ten times the mean square norm of a centred encoding; and entries of an encoding or an
 * image that a map may keep. */
enum { RIDGES = 4, MOST_ENTRIES = 1 << 22 };
static const double power_of[RIDGES] = {-9, -5, -3, -1};

int64_t whole_map_pairs(int64_t n, int64_t features) {
    return n * features > MOST_ENTRIES ? MOST_ENTRIES / features : n;
}

static int64_t features_of(const learnt_pairs *p) {
    return p->channels * p->height * p->width;
}

/* Some of the pairs: their centred encodings, the inner products of these, and the mean square norm. */
typedef struct system {
    int64_t n, features;
    const learnt_pair **pair;
    float *row;   /* n × features */
    double *gram; /* n × n, its lower half */
    double *work; /* n × n */
    float *mean;  /* of encodings, then of images */
    double energy;
} system;

static void add_means(system *s) {
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->features; k++) {
            s->mean[k] += s->pair[i]->encoded[k] / (float)s->n;
            s->mean[s->features + k] += s->pair[i]->x[k] / (float)s->n;
        }
}

/* Opens the system of those of the first n pairs whose flag in `held_out` is 0; NULL: of all. */
static gnt_status open_system(system *s, const gnt_host *host, const learnt_pairs *p, int64_t n,
                              const uint8_t *held_out) {
    *s = (system){.features = features_of(p)};
    s->pair = gnt_host_scratch(host, n, sizeof(void *));
    s->row = gnt_host_scratch(host, n * s->features, sizeof *s->row);
    s->gram = gnt_host_scratch(host, n * n, sizeof *s->gram);
    s->work = gnt_host_scratch(host, n * n, sizeof *s->work);
    s->mean = gnt_host_scratch(host, 2 * s->features, sizeof *s->mean);
    TRY(have_memory(host, s->pair && s->row && s->gram && s->work && s->mean,
                    "no memory for a map of whole images: fewer pairs need less"));
    for (int64_t i = 0; i < n; i++)
        if (!held_out || !held_out[i])
            s->pair[s->n++] = &p->pair[i];
    add_means(s);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->features; k++) {
            const float off = s->pair[i]->encoded[k] - s->mean[k];
            s->row[i * s->features + k] = off;
            s->energy += (double)off * (double)off / (double)s->n;
        }
    TRY(may_go_on(host));
    dual_ridge_gram(s->row, s->n, s->features, s->gram);
    return may_go_on(host);
}

/* Fills the shares of each pair for the entries of the image that are judged; −1 if there is no solution. */
static int solve(const system *s, int ridge, const judged_entries *entries, double *share) {
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t o = 0; o < entries->n; o++) {
            const int64_t at = judged_entry(entries, o);
            share[i * entries->n + o] = (double)s->pair[i]->x[at] - (double)s->mean[s->features + at];
        }
    return dual_ridge_solve(s->gram, s->n, fmax(s->energy, 1e-30) * pow(10, power_of[ridge]), s->work, share,
                            entries->n);
}

/* Adds the squared error on one pair, over the entries that are judged. */
static double error_on(const system *s, const learnt_pair *one, const double *by_row,
                       const judged_entries *entries, const double *share) {
    double sum = 0;
    for (int64_t o = 0; o < entries->n; o++) {
        const int64_t at = judged_entry(entries, o);
        double x = (double)s->mean[s->features + at];
        for (int64_t i = 0; i < s->n; i++)
            x += by_row[i] * share[i * entries->n + o];
        const double off = fmin(1, fmax(0, x)) - (double)one->x[at];
        sum += off * off;
    }
    return sum;
}

/* Computes the inner product of each row with a centred encoding. */
static void products(const float *row, int64_t n, int64_t features, const float *mean, const float *encoded,
                     double *out) {
    for (int64_t i = 0; i < n; i++) {
        out[i] = 0;
        for (int64_t k = 0; k < features; k++)
            out[i] += (double)row[i * features + k] * ((double)encoded[k] - (double)mean[k]);
    }
}

gnt_status whole_map_judge(const gnt_host *host, const learnt_pairs *p, int64_t n, const uint8_t *held_out,
                           int *ridge, double *error) {
    system s;
    const judged_entries entries = judged_entries_of(features_of(p));
    *error = INFINITY;
    TRY(open_system(&s, host, p, n, held_out));
    double *share = gnt_host_scratch(host, s.n * entries.n, sizeof *share);
    double *by_row = gnt_host_scratch(host, s.n, sizeof *by_row);
    TRY(have_memory(host, share && by_row, "no memory for the choice of a ridge"));
    for (int r = 0; r < RIDGES; r++) {
        double sum = 0;
        TRY(may_go_on(host));
        if (solve(&s, r, &entries, share) != 0)
            continue;
        for (int64_t i = 0; i < n; i++) {
            if (!held_out[i])
                continue;
            products(s.row, s.n, s.features, s.mean, p->pair[i].encoded, by_row);
            sum += error_on(&s, &p->pair[i], by_row, &entries, share);
        }
        sum /= (double)((n - s.n) * entries.n);
        if (sum < *error) {
            *error = sum;
            *ridge = r;
        }
    }
    return GNT_OK;
}

gnt_status whole_map_learn(const gnt_host *host, const learnt_pairs *p, int64_t n, int ridge,
                           whole_map *out) {
    system s;
    const judged_entries all = {features_of(p), features_of(p)};
    TRY(open_system(&s, host, p, n, NULL));
    double *share = gnt_host_scratch(host, n * all.n, sizeof *share);
    float *kept = gnt_host_scratch(host, n * all.n, sizeof *kept);
    TRY(have_memory(host, share && kept, "no memory for a map of whole images: fewer pairs need less"));
    if (solve(&s, ridge, &all, share) != 0)
        return gnt_host_fail(host, "the encodings leave the equations of a map of whole images without one "
                                   "solution");
    for (int64_t i = 0; i < n * all.n; i++)
        kept[i] = (float)share[i];
    *out = (whole_map){.n = n, .features = all.n, .row = s.row, .share = kept, .mean = s.mean};
    return GNT_OK;
}

void whole_map_apply(const whole_map *map, const float *encoded, float *x) {
    const int64_t features = map->features;
    for (int64_t k = 0; k < features; k++)
        x[k] = map->mean[features + k];
    for (int64_t i = 0; i < map->n; i++) {
        double by;
        products(map->row + i * features, 1, features, map->mean, encoded, &by);
        for (int64_t k = 0; k < features; k++)
            x[k] += (float)by * map->share[i * features + k];
    }
    for (int64_t k = 0; k < features; k++)
        x[k] = fminf(1, fmaxf(0, x[k]));
}
