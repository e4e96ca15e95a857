/* scores: the numbers of a run that a page's tables are made from, read alike from a run folder and from what
 * is kept of one. What is kept, results/baselines/NAME/scores.json, is the run's results.json without what no
 * table needs, and a few lines of its host.json. */
#ifndef DOCS_TABLES_SCORES_H
#define DOCS_TABLES_SCORES_H

#include "base/text.h"
#include "judge/judge.h"

#define BASELINES "results/baselines"

typedef struct scores {
    gnt_results results;
    /* owned: facts of the program and the machine, {"version", "source", …}; never NULL once loaded */
    json_t *host;
} scores;

/* Loads a run: `run` is the name of a kept run or, with a slash in it, a run folder or a folder with a
 * scores.json. On failure *s is empty. */
int scores_load(scores *s, const char *run, gnt_err *err);
void scores_free(scores *s);
/* Returns 1 if no scores are kept of a run that is listed in results/baselines/runs.txt; −1, with a
 * sentence, if that file cannot be read. */
int scores_are_to_come(const char *run, gnt_err *err);

/* Writes what is kept, the text of scores.json. Keeping what was kept gives the same bytes. */
int scores_keep(const scores *s, gnt_text *out, gnt_err *err);

/* True for the entry i of the run's equal_leakage that a table shows: of a measure that pages have, and
 * one of several that follow each other and differ in the leakage alone. */
int scores_compares_leakages(const gnt_results *r, size_t i);
/* True for a probe's cell without a defense, whose targets are counted one by one; those of a
 * representation are not. */
int scores_is_counted(const gnt_results *r, const gnt_outcome *cell);

#endif
