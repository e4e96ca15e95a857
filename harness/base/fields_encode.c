#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/fields_impl.h"
#include "base/random.h"

static const void *pointer_at(const void *at) {
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static json_t *encode_key(const gnt_key *key) {
    char hex[GNT_HEX_SIZE];
    gnt_digest d;
    memcpy(d.b, key->b, sizeof d.b);
    gnt_digest_hex(&d, hex);
    return json_string(hex);
}

static json_t *encode_bits(const gnt_words *words, uint32_t bits) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->n; i++)
        if (bits & words->word[i].bit)
            json_array_append_new(list, json_string(words->word[i].name));
    return list;
}

/* Makes a JSON list; `one` makes JSON of entry i. */
static json_t *encode_list(const void *list, size_t n, json_t *(*one)(const void *list, size_t i)) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        if (json_array_append_new(all, one(list, i)) != 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

static json_t *int_of(const void *list, size_t i) {
    return json_integer(((const gnt_ints *)list)->at[i]);
}

static json_t *real_of(const void *list, size_t i) {
    return json_real(((const gnt_reals *)list)->at[i]);
}

static json_t *real_or_null_of(const void *list, size_t i) {
    const double x = ((const gnt_reals *)list)->at[i];
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *text_of(const void *list, size_t i) {
    return json_string(((const gnt_texts *)list)->at[i]);
}

static json_t *encode_groups(const gnt_fields *of, const void *list, gnt_fields_part part) {
    const char *at = pointer_at(list);
    size_t n;
    memcpy(&n, (const char *)list + sizeof at, sizeof n);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        if (json_array_append_new(all, gnt_fields_encode(of, at + i * of->size, part)) != 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

static json_t *encode_reals(const gnt_field *f, const gnt_reals *list) {
    if (f->single && list->n == 1)
        return json_real(list->at[0]);
    return encode_list(list, list->n, f->nullable ? real_or_null_of : real_of);
}

static json_t *encode_map(const gnt_fields *of, const void *map, gnt_fields_part part) {
    const char *at = pointer_at(map);
    size_t n;
    memcpy(&n, (const char *)map + sizeof at, sizeof n);
    json_t *all = json_object();
    for (size_t i = 0; i < n; i++) {
        const char *entry = at + i * of->size;
        if (json_object_set_new(all, pointer_at(entry), gnt_fields_encode(of, entry, part)) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

static json_t *encode_text(const char *text) {
    return json_string(text ? text : "");
}

static json_t *encode_json(const char *text) {
    return text ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null();
}

/* Makes JSON of the value of one field that is present. */
static json_t *encode(const gnt_field *f, const void *at, gnt_fields_part part) {
    uint32_t word;
    switch (f->type) {
    case GNT_FIELD_INT:
        return json_integer(*(const int64_t *)at);
    case GNT_FIELD_REAL:
        return json_real(*(const double *)at);
    case GNT_FIELD_FLAG:
        return json_boolean(*(const int *)at);
    case GNT_FIELD_TEXT:
        return encode_text(pointer_at(at));
    case GNT_FIELD_KEY:
        return encode_key(at);
    case GNT_FIELD_WORD:
        memcpy(&word, at, sizeof word);
        return json_string(gnt_word_name(f->words, word));
    case GNT_FIELD_BITS:
        return encode_bits(f->words, *(const uint32_t *)at);
    case GNT_FIELD_INTS:
        return encode_list(at, ((const gnt_ints *)at)->n, int_of);
    case GNT_FIELD_REALS:
        return encode_reals(f, at);
    case GNT_FIELD_TEXTS:
        return encode_list(at, ((const gnt_texts *)at)->n, text_of);
    case GNT_FIELD_GROUP:
        return gnt_fields_encode(f->group, gnt_field_is_pointer(f) ? pointer_at(at) : at, part);
    case GNT_FIELD_LIST:
        return encode_groups(f->group, at, part);
    case GNT_FIELD_MAP:
        return encode_map(f->group, at, part);
    case GNT_FIELD_JSON:
        return encode_json(pointer_at(at));
    }
    return NULL;
}

int gnt_field_is_missing(const gnt_fields *fields, const gnt_field *f, const void *of) {
    const void *at = (const char *)of + f->offset;
    if (f->old || !f->optional)
        return f->old;
    return fields->there ? !gnt_fields_has(fields, of, at) : !gnt_field_is_set(f, at);
}

static json_t *encode_field(const gnt_field *f, const void *at, gnt_fields_part part) {
    return f->nullable && !gnt_field_is_set(f, at) ? json_null() : encode(f, at, part);
}

json_t *gnt_field_encode(const gnt_field *f, const void *member) {
    return encode_field(f, member, GNT_FIELDS_ALL);
}

static json_t *encode_tuple(const gnt_fields *fields, const void *from, gnt_fields_part part) {
    json_t *all = json_array();
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        if (json_array_append_new(all, encode_field(f, (const char *)from + f->offset, part)) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

json_t *gnt_fields_encode(const gnt_fields *fields, const void *from, gnt_fields_part part) {
    if (fields->form == GNT_FIELDS_TUPLE)
        return encode_tuple(fields, from, part);
    if (fields->form == GNT_FIELDS_BARE)
        return encode_field(&fields->field[0], (const char *)from + fields->field[0].offset, part);
    if (fields->nullable &&
        !gnt_field_is_set(&fields->field[0], (const char *)from + fields->field[0].offset))
        return json_null();
    json_t *all = json_object();
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const void *at = (const char *)from + f->offset;
        if ((f->is_place && part == GNT_FIELDS_IDENTITY) || gnt_field_is_missing(fields, f, from))
            continue;
        if (json_object_set_new(all, f->name, encode_field(f, at, part)) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

json_t *gnt_fields_encode_members(const gnt_fields *fields, const void *from, const size_t *member,
                                  size_t n) {
    json_t *all = json_object();
    for (size_t i = 0; i < n; i++) {
        const gnt_field *f = gnt_field_at(fields, member[i]);
        if (!f || gnt_field_is_missing(fields, f, from))
            continue;
        if (json_object_set_new(all, f->name, gnt_field_encode(f, (const char *)from + f->offset)) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}
