/* What the files of this room share. */
#ifndef GNT_GATE_IMPL_H
#define GNT_GATE_IMPL_H

#include "gate/gate.h"
#include "gate/join_impl.h"

/* A comparison under way. The names stand for the two files in sentences. */
typedef struct gate_maker {
    gnt_gate *g;
    const char *now_name, *before_name;
    const gnt_joined *cell;
    size_t n_cell, room_row, room_finding;
    const gnt_gate_timed *timed;
    size_t n_timed;
    gnt_err *err;
} gate_maker;

/* ---- rows.c ---- */

/* A new row at the end, NULL when out of memory. */
gnt_gate_row *gate_add_row(gate_maker *m);
/* A new finding; place and text are copied. */
int gate_add_finding(gate_maker *m, gnt_gate_kind kind, const gnt_gate_row *row, const char *place,
                     const char *text);

/* ---- cells.c, utility.c, matches.c, times.c, judge.c, in the order in which gate.c calls them ---- */

/* Adds rows for what leaks, and findings for cells that fail or have gone. */
int gate_compare_cells(gate_maker *m);
/* Adds rows for utility: one for each training that both have, but for those whose utility a search set. */
int gate_compare_utility(gate_maker *m);
/* Adds findings for what is matched no more, or at last. */
int gate_compare_matches(gate_maker *m);
/* Adds rows for what was timed, last. */
int gate_compare_times(gate_maker *m);
/* Gives rows their p and verdict. */
int gate_judge(gate_maker *m);

/* ---- settings.c ---- */

int gnt_gate_settings_read(gnt_gate_settings *out, const gnt_results *r, const char *name, gnt_err *err);
/* How much worse by a measure of leakage, by utility or, as a share, by time is near enough to no change. */
double gnt_gate_tolerance(const gnt_gate_settings *s, const char *measure);

/* ---- words.c ---- */

/* "leaks more" */
const char *gnt_gate_kind_words(gnt_gate_kind kind);
void gnt_gate_place(const gnt_gate_row *row, gnt_text *out);
/* "23.1 dB, was 20.2 dB: +2.9 dB, tolerance 0.5 dB, p 0.0003" */
void gnt_gate_row_words(const gnt_gate_row *row, gnt_text *out);
/* One line. */
void gnt_gate_summary(const gnt_gate *g, gnt_text *out);

#endif
