#include "polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"

typedef struct descent {
    gnt_program *program; /* outputs: cost, its gradients by p and by the weights */
    gnt_adam *images, *weights;
    float *p, *w, *mask; /* p and w: the current point */
} descent;

static gnt_status open_descent(descent *d, const dec_mix *x) {
    const gnt_host *host = x->host;
    int64_t n = x->encodings, m = x->originals, f = x->features;
    char error[300] = "";
    d->p = calloc((size_t)(m * f), sizeof *d->p);
    d->w = calloc((size_t)(n * m), sizeof *d->w);
    d->mask = calloc((size_t)(n * m), sizeof *d->mask);
    d->images = gnt_adam_new(m * f, 0.9, 0.999, 1e-8);
    d->weights = gnt_adam_new(n * m, 0.9, 0.999, 1e-8);
    gnt_graph *g = gnt_graph_new();
    if (!d->p || !d->w || !d->mask || !d->images || !d->weights || !g) {
        gnt_graph_free(g);
        return gnt_host_fail(host, "no memory for the joint pass");
    }
    gnt_node in[2], out[3];
    in[0] = gnt_nn_input(g, "p", 2, (int64_t[]){m, f}, 0);
    in[1] = gnt_nn_input(g, "w", 2, (int64_t[]){n, m}, 0);
    gnt_node e = gnt_nn_input(g, "e", 2, (int64_t[]){n, f}, 0);
    out[0] = gnt_nn_mse(g, gnt_nn_abs(g, gnt_nn_matmul(g, in[1], 0, in[0], 0)), e);
    gnt_nn_vjp(g, out, NULL, 1, in, 2, out + 1);
    d->program = gnt_program_new(g, out, NULL, 3, 4, error, sizeof error);
    gnt_graph_free(g);
    if (!d->program)
        return gnt_host_fail(host, error);
    memcpy(d->p, x->p, (size_t)(m * f) * sizeof *d->p);
    memcpy(d->w, x->weight, (size_t)(n * m) * sizeof *d->w);
    for (int64_t k = 0; k < n * m; k++)
        d->mask[k] = d->w[k] > 0;
    gnt_program_bind(d->program, in[0], d->p);
    gnt_program_bind(d->program, in[1], d->w);
    gnt_program_bind(d->program, e, x->e);
    return GNT_OK;
}

static double cost(descent *d) {
    gnt_program_run(d->program, 0);
    return (double)*(const float *)gnt_program_output(d->program, 0);
}

static void step(descent *d, const dec_mix *x, const dec_law *law, double rate) {
    int64_t n = x->encodings, m = x->originals;
    gnt_adam_step(d->images, d->p, gnt_program_output(d->program, 1), rate);
    gnt_adam_step(d->weights, d->w, gnt_program_output(d->program, 2), rate / 4);
    gnt_project_box(d->p, m * x->features, -1, 1);
    for (int64_t i = 0; i < n; i++) {
        float *row = d->w + i * m;
        double sum = 0;
        int32_t members = 0;
        for (int64_t o = 0; o < m; o++) {
            row[o] = d->mask[i * m + o] > 0 && row[o] > 0 ? row[o] : 0;
            sum += (double)row[o];
            members += d->mask[i * m + o] > 0;
        }
        for (int64_t o = 0; o < m && members == law->k && sum > 0; o++)
            row[o] /= (float)sum;
    }
}

gnt_status dec_polish(dec_mix *x, const dec_law *law, int64_t steps, double rate, double *before,
                      double *after) {
    const gnt_host *host = x->host;
    descent d = {0};
    gnt_status status = open_descent(&d, x);
    *before = *after = NAN;
    for (int64_t s = 0; status == GNT_OK && s < steps; s++) {
        double c = cost(&d);
        *before = s == 0 ? c : *before;
        step(&d, x, law, gnt_rate_cosine(rate, s, steps));
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
    }
    if (status == GNT_OK && steps > 0) {
        *after = cost(&d);
        if (*after <= *before) {
            memcpy(x->p, d.p, (size_t)(x->originals * x->features) * sizeof *d.p);
            memcpy(x->weight, d.w, (size_t)(x->encodings * x->originals) * sizeof *d.w);
        }
    }
    gnt_program_free(d.program);
    gnt_adam_free(d.images);
    gnt_adam_free(d.weights);
    free(d.p);
    free(d.w);
    free(d.mask);
    return status;
}
