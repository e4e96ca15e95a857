/* Messages between a training and the processes of its hooks: what is written is what is read, to the byte;
 * what is cut off, lies about its length or comes from an end that is gone is refused, with a sentence. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "job/side/frame.h"

enum { OP = 7, MOST = 1 << 20 };

static int end[2];

static int connect_ends(void **state) {
    (void)state;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, end);
}

static int close_ends(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        if (end[i] >= 0)
            close(end[i]);
    return 0;
}

static gnt_frame_connection line_of(int fd, size_t most) {
    return (gnt_frame_connection){.fd = fd, .most = most};
}

static void must_send(const gnt_frame *f) {
    const gnt_frame_connection line = line_of(end[0], MOST);
    gnt_err err = {0};
    if (gnt_frame_send(&line, f, &err) != 0)
        fail_msg("%s", err.text);
}

static void must_receive(gnt_frame *f) {
    const gnt_frame_connection line = line_of(end[1], MOST);
    gnt_err err = {0};
    if (gnt_frame_receive(&line, f, &err) != 0)
        fail_msg("%s", err.text);
}

/* Receives what is refused; the sentence must say `words`. */
static void must_refuse(size_t most, const char *words) {
    const gnt_frame_connection line = line_of(end[1], most);
    gnt_frame f = {0};
    gnt_err err = {0};
    assert_int_equal(gnt_frame_receive(&line, &f, &err), -1);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    gnt_frame_free(&f);
}

/* ---- fields ---- */

static void every_kind_of_field_comes_back(void **state) {
    static const float floats[5] = {1.5f, -0.0f, 3e38f, 1e-44f, 2};
    static const int64_t wholes[3] = {INT64_MIN, 0, INT64_MAX};
    static const char raw[13] = "thirteen byte";
    (void)state;
    gnt_frame out = {0}, in = {0};
    gnt_frame_begin(&out, OP);
    gnt_frame_put_int(&out, INT64_MIN);
    gnt_frame_put_real(&out, -0.1);
    gnt_frame_put_text(&out, "a sentence");
    gnt_frame_put_text(&out, "");
    gnt_frame_put_text(&out, NULL);
    gnt_frame_put(&out, raw, sizeof raw);
    gnt_frame_put_array(&out, floats, 5, sizeof *floats);
    gnt_frame_put_array(&out, wholes, 3, sizeof *wholes);
    gnt_frame_put_int(&out, 4);
    assert_false(out.bad);
    must_send(&out);
    must_receive(&in);
    assert_int_equal(in.op, OP);
    assert_int_equal(in.n, out.n);
    assert_memory_equal(in.bytes, out.bytes, out.n);
    assert_true(gnt_frame_get_int(&in) == INT64_MIN);
    assert_true(gnt_frame_get_real(&in) == -0.1);
    assert_string_equal(gnt_frame_get_text(&in), "a sentence");
    assert_string_equal(gnt_frame_get_text(&in), "");
    assert_string_equal(gnt_frame_get_text(&in), "");
    assert_memory_equal(gnt_frame_get(&in, sizeof raw), raw, sizeof raw);
    assert_memory_equal(gnt_frame_get_array(&in, 5, sizeof *floats), floats, sizeof floats);
    assert_memory_equal(gnt_frame_get_array(&in, 3, sizeof *wholes), wholes, sizeof wholes);
    assert_int_equal(gnt_frame_get_int(&in), 4);
    assert_false(in.bad);
    assert_int_equal(in.at, in.n);
    gnt_frame_free(&out);
    gnt_frame_free(&in);
}

static void an_array_that_is_not_there_is_not_an_empty_one(void **state) {
    static const float one = 1;
    (void)state;
    gnt_frame f = {0};
    gnt_frame_begin(&f, OP);
    gnt_frame_put_array(&f, NULL, 9, sizeof one);
    gnt_frame_put_array(&f, &one, 0, sizeof one);
    gnt_frame_put_array(&f, &one, 1, sizeof one);
    assert_null(gnt_frame_get_array(&f, 9, sizeof one));
    assert_false(f.bad);
    assert_non_null(gnt_frame_get_array(&f, 0, sizeof one));
    assert_false(f.bad);
    assert_memory_equal(gnt_frame_get_array(&f, 1, sizeof one), &one, sizeof one);
    assert_false(f.bad);
    gnt_frame_free(&f);
}

/* Whatever was written before it, a field begins where any type may lie, and the bytes between fields are
 * zeros. */
static void fields_are_aligned_and_padded_with_zeros(void **state) {
    static const char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    gnt_frame f = {0};
    for (size_t n = 0; n <= sizeof bytes; n++) {
        gnt_frame_begin(&f, OP);
        gnt_frame_put(&f, bytes, n);
        gnt_frame_put_real(&f, 2.5);
        assert_int_equal(f.n, (n + 7) / 8 * 8 + 8);
        for (size_t i = n; i < f.n - 8; i++)
            assert_int_equal(f.bytes[i], 0);
        assert_non_null(gnt_frame_get(&f, n));
        assert_int_equal((uintptr_t)(f.bytes + f.at) % 8, 0);
        assert_true(gnt_frame_get_real(&f) == 2.5);
        assert_false(f.bad);
    }
    gnt_frame_free(&f);
}

/* A longer message before a shorter one leaves nothing of itself. */
static void a_frame_is_used_again(void **state) {
    static const char bytes[300] = {1};
    (void)state;
    gnt_frame out = {0}, in = {0};
    for (size_t n = sizeof bytes; n > 0; n -= 100) {
        gnt_frame_begin(&out, n);
        gnt_frame_put(&out, bytes, n);
        must_send(&out);
        must_receive(&in);
        assert_int_equal(in.op, n);
        assert_int_equal(in.n, (n + 7) / 8 * 8);
        assert_non_null(gnt_frame_get(&in, n));
        assert_int_equal(gnt_frame_get_int(&in), 0);
        assert_true(in.bad);
    }
    gnt_frame_free(&out);
    gnt_frame_free(&in);
}

/* ---- what lies ---- */

static void a_field_beyond_the_end_stays_bad(void **state) {
    (void)state;
    gnt_frame f = {0};
    gnt_frame_begin(&f, OP);
    gnt_frame_put_int(&f, 5);
    assert_null(gnt_frame_get(&f, 9));
    assert_true(f.bad);
    /* the eight bytes are there, but the frame is not to be trusted any more */
    assert_int_equal(gnt_frame_get_int(&f), 0);
    assert_true(gnt_frame_get_real(&f) == 0);
    assert_string_equal(gnt_frame_get_text(&f), "");
    assert_null(gnt_frame_get_array(&f, 0, 1));
    gnt_frame_begin(&f, OP);
    assert_false(f.bad);
    assert_null(gnt_frame_get(&f, SIZE_MAX));
    assert_true(f.bad);
    gnt_frame_free(&f);
}

static void arrays_of_another_length_are_bad(void **state) {
    static const struct {
        int64_t sent, expected;
        size_t size;
    } lies[] = {{4, 3, 4},
                {2, 3, 4},
                {3, 3, 8},
                {-2, -2, 4},
                {INT64_MAX, INT64_MAX, 8},
                {INT64_MIN, 0, 4},
                {1 << 30, 1 << 30, 4},
                {0, 1, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        gnt_frame f = {0};
        gnt_frame_begin(&f, OP);
        gnt_frame_put_int(&f, lies[i].sent);
        gnt_frame_put_int(&f, 0);
        gnt_frame_put_int(&f, 0);
        assert_null(gnt_frame_get_array(&f, lies[i].expected, lies[i].size));
        assert_true(f.bad);
        gnt_frame_free(&f);
    }
}

static void texts_end_where_they_say(void **state) {
    static const int64_t lengths[] = {0, -1, 9, INT64_MAX, INT64_MIN, 4};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        gnt_frame f = {0};
        gnt_frame_begin(&f, OP);
        gnt_frame_put_int(&f, lengths[i]);
        gnt_frame_put(&f, "eight by", 8); /* without the zero at the end */
        assert_string_equal(gnt_frame_get_text(&f), "");
        assert_true(f.bad);
        gnt_frame_free(&f);
    }
}

/* A message that could not be written whole is not sent. */
static void what_was_too_large_to_write_is_not_sent(void **state) {
    const gnt_frame_connection line = line_of(end[0], MOST);
    (void)state;
    gnt_frame f = {0};
    gnt_err err = {0};
    gnt_frame_begin(&f, OP);
    gnt_frame_put(&f, "x", SIZE_MAX);
    assert_true(f.bad);
    assert_int_equal(gnt_frame_send(&line, &f, &err), -1);
    assert_non_null(strstr(err.text, "memory"));
    gnt_frame_free(&f);
}

static void a_message_above_the_limit_is_refused(void **state) {
    (void)state;
    static const uint8_t bytes[64];
    gnt_frame f = {0};
    gnt_frame_begin(&f, OP);
    gnt_frame_put(&f, bytes, sizeof bytes);
    must_send(&f);
    must_refuse(sizeof bytes - 8, "64 bytes, expected at most 56");
    gnt_frame_free(&f);
}

static void odd_and_enormous_lengths_are_refused(void **state) {
    static const uint64_t lengths[] = {9, UINT64_MAX, UINT64_MAX - 7, MOST + 8};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint64_t head[2] = {OP, lengths[i]};
        assert_int_equal(write(end[0], head, sizeof head), sizeof head);
        must_refuse(MOST, "expected at most");
    }
}

/* ---- the other end ---- */

static void an_end_that_is_gone_is_reported(void **state) {
    const uint64_t head[2] = {OP, 64};
    (void)state;
    assert_int_equal(write(end[0], head, sizeof head), sizeof head);
    assert_int_equal(write(end[0], head, 3), 3); /* of 64 */
    close(end[0]);
    end[0] = -1;
    must_refuse(MOST, "has ended");
    must_refuse(MOST, "has ended");
}

static void sending_to_an_end_that_is_gone_fails(void **state) {
    const gnt_frame_connection line = line_of(end[0], MOST);
    (void)state;
    gnt_frame f = {0};
    gnt_err err = {0};
    close(end[1]);
    end[1] = -1;
    gnt_frame_begin(&f, OP);
    gnt_frame_put_int(&f, 1);
    assert_int_equal(gnt_frame_send(&line, &f, &err), -1);
    assert_non_null(strstr(err.text, "has ended"));
    gnt_frame_free(&f);
}

static int stop_at_the_third(void *context) {
    return ++*(int *)context >= 3;
}

static void waiting_ends_on_request(void **state) {
    int looks = 0;
    const gnt_frame_connection line = {
        .fd = end[1], .most = MOST, .should_stop = stop_at_the_third, .context = &looks};
    (void)state;
    gnt_frame f = {0};
    gnt_err err = {0};
    assert_int_equal(gnt_frame_receive(&line, &f, &err), -1);
    assert_string_equal(err.text, "stopped");
    assert_int_equal(looks, 3);
    gnt_frame_free(&f);
}

/* Nobody reads: what does not fit into the socket waits, and the wait can be ended as well. */
static void sending_ends_on_request(void **state) {
    enum { LARGE = 16 << 20 };
    static uint8_t bytes[LARGE];
    int looks = 0;
    const gnt_frame_connection line = {
        .fd = end[0], .most = LARGE, .should_stop = stop_at_the_third, .context = &looks};
    (void)state;
    gnt_frame f = {0};
    gnt_err err = {0};
    gnt_frame_begin(&f, OP);
    gnt_frame_put(&f, bytes, sizeof bytes);
    alarm(20); /* without it a wait without end would end nowhere */
    assert_int_equal(gnt_frame_send(&line, &f, &err), -1);
    alarm(0);
    assert_string_equal(err.text, "stopped");
    gnt_frame_free(&f);
}

#define WITH_ENDS(test) cmocka_unit_test_setup_teardown(test, connect_ends, close_ends)

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        WITH_ENDS(every_kind_of_field_comes_back),
        cmocka_unit_test(an_array_that_is_not_there_is_not_an_empty_one),
        cmocka_unit_test(fields_are_aligned_and_padded_with_zeros),
        WITH_ENDS(a_frame_is_used_again),
        cmocka_unit_test(a_field_beyond_the_end_stays_bad),
        cmocka_unit_test(arrays_of_another_length_are_bad),
        cmocka_unit_test(texts_end_where_they_say),
        WITH_ENDS(what_was_too_large_to_write_is_not_sent),
        WITH_ENDS(a_message_above_the_limit_is_refused),
        WITH_ENDS(odd_and_enormous_lengths_are_refused),
        WITH_ENDS(an_end_that_is_gone_is_reported),
        WITH_ENDS(sending_to_an_end_that_is_gone_fails),
        WITH_ENDS(waiting_ends_on_request),
        WITH_ENDS(sending_ends_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
