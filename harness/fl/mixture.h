/* mixture: of which private samples each sample of an encoded set was made, and how much of each.
 *
 * Ground truth of an observation: it is computed along with what the attacker sees and read by scores
 * alone; no defense or attack ever gets it. Rows are kept dense, since a released set is small. */
#ifndef GNT_FL_MIXTURE_H
#define GNT_FL_MIXTURE_H

#include "base/err.h"
#include "gauntlet/plugin.h"

typedef struct gnt_mixture {
    int64_t originals; /* samples of the private set */
    int64_t rows;      /* samples of the encoded set, so far */
    float *weight;     /* rows × originals, ≥ 0 */
    int64_t *source;   /* rows: the original that the defense says the sample is mostly of */
    int64_t room;
} gnt_mixture;

/* Makes the mixture before any encoding: row i is original i. *out is filled even on failure, and is to be
 * freed. */
int gnt_mixture_identity(gnt_mixture *out, int64_t originals, gnt_err *err);
/* Returns a mixture without rows, over the originals of `like`. */
gnt_mixture gnt_mixture_empty(const gnt_mixture *like);
void gnt_mixture_free(gnt_mixture *m);

/* Adds a row: what row `row` of `of` was made of. */
int gnt_mixture_copy(gnt_mixture *m, const gnt_mixture *of, int64_t row, gnt_err *err);
/* Replaces the last row by a mix of the rows of `before`, whose samples go by id[0 … before->rows − 1]:
 * weight[i] of the sample source_id[i]. Where several samples share an id, as after an encoding that
 * mixes, it is their mean. */
int gnt_mixture_mix(gnt_mixture *m, const gnt_mixture *before, const int64_t *id, int64_t n,
                    const int64_t *source_id, const double *weight, gnt_err *err);

#endif
