/* setting: small synthetic inputs on which every hook can run: a generated data set, an untrained network,
 * updates that the federated loop computes, observations of each surface. Equal specifications give equal
 * bytes.
 *
 * Ownership: a gnt_vet_setting owns all its members. Read-only inputs of hooks are on its guard pages.
 * gnt_vet_setting_free frees it, after a failed open too. Errors: −1 with a message. */
#ifndef GNT_VET_SETTING_H
#define GNT_VET_SETTING_H

#include "job/work/work.h"
#include "vet/guard_pages.h"

enum {
    GNT_VET_CLIENTS = 2,
    GNT_VET_OBSERVATIONS = 2,
    GNT_VET_MOST_SETTINGS = 16,
    /* Samples of a client, which are also encoded as one set. */
    GNT_VET_SET = 16
};

typedef struct gnt_vet_spec {
    /* GNT_KIND_IMAGE or GNT_KIND_TABULAR. */
    uint32_t kind;
    /* Surface of the observations; GNT_SURFACE_UPDATE for a defense. */
    uint32_t surface;
    /* Local steps of clients; 0: one gradient. */
    int32_t steps;
    /* The network's first layer is dense. */
    int dense;
    /* The network predicts a map as large as the image: its mask. */
    int map;
    /* GNT_KNOWS_* and GNT_GOAL_* of an attack; goals 0: a setting for a defense. */
    uint32_t granted, goals;
    /* 1: what hooks fill is fenced (gnt_guard_fence). */
    int fenced;
    /* Samples of a client, or of an observation. */
    int64_t batch;
    /* Budget of an attack; 0: its default. */
    int64_t budget;
    /* An attack with GNT_FLAG_PREPARES_ONCE. */
    int prepares_once;
    /* The defense that produces an attack's observations, granted as knowledge if it needs or uses that;
     * NULL: none. */
    const gnt_descriptor *behind;
    const gnt_params *behind_params;
} gnt_vet_spec;

/* ---- vetted_settings.c ---- */

/* Lists settings for everything that a plugin declares it works on; returns how many. 0: there is none. */
int gnt_vet_specs(const gnt_descriptor *d, int64_t budget, gnt_vet_spec list[GNT_VET_MOST_SETTINGS]);
/* Returns a name that distinguishes it from the plugin's other settings, such as "images, one gradient". */
const char *gnt_vet_spec_name(const gnt_vet_spec *spec, char text[80]);

/* ---- setting.c ---- */

typedef struct gnt_vet_setting {
    gnt_vet_spec spec;
    gnt_guard *guard;
    /* The task's network, and the one for parameters of GNT_TYPE_MODEL. */
    gnt_work_model model, extractor;
    float *weights, *buffers;
    float *extractor_weights, *extractor_buffers;
    gnt_samples *public_data, *shadow;

    /* For a defense: */
    gnt_defense_prepare *defense_prepare;
    gnt_client *client[GNT_VET_CLIENTS];
    /* The same samples without labels, ids and attributes, as queries to the trained network. */
    gnt_client *query[GNT_VET_CLIENTS];
    /* Flat: each client's undefended update. */
    float *update[GNT_VET_CLIENTS];
    gnt_aggregate *aggregate;
    /* Output of aggregate. */
    float *new_buffers;
    /* Outputs of hooks that are not fenced. */
    void **output;
    size_t n_outputs;

    /* For an attack: */
    gnt_attack_prepare *attack_prepare;
    gnt_observation *observation[GNT_VET_OBSERVATIONS];
    /* The defense that produces the observations; only while they are made. */
    struct gnt_vet_defense *defense;
} gnt_vet_setting;

int gnt_vet_setting_open(gnt_vet_setting *out, const gnt_vet_spec *spec, gnt_err *err);
void gnt_vet_setting_free(gnt_vet_setting *s);

/* ---- common_inputs.c ---- */

/* Returns how clients of the synthetic federation train. */
gnt_fl_config gnt_vet_config(const gnt_vet_setting *s);
/* Returns the input of a defense's prepare. */
gnt_defense_prepare gnt_vet_prepare_input(const gnt_vet_setting *s);
/* Copies artefacts to guard pages, and saves these. NULL: the pages are full. */
gnt_artefacts *gnt_vet_guard_artefacts(gnt_vet_setting *s, const char *name, const gnt_artefacts *from);
/* Returns n zeroed elements of `size` bytes, which a hook fills and the setting owns, named in messages;
 * NULL: out of memory. */
void *gnt_vet_output(gnt_vet_setting *s, const char *name, int64_t n, size_t size);

#endif
