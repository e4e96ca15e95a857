/* update_match: the distance between the update of a candidate batch x and the observed one, as a function
 * that attacks minimise. */
#ifndef GRADIENT_UPDATE_MATCH_H
#define GRADIENT_UPDATE_MATCH_H

#include "gauntlet/plugin.h"
#include "hook.h"
#include "defense/outliers.h"

/* The function, prepared for observations of one shape. Zeros at first; the host releases it with the
 * instance. */
typedef struct match {
    gnt_function *function;
    int64_t n, batch;
    double momentum, decay;
    int32_t steps, masked, ordered, optimizer;
} match;

/* Prepares the function, or keeps the one of the previous observation if that had the same shape and
 * neither gives the order of its samples. Steps are unrolled with the clients' momentum and decay. cost,
 * vjp: as in gnt_function_spec, the same at every call. GNT_OK, or a status after host->fail. */
gnt_status match_prepare(match *m, const gnt_host *host, const gnt_observation *seen, int32_t cost,
                         uint32_t vjp, int32_t masked);

/* Does the same with GNT_FN_UPDATE, for a cost that the caller computes. */
gnt_status match_prepare_update(match *m, const gnt_host *host, const gnt_observation *seen, uint32_t vjp);

/* The parameters that decide which entries are not matched: zeros (survivors.h) and outliers (outliers.h). */
typedef struct match_choice {
    int64_t mask_zeros, outliers;
} match_choice;

/* What a cost makes of the size of the observed update. */
typedef enum match_scale {
    /* Differences count as they are. */
    MATCH_SIZE,
    /* The cost depends on the direction alone. The update is multiplied by a power of two, which is exact, so
     * that its norm is 0.5 to 1, and its squares neither overflow nor vanish in a float. */
    MATCH_DIRECTION,
    /* The cost is a share of the update's square norm. The update is given a norm of 1. */
    MATCH_SHARE
} match_scale;

/* The plugins, not families, of defenses that a search adapts to if it is granted the defense: their
 * parameters are read when an observation is bound. For gnt_descriptor.families. */
extern const char *const match_families[];

/* Sets args->observed, multiplied as `scale` says, and args->mask (see survivors_mask for *masked), scratch
 * of the hook; *apart: the outliers; *squares: the square norm of args->observed without them. GNT_OK, or a
 * status after host->fail where tensors are missing or not finite, or match_check_size fails. */
gnt_status match_bind(gnt_function_args *args, const gnt_host *host, const gnt_observation *seen,
                      match_choice choice, match_scale scale, outliers *apart, int32_t *masked,
                      double *squares);
/* Fails if an update of that square norm is zero, so that it says nothing; or, unless its size does not
 * count, so large or small that it and a candidate's vanish in each other's rounding. */
gnt_status match_check_size(const gnt_host *host, double squares, match_scale scale);
/* True if all entries of the update are zero. */
int match_is_zero(const gnt_views *update);

#endif
