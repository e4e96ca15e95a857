/* match: the distance between the update that x would give and the one observed, as a
 * function that attacks search. */
#ifndef GRADIENT_MATCH_H
#define GRADIENT_MATCH_H

#include "gauntlet/plugin.h"
#include "hook.h"
#include "defense/outliers.h"

/* The function prepared for observations of one shape. Zeros at first; the host
 * releases it with the instance. */
typedef struct match {
    gnt_function *function;
    int64_t n, batch;
    double momentum, decay;
    int32_t steps, masked, ordered;
} match;

/* Prepares it, or keeps it from the observation before where that had the same shape and neither tells the
 * order of its samples. Steps are unrolled with the clients' momentum
 * and decay. cost, vjp: as gnt_function_spec has
 * them, the same at every call. GNT_OK, or a status after host->fail. */
gnt_status match_prepare(match *m, const gnt_host *host, const gnt_observation *seen, int32_t cost,
                         uint32_t vjp, int32_t masked);

/* The same of GNT_FN_UPDATE, for a cost of the caller's own. */
gnt_status match_prepare_update(match *m, const gnt_host *host, const gnt_observation *seen, uint32_t vjp);

/* Which entries are not matched: what the parameters say of zeros (survivors.h) and
 * of outliers (outliers.h). */
typedef struct match_choice {
    int64_t mask_zeros, outliers;
} match_choice;

/* Sets args->observed and args->mask (see survivors_mask for *masked), scratch of the hook; *apart: the
 * outliers; *squares: the square norm of what was observed without them. GNT_OK, or a status after host->fail
 * where tensors are missing or not finite. */
gnt_status match_bind(gnt_function_args *args, const gnt_host *host, const gnt_observation *seen,
                      match_choice choice, outliers *apart, int32_t *masked, double *squares);

#endif
