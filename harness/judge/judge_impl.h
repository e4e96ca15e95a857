/* Functions shared by the files that read results.json. Private to this folder. */
#ifndef GNT_JUDGE_JUDGE_IMPL_H
#define GNT_JUDGE_JUDGE_IMPL_H

#include "judge/judge.h"

/* ---- what read.c calls to fill a gnt_results, in this order ---- */

/* marks.c: r->marked from r->cell. */
int results_collect_marks(gnt_results *r, gnt_err *err);
/* task.c: of the tasks of a result. `file` stands for it in sentences. Texts and lists belong to the result.
 * The caller frees *task, after a failure too. */
int results_read_tasks(const gnt_result *of, const char *file, gnt_task_facts **task, size_t *n,
                       gnt_err *err);
/* names.c: task, defense, attack and about from the lists of the root, and from cells, groups and marked,
 * which are there. `file` stands for the file in sentences. */
int results_collect_names(gnt_results *r, const char *file, gnt_err *err);
/* public.c: the scatter over seeds of each task that has trained on public data alone. */
void results_fill_scatter(gnt_results *r);

#endif
