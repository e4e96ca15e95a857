#include "format.h"

#include <string.h>

#include "base/mem.h"
#include "board/board_format.h"
#include "capture/capture.h"
#include "result/result.h"

static int is_blank(const gnt_field *f) {
    return f->old || !f->name[0];
}

/* Returns the help of a row; a row of a measure without one has the measure's words. */
static const char *help_of(const gnt_field *f) {
    const gnt_measure *m = f->help ? NULL : gnt_measure_find(f->name);
    return f->help ? f->help : m ? m->words : "";
}

/* Returns the table of one entry: of a bare one that of its only field, if that is a group. */
static const gnt_fields *entry_of(const gnt_fields *fields) {
    return fields->form == GNT_FIELDS_BARE && fields->field[0].group ? fields->field[0].group : fields;
}

/* ---- tables of keys ---- */

/* A file whose format is a table of rows. Paths of its objects begin with its name, but for results.json. */
typedef struct format {
    const char *name, *title, *description;
    const gnt_fields *fields;
} format;

static const format formats[] = {
    {"results", "results.json of a gauntlet run",
     "Keys that are not required may be missing or null in files of other builds.", &gnt_result_fields},
    {"leaderboard", "leaderboard.json of gauntlet leaderboard",
     "Numbers have nine digits; null is no number.", &board_file_fields},
    {"capture", "capture.json of a capture", "Keys that are not listed are refused.", &gnt_capture_fields},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Returns the format whose name a path begins with, and moves behind it; results.json if it is none. */
static const format *format_at(const char **path) {
    const size_t n = strcspn(*path, ".");
    for (size_t i = 0; i < FORMATS; i++)
        if (strlen(formats[i].name) == n && !memcmp(formats[i].name, *path, n)) {
            *path += n + ((*path)[n] == '.');
            return &formats[i];
        }
    return &formats[0];
}

static const gnt_fields *find(const char *path) {
    const gnt_fields *at = format_at(&path)->fields;
    for (; at && *path; path += *path == '.') {
        const size_t n = strcspn(path, ".");
        const gnt_fields *in = at;
        at = NULL;
        for (size_t i = 0; i < in->n; i++)
            if (in->field[i].group && strlen(in->field[i].name) == n && !memcmp(in->field[i].name, path, n))
                at = entry_of(in->field[i].group);
        path += n;
    }
    return at;
}

static void add_words(const gnt_words *words, gnt_text *out) {
    for (size_t i = 0; i < words->n; i++)
        gnt_text_add(out, "%s`%s`", i ? ", " : "", words->word[i].name);
}

static const char *entries_name(const gnt_fields *fields) {
    return fields->form == GNT_FIELDS_TUPLE          ? "tuples"
           : fields->form != GNT_FIELDS_BARE         ? "objects"
           : fields->field[0].type == GNT_FIELD_REAL ? "numbers"
           : fields->field[0].type == GNT_FIELD_TEXT ? "texts"
                                                     : "objects";
}

static void add_type(const gnt_field *f, gnt_text *out) {
    static const char *const names[] = {[GNT_FIELD_INT] = "integer",
                                        [GNT_FIELD_REAL] = "number",
                                        [GNT_FIELD_FLAG] = "true or false",
                                        [GNT_FIELD_TEXT] = "text",
                                        [GNT_FIELD_KEY] = "digest",
                                        [GNT_FIELD_INTS] = "list of integers",
                                        [GNT_FIELD_REALS] = "list of numbers",
                                        [GNT_FIELD_TEXTS] = "list of texts",
                                        [GNT_FIELD_GROUP] = "object",
                                        [GNT_FIELD_JSON] = "any"};
    if (f->type == GNT_FIELD_WORD || f->type == GNT_FIELD_BITS)
        add_words(f->words, out);
    else if (f->type == GNT_FIELD_LIST)
        gnt_text_add(out, "list of %s", entries_name(f->group));
    else if (f->type == GNT_FIELD_MAP)
        gnt_text_add(out, "%s by name", entries_name(f->group));
    else
        gnt_text_add(out, "%s%s", f->single ? "number or " : "", names[f->type]);
    gnt_text_add(out, "%s%s", f->nullable ? " or null" : "", f->optional ? ", or missing" : "");
}

int table_keys(const char *path, gnt_text *out, gnt_err *err) {
    const gnt_fields *fields = find(path);
    if (!fields)
        return gnt_fail(err, "no format has objects at %s", path);
    gnt_text_add(out, "| key | type | value |\n|---|---|---|\n");
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        if (is_blank(f))
            continue;
        gnt_text_add(out, "| `%s` | ", f->name);
        add_type(f, out);
        gnt_text_add(out, " | %s", help_of(f));
        gnt_text_add(out, f->unit ? ", in %s |\n" : " |\n", f->unit);
    }
    return 0;
}

/* ---- the schema ---- */

static json_t *schema_of(const gnt_fields *fields);

static json_t *type(const char *name) {
    return json_pack("{s:s}", "type", name);
}

static json_t *integers(const gnt_field *f) {
    json_t *s = type("integer");
    if (f->least != INT64_MIN)
        json_object_set_new(s, "minimum", json_integer(f->least));
    if (f->most && f->most != INT64_MAX)
        json_object_set_new(s, "maximum", json_integer(f->most));
    return s;
}

static json_t *numbers(const gnt_field *f) {
    json_t *s = type("number");
    if (f->low != 0 || f->high != 0) {
        json_object_set_new(s, "minimum", json_real(f->low));
        json_object_set_new(s, "maximum", json_real(f->high));
    }
    return s;
}

/* Returns the schema of null or what `one` says; takes `one`. */
static json_t *or_null(json_t *one) {
    json_t *name = json_object_get(one, "type");
    if (!json_is_string(name))
        return json_pack("{s:[o, {s:s}]}", "anyOf", one, "type", "null");
    json_object_set_new(one, "type", json_pack("[O, s]", name, "null"));
    return one;
}

static json_t *words_of(const gnt_words *words) {
    json_t *all = json_array();
    for (size_t i = 0; i < words->n; i++)
        json_array_append_new(all, json_string(words->word[i].name));
    return json_pack("{s:o}", "enum", all);
}

static json_t *list_of(const gnt_field *f, json_t *entry) {
    const size_t most = f->count ? f->count : f->most_entries ? f->most_entries : GNT_FIELD_MOST_ENTRIES;
    json_t *s = json_pack("{s:s, s:o, s:I}", "type", "array", "items", entry, "maxItems", (json_int_t)most);
    if (f->count)
        json_object_set_new(s, "minItems", json_integer((json_int_t)f->count));
    return s;
}

static json_t *value_of(const gnt_field *f) {
    json_t *one;
    switch (f->type) {
    case GNT_FIELD_INT:
        return integers(f);
    case GNT_FIELD_REAL:
        return numbers(f);
    case GNT_FIELD_FLAG:
        return type("boolean");
    case GNT_FIELD_TEXT:
        return type("string");
    case GNT_FIELD_KEY:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9a-f]{64}$");
    case GNT_FIELD_WORD:
        return words_of(f->words);
    case GNT_FIELD_BITS:
        return list_of(f, words_of(f->words));
    case GNT_FIELD_INTS:
        return list_of(f, integers(f));
    case GNT_FIELD_REALS:
        one = list_of(f, f->nullable ? or_null(numbers(f)) : numbers(f));
        return f->single ? json_pack("{s:[o, o]}", "anyOf", numbers(f), one) : one;
    case GNT_FIELD_TEXTS:
        return list_of(f, type("string"));
    case GNT_FIELD_GROUP:
        return schema_of(f->group);
    case GNT_FIELD_LIST:
        return list_of(f, schema_of(f->group));
    case GNT_FIELD_MAP:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties", schema_of(f->group));
    case GNT_FIELD_JSON:
        break;
    }
    return json_object();
}

static json_t *property_of(const gnt_field *f) {
    json_t *s = f->nullable && f->type != GNT_FIELD_JSON ? or_null(value_of(f)) : value_of(f);
    char *text = f->unit ? gnt_format("%s, in %s", help_of(f), f->unit) : gnt_strdup(help_of(f));
    if (text && *text)
        json_object_set_new(s, "description", json_string(text));
    if (f->old)
        json_object_set_new(s, "deprecated", json_true());
    gnt_free(text);
    return s;
}

static json_t *tuple_of(const gnt_fields *fields) {
    json_t *all = json_array();
    for (size_t i = 0; i < fields->n; i++)
        json_array_append_new(all, property_of(&fields->field[i]));
    return json_pack("{s:s, s:o, s:b, s:I}", "type", "array", "prefixItems", all, "items", 0, "minItems",
                     (json_int_t)fields->n);
}

/* Returns the JSON schema of a table of fields. */
static json_t *schema_of(const gnt_fields *fields) {
    if (fields->form == GNT_FIELDS_TUPLE)
        return tuple_of(fields);
    if (fields->form == GNT_FIELDS_BARE)
        return property_of(&fields->field[0]);
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        json_object_set_new(properties, f->name, property_of(f));
        if (f->needed)
            json_array_append_new(required, json_string(f->name));
    }
    json_t *s = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                          required, "additionalProperties", fields->open);
    if (fields->nullable)
        s = or_null(s);
    return fields->named ? json_pack("{s:[o, {s:s}]}", "anyOf", s, "type", "string") : s;
}

/* Returns the format of the schema at a path, such as docs/results.schema.json; NULL: none. */
static const format *format_of_schema(const char *path) {
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *at = name;
    const format *of = format_at(&at);
    return at > name && strcmp(at, "schema.json") == 0 ? of : NULL;
}

int format_schema(const char *path, gnt_text *out, gnt_err *err) {
    const format *of = format_of_schema(path);
    if (!of)
        return gnt_fail(err, "%s: there is no such format", path);
    json_t *body = schema_of(of->fields);
    json_t *all = json_pack("{s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                            "title", of->title, "description", of->description);
    if (json_object_update(all, body) != 0)
        json_object_clear(all);
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(body);
    json_decref(all);
    if (text)
        gnt_text_add(out, "%s\n", text);
    gnt_free(text);
    return text && !out->failed ? 0 : gnt_fail(err, "out of memory for the schema");
}
