/* A memo: what an instance finds after its process was killed. A record that was torn, changed or written
 * for another job ends what is found, and is written over. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "plugin/memo.h"

static const gnt_digest first = {{1}}, second = {{2}};
static uint8_t keys[4][GNT_MEMO_KEY] = {"a", "b", "c", "d"};

static int new_file(void) {
    const int fd = memfd_create("memo", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static gnt_memo_file opened(int fd, const char *job) {
    gnt_memo_file f;
    gnt_err err;
    assert_int_equal(gnt_memo_file_open(&f, fd, job, &err), 0);
    return f;
}

static size_t size_of(int fd) {
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    return (size_t)st.st_size;
}

/* Writes a batch of two values, one value, and one without bytes. Returns the places where records begin. */
static void write_three(int fd, const char *job, size_t at[4]) {
    gnt_memo_file f = opened(fd, job);
    gnt_memo_table *t = gnt_memo_table_new(&f, &first);
    at[0] = 0;
    assert_int_equal(gnt_memo_put(t, 2, keys[0], "onetwo", 3), 0);
    at[1] = size_of(fd);
    assert_int_equal(gnt_memo_put(t, 1, keys[2], "three and more", 14), 0);
    at[2] = size_of(fd);
    assert_int_equal(gnt_memo_put(t, 1, keys[3], NULL, 0), 0);
    at[3] = size_of(fd);
    gnt_memo_table_free(t);
    gnt_memo_file_close(&f);
}

/* Returns how many values an instance finds. */
static int64_t found_in(int fd, const char *job, const gnt_digest *instance) {
    gnt_memo_file f = opened(fd, job);
    gnt_memo_table *t = gnt_memo_table_new(&f, instance);
    const int64_t n = gnt_memo_size(t);
    assert_int_equal(gnt_memo_used(t), 0);
    gnt_memo_table_free(t);
    gnt_memo_file_close(&f);
    return n;
}

static void values_outlive_the_process(void **state) {
    size_t at[4];
    int64_t count;
    int is_new;
    (void)state;
    const int fd = new_file();
    write_three(fd, "job", at);
    gnt_memo_file f = opened(fd, "job");
    gnt_memo_table *t = gnt_memo_table_new(&f, &first);
    const char *value = gnt_memo_find(t, keys[1], &count, &is_new);
    assert_memory_equal(value, "two", 3);
    assert_int_equal((uintptr_t)value % 8, 0);
    assert_int_equal(count, 3);
    assert_int_equal(is_new, 1);
    assert_non_null(gnt_memo_find(t, keys[1], &count, &is_new));
    assert_int_equal(is_new, 0);
    assert_non_null(gnt_memo_find(t, keys[3], &count, &is_new));
    assert_int_equal(count, 0);
    assert_int_equal(gnt_memo_used(t), 2);
    assert_null(gnt_memo_find(t, (const uint8_t *)"another key here", &count, &is_new));

    /* a value stays as it is; its own are never new */
    assert_int_equal(gnt_memo_put(t, 1, keys[1], "xxx", 3), 0);
    assert_memory_equal(gnt_memo_find(t, keys[1], &count, &is_new), "two", 3);
    assert_int_equal(gnt_memo_put(t, 1, (const uint8_t *)"another key here", "v", 1), 0);
    assert_non_null(gnt_memo_find(t, (const uint8_t *)"another key here", &count, &is_new));
    assert_int_equal(is_new, 0);
    assert_int_equal(gnt_memo_size(t), 5);

    /* a training that goes on from an earlier round has found the first ones alone */
    assert_int_equal(gnt_memo_set_used(t, 6), -1);
    assert_int_equal(gnt_memo_set_used(t, 1), 0);
    assert_non_null(gnt_memo_find(t, keys[0], &count, &is_new));
    assert_int_equal(is_new, 0);
    assert_non_null(gnt_memo_find(t, keys[2], &count, &is_new));
    assert_int_equal(is_new, 1);
    gnt_memo_table_free(t);
    gnt_memo_file_close(&f);
    close(fd);
}

static void instances_and_jobs_are_apart(void **state) {
    size_t at[4];
    (void)state;
    const int fd = new_file();
    write_three(fd, "job", at);
    assert_int_equal(found_in(fd, "job", &first), 4);
    assert_int_equal(found_in(fd, "job", &second), 0);
    assert_int_equal(found_in(fd, "other", &first), 0);
    write_three(fd, "other", at); /* over what does not count */
    assert_int_equal(found_in(fd, "other", &first), 4);
    assert_int_equal(found_in(fd, "job", &first), 0);
    close(fd);
}

/* The values of whole records in front of the byte. */
static int64_t in_front_of(const size_t at[4], size_t byte) {
    return byte >= at[3] ? 4 : byte >= at[2] ? 3 : byte >= at[1] ? 2 : 0;
}

static void a_torn_record_ends_it(void **state) {
    size_t at[4];
    (void)state;
    const int fd = new_file();
    write_three(fd, "job", at);
    for (size_t size = at[3]; size-- > 0;) {
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        assert_int_equal(found_in(fd, "job", &first), in_front_of(at, size));
    }
    close(fd);
}

static void a_changed_byte_ends_it(void **state) {
    size_t at[4];
    (void)state;
    for (int by = 1; by <= 0x80; by *= 0x80) {
        const int fd = new_file();
        write_three(fd, "job", at);
        for (size_t i = 0; i < at[3]; i++) {
            uint8_t byte, changed;
            assert_int_equal(pread(fd, &byte, 1, (off_t)i), 1);
            changed = byte ^ (uint8_t)by;
            assert_int_equal(pwrite(fd, &changed, 1, (off_t)i), 1);
            assert_int_equal(found_in(fd, "job", &first), in_front_of(at, i));
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)i), 1);
        }
        close(fd);
    }
}

static void it_is_written_from_the_end_of_what_counts(void **state) {
    size_t at[4];
    (void)state;
    const int fd = new_file();
    write_three(fd, "job", at);
    assert_int_equal(ftruncate(fd, (off_t)at[2] - 1), 0); /* in the second record */
    gnt_memo_file f = opened(fd, "job");
    gnt_memo_table *t = gnt_memo_table_new(&f, &first);
    assert_int_equal(gnt_memo_put(t, 1, keys[3], "4", 1), 0);
    gnt_memo_table_free(t);
    gnt_memo_file_close(&f);
    assert_int_equal(found_in(fd, "job", &first), 3);
    close(fd);
}

static void without_a_file_it_is_in_memory(void **state) {
    int64_t count;
    int is_new;
    (void)state;
    const int read_only = open("/dev/null", O_RDONLY | O_CLOEXEC);
    gnt_memo_file f = opened(read_only, "job");
    gnt_memo_table *with[2] = {gnt_memo_table_new(NULL, &first), gnt_memo_table_new(&f, &first)};
    for (int k = 0; k < 2; k++) {
        uint8_t key[GNT_MEMO_KEY] = {0};
        for (int i = 0; i < 1000; i++) {
            memcpy(key, &i, sizeof i);
            assert_int_equal(gnt_memo_put(with[k], 1, key, &i, sizeof i), 0);
        }
        for (int i = 0; i < 1000; i++) {
            memcpy(key, &i, sizeof i);
            assert_memory_equal(gnt_memo_find(with[k], key, &count, &is_new), &i, sizeof i);
        }
        gnt_memo_table_free(with[k]);
    }
    assert_int_equal(f.fd, -1); /* nothing more was tried */
    gnt_memo_file_close(&f);
    close(read_only);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    gnt_memo_table *t = gnt_memo_table_new(NULL, &first);
    assert_int_equal(gnt_memo_put(t, 0, keys[0], "x", 1), -1);
    assert_int_equal(gnt_memo_put(t, -1, keys[0], "x", 1), -1);
    assert_int_equal(gnt_memo_put(t, 1, keys[0], "x", -1), -1);
    assert_int_equal(gnt_memo_put(t, INT64_MAX, keys[0], "x", 2), -1);
    assert_int_equal(gnt_memo_size(t), 0);
    gnt_memo_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_outlive_the_process),
        cmocka_unit_test(instances_and_jobs_are_apart),
        cmocka_unit_test(a_torn_record_ends_it),
        cmocka_unit_test(a_changed_byte_ends_it),
        cmocka_unit_test(it_is_written_from_the_end_of_what_counts),
        cmocka_unit_test(without_a_file_it_is_in_memory),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
