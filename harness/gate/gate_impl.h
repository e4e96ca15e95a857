/* What the files of this room share. */
#ifndef GNT_GATE_IMPL_H
#define GNT_GATE_IMPL_H

#include "gate/gate.h"
#include "gate/join.h"

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

/* A new row at the end, NULL when out of memory; and the same for a finding, whose place and text are copied. */
gnt_gate_row *gate_add_row(gate_maker *m);
int gate_add_finding(gate_maker *m, gnt_gate_kind kind, const gnt_gate_row *row, const char *place,
                     const char *text);

/* Adds rows for what leaks, and findings for cells that fail or have gone. */
int gate_compare_cells(gate_maker *m);
/* Adds rows for utility: one for each training that both have, but for those whose utility a search set. */
int gate_compare_utility(gate_maker *m);
/* Adds findings for what is not matched any more. */
int gate_compare_matches(gate_maker *m);
/* Adds rows for what was timed, last. */
int gate_compare_times(gate_maker *m);
/* Gives rows their p and verdict. */
int gate_judge(gate_maker *m);

#endif
