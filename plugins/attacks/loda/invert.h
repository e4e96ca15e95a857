/* invert: the costs of the attacks on one batch of encodings, from the residual r(x).
 *   Eq. 6    ‖r(x)‖²
 *   KKT      ‖e(x)‖²/‖e(½)‖² + tv·TV(x): e is r where x′ lies inside the box; where it lies on an edge the
 *            descent was held there by a gradient pointing out, so e is what r has of the wrong sign (below 0
 *            at 0, above 0 at 1) */
#ifndef LODA_INVERT_H
#define LODA_INVERT_H

#include "known.h"
#include "residual.h"

typedef struct inversion {
    const known *known;
    residual residual;
    int64_t n;
    double c;
    int kkt;
    double tv, edge; /* KKT: weight of the total variation; what counts as an edge of the box */
    int64_t dim[3];  /* C, H, W */
    float *r, *half; /* n × pixels; an image of ½ */
    double *scale;   /* n: ‖e(½)‖² */
} inversion;

/* c, kkt, tv and edge are set; the rest is made for batches of n. Zeros at first; close gives it back. */
gnt_status inversion_open(inversion *v, const known *k, int64_t n);
void inversion_close(inversion *v);
gnt_status inversion_set(inversion *v, const float *encoded); /* copied */
/* As search.h wants it; context is the inversion. */
gnt_status inversion_cost(void *context, const float *x, double *cost, float *grad);

#endif
