#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/random.h"
#include "request/fields.h"

/* One field that is being read: where it is, and what all of them share. */
typedef struct reading {
    const gnt_field *field;
    const json_t *value;
    const char *path;
    gnt_arena *arena;
    gnt_err *err;
} reading;

static int expected(const reading *r, const char *what) {
    return gnt_fail(r->err, "%s: is %s, expected %s", r->path, gnt_show(r->value).text, what);
}

static int no_memory(const reading *r) {
    return gnt_fail(r->err, "%s: out of memory", r->path);
}

/* ---- single values ---- */

static int decode_int(const reading *r, int64_t *out) {
    const gnt_field *f = r->field;
    const int any = !f->least && !f->most;
    const int64_t value = json_integer_value(r->value);
    char range[96];
    snprintf(range, sizeof range, "an integer from %" PRId64 " to %" PRId64, f->least,
             any ? INT64_MAX : f->most);
    if (!json_is_integer(r->value) || value < f->least || (!any && value > f->most))
        return expected(r, range);
    *out = value;
    return 0;
}

static int decode_real(const reading *r, double *out) {
    const gnt_field *f = r->field;
    const int any = f->low == 0 && f->high == 0;
    const double low = any ? -DBL_MAX : f->low, high = any ? DBL_MAX : f->high;
    const double value = json_number_value(r->value);
    char range[96];
    snprintf(range, sizeof range, "a number from %g to %g", low, high);
    if (!json_is_number(r->value) || !(value >= low && value <= high))
        return expected(r, range);
    *out = value;
    return 0;
}

static int decode_text(const reading *r, const char **out) {
    const char *text = json_string_value(r->value);
    if (!text || json_string_length(r->value) > GNT_FIELD_MOST_TEXT)
        return expected(r, "a text");
    *out = gnt_arena_text(r->arena, text);
    return *out ? 0 : no_memory(r);
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode_key(const reading *r, gnt_key *out) {
    const char *text = json_string_value(r->value);
    const size_t n = sizeof out->b;
    int sound = text && strlen(text) == 2 * n;
    for (size_t i = 0; sound && i < n; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        sound = high >= 0 && low >= 0;
        if (sound)
            out->b[i] = (uint8_t)(high * 16 + low);
    }
    /* a key is not shown */
    return sound ? 0 : gnt_fail(r->err, "%s: is no key, expected 64 hexadecimal digits", r->path);
}

static int decode_word(const reading *r, const json_t *value, uint32_t *out) {
    const char *text = json_string_value(value);
    if (text && gnt_word_bit(r->field->words, text, out) == 0)
        return 0;
    char all[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->field->words->n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                 r->field->words->word[i].name);
    return gnt_fail(r->err, "%s: is %s, expected one of %s", r->path, gnt_show(value).text, all);
}

static int decode_bits(const reading *r, uint32_t *out) {
    const json_t *one;
    size_t i;
    *out = 0;
    if (!json_is_array(r->value))
        return expected(r, "a list of words");
    json_array_foreach(r->value, i, one) {
        uint32_t bit = 0;
        if (decode_word(r, one, &bit) != 0)
            return -1;
        if (*out & bit)
            return gnt_fail(r->err, "%s: names %s twice", r->path, gnt_show(one).text);
        *out |= bit;
    }
    return 0;
}

/* ---- lists ---- */

/* *n entries, as many as the field allows. */
static int check_list(const reading *r, size_t *n) {
    const gnt_field *f = r->field;
    const size_t most = f->most_entries ? f->most_entries : GNT_FIELD_MOST_ENTRIES;
    char wanted[64];
    *n = json_array_size(r->value);
    if (f->count)
        snprintf(wanted, sizeof wanted, "a list of %zu", f->count);
    else
        snprintf(wanted, sizeof wanted, "a list of at most %zu", most);
    return json_is_array(r->value) && (f->count ? *n == f->count : *n <= most) ? 0 : expected(r, wanted);
}

/* Decodes every entry of a list of `size` bytes each. */
static int decode_list(const reading *r, const void **list, size_t *count, size_t size,
                       int (*one)(const reading *r, void *to)) {
    size_t n;
    if (check_list(r, &n) != 0)
        return -1;
    char *at = gnt_arena_array(r->arena, n, size);
    if (!at)
        return no_memory(r);
    for (size_t i = 0; i < n; i++) {
        const gnt_path path = gnt_path_item(r->path, i);
        reading entry = *r;
        entry.value = json_array_get(r->value, i);
        entry.path = path.text;
        if (one(&entry, at + i * size) != 0)
            return -1;
    }
    *list = at;
    *count = n;
    return 0;
}

static int int_entry(const reading *r, void *to) {
    return decode_int(r, to);
}

static int real_entry(const reading *r, void *to) {
    return decode_real(r, to);
}

static int text_entry(const reading *r, void *to) {
    return decode_text(r, to);
}

static int group_entry(const reading *r, void *to) {
    return gnt_fields_decode(r->field->group, to, r->value, r->arena, r->path, r->err);
}

/* Every list is a pointer and a number. */
static int decode_list_of(const reading *r, void *to, size_t size, int (*one)(const reading *r, void *to)) {
    const void *at;
    size_t n;
    if (decode_list(r, &at, &n, size, one) != 0)
        return -1;
    memcpy(to, &at, sizeof at);
    memcpy((char *)to + sizeof at, &n, sizeof n);
    return 0;
}

/* ---- groups ---- */

static int decode_group(const reading *r, void *to) {
    const gnt_fields *of = r->field->group;
    if (!r->field->optional)
        return gnt_fields_decode(of, to, r->value, r->arena, r->path, r->err);
    void *group = gnt_arena_array(r->arena, 1, of->size);
    if (!group)
        return no_memory(r);
    memcpy(to, &group, sizeof group);
    return gnt_fields_decode(of, group, r->value, r->arena, r->path, r->err);
}

static int decode(const reading *r, void *to) {
    uint32_t word = 0;
    switch (r->field->type) {
    case GNT_FIELD_INT:
        return decode_int(r, to);
    case GNT_FIELD_REAL:
        return decode_real(r, to);
    case GNT_FIELD_FLAG:
        *(int *)to = json_is_true(r->value);
        return json_is_boolean(r->value) ? 0 : expected(r, "true or false");
    case GNT_FIELD_TEXT:
        return decode_text(r, to);
    case GNT_FIELD_KEY:
        return decode_key(r, to);
    case GNT_FIELD_WORD:
        if (decode_word(r, r->value, &word) != 0)
            return -1;
        memcpy(to, &word, sizeof word);
        return 0;
    case GNT_FIELD_BITS:
        return decode_bits(r, to);
    case GNT_FIELD_INTS:
        return decode_list_of(r, to, sizeof(int64_t), int_entry);
    case GNT_FIELD_REALS:
        return decode_list_of(r, to, sizeof(double), real_entry);
    case GNT_FIELD_TEXTS:
        return decode_list_of(r, to, sizeof(char *), text_entry);
    case GNT_FIELD_GROUP:
        return decode_group(r, to);
    case GNT_FIELD_LIST:
        return decode_list_of(r, to, r->field->group->size, group_entry);
    }
    return gnt_fail(r->err, "%s: has no type that can be read", r->path);
}

static int check_known(const gnt_fields *fields, const json_t *json, const char *where, gnt_err *err) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, name, value) {
        size_t i = 0;
        while (i < fields->n && strcmp(fields->field[i].name, name) != 0)
            i++;
        if (i == fields->n)
            return gnt_fail(err, "%s: has the unknown field %s", where, gnt_show_text(name).text);
    }
    return 0;
}

int gnt_fields_decode(const gnt_fields *fields, void *to, const json_t *json, gnt_arena *arena,
                      const char *where, gnt_err *err) {
    memset(to, 0, fields->size);
    if (!json_is_object(json))
        return gnt_fail(err, "%s: is %s, expected an object", where, gnt_show(json).text);
    if (check_known(fields, json, where, err) != 0)
        return -1;
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const gnt_path path = gnt_path_key(where, f->name);
        const reading r = {f, json_object_get(json, f->name), path.text, arena, err};
        if (!r.value && f->optional)
            continue;
        if (!r.value)
            return gnt_fail(err, "%s: is missing", path.text);
        if (decode(&r, (char *)to + f->offset) != 0)
            return -1;
    }
    return 0;
}
