/* Scales: one suite at several sizes. "scales" names sets of values, "$name" anywhere in the suite stands for
 * its value in the chosen scale, and a key whose value is null there is left out; the other readers see the
 * suite after substitution. */
#include <string.h>

#include "base/text.h"
#include "suite/suite_impl.h"

static int name_scales(suite_reader *r, const json_t *scales, const char *path, const char *found) {
    const char *names[GNT_SUITE_MOST_SCALES], *name;
    json_t *value;
    size_t n = 0;
    json_object_foreach((json_t *)scales, name, value) names[n++] = name;
    gnt_text list;
    gnt_text_init(&list, 1 << 12);
    gnt_list_names(&list, names, n, 400);
    suite_fail(r, path, "is %s; expected one of the suite's scales: %s", gnt_show_text(found).text,
               gnt_text_get(&list));
    gnt_text_free(&list);
    return -1;
}

/* Checks that a scale sets the same names as the first one. */
static int check_names(suite_reader *r, const char *path, const json_t *set, const char *first_name,
                       const json_t *first) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)first, name, value) {
        if (!json_object_get(set, name))
            return suite_fail(r, path,
                              "does not set \"%s\", which scale \"%s\" sets; every scale must set every name",
                              name, first_name);
    }
    json_object_foreach((json_t *)set, name, value) {
        if (!json_object_get(first, name))
            return suite_fail(r, path,
                              "sets \"%s\", which scale \"%s\" does not; every scale must set every name",
                              name, first_name);
        if (json_is_string(value) && *json_string_value(value) == '$')
            return suite_fail_key(r, path, name, "is %s; a value cannot name another one",
                                  gnt_show(value).text);
    }
    return 0;
}

static int check_scales(suite_reader *r, const json_t *scales) {
    const char *name, *first_name = NULL, *says;
    const json_t *first = NULL, *set;
    json_t *scale;
    if (json_object_size(scales) == 0 || json_object_size(scales) > GNT_SUITE_MOST_SCALES)
        return suite_fail(r, "scales", "holds %zu scales; expected 1 to %d", json_object_size(scales),
                          GNT_SUITE_MOST_SCALES);
    json_object_foreach((json_t *)scales, name, scale) {
        const gnt_path at = gnt_path_key("scales", name);
        if (strlen(name) >= GNT_SUITE_NAME || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] ||
            !*name)
            return suite_fail(r, at.text,
                              "expected a name of lower-case letters, digits, '-' and '_' for a scale");
        if (suite_keys(r, at.text, scale, "says", "set") ||
            suite_text(r, at.text, scale, "says", 1000, &says) ||
            suite_need(r, at.text, scale, "set", "an object of values, such as {\"targets\": 8}") ||
            suite_object(r, at.text, scale, "set", &set))
            return -1;
        if (!first) {
            first = set;
            first_name = name;
        }
        if (check_names(r, gnt_path_key(at.text, "set").text, set, first_name, first) != 0)
            return -1;
    }
    return 0;
}

typedef struct putting {
    suite_reader *r;
    const json_t *set;
    uint8_t *used; /* in the order of `set` */
} putting;

static int position(const json_t *set, const char *wanted) {
    const char *name;
    json_t *value;
    int i = 0;
    json_object_foreach((json_t *)set, name, value) {
        if (!strcmp(name, wanted))
            return i;
        i++;
    }
    return -1;
}

static json_t *put(putting *p, const char *path, json_t *value);

/* True if the value names one that is null in this scale. */
static int is_left_out(putting *p, const json_t *value) {
    const char *text = json_string_value(value);
    const int at = text && *text == '$' ? position(p->set, text + 1) : -1;
    if (at < 0 || !json_is_null(json_object_get(p->set, text + 1)))
        return 0;
    p->used[at] = 1;
    return 1;
}

static int put_object(putting *p, const char *path, const json_t *object, json_t *out) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        if (is_left_out(p, value))
            continue;
        json_t *one = put(p, gnt_path_key(path, name).text, value);
        if (!one || json_object_set_new(out, name, one) != 0)
            return -1;
    }
    return 0;
}

static int put_list(putting *p, const char *path, const json_t *list, json_t *out) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = put(p, gnt_path_item(path, i).text, json_array_get(list, i));
        if (!one || json_array_append_new(out, one) != 0)
            return -1;
    }
    return 0;
}

/* Returns a copy with the values substituted, which may be used in several places; NULL after a message. */
static json_t *put(putting *p, const char *path, json_t *value) {
    if (json_is_string(value) && *json_string_value(value) == '$') {
        const int at = position(p->set, json_string_value(value) + 1);
        if (at < 0) {
            suite_fail(p->r, path, "is %s, but the scales set no such name", gnt_show(value).text);
            return NULL;
        }
        p->used[at] = 1;
        return json_deep_copy(json_object_get(p->set, json_string_value(value) + 1));
    }
    if (!json_is_object(value) && !json_is_array(value))
        return json_incref(value);
    json_t *out = json_is_object(value) ? json_object() : json_array();
    if (!out) {
        suite_no_memory(p->r);
        return NULL;
    }
    if ((json_is_object(value) ? put_object(p, path, value, out) : put_list(p, path, value, out)) == 0)
        return out;
    json_decref(out);
    if (!p->r->err->text[0])
        suite_no_memory(p->r);
    return NULL;
}

static int check_used(const putting *p, const char *scale) {
    const char *name;
    json_t *value;
    size_t i = 0;
    json_object_foreach((json_t *)p->set, name, value) {
        if (!p->used[i++])
            return suite_fail(
                p->r, gnt_path_key(gnt_path_key(gnt_path_key("scales", scale).text, "set").text, name).text,
                "is used nowhere in the suite as \"$%s\"; use it or remove it", name);
    }
    return 0;
}

/* Returns the root without "scales" and "scale", with the values substituted. */
static json_t *put_scale(suite_reader *r, const json_t *root, const char *name, const json_t *set) {
    putting p = {.r = r, .set = set, .used = gnt_array(json_object_size(set) + 1, 1)};
    json_t *plain = json_copy((json_t *)root), *out = NULL;
    if (!p.used || !plain)
        suite_no_memory(r);
    else {
        json_object_del(plain, "scales");
        json_object_del(plain, "scale");
        json_object_del(plain, "lists"); /* copies, which name no values */
        out = put(&p, "", plain);
        if (out && json_object_get(root, "lists") &&
            json_object_set(out, "lists", json_object_get(root, "lists")) != 0) {
            json_decref(out);
            out = NULL;
            suite_no_memory(r);
        }
        if (out && check_used(&p, name) != 0) {
            json_decref(out);
            out = NULL;
        }
    }
    json_decref(plain);
    gnt_free(p.used);
    return out;
}

int suite_apply_scale(suite_reader *r, gnt_doc *doc, const char *wanted) {
    const json_t *scales = NULL;
    const char *name = NULL, *says = "";
    if (!json_is_object(doc->root))
        return 0; /* the reader of the root refuses it with a better message */
    if (gnt_doc_object(doc, "", doc->root, "scales", &scales, r->err) ||
        gnt_doc_text(doc, "", doc->root, "scale", GNT_SUITE_NAME, &name, r->err))
        return -1;
    if (!scales && name)
        return suite_fail(r, "scale", "names a scale, but the suite has no \"scales\"");
    if (!scales && wanted)
        return suite_fail(r, "", "--scale %s was given, but the suite has no \"scales\"; leave --scale out",
                          gnt_show_text(wanted).text);
    if (!scales)
        return 0;
    if (check_scales(r, scales) != 0)
        return -1;
    if (!name)
        return suite_fail(r, "scales", "expected \"scale\" too: the scale that runs without --scale");
    if (!json_object_get(scales, name))
        return name_scales(r, scales, "scale", name);
    if (wanted && !json_object_get(scales, wanted))
        return name_scales(r, scales, "scales: --scale", wanted);
    name = wanted ? wanted : name;
    const json_t *scale = json_object_get(scales, name);
    gnt_doc_text(doc, gnt_path_key("scales", name).text, scale, "says", 1000, &says, r->err);
    r->s->scale = gnt_strdup(name);
    r->s->scale_says = gnt_strdup(says);
    if (!r->s->scale || !r->s->scale_says)
        return suite_no_memory(r);
    json_t *root = put_scale(r, doc->root, name, json_object_get(scale, "set"));
    if (!root)
        return -1;
    json_decref(doc->root);
    doc->root = root;
    return 0;
}
