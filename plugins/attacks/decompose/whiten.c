#include "whiten.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "shared/try.h"

enum { AREA = DEC_FILTER * DEC_FILTER };

/* Adds v vᵀ to the lower triangle of sum. */
static void add_outer(double *sum, const float *v, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double *row = sum + i * n, vi = (double)v[i];
        for (int64_t j = 0; j <= i; j++)
            row[j] += vi * (double)v[j];
    }
}

static void take_patch(const gnt_host *host, const gnt_samples *from, float *v) {
    int64_t c = from->dim[0], h = from->dim[1], w = from->dim[2];
    const float *x = from->x + from->features * (int64_t)gnt_host_below(host, "patches", (uint64_t)from->n);
    int64_t top = (int64_t)gnt_host_below(host, "patches", (uint64_t)(h - DEC_FILTER + 1));
    int64_t left = (int64_t)gnt_host_below(host, "patches", (uint64_t)(w - DEC_FILTER + 1));
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < DEC_FILTER; i++)
            for (int64_t j = 0; j < DEC_FILTER; j++)
                *v++ = 2 * x[(k * h + top + i) * w + left + j] - 1;
}

/* Applies C^(−1/2) = (2/π) ∫ eᵘ (e²ᵘ + C)⁻¹ du over all u, by the trapezoidal rule, which converges
 * geometrically, to the unit vectors at the centre of each channel. */
static gnt_status centre_of_root(const gnt_host *host, const double *cov, int64_t n, int64_t c, double least,
                                 double most, double *work, double *unit, float *filter) {
    const double step = 0.25;
    int64_t nodes = (int64_t)((log(sqrt(most / least)) + 14) / step);
    memset(filter, 0, (size_t)(c * n) * sizeof *filter);
    for (int64_t q = 0; q < nodes; q++) {
        double t = exp(log(sqrt(least)) - 7 + step * (double)q);
        memcpy(work, cov, (size_t)(n * n) * sizeof *work);
        memset(unit, 0, (size_t)(n * c) * sizeof *unit);
        for (int64_t i = 0; i < n; i++)
            work[i * n + i] += t * t;
        for (int64_t k = 0; k < c; k++)
            unit[(k * AREA + AREA / 2) * c + k] = 1;
        if (gnt_cholesky(work, n) != 0)
            return gnt_host_fail(host, "its public images give no whitening filter; grant others");
        TRY(may_go_on(host));
        gnt_cholesky_solve(work, n, unit, c);
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = 0; i < n; i++)
                filter[k * n + i] += (float)(2 / 3.14159265358979 * step * t * unit[i * c + k]);
    }
    return GNT_OK;
}

gnt_status dec_whiten_estimate(const gnt_host *host, const gnt_samples *from, int64_t patches, double ridge,
                               float *filter) {
    int64_t c = from->dim[0], n = c * AREA;
    double *cov = gnt_host_scratch(host, n * n, sizeof *cov);
    double *work = gnt_host_scratch(host, n * n, sizeof *work);
    double *unit = gnt_host_scratch(host, n * c, sizeof *unit);
    double *mean = gnt_host_scratch(host, n, sizeof *mean);
    float *patch = gnt_host_scratch(host, n, sizeof *patch);
    double trace = 0;
    TRY(have_memory(host, cov && work && unit && mean && patch, "no memory for the whitening filter"));
    for (int64_t p = 0; p < patches; p++) {
        if (p % 256 == 0 && gnt_host_should_stop(host))
            return GNT_STOPPED;
        take_patch(host, from, patch);
        add_outer(cov, patch, n);
        for (int64_t i = 0; i < n; i++)
            mean[i] += (double)patch[i] / (double)patches;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            cov[i * n + j] = cov[j * n + i] = cov[i * n + j] / (double)patches - mean[i] * mean[j];
    for (int64_t i = 0; i < n; i++)
        trace += cov[i * n + i];
    double least = ridge * trace / (double)n;
    for (int64_t i = 0; i < n; i++)
        cov[i * n + i] += least;
    if (!(trace > 0))
        return gnt_host_fail(host,
                             "its public images do not vary: they give no whitening filter; grant others");
    return centre_of_root(host, cov, n, c, least, trace + least, work, unit, filter);
}

gnt_status dec_whiten_open(dec_whitener *z, const gnt_host *host, int64_t c, int64_t h, int64_t w,
                           const float *filter) {
    int64_t taps = c * c * AREA, ph = h + 2 * DEC_MARGIN, pw = w + 2 * DEC_MARGIN;
    char error[300] = "";
    *z = (dec_whitener){.c = c, .h = h, .w = w};
    z->filter = gnt_host_scratch(host, taps, sizeof *z->filter);
    z->padded = gnt_host_scratch(host, DEC_WHITEN_BATCH * c * ph * pw, sizeof *z->padded);
    gnt_graph *g = gnt_graph_new();
    if (!z->filter || !z->padded || !g) {
        gnt_graph_free(g);
        return gnt_host_fail(host, "no memory for whitening");
    }
    memcpy(z->filter, filter, (size_t)taps * sizeof *filter);
    gnt_node x = gnt_nn_input(g, "x", 4, (int64_t[]){DEC_WHITEN_BATCH, c, ph, pw}, 0);
    gnt_node f = gnt_nn_input(g, "filter", 4, (int64_t[]){c, c, DEC_FILTER, DEC_FILTER}, 0);
    gnt_node y = gnt_nn_conv(g, x, f, 1, 0);
    z->program = gnt_program_new(g, &y, NULL, 1, 4, error, sizeof error);
    gnt_graph_free(g);
    if (!z->program)
        return gnt_host_fail(host, error);
    gnt_program_bind(z->program, x, z->padded);
    gnt_program_bind(z->program, f, z->filter);
    return GNT_OK;
}

void dec_whiten_close(dec_whitener *z) {
    gnt_program_free(z->program);
    z->program = NULL;
}

static int64_t mirrored(int64_t i, int64_t n) {
    i = i < 0 ? -i : i;
    return i < n ? i : 2 * n - 2 - i;
}

static void pad(const dec_whitener *z, const float *x, float *out) {
    int64_t ph = z->h + 2 * DEC_MARGIN, pw = z->w + 2 * DEC_MARGIN;
    for (int64_t k = 0; k < z->c; k++)
        for (int64_t i = 0; i < ph; i++) {
            const float *line = x + (k * z->h + mirrored(i - DEC_MARGIN, z->h)) * z->w;
            for (int64_t j = 0; j < pw; j++)
                *out++ = line[mirrored(j - DEC_MARGIN, z->w)];
        }
}

void dec_whiten(dec_whitener *z, const float *x, int64_t n, float *out) {
    int64_t size = z->c * z->h * z->w, padded = z->c * (z->h + 2 * DEC_MARGIN) * (z->w + 2 * DEC_MARGIN);
    for (int64_t from = 0; from < n; from += DEC_WHITEN_BATCH) {
        int64_t some = n - from < DEC_WHITEN_BATCH ? n - from : DEC_WHITEN_BATCH;
        for (int64_t i = 0; i < some; i++)
            pad(z, x + (from + i) * size, z->padded + i * padded);
        gnt_program_run(z->program, 0);
        memcpy(out + from * size, gnt_program_output(z->program, 0), (size_t)(some * size) * sizeof *out);
    }
}
