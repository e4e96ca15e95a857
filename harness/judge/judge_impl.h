/* Functions shared by the files that read results.json. Private to this folder. */
#ifndef GNT_JUDGE_JUDGE_IMPL_H
#define GNT_JUDGE_JUDGE_IMPL_H

#include "judge/judge.h"

/* ---- what read.c calls to fill a gnt_results, in this order ---- */

/* Fills r->marked from r->cell (marks.c). */
int results_collect_marks(gnt_results *r, gnt_err *err);
/* Reads the tasks of a result (task.c). Sentences call it `file`. Texts and lists belong to the result. The
 * caller frees *task, after a failure too. */
int results_read_tasks(const gnt_result *of, const char *file, gnt_task_facts **task, size_t *n,
                       gnt_err *err);
/* Fills task, defense, attack and about from the lists of the root, and from cells, groups and marked, which
 * are filled already (names.c). Sentences call the file `file`. */
int results_collect_names(gnt_results *r, const char *file, gnt_err *err);
/* Indexes groups and cells by task and defense (results_index.c). */
int results_index(gnt_results *r, const char *file, gnt_err *err);
void results_index_free(gnt_results *r);
/* Computes the scatter over seeds of each task that has trained on public data alone (public.c). */
void results_fill_scatter(gnt_results *r);

#endif
