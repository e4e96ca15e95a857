/* survivor_rows: what a pruned gradient of a first dense layer shows of its one sample, up to a factor.
 *
 * The gradient is δ x̃ᵀ, x̃ (features) the sample as the layer sees it, and that of the bias δ (units). An
 * entry survives pruning if |δ_i x̃_k| is not below the threshold t. So the unit of the greatest |δ|, a,
 * shows the inputs with |x̃_k| ≥ t/|a|, every other unit some of these: from those in common follow the
 * ratios δ_i/a. Survivors are equations, shown_k = a·x̃_k, and what no unit shows lies within |x̃_k| ≤
 * t/|a|. Only a, with its sign, stays open: it is the bias's entry if any survived. */
#ifndef GRADIENT_SURVIVOR_ROWS_H
#define GRADIENT_SURVIVOR_ROWS_H

#include "linear/linear_layer.h"
#include "linear/rank_one.h"
#include "prior/bounded.h"

typedef struct survivor_rows {
    int64_t units, features;
    double *ratio;     /* units: δ_i/a; 0: no entry of the unit survived */
    double *shown;     /* features: a·x̃_k; 0: not shown */
    double bound;      /* t: no |a·x̃_k| that is not shown is larger */
    double bias_bound; /* as above, of |δ_i| whose bias did not survive; INFINITY: not known */
    double a;          /* 0: no bias survived that gives it */
    int64_t n_shown;   /* inputs */
} survivor_rows;

/* Reads a layer. Entries that are outliers count as missing, without a bound. bound and bias_bound: those of
 * the tensors. GNT_OK, or a status after host->fail; n_shown is 0 if nothing survived. */
gnt_status survivor_rows_read(survivor_rows *r, const gnt_host *host, const dense_layer *l, int64_t features,
                              double bound, double bias_bound);

/* Sets *least and *most to the range of |a| of the given sign in which every input that is shown is of a
 * sample in [0, 1] and no bias had to survive. Empty (*least > *most) if there is none. */
void survivor_rows_range(const survivor_rows *r, const rank_one_input *in, double sign, double *least,
                         double *most);

/* Sets the bounds of the sample's entries in [0, 1], given a. */
void survivor_rows_bounds(const survivor_rows *r, const rank_one_input *in, double a, entry_bounds *out);

#endif
