/* Tables that a report has of each task and stage: errors and attackers next to their bounds, and the utility
 * of maps. */
#include <inttypes.h>

#include "render/escape.h"
#include "report/table/report_tables.h"
#include "judge/section.h"
#include "page_tables.h"

/* Fills the table of a task and stage; returns the number of rows. */
typedef size_t filler(const gnt_results *r, const char *task, int64_t stage, gnt_table *t);

static void add_stage(const scores *s, const char *task, int64_t stage, filler *fill, const char *words,
                      gnt_text *out) {
    gnt_table t;
    if (fill(&s->results, task, stage, &t) > 0) {
        tables_next(out);
        gnt_text_add(out, "**");
        gnt_escape_markdown(out, task);
        gnt_text_add(out, ", round %" PRId64 ": %s**", stage, words);
        tables_add(&t, out);
    }
    gnt_table_free(&t);
}

static int add_all(const scores *s, char *const *tasks, size_t n, filler *fill, const char *words,
                   gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    if (tables_known(s, tasks, n, err))
        return -1;
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stage[GNT_MOST_STAGES];
        const size_t stages = tables_wants(tasks, n, r->task[i]) ? gnt_stages(r, r->task[i], stage) : 0;
        for (size_t k = 0; k < stages; k++)
            add_stage(s, r->task[i], stage[k], fill, words, out);
    }
    return 0;
}

int table_bounds(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    return add_all(s, tasks, n, gnt_table_bounds_at,
                   "errors and attackers next to their bounds, as estimates", out, err);
}

int table_maps(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    return add_all(s, tasks, n, gnt_table_maps_at, "how well maps are found", out, err);
}
