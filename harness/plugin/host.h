/* host: an instance of a plugin, and the services of the host.
 *
 * Every hook call is enclosed by gnt_instance_enter and gnt_instance_leave:
 *
 *     gnt_instance_enter(i, "transform_update"); gnt_status s =
 *     gnt_instance_defense(i)->transform_update(gnt_instance_self(i), &client, &update); s =
 *     gnt_instance_leave(i, s, err);
 *
 * An instance has no state outside itself: two interleaved instances behave like each alone. One thread at a
 * time. */
#ifndef GNT_PLUGIN_HOST_H
#define GNT_PLUGIN_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "gauntlet/plugin.h"
#include "plugin/memo.h"
#include "plugin/model_service.h"
#include "plugin/params.h"

typedef struct gnt_instance gnt_instance;

/* A model that the plugin opens by the id of a parameter. */
typedef struct gnt_instance_model {
    const char *parameter;
    gnt_named_model model;
} gnt_instance_model;

typedef struct gnt_instance_spec {
    const gnt_descriptor *descriptor;
    const gnt_params *params; /* checked against the descriptor's table; copied */
    gnt_key key;              /* of the plugin's role in this job; streams are named under it */
    gnt_service *model;       /* of this instance alone, outlives it; NULL: host->model is NULL */
    /* n_models, which outlive it; those of the plugin's own parameters first */
    const gnt_instance_model *models;
    size_t n_models;
    gnt_memo_file *memo; /* outlives it; NULL: what it puts into its memo is in memory alone */
    void *context;       /* first argument of the callbacks, each of which may be NULL */
    void (*log)(void *context, int32_t level, const char *text); /* text: printable, bounded */
    void (*progress)(void *context, double done, double total);
    int (*should_stop)(void *context);
    double seconds; /* time limit from now on, over all hooks together; 0: none */
    size_t memory;  /* limit on scratch bytes at a time; 0: the system's */
} gnt_instance_spec;

/* Calls create, or allocates and fills the plugin's struct and calls start. *status (may be NULL): GNT_OK,
 * GNT_FAILED, GNT_UNSUPPORTED (a service it requires is absent) or GNT_STOPPED; all but OK come with -1 and a
 * sentence naming the plugin. */
int gnt_instance_new(gnt_instance **out, const gnt_instance_spec *spec, gnt_status *status, gnt_err *err);
/* Replaces its streams by those under `key`, each from its beginning. Not allowed in a hook. */
void gnt_instance_rekey(gnt_instance *i, const gnt_key *key);
void gnt_instance_free(
    gnt_instance *i); /* calls destroy or stop; releases what it prepared with the model service */

void *gnt_instance_self(const gnt_instance *i);
/* Return the hooks; those beyond the size of the plugin's table are NULL. */
const gnt_defense *gnt_instance_defense(const gnt_instance *i); /* NULL for an attack */
const gnt_attack *gnt_instance_attack(const gnt_instance *i);   /* NULL for a defense */

/* Begins a hook. `hook` is its name in messages and times, kept by reference while the instance lives. */
void gnt_instance_enter(gnt_instance *i, const char *hook);
/* Ends a hook: frees its scratch and converts its return value: GNT_OK, or another status with a message.
 * GNT_OK after a stop, or past the time limit, becomes GNT_STOPPED; an unknown value GNT_FAILED. */
gnt_status gnt_instance_leave(gnt_instance *i, gnt_status returned, gnt_err *err);

typedef struct gnt_fact {
    char *name;  /* an id with '_' */
    double mean; /* over the calls, in their order */
    int64_t n;
} gnt_fact;

/* Returns the facts, sorted by name; owned by the instance, valid until its next hook. NaN and infinite
 * reports are not counted. */
int32_t gnt_instance_facts(gnt_instance *i, const gnt_fact **list);
/* Returns the k-th fact in the order of their first reports, with the sum of its reports as `mean`; NULL if
 * there are not so many. */
const gnt_fact *gnt_instance_fact_sum(const gnt_instance *i, size_t k);

/* Sets the sum and the number of reports of a fact. −1 if the name is invalid, there are too many facts, or
 * memory ran out. */
int gnt_instance_set_fact(gnt_instance *i, const char *name, double sum, int64_t n);

/* Lists the random streams that hooks have drawn from: returns the name of the k-th, the instance's until its
 * next hook, and how many words were drawn from it (gnt_stream_words); NULL if there are not so many. */
const char *gnt_instance_stream(const gnt_instance *i, size_t k, uint64_t *words);
/* Puts the stream of that name where so many words were drawn. −1 as for gnt_instance_set_fact. */
int gnt_instance_set_stream(gnt_instance *i, const char *name, uint64_t words);

/* How many values its memo has, and how many of them were found or put (gnt_memo_used). */
int64_t gnt_instance_memo_size(gnt_instance *i);
int64_t gnt_instance_memo_used(gnt_instance *i);
/* As gnt_memo_set_used; −1 also when out of memory. */
int gnt_instance_set_memo_used(gnt_instance *i, int64_t n);

typedef struct gnt_hook_time {
    const char *hook;
    int64_t calls;
    double seconds; /* of all calls together, by the monotonic clock */
} gnt_hook_time;

/* Lists the hooks called so far, `create` or `start` among them, in the order of their first calls. Owned by
 * the instance, valid until its next hook. */
int32_t gnt_instance_times(const gnt_instance *i, const gnt_hook_time **list);

size_t gnt_instance_peak_scratch(const gnt_instance *i);

#endif
