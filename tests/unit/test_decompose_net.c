/* decompose's networks: the gradient of the similarity network's loss, what it scores before training, how
 * far it counts a mix as missed, and that an image's negative has the opposite odds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../../plugins/attacks/decompose/facing.c"
#include "../../plugins/attacks/decompose/siamese.c"

#include <cmocka.h>

#include "plain_host.h"

enum { N = 4, SIDE = 16, F = SIDE * SIDE };

typedef struct probe {
    dec_net net;
    gnt_program *program;
    double *flat, e[N * F], white[N * F], mix[N * F], share[N * N];
} probe;

/* Loss and its gradient in double, one channel, all parameters away from their start, so that no gate is 0.
 */
static void open_probe(probe *p, const gnt_host *host) {
    gnt_node param[DEC_PARAMS], out[DEC_PARAMS + 1];
    int64_t image[4] = {N, 1, SIDE, SIDE}, pairs[2] = {N, N};
    char error[300];
    float draw[F * N];
    dec_net_plan(&p->net, 1, SIDE, SIDE);
    float *flat = calloc((size_t)p->net.size, sizeof *flat);
    p->flat = calloc((size_t)p->net.size, sizeof *p->flat);
    dec_net_start(&p->net, host, 0, flat);
    for (int64_t k = 0; k < p->net.size; k++) {
        host->normal(host->context, "away", 1, draw);
        p->flat[k] = (double)flat[k] + 0.02 * (double)draw[0];
    }
    free(flat);
    host->normal(host->context, "e", N * F, draw);
    for (int k = 0; k < N * F; k++)
        p->e[k] = 0.3 * fabs((double)draw[k]);
    host->normal(host->context, "white", N * F, draw);
    for (int k = 0; k < N * F; k++)
        p->white[k] = (double)draw[k];
    host->normal(host->context, "mix", N * F, draw);
    for (int k = 0; k < N * F; k++)
        p->mix[k] = (double)draw[k];
    for (int k = 0; k < N * N; k++)
        p->share[k] = (k / N + k % N) % 2;
    gnt_graph *g = gnt_graph_new();
    gnt_node e = gnt_nn_input(g, "e", 4, image, 0), white = gnt_nn_input(g, "white", 4, image, 0);
    gnt_node share = gnt_nn_input(g, "share", 2, pairs, 0), mix = gnt_nn_input(g, "mix", 4, image, 0);
    dec_net_inputs(g, &p->net, param);
    gnt_node z = dec_net_embed(g, &p->net, param, e, white);
    out[0] = gnt_nn_add(g, dec_net_loss(g, dec_net_pairs(g, &p->net, param, z, z), share),
                        dec_net_miss(g, &p->net, z, mix));
    assert_int_equal(gnt_nn_vjp(g, out, NULL, 1, param, p->net.n, out + 1), 0);
    p->program = gnt_program_new(g, out, NULL, p->net.n + 1, 8, error, sizeof error);
    gnt_graph_free(g);
    assert_non_null(p->program);
    gnt_program_bind(p->program, e, p->e);
    gnt_program_bind(p->program, white, p->white);
    gnt_program_bind(p->program, mix, p->mix);
    gnt_program_bind(p->program, share, p->share);
    for (int32_t i = 0; i < p->net.n; i++)
        gnt_program_bind(p->program, param[i], p->flat + p->net.param[i].at);
}

static double loss_of(probe *p) {
    gnt_program_run(p->program, 0);
    return *(const double *)gnt_program_output(p->program, 0);
}

/* Along a random direction of each parameter; the step is short, as ReLUs have kinks. */
static void the_gradient_is_that_of_the_loss(void **state) {
    (void)state;
    plain_host plain;
    const gnt_host *host = plain_open(&plain, 1);
    static probe p;
    open_probe(&p, host);
    for (int32_t i = 0; i < p.net.n; i++) {
        const dec_param *q = &p.net.param[i];
        const double step = 1e-8;
        double slope = 0, side[2];
        float *way = calloc((size_t)q->count, sizeof *way);
        double *kept = calloc((size_t)q->count, sizeof *kept);
        host->normal(host->context, "way", q->count, way);
        memcpy(kept, p.flat + q->at, (size_t)q->count * sizeof *kept);
        loss_of(&p);
        for (int64_t k = 0; k < q->count; k++)
            slope += (double)way[k] * ((const double *)gnt_program_output(p.program, i + 1))[k];
        for (int s = 0; s < 2; s++) {
            for (int64_t k = 0; k < q->count; k++)
                p.flat[q->at + k] = kept[k] + (s ? step : -step) * (double)way[k];
            side[s] = loss_of(&p);
        }
        memcpy(p.flat + q->at, kept, (size_t)q->count * sizeof *kept);
        double central = (side[1] - side[0]) / (2 * step);
        if (fabs(central - slope) > 1e-4 * (fabs(central) + fabs(slope)) + 1e-8)
            fail_msg("%s: %g by differences, %g by the graph", q->name, central, slope);
        assert_true(fabs(slope) > 0);
        free(way);
        free(kept);
    }
    gnt_program_free(p.program);
    free(p.flat);
    plain_close(&plain);
}

static const int corner[5][2] = {{0, 0}, {0, 8}, {8, 0}, {8, 8}, {4, 4}};

/* Before training z is the whitened image, and the score of a pair Σ over patches of 0.05·Σ_k relu(±d − k/2),
 * k = 0 … 7, with d = z·z′/√entries over a patch of 8 × 8 for z of a mean square of q/(q + 1/10), q that of
 * its patch: the four of 16 × 16 pixels and the one in their middle, four fifths of all. */
static void it_starts_from_products_of_whitened_patches(void **state) {
    (void)state;
    plain_host plain;
    const gnt_host *host = plain_open(&plain, 2);
    dec_net net;
    gnt_node param[DEC_PARAMS];
    int64_t image[4] = {N, 1, SIDE, SIDE};
    static float e[N * F], white[N * F];
    char error[300];
    dec_net_plan(&net, 1, SIDE, SIDE);
    float *flat = calloc((size_t)net.size, sizeof *flat);
    dec_net_start(&net, host, 0, flat);
    host->normal(host->context, "white", N * F, white);
    gnt_graph *g = gnt_graph_new();
    gnt_node in[2] = {gnt_nn_input(g, "e", 4, image, 0), gnt_nn_input(g, "white", 4, image, 0)};
    dec_net_inputs(g, &net, param);
    gnt_node z = dec_net_embed(g, &net, param, in[0], in[1]), score = dec_net_pairs(g, &net, param, z, z);
    gnt_program *program = gnt_program_new(g, &score, NULL, 1, 4, error, sizeof error);
    gnt_graph_free(g);
    assert_non_null(program);
    gnt_program_bind(program, in[0], e);
    gnt_program_bind(program, in[1], white);
    dec_net_bind(program, &net, param, flat);
    gnt_program_run(program, 0);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            double want = 0;
            for (int p = 0; p < 5; p++) {
                double d = 0, qa = 0, qb = 0;
                for (int k = 0; k < 64; k++) {
                    int at = (corner[p][0] + k / 8) * SIDE + corner[p][1] + k % 8;
                    d += (double)white[a * F + at] * (double)white[b * F + at] / 8;
                    qa += pow((double)white[a * F + at], 2) / 64;
                    qb += pow((double)white[b * F + at], 2) / 64;
                }
                d /= sqrt((qa + 0.1) * (qb + 0.1));
                for (int k = 0; k < 8; k++)
                    want += 0.8 * 0.05 * (fmax(0, d - 0.5 * k) + fmax(0, -d - 0.5 * k));
            }
            assert_true(fabs((double)((const float *)gnt_program_output(program, 0))[a * N + b] - want) <
                        1e-4);
        }
    gnt_program_free(program);
    free(flat);
    plain_close(&plain);
}

/* A mix with other signs in whole patches is missed by nothing on the grid of these patches, and on the
 * shifted one by the better sign of its single patch, of whose pixels a quarter have the other one: mix² of
 * 4·(1/4), halved for two grids. */
static void a_mix_is_met_but_for_one_sign_a_patch(void **state) {
    (void)state;
    dec_net net;
    int64_t image[4] = {1, 1, SIDE, SIDE};
    static float z[F], mix[F];
    char error[300];
    dec_net_plan(&net, 1, SIDE, SIDE);
    gnt_graph *g = gnt_graph_new();
    gnt_node in[2] = {gnt_nn_input(g, "z", 4, image, 0), gnt_nn_input(g, "mix", 4, image, 0)};
    gnt_node miss = dec_net_miss(g, &net, in[0], in[1]);
    gnt_program *program = gnt_program_new(g, &miss, NULL, 1, 4, error, sizeof error);
    gnt_graph_free(g);
    assert_non_null(program);
    gnt_program_bind(program, in[0], z);
    gnt_program_bind(program, in[1], mix);
    for (int k = 0; k < F; k++) {
        mix[k] = k % 2 ? 0.5f : -0.5f;
        z[k] = k / SIDE < 8 && k % SIDE < 8 ? -mix[k] : mix[k]; /* one patch of four has the other sign */
    }
    gnt_program_run(program, 0);
    assert_float_equal(*(const float *)gnt_program_output(program, 0), 0.25 * 4 / 4 / 2, 1e-6);
    for (int k = 0; k < F; k++)
        z[k] = -0.25f * mix[k];
    gnt_program_run(program, 0); /* (1 − 1/4)² of mix² everywhere */
    assert_float_equal(*(const float *)gnt_program_output(program, 0), 0.25 * 0.5625, 1e-6);
    gnt_program_free(program);
}

/* Images brighter above than below are distinguished from their negatives after a few steps; the odds are
 * odd. */
static void negatives_have_opposite_odds(void **state) {
    (void)state;
    enum { IMAGES = 70 };
    plain_host plain;
    const gnt_host *host = plain_open(&plain, 1);
    static float x[IMAGES * F], p[IMAGES * F];
    dec_facing net;
    double right, odds[IMAGES], negative[IMAGES];
    host->normal(host->context, "pixels", IMAGES * F, x);
    for (int k = 0; k < IMAGES * F; k++)
        x[k] = fminf(1, fmaxf(0, 0.5f + 0.1f * x[k] + (k % F < F / 2 ? 0.2f : -0.1f)));
    gnt_samples from = {.n = IMAGES, .rank = 3, .dim = {1, SIDE, SIDE}, .features = F, .x = x};
    dec_facing_plan(&net, 1, SIDE, SIDE);
    float *flat = calloc((size_t)net.size, sizeof *flat);
    assert_int_equal(dec_facing_learn(&net, host, &from, 60, 3e-3, flat, &right), GNT_OK);
    assert_true(right > 0.95);
    for (int k = 0; k < IMAGES * F; k++)
        p[k] = 2 * x[k] - 1;
    assert_int_equal(dec_facing_odds(&net, host, flat, p, IMAGES, odds), GNT_OK);
    for (int k = 0; k < IMAGES * F; k++)
        p[k] = -p[k];
    assert_int_equal(dec_facing_odds(&net, host, flat, p, IMAGES, negative), GNT_OK);
    for (int i = 0; i < IMAGES; i++)
        assert_true(odds[i] > 0 && fabs(odds[i] + negative[i]) < 1e-4 * odds[i] + 1e-5);
    free(flat);
    plain_close(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_loss),
        cmocka_unit_test(it_starts_from_products_of_whitened_patches),
        cmocka_unit_test(a_mix_is_met_but_for_one_sign_a_patch),
        cmocka_unit_test(negatives_have_opposite_odds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
