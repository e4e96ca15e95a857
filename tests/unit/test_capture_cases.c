/* Captures as text cases: tests/cases/captures.txt says how to change the files of a sound capture, whose
 * settings are tests/cases/capture.json, and what must be said. --print shows every sentence for a person to
 * read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/capture_check.h"
#include "json_patch.h"
#include "made_capture.h"
#include "text_cases.h"

static const char cases_file[] = "tests/cases/captures.txt";
enum { LEAST_SENTENCES = 40, MOST_LINES = 12 };

static int printing;

typedef struct one_case {
    char name[120];
    json_t *root;
    gnt_text text;
    int has_text, withheld, foreign;
    /* Lines that change tensors, in their order. */
    char *change[MOST_LINES];
    size_t n_changes;
    char says[1600], finds[MOST_LINES][400];
    size_t n_finds;
    int contradictions;
} one_case;

static void begin(void *one, const char *name, const json_t *base) {
    one_case *c = one;
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->root = json_deep_copy(base);
    gnt_text_init(&c->text, 1 << 20);
}

/* ---- changes of tensors ---- */

static void remove_tensor(gnt_st *st, const char *name) {
    gnt_st_tensor *t = gnt_st_find(st, name);
    if (!t)
        fail_msg("there is no tensor %s to remove", name);
    gnt_free(t->name);
    gnt_free_aligned(t->data);
    memmove(t, t + 1, (size_t)(st->tensor + st->n - (t + 1)) * sizeof *t);
    st->n--;
}

static void set_entry(gnt_st_tensor *t, size_t i, double value) {
    if (t->type == GNT_ST_F32)
        ((float *)t->data)[i] = (float)value;
    else if (t->type == GNT_ST_F64)
        ((double *)t->data)[i] = value;
    else if (t->type == GNT_ST_I32)
        ((int32_t *)t->data)[i] = (int32_t)value;
    else if (t->type == GNT_ST_I64)
        ((int64_t *)t->data)[i] = (int64_t)value;
    else
        ((uint8_t *)t->data)[i] = (uint8_t)value;
}

/* "NAME TYPE AxB… = VALUE": a tensor of that value throughout, in the place of one of that name. */
static void set_tensor(gnt_st *st, char *words) {
    static const char *const types[] = {"F32", "F64", "I32", "I64", "U8"};
    char *name = strtok_r(words, " ", &words), *type = strtok_r(words, " ", &words),
         *shape = strtok_r(words, " ", &words), *equals = strtok_r(words, " ", &words);
    int64_t dim[GNT_ST_RANK];
    int32_t rank = 0;
    int kind = 0;
    gnt_st_tensor *made;
    gnt_err err = {0};
    assert_non_null(equals);
    while (kind < 5 && strcmp(types[kind], type) != 0)
        kind++;
    for (char *at = shape; *at; at += *at == 'x')
        dim[rank++] = strtoll(at, &at, 10);
    if (gnt_st_find(st, name))
        remove_tensor(st, name);
    if (gnt_st_add(st, name, (gnt_st_type)kind, rank, dim, NULL, &made, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < made->bytes / gnt_st_type_size(made->type); i++)
        set_entry(made, i, strtod(words, NULL));
}

/* "PREFIX FACTOR": multiplies all F32 tensors whose names begin so. */
static void scale(gnt_st *st, char *words) {
    const char *prefix = strtok_r(words, " ", &words);
    for (size_t k = 0; k < st->n; k++)
        for (size_t i = 0;
             strncmp(st->tensor[k].name, prefix, strlen(prefix)) == 0 && i < st->tensor[k].bytes / 4; i++)
            ((float *)st->tensor[k].data)[i] *= strtof(words, NULL);
}

/* Makes weights after of the update. */
static void make_after(gnt_st *st) {
    for (size_t k = 0; k < st->n; k++) {
        gnt_st_tensor *t = &st->tensor[k];
        if (strncmp(t->name, "update.", 7) != 0)
            continue;
        char *name = gnt_format("after.%s", t->name + 7), *before = gnt_format("before.%s", t->name + 7);
        const gnt_st_tensor *from = gnt_st_find(st, before);
        for (size_t i = 0; i < t->bytes / 4; i++)
            ((float *)t->data)[i] += ((const float *)from->data)[i];
        gnt_free(t->name);
        gnt_free(before);
        t->name = name;
    }
}

static void change(gnt_st *observed, gnt_st *batch, char *line) {
    char *verb = strtok_r(line, " ", &line), *file = strtok_r(line, " ", &line);
    gnt_st *st = file && strcmp(file, "private") == 0 ? batch : observed;
    if (strcmp(verb, "tensor") == 0)
        set_tensor(st, line);
    else if (strcmp(verb, "without") == 0)
        remove_tensor(st, line);
    else if (strcmp(verb, "scale") == 0)
        scale(st, line);
    else if (strcmp(verb, "after") == 0)
        make_after(st);
    else if (strcmp(verb, "entry") == 0) {
        const char *name = strtok_r(line, " ", &line);
        const size_t i = strtoul(strtok_r(line, " ", &line), NULL, 10);
        set_entry(gnt_st_find(st, name), i, strtod(line, NULL));
    } else
        fail_msg("not understood: %s", verb);
}

/* ---- one case ---- */

typedef struct found {
    const one_case *c;
    int seen[MOST_LINES];
} found;

static void note(void *user, const char *line) {
    found *f = user;
    if (printing)
        printf("%-36s %s\n", f->c->name, line);
    for (size_t i = 0; i < f->c->n_finds; i++)
        f->seen[i] |= strstr(line, f->c->finds[i]) != NULL;
}

static int check_findings(const one_case *c, const gnt_capture *read, gnt_err *err) {
    found f = {.c = c};
    int bad = 0;
    const int n = gnt_capture_check(read, note, &f, err);
    if (n != c->contradictions) {
        print_error("%s: %d contradictions, expected %d\n", c->name, n, c->contradictions);
        bad = 1;
    }
    for (size_t i = 0; i < c->n_finds; i++)
        if (!f.seen[i]) {
            print_error("%s: no line says \"%s\"\n", c->name, c->finds[i]);
            bad = 1;
        }
    return bad;
}

/* 0 when the case came out as it says. */
static int finish(void *one) {
    one_case *c = one;
    char *dumped = c->has_text ? NULL : json_dumps(c->root, JSON_INDENT(1));
    const char *text = dumped ? dumped : gnt_text_get(&c->text);
    gnt_st observed, batch;
    gnt_capture read;
    gnt_err err = {0};
    int bad = 0;
    made_tensors(&observed, &batch, text);
    for (size_t i = 0; i < c->n_changes; i++)
        change(&observed, &batch, c->change[i]);
    made_files files;
    made_files_of(&files, text, &observed, c->withheld ? NULL : &batch, c->foreign);
    if (gnt_capture_parse(&read, &files.files, &err) == 0) {
        bad = check_findings(c, &read, &err);
        gnt_capture_free(&read);
    }
    if (printing && *err.text)
        printf("%-36s %s\n", c->name, err.text);
    if (*c->says ? !strstr(err.text, c->says) : *err.text) {
        print_error("%s: said \"%s\"\n    expected \"%s\"\n", c->name, *err.text ? err.text : "nothing",
                    c->says);
        bad = 1;
    }
    made_files_free(&files);
    gnt_st_free(&observed);
    gnt_st_free(&batch);
    free(dumped);
    json_decref(c->root);
    gnt_text_free(&c->text);
    for (size_t i = 0; i < c->n_changes; i++)
        free(c->change[i]);
    return bad;
}

static void add_line(void *one, const char *line, int number) {
    one_case *c = one;
    if (begins(line, "set ") || begins(line, "drop "))
        patch_json(c->root, line);
    else if (begins(line, "text")) {
        c->has_text = 1;
        append_text(&c->text, line + 4 + (line[4] == ' '));
    } else if (begins(line, "says "))
        snprintf(c->says, sizeof c->says, "%s", line + 5);
    else if (begins(line, "contradictions "))
        c->contradictions = (int)strtol(line + 15, NULL, 10);
    else if (begins(line, "finds ") && c->n_finds < MOST_LINES)
        snprintf(c->finds[c->n_finds++], sizeof c->finds[0], "%s", line + 6);
    else if (strcmp(line, "withheld") == 0)
        c->withheld = 1;
    else if (strcmp(line, "foreign") == 0)
        c->foreign = 1;
    else if (c->n_changes < MOST_LINES)
        c->change[c->n_changes++] = strdup(line);
    else
        fail_msg("%s:%d: too many lines: %s", cases_file, number, line);
}

static void captures_get_their_sentences(void **state) {
    one_case one;
    const text_cases cases = {"tests/cases/capture.json", cases_file, &one, begin, add_line, finish};
    int sentences;
    (void)state;
    assert_int_equal(try_cases(&cases, &sentences), 0);
    assert_true(sentences >= LEAST_SENTENCES);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(captures_get_their_sentences)};
    printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
