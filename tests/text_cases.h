/* text_cases: a file of cases, lines after a line "case NAME" each, which are applied to a JSON document.
 * Empty lines and those that begin with # are left out. For tests that have included cmocka. */
#ifndef TESTS_TEXT_CASES_H
#define TESTS_TEXT_CASES_H

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

/* What a test does with cases; `one` is its own struct. */
typedef struct text_cases {
    const char *base_file, *cases_file;
    void *one;
    void (*begin)(void *one, const char *name, const json_t *base);
    void (*add_line)(void *one, const char *line, int number);
    /* Returns 0 if the case came out as it says. */
    int (*finish)(void *one);
} text_cases;

static inline int begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Reads the file and finishes each case. Returns how many did not come out as they say; *sentences: lines
 * "says …". */
static inline int try_cases(const text_cases *t, int *sentences) {
    gnt_doc base;
    gnt_err err = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    int open = 0, bad = 0, number = 0;
    if (gnt_doc_load(&base, t->base_file, GNT_DOC_MOST, &err) ||
        gnt_file_read(t->cases_file, 4 << 20, &bytes, &size, &err))
        fail_msg("%s", err.text);
    *sentences = 0;
    for (char *at = (char *)bytes, *end; *at; at = end + 1) {
        number++;
        end = strchr(at, '\n');
        assert_non_null(end); /* the last line ends too */
        *end = 0;
        if (*at == '#' || *at == 0)
            continue;
        if (begins(at, "case ")) {
            bad += open && t->finish(t->one);
            t->begin(t->one, at + 5, base.root);
            open = 1;
            continue;
        }
        if (!open)
            fail_msg("%s:%d: is before the first case: %s", t->cases_file, number, at);
        t->add_line(t->one, at, number);
        *sentences += begins(at, "says ");
    }
    bad += open && t->finish(t->one);
    gnt_free(bytes);
    gnt_doc_free(&base);
    return bad;
}

#endif
