/* The JSON Schemas of what people write: every file that is shipped is valid, and what readers refuse for a
 * key, a type or a limit is not. Tests of the readers make the schemas (tests/expected.h); --schema writes
 * those of data and models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/data.h"
#include "expected.h"
#include "json_patch.h"
#include "nn/model/model.h"
#include "schema.h"

static json_t *load(const char *path) {
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error);
    if (!all)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return all;
}

/* Files of a pattern are valid; returns how many there are. */
static size_t all_valid(const char *schema_file, const char *pattern) {
    json_t *schema = load(schema_file);
    glob_t found;
    size_t n = 0;
    int bad = 0;
    assert_int_equal(glob(pattern, GLOB_BRACE, NULL, &found), 0);
    for (; n < found.gl_pathc; n++) {
        json_t *one = load(found.gl_pathv[n]);
        gnt_path where = {""};
        if (schema_check(schema, one, &where) != 0) {
            print_error("%s: %s: not as in %s\n", found.gl_pathv[n], where.text, schema_file);
            bad = 1;
        }
        json_decref(one);
    }
    globfree(&found);
    json_decref(schema);
    assert_false(bad);
    return n;
}

static void shipped_files_are_valid(void **state) {
    (void)state;
    assert_true(all_valid("docs/suite.schema.json", "{suites,suites/papers,suites/arena,templates/defense,"
                                                    "templates/attack}/*.json") > 15);
    assert_true(all_valid("docs/model.schema.json", "models/*.json") > 15);
    assert_true(all_valid("docs/data.schema.json", "templates/data/*.json") >= 2);
}

typedef struct fault {
    const char *patch, *where;
} fault;

static void faults_are_found(void **state) {
    static const fault faults[] = {
        {"set seedz = [1]", "seedz"},
        {"set seeds = \"1\"", "seeds"},
        {"set seeds = []", ""},
        {"set limits = {\"seconds\": 0}", "limits.seconds"},
        {"set limits = {\"second\": 10}", "limits.second"},
        {"set tasks[0].federated.rounds = 1.5", "tasks[0].federated.rounds"},
        {"set tasks[0].federated.schedule = \"cosinus\"", "tasks[0].federated.schedule"},
        {"set tasks[0].federated.momentum = 1", "tasks[0].federated.momentum"},
        {"set tasks[0].observe.surface = \"updates\"", "tasks[0].observe.surface"},
        {"set attacks[0].grants = [\"label\"]", "attacks[0].grants[0]"},
    };
    json_t *schema = load("docs/suite.schema.json");
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        json_t *suite = load("tests/cases/base.json");
        gnt_path where = {""};
        char line[200];
        assert_int_equal(schema_check(schema, suite, &where), 0);
        snprintf(line, sizeof line, "%s", faults[i].patch);
        patch_json(suite, line);
        if (schema_check(schema, suite, &where) == 0)
            print_error("not found: %s\n", faults[i].patch);
        else if (strncmp(where.text, faults[i].where, strlen(faults[i].where)) != 0)
            print_error("%s: found at %s\n", faults[i].patch, where.text);
        assert_int_not_equal(schema_check(schema, suite, &where), 0);
        json_decref(suite);
    }
    json_decref(schema);
}

/* ---- schemas that are made here ---- */

static int write_schema;

/* Has a description read, up to its first file. */
static void read_description(expected_format *x, const char *text, size_t size) {
    char folder[] = "/tmp/gauntlet-schema-XXXXXX", path[64];
    gnt_data_spec spec = {.name = "own.json"};
    gnt_data *d = NULL;
    gnt_err err = {""};
    json_t *all = json_loadb(text, size, 0, NULL);
    assert_non_null(all);
    expected_took(x->root, all, "");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/own.json", folder);
    assert_int_equal(gnt_file_write(path, text, size, &err), 0);
    assert_int_not_equal(gnt_data_open(&d, &spec, folder, &err), 0); /* there is no other file */
    unlink(path);
    rmdir(folder);
    json_decref(all);
}

static char *text_of(const char *path, size_t *size) {
    uint8_t *bytes = NULL;
    gnt_err err = {""};
    if (gnt_file_read(path, 1 << 20, &bytes, size, &err) != 0)
        fail_msg("%s", err.text);
    return (char *)bytes;
}

/* The descriptions of docs/own-data.md and of templates. */
static void the_schema_of_data(void **state) {
    static const char start[] = "```\n{\"format\": \"gauntlet data\"";
    static const char *const files[] = {"templates/data/celeba.json", "templates/data/lfw.json"};
    expected_format x;
    size_t size;
    int n = 0;
    (void)state;
    expected_begin(&x, "own.json");
    char *page = text_of("docs/own-data.md", &size);
    for (char *at = page, *end; (at = strstr(at, start)) && (end = strstr(at + 4, "```")); at = end, n++)
        read_description(&x, at + 4, (size_t)(end - at) - 4);
    assert_true(n >= 4);
    gnt_free(page);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = text_of(files[i], &size);
        read_description(&x, text, size);
        gnt_free(text);
    }
    assert_int_equal(expected_end(&x, "data", "A description of data, docs/own-data.md", write_schema), 0);
}

/* Learns from the layers in a value, those of blocks too, by their type. */
static void learn_layers(json_t *types, json_t *value) {
    const char *key, *type = json_string_value(json_object_get(value, "type"));
    json_t *one;
    size_t i;
    if (type && json_object_get(types, type))
        expected_took(json_object_get(types, type), value, "");
    json_object_foreach(value, key, one) learn_layers(types, one);
    json_array_foreach(value, i, one) learn_layers(types, one);
}

/* The architectures that are shipped, and those of tests. */
static void the_schema_of_models(void **state) {
    glob_t found;
    expected_format x;
    (void)state;
    expected_begin(&x, "");
    assert_int_equal(glob("{models,tests/cases}/*model*.json", GLOB_BRACE, NULL, &found), 0);
    assert_int_equal(glob("models/*.json", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        gnt_err err = {""};
        gnt_model *m = NULL;
        const gnt_nn_shape input = {.rank = 3, .dim = {3, 32, 32}};
        json_t *all = json_load_file(found.gl_pathv[i], 0, NULL);
        if (gnt_model_load(&m, found.gl_pathv[i], &input, 10, NULL, NULL, &err) == 0)
            gnt_model_free(m);
        if (json_is_object(all))
            expected_took(x.root, all, "");
        learn_layers(expected_child(expected_child(expected_child(x.root, "props"), "types"), "props"), all);
        json_decref(all);
    }
    globfree(&found);
    assert_int_equal(expected_end(&x, "model", "An architecture, docs/models.md", write_schema), 0);
}

int main(int argc, char **argv) {
    write_schema = argc > 1 && strcmp(argv[1], "--schema") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_of_data), cmocka_unit_test(the_schema_of_models),
        cmocka_unit_test(shipped_files_are_valid), cmocka_unit_test(faults_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
