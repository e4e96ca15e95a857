#include "facing.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"

/* Three strided convolutions, a mean over places, a dense layer: f(p); the score is f(p) − f(−p). */
enum { FACING_LAYERS = 3 };
static const int64_t widths[FACING_LAYERS] = {16, 32, 64};

void dec_facing_plan(dec_facing *net, int64_t c, int64_t h, int64_t w) {
    *net = (dec_facing){.c = c, .h = h, .w = w};
    for (int i = 0; i <= FACING_LAYERS; i++) {
        int64_t in = i ? widths[i - 1] : c, out = i < FACING_LAYERS ? widths[i] : 1;
        net->count[2 * i] = in * out * (i < FACING_LAYERS ? 9 : 1);
        net->count[2 * i + 1] = out;
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            net->at[k] = net->size;
            net->size += net->count[k];
        }
    }
}

static gnt_node score(gnt_graph *g, const dec_facing *net, gnt_node p, gnt_node *param) {
    int64_t n = DEC_FACING_BATCH, in = net->c;
    gnt_node both[2] = {p, gnt_nn_affine(g, p, -1, 0)}, h = gnt_nn_concat(g, both, 2, 0);
    for (int i = 0; i < FACING_LAYERS; i++, in = widths[i - 1]) {
        param[2 * i] = gnt_nn_input(g, "weight", 4, (int64_t[]){widths[i], in, 3, 3}, 0);
        param[2 * i + 1] = gnt_nn_input(g, "bias", 1, &widths[i], 0);
        h = gnt_nn_relu(g, gnt_nn_bias(g, gnt_nn_conv(g, h, param[2 * i], 2, 1), param[2 * i + 1]));
    }
    gnt_nn_shape s = gnt_nn_shape_of(g, h);
    h = gnt_nn_affine(g, gnt_nn_sum(g, h, 12), 1 / (double)(s.dim[2] * s.dim[3]), 0);
    param[6] = gnt_nn_input(g, "weight", 2, (int64_t[]){1, in}, 0);
    param[7] = gnt_nn_input(g, "bias", 1, (int64_t[]){1}, 0);
    h = gnt_nn_dense(g, gnt_nn_reshape(g, h, 2, (int64_t[]){2 * n, in}), param[6], param[7]);
    return gnt_nn_sub(g, gnt_nn_slice(g, h, 0, 0, n), gnt_nn_slice(g, h, 0, n, 2 * n));
}

static void start(const dec_facing *net, const gnt_host *host, float *flat) {
    memset(flat, 0, (size_t)net->size * sizeof *flat);
    for (int i = 0; i <= FACING_LAYERS; i++) {
        double inputs = (double)net->count[2 * i] / (double)net->count[2 * i + 1];
        gnt_host_normal(host, "facing", net->count[2 * i], flat + net->at[2 * i]);
        for (int64_t k = 0; k < net->count[2 * i]; k++)
            flat[net->at[2 * i] + k] *= (float)sqrt(2 / inputs);
    }
}

static void draw(const dec_facing *net, const gnt_host *host, const gnt_samples *from, float *p) {
    int64_t lines = net->c * net->h;
    for (int64_t i = 0; i < DEC_FACING_BATCH; i++) {
        const float *x = from->x + from->features * (int64_t)gnt_host_below(host, "faces", (uint64_t)from->n);
        int flip = (int)gnt_host_below(host, "faces", 2);
        for (int64_t l = 0; l < lines; l++)
            for (int64_t j = 0; j < net->w; j++)
                *p++ = 2 * x[l * net->w + (flip ? net->w - 1 - j : j)] - 1;
    }
}

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the network that tells images from negatives");
}

/* Compiles a program with the outputs scores; with `learning` also the loss mean softplus(−score) and its
 * gradient. */
static gnt_program *compile(const dec_facing *net, const gnt_host *host, const float *flat, const float *p,
                            int learning) {
    gnt_node param[DEC_FACING_PARAMS], out[DEC_FACING_PARAMS + 2];
    char error[300] = "no memory for the network that tells images from negatives";
    gnt_graph *g = gnt_graph_new();
    gnt_program *program = NULL;
    if (g) {
        gnt_node x = gnt_nn_input(g, "p", 4, (int64_t[]){DEC_FACING_BATCH, net->c, net->h, net->w}, 0);
        out[0] = score(g, net, x, param);
        out[1] = gnt_nn_mean_all(g, gnt_nn_softplus(g, gnt_nn_affine(g, out[0], -1, 0)));
        if (learning)
            gnt_nn_vjp(g, out + 1, NULL, 1, param, DEC_FACING_PARAMS, out + 2);
        program = gnt_program_new(g, out, NULL, learning ? DEC_FACING_PARAMS + 2 : 1, 4, error, sizeof error);
        if (program)
            gnt_program_bind(program, x, p);
        for (int k = 0; program && k < DEC_FACING_PARAMS; k++)
            gnt_program_bind(program, param[k], flat + net->at[k]);
        gnt_graph_free(g);
    }
    if (!program)
        gnt_host_fail(host, error);
    return program;
}

gnt_status dec_facing_learn(const dec_facing *net, const gnt_host *host, const gnt_samples *from,
                            int64_t steps, double rate, float *flat, double *accuracy) {
    float *p = gnt_host_scratch(host, DEC_FACING_BATCH * from->features, sizeof *p);
    float *gradient = gnt_host_scratch(host, net->size, sizeof *gradient);
    gnt_adam *adam = gnt_adam_new(net->size, 0.9, 0.99, 1e-8);
    gnt_program *program = p && gradient && adam ? compile(net, host, flat, p, 1) : NULL;
    gnt_status status = !p || !gradient || !adam ? no_memory(host) : program ? GNT_OK : GNT_FAILED;
    int64_t right = 0, n = 0;
    start(net, host, flat);
    for (int64_t s = 0; status == GNT_OK && s < steps; s++) {
        draw(net, host, from, p);
        gnt_program_run(program, 0);
        const float *z = gnt_program_output(program, 0);
        for (int64_t i = 0; s >= steps - steps / 10 - 1 && i < DEC_FACING_BATCH; i++, n++)
            right += z[i] > 0;
        for (int k = 0; k < DEC_FACING_PARAMS; k++)
            memcpy(gradient + net->at[k], gnt_program_output(program, k + 2),
                   (size_t)net->count[k] * sizeof *gradient);
        gnt_adam_step(adam, flat, gradient, gnt_rate_cosine(rate, s, steps));
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
    }
    *accuracy = n ? (double)right / (double)n : 0.5;
    gnt_program_free(program);
    gnt_adam_free(adam);
    return status;
}

gnt_status dec_facing_odds(const dec_facing *net, const gnt_host *host, const float *flat, const float *p,
                           int64_t n, double *odds) {
    int64_t features = net->c * net->h * net->w;
    float *batch = gnt_host_scratch(host, DEC_FACING_BATCH * features, sizeof *batch);
    if (!batch)
        return no_memory(host);
    gnt_program *program = compile(net, host, flat, batch, 0);
    if (!program)
        return GNT_FAILED;
    for (int64_t i = 0; i < n; i += DEC_FACING_BATCH) {
        int64_t some = n - i < DEC_FACING_BATCH ? n - i : DEC_FACING_BATCH;
        memcpy(batch, p + i * features, (size_t)(some * features) * sizeof *batch);
        for (int64_t k = 0; k < some * features; k++)
            batch[k] = batch[k] < -1 ? -1 : batch[k] > 1 ? 1 : batch[k];
        gnt_program_run(program, 0);
        for (int64_t k = 0; k < some; k++)
            odds[i + k] = (double)((const float *)gnt_program_output(program, 0))[k];
    }
    gnt_program_free(program);
    return GNT_OK;
}
