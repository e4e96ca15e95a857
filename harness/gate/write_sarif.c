/* A comparison as SARIF 2.1.0, which GitHub and editors show next to the lines of the suite. */
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"
#include "gate/suite_lines.h"
#include "run/version.h"

/* Writes the id of a rule, "leaks-more". */
static void rule_id(gnt_gate_kind kind, char id[64]) {
    const char *words = gnt_gate_kind_words(kind);
    size_t n = 0;
    for (; words[n] && n < 63; n++)
        id[n] = words[n] == ' ' ? '-' : words[n];
    id[n] = 0;
}

/* Returns the rules of all kinds of findings. */
static json_t *rules(void) {
    json_t *all = json_array();
    for (int k = 0; k < GNT_GATE_KINDS; k++) {
        char id[64];
        rule_id((gnt_gate_kind)k, id);
        json_array_append_new(all, json_pack("{s:s, s:{s:s}}", "id", id, "shortDescription", "text",
                                             gnt_gate_kind_words((gnt_gate_kind)k)));
    }
    return all;
}

/* Writes a path as a URI reference. */
static void add_uri(gnt_text *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (; *path; path++)
        if (strchr(plain, *path))
            gnt_text_bytes(out, path, 1);
        else
            gnt_text_add(out, "%%%02X", (unsigned)(unsigned char)*path);
}

/* Returns where a finding is: its cells, and its line if the suite's file is known. */
static json_t *location_of(const gnt_gate *g, const gnt_gate_finding *f) {
    json_t *where =
        json_pack("{s:[{s:s, s:s}]}", "logicalLocations", "fullyQualifiedName", f->place, "kind", "module");
    gnt_text uri;
    if (!g->lines)
        return where;
    gnt_text_init(&uri, 1 << 16);
    add_uri(&uri, g->lines->file);
    json_t *line = json_pack("{s:{s:s}, s:{s:I}}", "artifactLocation", "uri", gnt_text_get(&uri), "region",
                             "startLine", (json_int_t)gnt_suite_lines_of(g->lines, f));
    gnt_text_free(&uri);
    if (where)
        json_object_set_new(where, "physicalLocation", line);
    else
        json_decref(line);
    return where;
}

static json_t *result_of(const gnt_gate *g, size_t i) {
    const gnt_gate_finding *f = &g->finding[i];
    char id[64];
    rule_id(f->kind, id);
    char *text = gnt_format("%s: %s: %s", gnt_gate_kind_words(f->kind), f->place, f->text);
    char *print = gnt_format("%s %s", id, f->place);
    json_t *one = json_pack("{s:s, s:i, s:s, s:{s:s*}, s:[o], s:{s:s*}}", "ruleId", id, "ruleIndex",
                            (int)f->kind, "level", i < g->n_failures ? "error" : "note", "message", "text",
                            text, "locations", location_of(g, f), "partialFingerprints", "finding/v1", print);
    gnt_free(print);
    gnt_free(text);
    return one;
}

void gnt_gate_write_sarif(const gnt_gate *g, gnt_text *out) {
    json_t *results = json_array();
    for (size_t i = 0; i < g->n_finding; i++)
        out->failed |= json_array_append_new(results, result_of(g, i)) != 0;
    json_t *all = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                            "tool", "driver", "name", "gauntlet check", "version", GNT_VERSION, "rules",
                            rules(), "results", results);
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    json_decref(all);
    out->failed |= !text;
    if (text)
        gnt_text_add(out, "%s\n", text);
    gnt_free(text);
}
