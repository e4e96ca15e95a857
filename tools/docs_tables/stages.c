/* Errors and attackers beside their bounds, as a report has them. */
#include <inttypes.h>

#include "render/escape.h"
#include "report/tables_impl.h"
#include "results/section.h"
#include "tables.h"

static void add_stage(const scores *s, const char *task, int64_t stage, gnt_text *out) {
    gnt_table t;
    if (gnt_table_bounds_at(&s->results, task, stage, &t) > 0) {
        tables_next(out);
        gnt_text_add(out, "**");
        gnt_escape_markdown(out, task);
        gnt_text_add(out, ", round %" PRId64 ": errors and attackers beside their bounds, as estimates**",
                     stage);
        tables_add(&t, out);
    }
    gnt_table_free(&t);
}

int table_bounds(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    if (tables_known(s, tasks, n, err))
        return -1;
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stage[GNT_MOST_STAGES];
        const size_t stages = tables_wants(tasks, n, r->task[i]) ? gnt_stages(r, r->task[i], stage) : 0;
        for (size_t k = 0; k < stages; k++)
            add_stage(s, r->task[i], stage[k], out);
    }
    return 0;
}
