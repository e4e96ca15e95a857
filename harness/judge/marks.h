/* marks: what the host found wrong with defenses, cell by cell. Texts belong to the results. */
#ifndef GNT_JUDGE_MARKS_H
#define GNT_JUDGE_MARKS_H

#include "judge/judge.h"

size_t gnt_mark_count(const gnt_outcome *cell);
gnt_mark gnt_mark_at(const gnt_outcome *cell, size_t i);
/* True if a defense with this mark gets no rank. */
int gnt_mark_costs_rank(const gnt_mark *mark);

/* Returns the first cell of a task and stage (GNT_EVERY_STAGE: of any) in which a defense has a mark that
 * costs its rank; NULL for none. */
const gnt_outcome *gnt_marked_cell(const gnt_results *r, const char *task, int64_t stage,
                                   const char *defense);

#endif
