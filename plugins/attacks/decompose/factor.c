#include "factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

enum { SWEEPS = 30 };

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for grouping that many encodings");
}

gnt_status dec_groups_open(dec_groups *g, const gnt_host *host, int64_t encodings, int64_t originals,
                           int32_t own) {
    size_t n = (size_t)encodings * (size_t)originals;
    *g = (dec_groups){.encodings = encodings, .originals = originals, .own = own};
    g->size = (encodings * own + originals / 2) / originals;
    g->score = gnt_host_scratch(host, n, sizeof *g->score);
    g->in = gnt_host_scratch(host, n, sizeof *g->in);
    return g->score && g->in ? GNT_OK : no_memory(host);
}

static void gram(const dec_groups *g, double *out) {
    int64_t m = g->originals;
    memset(out, 0, (size_t)(m * m) * sizeof *out);
    for (int64_t i = 0; i < g->encodings; i++) {
        const double *a = g->score + i * m;
        for (int64_t o = 0; o < m; o++)
            for (int64_t q = 0; a[o] > 0 && q < m; q++)
                out[o * m + q] += a[o] * a[q];
    }
}

static void add_row(double *sum, const double *a, int64_t m, double sign) {
    for (int64_t o = 0; o < m; o++)
        for (int64_t q = 0; a[o] > 0 && q < m; q++)
            sum[o * m + q] += sign * a[o] * a[q];
}

/* Solves for the allowed entries of row i, moved to the front so that the system is smaller. */
static void solve_row(dec_groups *g, int64_t i, const double *sum, const double *right, int masked, double *a,
                      double *b, double *x, int64_t *at) {
    int64_t m = g->originals, n = 0;
    for (int64_t o = 0; o < m; o++)
        if (!masked || g->in[i * m + o])
            at[n++] = o;
    for (int64_t p = 0; p < n; p++) {
        for (int64_t q = 0; q < n; q++)
            a[p * n + q] = sum[at[p] * m + at[q]];
        a[p * n + p] += 1e-12;
        b[p] = right[at[p]];
        x[p] = g->score[i * m + at[p]];
    }
    dec_nonnegative(a, b, x, n, SWEEPS);
    memset(g->score + i * m, 0, (size_t)m * sizeof *g->score);
    for (int64_t p = 0; p < n; p++)
        g->score[i * m + at[p]] = x[p];
}

static void fit_row(dec_groups *g, int64_t i, const float *s, double *sum, double *right, int masked,
                    double *room, int64_t *at) {
    int64_t m = g->originals;
    double *a = room, *b = room + m * m, *x = b + m;
    memset(right, 0, (size_t)m * sizeof *right);
    for (int64_t j = 0; j < g->encodings; j++) {
        double v = (double)s[i * g->encodings + j] - g->level;
        const double *other = g->score + j * m;
        for (int64_t o = 0; j != i && o < m; o++)
            right[o] += v * other[o];
    }
    add_row(sum, g->score + i * m, m, -1);
    solve_row(g, i, sum, right, masked, a, b, x, at);
    add_row(sum, g->score + i * m, m, 1);
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

gnt_status dec_factor_level(dec_groups *g, const gnt_host *host, const float *s) {
    int64_t n = g->encodings, pairs = 0;
    double apart = 1;
    float *all = malloc((size_t)(n * (n - 1) / 2) * sizeof *all);
    if (!all)
        return no_memory(host);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            all[pairs++] = s[i * n + j];
    qsort(all, (size_t)pairs, sizeof *all, ascending);
    for (int32_t k = 0; k < g->own; k++)
        apart *= fmax(0, (double)(g->originals - g->own - k)) / (double)(g->originals - k);
    g->level = (double)all[(int64_t)(apart / 2 * (double)(pairs - 1))];
    free(all);
    return GNT_OK;
}

gnt_status dec_factor(dec_groups *g, const gnt_host *host, const float *s, int32_t passes, int masked) {
    size_t m = (size_t)g->originals;
    double *sum = calloc(m * m + m, sizeof *sum), *room = calloc(m * m + 2 * m, sizeof *room);
    int64_t *at = calloc(m, sizeof *at);
    gnt_status status = sum && room && at ? GNT_OK : no_memory(host);
    for (int32_t p = 0; status == GNT_OK && p < passes; p++) {
        gram(g, sum);
        for (int64_t i = 0; i < g->encodings; i++) {
            if (i % 64 == 0 && gnt_host_should_stop(host)) {
                status = GNT_STOPPED;
                break;
            }
            fit_row(g, i, s, sum, sum + m * m, masked, room, at);
        }
    }
    free(sum);
    free(room);
    free(at);
    return status;
}

/* ---- members ---- */

typedef struct entry {
    double score;
    int64_t encoding, original;
} entry;

/* Orders largest first; equal ones by place, so that sorting is the same everywhere. */
static int larger(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->encoding != y->encoding)
        return x->encoding < y->encoding ? -1 : 1;
    return (x->original > y->original) - (x->original < y->original);
}

gnt_status dec_choose_members(dec_groups *g, const gnt_host *host, double slack) {
    int64_t n = g->encodings, m = g->originals, most = (int64_t)((double)g->size * (1 + slack) + 0.5);
    entry *list = calloc((size_t)n * (size_t)m, sizeof *list);
    int64_t *row = calloc((size_t)n, sizeof *row), *column = calloc((size_t)m, sizeof *column);
    gnt_status status = list && row && column ? GNT_OK : no_memory(host);
    for (int64_t o = 0; status == GNT_OK && o < m; o++) {
        double mean = 0;
        entry *of = list + o * n;
        for (int64_t i = 0; i < n; i++)
            of[i] = (entry){g->score[i * m + o], i, o};
        qsort(of, (size_t)n, sizeof *of, larger);
        for (int64_t i = 0; i < g->size && i < n; i++)
            mean += of[i].score / (double)g->size;
        for (int64_t i = 0; i < n; i++)
            of[i].score /= mean > 0 ? mean : 1;
    }
    if (status == GNT_OK) {
        qsort(list, (size_t)(n * m), sizeof *list, larger);
        memset(g->in, 0, (size_t)(n * m));
    }
    for (int64_t k = 0; status == GNT_OK && k < n * m && list[k].score > 0; k++) {
        int64_t i = list[k].encoding, o = list[k].original;
        if (row[i] < g->own && column[o] < most) {
            row[i]++;
            column[o]++;
            g->in[i * m + o] = 1;
        }
    }
    free(list);
    free(row);
    free(column);
    return status;
}
