#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields_impl.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"

/* The way from the root of the document to a value: a key or, at NULL, the place in a list. A path is made of
 * it only for a sentence. */
typedef struct step {
    const struct step *up;
    const char *key;
    size_t index;
} step;

/* One field that is being read: where it is, and what all of them share. */
typedef struct reading {
    const gnt_field *field;
    const json_t *value;
    const step *at;
    gnt_arena *arena;
    gnt_err *err;
} reading;

static int decode_struct(const gnt_fields *fields, void *to, const reading *r);

static gnt_path path_of(const step *s) {
    gnt_path path = {""};
    if (!s->up) {
        snprintf(path.text, sizeof path.text, "%s", s->key);
        return path;
    }
    path = path_of(s->up);
    return s->key ? gnt_path_key(path.text, s->key) : gnt_path_item(path.text, s->index);
}

/* Returns the value's place in the document, as error sentences begin. */
static const char *place_of(const reading *r, gnt_path *path) {
    *path = path_of(r->at);
    return path->text[0] ? path->text : "the document";
}

static int expected(const reading *r, const char *what) {
    gnt_path path;
    const int nullable = r->field && r->field->nullable;
    return gnt_fail(r->err, "%s: is %s, expected %s%s", place_of(r, &path), gnt_show(r->value).text, what,
                    nullable ? " or null" : "");
}

static int no_memory(const reading *r) {
    gnt_path path;
    return gnt_fail(r->err, "%s: out of memory", place_of(r, &path));
}

/* ---- single values ---- */

static int decode_int(const reading *r, int64_t *out) {
    const gnt_field *f = r->field;
    const int any = !f->least && !f->most;
    const int64_t value = json_integer_value(r->value);
    *out = value;
    if (json_is_integer(r->value) && value >= f->least && (any || value <= f->most))
        return 0;
    char range[96];
    snprintf(range, sizeof range, "an integer from %" PRId64 " to %" PRId64, f->least,
             any ? INT64_MAX : f->most);
    return expected(r, range);
}

static int decode_real(const reading *r, double *out) {
    const gnt_field *f = r->field;
    const int any = f->low == 0 && f->high == 0;
    const double low = any ? -DBL_MAX : f->low, high = any ? DBL_MAX : f->high;
    const double value = json_number_value(r->value);
    *out = value;
    if (json_is_number(r->value) && value >= low && value <= high)
        return 0;
    char range[96];
    snprintf(range, sizeof range, any ? "a number" : "a number from %g to %g", low, high);
    return expected(r, range);
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
    gnt_path path; /* a key is not shown */
    return sound ? 0 : gnt_fail(r->err, "%s: is no key, expected 64 hexadecimal digits", place_of(r, &path));
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
    gnt_path path;
    return gnt_fail(r->err, "%s: is %s, expected one of %s", place_of(r, &path), gnt_show(value).text, all);
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
        gnt_path path;
        if (*out & bit)
            return gnt_fail(r->err, "%s: names %s twice", place_of(r, &path), gnt_show(one).text);
        *out |= bit;
    }
    return 0;
}

/* ---- lists ---- */

/* Checks that the value is a list, and sets *n to its length, which the field limits. */
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
        const step below = {r->at, NULL, i};
        reading entry = *r;
        entry.value = json_array_get(r->value, i);
        entry.at = &below;
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
    if (!r->field->nullable || !json_is_null(r->value))
        return decode_real(r, to);
    *(double *)to = NAN;
    return 0;
}

static int text_entry(const reading *r, void *to) {
    return decode_text(r, to);
}

static int group_entry(const reading *r, void *to) {
    return decode_struct(r->field->group, to, r);
}

/* Stores a list, which is always a pointer and a number. */
static void set_list(void *to, const void *at, size_t n) {
    memcpy(to, &at, sizeof at);
    memcpy((char *)to + sizeof at, &n, sizeof n);
}

static int decode_list_of(const reading *r, void *to, size_t size, int (*one)(const reading *r, void *to)) {
    const void *at = NULL;
    size_t n = 0;
    if (decode_list(r, &at, &n, size, one) != 0)
        return -1;
    set_list(to, at, n);
    return 0;
}

static int decode_reals(const reading *r, void *to) {
    if (!r->field->single || json_is_array(r->value))
        return decode_list_of(r, to, sizeof(double), real_entry);
    double *one = gnt_arena_array(r->arena, 1, sizeof *one);
    if (!one)
        return no_memory(r);
    set_list(to, one, 1);
    return decode_real(r, one);
}

/* Reads an open map. An entry that is null is left out, unless null is a value there. */
static int decode_map(const reading *r, void *to) {
    const gnt_fields *of = r->field->group;
    const size_t most = r->field->most_entries ? r->field->most_entries : GNT_FIELD_MOST_ENTRIES;
    const char *name;
    json_t *value;
    size_t n = 0;
    if (!json_is_object(r->value) || json_object_size(r->value) > most)
        return expected(r, "an object");
    char *all = gnt_arena_array(r->arena, json_object_size(r->value), of->size);
    if (!all)
        return no_memory(r);
    json_object_foreach((json_t *)(uintptr_t)r->value, name, value) {
        const step at = {r->at, name, 0};
        const reading entry = {r->field, value, &at, r->arena, r->err};
        void *one = all + n * of->size;
        if (of->open && !of->nullable && of->form != GNT_FIELDS_BARE && json_is_null(value))
            continue;
        if (decode_struct(of, one, &entry) != 0)
            return -1;
        const char *copy = gnt_arena_text(r->arena, name);
        if (!copy)
            return no_memory(r);
        memcpy(one, &copy, sizeof copy);
        n++;
    }
    set_list(to, all, n);
    return 0;
}

static int decode_json(const reading *r, const char **out) {
    char *text = json_dumps(r->value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    *out = gnt_arena_text(r->arena, text);
    gnt_free(text);
    return *out ? 0 : no_memory(r);
}

/* ---- groups ---- */

static int decode_group(const reading *r, void *to) {
    const gnt_fields *of = r->field->group;
    if (!gnt_field_is_pointer(r->field))
        return decode_struct(of, to, r);
    void *group = gnt_arena_array(r->arena, 1, of->size);
    if (!group)
        return no_memory(r);
    memcpy(to, &group, sizeof group);
    return decode_struct(of, group, r);
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
        return decode_reals(r, to);
    case GNT_FIELD_TEXTS:
        return decode_list_of(r, to, sizeof(char *), text_entry);
    case GNT_FIELD_GROUP:
        return decode_group(r, to);
    case GNT_FIELD_LIST:
        return decode_list_of(r, to, r->field->group->size, group_entry);
    case GNT_FIELD_MAP:
        return decode_map(r, to);
    case GNT_FIELD_JSON:
        return decode_json(r, to);
    }
    return expected(r, "a type that can be read");
}

/* ---- structs ---- */

static int check_known(const gnt_fields *fields, const reading *r) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)r->value, name, value) {
        size_t i = 0;
        gnt_path path;
        while (i < fields->n && strcmp(fields->field[i].name, name) != 0)
            i++;
        if (i == fields->n)
            return gnt_fail(r->err, "%s: has the unknown field %s", place_of(r, &path),
                            gnt_show_text(name).text);
    }
    return 0;
}

/* True if null or a missing field leaves a struct without a value for it. */
static int may_lack(const gnt_fields *fields, const gnt_field *f, const json_t *value) {
    if (fields->open)
        return !f->needed;
    return value ? f->nullable : f->optional;
}

static int decode_field(const gnt_fields *fields, const gnt_field *f, void *to, const reading *r) {
    gnt_path path;
    void *member = (char *)to + f->offset;
    if (r->value && fields->there && f->optional)
        gnt_fields_mark(fields, to, member);
    if (!r->value || json_is_null(r->value)) {
        if (may_lack(fields, f, r->value)) {
            if (!fields->open)
                gnt_field_clear(f, member, r->value != NULL);
            return 0;
        }
        if (!r->value)
            return gnt_fail(r->err, "%s: is missing", place_of(r, &path));
    }
    return decode(r, member);
}

static int decode_tuple(const gnt_fields *fields, void *to, const reading *r) {
    if (json_array_size(r->value) != fields->n || !json_is_array(r->value)) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a list of %zu", fields->n);
        return expected(r, wanted);
    }
    for (size_t i = 0; i < fields->n; i++) {
        const step at = {r->at, NULL, i};
        const reading one = {&fields->field[i], json_array_get(r->value, i), &at, r->arena, r->err};
        if (decode_field(fields, one.field, to, &one) != 0)
            return -1;
    }
    return 0;
}

static int decode_struct(const gnt_fields *fields, void *to, const reading *r) {
    gnt_fields_clear(fields, to);
    if (fields->form == GNT_FIELDS_TUPLE)
        return decode_tuple(fields, to, r);
    if (fields->nullable && json_is_null(r->value))
        return 0;
    if (fields->form == GNT_FIELDS_BARE || (fields->named && json_is_string(r->value))) {
        const reading bare = {&fields->field[0], r->value, r->at, r->arena, r->err};
        return decode_field(fields, bare.field, to, &bare);
    }
    if (!json_is_object(r->value)) {
        gnt_path path;
        return gnt_fail(r->err, "%s: is %s, expected an object", place_of(r, &path), gnt_show(r->value).text);
    }
    if (!fields->open && check_known(fields, r) != 0)
        return -1;
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const step at = {r->at, f->name, 0};
        const reading one = {f, json_object_get(r->value, f->name), &at, r->arena, r->err};
        if (decode_field(fields, f, to, &one) != 0)
            return -1;
    }
    return 0;
}

int gnt_fields_decode(const gnt_fields *fields, void *to, const json_t *json, gnt_arena *arena,
                      const char *where, gnt_err *err) {
    const step root = {NULL, where, 0};
    const reading r = {NULL, json, &root, arena, err};
    return decode_struct(fields, to, &r);
}
