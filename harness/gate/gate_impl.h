/* What the files of this room share. */
#ifndef GNT_GATE_IMPL_H
#define GNT_GATE_IMPL_H

#include "gate/search_curve_impl.h"
#include "gate/gate.h"
#include "gate/join_impl.h"

/* The searches of one matched defense in both runs. */
typedef struct gate_search {
    gate_curve now, before;
    /* +1 where a larger place is a stronger setting, else −1 */
    int direction;
    /* every training is the same to the last digit */
    int is_same;
    /* the runs share no replicate */
    int is_other;
    /* the new run has cells at the baseline's strength, which is not its own */
    int is_at_baseline;
    /* how many effects of replicates were taken out of both curves */
    size_t n_effect;
    /* its row about utility lost at the same strength, SIZE_MAX where there is none */
    size_t loss_row;
} gate_search;

/* A comparison under way. The names stand for the two files in sentences. */
typedef struct gate_maker {
    gnt_gate *g;
    const char *now_name, *before_name;
    const gnt_joined *cell;
    size_t n_cell;
    gate_search *search;
    size_t n_search;
    /* tasks whose private targets are not the baseline's; names borrow from the new run */
    const char **other;
    size_t n_other;
    const gnt_gate_timed *timed;
    size_t n_timed;
    gnt_err *err;
} gate_maker;

/* ---- gate_rows.c ---- */

/* Returns a new row at the end, NULL when out of memory. */
gnt_gate_row *gate_add_row(gate_maker *m);
/* Adds a finding; place and text are copied. */
int gate_add_finding(gate_maker *m, gnt_gate_kind kind, const gnt_gate_row *row, const char *place,
                     const char *text);

/* ---- compare_*.c and verdicts.c, as gate.c calls them ---- */

/* Adds rows for leakage, and findings for cells that fail or are missing. */
int gate_compare_cells(gate_maker *m);
/* Adds rows for leakage in tasks with other targets than the baseline's. */
int gate_compare_other_targets(gate_maker *m);
/* Adds rows for utility: one for each training that both have, but for those whose utility a search set. */
int gate_compare_utility(gate_maker *m);
/* Adds rows for the utility that the strengths of a search leave. */
int gate_compare_strengths(gate_maker *m);
/* Adds rows for what was timed. */
int gate_compare_times(gate_maker *m);
/* Gives rows their p and verdict. */
int gate_judge(gate_maker *m);
/* Adds findings for what is matched no more, or at last; rows have their verdicts. */
int gate_compare_matches(gate_maker *m);

/* ---- leak_row.c ---- */

/* Fills in what a row of leakage is about; its numbers and its evidence are the caller's. */
void gate_begin_leak_row(gate_maker *m, gnt_gate_row *row, const gnt_joined *first,
                         const gnt_measure *measure);

/* ---- other_targets.c ---- */

/* Lists the tasks whose private targets are not the baseline's. */
int gate_find_other_targets(gate_maker *m);
int gate_has_other_targets(const gate_maker *m, const char *task);

/* ---- searches.c ---- */

/* Lists the searches that both runs made. */
int gate_find_searches(gate_maker *m);
void gate_free_searches(gate_maker *m);
/* Returns the search of a defense in a task; NULL if there is none. */
const gate_search *gate_search_of(const gate_maker *m, const char *task, const char *defense);
/* The scatter of one training run around the mean of its strength, in both runs. */
typedef struct gate_scatter {
    double variance, freedom;
    /* the variance of a utility by the draw of its test samples, which all training runs of a run share */
    double test;
} gate_scatter;

enum { GATE_LEAST_FREEDOM = 4 };
gate_scatter gate_search_scatter(const gate_search *s);
/* True if the new matched strength is a weaker setting than the old. */
int gate_is_weaker(const gate_search *s);
/* Returns at most which share of its protection the weaker new strength gives up: that of the utility which
 * it gives back, by its training runs or by the baseline's curve, whichever says more, and one standard
 * error; but no more than so far a move on the strength's scale can do. sign: of the utility. */
double gate_regained(const gate_search *s, int sign);

/* ---- at_baseline.c ---- */

/* Pairs cells at the strength at which the baseline was matched with its matched ones. cell: all of m's. */
int gate_find_at_baseline(gate_maker *m, gnt_joined *cell);

/* ---- settings.c ---- */

int gnt_gate_settings_read(gnt_gate_settings *out, const gnt_results *r, const char *name, gnt_arena *memory,
                           gnt_err *err);
/* Returns how much worse a value may be, by a measure of leakage, by utility or, as a share, by time, to
 * count as unchanged. */
double gnt_gate_tolerance(const gnt_gate_settings *s, const char *measure);

/* ---- gate_words.c ---- */

/* Returns the kind in words, such as "leaks more". */
const char *gnt_gate_kind_words(gnt_gate_kind kind);
void gnt_gate_place(const gnt_gate_row *row, gnt_text *out);
/* Writes a row in words: "23.1 dB, was 20.2 dB: +2.9 dB, tolerance 0.5 dB, p 0.0003". */
void gnt_gate_row_words(const gnt_gate_row *row, gnt_text *out);
/* Writes the summary, one line. */
void gnt_gate_summary(const gnt_gate *g, gnt_text *out);

#endif
