/* same: two values of JSON held against each other, one that a file has and one that follows from the rest of
 * it. Numbers in files are rounded to nine digits, so what is computed from them may differ in the last
 * ones. */
#ifndef GNT_TALLY_SAME_IMPL_H
#define GNT_TALLY_SAME_IMPL_H

#include <jansson.h>

#include "base/err.h"

typedef struct gnt_tally_says {
    /* stands at the beginning of sentences */
    const char *file;
    /* what gives the value that there should be: "the targets of its cells give" */
    const char *because;
    gnt_err *err;
} gnt_tally_says;

/* How far a number may be from what it should be, as a share of the larger of the two: twenty times what
 * rounding both to nine digits can do. */
extern const double gnt_tally_rounding;

/* 0 when `is` holds all that `should` does, and where `closed` nothing else; null and what is not there are
 * the same. slack: how far numbers may be apart besides their rounding. −1: the sentence names the place
 * below `path`. */
int gnt_tally_same(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should,
                   double slack, int closed);
int gnt_tally_close(double a, double b, double slack);
/* The same of two objects of statistics by measure, where scores behind a statistic may have been rounded. */
int gnt_tally_same_measures(const gnt_tally_says *says, const char *path, const json_t *is,
                            const json_t *should);
/* The sentence of such a difference. */
int gnt_tally_differs(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should);

#endif
