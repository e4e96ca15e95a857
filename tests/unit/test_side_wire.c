/* Clients and states on their way to a process of hooks: what comes is what was sent, and what the other end
 * has already is not sent again, but nothing else is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fl/input_sums.h"
#include "job/side/side_job.h"

enum { N = 5, F = 16, C = 3, PARAMS = 32, BUFFERS = 4 };

typedef struct sent_client {
    float x[N * F], y[N * C], weights[PARAMS], buffers[BUFFERS];
    int64_t id[N];
    int32_t a[N];
    uint8_t mask[N * F];
    gnt_attribute attribute;
    gnt_samples samples;
    gnt_client client;
} sent_client;

static void make_client(sent_client *s, int32_t index) {
    *s = (sent_client){.attribute = {.name = "style", .values = 2, .weight = 0.5f}};
    for (int i = 0; i < N * F; i++) {
        s->x[i] = (float)(i + index) / 7;
        s->mask[i] = (uint8_t)(i % 3 == 0);
    }
    for (int i = 0; i < N; i++) {
        s->y[i * C + (i + index) % C] = 1;
        s->id[i] = i;
        s->a[i] = i % 2;
    }
    for (int i = 0; i < PARAMS; i++)
        s->weights[i] = (float)i / 3;
    for (int i = 0; i < BUFFERS; i++)
        s->buffers[i] = (float)i;
    s->samples = (gnt_samples){.size = sizeof s->samples,
                               .kind = GNT_KIND_IMAGE,
                               .n = N,
                               .rank = 3,
                               .classes = C,
                               .dim = {1, 4, 4},
                               .features = F,
                               .n_attributes = 1,
                               .attribute = &s->attribute,
                               .x = s->x,
                               .y = s->y,
                               .id = s->id,
                               .a = s->a,
                               .mask = s->mask};
    s->client = (gnt_client){.size = sizeof s->client,
                             .index = index,
                             .round = 3,
                             .n_clients = 8,
                             .n_samples = N,
                             .n_labels = 2,
                             .rate = 0.25,
                             .steps = 4,
                             .batch = 2,
                             .samples = &s->samples,
                             .weights = s->weights,
                             .buffers = s->buffers,
                             .rounds = 9,
                             .per_round = 6,
                             .momentum = 0.5,
                             .decay = 0.125};
}

/* Hands the client over; how many bytes that took. */
static size_t pass(const gnt_client *c, side_sent *sent, side_client *got) {
    const gnt_key key = gnt_key_of_seed((uint64_t)c->index);
    gnt_frame f = {0};
    gnt_err err = {0};
    gnt_frame_begin(&f, SIDE_TRANSFORM);
    side_put_client(&f, c, &key, PARAMS, BUFFERS, sent);
    if (side_get_client(&f, got, PARAMS, BUFFERS, NULL, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(f.at, f.n);
    assert_memory_equal(got->key.b, key.b, sizeof key.b);
    const size_t n = f.n;
    gnt_frame_free(&f);
    return n;
}

static void assert_same_samples(const gnt_samples *a, const gnt_samples *b) {
    assert_true(a->n == b->n && a->kind == b->kind && a->rank == b->rank && a->classes == b->classes &&
                a->features == b->features && a->n_attributes == b->n_attributes);
    assert_memory_equal(a->dim, b->dim, sizeof a->dim);
    assert_memory_equal(a->x, b->x, (size_t)(a->n * a->features) * sizeof *a->x);
    assert_memory_equal(a->y, b->y, (size_t)(a->n * a->classes) * sizeof *a->y);
    assert_memory_equal(a->id, b->id, (size_t)a->n * sizeof *a->id);
    assert_int_equal(a->a != NULL, b->a != NULL);
    if (a->a)
        assert_memory_equal(a->a, b->a, (size_t)a->n * sizeof *a->a);
    assert_int_equal(a->mask != NULL, b->mask != NULL);
    if (a->mask)
        assert_memory_equal(a->mask, b->mask, (size_t)(a->n * a->features));
    for (int32_t i = 0; i < a->n_attributes; i++) {
        assert_string_equal(a->attribute[i].name, b->attribute[i].name);
        assert_true(a->attribute[i].values == b->attribute[i].values &&
                    a->attribute[i].weight == b->attribute[i].weight);
    }
}

static void assert_same_client(const gnt_client *a, const gnt_client *b) {
    assert_true(a->index == b->index && a->round == b->round && a->n_clients == b->n_clients &&
                a->n_samples == b->n_samples && a->n_labels == b->n_labels && a->rate == b->rate &&
                a->steps == b->steps && a->batch == b->batch && a->rounds == b->rounds &&
                a->per_round == b->per_round && a->momentum == b->momentum && a->decay == b->decay);
    assert_int_equal(a->samples != NULL, b->samples != NULL);
    if (a->samples)
        assert_same_samples(a->samples, b->samples);
    assert_int_equal(a->weights != NULL, b->weights != NULL);
    if (a->weights)
        assert_memory_equal(a->weights, b->weights, PARAMS * sizeof *a->weights);
    assert_int_equal(a->buffers != NULL, b->buffers != NULL);
    if (a->buffers)
        assert_memory_equal(a->buffers, b->buffers, BUFFERS * sizeof *a->buffers);
}

static void a_client_comes_as_it_was_sent(void **state) {
    (void)state;
    sent_client s;
    side_sent sent = {0};
    side_client got = {0};
    make_client(&s, 2);
    pass(&s.client, &sent, &got);
    assert_same_client(&s.client, &got.client);
    assert_null(got.client.public_data);
    side_client_free(&got);
}

/* What the other end has is not sent again; what changed is, each part by itself. */
static void only_what_changed_is_sent(void **state) {
    (void)state;
    sent_client s;
    side_sent sent = {0};
    side_client got = {0};
    make_client(&s, 2);
    const size_t all = pass(&s.client, &sent, &got), none = pass(&s.client, &sent, &got);
    assert_same_client(&s.client, &got.client);
    assert_true(none < all - (N * F + PARAMS + BUFFERS) * sizeof(float));
    s.x[N * F - 1] += 1;
    assert_true(pass(&s.client, &sent, &got) >= none + N * F * sizeof(float));
    assert_same_client(&s.client, &got.client);
    s.weights[0] += 1;
    assert_int_equal(pass(&s.client, &sent, &got), none + 8 + PARAMS * sizeof(float));
    assert_same_client(&s.client, &got.client);
    s.buffers[1] += 1;
    assert_int_equal(pass(&s.client, &sent, &got), none + 8 + BUFFERS * sizeof(float));
    assert_same_client(&s.client, &got.client);
    s.client.round++;
    s.client.rate /= 2;
    assert_int_equal(pass(&s.client, &sent, &got), none);
    assert_same_client(&s.client, &got.client);
    side_client_free(&got);
}

static void what_is_not_there_stays_away(void **state) {
    (void)state;
    sent_client s;
    side_sent sent = {0};
    side_client got = {0};
    make_client(&s, 1);
    const float *weights = s.client.weights, *buffers = s.client.buffers;
    for (int which = 0; which < 16; which++) {
        s.client.samples = which & 1 ? &s.samples : NULL;
        s.client.weights = which & 2 ? weights : NULL;
        s.client.buffers = which & 4 ? buffers : NULL;
        s.samples.a = which & 8 ? s.a : NULL;
        s.samples.mask = which & 8 ? s.mask : NULL;
        pass(&s.client, &sent, &got);
        assert_same_client(&s.client, &got.client);
    }
    side_client_free(&got);
}

/* Weights of zeros have a sum like that of nothing at all. */
static void zeros_are_sent_where_nothing_was(void **state) {
    (void)state;
    sent_client s;
    side_sent sent = {0};
    side_client got = {0};
    make_client(&s, 1);
    memset(s.weights, 0, sizeof s.weights);
    s.client.weights = NULL;
    pass(&s.client, &sent, &got);
    s.client.weights = s.weights;
    pass(&s.client, &sent, &got);
    assert_same_client(&s.client, &got.client);
    side_client_free(&got);
}

/* Changes to which a sum that adds up floats as numbers could be blind: many signs, and a one that moves. */
static void structured_changes_are_sent(void **state) {
    (void)state;
    sent_client s;
    side_sent sent = {0};
    side_client got = {0};
    make_client(&s, 1);
    for (int i = 0; i < PARAMS; i++)
        s.weights[i] = (float)i + 1;
    pass(&s.client, &sent, &got);
    for (int i = 0; i < PARAMS; i++)
        s.weights[i] = -s.weights[i];
    pass(&s.client, &sent, &got);
    assert_same_client(&s.client, &got.client);
    side_client_free(&got);
}

static void a_quick_sum_sees_signs_and_places(void **state) {
    enum { MOST = 2048 };
    static float x[MOST];
    (void)state;
    for (size_t n = 32; n <= MOST; n *= 2) {
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(i % 13) + 1;
        const uint64_t plain = gnt_quick_sum(x, n * sizeof *x);
        for (size_t i = 0; i < n; i++)
            x[i] = -x[i];
        assert_true(gnt_quick_sum(x, n * sizeof *x) != plain);
    }
    memset(x, 0, sizeof x);
    uint64_t seen[MOST];
    for (size_t i = 0; i < MOST; i++) {
        x[i] = 1;
        seen[i] = gnt_quick_sum(x, sizeof x);
        x[i] = 0;
        for (size_t k = 0; k < i; k++)
            if (seen[k] == seen[i])
                fail_msg("a one at %zu and at %zu have the same sum", k, i);
    }
}

/* A message cut off anywhere is refused. */
static void half_a_client_is_refused(void **state) {
    (void)state;
    sent_client s;
    make_client(&s, 1);
    const gnt_key key = gnt_key_of_seed(1);
    gnt_frame f = {0};
    side_sent none = {0};
    gnt_frame_begin(&f, SIDE_TRANSFORM);
    side_put_client(&f, &s.client, &key, PARAMS, BUFFERS, &none);
    const size_t whole = f.n;
    for (size_t n = 0; n < whole; n += 8) {
        side_client got = {0};
        gnt_err err = {0};
        f.n = n;
        f.at = 0;
        f.bad = 0;
        assert_int_equal(side_get_client(&f, &got, PARAMS, BUFFERS, NULL, &err), -1);
        assert_true(err.text[0] != 0);
        side_client_free(&got);
    }
    gnt_frame_free(&f);
}

/* A fresh end that receives "the same as before" has no before. */
static void the_same_as_nothing_is_refused(void **state) {
    (void)state;
    sent_client s;
    make_client(&s, 1);
    const gnt_key key = gnt_key_of_seed(1);
    side_sent sent = {0};
    side_client got = {0};
    gnt_frame f = {0};
    gnt_err err = {0};
    for (int i = 0; i < 2; i++) {
        gnt_frame_begin(&f, SIDE_TRANSFORM);
        side_put_client(&f, &s.client, &key, PARAMS, BUFFERS, &sent);
    }
    assert_int_equal(side_get_client(&f, &got, PARAMS, BUFFERS, NULL, &err), -1);
    side_client_free(&got);
    gnt_frame_free(&f);
}

static void states_come_back(void **state) {
    const int64_t dim[2] = {2, 3};
    const float value[6] = {1, 2, 3, 4, 5, -0.0f};
    (void)state;
    gnt_st st, back;
    gnt_frame f = {0};
    gnt_err err = {0};
    gnt_st_init(&st);
    assert_int_equal(gnt_st_add(&st, "kept", GNT_ST_F32, 2, dim, value, NULL, &err), 0);
    gnt_frame_begin(&f, SIDE_SAVE);
    side_put_bundle(&f, &st);
    assert_int_equal(side_get_bundle(&f, &back, &err), 0);
    const gnt_st_tensor *t = gnt_st_find(&back, "kept");
    assert_non_null(t);
    assert_memory_equal(t->data, value, sizeof value);
    gnt_st_free(&back);
    gnt_frame_begin(&f, SIDE_SAVE);
    gnt_frame_put_int(&f, 1 << 20);
    assert_int_equal(side_get_bundle(&f, &back, &err), -1);
    gnt_st_free(&st);
    gnt_frame_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_comes_as_it_was_sent),
        cmocka_unit_test(only_what_changed_is_sent),
        cmocka_unit_test(what_is_not_there_stays_away),
        cmocka_unit_test(zeros_are_sent_where_nothing_was),
        cmocka_unit_test(structured_changes_are_sent),
        cmocka_unit_test(a_quick_sum_sees_signs_and_places),
        cmocka_unit_test(half_a_client_is_refused),
        cmocka_unit_test(the_same_as_nothing_is_refused),
        cmocka_unit_test(states_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
