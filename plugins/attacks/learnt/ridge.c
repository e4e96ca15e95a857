/* ridge: the linear filter that best maps encodings to images in the least squares sense, one for each
 * channel of the image over a square window of all channels of the encoding, edges repeated.
 *
 *   w = argmin Σ over pixels (x − w·patch(E))² + λ·‖w‖²,  patch with a constant entry that λ does not
 * penalise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "learnt.h"
#include "shared/try.h"

enum { PATCH_MOST = 16 * 9 * 9 + 1 };

typedef struct ridge {
    const gnt_host *host;
    int64_t window, pairs;
    double ridge;
} ridge;

static gnt_status start(void *self) {
    const ridge *r = self;
    return r->window % 2 ? GNT_OK : gnt_host_fail(r->host, "the window must be odd, so that it has a middle");
}

static int64_t inside(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Copies the entries around pixel (row, column) of e, then 1. */
static void patch_at(const float *e, int64_t channels, int64_t height, int64_t width, int64_t window,
                     int64_t row, int64_t column, double *patch) {
    const int64_t reach = window / 2;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = -reach; i <= reach; i++) {
            const float *line = e + (c * height + inside(row + i, height)) * width;
            for (int64_t k = -reach; k <= reach; k++)
                *patch++ = (double)line[inside(column + k, width)];
        }
    *patch = 1;
}

/* Adds the pixels of one pair: a ← a + p pᵀ (its lower half), b_c ← b_c + x_c p. */
static void add_pair(const learnt_pairs *p, const learnt_pair *one, int64_t window, int64_t n, double *a,
                     double *b) {
    double patch[PATCH_MOST];
    for (int64_t row = 0; row < p->height; row++)
        for (int64_t column = 0; column < p->width; column++) {
            patch_at(one->encoded, p->channels, p->height, p->width, window, row, column, patch);
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k <= i; k++)
                    a[i * n + k] += patch[i] * patch[k];
            for (int64_t c = 0; c < p->channels; c++) {
                const double x = (double)one->x[(c * p->height + row) * p->width + column];
                for (int64_t i = 0; i < n; i++)
                    b[c * n + i] += x * patch[i];
            }
        }
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const ridge *r = self;
    const gnt_host *host = r->host;
    learnt_pairs p;
    TRY(learnt_pairs_make(&p, host, in));
    const int64_t n = p.channels * r->window * r->window + 1, all = p.channels * n;
    if (n > PATCH_MOST)
        return gnt_host_fail(host,
                             "its window holds more entries than it has room for; give a smaller window");
    double *a = gnt_host_scratch(host, n * n, sizeof *a);
    double *b = gnt_host_scratch(host, all, sizeof *b);
    float *w = gnt_host_scratch(host, all, sizeof *w);
    TRY(have_memory(host, a && b && w, "no memory for the normal equations"));
    const int64_t pairs = p.n < r->pairs ? p.n : r->pairs;
    for (int64_t i = 0; i < pairs; i++) {
        TRY(may_go_on(host));
        add_pair(&p, &p.pair[i], r->window, n, a, b);
        gnt_host_progress(host, (double)i + 1, (double)pairs);
    }
    const double pixels = (double)(pairs * p.height * p.width);
    for (int64_t i = 0; i + 1 < n; i++)
        a[i * n + i] += r->ridge * pixels;
    if (gnt_cholesky(a, n) != 0)
        return gnt_host_fail(host,
                             "the encodings leave its equations without one solution; give a larger ridge");
    for (int64_t c = 0; c < p.channels; c++)
        gnt_cholesky_solve(a, n, b + c * n, 1);
    for (int64_t i = 0; i < all; i++)
        w[i] = (float)b[i];
    const int64_t dim[2] = {p.channels, n};
    gnt_host_fact(host, "pairs", (double)pairs);
    return out->tensor(out->context, "filter", 2, dim, w) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "its filter could not be stored");
}

static void apply(const float *w, int64_t n, const gnt_samples *e, int64_t window, int64_t at, float *x) {
    const int64_t channels = e->dim[0], height = e->dim[1], width = e->dim[2];
    double patch[PATCH_MOST];
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            patch_at(e->x + at * e->features, channels, height, width, window, row, column, patch);
            for (int64_t c = 0; c < channels; c++) {
                double sum = 0;
                for (int64_t i = 0; i < n; i++)
                    sum += (double)w[c * n + i] * patch[i];
                x[(c * height + row) * width + column] = (float)fmin(1, fmax(0, sum));
            }
        }
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const ridge *r = self;
    const gnt_host *host = r->host;
    const gnt_samples *e = seen->encoded;
    int64_t targets;
    TRY(learnt_targets(host, seen, e ? e->features : 0, &targets));
    const int64_t n = e->dim[0] * r->window * r->window + 1;
    const float *w = learnt_artefact(host, own, "filter", e->dim[0] * n);
    float *x = gnt_host_scratch(host, targets * e->features, sizeof *x);
    if (!w)
        return GNT_FAILED;
    TRY(have_memory(host, x != NULL, "no memory for the answer"));
    for (int64_t i = 0; i < targets; i++) {
        TRY(may_go_on(host));
        apply(w, n, e, r->window, i, x + i * e->features);
    }
    return answer->reconstruction(answer->context, targets, x);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(ridge, window, 1, 9, 5, "pixels", "side of the filter, odd"),
    GNT_REAL(ridge, ridge, 1e-12, 10, 1e-5, GNT_SCALE_LOG, "",
             "penalty on the squared filter, for each pixel learnt from"),
    GNT_INT(ridge, pairs, 2, 1000000, 1000, "pairs", "the most shadow pairs it learns from"),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor learnt_ridge = {
    GNT_ATTACK("ridge", "1.0", "undoes an encoding with one linear filter learnt from shadow encodings",
               "MIT", "Hoerl and Kennard, Ridge Regression, Technometrics 1970"),
    LEARNT_ATTACK(ridge),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_ENCODING,
    .data_kinds = GNT_KIND_IMAGE,
    .start = start};
