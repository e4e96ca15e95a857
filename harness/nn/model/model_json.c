/* model_json: reads keys and values of a model's JSON, checking that they are present, known and in range. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "nn/model/model_parse.h"

/* Reports what is expected of an object: of a type of layer, of the model as a whole, or of "init". */
static void expect(const json_t *object, const char *key, gnt_doc_expected expected) {
    char path[80] = "init";
    const char *type = json_string_value(json_object_get(object, "type"));
    if (type)
        snprintf(path, sizeof path, "types.%.60s", type);
    else if (json_object_get(object, "layers"))
        *path = 0;
    gnt_doc_expect(NULL, path, key, expected);
}

int model_check_keys(const json_t *object, const char *const *keys, const char *what, gnt_err *err) {
    size_t n = 0;
    while (keys[n])
        n++;
    expect(object, NULL, (gnt_doc_expected){GNT_DOC_KEYS, 0, 0, keys, n});
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        size_t i = 0;
        while (i < n && strcmp(keys[i], key) != 0)
            i++;
        if (i < n)
            continue;
        const char *near = gnt_nearest(key, keys, n);
        return near ? gnt_fail(err, "%s has no key \"%s\"; did you mean \"%s\"?", what, key, near)
                    : gnt_fail(err, "%s has no key \"%s\"", what, key);
    }
    return 0;
}

int model_get_int(const json_t *object, const char *key, int needed, int64_t least, int64_t most,
                  int32_t *value, gnt_err *err) {
    expect(object, key, (gnt_doc_expected){GNT_DOC_INT, (double)least, (double)most, NULL, 0});
    const json_t *v = json_object_get(object, key);
    if (!v)
        return needed ? gnt_fail(err, "\"%s\" is missing: a whole number from %" PRId64 " to %" PRId64, key,
                                 least, most)
                      : 0;
    if (!json_is_integer(v) || json_integer_value(v) < least || json_integer_value(v) > most)
        return gnt_fail(err, "\"%s\" must be a whole number from %" PRId64 " to %" PRId64, key, least, most);
    *value = (int32_t)json_integer_value(v);
    return 0;
}

int model_get_pair(const json_t *object, const char *key, int needed, int32_t least, int32_t value[2],
                   gnt_err *err) {
    expect(object, key, (gnt_doc_expected){GNT_DOC_LIST, 2, 2, NULL, 0});
    expect(object, key, (gnt_doc_expected){GNT_DOC_INT, least, MODEL_MOST_KERNEL, NULL, 0});
    const json_t *v = json_object_get(object, key);
    if (!json_is_array(v)) {
        int rc = model_get_int(object, key, needed, least, MODEL_MOST_KERNEL, &value[0], err);
        if (v)
            value[1] = value[0];
        return rc;
    }
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(v, i);
        if (json_array_size(v) != 2 || !json_is_integer(one) || json_integer_value(one) < least ||
            json_integer_value(one) > MODEL_MOST_KERNEL)
            return gnt_fail(err, "\"%s\" must be a whole number or [height, width], each from %d to %d", key,
                            least, MODEL_MOST_KERNEL);
        value[i] = (int32_t)json_integer_value(one);
    }
    return 0;
}

int model_get_real(const json_t *object, const char *key, double least, double most, double *value,
                   gnt_err *err) {
    expect(object, key, (gnt_doc_expected){GNT_DOC_REAL, least, most, NULL, 0});
    const json_t *v = json_object_get(object, key);
    if (!v)
        return 0;
    if (!json_is_number(v) || !(json_number_value(v) >= least && json_number_value(v) <= most))
        return gnt_fail(err, "\"%s\" must be a number from %g to %g", key, least, most);
    *value = json_number_value(v);
    return 0;
}

int model_get_bool(const json_t *object, const char *key, int *value, gnt_err *err) {
    expect(object, key, (gnt_doc_expected){GNT_DOC_BOOL, 0, 0, NULL, 0});
    const json_t *v = json_object_get(object, key);
    if (v && !json_is_boolean(v))
        return gnt_fail(err, "\"%s\" must be true or false", key);
    if (v)
        *value = json_is_true(v);
    return 0;
}
