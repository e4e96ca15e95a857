/* suite: what a suite file says, read and checked against everything that can be known before anything runs.
 *
 * A gnt_suite owns deep copies of all it holds, except for the plugin infos, which stay the caller's and must
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
    GNT_SUITE_MOST_MEMBERS = 16,   /* of a composed defense */
    GNT_SUITE_MOST_LIST = 4096,    /* seeds, stages, strengths of a sweep */
    GNT_SUITE_MOST_SCALES = 16,
    GNT_SUITE_MOST_LEAKAGES = 9,
    GNT_SUITE_MOST_FACTS = 4,   /* that are drawn against strength */
    GNT_SUITE_MOST_TABLES = 64, /* of a paper; rows and columns of one as many */
    GNT_SUITE_MOST_CELLS = 100000
};

/* Of a data set: all that can be known without its rows. */
typedef struct gnt_data_facts {
    gnt_data_kind kind;
    int32_t rank;
    int64_t dim[3];
    int64_t features;
    int32_t classes;
    int has_maps; /* its samples have a map to be found and a mask, not a class */
    int32_t n_attrs;
    gnt_data_attr attr[GNT_DATA_ATTRS];
    int64_t part[3];        /* rows of the train, test and public parts */
    const char *group_name; /* what a group of rows is, NULL where there are none */
} gnt_data_facts;

/* What a suite is read against: plugins, folders, and where facts about files come from. Everything is the
 * caller's; plugins outlive the suite. */
typedef struct gnt_suite_env {
    const gnt_plugin_list *plugins;
    const char *data_folder; /* --data, or NULL */
    const char *scale;       /* --scale, or NULL for the one the suite names */
    /* where NAME.json is looked for, in order; NULL-terminated; NULL: "models" */
    const char *const *model_folders;
    void *context;
    /* NULL: as gnt_suite_data_facts does. */
    int (*data_facts)(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err);
    /* NULL: the file is opened with gnt_st_load and fitted with gnt_model_import. */
    int (*weights_fit)(void *context, const char *path, const gnt_model *model, gnt_err *err);
    /* 1: the files of weights and of the key may be missing, for who only asks what is planned */
    int files_may_lack;
} gnt_suite_env;

/* What is known of a data set from its files (a generated one needs none), and what the published files of
 * one have, for who has not got them. */
int gnt_suite_data_facts(const gnt_data_spec *spec, const char *folder, gnt_data_facts *out, gnt_err *err);
int gnt_suite_published_facts(const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err);

/* ---- tasks ---- */

enum { GNT_SUITE_BALANCED = 32 }; /* greatest number of values that a task balances */

typedef enum gnt_schedule_kind { GNT_SCHEDULE_CONSTANT, GNT_SCHEDULE_COSINE } gnt_schedule_kind;
typedef enum gnt_utility_kind { GNT_UTILITY_ACCURACY, GNT_UTILITY_LOSS, GNT_UTILITY_IOU } gnt_utility_kind;
extern const char *const gnt_schedule_names[], *const gnt_utility_names[];

typedef struct gnt_suite_federated {
    int64_t clients;
    gnt_partition_kind partition;
    int64_t shards; /* label shards a client */
    /* Of SIZED_SHARDS: rows of one, and how many a client draws. */
    int64_t shard_size, least, most;
    /* Of LABELS: of each client (n_dealt of them) its rows and how many labels it names; then the labels of
     * all clients, one after another. Owned by the task. */
    int64_t *rows, *n_labels, *labels;
    size_t n_dealt, labels_in_all;
    double alpha;         /* of the Dirichlet law */
    const char *by;       /* of GROUP: GNT_PARTITION_BY_GROUP, or the attribute's name in the task's facts */
    int64_t rounds;       /* 0: the model is never trained */
    double participation; /* share of clients a round, (0, 1] */
    int all_train;        /* the others train as well, uncollected */
    int64_t local_steps;  /* 0: a client shares one gradient */
    int64_t batch;
    double rate, momentum;
    double decay; /* of local steps */
    gnt_augment augment;
    gnt_schedule_kind schedule;
    int training_stats; /* batch norm in clients: 1 batch statistics, 0 running statistics */
} gnt_suite_federated;

/* Words for gnt_suite_observe.probe: "round", "probe". */
extern const char *const gnt_observe_names[];

typedef struct gnt_suite_observe {
    /* 0: what is seen is what the training run computed, byte for byte, in the observed round; 1:
     * the hooks run once more on rows of the role TARGETS, at the stage's weights. Of a
     * transcript it makes no difference. */
    int probe;
    uint32_t surface; /* one GNT_SURFACE_* */
    /* Private samples behind one observation. In the round of a Dirichlet partition: what each observed
     * client must have used, which is known in the job alone. */
    int64_t batch;
    int64_t local_steps; /* 0: one gradient. In the round: the federation's */
    /* Observations. By a probe targets × batch rows of the role TARGETS are used, in order; in the round so
     * many clients are observed among those that take part. */
    int64_t targets;
    int32_t attribute; /* index among the data set's private attributes, −1 for none */
    /* Samples that a client encodes together: on the surface ENCODING always (in the round: all that it
     * holds), behind updates where each encoding is to be observed by itself; else 0. */
    int64_t set;
    /* How often each set is encoded. In the round, on the surface ENCODING: how many of the client's last
     * passes are shown, up to and including those of the observed round; 0: all. */
    int64_t epochs;
    int set_given; /* by the suite; else, by a probe, all targets are one set */
} gnt_suite_observe;

typedef struct gnt_suite_region { /* a sensitive rectangle, the same in all images; height 0: none */
    int64_t top, left, height, width;
} gnt_suite_region;

enum { GNT_SUITE_HIDDEN = 8 };

/* A share of the clients, 0 … 1, and what these hide. */
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

typedef struct gnt_suite_match {
    int relative; /* 1: target is a share (or, of a loss, a multiple) of what `none` leaves; 0: absolute */
    double target;
    double tolerance;                                                   /* in units of the utility */
    int max_strengths, seeds, most_seeds, confirm_seeds, confirmations; /* as in match/match.h */
    /* 1: cells on either side of the matched strength too, so that leakage can be read at the target */
    int bracket;
    /* 1: a training is compared with the undefended one of its seed, on the same rows */
    int paired;
    /* the leakages at which utilities are compared, as shares of the way from the floor to no defense:
     * (0, 1), rising */
    double leakage[GNT_SUITE_MOST_LEAKAGES];
    size_t n_leakages;
} gnt_suite_match;

/* Another data set whose rows are the role PUBLIC: those of its public part or, where it
 * has none, its train part. */
typedef struct gnt_suite_public_set {
    char *data; /* NULL: the public rows are the task's own */
    uint64_t seed;
    int64_t rows; /* so many of them, shuffled; −1: all */
} gnt_suite_public_set;

typedef struct gnt_suite_task {
    char *id;
    /* the task whose data, model and trainings these are: its own id, or the one it is "like" */
    char *trained_as;
    char *data;
    /* 0: all. Built-in sets are made with this many rows; of files, split.first takes so many */
    int64_t rows[3];
    uint64_t data_seed;
    gnt_data_facts facts;
    int64_t role_rows[GNT_ROLES]; /* what the split comes to, with no -1 left */
    gnt_split_spec split;         /* target_rows is owned by the task */
    int shadow_shared;            /* 1: the role shadow is the rows of defender_shadow */
    /* An attribute, and those of its values that are to be alike often (gnt_split_spec.balance); n_balance 0:
     * none. */
    int64_t balance[1 + GNT_SUITE_BALANCED];
    size_t n_balance;
    int64_t without[GNT_DATA_ATTRS]; /* attributes whose features are set to 0 */
    size_t n_without;
    int coin; /* values of the attribute `coin`, drawn for each row; 0: there is none */
    gnt_suite_public_set public_set;
    char *model;      /* as the suite names it */
    char *model_path; /* where it was found */
    double width;     /* as the suite sets it, 0: the model file's */
    /* canonical text, with the task's "init" and "width" put in: what to parse and what to digest */
    char *model_json;
    double *mean, *deviation; /* facts.dim[0] entries each, or NULL */
    char *weights;            /* resolved path of a safetensors file, or NULL */
    int has_representation;   /* some layer's output; 0: it is the sample itself */
    int is_map;               /* its output is a map, not classes */
    int shares_part;          /* clients share a part of its parameters */
    int64_t update_size;      /* entries of one update */
    int first_dense;          /* the model's first layer that has weights is dense */
    int has_buffers;          /* it has batch norm */
    int has_statistics;       /* `weights` bring running statistics of a training */
    gnt_suite_federated federated;
    /* Rising. Observations are of the weights after so many rounds, 0: before any training. In the round: the
     * observed update is computed from them, in the round of that number counted from 0. */
    int64_t *stages;
    size_t n_stages;
    int stages_drawn; /* so many stages were drawn under the run key; 0: the suite names them */
    gnt_suite_observe observe;
    gnt_suite_region region;
    /* how much clients want each private attribute hidden, 0 … 1; 0: not at all. Of clients that do not all
     * hide the same the most that any does */
    double hide[GNT_DATA_ATTRS];
    gnt_suite_hider hider[GNT_SUITE_HIDERS];
    size_t n_hiders; /* 0: all clients hide the same */
    int64_t shadow_observations;
    gnt_utility_kind utility;
    int by_head; /* utility is that of a head on the frozen representation, not of the model itself */
    gnt_suite_head head;
    /* The model's utility is kept by round too, in at most so many steps of the training; 0: it is not. */
    int64_t curve;
    gnt_suite_match match; /* the suite's, unless the task has its own */
    gnt_adequate_limits adequate;
    /* of all that decides what is measured on it but defenses and attacks: runs of suites whose tasks
     * share it may be compared */
    char digest[GNT_HEX_SIZE];
} gnt_suite_task;

/* ---- models ---- */

/* A network trained in one place on public data, or read from a file, which plugins name by its id. */
typedef struct gnt_suite_model {
    /* what it has in common with a task: id, data, model, weights; its samples have the role PUBLIC, its
     * accuracy is measured on TEST */
    gnt_suite_task of;
    int64_t epochs; /* 0: `of.weights` is used as it is */
    int64_t batch;
    double rate, momentum, decay;
    gnt_schedule_kind schedule; /* over all steps */
    int flip;                   /* mirror each image left to right with probability 1/2 */
} gnt_suite_model;

/* ---- defenses and attacks ---- */

typedef struct gnt_suite_member {
    const gnt_plugin_info *info; /* the caller's */
    char *params;                /* canonical JSON object with every parameter, defaults filled in */
} gnt_suite_member;

typedef struct gnt_suite_defense {
    char *label;
    char *plugin;             /* ids joined by '+' */
    gnt_suite_member *member; /* in the order written: encodings before transforms */
    size_t n_members;
    int32_t swept; /* member whose strength is turned, −1: none has one, or none was named */
    int match;     /* strength found by matching */
    double *sweep; /* strengths of a curve, in the order written */
    size_t n_sweep;
    int has_fixed; /* neither match nor sweep, and there is a strength: it is `fixed` */
    double fixed;
    uint8_t *on_task; /* n_tasks flags */
} gnt_suite_defense;

typedef struct gnt_suite_attack {
    char *label;
    char *plugin; /* ids joined by '+' */
    gnt_suite_member member;
    /* of a chain: its reconstructions are what `member` sees as encodings; else info is NULL */
    gnt_suite_member first;
    uint32_t grants; /* GNT_KNOWS_* as written */
    int64_t budget;  /* steps or evaluations of `member`; 0: the plugin's own */
    int64_t first_budget;
    char *start; /* resolved path of a safetensors file with starting points; NULL: the plugin draws them */
    uint8_t *on_task;
} gnt_suite_attack;

/* ---- the whole ---- */

typedef struct gnt_suite {
    char *file;       /* as it was given, for sentences */
    char *text;       /* what stands in it, byte for byte */
    char *name;       /* "suite" */
    char *title;      /* "" for none */
    char *scale;      /* the one whose values are put in; NULL: the suite has none */
    char *scale_says; /* what the suite says of it */
    char *facts;      /* JSON list of the facts that the report draws, checked; NULL for none */
    int64_t points;   /* of how many representations the report draws the points; 0: none */
    char *tables;     /* JSON list of the paper's tables, checked; NULL for none */
    char *check;      /* JSON object for `gauntlet check`, checked; NULL for none */
    gnt_key key;      /* the run key */
    int secret;       /* 1: the run key came from key_file and must not be shown; 0: from `seed` */
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
    double seconds;     /* time limit of one job */
    double cpu_seconds; /* processor time of one job; 0: as its time allows */
    int64_t memory_mb;  /* memory limit of one job */
    uint32_t measures;  /* bits 1u << gnt_measure_id (metric/measure.h); 0: all that fit the goals */
    /* Numbers of the models in whose features and representation images are compared, with
     * GNT_MEASURE_FEATURE_DISTANCE and GNT_MEASURE_REPRESENTATION_MSE. */
    size_t judge, representation;
    char digest[GNT_HEX_SIZE]; /* of the canonical text of the file, its scale put in */
    /* n_tasks × n_defenses, or NULL: the strength at which an earlier run matched a defense, for cells at
     * it; NaN: none, or the defense's sweep has it */
    double *baseline;
} gnt_suite;

/* On failure *out is empty. `path` is also where relative paths of models, weights and keys begin; what is
 * not there is looked for in the working folder. */
int gnt_suite_load(gnt_suite *out, const char *path, const gnt_suite_env *env, gnt_err *err);
int gnt_suite_parse(gnt_suite *out, const char *name, const char *text, size_t size, const gnt_suite_env *env,
                    gnt_err *err);
/* The model of that id, NULL where there is none. */
const gnt_suite_model *gnt_suite_find_model(const gnt_suite *s, const char *id);
/* 1 where a member prepares something that it keeps among the clients. */
int gnt_suite_keeps_private(const gnt_suite_defense *d);
/* Has the plan of a suite measure its matched defenses at the strengths of a baseline too. list: "matches"
 * of the baseline's results.json, or "baseline" of a run that was given one; NULL changes nothing. Entries
 * of tasks and defenses that the suite does not match are passed over; `name` stands for the file in
 * sentences. Fails where a strength lies outside of its parameter's range. */
int gnt_suite_add_baseline(gnt_suite *s, const char *name, const json_t *list, gnt_err *err);
/* NaN for none. */
double gnt_suite_baseline_of(const gnt_suite *s, size_t task, size_t defense);
void gnt_suite_free(gnt_suite *s); /* leaves it empty; an empty one is allowed */

/* The search for the strength of a defense with `match` on a task. none_utility: what `none` leaves there
 * (NaN in a dry run). Fails when the range of the strength makes no sense for a search. */
int gnt_suite_match_spec(const gnt_suite *s, size_t task, size_t defense, double none_utility,
                         struct gnt_match_spec *out, gnt_err *err);

/* The task's data, and its model as gnt_model_parse reads it: what jobs start from. The caller frees. */
int gnt_suite_open_data(const gnt_suite_task *task, const char *data_folder, gnt_data **out, gnt_err *err);
int gnt_suite_open_public_set(const gnt_suite_task *task, const char *data_folder, gnt_data **out,
                              gnt_err *err);
int gnt_suite_open_model(const gnt_suite_task *task, gnt_model **out, gnt_err *err);

#endif
