/* tables: the contents of a page's blocks, made from the scores of a run or kept as a table. Each kind
 * has a word, the words after it name the run and what of it. Text ends without a line break; tables are
 * Markdown. */
#ifndef DOCS_TABLES_PAGE_TABLES_H
#define DOCS_TABLES_PAGE_TABLES_H

#include "render/table.h"
#include "judge/measure_text.h"
#include "scores.h"

/* `argument` has the n words after the run's name. */
typedef int table_writer(const scores *s, char *const *argument, size_t n, gnt_text *out, gnt_err *err);

/* run NAME: which program, machine, suite and scale the numbers come from */
table_writer table_run;
/* matches NAME [TASK…]: how the searches of a task ended, next to no defense and public data alone */
table_writer table_matches;
/* leakage NAME [TASK…]: every defense and strength by attack, a table for each task and round */
table_writer table_leakage;
/* undefended NAME [TASK…]: what attacks read where nothing protects, next to what is had without an attack; a
 * row for each task, round and attack */
table_writer table_undefended;
/* equal-leakage NAME [TASK…]: the utility of each defense at the leakages that the suite lists, a table for
 * each task, round and attack */
table_writer table_equal_leakage;
/* ranking NAME [TASK…]: the worst case of each defense, as a report ranks it */
table_writer table_ranking;
/* back NAME [TASK…]: of how many undefended targets of a probe the image and the label came back */
table_writer table_back;
/* sets NAME: what was found of sets of mixed encodings */
table_writer table_sets;
/* paper NAME ID: a table that the suite lays out as its paper does */
table_writer table_paper;
/* bounds NAME [TASK…]: errors and attackers next to what TAPPFL's theorems allow, a table for each task and
 * round */
table_writer table_bounds;
/* maps NAME [TASK…]: IoU, precision, recall, F and loss of each training, a table for each task and stage. */
table_writer table_maps;
/* hooks NAME [LABEL…] [LABEL=SECONDS…]: what the hooks of defenses and attacks took, and on which processor;
 * next to what changes updates, the seconds that a paper prints for it */
table_writer table_hooks;
/* value NAME TASK/rROUND/DEFENSE@STRENGTH/ATTACK MEASURE: one number, for a line of text */
table_writer table_value;

/* Makes a table from a file of results/baselines that no run of a suite wrote; a name with a slash in it is a
 * path. */
typedef int file_writer(const char *name, gnt_text *out, gnt_err *err);

/* kept NAME.tsv: a table as another program wrote it */
file_writer table_kept;
/* members LIST: how often each member of suites/standard/LIST.json is the strongest attack in the arenas of
 * results/board, and what defenses would leak without it; a table for each arena */
file_writer table_members;
/* bench-times NAME.json: what each row of the bench took, next to PyTorch and the floor */
file_writer table_bench_times;
/* bench-work NAME.json: what each row computes and moves, and how far either side is off */
file_writer table_bench_work;
/* bench-gpu NAME.json: what each row takes on a core, and what PyTorch on a GPU takes at least, an estimate
 * by public figures */
file_writer table_bench_gpu;
/* bench-machine NAME.json: which programs and machine these are of */
file_writer table_bench_machine;
/* bench-jobs NAME.json: the quick suite with one job and with two */
file_writer table_bench_jobs;

/* Makes the text that `words` name, "leakage mnist mnist-lenet"; a word with blanks is in double quotes.
 * For a run whose scores are to come `run` says so, and a table is empty. *inline_text is 1 for text
 * within a line. */
int tables_write(const char *words, gnt_text *out, int *inline_text, gnt_err *err);
/* Returns the name of the run or the kept table that `words` name, cut to fit; "" without. */
void tables_run_name(const char *words, char *name, size_t size);
/* A line for each kind. */
extern const char tables_help[];

/* Searches a list of task names: 1 if it is empty or has `task`; tables_known fails for one that is no task
 * of the run. */
int tables_wants(char *const *tasks, size_t n, const char *task);
int tables_known(const scores *s, char *const *tasks, size_t n, gnt_err *err);
/* Writes the table as Markdown, with a blank line before it if it follows text. */
void tables_add(const gnt_table *t, gnt_text *out);
/* Begins a paragraph or a table: a blank line below text. */
void tables_next(gnt_text *out);
/* Writes a mean and interval as in "12.3 [11.0, 13.5]", without a unit; without the brackets if both ends
 * are alike. */
void tables_interval(const gnt_measure *m, const gnt_stat *s, gnt_text *out);
/* Adds a cell with the round of a stage: its number, or which of the task's drawn rounds it is. */
void tables_round(const gnt_results *r, const char *task, int64_t stage, gnt_table *t);

#endif
