/* What the files of the tour share. */
#ifndef GNT_JOB_VET_IMPL_H
#define GNT_JOB_VET_IMPL_H

#include <time.h>

#include "vet/models.h"
#include "vet/tour.h"

typedef struct gnt_vet_step {
    const char *name, *hook;                      /* NAME "transform_update of client 0" */
    uint32_t needs;                               /* all of these GNT_HOOK_* */
    int32_t who;                                  /* client, or observation */
    int (*before)(gnt_vet_tour *t, gnt_err *err); /* the host's part, while the input is open; may be NULL */
    void (*call)(void *tour);                     /* sets t->status */
    int (*after)(gnt_vet_tour *t, gnt_err *err);  /* likewise the host's; after GNT_OK alone; may be NULL */
} gnt_vet_step;

struct gnt_vet_tour {
    gnt_vet_tour_spec spec;
    gnt_vet_setting in;
    uint32_t hooks; /* GNT_HOOK_* it has */
    const gnt_vet_step *step;
    int n_steps, at;
    gnt_vet_models models;
    gnt_instance *instance;
    int unlimited; /* this hook is not told to stop */
    int over;      /* nothing more can run */

    /* of the hook at hand */
    int32_t who;
    gnt_status status;
    gnt_vet_act *act;
    gnt_hasher digest;
    int64_t given;              /* samples put, or answers given */
    double told_cpu, told_wall; /* when it was told to stop */

    /* what hooks gave that later ones need */
    gnt_artefacts *artefacts;
    gnt_st prepared, state[GNT_VET_CLIENTS + 1]; /* state[0]: the server's */
    int64_t sum_size;
    double *contribution; /* clients × sum_size */
    double *sum;
    gnt_tensors update;
    float *update_data; /* flat */
    float *new_weights;
    double rate;
};

extern const gnt_vet_step gnt_vet_defense_steps[], gnt_vet_attack_steps[];
extern const int gnt_vet_defense_count, gnt_vet_attack_count;

/* ---- tour_parts.c ---- */
/* Seconds of a clock. */
double gnt_vet_seconds(clockid_t which);
/* Adds to what the hook gave; `name` says what holds a value that is not finite. */
void gnt_vet_floats(gnt_vet_tour *t, const char *name, const float *x, int64_t n);
void gnt_vet_doubles(gnt_vet_tour *t, const char *name, const double *x, int64_t n);
void gnt_vet_bundle(gnt_vet_tour *t, const gnt_st *st);
/* Artefacts out of what a hook put, on guard pages. */
gnt_artefacts *gnt_vet_show(gnt_vet_tour *t, const char *name, const gnt_st *from, gnt_err *err);
/* A new instance in place of the one there may be: the step "create". */
void gnt_vet_create(void *tour);
void gnt_vet_close(gnt_vet_tour *t); /* destroys it */

#endif
