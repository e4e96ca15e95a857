/* Writes and reads the JSON form of a plugin's description. The reader builds a copy, which gets the same
 * checks as a descriptor. */
#include <string.h>

#include "base/mem.h"
#include "plugin/info_impl.h"
#include "plugin/params.h"
#include "plugin/abi_words.h"

/* ---- writing ---- */

static void member_text(gnt_text *out, const char *name, const char *value) {
    gnt_text_add(out, ",\"%s\":", name);
    gnt_json_add_text(out, value);
}

static void member_real(gnt_text *out, const char *name, double value) {
    gnt_text_add(out, ",\"%s\":", name);
    gnt_json_add_real(out, value);
}

static void member_bits(gnt_text *out, const char *name, const gnt_words *words, uint32_t bits) {
    int first = 1;
    gnt_text_add(out, ",\"%s\":[", name);
    for (size_t i = 0; i < words->n; i++)
        if (bits & words->word[i].bit) {
            gnt_text_add(out, "%s\"%s\"", first ? "" : ",", words->word[i].name);
            first = 0;
        }
    gnt_text_add(out, "]");
}

static void member_texts(gnt_text *out, const char *name, char *const *list, int32_t n) {
    gnt_text_add(out, ",\"%s\":[", name);
    for (int32_t i = 0; i < n; i++) {
        gnt_text_add(out, "%s", i ? "," : "");
        gnt_json_add_text(out, list[i]);
    }
    gnt_text_add(out, "]");
}

static void write_default(gnt_text *out, const gnt_parameter *p) {
    switch (p->type) {
    case GNT_TYPE_BOOL:
        gnt_text_add(out, ",\"default\":%s", p->preset != 0 ? "true" : "false");
        break;
    case GNT_TYPE_INT:
    case GNT_TYPE_REAL:
        member_real(out, "default", p->preset);
        break;
    case GNT_TYPE_TEXT:
    case GNT_TYPE_CHOICE:
        member_text(out, "default", p->preset_text);
        break;
    case GNT_TYPE_MODEL:
        gnt_text_add(out, ",\"default\":%s", p->preset_text ? "\"\"" : "null");
        break;
    default:
        gnt_text_add(out, ",\"default\":%s", p->preset_text); /* JSON already, in the one form */
    }
}

static void write_parameter(gnt_text *out, const gnt_parameter *p) {
    gnt_text_add(out, "{\"id\":\"%s\",\"type\":\"%s\"", p->id,
                 gnt_word_name(&gnt_type_words, (uint32_t)p->type));
    member_text(out, "unit", p->unit);
    if (p->type == GNT_TYPE_INT || p->type == GNT_TYPE_REAL || p->type == GNT_TYPE_INT_LIST ||
        p->type == GNT_TYPE_REAL_LIST) {
        member_text(out, "scale", gnt_word_name(&gnt_scale_words, (uint32_t)p->scale));
        member_real(out, "least", p->least);
        member_real(out, "most", p->most);
    }
    write_default(out, p);
    if (p->type == GNT_TYPE_CHOICE) {
        gnt_text_add(out, ",\"choices\":[");
        for (size_t i = 0; p->choices[i]; i++) {
            gnt_text_add(out, "%s", i ? "," : "");
            gnt_json_add_text(out, p->choices[i]);
        }
        gnt_text_add(out, "]");
    }
    gnt_text_add(out, ",\"strength\":%d", p->strength);
    member_text(out, "help", p->help);
    gnt_text_add(out, "}");
}

void gnt_info_write(gnt_text *out, const gnt_plugin_info *info) {
    gnt_text_add(out, "{\"kind\":\"%s\"", gnt_word_name(&gnt_kind_words, (uint32_t)info->kind));
    member_text(out, "id", info->id);
    member_text(out, "version", info->version);
    member_text(out, "line", info->line);
    member_text(out, "licence", info->licence);
    member_text(out, "citation", info->citation);
    gnt_text_add(out, ",\"parameters\":[");
    for (int32_t i = 0; i < info->n_parameters; i++) {
        gnt_text_add(out, "%s", i ? "," : "");
        write_parameter(out, &info->parameters[i]);
    }
    gnt_text_add(out, "]");
    member_text(out, "scope", gnt_word_name(&gnt_scope_words, (uint32_t)info->scope));
    member_bits(out, "surfaces", &gnt_surface_words, info->surfaces);
    member_bits(out, "goals", &gnt_goal_words, info->goals);
    member_bits(out, "needs", &gnt_knowledge_words, info->needs);
    member_bits(out, "uses", &gnt_knowledge_words, info->uses);
    member_bits(out, "data_kinds", &gnt_data_kind_words, info->data_kinds);
    member_bits(out, "flags", &gnt_flag_words, info->flags);
    member_bits(out, "hooks", &gnt_hook_words, info->hooks);
    member_texts(out, "services", info->services, info->n_services);
    member_texts(out, "families", info->families, info->n_families);
    member_bits(out, "conditions", &gnt_condition_words, info->conditions);
    gnt_text_add(out, ",\"least_public\":%lld,\"least_shadow\":%lld", (long long)info->least_public,
                 (long long)info->least_shadow);
    gnt_text_add(out, ",\"abi_major\":%d,\"abi_minor\":%d,\"index\":%d", info->abi_major, info->abi_minor,
                 info->index);
    member_text(out, "file", info->file);
    member_text(out, "digest", info->digest);
    gnt_text_add(out, "}");
}

/* ---- reading ---- */

typedef struct reader { /* the object that is read, so that a member takes one line */
    const gnt_doc *doc;
    const char *path;
    const json_t *object;
    gnt_err *err;
} reader;

static int read_text(const reader *r, const char *key, size_t most, char **out) {
    const json_t *value = json_object_get(r->object, key);
    gnt_path at = gnt_path_key(r->path, key);
    if (!json_is_string(value))
        return gnt_doc_fail(r->err, r->doc, at.text, "is %s; expected text",
                            value ? gnt_show(value).text : "missing");
    size_t n = json_string_length(value);
    if (n > most || strlen(json_string_value(value)) != n)
        return gnt_doc_fail(r->err, r->doc, at.text, "is %zu bytes of text; expected at most %zu", n, most);
    *out = gnt_strdup(json_string_value(value));
    return *out ? 0 : gnt_fail(r->err, "%s: out of memory", at.text);
}

static int read_int(const reader *r, const char *key, int64_t least, int64_t most, int32_t *out) {
    int64_t value;
    if (gnt_doc_need(r->doc, r->path, r->object, key, "an integer", r->err) ||
        gnt_doc_int(r->doc, r->path, r->object, key, least, most, &value, r->err))
        return -1;
    *out = (int32_t)value;
    return 0;
}

static int read_rows(const reader *r, const char *key, int64_t *out) {
    int32_t rows;
    if (read_int(r, key, 0, INT32_MAX, &rows) != 0)
        return -1;
    *out = rows;
    return 0;
}

static int read_real(const reader *r, const char *key, double *out) {
    if (gnt_doc_need(r->doc, r->path, r->object, key, "a number", r->err))
        return -1;
    return gnt_doc_real(r->doc, r->path, r->object, key, -1e308, 1e308, out, r->err);
}

static int read_word(const gnt_doc *doc, const char *at, const json_t *value, const gnt_words *words,
                     uint32_t *bit, gnt_err *err) {
    char known[400];
    if (json_is_string(value) && gnt_word_bit(words, json_string_value(value), bit) == 0)
        return 0;
    return gnt_doc_fail(err, doc, at, "is %s; expected one of %s", value ? gnt_show(value).text : "missing",
                        gnt_words_list(words, ~0u, known, sizeof known));
}

static int read_enum(const reader *r, const char *key, const gnt_words *words, int32_t *out) {
    uint32_t bit;
    if (read_word(r->doc, gnt_path_key(r->path, key).text, json_object_get(r->object, key), words, &bit,
                  r->err))
        return -1;
    *out = (int32_t)bit;
    return 0;
}

static int read_array(const reader *r, const char *key, size_t most, const json_t **out) {
    if (gnt_doc_need(r->doc, r->path, r->object, key, "a list", r->err))
        return -1;
    return gnt_doc_list(r->doc, r->path, r->object, key, 0, most, out, r->err);
}

static int read_bits(const reader *r, const char *key, const gnt_words *words, uint32_t *out) {
    const json_t *list;
    if (read_array(r, key, words->n, &list))
        return -1;
    gnt_path at = gnt_path_key(r->path, key);
    *out = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t bit;
        gnt_path item = gnt_path_item(at.text, i);
        if (read_word(r->doc, item.text, json_array_get(list, i), words, &bit, r->err))
            return -1;
        if (*out & bit)
            return gnt_doc_fail(r->err, r->doc, item.text, "is listed twice");
        *out |= bit;
    }
    return 0;
}

/* Reads a list of texts; *out ends with NULL. */
static int read_texts(const reader *r, const char *key, size_t most, size_t longest, char ***out,
                      int32_t *n) {
    const json_t *list;
    if (read_array(r, key, most, &list))
        return -1;
    gnt_path at = gnt_path_key(r->path, key);
    size_t count = json_array_size(list);
    *out = gnt_array(count + 1, sizeof **out);
    if (!*out)
        return gnt_fail(r->err, "%s: out of memory", at.text);
    for (*n = 0; (size_t)*n < count; ++*n) {
        const char *text;
        if (gnt_doc_text_at(r->doc, gnt_path_item(at.text, (size_t)*n).text, json_array_get(list, (size_t)*n),
                            longest, &text, r->err))
            return -1;
        (*out)[*n] = gnt_strdup(text);
        if (!(*out)[*n])
            return gnt_fail(r->err, "%s: out of memory", at.text);
    }
    return 0;
}

static int read_default(const reader *r, gnt_parameter *p) {
    const json_t *value = json_object_get(r->object, "default");
    gnt_path at = gnt_path_key(r->path, "default");
    char *text = NULL;
    int bad = 0;
    if (p->type == GNT_TYPE_BOOL) {
        if (!json_is_boolean(value))
            return gnt_doc_fail(r->err, r->doc, at.text, "is %s; expected true or false",
                                value ? gnt_show(value).text : "missing");
        p->preset = json_is_true(value);
    } else if (p->type == GNT_TYPE_INT || p->type == GNT_TYPE_REAL) {
        return read_real(r, "default", &p->preset);
    } else if (p->type == GNT_TYPE_MODEL && json_is_null(value)) {
        return 0; /* a suite must name one */
    } else if (p->type == GNT_TYPE_MODEL || p->type == GNT_TYPE_TEXT || p->type == GNT_TYPE_CHOICE) {
        bad = read_text(r, "default", GNT_PLUGIN_TEXT, &text);
    } else {
        if (!json_is_array(value) || json_array_size(value) > GNT_PLUGIN_LIST)
            return gnt_doc_fail(r->err, r->doc, at.text, "is %s; expected a list of at most %d numbers",
                                value ? gnt_show(value).text : "missing", GNT_PLUGIN_LIST);
        text = gnt_json_canonical(value);
        bad = text ? 0 : gnt_fail(r->err, "%s: out of memory", at.text);
    }
    p->preset_text = text;
    return bad;
}

static int read_parameter(const reader *r, gnt_parameter *p) {
    static const char *const keys[] = {"id",   "type",  "unit",  "default", "strength",
                                       "help", "scale", "least", "most",    "choices"};
    char *id = NULL, *unit = NULL, *help = NULL;
    if (gnt_doc_keys(r->doc, r->path, r->object, keys, sizeof keys / sizeof keys[0], r->err))
        return -1;
    int bad = read_text(r, "id", GNT_PLUGIN_ID, &id) || read_text(r, "unit", GNT_PLUGIN_ID, &unit) ||
              read_text(r, "help", GNT_PLUGIN_LINE, &help);
    p->id = id;
    p->unit = unit;
    p->help = help;
    if (bad || read_enum(r, "type", &gnt_type_words, &p->type) ||
        read_int(r, "strength", -1, 1, &p->strength))
        return -1;
    int ranged = p->type == GNT_TYPE_INT || p->type == GNT_TYPE_REAL || p->type == GNT_TYPE_INT_LIST ||
                 p->type == GNT_TYPE_REAL_LIST;
    size_t expected = 6 + (ranged ? 3u : 0u) + (p->type == GNT_TYPE_CHOICE);
    if (ranged && (read_enum(r, "scale", &gnt_scale_words, &p->scale) || read_real(r, "least", &p->least) ||
                   read_real(r, "most", &p->most)))
        return -1;
    if (p->type == GNT_TYPE_CHOICE) {
        char **choices = NULL;
        int32_t n;
        bad = read_texts(r, "choices", GNT_PLUGIN_CHOICES, GNT_PLUGIN_ID, &choices, &n);
        p->choices = (const char *const *)choices;
        if (bad)
            return -1;
    }
    if (read_default(r, p))
        return -1;
    if (json_object_size(r->object) != expected)
        return gnt_doc_fail(r->err, r->doc, r->path,
                            "has members that a parameter of this type does not have");
    return 0;
}

static int read_parameters(const reader *r, gnt_plugin_info *info) {
    const json_t *list;
    if (read_array(r, "parameters", GNT_PLUGIN_PARAMS, &list))
        return -1;
    size_t n = json_array_size(list);
    gnt_path at = gnt_path_key(r->path, "parameters");
    info->parameters = gnt_array(n, sizeof *info->parameters);
    if (!info->parameters)
        return gnt_fail(r->err, "%s: out of memory", at.text);
    info->n_parameters = (int32_t)n;
    for (size_t i = 0; i < n; i++) {
        gnt_path item = gnt_path_item(at.text, i);
        reader row = {r->doc, item.text, json_array_get(list, i), r->err};
        if (read_parameter(&row, &info->parameters[i]))
            return -1;
    }
    return 0;
}

static int read_digest(const reader *r, gnt_plugin_info *info) {
    char *text = NULL;
    if (read_text(r, "digest", GNT_HEX_SIZE - 1, &text))
        return -1;
    size_t n = strlen(text);
    int bad = n != strspn(text, "0123456789abcdef") || (n != 0 && n != GNT_HEX_SIZE - 1);
    if (!bad)
        memcpy(info->digest, text, n + 1);
    gnt_free(text);
    return bad ? gnt_doc_fail(r->err, r->doc, gnt_path_key(r->path, "digest").text,
                              "is not a digest; expected \"\" or %d characters of 0–9 and a–f",
                              GNT_HEX_SIZE - 1)
               : 0;
}

static int read_info(const reader *r, gnt_plugin_info *info) {
    static const char *const keys[] = {
        "kind",   "id",         "version",      "line",        "licence",   "citation",   "parameters",
        "scope",  "surfaces",   "goals",        "needs",       "uses",      "data_kinds", "flags",
        "hooks",  "services",   "families",     "abi_major",   "abi_minor", "index",      "file",
        "digest", "conditions", "least_public", "least_shadow"};
    if (gnt_doc_keys(r->doc, r->path, r->object, keys, sizeof keys / sizeof keys[0], r->err) ||
        read_enum(r, "kind", &gnt_kind_words, &info->kind) || read_text(r, "id", GNT_PLUGIN_ID, &info->id) ||
        read_text(r, "version", GNT_PLUGIN_ID, &info->version) ||
        read_text(r, "line", GNT_PLUGIN_LINE, &info->line) ||
        read_text(r, "licence", GNT_PLUGIN_LINE, &info->licence) ||
        read_text(r, "citation", GNT_PLUGIN_TEXT, &info->citation) ||
        read_enum(r, "scope", &gnt_scope_words, &info->scope) ||
        read_bits(r, "surfaces", &gnt_surface_words, &info->surfaces) ||
        read_bits(r, "goals", &gnt_goal_words, &info->goals) ||
        read_bits(r, "needs", &gnt_knowledge_words, &info->needs) ||
        read_bits(r, "uses", &gnt_knowledge_words, &info->uses) ||
        read_bits(r, "data_kinds", &gnt_data_kind_words, &info->data_kinds) ||
        read_bits(r, "flags", &gnt_flag_words, &info->flags) ||
        read_bits(r, "hooks", &gnt_hook_words, &info->hooks) ||
        read_texts(r, "services", GNT_PLUGIN_SERVICES, GNT_PLUGIN_ID, &info->services, &info->n_services) ||
        read_texts(r, "families", GNT_PLUGIN_FAMILIES, GNT_PLUGIN_ID, &info->families, &info->n_families) ||
        read_bits(r, "conditions", &gnt_condition_words, &info->conditions) ||
        read_rows(r, "least_public", &info->least_public) ||
        read_rows(r, "least_shadow", &info->least_shadow) ||
        read_int(r, "abi_major", 0, UINT16_MAX, &info->abi_major) ||
        read_int(r, "abi_minor", 0, UINT16_MAX, &info->abi_minor) ||
        read_int(r, "index", 0, GNT_PLUGIN_FILE_ENTRIES - 1, &info->index) ||
        read_text(r, "file", 4096, &info->file) || read_digest(r, info))
        return -1;
    return read_parameters(r, info);
}

int gnt_info_parse(gnt_plugin_info *out, const gnt_doc *doc, const char *path, const json_t *object,
                   gnt_err *err) {
    gnt_plugin_info info = {0};
    reader r = {doc, path, object, err};
    gnt_err why = {0};
    *out = info;
    int bad = read_info(&r, &info);
    if (!bad && gnt_info_check(&info, *path ? path : "plugin", &why))
        bad = gnt_doc_fail(err, doc, path, "%s", why.text);
    info.strength = bad ? -1 : gnt_params_strength(info.parameters, info.n_parameters);
    if (bad) {
        gnt_info_free(&info);
        return -1;
    }
    *out = info;
    return 0;
}
