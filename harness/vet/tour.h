/* vet_tour: one plugin taken through all its hooks on one made-up setting, hook by hook, each looked at on
 * its own.
 *
 * A defense: prepare; create; the secure sum; encode_set, local_rate, encode_batch, encode_query,
 * client_update, transform_update and save of each client; aggregate and save of the server; then a second
 * instance that loads what the first saved and transforms once more.
 * An attack: prepare; create; run on each observation. Hooks it lacks are passed over. */
#ifndef GNT_JOB_VET_TOUR_H
#define GNT_JOB_VET_TOUR_H

#include "vet/setting.h"

typedef struct gnt_vet_act {
    char name[64]; /* "transform_update of client 1" */
    gnt_status status;
    gnt_err err;                /* why, unless status is GNT_OK */
    char digest[GNT_HEX_SIZE];  /* of all it gave */
    gnt_err infinite;           /* what of it is not finite; "" where all is */
    gnt_err wrong;              /* what of it is not as it should be */
    const char *wrote;          /* the piece of its input that it wrote to; NULL: none */
    gnt_err left;               /* what it left running or open */
    int64_t polls;              /* how often it asked should_stop */
    double seconds;             /* of work (processor time) */
    double cpu_late, wall_late; /* from being told to stop to its return; 0 where it was not told */
} gnt_vet_act;

typedef struct gnt_vet_tour_spec {
    gnt_work *work;
    const gnt_descriptor *descriptor;
    const gnt_params *params;
    gnt_vet_spec setting;
    gnt_key key;
    int64_t polls;      /* should_stop turns true after so many calls within a hook; −1: never */
    int closed;         /* its input lies on guard pages */
    int prepares_twice; /* where prepare was stopped, it is run once more to its end, for the hooks after it */
} gnt_vet_tour_spec;

typedef struct gnt_vet_tour gnt_vet_tour;

/* The specification is copied, what it points to is the caller's. */
int gnt_vet_tour_open(gnt_vet_tour **out, const gnt_vet_tour_spec *spec, gnt_err *err);
/* 1: one more hook has run, *act says how it went. 0: that was all. −1: the host itself failed. */
int gnt_vet_tour_next(gnt_vet_tour *t, gnt_vet_act *act, gnt_err *err);
void gnt_vet_tour_free(gnt_vet_tour *t); /* destroys the instance; NULL is fine */

#endif
