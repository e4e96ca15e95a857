/* decompose as the host runs it: MixUp of built-in scenes is taken apart; what it cannot do it says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "data/data.h"
#include "try_plugin.h"

enum { M = 20, TIMES = 20, OWN = 2, K = 4, N = M * TIMES / OWN, PUBLIC = 400, F = 3072 };

static gnt_data *scenes;
static float own[M * F], public_x[PUBLIC * F], encoded[N * F], weight[N * M];
static gnt_samples private_data = {.size = sizeof private_data, .n = M}, public_data, released;
static float image[M * F], mixture[N * M], similarity[N * N];

/* Each private image once in every M/OWN encodings, next to public partners from rows that are not
 * granted. */
static void release(void) {
    gnt_key key = gnt_key_of_seed(4);
    gnt_stream s = gnt_stream_open(&key, "release");
    uint32_t order[M];
    float other[F];
    memset(weight, 0, sizeof weight);
    memset(encoded, 0, sizeof encoded);
    for (int i = 0; i < N; i++) {
        double w[K], sum, most, mine;
        do {
            sum = most = mine = 0;
            for (int k = 0; k < K; k++)
                sum += w[k] = fabs(gnt_random_normal(&s));
            for (int k = 0; k < K; k++) {
                w[k] /= sum;
                most = fmax(most, w[k]);
                mine += k < OWN ? w[k] : 0;
            }
        } while (most > 0.65 || mine < 0.3);
        if (i % (M / OWN) == 0) {
            for (uint32_t o = 0; o < M; o++)
                order[o] = o;
            gnt_random_shuffle(&s, order, M);
        }
        for (int k = 0; k < K; k++) {
            uint32_t o = order[i % (M / OWN) * OWN + k % OWN];
            gnt_data_row(scenes, M + PUBLIC + (int64_t)gnt_random_below(&s, PUBLIC), other);
            for (int f = 0; f < F; f++)
                encoded[i * F + f] += (float)w[k] * (k < OWN ? own[o * F + (uint32_t)f] : other[f]);
            if (k < OWN)
                weight[i * M + (int)o] = (float)w[k];
        }
    }
}

static gnt_status take_image(void *context, int64_t n, const float *x) {
    assert_int_equal(n, M);
    memcpy(image, x, sizeof image);
    return *(gnt_status *)context;
}

static gnt_status take_mixture(void *context, int64_t n, int64_t count, const float *w) {
    assert_true(n == N && count == M);
    memcpy(mixture, w, sizeof mixture);
    return *(gnt_status *)context;
}

static gnt_status take_similarity(void *context, int64_t n, const float *s) {
    assert_int_equal(n, N);
    memcpy(similarity, s, sizeof similarity);
    return *(gnt_status *)context;
}

static gnt_value law[] = {{.id = "k", .type = GNT_TYPE_INT, .i = K},
                          {.id = "scheme", .type = GNT_TYPE_CHOICE, .i = 1, .text = "cross"},
                          {.id = "max_weight", .type = GNT_TYPE_REAL, .r = 0.65},
                          {.id = "private_weight", .type = GNT_TYPE_REAL, .r = 0.3}};

static gnt_observation see(const char *defense) {
    return (gnt_observation){.size = sizeof(gnt_observation),
                             .surface = GNT_SURFACE_ENCODING,
                             .n = M,
                             .encoded = &released,
                             .defense = defense,
                             .defense_values = law,
                             .n_defense_values = 4,
                             .public_data = &public_data};
}

/* Prepares and runs; the answer goes to image, mixture and similarity. */
static gnt_status attack(const gnt_observation *seen, const char *json, gnt_err *err) {
    char path[4096];
    tried t;
    kept k;
    gnt_status status = GNT_OK;
    if (try_open(&t, built("plugins/attacks/decompose.so", path), GNT_PLUGIN_ATTACK, "decompose", json, 1,
                 err))
        fail_msg("%s", err->text);
    gnt_observation setting = *seen;
    setting.encoded = NULL;
    gnt_attack_prepare in = {
        .size = sizeof in, .stage = -1, .public_data = &public_data, .setting = &setting};
    gnt_answer answer = {.size = sizeof answer,
                         .context = &status,
                         .reconstruction = take_image,
                         .mixture = take_mixture,
                         .similarity = take_similarity};
    const gnt_attack *hooks = gnt_instance_attack(t.instance);
    gnt_status s = try_prepare(&t, &in, &k, err);
    if (s == GNT_OK) {
        gnt_instance_enter(t.instance, "run");
        s = hooks->run(gnt_instance_self(t.instance), seen, &k.artefacts, &answer);
        s = gnt_instance_leave(t.instance, s, err);
    }
    try_drop(&k);
    try_close(&t);
    return s;
}

static double psnr(const float *a, const float *b) {
    double sum = 0;
    for (int f = 0; f < F; f++)
        sum += pow((double)a[f] - (double)b[f], 2) / F;
    return 10 * log10(1 / sum);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Share of memberships that are right when answer o stands for the original it is nearest to. */
static double share_right(double *median) {
    double right = 0, best[M];
    int of[M];
    for (int q = 0; q < M; q++)
        best[q] = 0;
    for (int o = 0; o < M; o++) {
        of[o] = 0;
        for (int q = 0; q < M; q++) {
            double d = psnr(image + o * F, own + q * F);
            best[q] = fmax(best[q], d);
            of[o] = d > psnr(image + o * F, own + of[o] * F) ? q : of[o];
        }
        for (int i = 0; i < N; i++)
            right += mixture[i * M + o] > 0 && weight[i * M + of[o]] > 0;
    }
    qsort(best, M, sizeof *best, ascending);
    *median = (best[M / 2 - 1] + best[M / 2]) / 2;
    return right / (N * OWN);
}

/* 20 images, each in 20 mixes of four, two of them public: the bar is what a study of this attack passed with
 * room. */
static void mixup_is_taken_apart(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_observation seen = see("mixup");
    double median;
    if (attack(&seen, NULL, &err) != GNT_OK)
        fail_msg("%s", err.text);
    double right = share_right(&median);
    assert_true(median >= 18);
    assert_true(right >= 0.85);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            assert_true(similarity[i * N + j] == similarity[j * N + i]);
    static float again[M * F];
    memcpy(again, image, sizeof again);
    assert_int_equal(attack(&seen, NULL, &err), GNT_OK);
    assert_memory_equal(again, image, sizeof again);
}

/* Mean 0 and variance 1 within five standard errors; the same either way round. */
static void blind_similarities_are_random_numbers(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_observation seen = see("mixup");
    const double pairs = N * (N - 1) / 2.0;
    double sum = 0, square = 0;
    if (attack(&seen, "{\"start\": \"blind\", \"refits\": 0}", &err) != GNT_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            assert_true(similarity[i * N + j] == similarity[j * N + i]);
            sum += (double)similarity[i * N + j];
            square += pow((double)similarity[i * N + j], 2);
        }
    assert_true(fabs(sum / pairs) < 5 / sqrt(pairs) && fabs(square / pairs - 1) < 5 * sqrt(2 / pairs));
}

static void refuses(const gnt_observation *seen, gnt_status status, const char *word) {
    gnt_err err = {0};
    assert_int_equal(attack(seen, NULL, &err), status);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not say %s", err.text, word);
}

static void what_it_cannot_do_it_says(void **state) {
    (void)state;
    gnt_observation seen = see("loda");
    refuses(&seen, GNT_UNSUPPORTED, "mixup");
    seen = see("not-mixup");
    refuses(&seen, GNT_UNSUPPORTED, "mixup");
    seen = see("mixup");
    seen.n = 1;
    refuses(&seen, GNT_UNSUPPORTED, "too few");
    seen.n = N * OWN;
    refuses(&seen, GNT_UNSUPPORTED, "too few");
    gnt_samples odd = released, few = public_data;
    odd.dim[1] = 30;
    seen = see("mixup");
    seen.encoded = &odd;
    refuses(&seen, GNT_UNSUPPORTED, "multiples of 8");
    public_data.n = 3;
    seen = see("prune+mixup");
    refuses(&seen, GNT_UNSUPPORTED, "public");
    public_data = few;
}

static void few_public_images_are_enough(void **state) {
    (void)state;
    const int64_t all = public_data.n;
    const gnt_observation seen = see("mixup");
    gnt_err err = {0};
    public_data.n = 10;
    if (attack(&seen, NULL, &err) != GNT_OK)
        fail_msg("%s", err.text);
    public_data.n = all;
}

static int set_up(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "scenes", .rows = {M + 2 * PUBLIC, 1, 1}};
    if (gnt_data_open(&scenes, &spec, NULL, &err) != 0)
        return -1;
    for (int64_t i = 0; i < M; i++)
        gnt_data_row(scenes, i, own + i * F);
    for (int64_t i = 0; i < PUBLIC; i++)
        gnt_data_row(scenes, M + i, public_x + i * F);
    private_data.kind = GNT_KIND_IMAGE;
    private_data.rank = 3;
    private_data.features = F;
    memcpy(private_data.dim, (int64_t[]){3, 32, 32}, sizeof private_data.dim);
    public_data = released = private_data;
    public_data.n = PUBLIC;
    public_data.x = public_x;
    released.n = N;
    released.x = encoded;
    release();
    return 0;
}

static int take_down(void **state) {
    (void)state;
    gnt_data_free(scenes);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixup_is_taken_apart),
        cmocka_unit_test(blind_similarities_are_random_numbers),
        cmocka_unit_test(what_it_cannot_do_it_says),
        cmocka_unit_test(few_public_images_are_enough),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
