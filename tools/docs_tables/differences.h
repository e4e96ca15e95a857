/* differences: what the differences that a suite's own tables show need of its cells. */
#ifndef DOCS_TABLES_DIFFERENCES_H
#define DOCS_TABLES_DIFFERENCES_H

#include "judge/measure_text.h"
#include "judge/judge.h"

/* Needs of one cell: the measures that are subtracted target by target, by their place in metric/measure.h;
 * whether there are any; whether its utility is subtracted, and whether another number than the utility is.
 */
typedef struct differences {
    unsigned char measure[GNT_MEASURES];
    int measures, utility, other;
} differences;

differences differences_of(const gnt_results *r, const gnt_outcome *cell);

/* True if one mean over each cell's targets gives every difference of measures, and its interval, as the
 * targets do: each is of two training runs or more, whose intervals are by their means alone, every target
 * has its pair, and none is counted one by one. */
int differences_need_means(const gnt_results *r);

#endif
