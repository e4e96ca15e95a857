/* expected: makes a JSON Schema of what readers expect (gnt_doc_watch) while they read many documents of a
 * format: keys, types, limits and words. A type that a reader takes by itself is learnt from documents that
 * it took. Bounds that depend on the rest of a document differ from one to the next, and are left out. */
#ifndef TESTS_EXPECTED_H
#define TESTS_EXPECTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

/* A node is a JSON object: "types" and "words" are objects whose keys count, "keys" marks the properties as
 * complete, "props" has nodes by name, "item" the node of entries, "bounds" the limits; "free": any text. */
typedef struct expected_format {
    json_t *root;
    const char *name; /* how names of documents that count end; others are read meanwhile */
    int scaled;       /* values may be "$name", of a scale */
} expected_format;

static inline json_t *expected_child(json_t *node, const char *kind) {
    json_t *child = json_object_get(node, kind);
    if (!child)
        json_object_set_new(node, kind, child = json_object());
    return child;
}

static inline int expected_is_constant(const void *at) {
    extern char __executable_start, _end;
    return (uintptr_t)at >= (uintptr_t)&__executable_start && (uintptr_t)at < (uintptr_t)&_end;
}

/* True for lists of words that are not those of a document, such as its ids, or of its data: they are the
 * program's, and, unless the list is too, the same each time. */
static inline int expected_is_closed_list(json_t *node, const gnt_doc_expected *e) {
    json_t *words = json_array(), *before = json_object_get(node, "before");
    int constant = 1;
    for (size_t i = 0; i < e->n; i++) {
        constant &= expected_is_constant(e->words[i]);
        json_array_append_new(words, json_string(e->words[i]));
    }
    const int same = !before || json_equal(before, words);
    json_object_set_new(node, "before", words);
    return expected_is_constant(e->words) || (constant && same);
}

/* True for keys whose limits depend on the data, although no test has two of them. */
static inline int expected_depends(const char *path) {
    static const char *const keys[] = {".shift", ".cutout", ".labels"};
    int any = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        any |= strstr(path, keys[i]) != NULL;
    return any;
}

/* True for objects whose keys belong to something else: a plugin's parameters, paths of a scale. */
static inline int expected_is_closed(const char *name) {
    return strcmp(name, "params") == 0 || strcmp(name, "scales") == 0 || strcmp(name, "set") == 0;
}

/* The node at a path; NULL inside of an object with other keys. */
static inline json_t *expected_at(json_t *node, const char *path) {
    char name[256];
    while (node && *path) {
        if (*path == '[') {
            path += strcspn(path, "]") + 1;
            node = expected_child(node, "item");
        } else {
            path += *path == '.';
            const size_t n = strcspn(path, ".[");
            snprintf(name, sizeof name, "%.*s", (int)n, path);
            path += n;
            node = expected_child(expected_child(node, "props"), name);
            if (expected_is_closed(name) && *path)
                return NULL;
        }
    }
    return node;
}

static inline void expected_bound(json_t *node, const char *name, double value) {
    json_t *bounds = expected_child(node, "bounds"), *old = json_object_get(bounds, name);
    if (!old)
        json_object_set_new(bounds, name, json_real(value));
    else if (json_real_value(old) != value)
        json_object_set_new(bounds, name, json_null()); /* depends on something else */
}

static inline void expected_note(void *user, const gnt_doc *doc, const char *path,
                                 const gnt_doc_expected *e) {
    static const char *const types[] = {"object", "object",  "array",  "string",
                                        "string", "integer", "number", "boolean"};
    static const char *const least[] = {NULL, NULL, "minItems", NULL, NULL, "minimum", "minimum", NULL};
    static const char *const most[] = {NULL, NULL, "maxItems", "maxLength", NULL, "maximum", "maximum", NULL};
    const expected_format *x = user;
    const size_t n = doc ? strlen(doc->name) : 0, m = strlen(x->name);
    const char *of = doc ? doc->name : "";
    const char *last = strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
    json_t *node = n >= m && strcmp(of + n - m, x->name) == 0 ? expected_at(x->root, path) : NULL;
    if (!node || (e->kind == GNT_DOC_KEYS && expected_is_closed(last)))
        return;
    json_object_set_new(expected_child(node, "types"), types[e->kind], json_true());
    for (size_t i = 0; i < e->n; i++)
        json_object_set_new(expected_child(node, e->kind == GNT_DOC_KEYS ? "keys" : "words"), e->words[i],
                            json_true());
    if (e->kind == GNT_DOC_TEXT || (e->kind == GNT_DOC_CHOICE && !expected_is_closed_list(node, e)))
        json_object_set_new(node, "free", json_true());
    if (expected_depends(path))
        return;
    if (least[e->kind])
        expected_bound(node, least[e->kind], e->least);
    if (most[e->kind])
        expected_bound(node, most[e->kind], e->most);
}

/* Learns from a document that its reader took. */
static inline void expected_took(json_t *node, json_t *value, const char *name) {
    const char *key;
    json_t *one, *types = expected_child(node, "types");
    size_t i;
    const int closed = expected_is_closed(name);
    if (json_is_object(value)) {
        json_object_set_new(types, "object", json_true());
        if (!closed)
            json_object_foreach(value, key, one)
                expected_took(expected_child(expected_child(node, "props"), key), one, key);
    } else if (json_is_array(value)) {
        json_object_set_new(types, "array", json_true());
        json_array_foreach(value, i, one)
            expected_took(expected_child(node, "item"), one, closed ? name : "");
    } else if (json_is_string(value)) {
        json_object_set_new(types, "string", json_true());
        if (!json_object_get(json_object_get(node, "words"), json_string_value(value)))
            json_object_set_new(node, "free", json_true());
    } else if (json_is_boolean(value)) {
        json_object_set_new(types, "boolean", json_true());
    } else if (json_is_null(value)) {
        json_object_set_new(types, "null", json_true());
    } else if (!json_object_get(types, "number")) {
        json_object_set_new(types, json_is_integer(value) ? "integer" : "number", json_true());
    }
}

static inline json_t *expected_schema(json_t *node, int scaled);

/* The schema of a value, in the place of which a suite with scales may have "$name". */
static inline json_t *expected_value(json_t *node, int scaled) {
    json_t *out = expected_schema(node, scaled), *any = json_object_get(out, "anyOf");
    if (!scaled || json_object_size(out) == 0 || json_object_get(node, "free"))
        return out;
    if (any) {
        json_array_insert_new(any, 0, json_pack("{s:s, s:s}", "type", "string", "pattern", "^\\$"));
    } else if (json_object_get(out, "enum")) {
        json_t *named = json_pack("{s:s, s:s}", "type", "string", "pattern", "^\\$");
        return json_pack("{s:[o, o]}", "anyOf", named, out);
    } else { /* a pattern is for texts alone */
        json_t *type = json_object_get(out, "type");
        json_t *types = json_is_array(type) ? json_incref(type) : json_pack("[O]", type);
        json_array_append_new(types, json_string("string"));
        json_object_set_new(out, "type", types);
        json_object_set_new(out, "pattern", json_string("^\\$"));
    }
    return out;
}

/* The names of complete properties, NULL if others may be there: also those that were read before others were
 * refused, such as a suite's scale, or instead of that, as types of layers are. */
static inline json_t *expected_names(json_t *node) {
    json_t *keys = json_object_get(node, "keys"), *props = json_object_get(node, "props");
    if (!keys)
        return NULL;
    json_object_update_missing(keys, props);
    return keys;
}

/* Properties: complete if a reader listed them, else whatever was found, each like the others. */
static inline void expected_object(json_t *out, json_t *node, int scaled) {
    json_t *keys = expected_names(node), *props = json_object_get(node, "props"), *one;
    json_t *all = json_object();
    const char *key;
    json_object_foreach(keys, key, one) {
        json_t *of = json_object_get(props, key);
        json_object_set_new(all, key, of ? expected_value(of, scaled) : json_object());
    }
    if (keys)
        json_object_set(out, "properties", all);
    json_object_set_new(out, "additionalProperties", keys ? json_false() : json_object());
    json_decref(all);
}

static inline json_t *expected_schema(json_t *node, int scaled) {
    json_t *types = json_object_get(node, "types"), *bounds = json_object_get(node, "bounds"), *one;
    json_t *words = json_object_get(node, "free") ? NULL : json_object_get(node, "words");
    json_t *out = json_object(), *list = json_array(), *choices = json_array();
    const char *key;
    if (json_object_get(types, "number"))
        json_object_del(types, "integer");
    if (words)
        json_object_del(types, "string");
    json_object_foreach(words, key, one) json_array_append_new(choices, json_string(key));
    json_object_foreach(types, key, one) json_array_append_new(list, json_string(key));
    if (json_array_size(list) == 1)
        json_object_set(out, "type", json_array_get(list, 0));
    else if (json_array_size(list))
        json_object_set(out, "type", list);
    json_object_foreach(bounds, key, one) {
        const double x = json_real_value(one);
        const int number = key[3] == 'i' && key[4] == 'm'; /* minimum, maximum */
        if (json_is_null(one) || x >= 9e18 || (!number && x > 1e9))
            continue;
        json_object_set_new(out, key,
                            x == (double)(json_int_t)x ? json_integer((json_int_t)x) : json_real(x));
    }
    if (json_object_get(types, "object"))
        expected_object(out, node, scaled);
    if (json_object_get(node, "item") && json_object_get(types, "array"))
        json_object_set_new(out, "items", expected_value(json_object_get(node, "item"), scaled));
    if (words && json_array_size(list)) {
        json_t *both = json_pack("{s:[{s:O}, O]}", "anyOf", "enum", choices, out);
        json_decref(out);
        out = both;
    } else if (words) {
        json_object_clear(out);
        json_object_set(out, "enum", choices);
    }
    json_decref(list);
    json_decref(choices);
    return out;
}

/* For models: entries of "layers" are of one of the types that its reader knows; what blocks contain is left
 * open. types: the nodes of these types, NULL for other formats. */
static inline void expected_layers(json_t *schema, json_t *types) {
    json_t *any = json_array(), *node, *all = json_object_get(schema, "properties");
    const char *name;
    json_object_foreach(types, name, node) {
        json_t *one = expected_schema(node, 0);
        json_object_set_new(json_object_get(one, "properties"), "type", json_pack("{s:[s]}", "enum", name));
        json_object_set_new(one, "required", json_pack("[s]", "type"));
        json_array_append_new(any, one);
    }
    if (types)
        json_object_set_new(json_object_get(all, "layers"), "items", json_pack("{s:O}", "anyOf", any));
    if (types)
        json_object_del(all, "types");
    json_decref(any);
}

static inline void expected_begin(expected_format *x, const char *name) {
    *x = (expected_format){.root = json_object(), .name = name};
    gnt_doc_watch(expected_note, x);
}

/* Writes the schema to docs/NAME.schema.json, or compares it with that file; returns 0 if they are the
 * same. */
static inline int expected_end(expected_format *x, const char *name, const char *title, int write) {
    gnt_err err = {0};
    gnt_doc_watch(NULL, NULL);
    json_t *schema = expected_schema(x->root, x->scaled);
    expected_layers(schema,
                    json_object_get(json_object_get(json_object_get(x->root, "props"), "types"), "props"));
    json_object_set_new(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(schema, "title", json_string(title));
    char *text = json_dumps(schema, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    char *file = gnt_format("docs/%s.schema.json", name), *line = gnt_format("%s\n", text);
    uint8_t *old = NULL;
    size_t size = 0;
    int rc = 0;
    if (write)
        rc = gnt_file_write(file, line, strlen(line), &err);
    else if (gnt_file_read(file, (size_t)64 << 20, &old, &size, &err) != 0 || size != strlen(line) ||
             memcmp(old, line, size) != 0)
        rc = gnt_fail(&err, "%s is not what its reader expects: run this test with --schema", file);
    if (rc != 0)
        fprintf(stderr, "%s\n", err.text);
    gnt_free(old);
    gnt_free(file);
    gnt_free(line);
    free(text);
    json_decref(schema);
    json_decref(x->root);
    return rc;
}

#endif
