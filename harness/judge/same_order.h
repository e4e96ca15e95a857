/* same_order: whether two measures order defenses alike. They do if, under every attack, each pair of
 * defenses that one of them surely orders (the intervals do not touch, above the baseline) has means in the
 * same order by the other; exact copies (PSNR at its bound) are left out. Defenses are those of the matrix,
 * no defense among them. Pure; what is returned belongs to the results. */
#ifndef GNT_JUDGE_SAME_ORDER_H
#define GNT_JUDGE_SAME_ORDER_H

#include "judge/judge.h"
#include "metric/measure.h"

enum { GNT_MOST_DISAGREEMENTS = 4 };

/* A pair of defenses that `by` surely orders under an attack, while the other measure does not order it so.
 */
typedef struct gnt_disagreement {
    const char *attack, *less, *more;
    const gnt_measure *by;
    /* the other measure surely orders it the other way */
    int opposed;
} gnt_disagreement;

typedef struct gnt_agreement {
    /* pairs that either measure surely orders under some attack; of these, those on which they disagree */
    size_t ordered, disagreed;
    /* the first of these, each pair once; opposed ones before others */
    gnt_disagreement first[GNT_MOST_DISAGREEMENTS];
    size_t n_first;
} gnt_agreement;

/* Compares measures a and b at a stage of a task, or at all of them if the stage is GNT_EVERY_STAGE. −1 if
 * memory ran out. */
int gnt_agreement_of(gnt_agreement *out, const gnt_results *r, const char *task, int64_t stage,
                     const gnt_measure *a, const gnt_measure *b);

#endif
