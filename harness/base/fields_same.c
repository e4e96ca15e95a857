/* Two structs compared by the rows of their table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields_impl.h"
#include "base/random.h"

typedef struct comparison {
    const gnt_likeness *how;
    gnt_difference *out;
} comparison;

/* A pointer and a number of entries, as every list of a struct begins. */
typedef struct list {
    const char *at;
    size_t n;
} list;

static list list_at(const void *member) {
    list l;
    memcpy(&l, member, sizeof l);
    return l;
}

static int differ(const comparison *c, gnt_path path, gnt_shown is, gnt_shown should) {
    *c->out = (gnt_difference){path, is, should};
    return -1;
}

static gnt_shown nothing(void) {
    return (gnt_shown){"nothing"};
}

static gnt_shown shown(const gnt_field *f, const void *member) {
    json_t *value = gnt_field_encode(f, member);
    const gnt_shown text = gnt_show(value);
    json_decref(value);
    return text;
}

static gnt_shown number(double x) {
    gnt_shown out = {"null"};
    return isfinite(x) ? (gnt_number_text(x, out.text), out) : out;
}

int gnt_is_close(double a, double b, double share, double slack) {
    return a == b || fabs(a - b) <= slack + share * fmax(fabs(a), fabs(b));
}

/* True if two numbers are close, or neither is finite. tolerance: of the field, or 0. */
static int close_to(const comparison *c, double tolerance, double a, double b) {
    return isfinite(a) && isfinite(b) ? gnt_is_close(a, b, fmax(c->how->share, tolerance), c->how->slack)
                                      : !isfinite(a) && !isfinite(b);
}

/* ---- JSON of formats that are not known here ---- */

static int same_json(const comparison *c, gnt_path path, const json_t *is, const json_t *should, int depth);

static int is_nothing(const json_t *value) {
    return !value || json_is_null(value);
}

static gnt_shown shown_json(const json_t *value) {
    return value ? gnt_show(value) : nothing();
}

static int same_object(const comparison *c, gnt_path path, const json_t *is, const json_t *should,
                       int depth) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)should, name, value) {
        if (same_json(c, gnt_path_key(path.text, name), json_object_get(is, name), value, depth + 1) != 0)
            return -1;
    }
    json_object_foreach((json_t *)(uintptr_t)is, name, value) {
        if (!c->how->may_have_more && !is_nothing(value) && !json_object_get(should, name))
            return differ(c, gnt_path_key(path.text, name), gnt_show(value), nothing());
    }
    return 0;
}

static int same_json(const comparison *c, gnt_path path, const json_t *is, const json_t *should, int depth) {
    enum { MOST_DEPTH = 24 };
    if (is_nothing(is) && is_nothing(should))
        return 0;
    if (depth < MOST_DEPTH && json_is_object(is) && json_is_object(should))
        return same_object(c, path, is, should, depth);
    if (depth < MOST_DEPTH && json_is_array(is) && json_is_array(should) &&
        json_array_size(is) == json_array_size(should)) {
        for (size_t i = 0; i < json_array_size(is); i++)
            if (same_json(c, gnt_path_item(path.text, i), json_array_get(is, i), json_array_get(should, i),
                          depth + 1) != 0)
                return -1;
        return 0;
    }
    const int same = json_is_number(is) && json_is_number(should)
                         ? close_to(c, 0, json_number_value(is), json_number_value(should))
                         : json_equal(is, should);
    return same ? 0 : differ(c, path, shown_json(is), shown_json(should));
}

static int same_text_of_json(const comparison *c, gnt_path path, const char *is, const char *should) {
    json_t *a = json_loads(is, JSON_DECODE_ANY, NULL), *b = json_loads(should, JSON_DECODE_ANY, NULL);
    const int rc = same_json(c, path, a, b, 0);
    json_decref(a);
    json_decref(b);
    return rc;
}

/* ---- fields ---- */

static int same_struct(const comparison *c, const gnt_fields *fields, gnt_path path, const void *is,
                       const void *should);

static int same_entry(const comparison *c, const gnt_field *f, gnt_path path, list is, list should,
                      size_t i) {
    switch (f->type) {
    case GNT_FIELD_INTS: {
        const int64_t a = ((const int64_t *)(const void *)is.at)[i],
                      b = ((const int64_t *)(const void *)should.at)[i];
        return a == b ? 0 : differ(c, path, number((double)a), number((double)b));
    }
    case GNT_FIELD_REALS: {
        const double a = ((const double *)(const void *)is.at)[i],
                     b = ((const double *)(const void *)should.at)[i];
        return close_to(c, f->tolerance, a, b) ? 0 : differ(c, path, number(a), number(b));
    }
    case GNT_FIELD_TEXTS: {
        const char *a = ((const char *const *)(const void *)is.at)[i],
                   *b = ((const char *const *)(const void *)should.at)[i];
        return strcmp(a, b) == 0 ? 0 : differ(c, path, gnt_show_text(a), gnt_show_text(b));
    }
    default:
        return same_struct(c, f->group, path, is.at + i * f->group->size, should.at + i * f->group->size);
    }
}

static int same_list(const comparison *c, const gnt_field *f, gnt_path path, const void *is,
                     const void *should) {
    const list a = list_at(is), b = list_at(should);
    if (a.n != b.n)
        return differ(c, path, shown(f, is), shown(f, should));
    for (size_t i = 0; i < a.n; i++)
        if (same_entry(c, f, f->single && a.n == 1 ? path : gnt_path_item(path.text, i), a, b, i) != 0)
            return -1;
    return 0;
}

static const char *name_at(const char *entry) {
    const char *name;
    memcpy(&name, entry, sizeof name);
    return name;
}

static const char *entry_of(list map, size_t size, const char *name) {
    for (size_t i = 0; i < map.n; i++)
        if (strcmp(name_at(map.at + i * size), name) == 0)
            return map.at + i * size;
    return NULL;
}

static gnt_shown shown_struct(const gnt_fields *of, const void *entry) {
    json_t *value = entry ? gnt_fields_encode(of, entry, GNT_FIELDS_ALL) : NULL;
    const gnt_shown text = shown_json(value);
    json_decref(value);
    return text;
}

/* True if an entry of a map is there and not null. */
static int has_entry(const gnt_fields *of, const char *entry) {
    json_t *value = entry ? gnt_fields_encode(of, entry, GNT_FIELDS_ALL) : NULL;
    const int there = value && !json_is_null(value);
    json_decref(value);
    return there;
}

static int same_map(const comparison *c, const gnt_fields *of, gnt_path path, list is, list should) {
    for (size_t i = 0; i < should.n; i++) {
        const char *b = should.at + i * of->size, *a = entry_of(is, of->size, name_at(b));
        const gnt_path at = gnt_path_key(path.text, name_at(b));
        if (!a && has_entry(of, b))
            return differ(c, at, nothing(), shown_struct(of, b));
        if (a && same_struct(c, of, at, a, b) != 0)
            return -1;
    }
    for (size_t i = 0; !c->how->may_have_more && i < is.n; i++) {
        const char *a = is.at + i * of->size;
        if (!entry_of(should, of->size, name_at(a)) && has_entry(of, a))
            return differ(c, gnt_path_key(path.text, name_at(a)), shown_struct(of, a), nothing());
    }
    return 0;
}

static const void *pointer_at(const void *member) {
    const void *pointer;
    memcpy(&pointer, member, sizeof pointer);
    return pointer;
}

/* Compares one member that both have. */
static int same_member(const comparison *c, const gnt_field *f, gnt_path path, const void *is,
                       const void *should) {
    int same;
    switch (f->type) {
    case GNT_FIELD_INT:
        same = *(const int64_t *)is == *(const int64_t *)should;
        break;
    case GNT_FIELD_REAL:
        same = close_to(c, f->tolerance, *(const double *)is, *(const double *)should);
        break;
    case GNT_FIELD_TEXT:
        same = strcmp(pointer_at(is), pointer_at(should)) == 0;
        break;
    case GNT_FIELD_JSON:
        return same_text_of_json(c, path, pointer_at(is), pointer_at(should));
    case GNT_FIELD_KEY:
        same = memcmp(is, should, sizeof(gnt_key)) == 0;
        break;
    case GNT_FIELD_FLAG:
    case GNT_FIELD_WORD:
    case GNT_FIELD_BITS:
        same = memcmp(is, should, sizeof(uint32_t)) == 0;
        break;
    case GNT_FIELD_GROUP:
        return gnt_field_is_pointer(f) ? same_struct(c, f->group, path, pointer_at(is), pointer_at(should))
                                       : same_struct(c, f->group, path, is, should);
    case GNT_FIELD_MAP:
        return same_map(c, f->group, path, list_at(is), list_at(should));
    default:
        return same_list(c, f, path, is, should);
    }
    return same ? 0 : differ(c, path, shown(f, is), shown(f, should));
}

static int has_value(const gnt_fields *fields, const gnt_field *f, const void *of) {
    const void *member = (const char *)of + f->offset;
    return !gnt_field_is_missing(fields, f, of) && gnt_field_is_set(f, member);
}

/* True if a file of an older build, in which the field is `late`, lacks it. */
static int lacks(const gnt_field *f, const void *member) {
    if (f->type == GNT_FIELD_GROUP)
        return lacks(&f->group->field[0], (const char *)member + f->group->field[0].offset);
    return f->type == GNT_FIELD_FLAG   ? *(const int *)member == -1
           : f->type == GNT_FIELD_REAL ? isnan(*(const double *)member)
                                       : !gnt_field_is_set(f, member);
}

static int same_field(const comparison *c, const gnt_fields *fields, const gnt_field *f, gnt_path path,
                      const void *is, const void *should) {
    const void *a = (const char *)is + f->offset, *b = (const char *)should + f->offset;
    const int in_a = has_value(fields, f, is), in_b = has_value(fields, f, should);
    if (f->late && lacks(f, a))
        return 0;
    if (in_a && in_b)
        return same_member(c, f, path, a, b);
    if (in_a == in_b)
        return 0;
    const gnt_shown none = f->nullable ? (gnt_shown){"null"} : nothing();
    return differ(c, path, in_a ? shown(f, a) : none, in_b ? shown(f, b) : none);
}

static int same_struct(const comparison *c, const gnt_fields *fields, gnt_path path, const void *is,
                       const void *should) {
    if (fields->form == GNT_FIELDS_BARE)
        return same_field(c, fields, &fields->field[0], path, is, should);
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const gnt_path at =
            fields->form == GNT_FIELDS_TUPLE ? gnt_path_item(path.text, i) : gnt_path_key(path.text, f->name);
        if (!f->old && same_field(c, fields, f, at, is, should) != 0)
            return -1;
    }
    return 0;
}

int gnt_fields_same(const gnt_fields *fields, const char *path, const void *is, const void *should,
                    const gnt_likeness *how, gnt_difference *out) {
    const comparison c = {how, out};
    gnt_path at = {""};
    snprintf(at.text, sizeof at.text, "%s", path);
    return same_struct(&c, fields, at, is, should);
}

int gnt_fields_same_members(const gnt_fields *fields, const char *path, const void *is, const void *should,
                            const size_t *member, size_t n, const gnt_likeness *how, gnt_difference *out) {
    const comparison c = {how, out};
    for (size_t i = 0; i < n; i++) {
        const gnt_field *f = gnt_field_at(fields, member[i]);
        if (same_field(&c, fields, f, gnt_path_key(path, f->name), is, should) != 0)
            return -1;
    }
    return 0;
}
