/* Attacks on the batch-norm statistics that a client sends: the mean that they read off them, and how
 * much of a region they recover through noise in the update. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "../../plugins/attacks/gradient/cost/observed_statistics.c"
#include <cmocka.h>

#include "../drowned.h"
#include "nn/model/train.h"

enum { SIDE = 28, TOP = 10, BOTTOM = 18, LEFT = 10, RIGHT = 18, MOST = 256, TENSORS = 4 };

#define CONV(name, stride)                                                                                   \
    "{\"type\": \"conv\", \"name\": \"" name "\", \"out\": 32, \"kernel\": 5, \"stride\": " stride           \
    ", \"pad\": 2}"
static const char norm_json[] = "{\"init\": \"kaiming\", \"layers\": [" CONV(
    "c1", "1") ", {\"type\": \"batch_norm\", \"name\": \"b1\"}, "
               "{\"type\": \"tanh\"}, " CONV(
                   "c2", "2") ", {\"type\": \"batch_norm\", \"name\": \"b2\"}, "
                              "{\"type\": \"tanh\"}, {\"type\": \"flatten\"}, "
                              "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* A client, what it sends of its statistics, and what is known of its image. */
typedef struct client {
    attacked a;
    float sent[MOST], x[FEATURES];
    uint8_t mask[FEATURES];
    gnt_view view[TENSORS];
    gnt_views views;
    gnt_samples outside;
} client;

/* Sends what running statistics become in one step on its batch, as the host does. */
static void send_statistics(client *c, int64_t n) {
    attacked *a = &c->a;
    const gnt_views *of = &gnt_service_table(a->own)->info->buffers;
    const int64_t buffers = gnt_model_buffer_size(a->model);
    float *grad = gnt_array((size_t)gnt_model_size(a->model), sizeof *grad), batch[MOST];
    gnt_trainer *t;
    int64_t at = 0;
    assert_true(of->n == TENSORS && buffers <= MOST);
    assert_int_equal(gnt_trainer_new(&t, a->model, n, 1, &a->err), 0);
    assert_int_equal(gnt_trainer_gradient(t, a->weights, a->buffers, a->x, a->y, grad, NULL, batch, &a->err),
                     0);
    gnt_trainer_free(t);
    gnt_free(grad);
    for (int64_t i = 0; i < buffers; i++)
        c->sent[i] = 0.9f * a->buffers[i] + 0.1f * batch[i] - a->buffers[i];
    c->views = (gnt_views){of->n, c->view};
    for (int64_t k = 0; k < of->n; at += of->view[k++].count) {
        c->view[k] = of->view[k];
        c->view[k].data = c->sent + at;
    }
    a->seen.sent_buffers = &c->views;
}

/* A client whose update has noise of `sigma`; all of its image but a region is known. */
static void open_sender(client *c, int64_t row, double sigma) {
    attacked *a = &c->a;
    open_client(a, norm_json, row, 1);
    observe(a, &a->seen, ROUNDS, a->x, a->y, 1, sigma);
    for (int64_t i = 0; i < FEATURES; i++) {
        const int64_t y = i / SIDE, x = i % SIDE;
        c->mask[i] = y >= TOP && y < BOTTOM && x >= LEFT && x < RIGHT;
        c->x[i] = c->mask[i] ? 0 : a->x[i];
    }
    c->outside = (gnt_samples){.size = sizeof c->outside,
                               .kind = GNT_KIND_IMAGE,
                               .n = 1,
                               .rank = 3,
                               .classes = CLASSES,
                               .dim = {1, SIDE, SIDE},
                               .features = FEATURES,
                               .x = c->x,
                               .mask = c->mask};
    a->seen.outside = &c->outside;
    a->seen.labels = a->y;
    a->seen.granted |= GNT_KNOWS_REGION;
    send_statistics(c, 1);
}

static double region_psnr(const client *c) {
    double sum = 0, pixels = 0;
    for (int64_t i = 0; i < FEATURES; i++) {
        const double d = (double)c->a.found[i] - (double)c->a.x[i];
        sum += c->mask[i] ? d * d : 0;
        pixels += c->mask[i];
    }
    return -10 * log10(sum / pixels + 1e-9);
}

/* Norm of the noise over that of the update. */
static double noise_to_signal(attacked *a, double sigma) {
    double sum = 0, n = 0;
    observe(a, &a->past[0], 0, a->x, a->y, 1, 0);
    for (int64_t t = 0; t < a->update[0].n; t++)
        for (int64_t i = 0; i < a->view[0][t].count; i++, n++)
            sum += (double)a->view[0][t].data[i] * (double)a->view[0][t].data[i];
    return sigma * sqrt(n / sum);
}

/* Through noise that leaves nothing of the update, the statistics in the clear give the region away. */
static void statistics_in_the_clear_give_the_region_away(void **state) {
    (void)state;
    double with = 0, without = 0;
    for (int64_t row = 0; row < 3; row++) {
        client c;
        open_sender(&c, row, 30);
        grant_gaussian(&c.a, 30);
        c.a.seen.public_data = &c.a.public_data;
        recovered(&c.a, "region-known", "{\"steps\": 600, \"bn\": 0}");
        without += region_psnr(&c) / 3;
        assert_true(isnan(fact_of(&c.a, "bn")));
        recovered(&c.a, "region-known", "{\"steps\": 600}");
        with += region_psnr(&c) / 3;
        assert_true(fact_of(&c.a, "bn_observed") == 1);
        const double noise = noise_to_signal(&c.a, 30);
        print_message("noise/signal %.0f\n", noise);
        assert_true(noise > 50);
        forget(&c.a);
    }
    print_message("with the statistics %.1f dB, without %.1f dB\n", with, without);
    assert_true(with > 25 && without < 12);
}

/* And to who is granted nothing of the noise, but sees that the update is noise. */
static void noise_that_is_seen_counts_as_known(void **state) {
    (void)state;
    double with = 0;
    for (int64_t row = 0; row < 3; row++) {
        client c;
        open_sender(&c, row, 30);
        c.a.seen.public_data = &c.a.public_data;
        recovered(&c.a, "region-known", "{\"steps\": 600}");
        with += region_psnr(&c) / 3;
        assert_true(fact_of(&c.a, "noise_known") == 0 && fact_of(&c.a, "bn") == 10);
        forget(&c.a);
    }
    print_message("without a grant %.1f dB\n", with);
    assert_true(with > 25);
}

/* They count unless none were sent, `bn` is 0, or the granted defense adds noise to them; and then by a
 * weight above 0 only. */
static void they_count_where_they_are_of_use(void **state) {
    (void)state;
    client c;
    open_sender(&c, 1, 0.1);
    assert_int_equal(attack(&c.a, "{\"steps\": 2}"), GNT_OK);
    assert_true(fact_of(&c.a, "bn") == 0.1 && fact_of(&c.a, "bn_observed") == 1);
    assert_int_equal(attack(&c.a, "{\"steps\": 2, \"bn\": 0}"), GNT_OK);
    assert_true(isnan(fact_of(&c.a, "bn")));
    grant_gaussian(&c.a, 0.1);
    gnt_value values[5];
    memcpy(values, c.a.value, sizeof c.a.value);
    values[4] = (gnt_value){.id = "statistics", .type = GNT_TYPE_BOOL, .i = 1};
    c.a.seen.defense_values = values;
    c.a.seen.n_defense_values = 5;
    assert_int_equal(attack(&c.a, "{\"steps\": 2}"), GNT_OK);
    assert_true(isnan(fact_of(&c.a, "bn")));
    assert_int_equal(attack(&c.a, "{\"steps\": 2, \"bn\": 0.5}"), GNT_OK);
    assert_true(fact_of(&c.a, "bn") == 0.5 && fact_of(&c.a, "bn_observed") == 1);
    values[4].i = 0; /* noise in the update alone */
    assert_int_equal(attack(&c.a, "{\"steps\": 2}"), GNT_OK);
    assert_true(fact_of(&c.a, "bn") == 10);
    recovered(&c.a, "region-known", "{\"steps\": 2}");
    assert_true(fact_of(&c.a, "bn") == 10);
    c.a.id = NULL;
    c.a.seen.sent_buffers = NULL;
    assert_int_equal(attack(&c.a, "{\"steps\": 2}"), GNT_OK);
    assert_true(isnan(fact_of(&c.a, "bn")));
    forget(&c.a);
}

/* ---- the mean that is read off ---- */

static float room[MOST];

static void *give_room(void *context, size_t bytes) {
    (void)context;
    return bytes <= sizeof room ? room : NULL;
}

/* Three steps with batches b: r ← 0.9 r + 0.1 b. The mean has the weights 0.81, 0.9 and 1 of 2.71. */
static void several_steps_give_a_weighted_mean(void **state) {
    (void)state;
    static const float b[3][2] = {{1, 2}, {4, 3}, {-2, 5}}, old[2] = {0.5f, 1};
    float sent[2];
    gnt_view view[2] = {{.name = "n.running_mean", .count = 1, .data = sent},
                        {.name = "n.running_var", .count = 1, .data = sent + 1}};
    const gnt_views all = {2, view};
    const gnt_model_info info = {.size = sizeof info, .buffers = all, .n_buffers = 2};
    const gnt_model_service service = {.size = sizeof service, .info = &info};
    const gnt_host host = {.size = sizeof host, .scratch = give_room, .model = &service};
    const gnt_observation seen = {.size = sizeof seen, .steps = 3, .buffers = old, .sent_buffers = &all};
    const float *mean;
    for (int i = 0; i < 2; i++) {
        double r = (double)old[i];
        for (int k = 0; k < 3; k++)
            r = 0.9 * r + 0.1 * (double)b[k][i];
        sent[i] = (float)(r - (double)old[i]);
    }
    assert_int_equal(observed_statistics(&host, &seen, &mean), GNT_OK);
    for (int i = 0; i < 2; i++) {
        const double expected =
            (0.81 * (double)b[0][i] + 0.9 * (double)b[1][i] + (double)b[2][i]) / (0.81 + 0.9 + 1);
        assert_true(fabs((double)mean[i] - expected) < 1e-5);
    }
    sent[1] = -0.3f; /* a variance of 1 − 0.3/0.271: it has noise */
    assert_int_equal(observed_statistics(&host, &seen, &mean), GNT_OK);
    assert_null(mean);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_in_the_clear_give_the_region_away),
        cmocka_unit_test(noise_that_is_seen_counts_as_known),
        cmocka_unit_test(they_count_where_they_are_of_use),
        cmocka_unit_test(several_steps_give_a_weighted_mean),
    };
    return cmocka_run_group_tests_name("sent statistics", tests, open_glyphs, close_glyphs);
}
