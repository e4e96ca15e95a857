/* The scores of layers by a sensitive region: exactly, against a Jacobian written out in double; by probes,
 * whose bias is that of the root of a mean of squares of normal numbers; that they look at the region. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* before cmocka, which has a macro `fail` */
#include "../../plugins/shared/region/seeded_draws.c"
#include "../../plugins/shared/region/layers.c"
#include "../../plugins/shared/region/psi.c"
#include <cmocka.h>

#include "region_net.h"

static void score(net *n, int64_t rows, int64_t probes, uint64_t seed, double out[NET_LAYERS]) {
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    p.host.model = gnt_service_table(n->service);
    layers l;
    const psi_request in = {.samples = &n->samples,
                            .row = n->row,
                            .n = rows,
                            .weights = n->weights,
                            .probes = probes,
                            .seed = seed};
    assert_int_equal(layers_of_model(host, &l), GNT_OK);
    assert_int_equal(l.n, NET_LAYERS);
    assert_int_equal(l.tensors, NET_TENSORS);
    assert_int_equal(psi_scores(host, &l, &in, out), GNT_OK);
    plain_close(&p);
}

/* Eq. 3 to 5 in double; `whole`: no masks. */
static void expect(const net *n, int rows, int whole, double out[NET_LAYERS]) {
    double w[NET_MOST];
    for (int64_t i = 0; i < n->params; i++)
        w[i] = (double)n->weights[i];
    out[0] = out[1] = 0;
    for (int r = 0; r < rows; r++) {
        double sum[NET_LAYERS] = {0}, pixels = 0;
        for (int p = 0; p < NET_PIXELS; p++) {
            double all[NET_LAYERS] = {0}, one[NET_LAYERS];
            if (!whole && !n->mask[r * NET_PIXELS + p])
                continue;
            for (int c = 0; c * NET_PIXELS < n->in; c++) {
                net_squares(n, w, r, c * NET_PIXELS + p, one);
                all[0] += one[0];
                all[1] += one[1];
            }
            sum[0] += sqrt(all[0]);
            sum[1] += sqrt(all[1]);
            pixels++;
        }
        out[0] += sum[0] / pixels / rows;
        out[1] += sum[1] / pixels / rows;
    }
}

static void is_near(double got, double expected, double share) {
    if (fabs(got / expected - 1) > share)
        fail_msg("%.9g, expected %.9g", got, expected);
}

static void exact_scores_are_the_jacobian_s(void **state) {
    (void)state;
    for (int channels = 1; channels <= 2; channels++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            net n;
            double got[NET_LAYERS], masked[NET_LAYERS], whole[NET_LAYERS];
            net_open(&n, net_json, channels, seed);
            expect(&n, 3, 0, masked);
            expect(&n, 3, 1, whole);
            score(&n, 3, 0, 1, got);
            is_near(got[0], masked[0], 1e-5);
            is_near(got[1], masked[1], 1e-5);
            n.samples.mask = NULL;
            score(&n, 3, 0, 1, got);
            is_near(got[0], whole[0], 1e-5);
            is_near(got[1], whole[1], 1e-5);
            assert_true(fabs(masked[0] / whole[0] - 1) > 1e-3);
            net_close(&n);
        }
}

/* E√(mean of m squares of normal numbers) = √(2/m)·Γ((m + 1)/2)/Γ(m/2) = 1 − 1/(4m) + 1/(32m²) + … */
static double bias(double m) {
    return sqrt(2 / m) * exp(lgamma((m + 1) / 2) - lgamma(m / 2)) - 1;
}

/* With images of one channel the bias is that of the root, for any mean over pixels and samples. */
static void probes_have_the_bias_of_a_root(void **state) {
    (void)state;
    enum { SEEDS = 600, ROWS = 3 };
    static const int64_t ms[] = {4, 16, 64};
    for (size_t k = 0; k < sizeof ms / sizeof *ms; k++) {
        net n;
        double exact[NET_LAYERS], mean[NET_LAYERS] = {0}, squares[NET_LAYERS] = {0};
        net_open(&n, net_json, 1, 7);
        expect(&n, ROWS, 0, exact);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            double got[NET_LAYERS];
            score(&n, ROWS, ms[k], seed, got);
            for (int l = 0; l < NET_LAYERS; l++) {
                const double off = got[l] / exact[l] - 1;
                mean[l] += off / SEEDS;
                squares[l] += off * off / SEEDS;
            }
        }
        const double expected = bias((double)ms[k]);
        assert_true(fabs(expected * -4 * (double)ms[k] - 1) < 0.05); /* −1/(4m), as the pages say */
        for (int l = 0; l < NET_LAYERS; l++) {
            const double error = sqrt((squares[l] - mean[l] * mean[l]) / SEEDS);
            print_message("# m %d, layer %d: %.5f, standard error %.5f, expected %.5f\n", (int)ms[k], l,
                          mean[l], error, expected);
            assert_true(fabs(mean[l] - expected) < 3 * error);
            assert_true(ms[k] == 64 || mean[l] < -3 * error); /* there is one */
        }
        net_close(&n);
    }
}

/* More samples than are computed at once, several channels: the mean is that of all, none counts twice. */
static void many_samples_are_all_counted(void **state) {
    (void)state;
    net n;
    double exact[NET_LAYERS], got[NET_LAYERS], mean[NET_LAYERS] = {0};
    net_open(&n, net_json, 2, 3);
    expect(&n, NET_ROWS, 0, exact);
    assert_true((int)NET_ROWS > (int)CHUNK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        score(&n, NET_ROWS, 200, seed, got);
        mean[0] += got[0] / 20;
        mean[1] += got[1] / 20;
    }
    is_near(mean[0], exact[0], 0.02);
    is_near(mean[1], exact[1], 0.02);
    net_close(&n);
}

/* One seed, one set of directions, so that all models are compared by the same. */
static void a_seed_is_its_directions(void **state) {
    (void)state;
    net n;
    double first[NET_LAYERS], again[NET_LAYERS], other[NET_LAYERS];
    net_open(&n, net_json, 1, 3);
    score(&n, 4, 8, 5, first);
    score(&n, 4, 8, 5, again);
    score(&n, 4, 8, 6, other);
    assert_memory_equal(first, again, sizeof first);
    assert_true(first[0] != other[0] && first[1] != other[1]);
    net_close(&n);
}

/* The left half of the image and the right one: some layers trade places, or scores do not see the region. */
static void the_order_of_layers_depends_on_the_region(void **state) {
    (void)state;
    int differ = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        net n;
        double half[2][NET_LAYERS];
        net_open(&n, net_json, 1, seed);
        for (int side = 0; side < 2; side++) {
            for (int p = 0; p < NET_ROWS * NET_PIXELS; p++)
                n.mask[p] = (p % NET_SIDE >= NET_SIDE / 2) == side;
            score(&n, 1, 0, 1, half[side]);
        }
        differ += (half[0][0] > half[0][1]) != (half[1][0] > half[1][1]);
        net_close(&n);
    }
    print_message("# another order in %d of 20 networks\n", differ);
    assert_true(differ >= 1);
}

static void samples_without_a_region_do_not_count(void **state) {
    (void)state;
    net n;
    plain_host p;
    int64_t *row, count;
    double scores[NET_LAYERS] = {1, 1};
    net_open(&n, net_json, 1, 3);
    const gnt_host *host = plain_open(&p, 1);
    for (int i = 0; i < NET_ROWS; i++)
        if (i % 4 != 1)
            memset(n.mask + i * NET_PIXELS, 0, NET_PIXELS);
    assert_int_equal(psi_choose(host, &n.samples, 10, "samples", &row, &count), GNT_OK);
    assert_int_equal(count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(row[i], 4 * i + 1);
    assert_int_equal(psi_choose(host, &n.samples, 3, "samples", &row, &count), GNT_OK);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(row[i] % 4 == 1 && row[i] != row[(i + 1) % 3]);
    n.samples.mask = NULL;
    assert_int_equal(psi_choose(host, &n.samples, 100, "samples", &row, &count), GNT_OK);
    assert_int_equal(count, NET_ROWS);
    plain_close(&p);
    score(&n, 0, 4, 1, scores);
    assert_true(scores[0] == 0 && scores[1] == 0);
    net_close(&n);
}

static int32_t stop_after;

static int32_t stops(void *context) {
    (void)context;
    return stop_after-- <= 0;
}

static void a_stop_is_heeded(void **state) {
    (void)state;
    for (int64_t probes = 0; probes <= 8; probes += 8) {
        net n;
        plain_host p;
        layers l;
        double scores[NET_LAYERS];
        net_open(&n, net_json, 1, 3);
        const gnt_host *host = plain_open(&p, 1);
        p.host.model = gnt_service_table(n.service);
        p.host.should_stop = stops;
        stop_after = 2;
        const psi_request in = {
            .samples = &n.samples, .row = n.row, .n = 2, .weights = n.weights, .probes = probes};
        assert_int_equal(layers_of_model(host, &l), GNT_OK);
        assert_int_equal(psi_scores(host, &l, &in, scores), GNT_STOPPED);
        assert_int_equal(stop_after, -1);
        plain_close(&p);
        net_close(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_scores_are_the_jacobian_s),
        cmocka_unit_test(probes_have_the_bias_of_a_root),
        cmocka_unit_test(many_samples_are_all_counted),
        cmocka_unit_test(a_seed_is_its_directions),
        cmocka_unit_test(the_order_of_layers_depends_on_the_region),
        cmocka_unit_test(samples_without_a_region_do_not_count),
        cmocka_unit_test(a_stop_is_heeded),
    };
    return cmocka_run_group_tests_name("region_psi", tests, NULL, NULL);
}
