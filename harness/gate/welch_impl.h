/* welch: means of two samples of training runs that share nothing (Welch, Biometrika 34, 1947). */
#ifndef GNT_GATE_WELCH_IMPL_H
#define GNT_GATE_WELCH_IMPL_H

#include "gate/gate.h"

/* fewer training runs of either run say too little about their scatter */
enum { GATE_FEWEST_TRAININGS = 5 };

/* A sum of variances, each with its own degrees of freedom (Satterthwaite, Biometrics Bulletin 2, 1946).
 * Begins as {0}. */
typedef struct gate_error {
    double sum, weighed;
} gate_error;

/* Adds the variance of the mean of n ≥ 1 numbers; returns the mean. */
double gate_error_add(gate_error *e, const double *x, size_t n);
/* Sets both p of a row whose `worse` is set; not able: they are 1 and the row cannot fail. */
void gate_error_settle(gnt_gate_row *row, double tolerance, const gate_error *e, int is_able);
/* Judges as above, but for n training runs against n_old; with too few the row cannot fail. common: the
 * variance of the difference by what all training runs of a run have in common, which their scatter does
 * not show. */
void gate_weigh_welch(gnt_gate_row *row, double tolerance, const double *now, size_t n, const double *before,
                      size_t n_old, double common);

#endif
