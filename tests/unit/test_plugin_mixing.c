/* mixup and instahide: what is released is the mix that the plugin says it is, drawn as the papers say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/defenses/mixing/signs.c" /* before cmocka, which has a macro `fail` */
#include <cmocka.h>

#include "base/random.h"
#include "try_plugin.h"

enum { F = 48, CLASSES = 5, MOST_SAMPLES = 64, MOST_MIXES = 4096, K = 16 };

/* ---- a set, and what is released of it ---- */

static float set_x[MOST_SAMPLES * F], set_y[MOST_SAMPLES * CLASSES];
static float public_x[MOST_SAMPLES * F], public_y[MOST_SAMPLES * CLASSES];
static int64_t ids[MOST_SAMPLES], public_ids[MOST_SAMPLES];

static gnt_samples samples_of(float *x, float *y, int64_t *id, int64_t n, uint64_t seed) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "samples");
    memset(y, 0, (size_t)n * CLASSES * sizeof *y);
    for (int64_t i = 0; i < n * F; i++)
        x[i] = (float)gnt_random_uniform(&s);
    for (int64_t i = 0; i < n; i++) {
        y[i * CLASSES + i % CLASSES] = 1;
        id[i] = 100 + i; /* no row number */
    }
    return (gnt_samples){.size = sizeof(gnt_samples),
                         .kind = GNT_KIND_IMAGE,
                         .n = n,
                         .rank = 3,
                         .classes = CLASSES,
                         .dim = {3, 4, 4},
                         .features = F,
                         .id = id,
                         .x = x,
                         .y = y};
}

static struct {
    int64_t n;
    float x[MOST_MIXES * F], y[MOST_MIXES * CLASSES];
    int64_t source[MOST_MIXES], members[MOST_MIXES], id[MOST_MIXES * K];
    double weight[MOST_MIXES * K];
} out;

static gnt_status put(void *context, const float *x, const float *y, int64_t source_id) {
    (void)context;
    assert_true(out.n < MOST_MIXES);
    memcpy(out.x + out.n * F, x, F * sizeof *x);
    if (y)
        memcpy(out.y + out.n * CLASSES, y, CLASSES * sizeof *y);
    out.source[out.n] = source_id;
    out.members[out.n++] = 0;
    return GNT_OK;
}

static gnt_status mixed(void *context, int64_t n, const int64_t *source_id, const double *weight) {
    (void)context;
    assert_true(out.n > 0 && n <= K && out.members[out.n - 1] == 0);
    memcpy(out.id + (out.n - 1) * K, source_id, (size_t)n * sizeof *source_id);
    memcpy(out.weight + (out.n - 1) * K, weight, (size_t)n * sizeof *weight);
    out.members[out.n - 1] = n;
    return GNT_OK;
}

static void open(tried *t, const char *id, const char *json, uint64_t seed) {
    char path[4096];
    gnt_err err = {0};
    if (try_open(t, built("plugins/defenses/mixing.so", path), GNT_PLUGIN_DEFENSE, id, json, seed, &err) != 0)
        fail_msg("%s", err.text);
}

static gnt_status encode(tried *t, const gnt_samples *own, const gnt_samples *shared, gnt_err *err) {
    gnt_client client = {.size = sizeof client, .n_clients = 1, .samples = own, .public_data = shared};
    gnt_samples_sink sink = {.size = sizeof sink, .put = put, .mixed = mixed};
    gnt_instance_enter(t->instance, "encode_set");
    gnt_status s =
        gnt_instance_defense(t->instance)->encode_set(gnt_instance_self(t->instance), &client, 0, &sink);
    return gnt_instance_leave(t->instance, s, err);
}

/* `epochs` epochs of n samples into `out`. */
static void release(const char *id, const char *json, int64_t n, int epochs, uint64_t seed) {
    tried t;
    gnt_err err = {0};
    gnt_samples own = samples_of(set_x, set_y, ids, n, 1),
                shared = samples_of(public_x, public_y, public_ids, 40, 2);
    open(&t, id, json, seed);
    out.n = 0;
    for (int e = 0; e < epochs; e++)
        assert_int_equal(encode(&t, &own, &shared, &err), GNT_OK);
    try_close(&t);
}

/* The mix by the ids and weights that were given, entry f. */
static double mix_at(int64_t m, int64_t f) {
    double sum = 0;
    for (int64_t c = 0; c < out.members[m]; c++)
        sum += out.weight[m * K + c] * set_x[(out.id[m * K + c] - 100) * F + f];
    return sum;
}

/* ---- tests ---- */

static void a_mix_is_the_weighted_sum(void **state) {
    (void)state;
    release("mixup", "{\"k\": 4}", 20, 3, 7);
    assert_int_equal(out.n, 60);
    for (int64_t m = 0; m < out.n; m++) {
        double sum = 0, most = 0;
        int64_t heaviest = -1;
        assert_int_equal(out.members[m], 4);
        for (int64_t c = 0; c < 4; c++) {
            double w = out.weight[m * K + c];
            assert_true(w >= 0 && w <= 0.65);
            sum += w;
            if (w > most) {
                most = w;
                heaviest = out.id[m * K + c];
            }
        }
        assert_float_equal(sum, 1, 1e-9);
        assert_int_equal(out.source[m], heaviest);
        for (int64_t f = 0; f < F; f++)
            assert_float_equal(out.x[m * F + f], mix_at(m, f), 1e-6);
        for (int64_t k = 0; k < CLASSES; k++) {
            double y = 0;
            for (int64_t c = 0; c < 4; c++)
                y += out.weight[m * K + c] * set_y[(out.id[m * K + c] - 100) * CLASSES + k];
            assert_float_equal(out.y[m * CLASSES + k], y, 1e-6);
        }
    }
}

/* In every epoch each sample goes into k mixes, into none twice; also where the set is as small as a mix. */
static void every_sample_is_mixed_equally_often(void **state) {
    (void)state;
    static const struct { int64_t n, k; } cases[] = {{20, 4}, {6, 6}, {7, 6}, {9, 2}, {16, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[40];
        snprintf(json, sizeof json, "{\"k\": %d}", (int)cases[i].k);
        release("mixup", json, cases[i].n, 4, 3);
        for (int epoch = 0; epoch < 4; epoch++) {
            int64_t uses[MOST_SAMPLES] = {0};
            for (int64_t m = epoch * cases[i].n; m < (epoch + 1) * cases[i].n; m++)
                for (int64_t c = 0; c < cases[i].k; c++) {
                    uses[out.id[m * K + c] - 100]++;
                    for (int64_t d = 0; d < c; d++)
                        assert_true(out.id[m * K + c] != out.id[m * K + d]);
                }
            for (int64_t s = 0; s < cases[i].n; s++)
                assert_int_equal(uses[s], cases[i].k);
        }
    }
}

/* |N(0, 1)| over its sum, given that none is above 0.65: mean of the largest and of the sum of squares,
 * against draws made here. Uniform or exponential draws in place of normal ones are off by .02 and more. */
static void weights_follow_their_law(void **state) {
    (void)state;
    enum { DRAWS = 4000 };
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream s = gnt_stream_open(&key, "reference");
    double largest[2] = {0}, squares[2] = {0};
    release("mixup", "{\"k\": 4}", 40, DRAWS / 40, 11);
    for (int i = 0; i < DRAWS;) {
        double w[4], sum = 0, most = 0, square = 0;
        for (int c = 0; c < 4; c++)
            sum += w[c] = fabs(gnt_random_normal(&s));
        for (int c = 0; c < 4; c++) {
            most = fmax(most, w[c] / sum);
            square += w[c] / sum * (w[c] / sum);
        }
        if (most > 0.65)
            continue;
        largest[0] += most / DRAWS;
        squares[0] += square / DRAWS;
        i++;
    }
    for (int64_t m = 0; m < DRAWS; m++) {
        double most = 0, square = 0;
        for (int c = 0; c < 4; c++) {
            most = fmax(most, out.weight[m * K + c]);
            square += out.weight[m * K + c] * out.weight[m * K + c];
        }
        largest[1] += most / DRAWS;
        squares[1] += square / DRAWS;
    }
    assert_float_equal(largest[1], largest[0], 0.008); /* about five standard errors */
    assert_float_equal(squares[1], squares[0], 0.006);
}

/* Partners are any other samples alike: 60 epochs of 20 with k = 4 give each ordered pair 60·3/19 = 9.5
 * meetings. */
static void partners_are_drawn_evenly(void **state) {
    (void)state;
    int met[20][20] = {{0}};
    double square = 0;
    release("mixup", "{\"k\": 4}", 20, 60, 13);
    for (int64_t m = 0; m < out.n; m++)
        for (int c = 1; c < 4; c++)
            met[out.id[m * K] - 100][out.id[m * K + c] - 100]++;
    for (int a = 0; a < 20; a++)
        for (int b = 0; b < 20; b++)
            square += a == b ? 0 : pow(met[a][b] - 60.0 * 3 / 19, 2) / (60.0 * 3 / 19);
    assert_true(square > 200 &&
                square < 520); /* chi-square with about 342 degrees of freedom, deviation 26 */
    for (int a = 0; a < 20; a++)
        assert_int_equal(met[a][a], 0);
}

/* A mix's place says nothing of its members: over 200 epochs of 20 samples (k = 4) and of 7 (k = 6), sample i
 * is in mix i as often as chance has it, k/n, and first in it n⁻¹ of the time. */
static void a_place_reveals_no_member(void **state) {
    (void)state;
    static const struct { int64_t n, k; } cases[] = {{20, 4}, {7, 6}};
    enum { EPOCHS = 200 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double n = (double)cases[i].n, mixes = EPOCHS * n, share = (double)cases[i].k / n;
        double in = 0, first = 0;
        char json[40];
        snprintf(json, sizeof json, "{\"k\": %d}", (int)cases[i].k);
        release("mixup", json, cases[i].n, EPOCHS, 19);
        for (int64_t m = 0; m < out.n; m++) {
            first += out.id[m * K] - 100 == m % cases[i].n;
            for (int64_t c = 0; c < cases[i].k; c++)
                in += out.id[m * K + c] - 100 == m % cases[i].n;
        }
        assert_true(fabs(in / mixes - share) < 4.5 * sqrt(share * (1 - share) / mixes));
        assert_true(fabs(first / mixes - 1 / n) < 4.5 * sqrt((1 - 1 / n) / n / mixes));
    }
}

/* At each entry the encoding is the mix or its negative, each half of the time, and independently of its
 * neighbour. */
static void signs_hide_half_of_the_entries(void **state) {
    (void)state;
    static const char *const sources[] = {"{\"signs\": \"seeded\"}", "{\"signs\": \"csprng\"}"};
    for (int i = 0; i < 2; i++) {
        double n = 0, flipped = 0, same = 0, entry[F] = {0};
        release("instahide", sources[i], 20, 100, 17);
        for (int64_t m = 0; m < out.n; m++)
            for (int64_t f = 0, before = 0; f < F; f++) {
                double mix = mix_at(m, f), e = out.x[m * F + f];
                assert_true(fmin(fabs(e - mix), fabs(1 - e - mix)) < 1e-6);
                if (fabs(2 * mix - 1) < 1e-5)
                    continue;
                int flip = fabs(e - mix) > fabs(1 - e - mix);
                n++;
                flipped += flip;
                entry[f] += flip;
                same += f > 0 && flip == before;
                before = flip;
            }
        assert_true(fabs(flipped / n - 0.5) < 4 * 0.5 / sqrt(n));
        assert_true(fabs(same / (n * (F - 1) / F) - 0.5) < 4 * 0.5 / sqrt(n) + 1e-3);
        for (int64_t f = 0; f < F; f++)
            assert_true(fabs(entry[f] / (double)out.n - 0.5) < 4.5 * 0.5 / sqrt((double)out.n));
    }
}

/* Queries to the trained network: each sample by itself, in order, with half of its pixels negative. mixup
 * leaves samples as they are. */
static void queries_are_flipped_and_not_mixed(void **state) {
    (void)state;
    enum { N = 50 };
    tried t;
    gnt_err err = {0};
    gnt_samples own = samples_of(set_x, set_y, ids, N, 1);
    gnt_client client = {.size = sizeof client, .index = -1, .n_clients = 1, .samples = &own};
    gnt_samples_sink sink = {.size = sizeof sink, .put = put, .mixed = mixed};
    double flipped = 0;
    open(&t, "instahide", NULL, 23);
    out.n = 0;
    gnt_instance_enter(t.instance, "encode_query");
    gnt_status s =
        gnt_instance_defense(t.instance)->encode_query(gnt_instance_self(t.instance), &client, 0, &sink);
    assert_int_equal(gnt_instance_leave(t.instance, s, &err), GNT_OK);
    assert_int_equal(out.n, N);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t f = 0; f < F; f++) {
            const double x = set_x[i * F + f], e = out.x[i * F + f];
            assert_true(fmin(fabs(e - x), fabs(1 - e - x)) < 1e-6);
            flipped += fabs(e - x) > fabs(1 - e - x);
        }
    }
    assert_true(fabs(flipped / (N * F) - 0.5) < 4 * 0.5 / sqrt(N * F));
    try_close(&t);
    open(&t, "mixup", NULL, 23);
    assert_null(gnt_instance_defense(t.instance)->encode_query);
    try_close(&t);
}

/* Private images of 0 and public ones of 1: the encoding is what the public partners weigh. Labels are the
 * private ones'. */
static void public_partners_bring_no_label(void **state) {
    (void)state;
    tried t;
    gnt_err err = {0};
    gnt_samples own = samples_of(set_x, set_y, ids, 20, 1),
                shared = samples_of(public_x, public_y, public_ids, 40, 2);
    memset(set_x, 0, sizeof set_x);
    for (int64_t i = 0; i < 40 * F; i++)
        public_x[i] = 1;
    memset(public_y, 0, sizeof public_y);
    for (int64_t i = 0; i < 40; i++)
        public_y[i * CLASSES + 4] = 1;
    open(&t, "mixup", "{\"k\": 6, \"scheme\": \"cross\"}", 3);
    out.n = 0;
    for (int e = 0; e < 20; e++)
        assert_int_equal(encode(&t, &own, &shared, &err), GNT_OK);
    try_close(&t);
    for (int64_t m = 0; m < out.n; m++) {
        const double *w = out.weight + m * K;
        assert_int_equal(out.members[m], 2);
        assert_true(out.id[m * K] != out.id[m * K + 1]);
        assert_true(w[0] + w[1] >= 0.3 && w[0] <= 0.65 && w[1] <= 0.65);
        assert_float_equal(out.x[m * F], 1 - w[0] - w[1], 1e-6);
        for (int64_t k = 0; k < CLASSES; k++) {
            double y = 0;
            for (int c = 0; c < 2; c++)
                y += w[c] / (w[0] + w[1]) * ((out.id[m * K + c] - 100) % CLASSES == k);
            assert_float_equal(out.y[m * CLASSES + k], y, 1e-6);
        }
    }
}

/* Redrawn in each epoch, the same under the same key, another under another; and two instances do not meddle.
 */
static void what_is_drawn_repeats_under_its_key_alone(void **state) {
    (void)state;
    static float once[20 * F], twice[2 * 20 * F];
    static const char *const all[] = {"{\"signs\": \"seeded\"}", "{\"signs\": \"csprng\"}"};
    for (int i = 0; i < 2; i++) {
        tried a, b;
        gnt_err err = {0};
        gnt_samples own = samples_of(set_x, set_y, ids, 20, 1);
        release("instahide", all[i], 20, 2, 23);
        memcpy(twice, out.x, sizeof twice);
        assert_true(memcmp(twice, twice + 20 * F, sizeof once) != 0);
        release("instahide", all[i], 20, 1, 24);
        assert_true(memcmp(twice, out.x, sizeof once) != 0);
        open(&a, "instahide", all[i], 23);
        open(&b, "instahide", all[i], 99);
        for (int e = 0; e < 2; e++) {
            out.n = 0;
            assert_int_equal(encode(&a, &own, NULL, &err), GNT_OK);
            assert_memory_equal(out.x, twice + e * 20 * F, sizeof once);
            assert_int_equal(encode(&b, &own, NULL, &err), GNT_OK);
        }
        try_close(&a);
        try_close(&b);
    }
}

static void refused(const char *id, const char *json, int64_t n, gnt_status expected, const char *why) {
    tried t;
    gnt_err err = {0};
    gnt_samples own = samples_of(set_x, set_y, ids, n, 1);
    open(&t, id, json, 1);
    out.n = 0;
    assert_int_equal(encode(&t, &own, NULL, &err), expected);
    assert_non_null(strstr(err.text, why));
    try_close(&t);
}

static void what_cannot_be_mixed_is_said(void **state) {
    (void)state;
    refused("mixup", "{\"k\": 6}", 5, GNT_FAILED, "k = 6 mixes 6 different private samples, but the set");
    refused("mixup", "{\"k\": 4, \"max_weight\": 0.25}", 8, GNT_UNSUPPORTED, "raise max_weight");
    refused("instahide", "{\"k\": 6, \"scheme\": \"cross\"}", 8, GNT_UNSUPPORTED,
            "with 4 public samples, but the task has 0");
}

/* RFC 8439, section 2.3.2: its counter of 32 bits and nonce of 96 are the same four words of the state. */
static void the_cipher_is_chacha20(void **state) {
    (void)state;
    static const uint32_t expected[16] = {
        0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
        0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
    uint32_t key[8], block[16];
    for (uint32_t i = 0; i < 8; i++)
        key[i] = (4 * i) | (4 * i + 1) << 8 | (4 * i + 2) << 16 | (4 * i + 3) << 24;
    mixing_chacha20(key, 1 | (uint64_t)0x09000000 << 32, 0x4a000000, block);
    assert_memory_equal(block, expected, sizeof block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_is_the_weighted_sum),
        cmocka_unit_test(every_sample_is_mixed_equally_often),
        cmocka_unit_test(weights_follow_their_law),
        cmocka_unit_test(partners_are_drawn_evenly),
        cmocka_unit_test(a_place_reveals_no_member),
        cmocka_unit_test(signs_hide_half_of_the_entries),
        cmocka_unit_test(queries_are_flipped_and_not_mixed),
        cmocka_unit_test(public_partners_bring_no_label),
        cmocka_unit_test(what_is_drawn_repeats_under_its_key_alone),
        cmocka_unit_test(what_cannot_be_mixed_is_said),
        cmocka_unit_test(the_cipher_is_chacha20),
    };
    return cmocka_run_group_tests_name("plugin_mixing", tests, NULL, NULL);
}
