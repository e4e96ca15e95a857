/* report_tables: the report's tables, from results. Each is filled into a gnt_table that the caller frees
 * with gnt_table_free; running out of memory marks the table. Order: tasks, defenses and attacks as the suite
 * lists them, stages and strengths rising. */
#ifndef GNT_REPORT_TABLE_REPORT_TABLES_H
#define GNT_REPORT_TABLE_REPORT_TABLES_H

#include "judge/measure_text.h"
#include "judge/judge.h"
#include "render/table.h"

/* Fills the table of defense × attack at matched utility: a row for each defense, "value [low, high]" in
 * the cells, the better row first; rows that are not at matched utility come after the others and say so,
 * then each point of the sweeps. */
void gnt_table_matrix(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      gnt_table *t);
/* Lists the same numbers of every task, stage and measure, one in each row. */
void gnt_table_matrix_long(const gnt_results *r, gnt_table *t);
/* Lists every group and measure, with baselines and chance. */
void gnt_table_groups(const gnt_results *r, gnt_table *t);
void gnt_table_matches(const gnt_results *r, gnt_table *t);
void gnt_table_history(const gnt_results *r, gnt_table *t); /* each training that matching used */
/* Lists the cells that are not ok, seeds with the same reason joined. */
void gnt_table_problems(const gnt_results *r, gnt_table *t);
/* Lists baselines and chance by task, stage, attack and measure. */
void gnt_table_floors(const gnt_results *r, gnt_table *t);
/* Lists what control training runs with secret labels learnt, with standard errors. */
void gnt_table_secret(const gnt_results *r, gnt_table *t);
/* Lists what each attack that ran on a task sees and is granted, and its threat model. */
void gnt_table_attackers(const gnt_results *r, gnt_table *t);
/* Lists why the searches of attacks ended, a row for each group whose attack says it. */
void gnt_table_searches(const gnt_results *r, gnt_table *t);
/* Lists every named number of every cell: of plugins, of the score. What is no number has an empty value. */
void gnt_table_facts(const gnt_results *r, gnt_table *t);
/* Fills a row for each task and stage, by its leading measure: which defense leaks least at matched
 * utility in its worst case, how much, how much leaks undefended, what baseline needs no attack, and how
 * many cells there are of each kind. */
void gnt_table_summary(const gnt_results *r, gnt_table *t);
/* Fills a section's ranking for readers: a row for each defense, the ranked ones first, with its state.
 * next: 1: with a column for what is shown next to the measure, where there is any (gnt_next_to). */
void gnt_table_places(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m, int next,
                      gnt_table *t);
/* Lists the worst case over attacks of each defense, by task, stage and measure. */
void gnt_table_ranking(const gnt_results *r, gnt_table *t);

/* equal: leakage at the task's target utility, utility at one leakage, read off curves with matching's
 * error in the interval (judge/equal_utility.h). */

/* Fills the rows of a task, stage and measure, for a page; returns their number. */
size_t gnt_table_equal(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                       int by_leakage, gnt_table *t);
void gnt_table_equal_utility(const gnt_results *r, gnt_table *t);
void gnt_table_equal_leakage(const gnt_results *r, gnt_table *t);

/* bounds: what the task's errors and the attackers' successes are, and what they could be at most
 * (judge/bounds.h). */

/* Fills the rows of a task and stage, for a page; returns their number. */
size_t gnt_table_bounds_at(const gnt_results *r, const char *task, int64_t stage, gnt_table *t);
void gnt_table_bounds(const gnt_results *r, gnt_table *t);

/* maps: the utility of maps, where the task's samples have them. */

/* Fills the rows of a task and stage, for a page; returns their number. */
size_t gnt_table_maps_at(const gnt_results *r, const char *task, int64_t stage, gnt_table *t);
void gnt_table_maps(const gnt_results *r, gnt_table *t);

/* captured: attacks on captures. */

/* Lists what each attack on the captures of a task found, by measure, with the best guess that needs no
 * update; returns the number of rows, none where the private batches are withheld. */
size_t gnt_table_captured(const gnt_results *r, const char *task, int64_t stage, gnt_table *t);
/* Writes what was captured, what the attacker knows of the defense, and whether anything was scored. The text
 * contains names from files: escape it. */
void gnt_report_captured(const gnt_results *r, const char *task, gnt_text *out);

/* found: what must be known of a run before its numbers are read: what the host found wrong with defenses,
 * and how they were observed. For the top of a report. */

/* Fills a row for each sentence on a defense in a task, cells with the same one joined; without rows where
 * nothing was found. The caller frees the table. */
void gnt_table_found(const gnt_results *r, gnt_table *t);
/* Writes which tasks were probed and which ran under a public seed, one line each; nothing if none was.
 * The text contains names from files: escape it. */
void gnt_report_observed(const gnt_results *r, gnt_text *out);

/* Says over what the intervals of a section's numbers are taken, as far as the file says: "95 % confidence
 * interval over 5 training runs". One over the targets of one training run says nothing about others, and is
 * named so. */
void gnt_interval_write(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                        gnt_text *out);

/* hooks: how long the hooks of each defense and attack took. */

/* Lists the times of hooks. `host`: the whole of a host.json, which may be hostile. */
void gnt_table_hooks(const gnt_results *r, const json_t *host, gnt_table *t);
/* Fills it from the host.json of a run's folder. 0, and no table to free, if there is none or it has no
 * hook. */
int gnt_table_hooks_of(const gnt_results *r, const char *run, gnt_table *t);

/* paper: a paper's tables as the suite lays them out (docs/suites.md, "tables"), filled from the results,
 * with what the paper prints on a line of its own below each of ours. The results are treated as hostile: a
 * table that makes no sense is left out. */

typedef struct gnt_paper_table {
    const char *id, *title, *note; /* of the list; note "" for none */
    const json_t *spec;
} gnt_paper_table;

/* Returns the list of the tables, for json_decref; NULL where there are none. */
json_t *gnt_paper_read(const gnt_results *r);
/* Finds the i-th table of the list. 0, or −1 where it makes no sense. */
int gnt_paper_at(const json_t *all, size_t i, gnt_paper_table *out);
void gnt_paper_fill(const gnt_results *r, const gnt_paper_table *p, gnt_table *t);

/* What an entry of such a table shows: a measure, or without one the utility of that name, of a group, or how
 * much more of it the group has than another one. All is of the results, NULL where there is none. */
typedef struct gnt_paper_pair {
    const char *show, *utility;
    const gnt_measure *measure;
    const gnt_outcome *group, *other;
    int is_difference;
} gnt_paper_pair;

gnt_paper_pair gnt_paper_pair_at(const gnt_results *r, const gnt_paper_table *p, size_t row, size_t column);

#endif
