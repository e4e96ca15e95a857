/* work: what every job has: a request, named bundles in, named bundles out; and what jobs make of them:
 * models, plugins, chains of defenses, samples, configurations.
 *
 * A job runs in a worker process; the code that made the process fills in the callbacks. The request is of
 * the job's own kind, and was checked when it was decoded (request/request.h). Bundles and plugins are
 * checked here.
 *
 * Ownership: each struct owns what it opens, and has a function that frees it, which may be called after a
 * failed open.
 * Errors: −1 with a sentence.
 * Threads: a job has one thread; its callbacks are called from there. */
#ifndef GNT_JOB_WORK_H
#define GNT_JOB_WORK_H

#include <jansson.h>

#include "base/err.h"
#include "fl/defense_chain.h"
#include "fl/federate.h"
#include "fl/partition.h"
#include "job/work/artefacts.h"
#include "job/work/sampleset.h"
#include "nn/model/model.h"
#include "plugin/host.h"
#include "request/request.h"

/* Where a training keeps its state, to go on from after a kill (job/checkpoint.h). */
typedef struct gnt_work_checkpoint {
    const char *path;
    /* Digests in hexadecimal: of the job, and of the program that runs it. */
    const char *job, *program;
    /* Between two checkpoints, at least; 0: one after every round. */
    double seconds;
} gnt_work_checkpoint;

typedef struct gnt_work {
    const gnt_request *request;
    /* Bytes that a plugin may take; 0: no limit. */
    size_t memory;
    /* First argument of all callbacks. */
    void *context;
    int (*has)(void *context, const char *input);
    int (*read)(void *context, const char *input, gnt_st *out, gnt_err *err);
    int (*write)(void *context, const char *output, const gnt_st *st, gnt_err *err);
    /* A socket to another process of the job; −1: there is none. May be NULL. */
    int (*socket)(void *context, const char *name);
    /* Prepares the process for its next fork, which must find nothing in the plugin's file that an earlier
     * one left; may be NULL. */
    int (*renew)(void *context, gnt_err *err);
    /* From here on this process makes no other, and signals none. May be NULL. */
    void (*alone)(void *context);
    /* Sets the offsets of all inputs to 0: copies of a process share them. May be NULL. */
    void (*rewind)(void *context);
    void (*progress)(void *context, double done, double total);
    int (*should_stop)(void *context);
    /* For the job `vet`; NULL elsewhere. Names the hook that runs, for the process that ends this one. */
    void (*note)(void *context, const char *hook);
    /* For the job `vet`: counts the threads and processes besides this one. */
    int (*others)(void *context);
    /* NULL: nothing is kept. */
    const gnt_work_checkpoint *checkpoint;
    /* For plugins' results that outlive this process; NULL: they do not. */
    gnt_memo_file *memo;
    /* Shows the user a sentence, or a warning. May be NULL. */
    void (*say)(void *context, int is_warning, const char *text);
    /* Level of this process's sandbox; NULL: it has none. */
    const char *sandbox;
    /* Numbers that plugins report on themselves; the job fills it. */
    json_t *facts;
    /* What the plugins' hooks took (plugin/hook_times.h); the job fills it. May be NULL. */
    json_t *hooks;
    /* Status of the plugin's hook that failed, for the verdict; else GNT_FAILED. */
    gnt_status status;
} gnt_work;

/* ---- work_model.c ---- */

/* A model as a request describes it. */
typedef struct gnt_work_model {
    gnt_model *model;
    gnt_nn_shape sample;
    double *mean, *deviation;
    const char *name;
    int training_stats;
} gnt_work_model;

/* Opens a model; `of` must outlive it. training_stats: batch norm by the statistics of the batch. */
int gnt_work_model_open(gnt_work_model *out, const gnt_request_model *of, int training_stats, gnt_err *err);
void gnt_work_model_free(gnt_work_model *m);

/* Copies the weights after `round` out of a bundle "trained"; freed with gnt_free. */
int gnt_work_weights(const gnt_st *trained, const gnt_model *m, int64_t round, float **weights,
                     float **buffers, gnt_err *err);

/* ---- named_models.c: the suite's models that parameters of a plugin name ---- */

/* One, out of an input with flat weights and buffers. */
typedef struct gnt_work_named_model {
    gnt_work_model model;
    gnt_service *service;
    gnt_st st;
} gnt_work_named_model;

/* All that one plugin may open. */
typedef struct gnt_work_models {
    gnt_instance_model *view;
    gnt_work_named_model *named;
    size_t n;
} gnt_work_models;

/* Opens the named models; `list` must outlive them. errors: the service whose sentences theirs share. */
int gnt_work_models_open(gnt_work_models *out, gnt_work *w, const gnt_request_named_models *list,
                         gnt_service *errors, gnt_err *err);
void gnt_work_models_free(gnt_work_models *m);

/* ---- plugins.c ---- */

/* One plugin, opened and instantiated. */
typedef struct gnt_work_plugin {
    gnt_work *work;
    /* The request's. */
    const char *id;
    gnt_service *service;
    gnt_work_models models;
    gnt_instance *instance;
    gnt_params params;
    /* What its prepare left: input "artefacts.I". */
    gnt_artefact_set artefacts;
    int has_artefacts;
} gnt_work_plugin;

/* Opens a plugin. kind: GNT_PLUGIN_*; key: of its role in this job. */
int gnt_work_plugin_open(gnt_work_plugin *out, gnt_work *w, const gnt_work_model *m,
                         const gnt_request_plugin *of, int32_t kind, const gnt_key *key, gnt_err *err);
/* Adds its facts and its hooks' times to the work's. */
void gnt_work_plugin_free(gnt_work_plugin *p);
/* Begins a hook, and gnt_work_plugin_done ends it (gnt_instance_enter, gnt_instance_leave); the latter
 * sets the work's status on failure. */
void gnt_work_plugin_begin(void *plugin, const char *hook);
int gnt_work_plugin_done(void *plugin, gnt_status status, gnt_err *err);

/* The members of a defense. */
typedef struct gnt_work_chain {
    gnt_chain chain;
    gnt_work_plugin *plugin;
} gnt_work_chain;

/* Opens the plugins of a chain. key: of the role, from which members' keys are derived. */
int gnt_work_chain_open(gnt_work_chain *out, gnt_work *w, const gnt_work_model *m,
                        const gnt_request_plugins *defense, const gnt_key *key, gnt_err *err);
void gnt_work_chain_free(gnt_work_chain *c);

/* ---- work.c ---- */

/* Returns the sensitive rectangle; height 0 if there is none. */
gnt_region gnt_work_region(const gnt_request_samples *of);
/* Reads input `name` as samples, with the region and the weights that `of` gives (NULL: none). Absent: an
 * empty set and no error. */
int gnt_work_samples(gnt_sampleset *out, gnt_work *w, const char *name, const gnt_request_samples *of,
                     gnt_err *err);
/* Reads input `name` as artefacts. Absent: an empty set and no error. */
int gnt_work_artefacts(gnt_artefact_set *out, gnt_work *w, const char *name, gnt_err *err);
gnt_fl_config gnt_work_config(const gnt_request_federated *of);
/* Deals the clients' samples to clients. */
int gnt_work_partition(gnt_partition *out, const gnt_request_federated *of, const gnt_key *key,
                       const gnt_sampleset *clients, gnt_err *err);

#endif
