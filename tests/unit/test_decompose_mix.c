/* decompose's recovery: whitening, images without a row, weights fitted again, signs that agree, hidden signs
 * found, and the joint pass, each on a case whose answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../../plugins/attacks/decompose/factor.c"
#include "../../plugins/attacks/decompose/law.c"
#include "../../plugins/attacks/decompose/linear.c"
#include "../../plugins/attacks/decompose/mix.c"
#include "../../plugins/attacks/decompose/polish.c"
#include "../../plugins/attacks/decompose/hidden_signs.c"
#include "../../plugins/attacks/decompose/tree.c"
#include "../../plugins/attacks/decompose/whiten.c"

#include <cmocka.h>

#include "data/data.h"
#include "plain_host.h"

enum { M = 8, N = 48, OWN = 4, C = 3, H = 32, W = 32, F = C * H * W };

static plain_host plain;
static gnt_data *scenes;
static float images[M * F], weight[N * M], mixes[N * F], hidden[N * F];
static gnt_samples like = {.n = M, .rank = 3, .dim = {C, H, W}, .features = F, .x = images};
static const dec_law law = {.instahide = 1, .k = OWN, .own = OWN, .most = 0.65};

static void mix_images(const gnt_host *host) {
    double draw[DEC_MOST_K];
    memset(weight, 0, sizeof weight);
    memset(mixes, 0, sizeof mixes);
    for (int64_t i = 0; i < N; i++) {
        dec_draw_weights(host, &law, draw);
        for (int k = 0; k < OWN; k++) {
            int64_t o;
            do
                o = (int64_t)host->below(host->context, "places", M);
            while (weight[i * M + o] > 0);
            weight[i * M + o] = (float)draw[k];
            for (int64_t f = 0; f < F; f++)
                mixes[i * F + f] += (float)draw[k] * (2 * images[o * F + f] - 1);
        }
    }
    for (int64_t k = 0; k < N * F; k++)
        hidden[k] = fabsf(mixes[k]);
}

static const gnt_host *open_mix(dec_mix *x, const float *e) {
    const gnt_host *host = plain_open(&plain, 1);
    for (int64_t o = 0; o < M; o++)
        gnt_data_row(scenes, o, images + o * F);
    mix_images(host);
    assert_int_equal(dec_mix_open(x, host, &like, N, M, e), GNT_OK);
    memcpy(x->weight, weight, sizeof weight);
    for (int64_t i = 0; i < N; i++)
        x->noise[i] = 1e4f;
    return host;
}

/* Peak signal-to-noise ratio of image o in [0, 1]; sign −1 takes its negative. */
static double psnr(const dec_mix *x, int64_t o, float sign) {
    double sum = 0;
    for (int64_t f = 0; f < F; f++) {
        double d = (double)((sign * x->p[o * F + f] + 1) / 2 - images[o * F + f]);
        sum += d * d / F;
    }
    return 10 * log10(1 / sum);
}

static double mean_psnr(const dec_mix *x, float sign) {
    double sum = 0;
    for (int64_t o = 0; o < M; o++)
        sum += psnr(x, o, sign) / M;
    return sum;
}

static void images_of(dec_mix *x, const float *signed_e) {
    memset(x->p, 0, M * F * sizeof *x->p);
    for (int64_t o = 0; o < M; o++)
        for (int64_t i = 0; i < N; i++)
            for (int64_t f = 0; f < F; f++)
                x->p[o * F + f] += x->solver[o * N + i] * signed_e[i * F + f];
}

/* Images whose pixels follow 0.9 of the one to the left: filtered, neighbours are uncorrelated (|ρ| < 0.05 of
 * 30,000 pairs whose estimate deviates by 0.006; the ridge leaves some), and the same from left to right as
 * from right to left. */
static void whitening_makes_neighbours_uncorrelated(void **state) {
    (void)state;
    enum { IMAGES = 60, SIDE = 32 };
    static float x[IMAGES * SIDE * SIDE], y[IMAGES * SIDE * SIDE], filter[DEC_FILTER * DEC_FILTER];
    const gnt_host *host = plain_open(&plain, 3);
    for (int64_t l = 0; l < IMAGES * SIDE; l++) {
        double v = 0;
        for (int64_t j = -40; j < SIDE; j++) {
            float z;
            host->normal(host->context, "pixels", 1, &z);
            v = 0.9 * v + sqrt(1 - 0.81) * (double)z;
            if (j >= 0)
                x[l * SIDE + j] = (float)(0.5 + 0.5 * v); /* 2x − 1 = v */
        }
    }
    gnt_samples s = {.n = IMAGES, .rank = 3, .dim = {1, SIDE, SIDE}, .features = SIDE * SIDE, .x = x};
    dec_whitener white;
    assert_int_equal(dec_whiten_estimate(host, &s, 5000, 1e-3, filter), GNT_OK);
    assert_int_equal(dec_whiten_open(&white, host, 1, SIDE, SIDE, filter), GNT_OK);
    for (int64_t k = 0; k < IMAGES * SIDE * SIDE; k++)
        x[k] = 2 * x[k] - 1;
    dec_whiten(&white, x, IMAGES, y);
    double near = 0, square = 0;
    for (int64_t l = 0; l < IMAGES * SIDE; l++)
        for (int64_t j = 8; j < SIDE - 8; j++) {
            near += (double)y[l * SIDE + j] * (double)y[l * SIDE + j + 1];
            square += (double)y[l * SIDE + j] * (double)y[l * SIDE + j];
        }
    assert_true(fabs(near / square) < 0.05);
    assert_true(square / (IMAGES * SIDE * (SIDE - 16)) > 0.8); /* and of variance near 1 */
    assert_true(square / (IMAGES * SIDE * (SIDE - 16)) < 1.2);
    dec_whiten_close(&white);
    plain_close(&plain);
}

/* A filter that is 1 at its centre leaves images as they are, margins and the order of channels included. */
static void a_trivial_filter_changes_nothing(void **state) {
    (void)state;
    dec_mix x;
    float filter[C * C * DEC_FILTER * DEC_FILTER] = {0};
    const gnt_host *host = open_mix(&x, mixes);
    dec_whitener white;
    for (int64_t k = 0; k < C; k++)
        filter[(k * C + k) * DEC_FILTER * DEC_FILTER + DEC_FILTER * DEC_FILTER / 2] = 1;
    assert_int_equal(dec_whiten_open(&white, host, C, H, W, filter), GNT_OK);
    static float y[N * F];
    dec_whiten(&white, mixes, N, y);
    for (int64_t k = 0; k < N * F; k++)
        assert_true(fabsf(y[k] - mixes[k]) < 1e-5f);
    dec_whiten_close(&white);
    plain_close(&plain);
}

/* With the right weights and signs the images come back, short of the prior's pull of about 1 in 10⁴·WᵀW. */
static void the_ridge_step_unmixes(void **state) {
    (void)state;
    dec_mix x;
    open_mix(&x, mixes);
    assert_int_equal(dec_ridge(&x, 0.25), GNT_OK);
    images_of(&x, mixes);
    for (int64_t o = 0; o < M; o++)
        assert_true(psnr(&x, o, 1) > 40);
    plain_close(&plain);
}

/* Products of the images without row i, by the formula, against images solved for without it (its weight in
 * the noise set to 0) from encodings with noise of their own. */
static void leaving_a_row_out_is_exact(void **state) {
    (void)state;
    enum { ROW = 5 };
    dec_mix x;
    static float noisy[N * F], all[M * F];
    const gnt_host *host = open_mix(&x, noisy);
    host->normal(host->context, "noise", N * F, noisy);
    for (int64_t k = 0; k < N * F; k++)
        noisy[k] = mixes[k] + 0.2f * noisy[k];
    for (int64_t i = 0; i < N; i++)
        x.noise[i] = (float)(20 + i);
    assert_int_equal(dec_ridge(&x, 0.25), GNT_OK);
    images_of(&x, noisy);
    memcpy(all, x.p, sizeof all);
    double gram[2 * M * M], right[4 * M];
    refit t = {.gram = gram,
               .apart = gram + M * M,
               .right = right,
               .row = right + M,
               .fit = right + 2 * M,
               .from = right + 3 * M};
    for (int64_t o = 0; o < M; o++) {
        for (int64_t q = 0; q < M; q++)
            gram[o * M + q] = inner(all + o * F, all + q * F, F);
        right[o] = inner(noisy + ROW * F, all + o * F, F);
        t.row[o] = (double)weight[ROW * M + o];
    }
    leave_out(&x, &t, ROW, inner(noisy + ROW * F, noisy + ROW * F, F));
    x.noise[ROW] = 0;
    assert_int_equal(dec_ridge(&x, 0.25), GNT_OK);
    images_of(&x, noisy);
    for (int64_t o = 0; o < M; o++) {
        double want = inner(noisy + ROW * F, x.p + o * F, F);
        assert_true(fabs(t.right[o] - want) < 1e-3 * (1 + fabs(want)));
        for (int64_t q = 0; q < M; q++) {
            want = inner(x.p + o * F, x.p + q * F, F);
            assert_true(fabs(t.apart[o * M + q] - want) < 1e-3 * (1 + fabs(want)));
        }
    }
    plain_close(&plain);
}

/* Images from the right weights; then weights that are half as large or twice, and a member left out for
 * another: the fit finds the right ones again. */
static void weights_come_back(void **state) {
    (void)state;
    dec_mix x;
    float filter[C * C * DEC_FILTER * DEC_FILTER];
    dec_whitener white;
    const gnt_host *host = open_mix(&x, mixes);
    assert_int_equal(dec_whiten_estimate(host, &like, 4000, 0.1, filter), GNT_OK);
    assert_int_equal(dec_whiten_open(&white, host, C, H, W, filter), GNT_OK);
    assert_int_equal(dec_ridge(&x, 0.25), GNT_OK);
    images_of(&x, mixes);
    memset(x.solver, 0,
           N * M * sizeof *x.solver); /* the images are right: no row is to be left out of them */
    for (int64_t k = 0; k < N * M; k++)
        x.weight[k] *= k % 2 ? 0.5f : 2;
    for (int64_t i = 0; i < N; i += 3) {
        int64_t in = i * M, out = i * M;
        while (weight[in] == 0)
            in++;
        while (weight[out] > 0)
            out++;
        x.weight[out] = x.weight[in];
        x.weight[in] = 0;
    }
    assert_int_equal(dec_refit_weights(&x, &white, &law, mixes), GNT_OK);
    for (int64_t k = 0; k < N * M; k++)
        assert_true(fabsf(x.weight[k] - weight[k]) < 0.02f);
    dec_whiten_close(&white);
    plain_close(&plain);
}

/* Scores that are the weights times a factor of each original's own: columns get a mean of 1/k over their
 * members, rows sum to 1, and the weights come out near the true ones. */
static void scores_become_weights(void **state) {
    (void)state;
    dec_mix x;
    const gnt_host *host = open_mix(&x, mixes);
    dec_groups g;
    assert_int_equal(dec_groups_open(&g, host, N, M, OWN), GNT_OK);
    for (int64_t k = 0; k < N * M; k++) {
        g.in[k] = weight[k] > 0;
        g.score[k] = (double)weight[k] * (1 + (double)(k % M));
    }
    dec_weights_of_scores(&g, &law, x.weight);
    double off = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t o = 0; o < M; o++) {
            sum += (double)x.weight[i * M + o];
            off += fabs((double)(x.weight[i * M + o] - weight[i * M + o])) / N;
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    assert_true(off < 0.12); /* of 1 in a row; means over about 24 members are off by 12 % */
    plain_close(&plain);
}

/* Columns of real images, a third of them negated: all agree with the truth again, or all with its negative.
 */
static void neighbours_agree_on_signs(void **state) {
    (void)state;
    enum { SMALL = 8, B = H / SMALL, K = C * SMALL * SMALL };
    dec_mix x;
    open_mix(&x, mixes);
    static float truth[M * K], p[M * K], whole[M * F];
    for (int64_t k = 0; k < M * F; k++)
        whole[k] = 2 * images[k] - 1;
    shrink(&x, whole, M, B, truth);
    for (int64_t k = 0; k < M * K; k++)
        p[k] = k % K % 3 == 1 ? -truth[k] : truth[k];
    assert_int_equal(dec_agree(p, M, C, SMALL, SMALL), 0);
    int64_t same = 0;
    for (int64_t k = 0; k < K; k++)
        same += p[k] * truth[k] > 0;
    assert_true(same == K || same == 0);
    plain_close(&plain);
}

/* Signs hidden, weights known: the images come back up to one sign for all; and no block holds its negative.
 */
static void hidden_signs_are_found(void **state) {
    (void)state;
    dec_mix x;
    dec_em em;
    open_mix(&x, hidden);
    assert_int_equal(dec_first_guess(&x, 4, 8, 40), GNT_OK);
    assert_int_equal(dec_em_open(&em, &x, F, 0.3), GNT_OK);
    for (int64_t block = 4; block >= 1; block /= 2)
        assert_int_equal(dec_em_level(&em, &x, block, 8), GNT_OK);
    double plus = mean_psnr(&x, 1), minus = mean_psnr(&x, -1);
    assert_true(fmax(plus, minus) > 25);
    dec_em_close(&em);
    plain_close(&plain);
}

/* One EM step without neighbours, an entry of it by hand. */
static void a_step_is_what_it_says(void **state) {
    (void)state;
    enum { COLUMNS = 5 };
    dec_mix x;
    const gnt_host *host = open_mix(&x, hidden);
    dec_em em;
    float p[M * COLUMNS], e[N * COLUMNS];
    host->normal(host->context, "p", M * COLUMNS, p);
    host->normal(host->context, "e", N * COLUMNS, e);
    for (int64_t i = 0; i < N; i++)
        x.noise[i] = 1 + 0.1f * (float)i;
    for (int64_t k = 0; k < N * COLUMNS; k++)
        e[k] = fabsf(e[k]);
    assert_int_equal(dec_ridge(&x, 0.25), GNT_OK);
    assert_int_equal(dec_em_open(&em, &x, COLUMNS, 0), GNT_OK);
    dec_em_out out = dec_em_step(&em, &x, p, e);
    for (int64_t c = 0; c < COLUMNS; c++) {
        double next[M] = {0};
        for (int64_t i = 0; i < N; i++) {
            double mix = 0, v = (double)e[i * COLUMNS + c];
            for (int64_t o = 0; o < M; o++)
                mix += (double)weight[i * M + o] * (double)p[o * COLUMNS + c];
            double s = v * tanh(v * mix * (double)x.noise[i]);
            assert_true(fabs(s - (double)out.signed_e[i * COLUMNS + c]) < 1e-4);
            for (int64_t o = 0; o < M; o++)
                next[o] += (double)x.solver[o * N + i] * s;
        }
        for (int64_t o = 0; o < M; o++)
            assert_true(fabs(next[o] - (double)out.p[o * COLUMNS + c]) < 1e-3 * (1 + fabs(next[o])));
    }
    dec_em_close(&em);
    plain_close(&plain);
}

/* From images and weights that are a little off, the joint pass comes nearer to both. */
static void the_joint_pass_comes_nearer(void **state) {
    (void)state;
    dec_mix x;
    const gnt_host *host = open_mix(&x, hidden);
    double before, after, off[2] = {0};
    host->normal(host->context, "off", M * F, x.p);
    for (int64_t k = 0; k < M * F; k++)
        x.p[k] = 2 * images[k] - 1 + 0.1f * x.p[k];
    for (int64_t k = 0; k < N * M; k++)
        x.weight[k] *= k % 2 ? 0.9f : 1.1f;
    for (int64_t k = 0; k < N * M; k++)
        off[0] += fabs((double)(x.weight[k] - weight[k]));
    double had = mean_psnr(&x, 1);
    assert_int_equal(dec_polish(&x, &law, 150, 2e-3, &before, &after), GNT_OK);
    for (int64_t k = 0; k < N * M; k++)
        off[1] += fabs((double)(x.weight[k] - weight[k]));
    assert_true(after < before / 4 && mean_psnr(&x, 1) > had + 2 && off[1] < off[0] / 2);
    for (int64_t k = 0; k < N * M; k++)
        assert_true(weight[k] > 0 || x.weight[k] == 0);
    plain_close(&plain);
}

static int open_scenes(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "scenes", .rows = {M, 1, 1}};
    return gnt_data_open(&scenes, &spec, NULL, &err);
}

static int close_scenes(void **state) {
    (void)state;
    gnt_data_free(scenes);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whitening_makes_neighbours_uncorrelated),
        cmocka_unit_test(a_trivial_filter_changes_nothing),
        cmocka_unit_test(the_ridge_step_unmixes),
        cmocka_unit_test(leaving_a_row_out_is_exact),
        cmocka_unit_test(weights_come_back),
        cmocka_unit_test(scores_become_weights),
        cmocka_unit_test(neighbours_agree_on_signs),
        cmocka_unit_test(hidden_signs_are_found),
        cmocka_unit_test(a_step_is_what_it_says),
        cmocka_unit_test(the_joint_pass_comes_nearer),
    };
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
