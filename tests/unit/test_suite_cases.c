/* Suites as text cases: tests/cases/suites.txt says how to patch tests/cases/base.json and which sentence,
 * or which cells, must follow. The file explains its own form. --print shows every sentence for a person to
 * read. --write DIR leaves there the suites that are refused before any plugin is needed, N.json and N.says,
 * for tests/cases/run. --schema writes docs/suite.schema.json of what the reader expects meanwhile. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "expected.h"
#include "json_patch.h"
#include "suite/plan.h"
#include "suite_env.h"
#include "text_cases.h"

static const char cases_file[] = "tests/cases/suites.txt";
static const char suite_name[] = "tests/cases/suite.json"; /* relative paths in suites begin in tests/cases */
enum { LEAST_SENTENCES = 50 };

static int printing, written, write_schema;
static const char *write_folder;
static expected_format watched;

/* ---- the file as text ---- */

/* "repeat N X" appends X N times. */
static void repeat_text(gnt_text *text, const char *line) {
    char *what;
    for (long n = strtol(line, &what, 10); n > 0; n--)
        append_text(text, what + 1);
}

/* ---- one case ---- */

typedef struct one_case {
    char name[120];
    json_t *root;
    gnt_text text; /* the whole file, where has_text */
    int has_text;
    char file[200]; /* or an existing file or folder */
    char says[1600], cells[32];
    char *na[16];
    size_t n_na;
} one_case;

static void begin(void *one, const char *name, const json_t *base) {
    one_case *c = one;
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->root = json_deep_copy(base);
    gnt_text_init(&c->text, 16 << 20);
}

static int check_cells(const one_case *c, const gnt_suite *s, gnt_err *err) {
    gnt_plan plan;
    int bad = 0;
    if (gnt_plan_make(&plan, s, err) != 0)
        return 0; /* the sentence is looked at by the caller */
    if (*c->cells && strtoul(c->cells, NULL, 10) != plan.n) {
        print_error("%s: %zu cells, expected %s\n", c->name, plan.n, c->cells);
        bad = 1;
    }
    for (size_t i = 0; i < c->n_na; i++) {
        char *reason = strchr(c->na[i], ' ');
        *reason = 0;
        const gnt_cell *cell = gnt_plan_find(&plan, c->na[i]);
        if (!cell || !cell->reason || !strstr(cell->reason, reason + 1)) {
            print_error("%s: %s is %s; expected n/a: %s\n", c->name, c->na[i],
                        !cell          ? "no cell"
                        : cell->reason ? cell->reason
                                       : "planned",
                        reason + 1);
            bad = 1;
        }
    }
    gnt_plan_free(&plan);
    return bad;
}

static void write_file(const char *ending, const char *text, size_t size) {
    gnt_err err = {0};
    char *name = gnt_format("%s/%03d.%s", write_folder, written, ending);
    if (gnt_file_write(name, text, size, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(name);
}

/* A suite that gives the same sentence where there are no plugins at all gives it with any. */
static void write_case(const one_case *c, const char *text, size_t size) {
    static const gnt_plugin_list nothing;
    const gnt_suite_env empty = {.plugins = &nothing};
    gnt_suite suite;
    gnt_err err = {0};
    if (!*c->says || *c->file || gnt_suite_parse(&suite, suite_name, text, size, &empty, &err) == 0 ||
        !strstr(err.text, c->says))
        return;
    written++;
    write_file("json", text, size);
    write_file("says", c->says, strlen(c->says));
}

/* 0 when the case came out as it says. */
static int finish(void *one) {
    one_case *c = one;
    gnt_suite suite;
    gnt_err err = {0};
    char *dumped = c->has_text ? NULL : json_dumps(c->root, JSON_INDENT(2));
    const char *text = dumped ? dumped : gnt_text_get(&c->text);
    size_t size = dumped ? strlen(dumped) : c->text.size;
    int bad = 0;
    watched.name = *c->file ? "" : suite_name;
    int rc = *c->file ? gnt_suite_load(&suite, c->file, &env, &err)
                      : gnt_suite_parse(&suite, suite_name, text, size, &env, &err);
    if (rc == 0 && !*c->file && !c->has_text)
        expected_took(watched.root, c->root, "");
    if (rc == 0)
        bad = check_cells(c, &suite, &err);
    if (printing && *err.text)
        printf("%-28s %s\n", c->name, err.text + (strncmp(err.text, "tests/cases/", 12) ? 0 : 12));
    if (*c->says && !strstr(err.text, c->says)) {
        print_error("%s: said \"%s\"\n    expected \"%s\"\n", c->name, *err.text ? err.text : "nothing",
                    c->says);
        bad = 1;
    }
    if (!*c->says && *err.text) {
        print_error("%s: said \"%s\"\n", c->name, err.text);
        bad = 1;
    }
    if (write_folder)
        write_case(c, text, size);
    gnt_suite_free(&suite);
    free(dumped);
    json_decref(c->root);
    gnt_text_free(&c->text);
    for (size_t i = 0; i < c->n_na; i++)
        free(c->na[i]);
    return bad;
}

static void add_line(void *one, const char *line, int number) {
    one_case *c = one;
    c->has_text |= begins(line, "text") || begins(line, "repeat ");
    if (begins(line, "set ") || begins(line, "drop "))
        patch_json(c->root, line);
    else if (begins(line, "text") && (line[4] == ' ' || line[4] == 0))
        append_text(&c->text, line + 4 + (line[4] == ' '));
    else if (begins(line, "repeat "))
        repeat_text(&c->text, line + 7);
    else if (begins(line, "file "))
        snprintf(c->file, sizeof c->file, "%s", line + 5);
    else if (begins(line, "says "))
        snprintf(c->says, sizeof c->says, "%s", line + 5);
    else if (begins(line, "cells "))
        snprintf(c->cells, sizeof c->cells, "%s", line + 6);
    else if (begins(line, "n/a ") && c->n_na < 16 && strchr(line + 4, ' '))
        c->na[c->n_na++] = strdup(line + 4);
    else
        fail_msg("%s:%d: not understood: %s", cases_file, number, line);
}

static void suites_get_their_sentences(void **state) {
    one_case one;
    const text_cases cases = {"tests/cases/base.json", cases_file, &one, begin, add_line, finish};
    int sentences;
    (void)state;
    assert_int_equal(try_cases(&cases, &sentences), 0);
    assert_true(sentences >= LEAST_SENTENCES);
}

/* Suites that are shipped use keys that no case has. Plugins are others here, so that most are refused
 * late. */
static void shipped_suites_are_read(void **state) {
    glob_t found;
    (void)state;
    assert_int_equal(glob("suites/{*,*/*}.json", GLOB_BRACE, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        gnt_suite suite;
        gnt_err err = {0};
        watched.name = found.gl_pathv[i];
        if (gnt_suite_load(&suite, found.gl_pathv[i], &env, &err) == 0)
            gnt_suite_free(&suite);
    }
    globfree(&found);
}

static void the_schema_is_what_the_reader_expects(void **state) {
    (void)state;
    assert_int_equal(expected_end(&watched, "suite", "A suite of gauntlet, docs/suites.md", write_schema), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(suites_get_their_sentences),
                                       cmocka_unit_test(shipped_suites_are_read),
                                       cmocka_unit_test(the_schema_is_what_the_reader_expects)};
    expected_begin(&watched, suite_name);
    watched.scaled = 1;
    write_schema = argc > 1 && strcmp(argv[1], "--schema") == 0;
    printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    write_folder = argc > 2 && strcmp(argv[1], "--write") == 0 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, open_plugins, close_plugins);
}
