/* seen: a bundle of observations, and observation j of it as the plugin ABI shows it. */
#ifndef GNT_JOB_SEEN_H
#define GNT_JOB_SEEN_H

#include "job/work.h"

typedef struct gnt_seen {
    gnt_st st;
    const gnt_work_model *model; /* the caller's */
    gnt_samples encoded;
    gnt_transcript transcript;
    gnt_view representation;
    gnt_views representation_list, update_list;
    gnt_view *update;     /* one view for each shared parameter, pointed at observation j */
    gnt_observation base; /* what all observations of the bundle share */
    const float *updates;
    int64_t observations;
    int64_t set, sets; /* where sets were encoded: samples of each, and how many sets there are; else 0 */
    int64_t *first;    /* sets + 1: the first encoding of each set, and how many there are in all */
} gnt_seen;

/* Reads input `name` of the work; checks everything against the model and the shape of `like`. */
int gnt_seen_open(gnt_seen *out, gnt_work *w, const char *name, const gnt_work_model *m, gnt_err *err);
/* The observations of a chain's second attack: each set's recovered encodings as encodings. Reads input "seen", which
 * holds the setting and the broadcast weights but nothing else that was observed, "recovered", the first attack's answer,
 * and, where it was granted them, "recovered_labels". */
int gnt_seen_open_recovered(gnt_seen *out, gnt_work *w, const gnt_work_model *m, gnt_err *err);
void gnt_seen_free(gnt_seen *s);
/* Valid until the next call. */
gnt_observation gnt_seen_at(gnt_seen *s, int64_t j);

/* What an attack's request says of all targets alike, in the members of an observation that point into it. */
typedef struct gnt_setting {
    /* Parameters of the defense, where they are granted; else NULL. */
    gnt_value *value;
    /* Inputs "defense_artefacts.I". */
    gnt_artefact_set defense;
} gnt_setting;
/* `q` outlives it. */
int gnt_setting_open(gnt_setting *s, gnt_work *w, const gnt_request_attacker *q, gnt_observation *o,
                     gnt_err *err);
void gnt_setting_free(gnt_setting *s);
/* Input `name` as artefacts; absent: none of them and no error. */
int gnt_work_artefacts(gnt_artefact_set *out, gnt_work *w, const char *name, gnt_err *err);

#endif
