/* request: the parts that the requests of several jobs have in common. Everything a job is asked comes from the
 * coordinates of the plan; two jobs with the same name are the same job. */
#ifndef GNT_RUN_REQUEST_H
#define GNT_RUN_REQUEST_H

#include "plugin/params.h"
#include "run/run_impl.h"

enum { PART_SIZE = 2 * GNT_SUITE_NAME, NAME_SIZE = 6 * GNT_SUITE_NAME }; /* ids and labels are bounded */

/* The job of that name; NULL when out of memory. *fresh: it was just made, and its request is to be filled in. */
run_job *request_begin(run *r, const char *name, const char *kind, const char *const *outputs, int *fresh);
/* Takes the value over; without one the job is broken, and says so when its turn comes. */
void request_set(run_job *j, const char *name, json_t *value);
/* The key of `role` for what `job` names, under keys.NAME. Only keys ever leave the scheduler. */
int request_set_key(const run *r, run_job *j, const char *name, const char *role, const char *job);

/* What the job reads of one data set: `data`, `split` and the key of their dealing. */
void request_data(const run *r, run_job *j, const gnt_suite_task *t, const gnt_digest *digest,
                  const char *coordinates);
/* Weights from the user's file as the input "weights", where the task has them. */
int request_add_weights(run_job *j, const gnt_suite_task *t, const gnt_digest *digest);
json_t *request_model(const gnt_suite_task *t);
json_t *request_federated(const gnt_suite_task *t, int64_t rounds);
json_t *request_observe(const gnt_suite_task *t);
json_t *request_observe_shadow(const gnt_suite_task *t);
json_t *request_attribute(const gnt_suite_task *t);
/* Tells the job of the task's sensitive region, if there is one. */
void request_region(run_job *j, const gnt_suite_task *t);
/* Tells a job in which a defense sees samples which attributes are to be hidden, if any are. */
void request_hide(run_job *j, const gnt_suite_task *t);
/* Parameters of a member, THE strength set where it is the swept one. */
int request_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength);
/* {"file", "id", "digest", "params", "models"}; the models that the parameters name become inputs of the job. */
json_t *request_plugin(run *r, run_job *j, const gnt_suite_member *m, int swept, double strength);
/* Adds the models that a member's parameters name to a plugin's entry, where it has none of that parameter. */
int request_add_models(run *r, run_job *j, json_t *entry, const gnt_params *params);
json_t *request_chain(run *r, run_job *j, int defense, double strength);
/* GNT_HOOK_* of all members. */
uint32_t request_hooks(const run *r, int defense);
/* "LABEL@STRENGTH", as in cell ids. */
void request_label(const run *r, int defense, double strength, char *text, size_t size);

run_job *request_prepare_defense(run *r, size_t task, size_t defense, size_t member, double strength,
                                 int64_t stage, run_job *trained, uint64_t seed);
/* Constant names of inputs that come once for a member: "artefacts.I", "defense_artefacts.I". */
enum { REQUEST_ARTEFACTS, REQUEST_DEFENSE_ARTEFACTS };
const char *request_input_name(int kind, size_t member);
/* Artefacts of every member that prepares; `trained` holds the weights of `stage`. */
int request_add_artefacts(run *r, run_job *j, size_t task, int defense, double strength, int64_t stage,
                          run_job *trained, uint64_t seed);

#endif
