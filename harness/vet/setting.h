/* vet_setting: small made-up inputs on which every hook can run: a generated data set, an untrained network,
 * updates that the federated loop computes, an observation of each surface. Everything that a hook is handed
 * to read lies in guard pages. The same specification gives the same bytes. */
#ifndef GNT_JOB_VET_SETTING_H
#define GNT_JOB_VET_SETTING_H

#include "vet/guard_pages.h"
#include "job/work.h"

enum { GNT_VET_CLIENTS = 2, GNT_VET_SEEN = 2, GNT_VET_MOST_SETTINGS = 16, GNT_VET_SET = 16 };

typedef struct gnt_vet_spec {
    uint32_t kind;    /* GNT_KIND_IMAGE or GNT_KIND_TABULAR */
    uint32_t surface; /* of the observations; for a defense GNT_SURFACE_UPDATE */
    int32_t steps;    /* local steps of clients; 0: one gradient */
    int dense;        /* the network's first layer is dense */
    int map;          /* the network's output is a map of the image, as large, to be like its mask */
    uint32_t granted, goals;
    int64_t batch;  /* samples of a client, or behind an observation */
    int64_t budget; /* of an attack; 0: its own default */
    /* The defense behind an attack's observations, of which it is told if it asks; NULL: none. */
    const gnt_descriptor *behind;
    const gnt_params *behind_params;
} gnt_vet_spec;

/* What a plugin says it works on, as settings; their number, 0 where there is none to be made. */
int gnt_vet_specs(const gnt_descriptor *d, int64_t budget, gnt_vet_spec list[GNT_VET_MOST_SETTINGS]);
/* "image, one gradient" and the like: what tells it from the others of its plugin. */
const char *gnt_vet_spec_name(const gnt_vet_spec *spec, char text[80]);

typedef struct gnt_vet_setting {
    gnt_vet_spec spec;
    gnt_work_model model, extractor; /* extractor: what a parameter of GNT_TYPE_MODEL names */
    struct gnt_vet_defense *defense; /* while an attack's observations are made */
    gnt_guard *guard;                /* holds all that follows */
    float *extractor_weights, *extractor_buffers;
    gnt_samples *public_data, *shadow;
    float *weights, *buffers;
    gnt_defense_prepare *prepare;
    gnt_client *client[GNT_VET_CLIENTS];
    gnt_client *query[GNT_VET_CLIENTS]; /* who asks the trained network: of the same samples, but x alone */
    float *update[GNT_VET_CLIENTS];     /* flat: what the client would share undefended */
    gnt_aggregate *aggregate;
    float *new_buffers; /* what aggregate may change; not on guard pages */
    gnt_attack_prepare *learn;
    gnt_observation *seen[GNT_VET_SEEN];
} gnt_vet_setting;

/* ---- shown.c ---- */
/* How clients of the made-up federation train. */
gnt_fl_config gnt_vet_config(const gnt_vet_setting *s);
/* What a defense's prepare is handed. */
gnt_defense_prepare gnt_vet_prepare_input(const gnt_vet_setting *s);
/* Copies artefacts into guarded memory and keeps it as it is then; NULL when it is full. */
gnt_artefacts *gnt_vet_artefacts(gnt_vet_setting *s, const char *name, const gnt_artefacts *from);

/* ---- setting.c ---- */
int gnt_vet_setting_open(gnt_vet_setting *out, const gnt_vet_spec *spec, gnt_err *err);
void gnt_vet_setting_free(gnt_vet_setting *s);

#endif
