/* request_parts: what the requests of several kinds of job have in common (request/request.h). Private to
 * run/request/.
 *
 * Owner and lifetime: what a request points to is the suite's, which outlives it, or lies in the request's
 * own arena. Thread: the scheduler's only one. Errors: NULL or −1 when out of memory. An arena that ran out
 * of memory is found when the job's turn comes. */
#ifndef GNT_RUN_REQUEST_PARTS_H
#define GNT_RUN_REQUEST_PARTS_H

#include "plugin/params.h"
#include "run/request/requests.h"

/* Room for ids and labels, which are bounded, and for names made of them. */
enum { SEED_SIZE = 32 };
enum { PART_SIZE = 2 * GNT_SUITE_NAME, NAME_SIZE = 6 * GNT_SUITE_NAME };

/* Returns the job of that name. *fresh: it was just made, and its request is to be filled in. */
run_job *request_begin(run_requests *r, const char *name, gnt_job_kind kind, const char *const *outputs,
                       int *fresh);
/* Returns the key of `role` for what `job` names. Only keys ever leave the scheduler. */
gnt_key request_key(const run_requests *r, const char *role, const char *job);
/* Returns a copy in the job's request. */
const char *request_text(run_job *j, const char *text);

/* Sets what a `data` job reads of one data set, and the key of its dealing. */
void request_data(const run_requests *r, run_job *j, const gnt_suite_task *t, const gnt_digest *digest,
                  const char *coordinates);
/* Adds the attack's starting points as the input "start", if it has any. */
int request_add_start(const run_requests *r, run_job *j, size_t task, size_t attack);
/* Adds weights from the user's file as the input "weights", if the task has them; else *digest stays NULL. */
int request_add_weights(run_job *j, const gnt_suite_task *t, const gnt_digest *of, const char **digest);
gnt_request_model request_model(const gnt_suite_task *t);
gnt_request_federated request_federated(const gnt_suite_task *t, int64_t rounds);
/* Returns the same without the labels of single clients, which no process of an attack may have. */
gnt_request_federated request_federated_for_attack(const gnt_suite_task *t);
gnt_request_observe request_observe(const gnt_suite_task *t);
/* Returns how shadow rows are observed under a defense with these GNT_HOOK_*. */
gnt_request_observe request_observe_shadow(const gnt_suite_task *t, uint32_t hooks);
/* Returns NULL if the task has none. */
const gnt_request_attribute *request_attribute(run_job *j, const gnt_suite_task *t);
/* Returns the same as it is numbered in the rows of the attacker, which of captures are another set. */
const gnt_request_attribute *request_known_attribute(run_job *j, const gnt_suite_task *t);
/* Parts of samples: the task's sensitive region, and the attributes to be hidden, if there are any. */
enum { REQUEST_REGION = 1, REQUEST_HIDE = 2 };
gnt_request_samples request_samples(run_job *j, const gnt_suite_task *t, unsigned what);
/* Returns the same and, unless all clients hide the same, which of them hides what in the training runs of a
 * seed. */
gnt_request_samples request_clients_samples(const run_requests *r, run_job *j, const gnt_suite_task *t,
                                            uint64_t seed);
/* Returns the name of the data job's output with the attacker's shadow rows. */
const char *request_shadow(const gnt_suite_task *t);
/* Returns the GNT_HOOK_* of all members. */
uint32_t request_hooks(const run_requests *r, int defense);
/* Writes "s3", as in cell ids; for a training run of a search "search3". */
void request_seed(uint64_t seed, char text[SEED_SIZE]);
/* Writes "LABEL@STRENGTH", as in cell ids. */
void request_label(const run_requests *r, int defense, double strength, char *text, size_t size);

/* ---- request_plugin.c ---- */
/* Reads the parameters of a member, with the strength set if it is the swept one. */
int request_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength);
/* Adds the plugin to the job, and the models that its parameters name to the inputs. On failure sets
 * request_error. */
gnt_request_plugin request_plugin(run_requests *r, run_job *j, const gnt_suite_member *m, int swept,
                                  double strength);
/* Adds the models that parameters name to a plugin's, unless it has one of that parameter. */
int request_add_models(run_requests *r, run_job *j, gnt_request_plugin *p, const gnt_params *params);
/* Divides the plugin's parameter `steps` by that number, if it has one; it stays at least 1. */
void request_divide_steps(run_job *j, gnt_request_plugin *p, const gnt_suite_member *m, int64_t by);
gnt_request_plugins request_chain(run_requests *r, run_job *j, int defense, double strength);

/* ---- requests_train.c ---- */
/* The party that prepares a defense. An attacker does not have what clients keep private: to see the defense
 * on shadow rows it prepares such a member itself, on rows of the role shadow and with random streams of its
 * own. */
typedef enum request_preparer { REQUEST_DEFENDER, REQUEST_ATTACKER } request_preparer;
run_job *request_prepare_defense(run_requests *r, size_t task, size_t defense, size_t member, double strength,
                                 int64_t stage, run_job *trained, uint64_t seed, request_preparer by);
/* Adds the artefacts of every member that prepares; `trained` has the weights of `stage`. An attacker
 * prepares only members that keep theirs private, as others are known to all. */
int request_add_artefacts(run_requests *r, run_job *j, size_t task, int defense, double strength,
                          int64_t stage, run_job *trained, uint64_t seed, request_preparer by);

#endif
