#include "cli/attack_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "data/data.h"
#include "plugin/abi_words.h"

/* ---- the attacker's rows ---- */

json_t *cli_attack_rows(const char *text, const char *option, gnt_err *err) {
    const char *colon = strrchr(text, ':');
    const int counted = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
    const size_t n = counted ? (size_t)(colon - text) : strlen(text);
    const long long rows = counted ? strtoll(colon + 1, NULL, 10) : 0;
    if (n == 0 || (counted && (rows < 1 || rows > 100000000))) {
        gnt_fail(err, "--%s is %s; expected a data set or a FILE.json that describes one, and maybe :ROWS",
                 option, gnt_show_text(text).text);
        return NULL;
    }
    char *name = gnt_format("%.*s", (int)n, text);
    json_t *all = name ? json_pack("{s:s}", gnt_data_is_described(name) ? "file" : "name", name) : NULL;
    if (all && counted)
        json_object_set_new(all, "rows", json_integer(rows));
    /* suites draw built-in sets with seed 0: none of their samples is in this one */
    if (all && gnt_data_is_builtin(name))
        json_object_set_new(all, "seed", json_integer(1));
    if (!all)
        gnt_fail(err, "--%s: out of memory, or its text is not UTF-8", option);
    gnt_free(name);
    return all;
}

/* ---- attacks ---- */

/* What an attacker on captures may know without having the private batch. */
static const char *const grantable[] = {"public",    "shadow",  "shadow_observations",
                                        "attribute", "history", "defense"};

static json_t *attack_of(const char *name, const gnt_plugin_list *plugins) {
    const gnt_plugin_info *info = gnt_plugin_list_find(plugins, GNT_PLUGIN_ATTACK, name);
    json_t *grants = json_array();
    const uint32_t uses = info ? gnt_info_knowledge(info) : 0;
    for (size_t i = 0; info && i < sizeof grantable / sizeof *grantable; i++) {
        uint32_t bit = 0;
        if (gnt_word_bit(&gnt_knowledge_words, grantable[i], &bit) == 0 && (uses & bit))
            json_array_append_new(grants, json_string(grantable[i]));
    }
    if (info)
        return json_pack("{s:s, s:o}", "attack", name, "grants", grants);
    json_decref(grants);
    return json_string(name);
}

static json_t *named_attacks(const char *text, const gnt_plugin_list *plugins, gnt_err *err) {
    json_t *list = json_array();
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        char *name = gnt_format("%.*s", (int)strcspn(at, ","), at);
        json_t *one = name && *name ? attack_of(name, plugins) : NULL;
        gnt_free(name);
        if (!one || json_array_append_new(list, one) != 0) {
            gnt_fail(err, "--attacks is %s; expected names with commas between them, such as dlg,standard-1",
                     gnt_show_text(text).text);
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Reads a list of a suite's entries, or one, from JSON. */
static json_t *json_attacks(const char *name, const char *text, gnt_err *err) {
    gnt_doc doc;
    if (gnt_doc_parse(&doc, name, text, strlen(text), err) != 0)
        return NULL;
    json_t *own = json_object_get(doc.root, "attacks");
    json_t *list = json_is_array(doc.root) ? json_incref(doc.root)
                   : json_is_array(own)    ? json_incref(own)
                                           : json_pack("[O]", doc.root);
    gnt_doc_free(&doc);
    return list;
}

json_t *cli_attack_attacks(const char *text, const gnt_plugin_list *plugins, gnt_err *err) {
    const size_t n = strlen(text);
    gnt_doc doc;
    if (*text == '[' || *text == '{')
        return json_attacks("--attacks", text, err);
    if (n < 5 || strcmp(text + n - 5, ".json") != 0)
        return named_attacks(text, plugins, err);
    if (gnt_doc_load(&doc, text, GNT_DOC_MOST, err) != 0)
        return NULL;
    json_t *list = json_attacks(text, doc.text, err);
    gnt_doc_free(&doc);
    return list;
}

/* ---- the defense ---- */

static json_t *value_of(const char *text) {
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    return value ? value : json_string(text);
}

/* Reads "ID" or "ID:NAME=VALUE,NAME=VALUE". */
static json_t *named_defense(const char *text, gnt_err *err) {
    const char *colon = strchr(text, ':');
    char *id = gnt_format("%.*s", (int)(colon ? colon - text : (long)strlen(text)), text);
    json_t *params = json_object(),
           *entry = id ? json_pack("{s:s, s:O}", "defense", id, "params", params) : NULL;
    int bad = !entry;
    for (const char *at = colon ? colon + 1 : ""; *at && !bad; at += strcspn(at, ","), at += *at == ',') {
        char *one = gnt_format("%.*s", (int)strcspn(at, ","), at), *equals = one ? strchr(one, '=') : NULL;
        bad = !equals || equals == one;
        if (!bad) {
            *equals = 0;
            bad = json_object_set_new(params, one, value_of(equals + 1)) != 0;
        }
        gnt_free(one);
    }
    if (bad || (colon && json_object_size(params) == 0)) {
        gnt_fail(err,
                 "--defense is %s; expected captured, the id of a plugin, ID:NAME=VALUE,… or an entry of a "
                 "suite's \"defenses\" in JSON",
                 gnt_show_text(text).text);
        json_decref(entry);
        entry = NULL;
    }
    json_decref(params);
    gnt_free(id);
    return entry;
}

static json_t *json_defense(const char *text, gnt_err *err) {
    gnt_doc doc;
    if (gnt_doc_parse(&doc, "--defense", text, strlen(text), err) != 0)
        return NULL;
    json_t *entry = json_incref(doc.root);
    gnt_doc_free(&doc);
    return entry;
}

json_t *cli_attack_defense(const char *text, gnt_err *err) {
    return *text == '{' ? json_defense(text, err) : named_defense(text, err);
}
