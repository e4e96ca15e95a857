/* A comparison for programs: JUnit's XML, which CI systems show as tests, and JSON. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "gate/gate_impl.h"
#include "render/escape.h"

/* ---- JUnit ---- */

/* Writes a text as XML 1.0, which has no U+FFFE and U+FFFF, not even as references: they become "???". */
static void xml(gnt_text *out, const char *text) {
    char *clean = gnt_strdup(text);
    out->failed |= !clean;
    for (char *at = clean; at && (at = strstr(at, "\xef\xbf")) != NULL; at += 2)
        if (at[2] == '\xbe' || at[2] == '\xbf')
            at[0] = at[1] = at[2] = '?';
    if (clean)
        gnt_escape_html(out, clean);
    gnt_free(clean);
}

static void open_case(gnt_text *out, const char *class, const char *place, const char *what) {
    gnt_text_add(out, "    <testcase classname=\"%s\" name=\"", class);
    xml(out, place);
    gnt_text_add(out, "%s", *what ? " " : "");
    xml(out, what);
    gnt_text_add(out, "\"");
}

static const gnt_gate_finding *finding_of(const gnt_gate *g, const gnt_gate_row *row) {
    for (size_t i = 0; i < g->n_failures; i++)
        if (g->finding[i].row == row)
            return &g->finding[i];
    return NULL;
}

static void failure(gnt_text *out, const gnt_gate_finding *f) {
    gnt_text_add(out, "><failure type=\"%s\" message=\"", gnt_gate_kind_words(f->kind));
    xml(out, f->text);
    gnt_text_add(out, "\"/></testcase>\n");
}

static const char *about_name(const gnt_gate_row *row) {
    static const char *const names[] = {
        "leakage",       "utility",    "utility gained at a strength", "utility lost at a strength",
        "training time", "attack time"};
    return names[row->about];
}

static void row_case(const gnt_gate *g, const gnt_gate_row *row, gnt_text *out) {
    gnt_text place;
    const gnt_gate_finding *f = row->verdict == GNT_GATE_WORSE ? finding_of(g, row) : NULL;
    gnt_text_init(&place, 4096);
    gnt_gate_place(row, &place);
    open_case(out, about_name(row), gnt_text_get(&place), row->measure);
    gnt_text_free(&place);
    if (f)
        failure(out, f);
    else if (row->verdict == GNT_GATE_UNABLE)
        gnt_text_add(out, "><skipped message=\"too little to tell\"/></testcase>\n");
    else
        gnt_text_add(out, "/>\n");
}

void gnt_gate_write_junit(const gnt_gate *g, gnt_text *out) {
    size_t others = 0;
    for (size_t i = 0; i < g->n_failures; i++)
        others += !g->finding[i].row;
    gnt_text_add(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"gauntlet check ");
    xml(out, g->now->suite);
    gnt_text_add(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", g->n_row + others,
                 g->n_failures, g->unable);
    for (size_t i = 0; i < g->n_failures; i++)
        if (!g->finding[i].row) {
            open_case(out, "cells", g->finding[i].place, "");
            failure(out, &g->finding[i]);
        }
    for (size_t i = 0; i < g->n_row; i++)
        row_case(g, &g->row[i], out);
    gnt_text_add(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- JSON ---- */

static const char *verdict_name(gnt_gate_verdict v) {
    static const char *const names[] = {"same", "within", "unable", "moved", "better", "worse"};
    return names[v];
}

static json_t *row_json(const gnt_gate_row *row) {
    return json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s}", "about",
        about_name(row), "task", row->cell->task, "stage", (json_int_t)row->cell->stage, "defense",
        row->cell->defense, "mode", gnt_row_mode_name(row->cell->mode), "attack",
        row->about == GNT_GATE_LEAKAGE || row->about == GNT_GATE_ATTACK_TIME ? row->cell->attack : "",
        "strength", gnt_json_real(row->cell->strength), "strength_was", gnt_json_real(row->old->strength),
        "measure", row->measure, "is", gnt_json_real(row->is), "was", gnt_json_real(row->was), "worse_by",
        gnt_json_real(row->worse), "tolerance", gnt_json_real(row->tolerance), "p", gnt_json_real(row->p),
        "p_better", gnt_json_real(row->p_less), "pairs", (json_int_t)row->e.units, "seeds",
        (json_int_t)row->e.seeds, "verdict", verdict_name(row->verdict));
}

void gnt_gate_write_json(const gnt_gate *g, gnt_text *out) {
    json_t *rows = json_array(), *failures = json_array(), *notes = json_array();
    for (size_t i = 0; i < g->n_row; i++)
        json_array_append_new(rows, row_json(&g->row[i]));
    for (size_t i = 0; i < g->n_finding; i++)
        json_array_append_new(i < g->n_failures ? failures : notes,
                              json_pack("{s:s, s:s, s:s}", "kind", gnt_gate_kind_words(g->finding[i].kind),
                                        "place", g->finding[i].place, "text", g->finding[i].text));
    json_t *all = json_pack("{s:i, s:s, s:f, s:I, s:I, s:I, s:o, s:o, s:o}", "format", 1, "suite",
                            g->now->suite, "alpha", g->settings.alpha, "tested", (json_int_t)g->tested,
                            "unchanged", (json_int_t)g->same, "too_few_pairs", (json_int_t)g->unable,
                            "failures", failures, "notes", notes, "comparisons", rows);
    char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    out->failed |= !text;
    if (text)
        gnt_text_add(out, "%s\n", text);
    gnt_free(text);
}
