/* JSON written one way only, so that a digest of it means something. */
#include "base/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *gnt_number_text(double value, char out[GNT_NUMBER_SIZE]) {
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(out, GNT_NUMBER_SIZE, "%.0f", value == 0 ? 0.0 : value); /* −0 is 0 */
        return out;
    }
    for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(out, GNT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

/* Returns the number of bytes of the well-formed UTF-8 character at `s`, 0 if there is none (Unicode 15,
 * table 3-7). */
static size_t character(const unsigned char *s) {
    if (s[0] < 0x80)
        return s[0] ? 1 : 0;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

void gnt_json_add_text(gnt_text *out, const char *text) {
    gnt_text_bytes(out, "\"", 1);
    for (const char *at = text; *at;) {
        unsigned char c = (unsigned char)*at;
        size_t n = character((const unsigned char *)at);
        if (c == '"' || c == '\\')
            gnt_text_add(out, "\\%c", c);
        else if (c == '\n')
            gnt_text_add(out, "\\n");
        else if (c == '\t')
            gnt_text_add(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            gnt_text_add(out, "\\u%04x", c);
        else if (n)
            gnt_text_bytes(out, at, n);
        else
            gnt_text_add(out, "\xef\xbf\xbd");
        at += n ? n : 1;
    }
    gnt_text_bytes(out, "\"", 1);
}

void gnt_json_add_real(gnt_text *out, double value) {
    char number[GNT_NUMBER_SIZE] = "null";
    if (isfinite(value))
        gnt_number_text(value, number);
    gnt_text_add(out, "%s", number);
}

json_t *gnt_json_real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* How values are written: on one line with sorted keys, or for a person to read. */
typedef struct form {
    int readable;
    /* Spaces before a key or a list's entry that begins a line. */
    int indent;
} form;

static void add_value(gnt_text *out, const json_t *value, form how);

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void begin_line(gnt_text *out, form how) {
    if (how.readable)
        gnt_text_add(out, "\n%*s", how.indent, "");
}

static void add_object(gnt_text *out, json_t *object, form how) {
    const form inside = {how.readable, how.indent + 1};
    size_t n = json_object_size(object), i = 0;
    const char **keys = gnt_array(n + 1, sizeof *keys), *key;
    json_t *value;
    if (!keys) {
        out->failed = 1;
        return;
    }
    json_object_foreach(object, key, value) {
        keys[i++] = key;
    }
    if (!how.readable)
        qsort(keys, n, sizeof *keys, by_bytes);
    for (i = 0; i < n; i++) {
        gnt_text_bytes(out, i ? "," : "{", 1);
        begin_line(out, inside);
        gnt_json_add_text(out, keys[i]);
        gnt_text_add(out, how.readable ? ": " : ":");
        add_value(out, json_object_get(object, keys[i]), inside);
    }
    if (n)
        begin_line(out, how);
    gnt_text_add(out, n ? "}" : "{}");
    gnt_free(keys);
}

/* Adds a list; of objects or lists each begins a line of its own where a person is to read it. */
static void add_list(gnt_text *out, const json_t *list, form how) {
    const form inside = {how.readable, how.indent + 1};
    const json_t *first = json_array_get(list, 0);
    const int lines = json_is_object(first) || json_is_array(first);
    gnt_text_bytes(out, "[", 1);
    for (size_t i = 0; i < json_array_size(list); i++) {
        gnt_text_add(out, "%s%s", i ? "," : "", i && how.readable && !lines ? " " : "");
        if (lines)
            begin_line(out, inside);
        add_value(out, json_array_get(list, i), inside);
    }
    if (lines)
        begin_line(out, how);
    gnt_text_bytes(out, "]", 1);
}

static void add_value(gnt_text *out, const json_t *value, form how) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        add_object(out, (json_t *)(uintptr_t)value, how); /* jansson iterates over non-const objects only */
        break;
    case JSON_ARRAY:
        add_list(out, value, how);
        break;
    case JSON_STRING:
        gnt_json_add_text(out, json_string_value(value));
        break;
    case JSON_INTEGER:
        gnt_text_add(out, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        gnt_json_add_real(out, json_real_value(value));
        break;
    default:
        gnt_text_add(out, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

static char *text_of(const json_t *value, form how) {
    gnt_text out;
    gnt_text_init(&out, (size_t)64 << 20);
    add_value(&out, value, how);
    if (how.readable)
        gnt_text_add(&out, "\n");
    return gnt_text_take(&out);
}

char *gnt_json_canonical(const json_t *value) {
    return text_of(value, (form){0});
}

char *gnt_json_readable(const json_t *value) {
    return text_of(value, (form){.readable = 1});
}
