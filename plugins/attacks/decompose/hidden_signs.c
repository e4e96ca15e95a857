#include "hidden_signs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "shared/try.h"

enum { ROUNDS = 2 /* of messages from neighbours */ };

static const double spread = 0.25;      /* variance of a pixel of p */
static const double least_noise = 2e-4; /* variance: about that of 8-bit pixels, mixed */

/* ---- the program ---- */

/* Returns the sum over the four neighbours and the other channels. */
static gnt_node listen(gnt_graph *g, const dec_mix *x, gnt_node signed_e) {
    double taps[DEC_MOST_CHANNELS * DEC_MOST_CHANNELS * 9] = {0};
    for (int64_t a = 0; a < x->c; a++)
        for (int64_t b = 0; b < x->c; b++) {
            double *t = taps + (a * x->c + b) * 9;
            if (a == b)
                t[1] = t[3] = t[5] = t[7] = 1;
            else
                t[4] = 1;
        }
    gnt_node w = gnt_nn_data(g, 4, (int64_t[]){x->c, x->c, 3, 3}, taps);
    gnt_node image = gnt_nn_reshape(g, signed_e, 4, (int64_t[]){x->encodings, x->c, x->h, x->w});
    return gnt_nn_reshape(g, gnt_nn_conv(g, image, w, 1, 1), 2, (int64_t[]){x->encodings, x->features});
}

gnt_status dec_em_open(dec_em *em, const dec_mix *x, int64_t columns, double coupling) {
    const gnt_host *host = x->host;
    int64_t n = x->encodings, m = x->originals, wide[2] = {n, columns};
    char error[300] = "";
    *em = (dec_em){.columns = columns};
    gnt_graph *g = gnt_graph_new();
    TRY(have_memory(host, g != NULL, "no memory for recovering images"));
    em->p = gnt_nn_input(g, "p", 2, (int64_t[]){m, columns}, 0);
    em->weight = gnt_nn_input(g, "weight", 2, (int64_t[]){n, m}, 0);
    em->solver = gnt_nn_input(g, "solver", 2, (int64_t[]){m, n}, 0);
    em->noise = gnt_nn_input(g, "noise", 2, (int64_t[]){n, 1}, 0);
    em->e = gnt_nn_input(g, "e", 2, wide, 0);
    gnt_node sure = gnt_nn_mul(g, em->e, gnt_nn_expand(g, em->noise, 2, wide));
    gnt_node mix = gnt_nn_matmul(g, em->weight, 0, em->p, 0);
    gnt_node signed_e = gnt_nn_mul(g, em->e, gnt_nn_tanh(g, gnt_nn_mul(g, sure, mix)));
    for (int r = 0; coupling > 0 && r < ROUNDS; r++) {
        gnt_node heard = gnt_nn_affine(g, listen(g, x, signed_e), coupling, 0);
        gnt_node odds = gnt_nn_mul(g, sure, gnt_nn_add(g, mix, heard));
        signed_e = gnt_nn_mul(g, em->e, gnt_nn_tanh(g, odds));
    }
    gnt_node both = gnt_nn_affine(g, gnt_nn_mul(g, signed_e, mix), -2, 0);
    gnt_node left = gnt_nn_add(g, gnt_nn_square(g, em->e), gnt_nn_add(g, both, gnt_nn_square(g, mix)));
    gnt_node out[3] = {gnt_nn_matmul(g, em->solver, 0, signed_e, 0), gnt_nn_sum(g, left, 2), signed_e};
    em->program = gnt_program_new(g, out, NULL, 3, 4, error, sizeof error);
    gnt_graph_free(g);
    return em->program ? GNT_OK : gnt_host_fail(host, error);
}

void dec_em_close(dec_em *em) {
    gnt_program_free(em->program);
    em->program = NULL;
}

dec_em_out dec_em_step(dec_em *em, const dec_mix *x, const float *p, const float *e) {
    gnt_program_bind(em->program, em->p, p);
    gnt_program_bind(em->program, em->weight, x->weight);
    gnt_program_bind(em->program, em->solver, x->solver);
    gnt_program_bind(em->program, em->noise, x->noise);
    gnt_program_bind(em->program, em->e, e);
    gnt_program_run(em->program, 0);
    return (dec_em_out){gnt_program_output(em->program, 0), gnt_program_output(em->program, 1),
                        gnt_program_output(em->program, 2)};
}

/* ---- blocks ---- */

/* Computes out (n × c·(h/b)·(w/b)), means over blocks. */
static void shrink(const dec_mix *x, const float *from, int64_t n, int64_t b, float *out) {
    int64_t h = x->h / b, w = x->w / b, lines = x->c * x->h;
    memset(out, 0, (size_t)(n * x->c * h * w) * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t j = 0; j < x->w; j++)
                out[i * x->c * h * w + l / b * w + j / b] +=
                    from[i * x->features + l * x->w + j] / (float)(b * b);
}

static void widen(const dec_mix *x, const float *from, int64_t n, int64_t b, float *out) {
    int64_t h = x->h / b, w = x->w / b, lines = x->c * x->h;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t j = 0; j < x->w; j++)
                out[i * x->features + l * x->w + j] = from[i * x->c * h * w + l / b * w + j / b];
}

static void set_noise(dec_mix *x, double variance) {
    for (int64_t i = 0; i < x->encodings; i++)
        x->noise[i] = (float)(1 / variance);
}

/* Computes Σ over encodings of (|e| − |p̂|)² for each column. */
static void misfits(const dec_mix *x, const float *p, const float *e, int64_t columns, double *out) {
    float *mix = malloc((size_t)columns * sizeof *mix);
    for (int64_t k = 0; k < columns; k++)
        out[k] = mix ? 0 : INFINITY;
    for (int64_t i = 0; mix && i < x->encodings; i++) {
        memset(mix, 0, (size_t)columns * sizeof *mix);
        for (int64_t o = 0; o < x->originals; o++) {
            float w = x->weight[i * x->originals + o];
            for (int64_t k = 0; w > 0 && k < columns; k++)
                mix[k] += w * p[o * columns + k];
        }
        for (int64_t k = 0; k < columns; k++) {
            double d = (double)e[i * columns + k] - fabs((double)mix[k]);
            out[k] += d * d;
        }
    }
    free(mix);
}

typedef struct guess {
    int64_t columns, all; /* columns of one start; of all */
    float *e, *p, *best;
    double *misfit;
} guess;

/* Runs EM while the variance falls from that of the data to a twentieth: first all signs are uncertain, at
 * the end nearly all are decided. */
static gnt_status anneal(dec_em *em, dec_mix *x, guess *s, int32_t steps) {
    const gnt_host *host = x->host;
    double power = 0;
    for (int64_t k = 0; k < x->encodings * s->all; k++)
        power += (double)s->e[k] * (double)s->e[k] / (double)(x->encodings * s->all);
    for (int32_t t = 0; t < steps; t++) {
        double variance = power * pow(0.05, (double)t / (double)steps);
        set_noise(x, variance > least_noise ? variance : least_noise);
        gnt_status status = gnt_host_should_stop(host) ? GNT_STOPPED : dec_ridge(x, spread);
        if (status != GNT_OK)
            return status;
        const float *next = dec_em_step(em, x, s->p, s->e).p;
        memcpy(s->p, next, (size_t)(x->originals * s->all) * sizeof *next);
    }
    return GNT_OK;
}

static void keep_best(const dec_mix *x, guess *s, int32_t starts) {
    misfits(x, s->p, s->e, s->all, s->misfit);
    for (int64_t k = 0; k < s->columns; k++) {
        int64_t best = k;
        for (int32_t r = 1; r < starts; r++)
            if (s->misfit[r * s->columns + k] < s->misfit[best])
                best = r * s->columns + k;
        for (int64_t o = 0; o < x->originals; o++)
            s->best[o * s->columns + k] = s->p[o * s->all + best];
    }
}

gnt_status dec_first_guess(dec_mix *x, int64_t block, int32_t starts, int32_t steps) {
    const gnt_host *host = x->host;
    int64_t n = x->encodings, m = x->originals;
    guess s = {.columns = x->features / (block * block)};
    dec_em em = {0};
    s.all = s.columns * starts;
    s.e = calloc((size_t)(n * s.all), sizeof *s.e);
    s.p = calloc((size_t)(m * s.all), sizeof *s.p);
    s.best = calloc((size_t)((n > m ? n : m) * s.columns), sizeof *s.best);
    s.misfit = calloc((size_t)s.all, sizeof *s.misfit);
    gnt_status status = s.e && s.p && s.best && s.misfit ? dec_em_open(&em, x, s.all, 0)
                                                         : gnt_host_fail(host, "no memory for first guesses");
    if (status == GNT_OK) {
        shrink(x, x->e, n, block, s.best);
        for (int64_t i = 0; i < n; i++)
            for (int32_t r = 0; r < starts; r++)
                memcpy(s.e + i * s.all + r * s.columns, s.best + i * s.columns,
                       (size_t)s.columns * sizeof *s.e);
        gnt_host_normal(host, "starts", m * s.all, s.p);
        for (int64_t k = 0; k < m * s.all; k++)
            s.p[k] *= 0.5f;
        status = anneal(&em, x, &s, steps);
    }
    if (status == GNT_OK) {
        keep_best(x, &s, starts);
        if (dec_agree(s.best, m, x->c, x->h / block, x->w / block) != 0)
            status = gnt_host_fail(host, "no memory for first guesses");
        widen(x, s.best, m, block, x->p);
        set_noise(x, 0.05);
    }
    dec_em_close(&em);
    free(s.e);
    free(s.p);
    free(s.best);
    free(s.misfit);
    return status;
}

gnt_status dec_em_level(dec_em *em, dec_mix *x, int64_t block, int32_t steps) {
    const gnt_host *host = x->host;
    int64_t columns = x->features / (block * block);
    float *small = calloc((size_t)(x->originals * columns), sizeof *small);
    gnt_status status = small ? GNT_OK : gnt_host_fail(host, "no memory for recovering images");
    for (int32_t t = 0; status == GNT_OK && t < steps; t++) {
        status = gnt_host_should_stop(host) ? GNT_STOPPED : dec_ridge(x, spread);
        if (status != GNT_OK)
            break;
        dec_em_out out = dec_em_step(em, x, x->p, x->e);
        shrink(x, out.p, x->originals, block, small);
        widen(x, small, x->originals, block, x->p);
        for (int64_t i = 0; i < x->encodings; i++) {
            double variance = (double)out.left[i] / (double)x->features;
            x->noise[i] = (float)(1 / (variance > least_noise ? variance : least_noise));
        }
    }
    free(small);
    return status;
}
