/* Messages about a suite, and what its readers share: ids, and files that it names. */
#include <string.h>

#include "base/file.h"
#include "suite/suite_impl.h"

/* ---- sentences ---- */

int suite_fail_in(suite_reader *r, const char *path) {
    gnt_err said = *r->err;
    return suite_fail(r, path, "%s", said.text);
}

int suite_fail_at_path(suite_reader *r) {
    gnt_err said = *r->err;
    char path[256];
    const char *end = strstr(said.text, ": ");
    size_t n = end ? (size_t)(end - said.text) : 0;
    if (!n || n >= sizeof path)
        return suite_fail(r, "", "%s", said.text);
    memcpy(path, said.text, n);
    path[n] = 0;
    return suite_fail(r, path, "%s", end + 2);
}

int suite_no_memory(suite_reader *r) {
    return gnt_fail(r->err, "%s: out of memory while reading the suite", r->doc->name);
}

/* ---- names and files ---- */

int suite_is_id(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *text && !text[strspn(text, letters)] && *text != '-' && *text != '_';
}

int suite_read_id(suite_reader *r, const char *path, const json_t *object, const char *key,
                  const char *meaning, char **out) {
    const char *text = NULL;
    const gnt_path at = gnt_path_key(path, key);
    if (suite_need(r, path, object, key, meaning) || suite_text(r, path, object, key, GNT_SUITE_NAME, &text))
        return -1;
    if (!suite_is_id(text))
        return suite_fail(r, at.text,
                          "is %s; expected letters, digits, '-' and '_' only, the first a letter or digit "
                          "(it becomes part of cell ids)",
                          gnt_show_text(text).text);
    *out = gnt_strdup(text);
    return *out ? 0 : suite_no_memory(r);
}

char *suite_find_file(suite_reader *r, const char *path, const char *name, const char *what) {
    char *near = *name == '/' || !*r->folder ? gnt_strdup(name) : gnt_format("%s/%s", r->folder, name);
    if (!near) {
        suite_no_memory(r);
        return NULL;
    }
    if (gnt_file_exists(near))
        return near;
    int same = strcmp(near, name) == 0;
    if (!same && gnt_file_exists(name)) {
        gnt_free(near);
        near = gnt_strdup(name);
        if (!near)
            suite_no_memory(r);
        return near;
    }
    if (same)
        suite_fail(r, path, "is %s, but there is no such file; expected %s", gnt_show_text(name).text, what);
    else
        suite_fail(r, path, "is %s, but there is no file %s nor %s; expected %s", gnt_show_text(name).text,
                   near, name, what);
    gnt_free(near);
    return NULL;
}
