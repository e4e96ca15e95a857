/* Captures written and read again: the same bytes, whatever was withheld; nothing that is there is
 * replaced. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "made_capture.h"

static char folder[] = "/tmp/gauntlet-capture-XXXXXX";

static char *path_of(const char *sub, const char *name) {
    return gnt_format("%s/%s/%s", folder, sub, name);
}

static void same_file(const char *a, const char *b, const char *name) {
    char *one = path_of(a, name), *other = path_of(b, name);
    uint8_t *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    gnt_err err = {0};
    if (gnt_file_read(one, 1 << 20, &x, &n, &err) != 0 || gnt_file_read(other, 1 << 20, &y, &m, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    gnt_free(x);
    gnt_free(y);
    gnt_free(one);
    gnt_free(other);
}

/* Adds everything that a private batch of tests/cases/capture.json may have. */
static void add_all(gnt_st *batch) {
    const int64_t labels[2] = {4, 3}, mask[3] = {4, 4, 4}, rates = 2, order[2] = {2, 2};
    gnt_st_tensor *t;
    assert_int_equal(gnt_st_add(batch, "labels", GNT_ST_F32, 2, labels, NULL, &t, NULL), 0);
    ((float *)t->data)[5] = 0.25f;
    assert_int_equal(gnt_st_add(batch, "mask", GNT_ST_U8, 3, mask, NULL, &t, NULL), 0);
    ((uint8_t *)t->data)[7] = 1;
    assert_int_equal(gnt_st_add(batch, "rates", GNT_ST_F32, 1, &rates, NULL, &t, NULL), 0);
    ((float *)t->data)[1] = 0.5f;
    assert_int_equal(gnt_st_add(batch, "order", GNT_ST_I64, 2, order, NULL, &t, NULL), 0);
    ((int64_t *)t->data)[2] = 3;
}

/* Reads the capture of tests/cases/capture.json with some keys replaced; whole: with all that a private
 * batch may have. The caller frees. */
static void make(gnt_capture *out, const char *replace, int whole) {
    gnt_doc doc;
    gnt_err err = {0};
    gnt_st observed, batch;
    made_files files;
    if (gnt_doc_load(&doc, "tests/cases/capture.json", GNT_DOC_MOST, &err) != 0)
        fail_msg("%s", err.text);
    json_t *other = json_loads(replace, 0, NULL);
    assert_int_equal(json_object_update(doc.root, other), 0);
    char *text = json_dumps(doc.root, JSON_INDENT(2));
    made_tensors(&observed, &batch, text);
    if (whole)
        add_all(&batch);
    made_files_of(&files, text, &observed, &batch, 0);
    if (gnt_capture_parse(out, &files.files, &err) != 0)
        fail_msg("%s", err.text);
    made_files_free(&files);
    gnt_st_free(&observed);
    gnt_st_free(&batch);
    free(text);
    json_decref(other);
    gnt_doc_free(&doc);
}

static void write_to(const gnt_capture *c, const char *sub, int with_private) {
    char *path = gnt_format("%s/%s", folder, sub);
    gnt_err err = {0};
    if (gnt_capture_write(c, path, with_private, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(path);
}

static void read_from(gnt_capture *c, const char *sub) {
    char *path = gnt_format("%s/%s", folder, sub);
    gnt_err err = {0};
    if (gnt_capture_read(c, path, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(path);
}

static void write_again(const char *name, const char *replace, int whole) {
    gnt_capture c, again;
    char *second = gnt_format("%s-again", name);
    make(&c, replace, whole);
    write_to(&c, name, 1);
    read_from(&again, name);
    write_to(&again, second, 1);
    same_file(name, second, "capture.json");
    same_file(name, second, "observed.safetensors");
    same_file(name, second, "private.safetensors");
    assert_memory_equal(c.update, again.update, (size_t)gnt_model_shared_size(c.model) * sizeof(float));
    gnt_free(second);
    gnt_capture_free(&c);
    gnt_capture_free(&again);
}

/* Numbers that have no short decimal, parameters whose JSON has many digits, and keys that are left out. */
static void what_is_read_is_written_again(void **state) {
    (void)state;
    write_again("steps", "{}", 0);
    write_again("whole", "{\"data_kind\": \"audio\"}", 1);
    write_again("gradient", "{\"training\": {\"samples\": 3, \"local_steps\": 0}, \"federation\": {}}", 0);
    write_again("digits",
                "{\"training\": {\"samples\": 2, \"local_steps\": 3, \"batch\": 2, \"rate\": "
                "0.030000000000000002, \"momentum\": 0.30000000000000004}, \"defense\": [{\"id\": \"prune\", "
                "\"params\": {\"p\": 0.98700000000000001, \"list\": [1.0000000000000002, {}, []]}}]}",
                0);
    write_again("unknown", "{\"defense\": null, \"goals\": [], \"attribute\": null, \"attributes\": []}", 0);
    write_again("evaluation",
                "{\"training\": {\"samples\": 2, \"local_steps\": 1, \"batch\": 2, \"rate\": 0.1, "
                "\"batch_norm\": \"evaluation\", \"augmented\": true}}",
                0);
}

static void numbers_keep_all_digits(void **state) {
    (void)state;
    gnt_capture c;
    read_from(&c, "digits");
    assert_true(c.settings.training.rate == 0.030000000000000002);
    assert_true(c.settings.training.momentum == 0.30000000000000004);
    assert_string_equal(c.settings.defense.at[0].params, "{\"list\":[1.0000000000000002,{},[]],\"p\":0.987}");
    gnt_capture_free(&c);
    read_from(&c, "unknown");
    assert_null(c.settings.defense.at);
    gnt_capture_free(&c);
}

static void a_private_batch_can_be_withheld(void **state) {
    (void)state;
    gnt_capture c, again;
    make(&c, "{}", 0);
    write_to(&c, "withheld", 0);
    same_file("withheld", "steps", "capture.json");
    same_file("withheld", "steps", "observed.safetensors");
    char *path = path_of("withheld", "private.safetensors");
    assert_false(gnt_file_exists(path));
    read_from(&again, "withheld");
    assert_int_equal(again.batch.rows, 0);
    gnt_free(path);
    gnt_capture_free(&c);
    gnt_capture_free(&again);
}

static void a_capture_is_not_replaced(void **state) {
    (void)state;
    gnt_capture c;
    gnt_err err = {0};
    char *path = gnt_format("%s/withheld", folder);
    make(&c, "{}", 0);
    assert_int_equal(gnt_capture_write(&c, path, 1, &err), -1);
    assert_non_null(
        strstr(err.text, "withheld/capture.json is there already; name a folder without a capture"));
    gnt_free(path);
    gnt_capture_free(&c);
}

/* Captures of clients of one round are attacked as one set, those of other rounds are its history. */
static void captures_are_grouped_by_what_they_share(void **state) {
    (void)state;
    static const struct {
        const char *replace;
        int same_group, same_kind;
    } of[] = {{"{\"about\": \"another\", \"federation\": {\"round\": 3, \"client\": 5}}", 1, 1},
              {"{\"federation\": {\"round\": 4, \"client\": 5}}", 0, 1},
              {"{\"federation\": {\"round\": 3, \"clients\": 100}}", 0, 0},
              {"{\"defense\": null, \"federation\": {\"round\": 3}}", 0, 0}};
    gnt_capture first, c;
    gnt_digest group, kind, one, other;
    gnt_err err = {0};
    make(&first, "{\"federation\": {\"round\": 3, \"client\": 1}}", 0);
    assert_int_equal(gnt_capture_group(&first, &group, &err), 0);
    assert_int_equal(gnt_capture_kind(&first, &kind, &err), 0);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        make(&c, of[i].replace, 0);
        assert_int_equal(gnt_capture_group(&c, &one, &err), 0);
        assert_int_equal(gnt_capture_kind(&c, &other, &err), 0);
        assert_int_equal(memcmp(&one, &group, sizeof one) == 0, of[i].same_group);
        assert_int_equal(memcmp(&other, &kind, sizeof other) == 0, of[i].same_kind);
        gnt_capture_free(&c);
    }
    ((float *)(uintptr_t)first.weights)[1] += 1; /* those of another round */
    assert_int_equal(gnt_capture_group(&first, &one, &err), 0);
    assert_memory_not_equal(&one, &group, sizeof one);
    gnt_capture_free(&first);
}

/* The digest of a capture is that of each of its files, and of whether the private batch is there. */
static void a_changed_file_changes_the_digest(void **state) {
    (void)state;
    gnt_capture c;
    gnt_digest whole, again, withheld;
    gnt_err err = {0};
    char *with = gnt_format("%s/with", folder), *without = gnt_format("%s/without", folder);
    make(&c, "{}", 1);
    write_to(&c, "with", 1);
    write_to(&c, "without", 0);
    assert_int_equal(gnt_capture_digest(with, &whole, &err), 0);
    assert_int_equal(gnt_capture_digest(with, &again, &err), 0);
    assert_memory_equal(&whole, &again, sizeof whole);
    assert_int_equal(gnt_capture_digest(without, &withheld, &err), 0);
    assert_memory_not_equal(&whole, &withheld, sizeof whole);
    assert_int_equal(gnt_capture_digest("/nowhere", &whole, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/capture.json"));
    gnt_capture_free(&c);
    gnt_free(with);
    gnt_free(without);
}

static void a_folder_without_files_is_a_sentence(void **state) {
    (void)state;
    gnt_capture c;
    gnt_err err = {0};
    assert_int_equal(gnt_capture_read(&c, folder, &err), -1);
    assert_non_null(strstr(err.text, "/capture.json: "));
    char *path = path_of("withheld", "observed.safetensors"), *sub = gnt_format("%s/withheld", folder);
    unlink(path);
    assert_int_equal(gnt_capture_read(&c, sub, &err), -1);
    assert_non_null(strstr(err.text, "/observed.safetensors: "));
    gnt_free(path);
    gnt_free(sub);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static int remove_folder(void **state) {
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_written_again),
                                       cmocka_unit_test(numbers_keep_all_digits),
                                       cmocka_unit_test(a_private_batch_can_be_withheld),
                                       cmocka_unit_test(a_capture_is_not_replaced),
                                       cmocka_unit_test(captures_are_grouped_by_what_they_share),
                                       cmocka_unit_test(a_changed_file_changes_the_digest),
                                       cmocka_unit_test(a_folder_without_files_is_a_sentence)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
