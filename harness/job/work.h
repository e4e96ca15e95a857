/* work: what a job has in its hands: a request, named bundles in, named bundles out.
 *
 * Jobs run in a worker process; whoever made the process fills in the callbacks. The request is of the job's own kind, and
 * was checked when it was decoded (request/request.h); bundles and plugins are checked here. */
#ifndef GNT_JOB_WORK_H
#define GNT_JOB_WORK_H

#include <jansson.h>

#include "base/err.h"
#include "fl/chain.h"
#include "fl/federate.h"
#include "fl/partition.h"
#include "job/samples.h"
#include "nn/model/model.h"
#include "plugin/host.h"
#include "request/request.h"

typedef struct gnt_work {
    const gnt_request *request;
    /* Bytes that a plugin may take; 0: no limit. */
    size_t memory;
    void *context;
    int (*has)(void *context, const char *input);
    int (*read)(void *context, const char *input, gnt_st *out, gnt_err *err);
    int (*write)(void *context, const char *output, const gnt_st *st, gnt_err *err);
    /* A socket to another process of the job; −1: there is none. May be NULL. */
    int (*socket)(void *context, const char *name);
    /* From here on this process makes no other, and signals none. May be NULL. */
    void (*alone)(void *context);
    /* Sets the offsets of all inputs to 0: copies of a process share them. May be NULL. */
    void (*rewind)(void *context);
    void (*progress)(void *context, double done, double total);
    int (*should_stop)(void *context);
    /* A look from outside at the hook that runs, for a job that vets a plugin; NULL elsewhere. note: its name. others:
     * how many threads and processes there are beside this one. */
    void (*note)(void *context, const char *hook);
    int (*others)(void *context);
    json_t *facts;     /* numbers the plugins report on themselves, filled by the job */
    gnt_status status; /* of the plugin's hook that failed, for the verdict; GNT_FAILED otherwise */
} gnt_work;

/* A model as a request describes it. */
typedef struct gnt_work_model {
    gnt_model *model;
    gnt_nn_shape sample;
    double *mean, *deviation;
    const char *name;
    int training_stats;
} gnt_work_model;

/* `of` outlives it. training_stats: batch norm by the statistics of the batch. */
int gnt_work_model_open(gnt_work_model *out, const gnt_request_model *of, int training_stats, gnt_err *err);
void gnt_work_model_free(gnt_work_model *m);

/* Bundles as artefacts: F32 tensors are views, U8 vectors are blobs. */
typedef struct gnt_artefact_set {
    gnt_artefacts view;
    gnt_view *views;
    gnt_blob *blobs;
    gnt_st st;
} gnt_artefact_set;

/* Takes the bundle over. */
int gnt_artefacts_from(gnt_artefact_set *out, gnt_st *st, gnt_err *err);
void gnt_artefact_set_free(gnt_artefact_set *a);
/* Adds what a plugin hands over: unlike gnt_st_add, it makes no zeros where there are no data. */
int gnt_sink_add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                 const void *data, gnt_err *err);
/* A sink that writes into `st`. */
gnt_sink gnt_sink_into(gnt_st *st);

/* The suite's models that one plugin may open, each from an input with flat weights and buffers. */
typedef struct gnt_work_named {
    gnt_work_model model;
    gnt_service *service;
    gnt_st st;
} gnt_work_named;

typedef struct gnt_work_models {
    gnt_instance_model *view;
    gnt_work_named *named;
    size_t n;
} gnt_work_models;

/* errors: whose sentences their services share. `list` outlives them. */
int gnt_work_models_open(gnt_work_models *out, gnt_work *w, const gnt_request_named_models *list,
                         gnt_service *errors, gnt_err *err);
void gnt_work_models_free(gnt_work_models *m);

/* One plugin, opened and instantiated. */
typedef struct gnt_work_plugin {
    gnt_work *work;
    gnt_service *service;
    gnt_work_models models;
    gnt_instance *instance;
    gnt_params params;
    gnt_artefact_set artefacts; /* what its prepare left (input "artefacts.I") */
    int has_artefacts;
} gnt_work_plugin;

/* kind: GNT_PLUGIN_*. key: of its role in this job. */
int gnt_work_plugin_open(gnt_work_plugin *out, gnt_work *w, const gnt_work_model *m,
                         const gnt_request_plugin *of, int32_t kind, const gnt_key *key, gnt_err *err);
void gnt_work_plugin_free(gnt_work_plugin *p); /* adds its facts to the work's */
/* Between hooks: see gnt_instance_enter; `done` sets the work's status on failure. */
void gnt_work_plugin_begin(void *plugin, const char *hook);
int gnt_work_plugin_done(void *plugin, gnt_status status, gnt_err *err);

/* The members of a defense. */
typedef struct gnt_work_chain {
    gnt_chain chain;
    gnt_work_plugin *plugin;
} gnt_work_chain;

/* key: the role that members' keys are derived from. */
int gnt_work_chain_open(gnt_work_chain *out, gnt_work *w, const gnt_work_model *m,
                        const gnt_request_plugins *defense, const gnt_key *key, gnt_err *err);
void gnt_work_chain_free(gnt_work_chain *c);

/* The sensitive rectangle; height 0: none. */
gnt_region gnt_work_region(const gnt_request_samples *of);
/* Input `name` as samples, marked as `of` says (NULL: not at all); absent: an empty set and no error. */
int gnt_work_samples(gnt_sampleset *out, gnt_work *w, const char *name, const gnt_request_samples *of,
                     gnt_err *err);
gnt_fl_config gnt_work_config(const gnt_request_federated *of);
/* How the clients' samples are dealt. */
int gnt_work_partition(gnt_partition *out, const gnt_request_federated *of, const gnt_key *key,
                       const gnt_sampleset *clients, gnt_err *err);

/* Weights after `round` from a "trained" bundle: copies, freed with gnt_free. */
int gnt_work_weights(const gnt_st *trained, const gnt_model *m, int64_t round, float **weights,
                     float **buffers, gnt_err *err);

#endif
