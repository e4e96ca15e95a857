/* The keys of a JSON value that no row of its table names. */
#include <stdio.h>
#include <string.h>

#include "base/fields_impl.h"

typedef struct search {
    int is_own;
    size_t n;
    gnt_path *first;
} search;

/* The place of a value: a key or, where that is NULL, an item of what is at `parent`. It is written as text
 * where that is needed alone. */
typedef struct place {
    const struct place *parent;
    const char *key;
    size_t index;
} place;

/* The root has no parent, and its key is the path that was given. */
static gnt_path path_of(const place *p) {
    gnt_path at = {""};
    if (!p->parent) {
        snprintf(at.text, sizeof at.text, "%s", p->key);
        return at;
    }
    at = path_of(p->parent);
    return p->key ? gnt_path_key(at.text, p->key) : gnt_path_item(at.text, p->index);
}

static void look_in(search *s, const gnt_fields *fields, const json_t *value, const place *at);

static void look_in_list(search *s, const gnt_field *f, const json_t *list, const place *at) {
    for (size_t i = 0; i < json_array_size(list); i++)
        look_in(s, f->group, json_array_get(list, i), &(place){at, NULL, i});
}

static void look_in_map(search *s, const gnt_field *f, const json_t *map, const place *at) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)map, name, value)
        look_in(s, f->group, value, &(place){at, name, 0});
}

static void look_in_field(search *s, const gnt_field *f, const json_t *value, const place *at) {
    if (f->type == GNT_FIELD_GROUP)
        look_in(s, f->group, value, at);
    else if (f->type == GNT_FIELD_LIST)
        look_in_list(s, f, value, at);
    else if (f->type == GNT_FIELD_MAP)
        look_in_map(s, f, value, at);
}

static const gnt_field *field_called(const search *s, const gnt_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->n; i++)
        if (strcmp(fields->field[i].name, name) == 0 && !(s->is_own && fields->field[i].old))
            return &fields->field[i];
    return NULL;
}

/* Searches an object, or what a bare table wraps, for unknown keys. Tuples have none. */
static void look_in(search *s, const gnt_fields *fields, const json_t *value, const place *at) {
    const char *name;
    json_t *one;
    if (fields->form == GNT_FIELDS_BARE)
        look_in_field(s, &fields->field[0], value, at);
    if (fields->form != GNT_FIELDS_OBJECT)
        return;
    json_object_foreach((json_t *)(uintptr_t)value, name, one) {
        const gnt_field *f = field_called(s, fields, name);
        const place here = {at, name, 0};
        if (f)
            look_in_field(s, f, one, &here);
        else if (s->n++ == 0)
            *s->first = path_of(&here);
    }
}

size_t gnt_fields_unknown(const gnt_fields *fields, const json_t *json, const char *path, int is_own,
                          gnt_path *first) {
    search s = {is_own, 0, first};
    look_in(&s, fields, json, &(place){NULL, path, 0});
    return s.n;
}
