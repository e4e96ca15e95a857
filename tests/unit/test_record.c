/* The record of a training by itself: who is drawn, what is kept of encodings, what is refused while writing
 * and reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fuzz/work.h"
#include "job/record/record.h"
#include "must_work.h"

enum { MOST_CLIENTS = 32, ROUNDS = 400 };

typedef struct trial {
    fuzz_work w;
    gnt_request_record spec;
    int64_t stage[ROUNDS];
    gnt_fl *fl;
    gnt_partition part;
    int64_t start[MOST_CLIENTS + 1];
    uint32_t index[MOST_CLIENTS * 8];
    gnt_record *record;
    gnt_st out[2]; /* `record` and `held`, once they are written */
} trial;

static const gnt_chain no_defense;
static trial *writes; /* the trial whose record is written */

static int keep(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    (void)context;
    return strcmp(name, "treatments") == 0 ? 0 : fuzz_copy(&writes->out[strcmp(name, "held") == 0], st, err);
}

/* Client k has rows[k] rows. */
static void begin(trial *t, int32_t clients, const int *rows, double participation, int steps, int batch,
                  int targets, int stages, uint64_t seed) {
    const gnt_key train = gnt_key_of_seed(99);
    const gnt_fl_config config = {.rounds = ROUNDS,
                                  .steps = steps,
                                  .batch = batch,
                                  .rate = 0.1,
                                  .participation = participation,
                                  .clients = clients};
    *t = (trial){0};
    for (int i = 0; i < stages; i++)
        t->stage[i] = i;
    t->spec = (gnt_request_record){
        .stages = {t->stage, (size_t)stages}, .targets = targets, .key = gnt_key_of_seed(seed)};
    fuzz_work_open(&t->w, (gnt_request){.kind = GNT_JOB_TRAIN,
                                        .train = {.federated = {.clients = clients,
                                                                .rounds = ROUNDS,
                                                                .participation = participation,
                                                                .local_steps = steps,
                                                                .batch = batch,
                                                                .rate = 0.1},
                                                  .record = &t->spec}});
    t->w.work.write = keep;
    writes = t;
    for (int32_t k = 0; k < clients; k++)
        t->start[k + 1] = t->start[k] + rows[k];
    for (int64_t i = 0; i < t->start[clients]; i++)
        t->index[i] = (uint32_t)(t->start[clients] - 1 - i);
    t->part = (gnt_partition){clients, t->start, t->index};
    MUST_WORK(gnt_fl_new(&t->fl, fuzz_model()->model, &config, &no_defense, &train, err));
}

static int try_open(trial *t, gnt_err *err) {
    return gnt_record_open(&t->record, &t->w.work, &t->w.request.train, fuzz_model()->model, t->fl, &t->part,
                           err);
}

static void open_record(trial *t) {
    MUST_WORK(try_open(t, err));
    assert_non_null(t->record);
}

static void end(trial *t) {
    gnt_record_free(t->record);
    gnt_fl_free(t->fl);
    gnt_st_free(&t->out[0]);
    gnt_st_free(&t->out[1]);
    fuzz_work_close(&t->w);
}

static const int four_each[MOST_CLIENTS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                                            4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};

/* ---- who is drawn ---- */

/* 3 of those 10 of 20 that take part. Clients are drawn equally often of the rounds that they take part in:
 * χ² of 20 clients, Σ (o − e)²/(e·(1 − 3/10)) with 19 degrees of freedom, beyond 43.8 in one of a thousand;
 * likewise places among those who take part, with 9, beyond 27.9. */
static void draws_are_uniform_over_participants(void **state) {
    enum { N = 20, PART = 10, TARGETS = 3 };
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double took_part[N] = {0}, drawn[N] = {0}, place[PART] = {0}, clients = 0, places = 0;
        trial t;
        begin(&t, N, four_each, 0.5, 0, 4, TARGETS, ROUNDS, seed);
        open_record(&t);
        for (int32_t round = 0; round < ROUNDS; round++) {
            uint32_t chosen[N];
            int of_round = 0;
            assert_int_equal(gnt_fl_choose(t.fl, t.start, round, chosen), PART);
            for (int i = 0; i < PART; i++) {
                const int wanted = gnt_record_is_drawn(t.record, round, (int32_t)chosen[i]);
                took_part[chosen[i]]++;
                drawn[chosen[i]] += wanted;
                place[i] += wanted;
                of_round += wanted;
            }
            assert_int_equal(of_round, TARGETS); /* all of them took part */
        }
        for (int k = 0; k < N; k++) {
            const double e = took_part[k] * TARGETS / PART;
            clients += (drawn[k] - e) * (drawn[k] - e) / (e * (1 - (double)TARGETS / PART));
        }
        for (int i = 0; i < PART; i++) {
            const double e = (double)ROUNDS * TARGETS / PART;
            places += (place[i] - e) * (place[i] - e) / (e * (1 - (double)TARGETS / PART));
        }
        print_message("# seed %d: chi-square of clients %.1f, of places %.1f\n", (int)seed, clients, places);
        assert_true(clients < 43.8 && places < 27.9);
        end(&t);
    }
}

static void rounds_and_keys_draw_their_own(void **state) {
    enum { N = 12 };
    (void)state;
    trial a, b;
    begin(&a, N, four_each, 1, 0, 4, 4, 20, 1);
    begin(&b, N, four_each, 1, 0, 4, 4, 20, 2);
    open_record(&a);
    open_record(&b);
    int between_rounds = 0, between_keys = 0;
    for (int32_t round = 0; round < 20; round++)
        for (int32_t k = 0; k < N; k++) {
            between_rounds +=
                gnt_record_is_drawn(a.record, round, k) != gnt_record_is_drawn(a.record, (round + 1) % 20, k);
            between_keys +=
                gnt_record_is_drawn(a.record, round, k) != gnt_record_is_drawn(b.record, round, k);
        }
    /* of 240 pairs 2·(1/3)(2/3) = 44 in 100 differ */
    assert_true(between_rounds > 60 && between_rounds < 160);
    assert_true(between_keys > 60 && between_keys < 160);
    for (int32_t k = 0; k < N; k++) /* nothing is observed in the rounds after */
        assert_false(gnt_record_is_drawn(a.record, 20, k));
    end(&a);
    end(&b);
}

static void more_targets_than_participants_are_refused(void **state) {
    (void)state;
    trial t;
    gnt_err err = {0};
    begin(&t, 8, four_each, 0.25, 0, 4, 3, 2, 1);
    assert_int_equal(try_open(&t, &err), -1);
    assert_non_null(strstr(err.text, "lower observe.targets"));
    assert_null(t.record);
    end(&t);
}

static void nothing_is_recorded_where_nothing_is_requested(void **state) {
    (void)state;
    trial t;
    begin(&t, 8, four_each, 1, 0, 4, 3, 0, 1);
    MUST_WORK(try_open(&t, err));
    assert_false(gnt_record_is_drawn(t.record, 0, 0));
    assert_false(gnt_record_is_drawn(NULL, 0, 0));
    gnt_record_free(t.record);
    t.w.request.train.record = NULL;
    MUST_WORK(try_open(&t, err));
    assert_null(t.record);
    end(&t);
}

/* Four steps of three take twelve rows, which three of six clients have: they are drawn as if all had. */
static void draws_do_not_depend_on_how_much_clients_hold(void **state) {
    enum { N = 6, TARGETS = 2 };
    static const int uneven[N] = {8, 16, 6, 12, 16, 3}, even[N] = {12, 12, 12, 12, 12, 12};
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        trial a, b;
        int with_few = 0;
        begin(&a, N, uneven, 1, 4, 3, TARGETS, ROUNDS, seed);
        begin(&b, N, even, 1, 4, 3, TARGETS, ROUNDS, seed);
        open_record(&a);
        open_record(&b);
        for (int32_t round = 0; round < ROUNDS; round++)
            for (int32_t k = 0; k < N; k++) {
                const int drawn = gnt_record_is_drawn(a.record, round, k);
                assert_int_equal(drawn, gnt_record_is_drawn(b.record, round, k));
                with_few += drawn && uneven[k] < 12;
            }
        assert_true(with_few > ROUNDS * TARGETS * 4 / 10);
        end(&a);
        end(&b);
    }
}

/* A Dirichlet draw may leave the first client without a row. */
static void the_first_client_may_hold_nothing(void **state) {
    static const int rows[] = {0, 6, 6};
    (void)state;
    trial t;
    begin(&t, 3, rows, 1, 4, 3, 2, 2, 1);
    open_record(&t);
    assert_false(gnt_record_is_drawn(t.record, 0, 0));
    assert_true(gnt_record_is_drawn(t.record, 0, 1) && gnt_record_is_drawn(t.record, 0, 2));
    end(&t);
}

/* ---- what is received ---- */

static float weights[FUZZ_WEIGHTS];

static int take(trial *t, int32_t round, int32_t client, int64_t n, gnt_err *err) {
    uint32_t row[8] = {2, 0, 3, 1};
    float y[8 * FUZZ_CLASSES] = {0}, rates[8] = {0.1f, 0.2f, 0.3f, 0.4f};
    gnt_fl_used used = {.n = n, .row = row, .n_y = n, .classes = FUZZ_CLASSES, .y = y};
    const gnt_fl_treatment treatment = {.known = 1, .norm = 100, .cosine = 1, .ratio = 1};
    for (int64_t i = 0; i < n; i++)
        y[i * FUZZ_CLASSES + client % FUZZ_CLASSES] = 1;
    for (int i = 0; i < FUZZ_WEIGHTS; i++)
        weights[i] = (float)(1000 * round + 100 * client + i);
    const gnt_fl_receipt receipt = {.round = round,
                                    .client = client,
                                    .update = weights,
                                    .rates = rates,
                                    .used = gnt_record_is_drawn(t->record, round, client) ? &used : NULL,
                                    .treatment = &treatment};
    return gnt_record_add_receipt(t->record, &receipt, err);
}

static void what_was_received_is_read_back(void **state) {
    (void)state;
    trial t;
    gnt_recorded r;
    begin(&t, 6, four_each, 1, 2, 2, 3, 2, 1);
    open_record(&t);
    for (int32_t round = 0; round < 2; round++)
        for (int32_t k = 0; k < 6; k++)
            MUST_WORK(take(&t, round, k, 4, err));
    MUST_WORK(gnt_record_write(t.record, 0, err));
    for (int32_t round = 0; round < 2; round++) {
        MUST_WORK(gnt_recorded_read(&r, &t.out[0], &t.out[1], fuzz_model()->model, round, 2, 24, err));
        assert_true(r.targets == 3 && r.members == 4 && r.n == 4 && !r.whole && !r.count);
        for (int64_t j = 0; j < 3; j++) {
            const int64_t k = r.client[j];
            assert_true(gnt_record_is_drawn(t.record, round, (int32_t)k));
            for (int i = 0; i < FUZZ_WEIGHTS; i++)
                assert_true(r.update[j * FUZZ_WEIGHTS + i] == (float)(1000 * round + 100 * k + i));
            assert_true(r.rates[2 * j] == 0.1f && r.rates[2 * j + 1] == 0.2f);
            for (int64_t i = 0; i < 4; i++) {
                static const uint32_t row[] = {2, 0, 3, 1};
                assert_true(r.rows[4 * j + i] == t.index[4 * k + row[i]]);
                assert_true(r.labels[(4 * j + i) * FUZZ_CLASSES + k % FUZZ_CLASSES] == 1);
            }
        }
    }
    const gnt_st_tensor *treated = gnt_st_find(&t.out[1], "treatment");
    assert_true(treated && treated->dim[0] == 12 && treated->dim[1] == GNT_RECORD_TREATMENT);
    assert_true(((const float *)treated->data)[GNT_RECORD_TREATMENT - 1] == 2); /* log₁₀ of the norm */
    end(&t);
}

/* The one with fewer samples has them again in the places that it leaves. */
static void clients_of_different_sizes_are_read_back(void **state) {
    (void)state;
    trial t;
    gnt_recorded r;
    begin(&t, 3, four_each, 1, 2, 2, 3, 1, 1);
    open_record(&t);
    for (int32_t k = 0; k < 3; k++)
        MUST_WORK(take(&t, 0, k, 4 - k, err));
    MUST_WORK(gnt_record_write(t.record, 0, err));
    MUST_WORK(gnt_recorded_read(&r, &t.out[0], &t.out[1], fuzz_model()->model, 0, 2, 12, err));
    assert_true(r.targets == 3 && r.members == 4 && r.n == 4 && !r.whole);
    for (int64_t j = 0; j < 3; j++) {
        const int64_t k = r.client[j], n = 4 - k;
        assert_true(r.sizes[2 * j] == n && r.sizes[2 * j + 1] == n);
        for (int64_t i = 0; i < 4; i++) {
            static const uint32_t row[] = {2, 0, 3, 1};
            assert_true(r.rows[4 * j + i] == t.index[4 * k + row[i % n]]);
            assert_true(r.labels[(4 * j + i) * FUZZ_CLASSES + k % FUZZ_CLASSES] == 1);
        }
    }
    end(&t);
}

static void a_round_that_never_came_is_reported(void **state) {
    (void)state;
    for (int encodings = 0; encodings < 2; encodings++) {
        trial t;
        gnt_err said = {0};
        gnt_recorded r;
        begin(&t, 3, four_each, 1, 2, 2, 3, 2, 1);
        t.spec.encodings = encodings;
        open_record(&t);
        for (int32_t k = 0; k < 3; k++)
            MUST_WORK(take(&t, 0, k, 4, err));
        assert_int_equal(gnt_record_write(t.record, 0, &said), -1);
        assert_non_null(strstr(said.text, "round 1 was to be observed"));
        gnt_record_free(t.record);
        open_record(&t);
        for (int32_t k = 0; k < 3; k++)
            MUST_WORK(take(&t, 0, k, 4, err));
        MUST_WORK(gnt_record_write(t.record, 1, err)); /* the training diverged */
        said = (gnt_err){0};
        assert_int_equal(gnt_recorded_read(&r, &t.out[0], &t.out[1], fuzz_model()->model, 1, 2, 12, &said),
                         -1);
        assert_non_null(strstr(said.text, "ended before"));
        end(&t);
    }
}

/* ---- encodings ---- */

/* Releases a set of n samples, each encoded to one that only this pass gives. */
static void release(trial *t, int32_t round, int32_t client, int64_t pass, int64_t n) {
    float x[8 * FUZZ_FEATURES] = {0}, y[8 * FUZZ_CLASSES] = {0};
    gnt_mixture made_of;
    MUST_WORK(gnt_mixture_identity(&made_of, n, err));
    for (int64_t i = 0; i < n; i++)
        x[i * FUZZ_FEATURES] = (float)(100 * pass + 10 * client + i);
    const gnt_batch b = {.view = {.n = n, .features = FUZZ_FEATURES, .classes = FUZZ_CLASSES, .x = x, .y = y},
                         .made_of = &made_of};
    MUST_WORK(gnt_record_add_encodings(t->record, round, client, pass, &b, err));
    gnt_mixture_free(&made_of);
}

/* Two passes a round over six samples; of those before the end of round 1 the last `epochs` are kept, or all:
 * however much the first client holds, which nobody looks at. */
static void the_last_passes_are_kept(void **state) {
    static const int rows[][3] = {{6, 6, 6}, {2, 6, 6}, {0, 6, 6}, {8, 6, 6}};
    (void)state;
    for (size_t h = 0; h < sizeof rows / sizeof *rows; h++)
        for (int epochs = 0; epochs < 4; epochs++) {
            trial t;
            gnt_recorded r;
            begin(&t, 3, rows[h], 1, 4, 3, 2, 2, 1);
            t.spec.encodings = 1;
            t.spec.epochs = epochs;
            /* the two that hold six are drawn where the first is not */
            uint64_t seed = 1;
            for (open_record(&t); gnt_record_is_drawn(t.record, 1, 0);) {
                end(&t);
                begin(&t, 3, rows[h], 1, 4, 3, 2, 2, ++seed);
                t.spec.encodings = 1;
                t.spec.epochs = epochs;
                open_record(&t);
            }
            for (int32_t round = 0; round < 2; round++)
                for (int32_t k = 1; k < 3; k++)
                    for (int64_t pass = 2 * round; pass < 2 * round + 2; pass++)
                        release(&t, round, k, pass, 6);
            for (int32_t k = 1; k < 3; k++)
                MUST_WORK(take(&t, 1, k, 4, err));
            MUST_WORK(gnt_record_write(t.record, 1, err));
            MUST_WORK(gnt_recorded_read(&r, &t.out[0], &t.out[1], fuzz_model()->model, 1, 4, 32, err));
            const int64_t passes = epochs ? epochs : 4;
            for (int64_t j = 0; j < 2; j++) {
                if (r.count[j] != 6 * passes)
                    fail_msg("the first client holds %d, %d epochs: %d encodings of target %d, expected %d",
                             rows[h][0], epochs, (int)r.count[j], (int)j, (int)(6 * passes));
                assert_true(r.encoded_x[j * r.count[0] * FUZZ_FEATURES] ==
                            (float)(100 * (4 - passes) + 10 * r.client[j]));
            }
            end(&t);
        }
}

/* ---- reading what nobody here wrote ---- */

static void copy_without(gnt_st *out, const gnt_st *from, const char *name) {
    gnt_st_init(out);
    for (size_t i = 0; i < from->n; i++) {
        const gnt_st_tensor *t = &from->tensor[i];
        if (strcmp(t->name, name) != 0)
            MUST_WORK(gnt_st_add(out, t->name, t->type, t->rank, t->dim, t->data, NULL, err));
    }
}

/* Every tensor in turn is missing, empty, one column wider, of another type, or full of enormous numbers: a
 * refusal with a sentence, or what is read lies within what is there. */
static void bent_records_are_refused(void **state) {
    static const char *const names[] = {"client.0", "update.0", "count.0", "encoded_x.0", "encoded_y.0"};
    static const char *const private_names[] = {"rows.0",  "whole.0", "labels.0",
                                                "rates.0", "set.0",   "sizes.0"};
    (void)state;
    trial t;
    begin(&t, 2, four_each, 1, 4, 1, 2, 1, 1);
    t.spec.encodings = 1;
    open_record(&t);
    for (int32_t k = 0; k < 2; k++) {
        release(&t, 0, k, 0, 4);
        MUST_WORK(take(&t, 0, k, 4, err));
    }
    MUST_WORK(gnt_record_write(t.record, 0, err));
    for (int which = 0; which < 11; which++)
        for (int how = 0; how < 5; how++) {
            const char *name = which < 5 ? names[which] : private_names[which - 5];
            const gnt_st *from = &t.out[which >= 5];
            const gnt_st_tensor *was = gnt_st_find(from, name);
            gnt_st_tensor *now = NULL;
            gnt_st bent;
            gnt_recorded r;
            gnt_err said = {0};
            assert_non_null(was);
            copy_without(&bent, from, name);
            int64_t dim[2] = {was->dim[0], was->rank == 2 ? was->dim[1] : 0};
            dim[was->rank - 1] = how == 1 ? 0 : was->dim[was->rank - 1] + (how == 2);
            if (how)
                MUST_WORK(gnt_st_add(&bent, name, how == 3 ? GNT_ST_U8 : was->type, was->rank, dim, NULL,
                                     &now, err));
            for (size_t i = 0; how == 4 && was->type == GNT_ST_I64 && i < now->bytes / 8; i++)
                ((int64_t *)now->data)[i] = INT64_MAX;
            const int rc = gnt_recorded_read(&r, which < 5 ? &bent : &t.out[0], which < 5 ? &t.out[1] : &bent,
                                             fuzz_model()->model, 0, 4, 8, &said);
            const int fine =
                (how == 0 && strcmp(name, "count.0") == 0) || /* as if no encodings were recorded */
                (how == 4 && (was->type == GNT_ST_F32 || strcmp(name, "whole.0") == 0)) ||
                (how == 2 && (strcmp(name, "rows.0") == 0 || strcmp(name, "set.0") == 0));
            if ((rc == 0) != fine)
                fail_msg("%s bent in the way %d is %s", name, how, rc == 0 ? "read" : said.text);
            assert_true(rc == 0 || said.text[0]);
            gnt_st_free(&bent);
        }
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_uniform_over_participants),
        cmocka_unit_test(rounds_and_keys_draw_their_own),
        cmocka_unit_test(more_targets_than_participants_are_refused),
        cmocka_unit_test(nothing_is_recorded_where_nothing_is_requested),
        cmocka_unit_test(what_was_received_is_read_back),
        cmocka_unit_test(clients_of_different_sizes_are_read_back),
        cmocka_unit_test(a_round_that_never_came_is_reported),
        cmocka_unit_test(the_last_passes_are_kept),
        cmocka_unit_test(bent_records_are_refused),
        cmocka_unit_test(draws_do_not_depend_on_how_much_clients_hold),
        cmocka_unit_test(the_first_client_may_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
