/* Instances: streams, scratch, failure, stops, facts, and two that are interleaved behave like each alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "plugin/host.h"

/* A plugin that does as the test says: `act` runs inside the hook. */
typedef struct puppet {
    const gnt_host *host;
    float *of_life; /* scratch taken in create */
    double total;   /* of all numbers it drew */
} puppet;

/* (host->fail)(…) with brackets, since cmocka has a macro of that name */
static gnt_status (*act)(puppet *self);
static int refuse_create, destroyed;

static void *create(const gnt_host *host, const gnt_value *values) {
    static puppet room[4];
    static int used;
    (void)values;
    if (refuse_create) {
        (host->fail)(host->context, "no thanks\nnot today");
        return NULL;
    }
    puppet *p = &room[used++ % 4];
    *p = (puppet){.host = host, .of_life = host->scratch(host->context, 64)};
    return p;
}

static void destroy(void *self) {
    (void)self;
    destroyed++;
}

static gnt_status transform(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)client, (void)update;
    return act(self);
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform};
static gnt_descriptor descriptor = {.size = sizeof descriptor,
                                    .kind = GNT_PLUGIN_DEFENSE,
                                    .id = "puppet",
                                    .create = create,
                                    .destroy = destroy,
                                    .defense = &hooks};

static gnt_instance *open_with(gnt_instance_spec spec) {
    gnt_params none = {0};
    gnt_instance *i;
    gnt_err err = {0};
    spec.descriptor = &descriptor;
    spec.params = &none;
    if (gnt_instance_new(&i, &spec, NULL, &err))
        fail_msg("%s", err.text);
    return i;
}

static gnt_instance *open_seed(uint64_t seed) {
    return open_with((gnt_instance_spec){.key = gnt_key_of_seed(seed)});
}

static gnt_status call(gnt_instance *i, gnt_status (*what)(puppet *self), gnt_err *err) {
    act = what;
    gnt_instance_enter(i, "transform_update");
    gnt_status s = gnt_instance_defense(i)->transform_update(gnt_instance_self(i), NULL, NULL);
    return gnt_instance_leave(i, s, err);
}

static puppet *self_of(gnt_instance *i) {
    return gnt_instance_self(i);
}

/* ---- streams ---- */

static gnt_status draw(puppet *p) {
    float x[3];
    double u;
    p->host->normal(p->host->context, "noise", 3, x);
    p->host->uniform(p->host->context, "other", 1, &u);
    p->total = p->total * 3 + x[0] + 2.0 * x[1] + 4.0 * x[2] + u +
               (double)p->host->below(p->host->context, "dice", 1000);
    return GNT_OK;
}

static gnt_status draw_one_by_one(puppet *p) {
    float x[3], l;
    double u;
    p->host->uniform(p->host->context, "other", 1, &u); /* another order of names must not matter */
    for (int i = 0; i < 3; i++) {
        p->host->normal(p->host->context, "noise", 1, &x[i]);
        p->host->laplace(p->host->context, "unrelated", 1, &l);
    }
    p->total = p->total * 3 + x[0] + 2.0 * x[1] + 4.0 * x[2] + u +
               (double)p->host->below(p->host->context, "dice", 1000);
    return GNT_OK;
}

static void a_name_continues_and_names_are_independent(void **state) {
    (void)state;
    gnt_instance *a = open_seed(1), *b = open_seed(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(call(a, draw, NULL), GNT_OK);
        assert_int_equal(call(b, draw_one_by_one, NULL), GNT_OK);
        assert_true(self_of(a)->total == self_of(b)->total);
    }
    double after = self_of(a)->total;
    self_of(a)->total = 0;
    call(a, draw, NULL);
    assert_true(self_of(a)->total != after); /* the numbers went on, they did not begin again */
    gnt_instance_free(a);
    gnt_instance_free(b);
}

/* The numbers are those of the key's own stream of that name, so another role's key gives others. */
static void numbers_are_the_keys_own(void **state) {
    (void)state;
    gnt_key run = gnt_key_of_seed(5),
            roles[2] = {gnt_key_derive(&run, "defense"), gnt_key_derive(&run, "attack")};
    double total[2];
    for (int r = 0; r < 2; r++) {
        gnt_instance *i = open_with((gnt_instance_spec){.key = roles[r]});
        call(i, draw, NULL);
        total[r] = self_of(i)->total;
        gnt_stream noise = gnt_stream_open(&roles[r], "noise"), other = gnt_stream_open(&roles[r], "other"),
                   dice = gnt_stream_open(&roles[r], "dice");
        double expected = 0, weight = 1;
        for (int k = 0; k < 3; k++, weight *= 2)
            expected += weight * (float)gnt_random_normal(&noise);
        expected += gnt_random_uniform(&other);
        expected += (double)gnt_random_below(&dice, 1000);
        assert_true(total[r] == expected);
        gnt_instance_free(i);
    }
    assert_true(total[0] != total[1]);
}

static gnt_status draw_nameless(puppet *p) {
    float x = 7;
    p->host->normal(p->host->context, NULL, 1, &x);
    return x == 0 ? GNT_OK : GNT_FAILED;
}

/* Zeros that pass for noise would be a leak, so the hook fails even if it says OK. */
static void a_stream_that_cannot_be_had_fails_the_hook(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_instance *i = open_seed(1);
    assert_int_equal(call(i, draw_nameless, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "random stream"));
    assert_int_equal(call(i, draw, NULL), GNT_OK);
    gnt_instance_free(i);
}

static void interleaved_instances_are_as_alone(void **state) {
    (void)state;
    double alone[2];
    for (int k = 0; k < 2; k++) {
        gnt_instance *i = open_seed(10 + (uint64_t)k);
        for (int round = 0; round < 4; round++)
            call(i, draw, NULL);
        alone[k] = self_of(i)->total;
        gnt_instance_free(i);
    }
    gnt_instance *a = open_seed(10), *b = open_seed(11);
    for (int round = 0; round < 4; round++) {
        call(round % 2 ? b : a, draw, NULL);
        call(round % 2 ? a : b, draw, NULL);
    }
    assert_true(self_of(a)->total == alone[0] && self_of(b)->total == alone[1]);
    gnt_instance_free(b);
    gnt_instance_free(a);
}

/* ---- scratch ---- */

static gnt_status take_much(puppet *p) {
    unsigned char *block[3];
    for (int i = 0; i < 3; i++) {
        block[i] = p->host->scratch(p->host->context, 300);
        if (!block[i] || (uintptr_t)block[i] % 64)
            return (p->host->fail)(p->host->context, "scratch is missing or not aligned");
        for (int k = 0; k < 300; k++)
            if (block[i][k])
                return (p->host->fail)(p->host->context, "scratch is not zeroed");
        memset(block[i], 255, 300);
    }
    if (p->host->scratch(p->host->context, 200) || p->host->scratch(p->host->context, SIZE_MAX - 10))
        return (p->host->fail)(p->host->context, "scratch beyond the limit");
    p->of_life[0] = 1; /* still there: it lives as long as the instance (the sanitizer watches) */
    return GNT_OK;
}

static void scratch_is_zeroed_bounded_and_freed(void **state) {
    (void)state;
    gnt_instance *i = open_with((gnt_instance_spec){.memory = 64 + 3 * 300 + 100});
    for (int round = 0; round < 5; round++) { /* it would not fit twice if it were not freed */
        gnt_err err = {0};
        if (call(i, take_much, &err) != GNT_OK)
            fail_msg("%s", err.text);
    }
    assert_int_equal(gnt_instance_peak_scratch(i), 64 + 3 * 300);
    gnt_instance_free(i);
}

/* ---- statuses ---- */

static gnt_status fail_well(puppet *p) {
    return (p->host->fail)(p->host->context, "the clip must\tbe positive");
}
static gnt_status fail_silently(puppet *p) {
    (void)p;
    return GNT_FAILED;
}
static gnt_status not_supported(puppet *p) {
    (p->host->fail)(p->host->context, "it needs labels");
    return GNT_UNSUPPORTED;
}
static gnt_status odd_status(puppet *p) {
    (void)p;
    return 77;
}
static gnt_status stop_unasked(puppet *p) {
    (void)p;
    return GNT_STOPPED;
}
static gnt_status say_and_go_on(puppet *p) {
    (p->host->fail)(p->host->context, "never mind");
    return GNT_OK;
}

static void statuses_become_sentences(void **state) {
    (void)state;
    static const struct {
        gnt_status (*act)(puppet *);
        gnt_status expected;
        const char *word;
    } cases[] = {{fail_well, GNT_FAILED, "defense puppet: transform_update: the clip must?be positive"},
                 {fail_silently, GNT_FAILED, "without calling host->fail"},
                 {not_supported, GNT_UNSUPPORTED, "it needs labels"},
                 {odd_status, GNT_FAILED, "77"},
                 {stop_unasked, GNT_FAILED, "without a request to stop"},
                 {say_and_go_on, GNT_OK, ""}};
    gnt_instance *i = open_seed(1);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        gnt_err err = {0};
        assert_int_equal(call(i, cases[k].act, &err), cases[k].expected);
        if (!strstr(err.text, cases[k].word))
            fail_msg("%s", err.text);
    }
    gnt_instance_free(i);
}

static void a_create_that_fails_says_why(void **state) {
    (void)state;
    gnt_params none = {0};
    gnt_instance *i;
    gnt_status status;
    gnt_err err = {0};
    gnt_instance_spec spec = {.descriptor = &descriptor, .params = &none};
    refuse_create = 1;
    int before = destroyed;
    assert_int_equal(gnt_instance_new(&i, &spec, &status, &err), -1);
    assert_int_equal(status, GNT_FAILED);
    assert_non_null(strstr(err.text, "create: no thanks?not today"));
    assert_int_equal(destroyed, before); /* there is nothing to destroy */
    refuse_create = 0;
    static const char *const services[] = {"crystal-ball", NULL};
    gnt_descriptor needy = descriptor;
    needy.services = services;
    spec.descriptor = &needy;
    assert_int_equal(gnt_instance_new(&i, &spec, &status, &err), -1);
    assert_int_equal(status, GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "crystal-ball"));
}

static int stop_now;

static int should_stop(void *context) {
    (void)context;
    return stop_now;
}

static gnt_status poll_until_stopped(puppet *p) {
    for (;;)
        if (p->host->should_stop(p->host->context))
            return GNT_STOPPED;
}

static gnt_status answer_after_stop(puppet *p) {
    stop_now = 1;
    p->host->should_stop(p->host->context);
    stop_now = 0; /* a stop does not go away */
    return GNT_OK;
}

static void an_answer_after_a_stop_is_none(void **state) {
    (void)state;
    gnt_err err = {0};
    stop_now = 0;
    gnt_instance *i = open_with((gnt_instance_spec){.should_stop = should_stop});
    assert_int_equal(call(i, draw, NULL), GNT_OK);
    assert_int_equal(call(i, answer_after_stop, &err), GNT_STOPPED);
    assert_int_equal(call(i, draw, &err), GNT_STOPPED);
    gnt_instance_free(i);
    i = open_with((gnt_instance_spec){.seconds = 0.01});
    assert_int_equal(call(i, poll_until_stopped, &err), GNT_STOPPED);
    gnt_instance_free(i);
}

/* ---- facts ---- */

static gnt_status report(puppet *p) {
    const gnt_host *h = p->host;
    h->fact(h->context, "zeta", 1);
    h->fact(h->context, "alpha", p->total);
    h->fact(h->context, "broken", NAN);
    p->total += 1;
    return GNT_OK;
}

static gnt_status report_capitals(puppet *p) {
    p->host->fact(p->host->context, "Epsilon", 1);
    return GNT_OK;
}

static void a_fact_that_cannot_be_stored_fails_its_hook(void **state) {
    (void)state;
    gnt_instance *i = open_seed(1);
    const gnt_fact *facts;
    gnt_err err = {""};
    assert_int_equal(call(i, report_capitals, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "the fact \"Epsilon\" has an invalid name"));
    assert_int_equal(gnt_instance_facts(i, &facts), 0);
    gnt_instance_free(i);
}

static void facts_are_averaged_and_sorted(void **state) {
    (void)state;
    gnt_instance *i = open_seed(1);
    const gnt_fact *facts;
    assert_int_equal(gnt_instance_facts(i, &facts), 0);
    for (int k = 0; k < 4; k++)
        call(i, report, NULL);
    assert_int_equal(gnt_instance_facts(i, &facts), 2); /* NaN alone is no fact */
    assert_string_equal(facts[0].name, "alpha");
    assert_true(facts[0].mean == 1.5 && facts[0].n == 4);
    assert_string_equal(facts[1].name, "zeta");
    assert_true(facts[1].mean == 1);
    gnt_instance_free(i);
}

/* ---- times ---- */

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gnt_status take_a_millisecond(puppet *p) {
    (void)p;
    for (const double begun = seconds_now(); seconds_now() - begun < 1e-3;)
        ;
    return GNT_OK;
}

static gnt_status break_off(puppet *p) {
    return (p->host->fail)(p->host->context, "no");
}

/* Inside the hook and nowhere else: between what the hook itself waited and what passed around it. */
static void a_hooks_time_is_that_inside_it(void **state) {
    (void)state;
    const double begun = seconds_now();
    gnt_instance *i = open_seed(1);
    const gnt_hook_time *time;
    assert_int_equal(gnt_instance_times(i, &time), 1);
    assert_string_equal(time[0].hook, "create");
    assert_true(time[0].calls == 1 && time[0].seconds >= 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(call(i, take_a_millisecond, NULL), GNT_OK);
    gnt_err err = {0};
    assert_int_equal(call(i, break_off, &err), GNT_FAILED);
    const double around = seconds_now() - begun;
    assert_int_equal(gnt_instance_times(i, &time), 2);
    assert_string_equal(time[1].hook, "transform_update");
    assert_int_equal(time[1].calls, 4); /* the one that failed too */
    assert_true(time[1].seconds >= 3e-3);
    assert_true(time[0].seconds + time[1].seconds <= around);
    gnt_instance_free(i);
}

static char last_log[200];

static void keep_log(void *context, int32_t level, const char *text) {
    (void)context;
    last_log[0] = (char)('0' + level);
    strncpy(last_log + 1, text, sizeof last_log - 2);
}

static gnt_status log_escape(puppet *p) {
    p->host->log(p->host->context, 99, "red \x1b[31m text");
    return GNT_OK;
}

static void logs_are_clean(void **state) {
    (void)state;
    gnt_instance *i = open_with((gnt_instance_spec){.log = keep_log});
    call(i, log_escape, NULL);
    assert_string_equal(last_log, "2puppet: red ?[31m text");
    gnt_instance_free(i);
}

/* ---- an instance that the host makes ---- */

static const char *const shapes[] = {"round", "square", NULL};

typedef struct filled {
    const gnt_host *host;
    double rate, *room; /* room: taken in start */
    struct {
        int64_t count;
    } inner;
    int64_t flag, shape;
    const char *note, *judge;
    gnt_list cuts, marks;
} filled;

static const gnt_parameter rows[] = {
    GNT_STRENGTH_REAL(filled, rate, 0, 10, 0.5, GNT_SCALE_LOG, -1, "", "a rate"),
    GNT_INT_ID("count", filled, inner.count, -9, 9, 3, "steps", "a member within a member"),
    GNT_BOOL(filled, flag, 1, "a flag"),
    GNT_CHOICE(filled, shape, shapes, "square", "a shape"),
    GNT_TEXT(filled, note, "none", "a note"),
    GNT_MODEL(filled, judge, "", "a model"),
    GNT_REAL_LIST(filled, cuts, 0, 1, "[0.25,0.5]", "", "cuts"),
    GNT_INT_LIST(filled, marks, 0, 9, "[]", "", "marks"),
};
enum { ROWS = sizeof rows / sizeof *rows };

static int started, stopped;
static gnt_status start_says;

static gnt_status start(void *self) {
    filled *f = self;
    started++;
    f->room = gnt_host_scratch(f->host, 2, sizeof *f->room);
    assert_non_null(f->room);
    assert_null(gnt_host_scratch(f->host, -1, sizeof *f->room));
    assert_null(gnt_host_scratch(f->host, INT64_MAX, sizeof *f->room));
    f->room[1] = f->rate;
    return start_says == GNT_OK ? GNT_OK : gnt_host_fail(f->host, "not with this shape");
}

static void stop(void *self) {
    const filled *f = self;
    stopped++;
    assert_true(f->room[1] == f->rate); /* the members and the scratch of start live until now */
}

static gnt_descriptor filling = {
    GNT_DEFENSE("filled", "1", "a line", "MIT", ""), GNT_PARAMETERS(rows), .defense = &hooks,
    .instance_size = GNT_INSTANCE(filled),           .start = start,       .stop = stop};

static int open_filled(gnt_instance **i, const char *json, size_t memory, gnt_status *status, gnt_err *err) {
    gnt_params params;
    started = stopped = 0;
    if (gnt_params_parse(&params, rows, ROWS, "test", json, err))
        fail_msg("%s", err->text);
    gnt_instance_spec spec = {.descriptor = &filling, .params = &params, .memory = memory};
    const int rc = gnt_instance_new(i, &spec, status, err);
    gnt_params_free(&params);
    return rc;
}

static void the_host_fills_the_members(void **state) {
    (void)state;
    gnt_instance *i;
    gnt_err err = {0};
    gnt_status status;
    start_says = GNT_OK;
    if (open_filled(&i, NULL, 0, &status, &err))
        fail_msg("%s", err.text);
    const filled *f = gnt_instance_self(i);
    assert_true((uintptr_t)f % 64 == 0 && started == 1 && status == GNT_OK);
    assert_true(f->rate == 0.5 && f->inner.count == 3 && f->flag == 1 && f->shape == 1);
    assert_string_equal(f->note, "none");
    assert_string_equal(f->judge, "");
    assert_true(f->cuts.n == 2 && f->cuts.at[0] == 0.25 && f->cuts.at[1] == 0.5 && f->marks.n == 0);
    assert_true(gnt_host_should_stop(f->host) == 0);
    gnt_instance_free(i);
    assert_int_equal(stopped, 1);
    const char *json = "{\"rate\":2,\"count\":-4,\"flag\":false,\"shape\":\"round\",\"note\":\"hm\","
                       "\"judge\":\"net\",\"cuts\":[],\"marks\":[1,2,3]}";
    if (open_filled(&i, json, 0, &status, &err))
        fail_msg("%s", err.text);
    f = gnt_instance_self(i);
    assert_true(f->rate == 2 && f->inner.count == -4 && f->flag == 0 && f->shape == 0);
    assert_string_equal(f->note, "hm");
    assert_string_equal(f->judge, "net");
    assert_true(f->cuts.n == 0 && f->marks.n == 3 && f->marks.at[2] == 3);
    gnt_instance_free(i);
}

static void a_start_that_fails_is_followed_by_stop(void **state) {
    (void)state;
    gnt_instance *i;
    gnt_err err = {0};
    gnt_status status;
    start_says = GNT_FAILED;
    assert_int_equal(open_filled(&i, NULL, 0, &status, &err), -1);
    assert_null(i);
    assert_true(status == GNT_FAILED && started == 1 && stopped == 1);
    assert_string_equal(err.text, "defense filled: start: not with this shape");
    start_says = GNT_OK;
}

static void an_instance_counts_against_the_memory(void **state) {
    (void)state;
    gnt_instance *i;
    gnt_err err = {0};
    gnt_status status;
    assert_int_equal(open_filled(&i, NULL, sizeof(filled) - 1, &status, &err), -1);
    assert_true(status == GNT_FAILED && started == 0 && stopped == 0);
    assert_non_null(strstr(err.text, "does not fit in the memory limit"));
    assert_int_equal(open_filled(&i, NULL, sizeof(filled) + 16, &status, &err), 0);
    gnt_instance_free(i);
}

static void start_and_stop_are_optional(void **state) {
    (void)state;
    gnt_instance *i;
    gnt_err err = {0};
    gnt_status status;
    filling.start = NULL;
    filling.stop = NULL;
    assert_int_equal(open_filled(&i, NULL, 0, &status, &err), 0);
    const gnt_hook_time *time;
    assert_int_equal(gnt_instance_times(i, &time), 0);
    assert_true(((const filled *)gnt_instance_self(i))->rate == 0.5);
    gnt_instance_free(i);
    filling.start = start;
    filling.stop = stop;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_continues_and_names_are_independent),
        cmocka_unit_test(numbers_are_the_keys_own),
        cmocka_unit_test(a_stream_that_cannot_be_had_fails_the_hook),
        cmocka_unit_test(interleaved_instances_are_as_alone),
        cmocka_unit_test(scratch_is_zeroed_bounded_and_freed),
        cmocka_unit_test(statuses_become_sentences),
        cmocka_unit_test(a_create_that_fails_says_why),
        cmocka_unit_test(an_answer_after_a_stop_is_none),
        cmocka_unit_test(facts_are_averaged_and_sorted),
        cmocka_unit_test(a_hooks_time_is_that_inside_it),
        cmocka_unit_test(a_fact_that_cannot_be_stored_fails_its_hook),
        cmocka_unit_test(logs_are_clean),
        cmocka_unit_test(the_host_fills_the_members),
        cmocka_unit_test(a_start_that_fails_is_followed_by_stop),
        cmocka_unit_test(an_instance_counts_against_the_memory),
        cmocka_unit_test(start_and_stop_are_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
