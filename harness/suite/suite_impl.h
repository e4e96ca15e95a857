/* What the files that read a suite share. Private to this room.
 *
 * Readers fill the suite in place; on failure they return -1 with the sentence set and leave whatever they
 * made for gnt_suite_free. */
#ifndef GNT_SUITE_IMPL_H
#define GNT_SUITE_IMPL_H

#include "base/json.h"
#include "base/mem.h"
#include "plugin/params.h"
#include "suite/suite.h"

enum { SUITE_DATA_CACHE = 16 };

typedef struct suite_data_memo { /* file sets are read once, however many tasks name them */
    char name[GNT_DATA_NAME];
    gnt_data_facts facts;
} suite_data_memo;

/* How the tasks that share one training are observed: some of them in its rounds, some by a probe. A
 * transcript of a secure sum, which is made once in any case, counts as a probe: its stages and rows
 * are read in the same way. */
typedef struct suite_modes {
    int round, probe;
} suite_modes;

typedef struct suite_reader {
    const gnt_doc *doc;
    const gnt_suite_env *env;
    gnt_suite *s;
    gnt_err *err;
    char *folder; /* of the suite file, "" for the working folder */
    suite_data_memo memo[SUITE_DATA_CACHE];
    int n_memo;
    suite_modes modes; /* of the tasks that share the training of the one that is being read */
} suite_reader;

#define suite_fail(r, path, ...) gnt_doc_fail((r)->err, (r)->doc, path, __VA_ARGS__)
/* Puts "FILE:LINE: path: " before the sentence of another room. */
int suite_fail_in(suite_reader *r, const char *path);
/* The same for a sentence that begins with a path of this document already. */
int suite_fail_at_path(suite_reader *r);
int suite_no_memory(suite_reader *r);

/* Letters, digits, '-' and '_', beginning with a letter or digit; copied to *out. */
int suite_read_id(suite_reader *r, const char *path, const json_t *object, const char *key,
                  const char *meaning, char **out);
/* Where a file named in the suite lies: absolute, beside the suite, or in the working folder. NULL with a
 * sentence where it does not exist. The caller frees. */
char *suite_find_file(suite_reader *r, const char *path, const char *name, const char *what);

/* Puts the values of the scale `wanted` (NULL: the suite's own choice) in and takes
 * "scales" out of the document. */
int suite_apply_scale(suite_reader *r, gnt_doc *doc, const char *wanted);
/* The paper's tables that the report lays out; after tasks, defenses and attacks. */
int suite_read_tables(suite_reader *r, const json_t *root);
/* What `gauntlet check` holds a run against a baseline by. */
int suite_read_check(suite_reader *r, const json_t *root);

int suite_read_tasks(suite_reader *r, const json_t *list);
int suite_read_data(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_model(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_federated(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* "partition", after federated.clients; path: that of "federated". */
int suite_read_partition(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Are there rows for what clients are to hold? */
int suite_check_partition(suite_reader *r, const char *path, const gnt_suite_task *t);
/* Both after the data, the model and the federation; what is observed after the stages. */
int suite_read_stages(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_observe(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* The rest of it where observations are made in the round: object is what "observe" holds,
 * or NULL. path: the task's. */
int suite_read_round(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* The rows that a model is trained and measured on: roles PUBLIC and TEST of a set, no other. */
int suite_read_public(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Index of the private attribute of that name; −1 with a sentence, where `path` names what says it. */
int suite_which_attribute(suite_reader *r, const char *path, const json_t *name, const gnt_suite_task *t);
/* "balance" of a task's data, after its facts are known. */
int suite_read_balance(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* The task's "hide"; after its data. */
int suite_read_hide(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_models(suite_reader *r, const json_t *list);
int suite_read_defenses(suite_reader *r, const json_t *list);
int suite_read_attacks(suite_reader *r, const json_t *list);
/* object may be NULL; what it does not say stays as *m has it, or gets its default where `whole`. */
int suite_read_match(suite_reader *r, const char *path, const json_t *object, gnt_utility_kind utility,
                     gnt_suite_match *m);
void suite_match_defaults(gnt_suite_match *m, gnt_utility_kind utility);

int suite_read_member(suite_reader *r, const char *path, const json_t *id, int32_t kind,
                      const char *params_path, const json_t *params, gnt_suite_member *out);
/* "label", or `otherwise`; refuses one that names[0 … n−1] hold already. `list` names the list in sentences.
 */
int suite_read_label(suite_reader *r, const char *path, const json_t *object, const char *otherwise,
                     const char *list, char *const *names, size_t n, char **out);
/* "tasks": flags of those named, or of all. */
int suite_read_on_task(suite_reader *r, const char *path, const json_t *object, uint8_t **out);

void suite_free_task(gnt_suite_task *t);
void suite_free_defense(gnt_suite_defense *d);
void suite_free_attack(gnt_suite_attack *a);
void suite_free_member(gnt_suite_member *m);

#endif
