/* suite: reads a suite file and checks it against everything that can be known before anything runs.
 *
 * A gnt_suite owns deep copies of its content, except for the plugin infos, which stay the caller's and must
 * outlive it. Nothing in it depends on the machine, the clock or the order of keys in the file.
 *
 * A failure is one sentence: FILE:LINE: path.in[0].document: what is wrong; what was expected; what to do. */
#ifndef GNT_SUITE_SUITE_H
#define GNT_SUITE_SUITE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/random.h"
#include "data/data.h"
#include "fl/augment.h"
#include "fl/partition.h"
#include "nn/model/model.h"
#include "metric/adequate.h"
#include "plugin/info.h"

struct gnt_match_spec; /* match/match.h */

enum {
    GNT_SUITE_NAME = 64, /* greatest length of ids and labels, bytes */
    GNT_SUITE_MOST_TASKS = 256,
    GNT_SUITE_MOST_MODELS = 16,
    GNT_SUITE_MOST_ENTRIES = 1024, /* defenses, and attacks */
    GNT_SUITE_MOST_MEMBERS = 16,   /* in a composed defense */
    GNT_SUITE_MOST_LIST = 4096,    /* seeds, stages, strengths of a sweep */
    GNT_SUITE_MOST_SCALES = 16,
    GNT_SUITE_MOST_LEAKAGES = 9,
    GNT_SUITE_MOST_CURVE = 16,  /* strengths of a curve */
    GNT_SUITE_MOST_FACTS = 4,   /* plotted against strength */
    GNT_SUITE_MOST_TABLES = 64, /* of a paper; also the most rows, and columns, of one */
    GNT_SUITE_MOST_CELLS = 100000
};

/* Everything about a data set that is known without its rows. */
typedef struct gnt_data_facts {
    gnt_data_kind kind;
    int32_t rank;
    int64_t dim[3];
    int64_t features;
    int32_t classes;
    int has_maps; /* its samples have a map to find and a mask instead of a class */
    int32_t n_attrs;
    gnt_data_attr attr[GNT_DATA_ATTRS];
    int64_t part[3];        /* rows of the train, test and public parts */
    const char *group_name; /* name of a group of rows; NULL: the set has no groups */
} gnt_data_facts;

/* The environment in which a suite is read: plugins, folders, and the source of facts about files. Owned by
 * the caller; plugins outlive the suite. */
typedef struct gnt_suite_env {
    const gnt_plugin_list *plugins;
    const char *data_folder; /* --data, or NULL */
    const char *scale;       /* --scale, or NULL for the suite's default */
    /* folders searched for NAME.json, in order; NULL-terminated; NULL: "models" */
    const char *const *model_folders;
    /* as above, of lists of attacks; NULL: "suites/standard" */
    const char *const *list_folders;
    void *context;
    /* NULL: gnt_suite_data_facts */
    int (*data_facts)(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err);
    /* NULL: gnt_st_load and gnt_model_import */
    int (*weights_fit)(void *context, const char *path, const gnt_model *model, gnt_err *err);
    /* 1: files of weights and of the key may be missing, to make a plan that is not run */
    int files_may_lack;
    const char *key_file; /* read in place of the suite's key_file; NULL: none */
    /* Returns the round that a run drew under a key that is not here, for a stage of a task in the training
     * run of a seed; −1: unknown. May be NULL. */
    int64_t (*round)(void *context, const char *task, uint64_t seed, int64_t stage);
    void *round_context;
    /* 1: all training runs have one draw, and their cells are called by its rounds, as in runs of 0.9 */
    int draws_once;
} gnt_suite_env;

/* Reads a file of 64 hexadecimal digits. */
int gnt_suite_read_key(const char *path, gnt_key *key, gnt_err *err);

/* Fills the facts of a data set from its files (a generated one needs none), or from the published sizes if
 * the files are missing. */
int gnt_suite_data_facts(const gnt_data_spec *spec, const char *folder, gnt_data_facts *out, gnt_err *err);
int gnt_suite_published_facts(const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err);

/* ---- tasks ---- */

enum { GNT_SUITE_BALANCED = 32 }; /* the most values that a task balances */

typedef enum gnt_schedule_kind { GNT_SCHEDULE_CONSTANT, GNT_SCHEDULE_COSINE } gnt_schedule_kind;
typedef enum gnt_utility_kind { GNT_UTILITY_ACCURACY, GNT_UTILITY_LOSS, GNT_UTILITY_IOU } gnt_utility_kind;
extern const char *const gnt_schedule_names[], *const gnt_utility_names[];

typedef struct gnt_suite_federated {
    int64_t clients;
    gnt_partition_kind partition;
    int64_t shards; /* label shards a client */
    /* SIZED_SHARDS: rows in a shard, and the range of shards that a client draws */
    int64_t shard_size, least, most;
    /* LABELS: for each of n_dealt clients its rows and its number of labels; then the labels of all clients,
     * concatenated. Owned by the task. */
    int64_t *rows, *n_labels, *labels;
    size_t n_dealt, labels_in_all;
    double alpha;         /* of the Dirichlet distribution */
    const char *by;       /* GROUP: GNT_PARTITION_BY_GROUP, or the attribute's name in the task's facts */
    int64_t rounds;       /* 0: the model is never trained */
    double participation; /* share of clients a round, (0, 1] */
    int all_train;        /* clients that are not chosen train too, without sending */
    int64_t local_steps;  /* 0: a client shares one gradient */
    int64_t batch;
    double rate, momentum;
    double decay; /* of local steps */
    int adam;     /* local steps by Adam */
    gnt_augment augment;
    gnt_schedule_kind schedule;
    int training_stats; /* batch norm in clients: 1: batch statistics, 0: running statistics */
} gnt_suite_federated;

/* Names of the values of gnt_suite_observe.probe: "round", "probe". */
extern const char *const gnt_observe_names[];

typedef struct gnt_suite_observe {
    /* 0: observations are what the training run computed in the observed round, byte for byte; 1: the hooks
     * run once more on rows of the role TARGETS, at the stage's weights. No difference for a transcript. */
    int probe;
    uint32_t surface; /* one GNT_SURFACE_* */
    /* Private samples that one observation depends on. In the round, with a Dirichlet partition: what each
     * observed client must have used, which only the job knows. */
    int64_t batch;
    int64_t local_steps; /* 0: one gradient; in the round, the federation's */
    /* Number of observations: a probe uses targets × batch rows of the role TARGETS, in order; in the round
     * this many of the participating clients are observed. */
    int64_t targets;
    int32_t attribute; /* index into the data set's private attributes, −1: none */
    /* Samples that a client encodes together: always on the surface ENCODING (in the round: all of its rows),
     * and for updates if each encoding is observed by itself; else 0. */
    int64_t set;
    /* How often each set is encoded. In the round, on the surface ENCODING: how many of the client's last
     * passes are observed, up to and including those of the observed round; 0: all. */
    int64_t epochs;
    int set_given; /* by the suite; else a probe encodes all targets as one set */
    /* In the round: rows that every client holds at least, or on average where a partition leaves it open. */
    int64_t client_rows;
} gnt_suite_observe;

typedef struct gnt_suite_region { /* sensitive rectangle, the same in all images; height 0: none */
    int64_t top, left, height, width;
} gnt_suite_region;

enum { GNT_SUITE_HIDDEN = 8 };

/* A share of the clients, 0 … 1, and the attributes they hide. */
enum { GNT_SUITE_HIDERS = 16 };
typedef struct gnt_suite_hider {
    double share, hide[GNT_DATA_ATTRS];
} gnt_suite_hider;

typedef struct gnt_suite_head { /* the network that the host trains on the representation */
    int64_t hidden[GNT_SUITE_HIDDEN];
    size_t n_hidden; /* 0: a linear head */
    int64_t epochs, batch;
    double rate;
} gnt_suite_head;

typedef enum gnt_target_kind {
    GNT_TARGET_ABSOLUTE,
    GNT_TARGET_RELATIVE, /* a share (for a loss: a multiple) of the undefended utility */
    GNT_TARGET_ADDED     /* a share of what private data add to the utility of public data alone */
} gnt_target_kind;

typedef struct gnt_suite_match {
    gnt_target_kind kind;
    double target;
    double tolerance;                                                   /* in units of the utility */
    int max_strengths, seeds, most_seeds, confirm_seeds, confirmations; /* as in match/match.h */
    /* 1: also cells on either side of the matched strength, to interpolate leakage at the target */
    int bracket;
    /* 1: compare each training run with the undefended one of its seed, on the same rows */
    int paired;
    /* the leakages at which utilities are compared, as shares of the way from the baseline to no defense:
     * in (0, 1), ascending */
    double leakage[GNT_SUITE_MOST_LEAKAGES];
    size_t n_leakages;
} gnt_suite_match;

/* Another data set of the same shape: its public part or, if it has none, its train part. */
typedef struct gnt_suite_other_set {
    char *data; /* NULL: there is none */
    uint64_t seed;
    int64_t rows; /* this many of them, shuffled; −1: all */
} gnt_suite_other_set;

/* Folders of captures of one round, resolved, and the digest of each one's files. */
typedef struct gnt_suite_folders {
    char **folder;
    char (*digest)[GNT_HEX_SIZE];
    size_t n;
    int64_t round;
} gnt_suite_folders;

enum { GNT_SUITE_HISTORY = 8 };

/* Captured updates (capture/capture.h) that a task attacks in the place of a training's: all of one round,
 * from the same weights, with the same settings. */
typedef struct gnt_suite_captures {
    gnt_suite_folders attacked;
    /* Captures of the same clients in earlier rounds, earliest first, each in the order of those attacked. */
    gnt_suite_folders earlier[GNT_SUITE_HISTORY];
    size_t n_earlier;
    /* 1: the attacker may be granted the defense, which the suite's entry says. */
    int defense_known;
    /* Ids of the defense that the captures name, joined by '+'; "none"; "": they do not say. */
    char *defense;
    /* Private samples behind each; 0: withheld. */
    int64_t rows;
    /* What the private batch gives an attacker that is granted it: GNT_KNOWS_*. */
    uint32_t from_private;
    /* The goals that the captures name; 0: any. */
    uint32_t goals;
    /* 1: the task has rows for the attacker; `data` of the task is their set. */
    int has_data;
    /* Index of the attribute in the attacker's rows; −1: they do not have it. */
    int32_t known_attribute;
} gnt_suite_captures;

typedef struct gnt_suite_task {
    char *id;
    /* id of the task that defines data, model and training: its own, or the one it is "like" */
    char *trained_as;
    char *data;
    /* rows of each part, 0: all. Built-in sets are generated with this many; of files, split.first takes as
     * many */
    int64_t rows[3];
    uint64_t data_seed;
    gnt_data_facts facts;
    int64_t role_rows[GNT_ROLES]; /* rows of each role, without −1 for "the rest" */
    gnt_split_spec split;         /* target_rows is owned by the task */
    int shadow_shared;            /* 1: the role shadow has the rows of defender_shadow */
    /* An attribute, and its values that get equally many rows (gnt_split_spec.balance); n_balance 0: none. */
    int64_t balance[1 + GNT_SUITE_BALANCED];
    size_t n_balance;
    int64_t without[GNT_DATA_ATTRS]; /* attributes whose features are set to 0 */
    size_t n_without;
    int coin; /* values of the random attribute `coin`, drawn for each row; 0: none */
    /* Whose rows have the role PUBLIC, in the place of rows of the task's own set; and those that the grant
     * prior_data gives. */
    gnt_suite_other_set public_set, prior_set;
    int64_t prior_rows; /* without −1 */
    char *model;        /* as the suite names it */
    char *model_path;   /* where it was found */
    double width;       /* set by the suite; 0: the model file's */
    /* canonical text with the task's "init" and "width": what is parsed and digested */
    char *model_json;
    double *mean, *deviation; /* facts.dim[0] entries each, or NULL */
    char *weights;            /* resolved path of a safetensors file, or NULL */
    int has_representation;   /* the output of some layer; 0: the representation is the sample itself */
    int is_map;               /* the model's output is a map instead of classes */
    int shares_part;          /* clients share only a part of its parameters */
    int64_t update_size;      /* entries of one update */
    int first_dense;          /* the model's first layer that has weights is dense */
    int shares_dense;         /* clients share a dense layer */
    int has_buffers;          /* it has batch norm */
    int has_statistics;       /* `weights` include the running statistics of a training */
    gnt_suite_federated federated;
    /* Ascending. Listed by the suite: rounds (gnt_suite_rounds). Drawn under the run key: 1 … n_stages, the
     * equal parts of the training from which each training run draws one round. */
    int64_t *stages;
    size_t n_stages;
    int stages_drawn; /* number of rounds drawn for a training run; 0: the suite lists them */
    int64_t *drawn;   /* the drawn rounds, n_seeds × n_stages; NULL: `stages` are the rounds */
    gnt_suite_observe observe;
    gnt_suite_region region;
    /* how much clients want each private attribute hidden, 0 … 1; 0: not at all. The maximum over clients if
     * they differ */
    double hide[GNT_DATA_ATTRS];
    gnt_suite_hider hider[GNT_SUITE_HIDERS];
    size_t n_hiders; /* 0: all clients hide the same attributes */
    int64_t shadow_observations;
    gnt_utility_kind utility;
    int by_head; /* utility is measured on a head on the frozen representation, not on the model itself */
    gnt_suite_head head;
    /* Record the model's utility by round too, at no more than this many rounds; 0: do not. */
    int64_t curve;
    int secret;            /* train once more with a rule on labels that clients' samples alone show */
    gnt_suite_match match; /* the suite's, unless the task has its own */
    gnt_adequate_limits adequate;
    /* NULL: the task trains, or attacks a network as it is. With captures federated.rounds is 0, and what
     * describes samples is the captures'. */
    gnt_suite_captures *captures;
    /* of everything that decides what is measured, except defenses and attacks: runs of suites whose tasks
     * share it can be compared */
    char digest[GNT_HEX_SIZE];
} gnt_suite_task;

/* ---- models ---- */

/* A network trained in one place on public data, or read from a file, which plugins name by its id. */
typedef struct gnt_suite_model {
    /* what it shares with a task: id, data, model, weights; its samples have the role PUBLIC, its accuracy is
     * measured on TEST */
    gnt_suite_task of;
    int64_t epochs; /* 0: `of.weights` is used unchanged */
    int64_t batch;
    double rate, momentum, decay;
    gnt_schedule_kind schedule; /* over all steps */
    int flip;                   /* mirror each image left to right with probability 1/2 */
} gnt_suite_model;

/* ---- defenses and attacks ---- */

typedef struct gnt_suite_member {
    const gnt_plugin_info *info; /* the caller's */
    char *params;                /* canonical JSON object of all parameters, with defaults */
} gnt_suite_member;

typedef struct gnt_suite_defense {
    char *label;
    char *plugin;             /* ids joined by '+' */
    gnt_suite_member *member; /* in the order written: encodings before transforms */
    size_t n_members;
    int32_t swept; /* index of the member whose strength varies, −1: none has one, or none was named */
    int match;     /* strength found by matching */
    double *curve; /* strengths between which matching reads the target, in the place of a search */
    size_t n_curve;
    double *sweep; /* strengths of a curve, in the order of the file */
    size_t n_sweep;
    int has_fixed; /* without match and sweep: the strength is `fixed` */
    double fixed;
    uint8_t *on_task; /* n_tasks flags */
} gnt_suite_defense;

/* A list of attacks that the suite names. */
typedef struct gnt_suite_list {
    char *name;   /* with its variant, "standard-1-blind" */
    char *status; /* "draft", which may still change, or "frozen" */
    char *says;
    char *variants;            /* their names, "standard-1-blind, standard-1-labels"; "" for none */
    char digest[GNT_HEX_SIZE]; /* of its content and of the versions of its plugins */
} gnt_suite_list;

typedef struct gnt_suite_attack {
    /* of a list's member "LIST:ID" */
    char *label;
    const gnt_suite_list *list; /* of the suite; NULL: the attack is an entry of its own */
    char *says;                 /* what a list's member is for; else NULL */
    /* Not listed by the suite: the attack of this label, on the influence of updates. NULL: listed. */
    char *influence_of;
    char *plugin; /* ids joined by '+' */
    gnt_suite_member member;
    /* in a chain: `member` gets its reconstructions as encodings; else info is NULL */
    gnt_suite_member first;
    uint32_t grants; /* GNT_KNOWS_*, as in the file */
    int64_t budget;  /* steps or evaluations of `member`; 0: the plugin's own */
    int64_t first_budget;
    char *start; /* resolved path of a safetensors file of starting points; NULL: the plugin draws them */
    uint8_t *on_task;
} gnt_suite_attack;

/* ---- the whole ---- */

typedef struct gnt_suite {
    char *file;       /* path as given, for messages */
    char *text;       /* its content, byte for byte; where it names lists of files, with copies of these */
    char *name;       /* "suite" */
    char *title;      /* "" for none */
    char *scale;      /* the scale whose values were substituted; NULL: the suite has none */
    char *scale_says; /* the scale's description in the suite */
    char *facts;      /* JSON list of the facts that the report plots, checked; NULL: none */
    int64_t points;   /* number of representations that the report plots; 0: none */
    char *tables;     /* JSON list of the paper's tables, checked; NULL: none */
    char *check;      /* JSON object for `gauntlet check`, checked; NULL: none */
    gnt_key key;      /* the run key */
    int secret;       /* 1: the run key came from key_file and must not be shown; 0: from `seed` */
    /* 1: the key file is not here, and drawn rounds are what env->round says, each in the part of the
     * training from which it must have been drawn */
    int key_unknown;
    uint64_t seed;
    uint64_t *seeds; /* replicates */
    size_t n_seeds;
    gnt_suite_task *task;
    size_t n_tasks;
    gnt_suite_model *model;
    size_t n_models;
    gnt_suite_defense *defense;
    size_t n_defenses;
    gnt_suite_attack *attack;
    size_t n_attacks;
    gnt_suite_list *list;
    size_t n_lists;
    double seconds;     /* time limit of one job */
    double cpu_seconds; /* processor time limit of one job; 0: none but `seconds` */
    int64_t memory_mb;  /* memory limit of one job */
    uint32_t measures;  /* bits 1u << gnt_measure_id (metric/measure.h); 0: all that suit the goals */
    /* Indices of the models in whose features and representation images are compared, for
     * GNT_MEASURE_FEATURE_DISTANCE and GNT_MEASURE_REPRESENTATION_MSE. */
    size_t judge, representation;
    char digest[GNT_HEX_SIZE]; /* of the canonical text of the file after its scale was applied */
    /* n_tasks × n_defenses, or NULL: the strength at which a baseline run matched a defense, for cells at it;
     * NaN: none, or it is in the defense's sweep */
    double *baseline;
} gnt_suite;

/* Reads and checks a suite file. On failure *out is empty. Relative paths of models, weights and keys are
 * resolved from the folder of `path`, then from the working directory. */
int gnt_suite_load(gnt_suite *out, const char *path, const gnt_suite_env *env, gnt_err *err);
/* As above, of a suite that the user names, which may come from a pipe and is waited for; "-" is standard
 * input. */
int gnt_suite_load_given(gnt_suite *out, const char *path, const gnt_suite_env *env, gnt_err *err);
int gnt_suite_parse(gnt_suite *out, const char *name, const char *text, size_t size, const gnt_suite_env *env,
                    gnt_err *err);
/* Reads a list of attacks, or a variant, by its name: *out has only these attacks and the list. Returns 0; 1
 * if there is no such list, −1 if it cannot be read, both with a message. */
int gnt_suite_load_list(gnt_suite *out, const char *name, const gnt_suite_env *env, gnt_err *err);
/* Fills the rounds from which the i-th of n drawn stages is one: *from … *to − 1; i < n ≤ rounds. */
void gnt_suite_drawn_part(int64_t rounds, size_t n, size_t i, int64_t *from, int64_t *to);
/* Returns the task's n_stages observed rounds in the training run of a seed, ascending. Observations use the
 * weights after so many rounds, 0: before any training. In the round: the observed update is computed from
 * these weights, in the round of that number counted from 0. NULL: rounds are drawn, and the seed is not one
 * of the suite's, as those of a search, whose training runs nobody observes. */
const int64_t *gnt_suite_rounds(const gnt_suite *s, const gnt_suite_task *t, uint64_t seed);
/* True if the tasks attack captures: of a suite either all do, or none. */
int gnt_suite_is_of_captures(const gnt_suite *s);
/* Returns the model with that id, or NULL. */
const gnt_suite_model *gnt_suite_find_model(const gnt_suite *s, const char *id);
/* True if a member prepares artefacts that stay with the clients. */
int gnt_suite_keeps_private(const gnt_suite_defense *d);
/* True if the server aggregates by a hook of a member. */
int gnt_suite_aggregates(const gnt_suite_defense *d);
/* Returns of how many updates in an observed round the influence is measured for such a defense: of those of
 * the first clients drawn; 0: of none. */
int64_t gnt_suite_influences(const gnt_suite_task *t);
/* Returns the same of a task that observes so many targets in each of so many rounds. */
int64_t gnt_suite_influences_of(int64_t targets, size_t n_stages);
/* True if the attack is run against the defense on the task. */
int gnt_suite_is_attacked(const gnt_suite *s, size_t task, size_t defense, size_t attack);
/* Begins the strengths of a baseline run, with none yet. */
int gnt_suite_begin_baseline(gnt_suite *s, gnt_err *err);
/* Adds cells to the plan of a suite at the strength at which the baseline run matched a defense on a task;
 * NAN: its search failed. Ignores a task or a defense that the suite does not match; messages call the file
 * `name`. Fails if the strength is outside of its parameter's range. */
int gnt_suite_add_baseline(gnt_suite *s, const char *name, const char *task, const char *defense,
                           double strength, gnt_err *err);
/* Returns the strength at which the baseline run matched the defense, or NaN. */
double gnt_suite_baseline_of(const gnt_suite *s, size_t task, size_t defense);
void gnt_suite_free(gnt_suite *s); /* leaves it empty; an empty one is allowed */

/* Fills the search for the strength of a defense with `match` on a task. none_utility, public_utility: those
 * of the undefended training there, and of public data alone, which only GNT_TARGET_ADDED needs (NaN in a dry
 * run). Fails if the range of the strength cannot be searched. */
int gnt_suite_match_spec(const gnt_suite *s, size_t task, size_t defense, double none_utility,
                         double public_utility, struct gnt_match_spec *out, gnt_err *err);

/* Opens the task's data, and parses its model, as jobs do first. The caller frees. */
int gnt_suite_open_data(const gnt_suite_task *task, const char *data_folder, gnt_data **out, gnt_err *err);
int gnt_suite_open_other_set(const gnt_suite_other_set *set, const char *data_folder, gnt_data **out,
                             gnt_err *err);
int gnt_suite_open_model(const gnt_suite_task *task, gnt_model **out, gnt_err *err);

#endif
