#include "mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "linear.h"
#include "shared/try.h"

enum { FIT_SWEEPS = 60, BALANCE = 8 };

gnt_status dec_mix_open(dec_mix *x, const gnt_host *host, const gnt_samples *like, int64_t encodings,
                        int64_t originals, const float *e) {
    size_t n = (size_t)encodings, m = (size_t)originals;
    *x = (dec_mix){.host = host,
                   .encodings = encodings,
                   .originals = originals,
                   .c = like->dim[0],
                   .h = like->dim[1],
                   .w = like->dim[2],
                   .features = like->features,
                   .e = e};
    x->weight = gnt_host_scratch(host, n * m, sizeof *x->weight);
    x->p = gnt_host_scratch(host, m * like->features, sizeof *x->p);
    x->noise = gnt_host_scratch(host, n, sizeof *x->noise);
    x->solver = gnt_host_scratch(host, n * m, sizeof *x->solver);
    TRY(have_memory(host, x->weight && x->p && x->noise && x->solver, "no memory for the images to recover"));
    return GNT_OK;
}

/* Scales a row to a sum of 1 if all k images are known, else to at most 1, with no weight far above the
 * cap. */
static void scale_row(const dec_law *law, float *row, int64_t m) {
    double sum = 0;
    int32_t members = 0;
    for (int64_t o = 0; o < m; o++) {
        sum += (double)row[o];
        members += row[o] > 0;
    }
    int whole = law->own == law->k && members == law->k;
    for (int64_t o = 0; o < m && sum > 0 && (whole || sum > 1); o++)
        row[o] /= (float)sum;
}

/* Scales each column to a mean of 1/k over its members. */
static void scale_columns(const dec_law *law, float *weight, int64_t n, int64_t m) {
    for (int64_t o = 0; o < m; o++) {
        double sum = 0, members = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += (double)weight[i * m + o];
            members += weight[i * m + o] > 0;
        }
        for (int64_t i = 0; i < n && sum > 0; i++)
            weight[i * m + o] *= (float)(members / law->k / sum);
    }
}

void dec_weights_of_scores(const dec_groups *g, const dec_law *law, float *weight) {
    int64_t n = g->encodings, m = g->originals;
    for (int64_t k = 0; k < n * m; k++)
        weight[k] = g->in[k] && g->score[k] > 0 ? (float)g->score[k] : 0;
    for (int round = 0; round < BALANCE; round++) {
        scale_columns(law, weight, n, m);
        for (int64_t i = 0; i < n; i++)
            scale_row(law, weight + i * m, m);
    }
}

gnt_status dec_ridge(dec_mix *x, double spread) {
    int64_t n = x->encodings, m = x->originals;
    double *a = calloc((size_t)(m * m), sizeof *a), *b = calloc((size_t)(m * n), sizeof *b);
    int bad = !a || !b;
    for (int64_t i = 0; !bad && i < n; i++) {
        const float *w = x->weight + i * m;
        for (int64_t o = 0; o < m; o++) {
            double v = (double)w[o] * (double)x->noise[i];
            b[o * n + i] = v;
            for (int64_t q = 0; v > 0 && q < m; q++)
                a[o * m + q] += v * (double)w[q];
        }
    }
    for (int64_t o = 0; !bad && o < m; o++)
        a[o * m + o] += 1 / spread;
    bad = bad || gnt_cholesky(a, m) != 0;
    if (!bad) {
        gnt_cholesky_solve(a, m, b, n);
        for (int64_t k = 0; k < m * n; k++)
            x->solver[k] = (float)b[k];
    }
    free(a);
    free(b);
    return bad ? gnt_host_fail(x->host, "its system for the images could not be solved") : GNT_OK;
}

static double inner(const float *a, const float *b, int64_t n) {
    double s[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            s[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < n; i++)
        s[0] += (double)a[i] * (double)b[i];
    return s[0] + s[1] + s[2] + s[3];
}

/* Keeps the `own` largest entries of the row and fits only these. */
static void fit_sparse(const double *gram, const double *right, int64_t m, int32_t own, double *row) {
    double a[DEC_MOST_K * DEC_MOST_K] = {0}, b[DEC_MOST_K] = {0}, v[DEC_MOST_K] = {0};
    int64_t at[DEC_MOST_K];
    int32_t n = 0;
    for (; n < own; n++) {
        int64_t best = -1;
        for (int64_t o = 0; o < m; o++)
            if (row[o] > 0 && (best < 0 || row[o] > row[best]))
                best = o;
        if (best < 0)
            break;
        at[n] = best;
        v[n] = row[best];
        row[best] = 0;
    }
    memset(row, 0, (size_t)m * sizeof *row);
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = 0; q < n; q++)
            a[p * n + q] = gram[at[p] * m + at[q]];
        b[p] = right[at[p]];
    }
    dec_nonnegative(a, b, v, n, FIT_SWEEPS);
    for (int32_t p = 0; p < n; p++)
        row[at[p]] = v[p];
}

typedef struct refit {
    float *p, *e;         /* whitened images, a batch of whitened encodings */
    double *gram, *apart; /* m × m: of the images; of the images without row i */
    double *right, *row, *fit,
        *from; /* m: products of row i with them; weights; P·r; row i's part in the images */
} refit;

/* Removes row i from the products. The images were computed from it too and contain some of its noise, which
 * it would match. For P = S·E the images without row i are P − s_i rᵀ/(1 − h), r = e_i − w_i P its residual,
 * h = w_i s_i; computed here: their products with each other and with e_i. */
static void leave_out(const dec_mix *x, refit *t, int64_t i, double square) {
    int64_t n = x->encodings, m = x->originals;
    double lever = 0, er = square, rr, c;
    for (int64_t o = 0; o < m; o++) {
        t->from[o] = (double)x->solver[o * n + i];
        lever += t->row[o] * t->from[o];
        er -= t->row[o] * t->right[o];
        t->fit[o] = t->right[o];
        for (int64_t q = 0; q < m; q++)
            t->fit[o] -= t->gram[o * m + q] * t->row[q];
    }
    rr = er;
    for (int64_t o = 0; o < m; o++)
        rr -= t->row[o] * t->fit[o];
    c = 1 / (1 - (lever < 0.9 ? lever : 0.9));
    for (int64_t o = 0; o < m; o++) {
        t->right[o] -= c * t->from[o] * er;
        for (int64_t q = 0; q < m; q++)
            t->apart[o * m + q] = t->gram[o * m + q] - c * (t->from[o] * t->fit[q] + t->from[q] * t->fit[o]) +
                                  c * c * t->from[o] * t->from[q] * rr;
    }
}

static void refit_row(dec_mix *x, const dec_law *law, refit *t, int64_t i) {
    int64_t m = x->originals, f = x->features;
    const float *e = t->e + i % DEC_WHITEN_BATCH * f;
    for (int64_t o = 0; o < m; o++) {
        t->right[o] = inner(e, t->p + o * f, f);
        t->row[o] = (double)x->weight[i * m + o];
    }
    leave_out(x, t, i, inner(e, e, f));
    dec_nonnegative(t->apart, t->right, t->row, m, FIT_SWEEPS);
    fit_sparse(t->apart, t->right, m, law->own, t->row);
    for (int64_t o = 0; o < m; o++)
        x->weight[i * m + o] = (float)t->row[o];
    scale_row(law, x->weight + i * m, m);
}

gnt_status dec_refit_weights(dec_mix *x, dec_whitener *white, const dec_law *law, const float *signed_e) {
    const gnt_host *host = x->host;
    int64_t n = x->encodings, m = x->originals, f = x->features;
    refit t = {.p = calloc((size_t)(m * f), sizeof *t.p),
               .e = calloc((size_t)f * DEC_WHITEN_BATCH, sizeof *t.e),
               .gram = calloc((size_t)(2 * m * m), sizeof *t.gram),
               .right = calloc((size_t)(4 * m), sizeof *t.right)};
    gnt_status status = GNT_OK;
    if (!t.p || !t.e || !t.gram || !t.right) {
        status = gnt_host_fail(host, "no memory for fitting the weights");
        goto cleanup;
    }
    t.apart = t.gram + m * m;
    t.row = t.right + m;
    t.fit = t.row + m;
    t.from = t.fit + m;
    dec_whiten(white, x->p, m, t.p);
    for (int64_t o = 0; o < m; o++)
        for (int64_t q = 0; q <= o; q++)
            t.gram[o * m + q] = t.gram[q * m + o] = inner(t.p + o * f, t.p + q * f, f);
    for (int64_t i = 0; status == GNT_OK && i < n; i++) {
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
        if (i % DEC_WHITEN_BATCH == 0)
            dec_whiten(white, signed_e + i * f, n - i < DEC_WHITEN_BATCH ? n - i : DEC_WHITEN_BATCH, t.e);
        refit_row(x, law, &t, i);
    }
cleanup:
    free(t.p);
    free(t.e);
    free(t.gram);
    free(t.right);
    return status;
}
