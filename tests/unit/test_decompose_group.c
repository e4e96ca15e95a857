/* decompose's grouping: systems with known answers, factors of an exact product, capacities, and groups found
 * from the similarities that ideal encodings would have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "gauntlet/nn.h"
#include "../../plugins/attacks/decompose/factor.c"
#include "../../plugins/attacks/decompose/image_groups.c"
#include "../../plugins/attacks/decompose/law.c"
#include "../../plugins/attacks/decompose/linear.c"

#include <cmocka.h>

#include "plain_host.h"

/* a = L·Lᵀ with L = [2 0 0; 1 3 0; −1 2 1]; b = a·x for two columns x. */
static void cholesky_solves(void **state) {
    (void)state;
    double a[9] = {4, 2, -2, 2, 10, 5, -2, 5, 6}, x[6] = {1, -2, 0, 3, 5, 1}, b[6] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 2; c++)
                b[i * 2 + c] += a[i * 3 + k] * x[k * 2 + c];
    assert_int_equal(gnt_cholesky(a, 3), 0);
    assert_true(fabs(a[3] - 1) < 1e-12);
    assert_true(fabs(a[7] - 2) < 1e-12);
    gnt_cholesky_solve(a, 3, b, 2);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(b[i] - x[i]) < 1e-12);
    double singular[4] = {1, 1, 1, 1}, indefinite[4] = {1, 2, 2, 1};
    assert_int_equal(gnt_cholesky(indefinite, 2), -1);
    assert_int_equal(gnt_cholesky(singular, 2), -1);
}

/* Unbounded, the minimum of ½ xᵀax − bᵀx is (2, −1); with x ≥ 0 it is (3/2, 0): a₀₀x = b₀. */
static void negative_entries_stop_at_zero(void **state) {
    (void)state;
    double a[4] = {2, 1, 1, 2}, b[2] = {3, 0}, x[2] = {0, 5};
    dec_nonnegative(a, b, x, 2, 100);
    assert_true(fabs(x[0] - 1.5) < 1e-9 && x[1] == 0);
}

enum { M = 12, N = 120, OWN = 3 };

/* N encodings of M originals in rounds, each original once a round; weights by the law. */
static void mix(const gnt_host *host, double *w) {
    dec_law law = {.k = OWN, .own = OWN, .most = 0.65};
    double draw[DEC_MOST_K];
    int64_t order[M];
    memset(w, 0, N * M * sizeof *w);
    for (int64_t i = 0; i < M; i++)
        order[i] = i;
    for (int64_t i = 0; i < N; i++) {
        int64_t at = i % (M / OWN) * OWN;
        for (int64_t k = M - 1; at == 0 && k > 0; k--) {
            int64_t j = (int64_t)host->below(host->context, "order", (uint64_t)k + 1), kept = order[k];
            order[k] = order[j];
            order[j] = kept;
        }
        dec_draw_weights(host, &law, draw);
        for (int64_t k = 0; k < OWN; k++)
            w[i * M + order[at + k]] = draw[k];
    }
}

static double product(const double *a, const double *b, int64_t m) {
    double sum = 0;
    for (int64_t o = 0; o < m; o++)
        sum += a[o] * b[o];
    return sum;
}

static void multiply(const gnt_host *host, const double *w, double level, double noise, float *s) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++) {
            float z;
            host->normal(host->context, "noise", 1, &z);
            s[i * N + j] = s[j * N + i] =
                (float)(level + noise * (double)z + product(w + i * M, w + j * M, M));
        }
}

static double w[N * M];
static float s[N * N];

/* S = 0.3 + W·Wᵀ exactly: from scores half wrong, the rows and the level come back; nothing outside the mask.
 */
static void factors_of_a_product_come_back(void **state) {
    (void)state;
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    dec_groups g;
    mix(host, w);
    multiply(host, w, 0.3, 0, s);
    assert_int_equal(dec_groups_open(&g, host, N, M, OWN), GNT_OK);
    assert_int_equal(g.size, N * OWN / M);
    for (int64_t k = 0; k < N * M; k++) {
        g.in[k] = w[k] > 0;
        g.score[k] = g.in[k] ? (k % 2 ? 0.5 : 1.5) * w[k] : 0;
    }
    g.level = 0.3;
    assert_int_equal(dec_factor(&g, host, s, 60, 1), GNT_OK);
    for (int64_t k = 0; k < N * M; k++)
        assert_true(fabs(g.score[k] - w[k]) < 5e-3 && (w[k] > 0 || g.score[k] == 0));
    plain_close(&p);
}

/* Four encodings, two originals, one to a row: the third is nearer to original 0, which is full by then. */
static void members_keep_to_capacities(void **state) {
    (void)state;
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    dec_groups g;
    assert_int_equal(dec_groups_open(&g, host, 4, 2, 1), GNT_OK);
    const double score[8] = {9, 1, 8, 1, 7, 4, 0, 3};
    memcpy(g.score, score, sizeof score);
    assert_int_equal(dec_choose_members(&g, host, 0), GNT_OK);
    const uint8_t in[8] = {1, 0, 1, 0, 0, 1, 0, 1};
    assert_memory_equal(g.in, in, 8);
    plain_close(&p);
}

/* Groups come in any order: group o stands for the original that most of its members hold. */
static double share_right(const dec_groups *g, int64_t *distinct) {
    double right = 0;
    int seen[M] = {0};
    for (int64_t o = 0; o < M; o++) {
        int64_t count[M] = {0}, best = 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t q = 0; g->in[i * M + o] && q < M; q++)
                count[q] += w[i * M + q] > 0;
        for (int64_t q = 1; q < M; q++)
            best = count[q] > count[best] ? q : best;
        right += seen[best] ? 0 : (double)count[best] / (N * OWN);
        *distinct += !seen[best];
        seen[best] = 1;
    }
    return right;
}

/* Noise as large as a fifth of the mean product of two members, 1/9, and a level that says nothing. Weights
 * near 0 cannot be distinguished from none: |N(0, 1)| weights below .05 are about a tenth of all. */
static void groups_are_found_from_similarities(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        plain_host p;
        const gnt_host *host = plain_open(&p, seed);
        dec_groups g;
        int64_t distinct = 0;
        mix(host, w);
        multiply(host, w, -2, 0.02, s);
        assert_int_equal(dec_groups_open(&g, host, N, M, OWN), GNT_OK);
        assert_int_equal(dec_group(&g, host, s, 8), GNT_OK);
        assert_true(share_right(&g, &distinct) > 0.95);
        assert_int_equal(distinct, M);
        plain_close(&p);
    }
}

/* Similarities of pure noise hold no groups: members are right as often as by chance, OWN in M; and nothing
 * breaks. */
static void noise_has_no_groups(void **state) {
    (void)state;
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    dec_groups g;
    int64_t distinct = 0;
    static double none[N * M];
    mix(host, w);
    multiply(host, none, 0, 1, s);
    assert_int_equal(dec_groups_open(&g, host, N, M, OWN), GNT_OK);
    assert_int_equal(dec_group(&g, host, s, 8), GNT_OK);
    assert_true(share_right(&g, &distinct) < 2.0 * OWN / M);
    plain_close(&p);
}

/* The law: weights sum to 1, none above the cap, the private ones at least the requested share; an encoding
 * is the sum it says. */
static void encodings_follow_the_law(void **state) {
    (void)state;
    enum { PUBLIC = 40, F = 4 * 16, ORIGINALS = 10, COUNT = 50 };
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    dec_law law = {.instahide = 0, .k = 4, .own = 2, .most = 0.6, .least_own = 0.3};
    static float x[PUBLIC * F], e[COUNT * F], weight[COUNT * ORIGINALS];
    for (int i = 0; i < PUBLIC * F; i++)
        x[i] = (float)(i / F) / PUBLIC; /* image i is flat: mirrored or not, it is the same */
    gnt_samples from = {.n = PUBLIC, .rank = 3, .dim = {1, 8, 8}, .features = F, .x = x};
    double sum = 0, v[DEC_MOST_K];
    int below = 0;
    for (int t = 0; t < 500; t++) {
        dec_draw_weights(host, &law, v);
        double total = 0, most = 0;
        for (int k = 0; k < 4; k++) {
            total += v[k];
            most = fmax(most, v[k]);
        }
        assert_true(fabs(total - 1) < 1e-12 && most <= 0.6 && v[0] + v[1] >= 0.3);
        sum += v[0] + v[1];
    }
    assert_true(sum / 500 > 0.5); /* half of it, and more for being drawn again */
    dec_batch b = {e, weight};
    dec_make_batch(host, &law, &from, ORIGINALS, COUNT, &b);
    for (int i = 0; i < COUNT; i++) {
        double own = 0;
        int members = 0;
        for (int o = 0; o < ORIGINALS; o++) {
            own += (double)weight[i * ORIGINALS + o];
            members += weight[i * ORIGINALS + o] > 0;
        }
        assert_int_equal(members, 2);
        assert_true(own >= 0.3 - 1e-6 && own < 1);
        for (int f = 1; f < F; f++)
            assert_true(fabsf(e[i * F + f] - e[i * F]) < 1e-6f);
    }
    law = (dec_law){.instahide = 1, .k = 4, .own = 4, .most = 0.65};
    dec_make_batch(host, &law, &from, ORIGINALS, COUNT, &b);
    for (int i = 0; i < COUNT; i++) {
        double total = 0;
        for (int o = 0; o < ORIGINALS; o++)
            total += (double)weight[i * ORIGINALS + o];
        assert_true(fabs(total - 1) < 1e-5);
        below += e[i * F] < 0; /* signs are hidden later */
    }
    assert_true(below > 0 && below < COUNT);
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(negative_entries_stop_at_zero),
        cmocka_unit_test(factors_of_a_product_come_back),
        cmocka_unit_test(members_keep_to_capacities),
        cmocka_unit_test(groups_are_found_from_similarities),
        cmocka_unit_test(noise_has_no_groups),
        cmocka_unit_test(encodings_follow_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
