/* The keys of a JSON value that no row of its table names. */
#include <stdio.h>
#include <string.h>

#include "base/fields_impl.h"

typedef struct search {
    int is_own;
    size_t n;
    gnt_path *first;
} search;

static void look_in(search *s, const gnt_fields *fields, const json_t *value, gnt_path path);

static void look_in_list(search *s, const gnt_field *f, const json_t *list, gnt_path path) {
    for (size_t i = 0; i < json_array_size(list); i++)
        look_in(s, f->group, json_array_get(list, i), gnt_path_item(path.text, i));
}

static void look_in_map(search *s, const gnt_field *f, const json_t *map, gnt_path path) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)map, name, value)
        look_in(s, f->group, value, gnt_path_key(path.text, name));
}

static void look_in_field(search *s, const gnt_field *f, const json_t *value, gnt_path path) {
    if (f->type == GNT_FIELD_GROUP)
        look_in(s, f->group, value, path);
    else if (f->type == GNT_FIELD_LIST)
        look_in_list(s, f, value, path);
    else if (f->type == GNT_FIELD_MAP)
        look_in_map(s, f, value, path);
}

static const gnt_field *field_called(const search *s, const gnt_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->n; i++)
        if (strcmp(fields->field[i].name, name) == 0 && !(s->is_own && fields->field[i].old))
            return &fields->field[i];
    return NULL;
}

/* Searches an object, or what a bare table wraps, for unknown keys. Tuples have none. */
static void look_in(search *s, const gnt_fields *fields, const json_t *value, gnt_path path) {
    const char *name;
    json_t *one;
    if (fields->form == GNT_FIELDS_BARE)
        look_in_field(s, &fields->field[0], value, path);
    if (fields->form != GNT_FIELDS_OBJECT)
        return;
    json_object_foreach((json_t *)(uintptr_t)value, name, one) {
        const gnt_field *f = field_called(s, fields, name);
        const gnt_path at = gnt_path_key(path.text, name);
        if (f)
            look_in_field(s, f, one, at);
        else if (s->n++ == 0)
            *s->first = at;
    }
}

size_t gnt_fields_unknown(const gnt_fields *fields, const json_t *json, const char *path, int is_own,
                          gnt_path *first) {
    search s = {is_own, 0, first};
    gnt_path at = {""};
    snprintf(at.text, sizeof at.text, "%s", path);
    look_in(&s, fields, json, at);
    return s.n;
}
