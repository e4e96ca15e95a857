/* What the files that read results.json share. Private to this room. */
#ifndef GNT_RESULTS_RESULTS_IMPL_H
#define GNT_RESULTS_RESULTS_IMPL_H

#include "results/results.h"

/* The words of the file, by value. */
extern const char *const results_status_names[GNT_CELL_STATUSES];
extern const char *const results_mode_names[GNT_ROW_MODES];

/* ---- what read.c calls to fill a gnt_results, in this order ---- */

/* marks.c: r->marked from r->cell. */
int results_collect_marks(gnt_results *r, gnt_err *err);
/* task.c: of the list `tasks` of a results.json, whose entries are objects or mere names; NULL for none.
 * `file` stands for it in sentences. Texts belong to the list. The caller frees *task with
 * results_free_tasks, after a failure too. */
int results_read_tasks(const json_t *tasks, const char *file, gnt_task_facts **task, size_t *n, gnt_err *err);
void results_free_tasks(gnt_task_facts *task, size_t n);
/* names.c: task, defense, attack and about from the lists of the root, and from cells, groups and marked,
 * which are there. `file` stands for the file in sentences. */
int results_collect_names(gnt_results *r, const char *file, gnt_err *err);
/* public.c: the scatter over seeds of each task that has trained on public data alone. */
void results_fill_scatter(gnt_results *r);

#endif
