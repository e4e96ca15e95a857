/* Reading documents: the file and its syntax, then typed values. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/lookalike.h"
#include "base/mem.h"

/* ---- syntax ---- */

static int fail_at(gnt_err *err, const gnt_doc *doc, size_t offset, const char *what) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < offset && i < doc->size; i++) {
        column = doc->text[i] == '\n' ? 1 : column + (((unsigned char)doc->text[i] & 0xc0) != 0x80);
        line += doc->text[i] == '\n';
    }
    return gnt_fail(err, "%.300s:%zu:%zu: %s", doc->name, line, column, what);
}

/* Checks the bytes first, for faults that jansson accepts or would only call a parse error. */
static int check_bytes(const gnt_doc *doc, gnt_err *err) {
    const char *text = doc->text;
    size_t depth = 0;
    int quoted = 0;
    if (doc->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return fail_at(err, doc, 0, "begins with a byte order mark; save it as UTF-8 without one");
    if (doc->size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return fail_at(err, doc, 0, "is UTF-16; save it as UTF-8");
    if (doc->size == strspn(text, " \t\r\n"))
        return fail_at(err, doc, 0, "is empty; expected a JSON object: { … }");
    for (size_t i = 0; i < doc->size; i++) {
        char c = text[i];
        if (c == 0)
            return fail_at(err, doc, i, "holds a zero byte; expected JSON text");
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && depth)
            depth--;
        if (depth > GNT_DOC_DEPTH)
            return fail_at(err, doc, i,
                           "is nested deeper than 32 levels; expected lists and objects a few levels deep");
    }
    return 0;
}

/* Returns the usual cause of a complaint of jansson, or NULL. `at`: offset of the token at which parsing
 * failed. */
static const char *usual_cause(const gnt_doc *doc, size_t at) {
    const char *text = doc->text;
    size_t before = at;
    while (before > 0 && strchr(" \t\r\n", text[before - 1]))
        before--;
    char last = before ? text[before - 1] : 0, c = at < doc->size ? text[at] : 0;
    if ((c == '}' || c == ']') && last == ',')
        return "a comma precedes the closing bracket; remove the comma";
    if (c == '/' || c == '#')
        return "JSON has no comments; remove this one";
    if (c == '\'')
        return "text is in single quotes; use double quotes";
    if (strncmp(text + at, "NaN", 3) == 0 || strncmp(text + at, "Infinity", 8) == 0 ||
        strncmp(text + at, "-Infinity", 9) == 0 || strncmp(text + at, "inf", 3) == 0 ||
        strncmp(text + at, "nan", 3) == 0)
        return "NaN and infinity are no JSON numbers; write a finite number";
    if (strncmp(text + at, "True", 4) == 0 || strncmp(text + at, "False", 5) == 0 ||
        strncmp(text + at, "None", 4) == 0)
        return "JSON writes true, false and null in lower case";
    if ((c == '"' || c == '{' || c == '[') && last != 0 && last != ',' && last != '{' && last != '[' &&
        last != ':')
        return "a comma or colon is missing before this; add it";
    if (c == '}' || c == ']')
        return "a value is missing before this bracket, or it closes a bracket of the other kind";
    if (c == '+' || c == '.' || (c >= '0' && c <= '9'))
        return "not a JSON number; expected forms such as 12, 0.5 or 1e-3";
    if (strncmp(text + at, "true", 4) != 0 && strncmp(text + at, "false", 5) != 0 &&
        strncmp(text + at, "null", 4) != 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
        return "text and keys need double quotes; add them";
    return NULL;
}

/* Returns the offset of the token that ends at or begins after jansson's position. */
static size_t token_start(const gnt_doc *doc, const json_error_t *e) {
    size_t at = e->position > 0 ? (size_t)e->position : 0;
    if (at > doc->size)
        at = doc->size;
    const char *near = strstr(e->text, "near '");
    if (near) {
        near += 6;
        const char *close = strrchr(near, '\'');
        size_t n = close ? (size_t)(close - near) : 0;
        if (n && n <= at && memcmp(doc->text + at - n, near, n) == 0)
            return at - n;
    }
    return at ? at - 1 : 0;
}

/* Cuts jansson's "… near '"seed"'" down to "seed" with its quotes, in place. */
static const char *quoted_name(json_error_t *e) {
    char *near = strstr(e->text, "near '"), *end = near ? strrchr(near, '\'') : NULL;
    if (!near || end < near + 6)
        return "here";
    *end = 0;
    return near + 6;
}

static int syntax_error(const gnt_doc *doc, json_error_t *e, gnt_err *err) {
    size_t at = token_start(doc, e);
    gnt_err said = {0};
    const char *cause = usual_cause(doc, at);
    int n = (int)strcspn(doc->text + at, " \t\r\n,]}");
    n = n > 24 ? 24 : n < 1 ? 1 : n;
    switch (json_error_code(e)) {
    case json_error_duplicate_key:
        gnt_fail(&said, "the key %.60s occurs twice in one object; keep one of them", quoted_name(e));
        break;
    case json_error_premature_end_of_input:
        at = doc->size;
        gnt_fail(
            &said,
            "the file ends inside a value; a closing bracket or quote is missing (is the file cut short?)");
        break;
    case json_error_invalid_utf8:
        gnt_fail(&said, "bytes that are not UTF-8; save the file as UTF-8");
        break;
    case json_error_numeric_overflow:
        gnt_fail(&said, "the number %.*s is too large; integers fit 64 bits, reals are below 1.8e308", n,
                 doc->text + at);
        break;
    case json_error_end_of_input_expected:
        gnt_fail(&said,
                 "something follows the end of the document; expected one JSON object and nothing after it");
        break;
    case json_error_null_character:
        gnt_fail(&said, "text with a zero character (\\u0000); remove it");
        break;
    default:
        if (strstr(e->text, "unexpected newline") || strstr(e->text, "control character"))
            gnt_fail(
                &said,
                "text holds a line break or control character; close the quote on its line, or write \\n");
        else if (strstr(e->text, "invalid escape"))
            gnt_fail(&said, "text holds a backslash that begins no escape; write \\\\ for a backslash");
        else if (strstr(e->text, "string or '}' expected") &&
                 (!cause || strchr("+-.0123456789", doc->text[at])))
            gnt_fail(&said, "expected a key in double quotes, or } to end the object");
        else if (strstr(e->text, "':' expected"))
            gnt_fail(&said, "a key has no value; write \"key\": value");
        else if (cause)
            gnt_fail(&said, "%s", cause);
        else
            gnt_fail(&said, "not JSON: %.120s", e->text);
    }
    return fail_at(err, doc, at, said.text);
}

static int parse(gnt_doc *doc, gnt_err *err) {
    json_error_t e;
    if (check_bytes(doc, err) != 0)
        return -1;
    doc->root = json_loadb(doc->text, doc->size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    return doc->root ? 0 : syntax_error(doc, &e, err);
}

int gnt_doc_load(gnt_doc *doc, const char *path, size_t most, gnt_err *err) {
    uint8_t *bytes = NULL;
    *doc = (gnt_doc){0};
    if (gnt_file_read(path, most, &bytes, &doc->size, err) != 0)
        return -1;
    doc->text = (char *)bytes;
    doc->name = gnt_strdup(path);
    if (!doc->name ? gnt_fail(err, "%s: out of memory", path) : parse(doc, err)) {
        gnt_doc_free(doc);
        return -1;
    }
    return 0;
}

int gnt_doc_parse(gnt_doc *doc, const char *name, const char *text, size_t size, gnt_err *err) {
    *doc = (gnt_doc){.size = size};
    doc->name = gnt_strdup(name);
    doc->text = size < SIZE_MAX ? gnt_array(size + 1, 1) : NULL;
    if (doc->text)
        memcpy(doc->text, text, size);
    if (!doc->name || !doc->text ? gnt_fail(err, "%s: out of memory", name) : parse(doc, err)) {
        gnt_doc_free(doc);
        return -1;
    }
    return 0;
}

void gnt_doc_free(gnt_doc *doc) {
    json_decref(doc->root);
    gnt_free(doc->name);
    gnt_free(doc->text);
    *doc = (gnt_doc){0};
}

/* ---- typed reading ---- */

static gnt_doc_watch_fn *watching;
static void *watcher;

void gnt_doc_watch(gnt_doc_watch_fn *watch, void *user) {
    watching = watch;
    watcher = user;
}

void gnt_doc_expect(const gnt_doc *doc, const char *path, const char *key, gnt_doc_expected expected) {
    if (watching)
        watching(watcher, doc, key ? gnt_path_key(path, key).text : path, &expected);
}

static int wrong(const gnt_doc *doc, const char *path, const json_t *value, const char *expected,
                 gnt_err *err) {
    return gnt_doc_fail(err, doc, path, "is %s; expected %s", gnt_show(value).text, expected);
}

int gnt_doc_need(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                 const char *meaning, gnt_err *err) {
    if (json_object_get(object, key))
        return 0;
    return gnt_doc_fail(err, doc, path, "\"%s\" is missing; add %s", key, meaning);
}

int gnt_doc_keys(const gnt_doc *doc, const char *path, const json_t *value, const char *const *keys, size_t n,
                 gnt_err *err) {
    gnt_doc_expect(doc, path, NULL, (gnt_doc_expected){GNT_DOC_KEYS, 0, 0, keys, n});
    const char *key;
    json_t *object = (json_t *)(uintptr_t)value, *member; /* jansson iterates over non-const objects only */
    if (!json_is_object(value))
        return wrong(doc, path, value, "an object: { … }", err);
    json_object_foreach(object, key, member) {
        size_t i = 0;
        while (i < n && strcmp(keys[i], key) != 0)
            i++;
        if (i < n)
            continue;
        const char *near = gnt_nearest(key, keys, n);
        gnt_text known;
        gnt_text_init(&known, 2000);
        gnt_list_names(&known, keys, n, 300);
        gnt_doc_fail(err, doc, gnt_path_key(path, key).text, "unknown key; %s%s%sexpected %s",
                     near ? "did you mean \"" : "", near ? near : "", near ? "\"? " : "",
                     gnt_text_get(&known));
        gnt_text_free(&known);
        return -1;
    }
    return 0;
}

int gnt_doc_int_at(const gnt_doc *doc, const char *path, const json_t *value, int64_t least, int64_t most,
                   int64_t *out, gnt_err *err) {
    gnt_doc_expect(doc, path, NULL, (gnt_doc_expected){GNT_DOC_INT, (double)least, (double)most, NULL, 0});
    int64_t v = 0;
    double r = json_is_real(value) ? json_real_value(value) : 0;
    int whole = json_is_integer(value) || (json_is_real(value) && r == floor(r) && fabs(r) < 0x1p63);
    if (whole)
        v = json_is_integer(value) ? (int64_t)json_integer_value(value) : (int64_t)r;
    if (whole && v >= least && v <= most) {
        *out = v;
        return 0;
    }
    if (most == INT64_MAX)
        return gnt_doc_fail(err, doc, path, "is %s; expected an integer, at least %lld", gnt_show(value).text,
                            (long long)least);
    return gnt_doc_fail(err, doc, path, "is %s; expected an integer from %lld to %lld", gnt_show(value).text,
                        (long long)least, (long long)most);
}

int gnt_doc_real_at(const gnt_doc *doc, const char *path, const json_t *value, double least, double most,
                    double *out, gnt_err *err) {
    gnt_doc_expect(doc, path, NULL, (gnt_doc_expected){GNT_DOC_REAL, least, most, NULL, 0});
    if (json_is_number(value)) {
        double v = json_number_value(value);
        if (isfinite(v) && v >= least && v <= most) {
            *out = v;
            return 0;
        }
    }
    char low[GNT_NUMBER_SIZE] = "", high[GNT_NUMBER_SIZE] = "";
    if (isfinite(least))
        gnt_number_text(least, low);
    if (isfinite(most))
        gnt_number_text(most, high);
    if (*low && *high)
        return gnt_doc_fail(err, doc, path, "is %s; expected a number from %s to %s", gnt_show(value).text,
                            low, high);
    return gnt_doc_fail(err, doc, path, "is %s; expected a number%s%s", gnt_show(value).text,
                        *low    ? ", at least "
                        : *high ? ", at most "
                                : "",
                        *low ? low : high);
}

int gnt_doc_text_at(const gnt_doc *doc, const char *path, const json_t *value, size_t most, const char **out,
                    gnt_err *err) {
    gnt_doc_expect(doc, path, NULL, (gnt_doc_expected){GNT_DOC_TEXT, 0, (double)most, NULL, 0});
    if (!json_is_string(value))
        return wrong(doc, path, value, "text in double quotes", err);
    const char *text = json_string_value(value);
    size_t n = json_string_length(value);
    if (n == 0)
        return gnt_doc_fail(err, doc, path, "is empty text; expected 1 to %zu characters", most);
    if (n > most)
        return gnt_doc_fail(err, doc, path, "is %zu bytes of text; expected at most %zu", n, most);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return gnt_doc_fail(err, doc, path, "holds a control character; remove it");
    const uint32_t hidden = gnt_hidden_character(text);
    if (hidden)
        return gnt_doc_fail(err, doc, path, "holds the invisible character U+%04X; remove it",
                            (unsigned)hidden);
    *out = text;
    return 0;
}

int gnt_doc_choice_at(const gnt_doc *doc, const char *path, const json_t *value, const char *const *choices,
                      size_t n, int *out, gnt_err *err) {
    gnt_doc_expect(doc, path, NULL, (gnt_doc_expected){GNT_DOC_CHOICE, 0, 0, choices, n});
    for (size_t i = 0; i < n && json_is_string(value); i++)
        if (strcmp(json_string_value(value), choices[i]) == 0) {
            *out = (int)i;
            return 0;
        }
    const char *near = json_is_string(value) ? gnt_nearest(json_string_value(value), choices, n) : NULL;
    gnt_text known;
    gnt_text_init(&known, 2000);
    gnt_list_names(&known, choices, n, 400);
    gnt_doc_fail(err, doc, path, "is %s; %s%s%sexpected %s", gnt_show(value).text,
                 near ? "did you mean \"" : "", near ? near : "", near ? "\"? " : "", gnt_text_get(&known));
    gnt_text_free(&known);
    return -1;
}

#define READ_MEMBER(call)                                                                                    \
    const json_t *value = json_object_get(object, key);                                                      \
    if (!value)                                                                                              \
        return 0;                                                                                            \
    const gnt_path at = gnt_path_key(path, key);                                                             \
    return call

int gnt_doc_int(const gnt_doc *doc, const char *path, const json_t *object, const char *key, int64_t least,
                int64_t most, int64_t *out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_INT, (double)least, (double)most, NULL, 0});
    READ_MEMBER(gnt_doc_int_at(doc, at.text, value, least, most, out, err));
}

int gnt_doc_real(const gnt_doc *doc, const char *path, const json_t *object, const char *key, double least,
                 double most, double *out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_REAL, least, most, NULL, 0});
    READ_MEMBER(gnt_doc_real_at(doc, at.text, value, least, most, out, err));
}

int gnt_doc_text(const gnt_doc *doc, const char *path, const json_t *object, const char *key, size_t most,
                 const char **out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_TEXT, 0, (double)most, NULL, 0});
    READ_MEMBER(gnt_doc_text_at(doc, at.text, value, most, out, err));
}

int gnt_doc_choice(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                   const char *const *choices, size_t n, int *out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_CHOICE, 0, 0, choices, n});
    READ_MEMBER(gnt_doc_choice_at(doc, at.text, value, choices, n, out, err));
}

int gnt_doc_bool(const gnt_doc *doc, const char *path, const json_t *object, const char *key, int *out,
                 gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_BOOL, 0, 0, NULL, 0});
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (!json_is_boolean(value))
        return wrong(doc, gnt_path_key(path, key).text, value, "true or false", err);
    *out = json_is_true(value);
    return 0;
}

int gnt_doc_object(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                   const json_t **out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_OBJECT, 0, 0, NULL, 0});
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (!json_is_object(value))
        return wrong(doc, gnt_path_key(path, key).text, value, "an object: { … }", err);
    *out = value;
    return 0;
}

int gnt_doc_list(const gnt_doc *doc, const char *path, const json_t *object, const char *key, size_t least,
                 size_t most, const json_t **out, gnt_err *err) {
    gnt_doc_expect(doc, path, key, (gnt_doc_expected){GNT_DOC_LIST, (double)least, (double)most, NULL, 0});
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    const gnt_path at = gnt_path_key(path, key);
    if (!json_is_array(value))
        return wrong(doc, at.text, value, "a list: [ … ]", err);
    size_t n = json_array_size(value);
    if (n < least || n > most)
        return gnt_doc_fail(err, doc, at.text, "is %s; expected %zu to %zu entries", gnt_show(value).text,
                            least, most);
    *out = value;
    return 0;
}
