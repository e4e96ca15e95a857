/* schema: checks a document by as much of JSON Schema as the schemas of docs/ use. A key that the schema does
 * not list is an error here, so that the schema is complete. */
#ifndef TESTS_SCHEMA_H
#define TESTS_SCHEMA_H

#include <string.h>

#include <jansson.h>

#include "base/json.h"
#include "base/text.h"

static inline int schema_is(const json_t *value, const char *type) {
    return !strcmp(type, "object")    ? json_is_object(value)
           : !strcmp(type, "array")   ? json_is_array(value)
           : !strcmp(type, "string")  ? json_is_string(value)
           : !strcmp(type, "integer") ? json_is_integer(value)
           : !strcmp(type, "number")  ? json_is_number(value)
           : !strcmp(type, "boolean") ? json_is_boolean(value)
                                      : !strcmp(type, "null") && json_is_null(value);
}

static inline int schema_check_type(const json_t *schema, const json_t *value) {
    const json_t *type = json_object_get(schema, "type");
    int any = !type || (json_is_string(type) && schema_is(value, json_string_value(type)));
    for (size_t i = 0; i < json_array_size(type); i++)
        any |= schema_is(value, json_string_value(json_array_get(type, i)));
    return any;
}

static inline int schema_has(const json_t *list, const json_t *value) {
    int any = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        any |= json_equal(json_array_get(list, i), value);
    return any;
}

static inline int schema_in_bounds(const json_t *schema, const json_t *value) {
    const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
    const json_t *fewest = json_object_get(schema, "minItems"),
                 *longest = json_object_get(schema, "maxItems");
    const json_t *text = json_object_get(schema, "maxLength");
    const double x = json_number_value(value), n = (double)json_array_size(value);
    if (json_is_number(value))
        return (!least || x >= json_number_value(least)) && (!most || x <= json_number_value(most));
    const char *pattern = json_string_value(json_object_get(schema, "pattern"));
    if (pattern && strcmp(pattern, "^\\$") != 0) /* no other is known here */
        return 0;
    if (json_is_string(value) && pattern && *json_string_value(value) != '$')
        return 0;
    if (json_is_string(value))
        return !text || (double)json_string_length(value) <= json_number_value(text);
    return !json_is_array(value) ||
           ((!fewest || n >= json_number_value(fewest)) && (!longest || n <= json_number_value(longest)));
}

/* Returns 0; −1 with the first place that is wrong in `where`, which begins as the path of `value`. */
static inline int schema_check(const json_t *schema, json_t *value, gnt_path *where) {
    const json_t *any = json_object_get(schema, "anyOf"),
                 *other = json_object_get(schema, "additionalProperties");
    const json_t *required = json_object_get(schema, "required"), *words = json_object_get(schema, "enum");
    const gnt_path here = *where;
    const char *key;
    json_t *one;
    size_t i;
    if (any) {
        for (i = 0; i < json_array_size(any); i++)
            if (*where = here, schema_check(json_array_get(any, i), value, where) == 0)
                return 0;
        return -1;
    }
    if (!json_object_get(schema, "type") && !words) /* of a format that is not known here */
        return 0;
    if (!schema_check_type(schema, value) || !schema_in_bounds(schema, value) ||
        (words && !schema_has(words, value)))
        return -1;
    json_array_foreach(required, i, one) if (json_is_object(value) &&
                                             !json_object_get(value, json_string_value(one))) return -1;
    json_object_foreach(value, key, one) {
        const json_t *of = json_object_get(json_object_get(schema, "properties"), key);
        *where = gnt_path_key(here.text, key);
        if ((!of && !json_is_object(other)) || schema_check(of ? of : other, one, where) != 0)
            return -1;
    }
    json_array_foreach(value, i, one) {
        const json_t *of = json_array_get(json_object_get(schema, "prefixItems"), i);
        *where = gnt_path_item(here.text, i);
        if (schema_check(of ? of : json_object_get(schema, "items"), one, where) != 0)
            return -1;
    }
    *where = here;
    return 0;
}

#endif
