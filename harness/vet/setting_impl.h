/* setting_impl: what the files that make a setting share. */
#ifndef GNT_VET_SETTING_IMPL_H
#define GNT_VET_SETTING_IMPL_H

#include "vet/setting.h"

/* Random streams of a setting are keyed by name alone. */
gnt_key gnt_vet_key(const char *name);

/* ---- network.c ---- */

/* The setting's network and extractor, for samples like these. */
int gnt_vet_make_models(gnt_vet_setting *s, const gnt_samples *like, gnt_err *err);
/* What a client shares of these samples: update (flat), and rates (one for each local step) unless NULL. No
 * defense takes part but the one behind an attack's observations. */
int gnt_vet_share(gnt_vet_setting *s, const gnt_samples *samples, float *update, float *rates, gnt_err *err);

/* ---- defense_inputs.c, attack_inputs.c ---- */

/* Inputs of all hooks; own: the private samples. */
int gnt_vet_make_defense_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
int gnt_vet_make_attack_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);

/* ---- observation.c ---- */

/* What all observations have in common. */
gnt_observation gnt_vet_common_observation(gnt_vet_setting *s, const gnt_samples *own);
/* An earlier round, which saw the same bytes. */
void gnt_vet_add_history(gnt_vet_setting *s, gnt_observation *o);
/* One observation of these samples, on guard pages; NULL with a sentence. */
gnt_observation *gnt_vet_put_observation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);

/* ---- surfaces.c: what is observed, on guard pages; NULL with a sentence ---- */

enum {
    /* Of a secure sum: entries, and clients that take part. */
    GNT_VET_SUM = 4,
    GNT_VET_SUM_CLIENTS = 3
};

gnt_views *gnt_vet_put_update(gnt_vet_setting *s, const gnt_samples *own, float *rates, gnt_err *err);
gnt_samples *gnt_vet_put_encoded(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
gnt_views *gnt_vet_put_representation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err);
/* sum: GNT_VET_SUM entries, the result of the secure sum. */
gnt_transcript *gnt_vet_put_transcript(gnt_vet_setting *s, double *sum, gnt_err *err);

#endif
