/* The store: an entry is found whole or not at all, whatever became of its files. */
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/store/store.h"

typedef struct place {
    char folder[64];
    gnt_store *store;
    gnt_digest key;
    char *done, *output; /* files of the entry */
} place;

static const uint8_t bytes[] = "what a job left";

static void put(place *p, const void *data, size_t size) {
    gnt_err err = {0};
    const gnt_stored_output output = {"answer", data, size};
    json_t *record = json_pack("{s:s, s:s, s:{s:f, s:f}}", "status", "ok", "job", "attack t/none", "facts",
                               "zero", -0.0, "third", 1.0 / 3);
    assert_int_equal(gnt_store_put(p->store, &p->key, record, &output, 1, &err), 0);
    assert_string_equal(err.text, "");
    json_decref(record);
}

static int set_up(void **state) {
    char hex[GNT_HEX_SIZE];
    gnt_err err = {0};
    place *p = gnt_alloc(sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/gauntlet-store-XXXXXX");
    if (!mkdtemp(p->folder) || gnt_store_open(&p->store, p->folder, &err) != 0)
        return -1;
    p->key = gnt_digest_bytes("k", 1);
    gnt_digest_hex(&p->key, hex);
    p->done = gnt_format("%s/%.2s/%s/done.json", p->folder, hex, hex);
    p->output = gnt_format("%s/%.2s/%s/answer.safetensors", p->folder, hex, hex);
    put(p, bytes, sizeof bytes);
    *state = p;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static int tear_down(void **state) {
    place *p = *state;
    nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    gnt_store_close(p->store);
    gnt_free(p->done);
    gnt_free(p->output);
    gnt_free(p);
    return 0;
}

static int is_there(place *p) {
    json_t *record;
    gnt_err err = {0};
    assert_int_equal(gnt_store_find(p->store, &p->key, &record, &err), 0);
    int found = record != NULL;
    json_decref(record);
    return found;
}

static void an_entry_comes_back(void **state) {
    place *p = *state;
    json_t *record;
    uint8_t *read;
    size_t size;
    assert_int_equal(gnt_store_find(p->store, &p->key, &record, NULL), 0);
    assert_non_null(record);
    assert_int_equal(json_object_size(record), 4);
    assert_true(json_number_value(json_object_get(json_object_get(record, "facts"), "third")) == 1.0 / 3);
    assert_int_equal(gnt_store_read(p->store, &p->key, record, "answer", &read, &size, NULL), 0);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(read, bytes, size);
    gnt_free(read);
    json_decref(record);
}

/* Every bit of both files. */
static void a_flipped_bit_is_seen(void **state) {
    place *p = *state;
    char *const files[] = {p->done, p->output};
    for (size_t f = 0; f < 2; f++) {
        uint8_t *text;
        size_t size;
        assert_int_equal(gnt_file_read(files[f], 1 << 20, &text, &size, NULL), 0);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            int fd = open(files[f], O_WRONLY);
            const uint8_t changed = (uint8_t)(text[bit / 8] ^ 1 << bit % 8);
            assert_int_equal(pwrite(fd, &changed, 1, (off_t)(bit / 8)), 1);
            if (is_there(p))
                fail_msg("bit %zu of %s was flipped and nobody saw it", bit, files[f]);
            assert_int_equal(pwrite(fd, &text[bit / 8], 1, (off_t)(bit / 8)), 1);
            close(fd);
        }
        gnt_free(text);
        assert_true(is_there(p));
    }
}

static void a_file_cut_short_is_seen(void **state) {
    place *p = *state;
    char *const files[] = {p->done, p->output};
    for (size_t f = 0; f < 2; f++) {
        struct stat st;
        assert_int_equal(stat(files[f], &st), 0);
        for (off_t size = st.st_size - 1; size >= 0; size--) {
            assert_int_equal(truncate(files[f], size), 0);
            assert_false(is_there(p));
        }
        unlink(p->done);
        put(p, bytes, sizeof bytes);
        assert_true(is_there(p));
    }
}

/* They are a fact next to the entry: whatever becomes of their file, the entry is what it was. */
static void times_are_kept_next_to_an_entry(void **state) {
    place *p = *state;
    gnt_err err = {0};
    assert_null(gnt_store_times(p->store, &p->key));
    uint8_t *before, *after;
    size_t size, again;
    assert_int_equal(gnt_file_read(p->done, 1 << 20, &before, &size, NULL), 0);
    json_t *times = json_pack("{s:f}", "seconds", 1.5);
    assert_int_equal(gnt_store_put_times(p->store, &p->key, times, &err), 0);
    json_t *read = gnt_store_times(p->store, &p->key);
    assert_true(json_equal(read, times));
    json_decref(read);
    json_decref(times);
    char *name = gnt_format("%.*s/times.json", (int)(strrchr(p->done, '/') - p->done), p->done);
    assert_int_equal(gnt_file_write(name, "[1", 2, NULL), 0);
    assert_null(gnt_store_times(p->store, &p->key));
    assert_true(is_there(p));
    assert_int_equal(gnt_file_read(p->done, 1 << 20, &after, &again, NULL), 0);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    gnt_free(before);
    gnt_free(after);
    gnt_free(name);
}

/* An entry that is stored under another key is not that key's. */
static void a_moved_entry_is_seen(void **state) {
    place *p = *state;
    gnt_digest other = gnt_digest_bytes("l", 1);
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(&other, hex);
    char *from = gnt_strdup(p->done), *part = gnt_format("%s/%.2s", p->folder, hex),
         *to = gnt_format("%s/%s", part, hex);
    *strrchr(from, '/') = 0;
    mkdir(part, 0777);
    assert_int_equal(rename(from, to), 0);
    p->key = other;
    assert_false(is_there(p));
    gnt_free(from);
    gnt_free(part);
    gnt_free(to);
}

/* Changed after it was found. */
static void reading_holds_the_bytes_against_the_record(void **state) {
    place *p = *state;
    json_t *record;
    uint8_t *read;
    size_t size;
    gnt_err err = {0};
    assert_int_equal(gnt_store_find(p->store, &p->key, &record, NULL), 0);
    assert_int_equal(gnt_file_write(p->output, "what a job lefd", sizeof bytes, NULL), 0);
    assert_int_equal(gnt_store_read(p->store, &p->key, record, "answer", &read, &size, &err), -1);
    assert_non_null(strstr(err.text, "not those that were stored"));
    assert_int_equal(gnt_store_read(p->store, &p->key, record, "seen", &read, &size, &err), -1);
    json_decref(record);
}

static void a_whole_entry_stays(void **state) {
    place *p = *state;
    uint8_t *read;
    size_t size;
    put(p, "other bytes", 11);
    assert_int_equal(gnt_file_read(p->output, 100, &read, &size, NULL), 0);
    assert_memory_equal(read, bytes, sizeof bytes);
    gnt_free(read);
}

/* The digests of what was released stay, so that the entry counts; only the same outputs stored again bring
 * it back. */
static void outputs_can_be_released(void **state) {
    place *p = *state;
    json_t *record, *again;
    char before[GNT_HEX_SIZE];
    const gnt_stored_output outputs[] = {{"answer", bytes, sizeof bytes}, {"marks", "m", 1}};
    char *marks = gnt_format("%.*s/marks.safetensors", (int)(strrchr(p->done, '/') - p->done), p->done);
    unlink(p->done);
    record = json_pack("{s:s, s:s, s:{}}", "status", "ok", "job", "observe t/none", "facts");
    assert_int_equal(gnt_store_put(p->store, &p->key, record, outputs, 2, NULL), 0);
    snprintf(before, sizeof before, "%s", gnt_store_digest(record, "answer"));
    assert_true(gnt_store_has(p->store, &p->key, record, "answer"));
    assert_int_equal(gnt_store_release(p->store, &p->key, record, "marks", NULL), 0);
    assert_false(gnt_file_exists(p->output));
    assert_true(gnt_file_exists(marks));
    assert_int_equal(gnt_store_find(p->store, &p->key, &again, NULL), 0);
    assert_true(json_equal(record, again));
    assert_string_equal(gnt_store_digest(again, "answer"), before);
    assert_false(gnt_store_has(p->store, &p->key, again, "answer"));
    assert_true(gnt_store_has(p->store, &p->key, again, "marks"));
    json_decref(again);
    /* a file in its place is not it */
    assert_int_equal(gnt_file_write(p->output, "x", 1, NULL), 0);
    assert_true(is_there(p));
    assert_false(gnt_store_has(p->store, &p->key, record, "answer"));
    assert_int_equal(gnt_store_release(p->store, &p->key, record, "marks", NULL), 0);
    assert_false(gnt_file_exists(p->output));
    json_object_del(record, "released");
    assert_int_equal(gnt_store_put(p->store, &p->key, record, outputs, 2, NULL), 0);
    assert_null(json_object_get(record, "released"));
    assert_true(gnt_store_has(p->store, &p->key, record, "answer"));
    unlink(marks); /* one that was not released must be there */
    assert_false(is_there(p));
    json_decref(record);
    gnt_free(marks);
}

/* A record that releases what it has not, or nothing, is none that the store writes. */
static void odd_releases_are_no_entry(void **state) {
    place *p = *state;
    static const char *const odd[] = {"[\"other\"]", "[]", "[1]", "{}", "\"answer\"", "[\"answer\", null]"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        unlink(p->done);
        put(p, bytes, sizeof bytes);
        json_t *record;
        assert_int_equal(gnt_store_find(p->store, &p->key, &record, NULL), 0);
        json_object_set_new(record, "released", json_loads(odd[i], JSON_DECODE_ANY, NULL));
        char *text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS), sum[GNT_HEX_SIZE];
        gnt_store_sum(&p->key, text, strlen(text) - 1, sum);
        char *whole = gnt_format("%.*s,\"sum\":\"%s\"}", (int)strlen(text) - 1, text, sum);
        assert_int_equal(gnt_file_write(p->done, whole, strlen(whole), NULL), 0);
        assert_false(is_there(p));
        json_decref(record);
        gnt_free(whole);
        free(text);
    }
}

/* None of these may hold the reader up, and none prevents a new entry. */
static void odd_files_are_no_entry(void **state) {
    place *p = *state;
    char *const files[] = {p->done, p->output};
    for (size_t f = 0; f < 2; f++)
        for (int odd = 0; odd < 3; odd++) {
            char *inner = gnt_format("%s/full", files[f]);
            unlink(files[f]);
            if (odd == 0)
                assert_int_equal(mkfifo(files[f], 0666), 0);
            else if (odd == 1)
                assert_int_equal(mkdir(files[f], 0777) + mkdir(inner, 0777), 0);
            else
                assert_int_equal(symlink("nowhere", files[f]), 0);
            assert_false(is_there(p));
            put(p, bytes, sizeof bytes);
            assert_true(is_there(p));
            gnt_free(inner);
        }
    char *entry = gnt_strdup(p->done);
    *strrchr(entry, '/') = 0;
    nftw(entry, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(gnt_file_write(entry, "x", 1, NULL), 0);
    assert_false(is_there(p));
    put(p, bytes, sizeof bytes);
    assert_true(is_there(p));
    gnt_free(entry);
}

/* ---- what a file is written through ---- */

static int count_parts(const place *p) {
    int n = 0;
    for (int i = 0; i < 8; i++) {
        char *name = gnt_file_part_name(p->output, i);
        struct stat st;
        n += lstat(name, &st) == 0;
        gnt_free(name);
    }
    return n;
}

static void what_a_dead_writer_left_goes(void **state) {
    place *p = *state;
    for (int i = 0; i < 3; i++) {
        char *name = gnt_file_part_name(p->output, i);
        int fd = open(name, O_WRONLY | O_CREAT, 0666);
        assert_int_equal(write(fd, "half", 4), 4);
        close(fd);
        gnt_free(name);
    }
    assert_int_equal(count_parts(p), 3);
    assert_int_equal(gnt_file_write(p->output, bytes, sizeof bytes, NULL), 0);
    assert_int_equal(count_parts(p), 0);
    assert_true(is_there(p));
}

static void a_living_writer_is_left_alone(void **state) {
    place *p = *state;
    char *name = gnt_file_part_name(p->output, 0);
    int fd = open(name, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(gnt_file_write(p->output, bytes, sizeof bytes, NULL), 0);
    assert_int_equal(count_parts(p), 1);
    assert_true(is_there(p));
    close(fd);
    gnt_free(name);
}

/* A folder that came from a third party may have a link where a half-written file would be. */
static void a_link_is_not_written_through(void **state) {
    place *p = *state;
    char *name = gnt_file_part_name(p->output, 0), *outside = gnt_format("%s/outside", p->folder);
    assert_int_equal(gnt_file_write(outside, "mine", 4, NULL), 0);
    assert_int_equal(symlink(outside, name), 0);
    assert_int_equal(gnt_file_write(p->output, bytes, sizeof bytes, NULL), 0);
    uint8_t *read;
    size_t size;
    assert_int_equal(gnt_file_read(outside, 100, &read, &size, NULL), 0);
    assert_memory_equal(read, "mine", 4);
    assert_int_equal(count_parts(p), 0);
    gnt_free(read);
    gnt_free(name);
    gnt_free(outside);
}

/* A file that a writer under another kernel has not finished, which was last written `age` seconds ago. */
static char *foreign_part(const place *p, long age) {
    struct timespec times[2];
    struct stat st;
    char *name = gnt_format("%s.0bad0bad.part", p->output);
    int fd = open(name, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(write(fd, "half", 4), 4);
    assert_int_equal(fstat(fd, &st), 0);
    times[0] = st.st_mtim;
    times[0].tv_sec -= age;
    times[1] = times[0];
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
    return name;
}

/* Its lock says nothing here: locks may hold on one machine alone. */
static void another_machine_s_writer_is_left_alone(void **state) {
    place *p = *state;
    char *name = foreign_part(p, 5);
    assert_int_equal(gnt_file_write(p->output, bytes, sizeof bytes, NULL), 0);
    unlink(p->done);
    put(p, bytes, sizeof bytes);
    assert_true(gnt_file_exists(name));
    assert_true(is_there(p));
    gnt_free(name);
}

static void what_another_machine_s_dead_writer_left_goes(void **state) {
    place *p = *state;
    char *name = foreign_part(p, 3600);
    unlink(p->done);
    put(p, bytes, sizeof bytes);
    assert_false(gnt_file_exists(name));
    assert_true(is_there(p));
    gnt_free(name);
}

/* A disk whose free space is unknown has room for all, so that no run is warned for nothing. */
static void free_space_of_a_disk_is_known(void **state) {
    place *p = *state;
    const double room = gnt_disk_free(p->output);
    assert_true(room >= 0 && isfinite(room));
    assert_true(isinf(gnt_disk_free("/nowhere/at/all")));
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(an_entry_comes_back),
        CASE(a_flipped_bit_is_seen),
        CASE(a_file_cut_short_is_seen),
        CASE(times_are_kept_next_to_an_entry),
        CASE(a_moved_entry_is_seen),
        CASE(reading_holds_the_bytes_against_the_record),
        CASE(a_whole_entry_stays),
        CASE(outputs_can_be_released),
        CASE(odd_releases_are_no_entry),
        CASE(odd_files_are_no_entry),
        CASE(what_a_dead_writer_left_goes),
        CASE(a_living_writer_is_left_alone),
        CASE(a_link_is_not_written_through),
        CASE(another_machine_s_writer_is_left_alone),
        CASE(what_another_machine_s_dead_writer_left_goes),
        CASE(free_space_of_a_disk_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
