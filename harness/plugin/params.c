#include "plugin/params.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "plugin/info_impl.h"

enum { LONGEST_CANONICAL = 8 << 20 };

static void free_value(gnt_value *v) {
    gnt_free((void *)v->id);
    gnt_free((void *)v->text);
    gnt_free((void *)v->list);
    *v = (gnt_value){0};
}

void gnt_params_free(gnt_params *p) {
    for (int32_t i = 0; p->value && i < p->n; i++)
        free_value(&p->value[i]);
    gnt_free(p->value);
    *p = (gnt_params){0};
}

static void set_whole(gnt_value *v, int64_t i) {
    v->i = i;
    v->r = (double)i;
}

static void set_real(gnt_value *v, double r) {
    v->r = r == 0 ? 0 : r; /* −0 and 0 are one value */
}

static int set_text(gnt_value *v, const char *text, const char *where, gnt_err *err) {
    v->text = gnt_strdup(text);
    return v->text ? 0 : gnt_fail(err, "%s: out of memory", where);
}

/* ---- reading ---- */

static int read_choice(gnt_value *v, const gnt_parameter *p, const gnt_doc *doc, const char *path,
                       const json_t *json, gnt_err *err) {
    size_t n = 0;
    int index;
    while (p->choices[n])
        n++;
    if (gnt_doc_choice_at(doc, path, json, p->choices, n, &index, err))
        return -1;
    v->i = index;
    return set_text(v, p->choices[index], path, err);
}

static int read_text(gnt_value *v, const gnt_doc *doc, const char *path, const json_t *json, gnt_err *err) {
    if (!json_is_string(json))
        return gnt_doc_fail(err, doc, path, "is %s; expected text in double quotes", gnt_show(json).text);
    if (json_string_length(json) > GNT_PLUGIN_TEXT ||
        !gnt_text_ok(json_string_value(json), 0, GNT_PLUGIN_TEXT))
        return gnt_doc_fail(err, doc, path,
                            "holds what cannot be printed on one line, or more than %d bytes of it",
                            GNT_PLUGIN_TEXT);
    return set_text(v, json_string_value(json), path, err);
}

static int read_number(double *out, int whole, const gnt_parameter *p, const gnt_doc *doc, const char *path,
                       const json_t *json, gnt_err *err) {
    int64_t i;
    if (!whole)
        return gnt_doc_real_at(doc, path, json, p->least, p->most, out, err);
    if (gnt_doc_int_at(doc, path, json, (int64_t)p->least, (int64_t)p->most, &i, err))
        return -1;
    *out = (double)i; /* exact: bounds are within ±2^53 */
    return 0;
}

static int read_list(gnt_value *v, const gnt_parameter *p, const gnt_doc *doc, const char *path,
                     const json_t *json, gnt_err *err) {
    size_t n = json_array_size(json);
    if (!json_is_array(json) || n > GNT_PLUGIN_LIST)
        return gnt_doc_fail(err, doc, path, "is %s; expected a list of at most %d numbers",
                            gnt_show(json).text, GNT_PLUGIN_LIST);
    double *list = gnt_array(n, sizeof *list);
    if (!list)
        return gnt_fail(err, "%s: out of memory", path);
    v->list = list;
    v->n = (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        if (read_number(&list[i], p->type == GNT_TYPE_INT_LIST, p, doc, gnt_path_item(path, i).text,
                        json_array_get(json, i), err))
            return -1;
        list[i] = list[i] == 0 ? 0 : list[i];
    }
    return 0;
}

static int read_value(gnt_value *v, const gnt_parameter *p, const gnt_doc *doc, const char *path,
                      const json_t *json, gnt_err *err) {
    double number;
    switch (p->type) {
    case GNT_TYPE_BOOL:
        if (!json_is_boolean(json))
            return gnt_doc_fail(err, doc, path, "is %s; expected true or false", gnt_show(json).text);
        set_whole(v, json_is_true(json));
        return 0;
    case GNT_TYPE_INT:
        if (read_number(&number, 1, p, doc, path, json, err))
            return -1;
        set_whole(v, (int64_t)number);
        return 0;
    case GNT_TYPE_REAL:
        if (read_number(&number, 0, p, doc, path, json, err))
            return -1;
        set_real(v, number);
        return 0;
    case GNT_TYPE_TEXT:
    case GNT_TYPE_MODEL: /* the suite checks that a model has that id */
        return read_text(v, doc, path, json, err);
    case GNT_TYPE_CHOICE:
        return read_choice(v, p, doc, path, json, err);
    case GNT_TYPE_INT_LIST:
    case GNT_TYPE_REAL_LIST:
        return read_list(v, p, doc, path, json, err);
    default:
        return gnt_doc_fail(err, doc, path, "has the unknown type %d", p->type);
    }
}

static int default_list(gnt_value *v, const gnt_parameter *p, const char *path, gnt_err *err) {
    gnt_doc doc;
    const char *text = p->preset_text ? p->preset_text : "";
    if (gnt_doc_parse(&doc, path, text, strlen(text), err))
        return -1;
    int bad = read_list(v, p, &doc, "", doc.root, err);
    gnt_doc_free(&doc);
    return bad;
}

static int default_value(gnt_value *v, const gnt_parameter *p, const char *path, gnt_err *err) {
    switch (p->type) {
    case GNT_TYPE_BOOL:
    case GNT_TYPE_INT:
        set_whole(v, (int64_t)p->preset);
        return 0;
    case GNT_TYPE_REAL:
        set_real(v, p->preset);
        return 0;
    case GNT_TYPE_CHOICE:
        while (p->choices[v->i] && strcmp(p->choices[v->i], p->preset_text) != 0)
            v->i++;
        return set_text(v, p->preset_text, path, err);
    case GNT_TYPE_TEXT:
        return set_text(v, p->preset_text, path, err);
    case GNT_TYPE_MODEL:
        return set_text(v, "", path, err);
    default:
        return default_list(v, p, path, err);
    }
}

static int check_keys(const gnt_parameter *table, int32_t n, const gnt_doc *doc, const char *path,
                      const json_t *object, gnt_err *err) {
    if (json_is_object(object) && json_object_size(object) && n == 0)
        return gnt_doc_fail(err, doc, path, "this plugin has no parameters; expected {} or nothing");
    const char **names = gnt_array((size_t)n, sizeof *names);
    if (!names)
        return gnt_fail(err, "%s: out of memory", path);
    for (int32_t i = 0; i < n; i++)
        names[i] = table[i].id;
    int bad = gnt_doc_keys(doc, path, object, names, (size_t)n, err);
    gnt_free(names);
    return bad;
}

int gnt_params_read(gnt_params *out, const gnt_parameter *table, int32_t n, const gnt_doc *doc,
                    const char *path, const json_t *object, gnt_err *err) {
    *out = (gnt_params){0};
    if (object && check_keys(table, n, doc, path, object, err))
        return -1;
    gnt_params p = {gnt_array((size_t)n, sizeof *p.value), n};
    if (!p.value)
        return gnt_fail(err, "%s: out of memory", path);
    for (int32_t i = 0; i < n; i++) {
        gnt_value *v = &p.value[i];
        const json_t *json = json_object_get(object, table[i].id);
        gnt_path at = gnt_path_key(path, table[i].id);
        v->type = table[i].type;
        v->id = gnt_strdup(table[i].id);
        if (!v->id ? gnt_fail(err, "%s: out of memory", path)
            : json ? read_value(v, &table[i], doc, at.text, json, err)
                   : default_value(v, &table[i], at.text, err)) {
            gnt_params_free(&p);
            return -1;
        }
    }
    *out = p;
    return 0;
}

int gnt_params_parse(gnt_params *out, const gnt_parameter *table, int32_t n, const char *name,
                     const char *json, gnt_err *err) {
    *out = (gnt_params){0};
    if (!json)
        return gnt_params_read(out, table, n, NULL, name, NULL, err);
    gnt_doc doc;
    if (gnt_doc_parse(&doc, name, json, strlen(json), err))
        return -1;
    int bad = gnt_params_read(out, table, n, &doc, "", doc.root, err);
    gnt_doc_free(&doc);
    return bad;
}

int gnt_params_copy(gnt_params *out, const gnt_params *from, gnt_err *err) {
    gnt_params p = {gnt_array((size_t)from->n, sizeof *p.value), from->n};
    *out = (gnt_params){0};
    int bad = !p.value;
    for (int32_t i = 0; i < from->n && !bad; i++) {
        const gnt_value *a = &from->value[i];
        gnt_value *b = &p.value[i];
        *b = *a;
        double *list = a->list ? gnt_array((size_t)a->n, sizeof *list) : NULL;
        b->id = gnt_strdup(a->id);
        b->text = gnt_strdup(a->text);
        b->list = list;
        bad = !b->id || !b->text != !a->text || !list != !a->list;
        if (list && a->n)
            memcpy(list, a->list, (size_t)a->n * sizeof *list);
    }
    if (bad) {
        gnt_params_free(&p);
        return gnt_fail(err, "out of memory while copying parameters");
    }
    *out = p;
    return 0;
}

/* ---- text ---- */

static void add_list(gnt_text *out, const double *list, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        gnt_text_add(out, "%s", i ? "," : "[");
        gnt_json_add_real(out, list[i]);
    }
    gnt_text_add(out, "%s", n ? "]" : "[]");
}

char *gnt_list_text(const double *list, int64_t n) {
    gnt_text out;
    gnt_text_init(&out, LONGEST_CANONICAL);
    add_list(&out, list, n);
    return gnt_text_take(&out);
}

static void add_value(gnt_text *out, const gnt_value *v) {
    switch (v->type) {
    case GNT_TYPE_BOOL:
        gnt_text_add(out, v->i ? "true" : "false");
        break;
    case GNT_TYPE_TEXT:
    case GNT_TYPE_CHOICE:
    case GNT_TYPE_MODEL:
        gnt_json_add_text(out, v->text);
        break;
    case GNT_TYPE_INT_LIST:
    case GNT_TYPE_REAL_LIST:
        add_list(out, v->list, v->n);
        break;
    default:
        gnt_json_add_real(out, v->r);
    }
}

char *gnt_params_canonical(const gnt_params *p) {
    gnt_text out;
    gnt_text_init(&out, LONGEST_CANONICAL);
    gnt_text_add(&out, "{");
    for (int32_t i = 0; i < p->n; i++) {
        gnt_text_add(&out, "%s\"%s\":", i ? "," : "", p->value[i].id);
        add_value(&out, &p->value[i]);
    }
    gnt_text_add(&out, "}");
    return gnt_text_take(&out);
}
