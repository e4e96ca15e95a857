/* The parts of `gauntlet vet`: the list of a file's exported symbols, memory behind guard pages, and the
 * digests that detect a changed input. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "fl/defense_chain.h"
#include "vet/guard_pages.h"
#include "plugin/exports.h"

/* ---- symbols ---- */

static void read_self(uint8_t **bytes, size_t *size) {
    char path[4096];
    const char *build = getenv("GAUNTLET_BUILD");
    gnt_err err = {0};
    snprintf(path, sizeof path, "%s/tests/so/careless.so", build ? build : "build");
    assert_int_equal(gnt_file_read(path, (size_t)1 << 28, bytes, size, &err), 0);
}

static void one_symbol_is_listed(void **state) {
    uint8_t *bytes;
    size_t size;
    gnt_err err = {0};
    gnt_text names;
    (void)state;
    read_self(&bytes, &size);
    gnt_text_init(&names, 4096);
    assert_int_equal(gnt_exports(&names, bytes, size, "it", &err), 0);
    assert_string_equal(gnt_text_get(&names), "gauntlet_entry\n");
    gnt_text_free(&names);
    gnt_text_init(&names, 4096);
    assert_int_equal(gnt_libraries(&names, bytes, size, "it", &err), 0);
    assert_non_null(strstr(gnt_text_get(&names), "libc.so.6\n"));
    gnt_text_free(&names);
    gnt_free(bytes);
}

/* Whatever the header says, nothing outside the file is read (the sanitizers watch), and it is refused or
 * listed. */
static void broken_files_are_survived(void **state) {
    uint8_t *bytes;
    size_t size;
    int refused = 0;
    (void)state;
    read_self(&bytes, &size);
    for (size_t at = 16; at < 64; at++) {
        gnt_err err = {0};
        gnt_text names;
        gnt_object_part part[2];
        const uint8_t was = bytes[at];
        bytes[at] ^= 0xff;
        uint8_t *copy = gnt_alloc(size); /* its end is the block's end */
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        gnt_text_init(&names, 1 << 20);
        refused += gnt_exports(&names, copy, size, "it", &err) != 0;
        gnt_libraries(&names, copy, size, "it", NULL);
        gnt_object_parts(part, copy, size, size);
        assert_true(part[0].first == 0 && part[0].end <= part[1].first && part[1].end <= size);
        assert_true(refused == 0 || err.text[0] == 0 || strncmp(err.text, "it", 2) == 0);
        gnt_text_free(&names);
        gnt_free(copy);
        bytes[at] = was;
    }
    assert_true(refused >= 12); /* type, place, size and number of the sections */
    for (size_t n = 0; n < 64; n++) {
        gnt_err err = {0};
        gnt_text names;
        gnt_object_part part[2];
        gnt_text_init(&names, 4096);
        assert_int_equal(gnt_exports(&names, bytes, n, "it", &err), -1);
        gnt_object_parts(part, bytes, n, n);
        assert_true(part[0].first == 0 && part[0].end == n && part[1].first == n && part[1].end == n);
        gnt_text_free(&names);
    }
    gnt_free(bytes);
}

static void what_is_loaded_can_be_opened_alone(void **state) {
    uint8_t *bytes;
    size_t size;
    char path[64];
    (void)state;
    read_self(&bytes, &size);
    gnt_object_part part[2];
    gnt_object_parts(part, bytes, 4096, size);
    /* sections for debuggers follow */
    assert_true(part[0].end > 0 && part[0].end < part[1].first && part[1].first < part[1].end);
    memset(bytes + part[0].end, 0, part[1].first - part[0].end);
    memset(bytes + part[1].end, 0, size - part[1].end);
    gnt_text names;
    gnt_text_init(&names, 1 << 20);
    assert_int_equal(gnt_exports(&names, bytes, size, "it", NULL), 0);
    assert_non_null(strstr(gnt_text_get(&names), "gauntlet_entry\n"));
    gnt_text_free(&names);
    const int fd = memfd_create("part", MFD_CLOEXEC);
    assert_int_equal(write(fd, bytes, size), size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(object);
    assert_non_null(dlsym(object, "gauntlet_entry"));
    dlclose(object);
    close(fd);
    gnt_free(bytes);
}

/* ---- guard pages ---- */

static void write_first(void *context) {
    ((float *)context)[0] = 7;
}

static void read_first(void *context) {
    volatile float seen = ((float *)context)[0];
    (void)seen;
}

static void a_write_is_caught_and_named(void **state) {
    const float two[2] = {1, 2}, three[3] = {3, 4, 5};
    gnt_guard *g;
    gnt_err err = {0};
    (void)state;
    assert_int_equal(gnt_guard_new(&g, 1 << 20, &err), 0);
    float *a = gnt_guard_put(g, "weights", two, sizeof two),
          *b = gnt_guard_put(g, "samples", three, sizeof three);
    gnt_guard_save(g);
    assert_int_equal(gnt_guard_close(g), 0);
    assert_string_equal(gnt_guard_watch(g, write_first, b), "samples");
    assert_string_equal(gnt_guard_watch(g, write_first, a), "weights");
    assert_null(gnt_guard_watch(g, read_first, a));
    gnt_guard_open(g);
    assert_true(a[0] == 1 && b[0] == 3);
    assert_null(gnt_guard_watch(g, write_first, a));
    assert_true(a[0] == 7);
    gnt_guard_restore(g);
    assert_true(a[0] == 1);
    gnt_guard_free(g);
}

static void write_fourth(void *context) {
    ((float *)context)[3] = 7;
}

static void write_in_front(void *context) {
    ((float *)context)[-1] = 7;
}

/* Outputs of three entries: all of them may be written, the one behind and the one in front may not. */
static void outputs_are_fenced(void **state) {
    gnt_guard *g;
    gnt_err err = {0};
    (void)state;
    assert_int_equal(gnt_guard_new(&g, 1 << 20, &err), 0);
    float *a = gnt_guard_fence(g, "bias", 3 * sizeof *a), *b = gnt_guard_fence(g, "weight", 3 * sizeof *b);
    assert_true(a[0] == 0 && a[2] == 0 && b[1] == 0);
    assert_null(gnt_guard_watch(g, write_first, a));
    assert_null(gnt_guard_beyond(g));
    a[1] = a[2] = b[2] = 1;
    assert_null(gnt_guard_beyond(g));
    assert_null(gnt_guard_watch(g, write_fourth, b));
    assert_string_equal(gnt_guard_beyond(g), "weight");
    assert_null(gnt_guard_watch(g, read_first, b));
    assert_null(gnt_guard_beyond(g));
    gnt_guard_watch(g, write_in_front, a);
    assert_string_equal(gnt_guard_beyond(g), "bias");
    gnt_guard_free(g);
}

static void full_guard_pages_says_so(void **state) {
    gnt_guard *g;
    gnt_err err = {0};
    (void)state;
    assert_int_equal(gnt_guard_new(&g, 4096, &err), 0);
    assert_non_null(gnt_guard_put(g, "a", NULL, 4000));
    assert_false(gnt_guard_full(g));
    assert_null(gnt_guard_put(g, "b", NULL, 200));
    assert_true(gnt_guard_full(g));
    assert_null(gnt_guard_put(g, "c", NULL, 1)); /* what came before it is missing */
    gnt_guard_free(g);
}

/* ---- the server's inputs ---- */

static gnt_status scribble(void *self, const gnt_aggregate *in, float *new_weights) {
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    if (*(int *)self)
        ((float *)(uintptr_t)in->update[1])[1] += 1;
    return GNT_OK;
}

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    (void)owner, (void)err;
    return status == GNT_OK ? 0 : -1;
}

static void an_aggregation_that_changes_updates_is_named(void **state) {
    static const gnt_defense hooks = {.size = sizeof hooks, .aggregate = scribble};
    float weights[2] = {1, 2}, first[2] = {3, 4}, second[2] = {5, 6}, out[2];
    const float *update[2] = {first, second};
    const double share[2] = {0.5, 0.5};
    gnt_aggregate in = {.size = sizeof in,
                        .n_clients = 2,
                        .n_params = 2,
                        .old_weights = weights,
                        .update = update,
                        .share = share};
    gnt_err err = {0};
    int scribbles = 0, took;
    gnt_member member = {
        .hooks = &hooks, .self = &scribbles, .begin = begin, .done = done, .id = "scribbler"};
    gnt_chain chain = {.member = &member, .n = 1, .n_params = 2};
    (void)state;
    assert_int_equal(gnt_chain_aggregate(&chain, &in, out, &took, &err), 0);
    scribbles = 1;
    assert_int_equal(gnt_chain_aggregate(&chain, &in, out, &took, &err), -1);
    assert_non_null(strstr(err.text, "scribbler: aggregate changed what it was given to read"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_symbol_is_listed),
        cmocka_unit_test(broken_files_are_survived),
        cmocka_unit_test(what_is_loaded_can_be_opened_alone),
        cmocka_unit_test(a_write_is_caught_and_named),
        cmocka_unit_test(outputs_are_fenced),
        cmocka_unit_test(full_guard_pages_says_so),
        cmocka_unit_test(an_aggregation_that_changes_updates_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
