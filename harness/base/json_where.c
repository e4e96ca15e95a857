/* Where in the text of a document does a path lie? The text has been read by jansson, so the walk here relies
 * on it being valid JSON; it still never leaves the text. */
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { LONGEST_KEY = 64 };

/* ---- paths ---- */

static int is_plain(const char *key) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t n = strspn(key, plain);
    return n > 0 && n <= LONGEST_KEY && key[n] == 0;
}

/* Returns the largest number of bytes of `text`, at most `most`, that ends between two characters. */
static int whole_characters(const char *text, size_t most) {
    size_t n = strnlen(text, most + 1);
    if (n <= most)
        return (int)n;
    n = most;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}

gnt_path gnt_path_key(const char *path, const char *key) {
    gnt_path out;
    if (is_plain(key))
        snprintf(out.text, sizeof out.text, "%s%s%s", path, *path ? "." : "", key);
    else
        snprintf(out.text, sizeof out.text, "%s[\"%.*s\"]", path, whole_characters(key, LONGEST_KEY), key);
    return out;
}

gnt_path gnt_path_item(const char *path, size_t index) {
    gnt_path out;
    snprintf(out.text, sizeof out.text, "%s[%zu]", path, index);
    return out;
}

typedef struct step {
    const char *key; /* NULL: a list entry */
    size_t length;
    size_t index;
} step;

/* Takes the first step off *path; 0 at its end or where it is no path. */
static int next_step(const char **path, step *out) {
    const char *at = *path;
    *out = (step){0};
    if (at[0] == '[' && at[1] == '"') {
        const char *end = strstr(at + 2, "\"]");
        if (!end)
            return 0;
        out->key = at + 2;
        out->length = (size_t)(end - out->key);
        *path = end + 2;
        return 1;
    }
    if (at[0] == '[') {
        for (at++; *at >= '0' && *at <= '9' && out->index < 100000000; at++)
            out->index = out->index * 10 + (size_t)(*at - '0');
        if (*at != ']')
            return 0;
        *path = at + 1;
        return 1;
    }
    if (*at == '.')
        at++;
    out->key = at;
    out->length = strcspn(at, ".[");
    *path = at + out->length;
    return out->length > 0;
}

/* ---- the walk ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static void skip_string(cursor *c) { /* from the opening quote on */
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\')
            c->at++;
    c->at = c->at < c->end ? c->at + 1 : c->end;
}

static void skip_value(cursor *c) {
    size_t depth = 0;
    skip_space(c);
    while (c->at < c->end) {
        char ch = *c->at;
        if (ch == '"') {
            skip_string(c);
            if (depth == 0)
                return;
            continue;
        }
        if (depth == 0 && (ch == ',' || ch == ']' || ch == '}'))
            return;
        depth += ch == '{' || ch == '[';
        depth -= ch == '}' || ch == ']';
        c->at++;
        if (depth == 0 && (ch == '}' || ch == ']'))
            return;
    }
}

static int key_is(const char *quoted, size_t n, const step *wanted) {
    json_t *key = json_loadb(quoted, n, JSON_DECODE_ANY, NULL);
    int same = json_string_length(key) == wanted->length &&
               memcmp(json_string_value(key), wanted->key, wanted->length) == 0;
    json_decref(key);
    return same;
}

/* Moves from the start of an object or list to the wanted key or entry; returns 0 if it is not there. */
static int descend(cursor *c, const step *wanted) {
    skip_space(c);
    if (c->at == c->end || *c->at != (wanted->key ? '{' : '['))
        return 0;
    c->at++;
    for (size_t i = 0;; i++) {
        skip_space(c);
        if (c->at == c->end || *c->at == '}' || *c->at == ']')
            return 0;
        if (!wanted->key && i == wanted->index)
            return 1;
        if (wanted->key) {
            const char *key = c->at;
            skip_string(c);
            if (key_is(key, (size_t)(c->at - key), wanted)) {
                c->at = key;
                return 1;
            }
            skip_space(c);
            c->at += c->at < c->end; /* the colon */
        }
        skip_value(c);
        skip_space(c);
        if (c->at < c->end && *c->at == ',')
            c->at++;
    }
}

static size_t line_of(const gnt_doc *doc, const char *at) {
    size_t line = 1;
    for (const char *p = doc->text; p < at; p++)
        line += *p == '\n';
    return line;
}

size_t gnt_doc_line(const gnt_doc *doc, const char *path) {
    if (!doc->text)
        return 1;
    cursor c = {doc->text, doc->text + doc->size};
    skip_space(&c);
    const char *found = c.at;
    for (step s; next_step(&path, &s) && descend(&c, &s);) {
        found = c.at;
        if (s.key) { /* on to the value */
            skip_string(&c);
            skip_space(&c);
            c.at += c.at < c.end;
        }
    }
    return line_of(doc, found);
}

int gnt_doc_fail(gnt_err *err, const gnt_doc *doc, const char *path, const char *format, ...) {
    va_list args;
    gnt_err said = {0};
    va_start(args, format);
    gnt_vfail(&said, format, args);
    va_end(args);
    return gnt_fail(err, "%.300s:%zu: %s%s%.900s", doc->name ? doc->name : "?", gnt_doc_line(doc, path), path,
                    *path ? ": " : "", said.text);
}

/* ---- values in sentences ---- */

gnt_shown gnt_show_text(const char *text) {
    gnt_shown out;
    int n = whole_characters(text, 48);
    snprintf(out.text, sizeof out.text, "\"%.*s%s\"", n, text, text[n] ? "…" : "");
    return out;
}

gnt_shown gnt_show(const json_t *value) {
    gnt_shown out;
    char number[GNT_NUMBER_SIZE];
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        snprintf(out.text, sizeof out.text, "an object");
        break;
    case JSON_ARRAY:
        snprintf(out.text, sizeof out.text, json_array_size(value) ? "a list of %zu" : "an empty list",
                 json_array_size(value));
        break;
    case JSON_STRING:
        return gnt_show_text(json_string_value(value));
    case JSON_INTEGER:
        snprintf(out.text, sizeof out.text, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        gnt_number_text(json_real_value(value), number);
        snprintf(out.text, sizeof out.text, "%s", number);
        break;
    default:
        snprintf(out.text, sizeof out.text, "%s",
                 json_is_true(value)    ? "true"
                 : json_is_false(value) ? "false"
                                        : "null");
    }
    return out;
}

void gnt_list_names(gnt_text *text, const char *const *names, size_t n, size_t most) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        used += strlen(names[i]) + 4;
        if (used > most) {
            gnt_text_add(text, ", … (%zu in all)", n);
            return;
        }
        gnt_text_add(text, "%s\"%s\"", i == 0 ? "" : i + 1 == n ? " or " : ", ", names[i]);
    }
}
