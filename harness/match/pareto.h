/* pareto: which (utility, leakage) points are beaten by none: more utility is better, less leakage is better.
 */
#ifndef GNT_MATCH_PARETO_H
#define GNT_MATCH_PARETO_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_match_tradeoff {
    double utility; /* higher is better; the caller negates a loss */
    double leakage; /* lower is better */
} gnt_match_tradeoff;

/* Sets on_front[i] to 1 if no point is at least as good in both and better in one. Equal points are on the
 * front together; a point that is not finite never is. order (may be NULL) receives the indices of the front
 * by rising utility, then by index, and *n_front their number. */
int gnt_match_pareto(unsigned char *on_front, size_t *order, size_t *n_front,
                     const gnt_match_tradeoff *points, size_t n, gnt_err *err);

#endif
