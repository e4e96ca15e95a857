/* results.json as reports and the gate read it. Input: the results of a run, a line "%%", those of a baseline
 * (none: the run itself). */
#include "fuzz.h"
#include "gate/gate.h"
#include "report/table/report_tables.h"
#include "report/report_impl.h"
#include "judge/section.h"
#include "judge/group_roles.h"
#include "judge/section.h"

static void write_table(gnt_table *t) {
    static void (*const forms[])(const gnt_table *, gnt_text *) = {gnt_table_markdown, gnt_table_html,
                                                                   gnt_table_csv, gnt_table_json};
    MUST(!t->failed);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        gnt_text out;
        gnt_text_init(&out, 64 << 20);
        forms[i](t, &out);
        MUST(!out.failed);
        if (forms[i] == gnt_table_json) {
            json_t *again = json_loadb(gnt_text_get(&out), out.size, JSON_DECODE_ANY, NULL);
            MUST(again);
            json_decref(again);
        }
        gnt_text_free(&out);
    }
    gnt_table_free(t);
}

static void write_tables(const gnt_results *r) {
    static void (*const tables[])(const gnt_results *, gnt_table *) = {
        gnt_table_matrix_long, gnt_table_groups,  gnt_table_matches,  gnt_table_history,
        gnt_table_problems,    gnt_table_floors,  gnt_table_searches, gnt_table_facts,
        gnt_table_summary,     gnt_table_ranking, gnt_table_found};
    int64_t stages[GNT_MOST_STAGES];
    gnt_table t;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gnt_table_init(&t, "table");
        tables[i](r, &t);
        write_table(&t);
    }
    for (size_t i = 0; i < r->n_task; i++) {
        const size_t n = gnt_stages(r, r->task[i], stages);
        for (size_t k = 0; k < n; k++) {
            const gnt_measure *m = gnt_section_lead(r, r->task[i], stages[k]);
            gnt_text words;
            if (!m)
                continue;
            gnt_table_init(&t, NULL);
            gnt_table_matrix(r, r->task[i], stages[k], m, &t);
            write_table(&t);
            gnt_text_init(&words, 1 << 20);
            gnt_report_sentence(r, r->task[i], stages[k], m, &words);
            gnt_section_title(r, r->task[i], stages[k], &words);
            MUST(!words.failed);
            gnt_text_free(&words);
        }
    }
}

static void write_gate(const gnt_gate *gate) {
    static void (*const forms[])(const gnt_gate *, gnt_text *) = {
        gnt_gate_write_text, gnt_gate_write_markdown, gnt_gate_write_junit, gnt_gate_write_github,
        gnt_gate_write_json};
    MUST(gate->n_failures <= gate->n_finding);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        gnt_text out;
        gnt_text_init(&out, 64 << 20);
        forms[i](gate, &out);
        MUST(!out.failed);
        gnt_text_free(&out);
    }
}

static void compare(const gnt_results *now, const gnt_results *before) {
    gnt_gate gate;
    gnt_text out;
    gnt_err err = {0};
    if (fuzz_ok(gnt_gate_make(&gate, now, "now", before, "before", &err), &err)) {
        write_gate(&gate);
        gnt_gate_free(&gate);
    }
    if (fuzz_ok(gnt_gate_make_redrawn(&gate, now, "now", before, "before", &err), &err)) {
        gnt_text_init(&out, 64 << 20);
        MUST(gnt_gate_write_redrawn(&gate, &out) <= gate.n_row + gate.n_failures && !out.failed);
        gnt_text_free(&out);
        gnt_gate_free(&gate);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size}, first = fuzz_text(&all);
    gnt_results now, before;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_results_parse(&now, "results.json", (const char *)first.at, first.left, &err), &err))
        return 0;
    write_tables(&now);
    if (!all.left)
        compare(&now, &now);
    else if (fuzz_ok(gnt_results_parse(&before, "baseline.json", (const char *)all.at, all.left, &err),
                     &err)) {
        compare(&now, &before);
        gnt_results_free(&before);
    }
    gnt_results_free(&now);
    return 0;
}
