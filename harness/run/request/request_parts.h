/* request_parts: what the requests of several jobs have in common (request/request.h). Everything in a
 * request comes from the coordinates of the plan; two jobs with the same name are the same job.
 * Private to run/request*.c.
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

/* The job of that name. *fresh: it was just made, and its request is to be filled in. */
run_job *request_begin(run_requests *r, const char *name, gnt_job_kind kind, const char *const *outputs,
                       int *fresh);
/* The key of `role` for what `job` names. Only keys ever leave the scheduler. */
gnt_key request_key(const run_requests *r, const char *role, const char *job);
/* A copy in the job's request. */
const char *request_text(run_job *j, const char *text);

/* What a `data` job reads of one data set, and the key of its dealing. */
void request_data(const run_requests *r, run_job *j, const gnt_suite_task *t, const gnt_digest *digest,
                  const char *coordinates);
/* Weights from the user's file as the input "weights", where the task has them;
 * *digest stays NULL where not. */
int request_add_start(const run_requests *r, run_job *j, size_t attack);
int request_add_weights(run_job *j, const gnt_suite_task *t, const gnt_digest *of, const char **digest);
gnt_request_model request_model(const gnt_suite_task *t);
gnt_request_federated request_federated(const gnt_suite_task *t, int64_t rounds);
/* The same without the labels that single clients hold: no process of an attack is to have them. */
gnt_request_federated request_federated_as_told(const gnt_suite_task *t);
gnt_request_observe request_observe(const gnt_suite_task *t);
gnt_request_observe request_observe_shadow(const gnt_suite_task *t);
/* NULL where the task has none. */
const gnt_request_attribute *request_attribute(run_job *j, const gnt_suite_task *t);
/* The task's sensitive region, if there is one, and which attributes are to be hidden, if any are. */
enum { REQUEST_REGION = 1, REQUEST_HIDE = 2 };
gnt_request_samples request_samples(run_job *j, const gnt_suite_task *t, unsigned what);
/* The same, and where clients do not all hide the same, who hides what in the trainings of a seed. */
gnt_request_samples request_clients_samples(const run_requests *r, run_job *j, const gnt_suite_task *t,
                                            uint64_t seed);
/* The data job's output that holds the attacker's shadow rows. */
const char *request_shadow(const gnt_suite_task *t);
/* GNT_HOOK_* of all members. */
uint32_t request_hooks(const run_requests *r, int defense);
/* "s3", as in cell ids; of a search's training "search3". */
void request_seed(uint64_t seed, char text[SEED_SIZE]);
/* "LABEL@STRENGTH", as in cell ids. */
void request_label(const run_requests *r, int defense, double strength, char *text, size_t size);

/* ---- request_plugin.c ---- */
/* Parameters of a member, THE strength set where it is the swept one. */
int request_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength);
/* The models that the parameters name become inputs of the job. On failure the job is broken. */
gnt_request_plugin request_plugin(run_requests *r, run_job *j, const gnt_suite_member *m, int swept,
                                  double strength);
/* Adds the models that parameters name to a plugin's, where it has none of that parameter. */
int request_add_models(run_requests *r, run_job *j, gnt_request_plugin *p, const gnt_params *params);
gnt_request_plugins request_chain(run_requests *r, run_job *j, int defense, double strength);

/* ---- requests_train.c ---- */
/* Who prepares a defense. An attacker has no part in what clients keep private: to see the defense on shadow
 * rows it prepares such a member itself, on rows of the role shadow and with random streams of its own. */
typedef enum request_preparer { REQUEST_DEFENDER, REQUEST_ATTACKER } request_preparer;
run_job *request_prepare_defense(run_requests *r, size_t task, size_t defense, size_t member, double strength,
                                 int64_t stage, run_job *trained, uint64_t seed, request_preparer by);
/* Artefacts of every member that prepares; `trained` holds the weights of `stage`. By an attacker: of those
 * that keep theirs private, others being known to all. */
int request_add_artefacts(run_requests *r, run_job *j, size_t task, int defense, double strength,
                          int64_t stage, run_job *trained, uint64_t seed, request_preparer by);

#endif
