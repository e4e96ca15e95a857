/* suite_impl: shared by the files that read a suite. Private to this room.
 *
 * Readers return 0 and fill the suite in place; on failure they set the message, return nonzero and leave
 * what they allocated to gnt_suite_free. */
#ifndef GNT_SUITE_IMPL_H
#define GNT_SUITE_IMPL_H

#include "base/json.h"
#include "base/mem.h"
#include "plugin/params.h"
#include "suite/suite.h"

enum { SUITE_DATA_CACHE = 16, SUITE_LISTS = 16 };

typedef struct suite_data_memo { /* file sets are read once, however many tasks name them */
    char name[GNT_DATA_NAME];
    gnt_data_facts facts;
} suite_data_memo;

/* How the tasks that share a training are observed: some in its rounds, some by a probe. A transcript of a
 * secure sum, which is made once in any case, counts as a probe: its stages and rows are read in the same
 * way. */
typedef struct suite_modes {
    int round, probe;
} suite_modes;

/* A list of attacks that the suite names: in a file, or as a copy in the suite. */
typedef struct suite_list_file {
    char name[GNT_SUITE_NAME + 1]; /* without a variant */
    gnt_doc file;                  /* empty: the list is in the suite */
    const gnt_doc *doc;            /* where it is, and its path there */
    gnt_path at;
    const json_t *root;
    int used;
} suite_list_file;

typedef struct suite_reader {
    const gnt_doc *doc;
    const gnt_suite_env *env;
    gnt_suite *s;
    gnt_err *err;
    char *folder; /* of the suite file, "": the working directory */
    suite_data_memo memo[SUITE_DATA_CACHE];
    int n_memo;
    suite_modes modes; /* of the tasks that share the training of the current one */
    suite_list_file list[SUITE_LISTS];
    size_t n_lists;
} suite_reader;

/* Typed reading and messages (base/json.h) in the document of the reader `r`. */
#define suite_need(r, ...) gnt_doc_need((r)->doc, __VA_ARGS__, (r)->err)
#define suite_int(r, ...) gnt_doc_int((r)->doc, __VA_ARGS__, (r)->err)
#define suite_int_at(r, ...) gnt_doc_int_at((r)->doc, __VA_ARGS__, (r)->err)
#define suite_real(r, ...) gnt_doc_real((r)->doc, __VA_ARGS__, (r)->err)
#define suite_real_at(r, ...) gnt_doc_real_at((r)->doc, __VA_ARGS__, (r)->err)
#define suite_bool(r, ...) gnt_doc_bool((r)->doc, __VA_ARGS__, (r)->err)
#define suite_text(r, ...) gnt_doc_text((r)->doc, __VA_ARGS__, (r)->err)
#define suite_text_at(r, ...) gnt_doc_text_at((r)->doc, __VA_ARGS__, (r)->err)
#define suite_choice(r, ...) gnt_doc_choice((r)->doc, __VA_ARGS__, (r)->err)
#define suite_choice_at(r, ...) gnt_doc_choice_at((r)->doc, __VA_ARGS__, (r)->err)
#define suite_object(r, ...) gnt_doc_object((r)->doc, __VA_ARGS__, (r)->err)
#define suite_list(r, ...) gnt_doc_list((r)->doc, __VA_ARGS__, (r)->err)
/* Refuses keys of `object` other than those listed. */
#define suite_keys(r, path, object, ...)                                                                     \
    gnt_doc_keys((r)->doc, path, object, (const char *const[]){__VA_ARGS__},                                 \
                 sizeof(const char *[]){__VA_ARGS__} / sizeof(char *), (r)->err)
#define suite_fail(r, path, ...) gnt_doc_fail((r)->err, (r)->doc, path, __VA_ARGS__)
#define suite_fail_key(r, path, key, ...) suite_fail(r, gnt_path_key(path, key).text, __VA_ARGS__)
/* Prefixes another room's message with "FILE:LINE: path: ". */
int suite_fail_in(suite_reader *r, const char *path);
/* Does the same for a message that already begins with a path in this document. */
int suite_fail_at_path(suite_reader *r);
int suite_no_memory(suite_reader *r);

/* Copies an id to *out: letters, digits, '-' and '_', beginning with a letter or digit. */
int suite_read_id(suite_reader *r, const char *path, const json_t *object, const char *key,
                  const char *meaning, char **out);
/* True for letters, digits, '-' and '_', beginning with a letter or digit. */
int suite_is_id(const char *text);
/* Returns the path of a file that the suite names: absolute, in the suite's folder, or in the working
 * directory; NULL with a message if it does not exist. The caller frees. */
char *suite_find_file(suite_reader *r, const char *path, const char *name, const char *what);

/* Reads "seed", or "key_file" and "key_for", and makes the key. */
int suite_read_key(suite_reader *r, const json_t *root);
/* Substitutes the values of the scale `wanted` (NULL: the suite's default), and removes "scales" from the
 * document. */
int suite_apply_scale(suite_reader *r, gnt_doc *doc, const char *wanted);
/* Finds the lists of attacks that "attacks" names, after the scale, and copies those of files into the
 * document, whose root it changes, and into the suite's text. */
int suite_find_lists(suite_reader *r, const gnt_doc *doc);
void suite_free_lists(suite_reader *r);
/* Returns the number of members of a list that was found. */
size_t suite_list_size(suite_reader *r, const char *name);
/* Reads the list into out[0 …], and adds to *n, the number of the suite's attacks, for each member. */
int suite_read_list(suite_reader *r, const char *name, gnt_suite_list *list, gnt_suite_attack *out,
                    size_t *n);
/* Reads the paper's tables that the report prints; after tasks, defenses and attacks. */
int suite_read_tables(suite_reader *r, const json_t *root);
/* Reads the rules by which `gauntlet check` compares a run with a baseline run. */
int suite_read_check(suite_reader *r, const json_t *root);

int suite_read_tasks(suite_reader *r, const json_t *list);
/* Reads a task that attacks captures. */
int suite_read_captures(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Checks the defenses of a suite whose tasks attack captures; after these. */
int suite_check_captures(suite_reader *r);
void suite_free_captures(gnt_suite_captures *c);
void suite_digest_captures(const gnt_suite_captures *c, gnt_hasher *h);
/* Reads a set whose rows an attacker has, of the shape of the task's samples; *f: its facts. out->rows
 * is −1 unless the suite gives it, and not compared with what there are. */
int suite_read_known_rows(suite_reader *r, const char *path, const json_t *object, const gnt_suite_task *t,
                          gnt_suite_other_set *out, gnt_data_facts *f);
/* Settles which rows have which role, from t->split. */
int suite_deal_rows(suite_reader *r, const char *path, const gnt_data_facts *of, gnt_suite_task *t);
int suite_read_data(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_model(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Fills what a task says of its model's layers. */
void suite_note_layers(gnt_suite_task *t, const gnt_model *m);
/* Reads "shadow" of a task, after its rows and observations. */
int suite_read_shadow(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Reads "adequate" of a task, after the suite's. */
int suite_read_adequate(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_federated(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Reads "partition", after federated.clients; path: that of "federated". */
int suite_read_partition(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Checks that there are rows for what each client gets. */
int suite_check_partition(suite_reader *r, const char *path, const gnt_suite_task *t);
/* Reads the stages, after data, model and federation; suite_read_observe reads what is observed, after the
 * stages. */
int suite_read_stages(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_observe(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Reads the rest of "observe" (object, may be NULL) for observations made in the round. path: the task's. */
int suite_read_round(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Reads the rows that a model is trained and measured on: only the roles PUBLIC and TEST of a set. */
int suite_read_public(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Returns the index of the private attribute with that name; −1 with a message about `path`. */
int suite_which_attribute(suite_reader *r, const char *path, const json_t *name, const gnt_suite_task *t);
/* Reads "balance" of a task's data, after its facts. */
int suite_read_balance(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
/* Reads the task's "hide", after its data. */
int suite_read_hide(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t);
int suite_read_models(suite_reader *r, const json_t *list);
int suite_read_defenses(suite_reader *r, const json_t *list);
int suite_read_attacks(suite_reader *r, const json_t *list);
/* Reads "attack", "params" and "budget": one plugin, or a chain of two. */
int suite_read_plugins(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a);
/* Reads a list of grants. */
int suite_read_grants(suite_reader *r, const char *path, const json_t *object, const char *key,
                      uint32_t *grants);
/* Adds attacks on the influence of updates; after tasks, defenses and attacks. */
int suite_add_influence(suite_reader *r);
/* Reads "match" (object, may be NULL); keys it lacks keep their value in *m, or get their default if
 * `whole`. */
int suite_read_match(suite_reader *r, const char *path, const json_t *object, gnt_utility_kind utility,
                     gnt_suite_match *m);
void suite_match_defaults(gnt_suite_match *m, gnt_utility_kind utility);

int suite_read_member(suite_reader *r, const char *path, const json_t *id, int32_t kind,
                      const char *params_path, const json_t *params, gnt_suite_member *out);
/* Reads "label", else takes `otherwise`; refuses one that is in names[0 … n−1]. Messages call the list
 * `list`. */
int suite_read_label(suite_reader *r, const char *path, const json_t *object, const char *otherwise,
                     const char *list, const char *const *names, size_t n, char **out);
/* Reads "tasks": sets the flags of those named, or of all. */
int suite_read_on_task(suite_reader *r, const char *path, const json_t *object, uint8_t **out);

void suite_free_task(gnt_suite_task *t);
void suite_free_defense(gnt_suite_defense *d);
void suite_free_attack(gnt_suite_attack *a);
void suite_free_member(gnt_suite_member *m);

#endif
