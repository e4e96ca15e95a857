/* setting_impl: shared by the files that make a setting. */
#ifndef GNT_VET_SETTING_IMPL_H
#define GNT_VET_SETTING_IMPL_H

#include "vet/setting.h"

/* Returns the key of a setting's random stream: it depends on the name only. */
gnt_key gnt_vet_key(const char *name);

/* ---- network.c ---- */

/* Makes the setting's network and extractor, for samples like these. */
int gnt_vet_make_models(gnt_vet_setting *s, const gnt_samples *like, gnt_err *err);
/* Computes a client's update (flat) from these samples, and rates (one for each local step) unless NULL.
 * Undefended, except by the defense that produces an attack's observations. */
int gnt_vet_share(gnt_vet_setting *s, const gnt_samples *samples, float *update, float *rates, gnt_err *err);

/* ---- defense_inputs.c, attack_inputs.c ---- */

/* Make the inputs of all hooks; own: the private samples. */
int gnt_vet_make_defense_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
int gnt_vet_make_attack_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);

/* ---- observation.c ---- */

/* Returns the fields that all observations share. */
gnt_observation gnt_vet_common_observation(gnt_vet_setting *s, const gnt_samples *own);
/* Adds an earlier round with the same bytes. */
void gnt_vet_add_history(gnt_vet_setting *s, gnt_observation *o);
/* Puts one observation of these samples on guard pages; NULL with a message. */
gnt_observation *gnt_vet_put_observation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);

/* ---- surfaces.c: observations on guard pages; NULL with a message ---- */

enum {
    /* Entries of a secure sum, and its clients. */
    GNT_VET_SUM = 4,
    GNT_VET_SUM_CLIENTS = 3
};

gnt_views *gnt_vet_put_update(gnt_vet_setting *s, const gnt_samples *own, float *rates, gnt_err *err);
gnt_samples *gnt_vet_put_encoded(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
gnt_views *gnt_vet_put_representation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
/* Puts a transcript; sum: GNT_VET_SUM entries, the result of the secure sum. */
gnt_transcript *gnt_vet_put_transcript(gnt_vet_setting *s, double *sum, gnt_err *err);

#endif
