/* What a run says at its end: the ranking of every section, as text for a terminal. */
#include "base/mem.h"
#include "judge/judge.h"
#include "judge/ranking.h"
#include "judge/section.h"
#include "render/escape.h"
#include "report/report.h"
#include "report/report_impl.h"
#include "report/table/report_tables.h"

static void write_section(const gnt_results *r, const char *task, int64_t stage, gnt_text *out) {
    const gnt_measure *m = gnt_section_lead(r, task, stage);
    gnt_text words;
    gnt_table t;
    gnt_text_init(&words, 1 << 20);
    gnt_section_title(r, task, stage, &words);
    gnt_text_add(&words, ". ");
    if (m)
        gnt_report_sentence(r, task, stage, m, &words);
    else
        gnt_text_add(&words, "No cell gave a number.");
    gnt_escape_line(out, gnt_text_get(&words));
    gnt_text_add(out, "\n\n");
    out->failed |= words.failed;
    gnt_text_free(&words);
    if (!m)
        return;
    gnt_table_places(r, task, stage, m, 1, &t);
    gnt_table_plain(&t, out);
    gnt_table_free(&t);
    gnt_text_add(out, "\n");
}

/* Writes what attacks on captures found. */
static void write_captured(const gnt_results *r, const char *task, int64_t stage, gnt_text *out) {
    gnt_text words;
    gnt_table t;
    gnt_text_init(&words, 1 << 20);
    gnt_section_title(r, task, stage, &words);
    gnt_text_add(&words, ". ");
    gnt_report_captured(r, task, &words);
    gnt_escape_line(out, gnt_text_get(&words));
    gnt_text_add(out, "\n\n");
    out->failed |= words.failed;
    gnt_text_free(&words);
    if (gnt_table_captured(r, task, stage, &t) > 0) {
        gnt_table_plain(&t, out);
        gnt_text_add(out, "\n");
    }
    gnt_table_free(&t);
}

int gnt_report_ranking(const char *run, gnt_text *out, gnt_err *err) {
    gnt_results r;
    char *path = gnt_format("%s/results.json", run);
    int failed = !path                             ? gnt_fail(err, "report: out of memory")
                 : gnt_results_load(&r, path, err) ? GNT_REPORT_UNREADABLE
                                                   : 0;
    gnt_free(path);
    if (failed)
        return failed;
    for (size_t i = 0; i < r.n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        const size_t n = gnt_judged_stages(&r, r.task[i], stages);
        for (size_t k = 0; k < n; k++)
            if (gnt_result_is_of_captures(r.file))
                write_captured(&r, r.task[i], stages[k], out);
            else
                write_section(&r, r.task[i], stages[k], out);
    }
    gnt_results_free(&r);
    return out->failed ? gnt_fail(err, "report: out of memory") : 0;
}
