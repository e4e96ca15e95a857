/* inversion: the costs of the attacks on one batch of encodings, from the residual r(x).
 *   Eq. 6    ‖r(x)‖²
 *   KKT      ‖e(x)‖²/‖e(½)‖² + tv·TV(x): e is r where x′ is inside the box; on an edge the gradient may point
 *            out, so e is the part of r with the wrong sign (below 0 at 0, above 0 at 1) */
#ifndef LODA_INVERSION_H
#define LODA_INVERSION_H

#include "loda_known.h"
#include "loda_residual.h"

typedef struct inversion {
    const known *known;
    residual residual;
    int64_t n;
    double c;
    int kkt;
    double tv, edge; /* KKT: weight of the total variation; width of the box's edges */
    int64_t dim[3];  /* C, H, W */
    float *r, *half; /* n × pixels; an image of ½ */
    double *scale;   /* n: ‖e(½)‖² */
} inversion;

/* Prepares batches of n; the caller has set c, kkt, tv and edge, and zeroed the rest. inversion_close frees
 * it. */
gnt_status inversion_open(inversion *v, const known *k, int64_t n);
void inversion_close(inversion *v);
gnt_status inversion_set(inversion *v, const float *encoded); /* copied */
/* Computes the cost that image_search.h minimises; context is the inversion. */
gnt_status inversion_cost(void *context, const float *x, double *cost, float *grad);

#endif
