/* request: the description of a job, which the scheduler writes and a worker reads. Each kind of job has a
 * struct here and a table of its fields in request_fields.c. Apart from it a job has only named inputs and
 * outputs.
 *
 *   kind             struct          what the job does (job/job.h) data             .data           assigns
 *   the data of a task to roles model            .model          trains a network on public data, for plugins
 *   to work with train            .train          runs a federated training side             .side
 *   runs a defense's hooks on one side of the protocol, for a training replay           .replay
 *   recomputes recorded updates prepare-defense  .prepare        computes the artefacts of one defense
 *   observe          .observe        makes observations prepare-attack   .prepare_attack computes the
 *   artefacts of one attack capture          .capture        reads captures
 *   attack           .attack         computes an answer score            .score
 *   computes the numbers of a cell vet              .vet            runs one check of one plugin describe
 *   .describe       describes the plugins of a file sandbox          (none)          enters the sandbox and
 *   ends
 *
 * Ownership: everything that a gnt_request points to is in its arena, or outlives it. gnt_request_free frees
 * the arena. */
#ifndef GNT_REQUEST_REQUEST_H
#define GNT_REQUEST_REQUEST_H

#include "base/random.h"
#include "fl/partition.h"
#include "base/fields.h"

typedef enum gnt_job_kind {
    GNT_JOB_DATA,
    GNT_JOB_MODEL,
    GNT_JOB_TRAIN,
    GNT_JOB_SIDE,
    GNT_JOB_REPLAY,
    GNT_JOB_PREPARE_DEFENSE,
    GNT_JOB_OBSERVE,
    GNT_JOB_CAPTURE,
    GNT_JOB_PREPARE_ATTACK,
    GNT_JOB_ATTACK,
    GNT_JOB_SCORE,
    GNT_JOB_VET,
    GNT_JOB_DESCRIBE,
    GNT_JOB_SANDBOX,
    GNT_JOB_KINDS
} gnt_job_kind;

/* Returns the kind's name: "data", "prepare-defense" … */
const char *gnt_job_kind_name(gnt_job_kind kind);

/* The sides of the protocol, whose hooks run in separate processes. */
enum { GNT_SIDE_CLIENT = 1, GNT_SIDE_SERVER = 2, GNT_SIDE_QUERY = 4 };
extern const gnt_words gnt_side_words;

/* ---- parts of several kinds ---- */

/* A network as gnt_model_parse reads it. */
typedef struct gnt_request_model {
    const char *name;
    /* Its description, a JSON document. */
    const char *json;
    /* Shape of a sample: [features] or [channels, height, width]. */
    gnt_ints sample;
    int64_t classes;
    /* For each channel (or feature); empty: inputs are not normalised. */
    gnt_reals mean, deviation;
} gnt_request_model;

/* A model of the suite that a parameter of a plugin names. */
typedef struct gnt_request_named_model {
    const char *parameter;
    /* The suite's name for it. */
    const char *id;
    /* The input with its weights and buffers. */
    const char *input;
    gnt_request_model model;
} gnt_request_named_model;

typedef struct gnt_request_named_models {
    const gnt_request_named_model *at;
    size_t n;
} gnt_request_named_models;

/* A plugin, instantiated with these parameters. */
typedef struct gnt_request_plugin {
    const char *file;
    const char *id;
    /* Digest of the file. */
    const char *digest;
    /* Canonical JSON of all parameters. */
    const char *params;
    /* Its GNT_HOOK_*. */
    uint32_t hooks;
    /* Its artefacts stay with the clients. */
    int private_artefacts;
    gnt_request_named_models models;
} gnt_request_plugin;

typedef struct gnt_request_plugins {
    const gnt_request_plugin *at;
    size_t n;
} gnt_request_plugins;

/* How clients train; gnt_suite_federated explains the fields. */
typedef struct gnt_request_federated {
    int64_t clients;
    gnt_partition_kind partition;
    int64_t shards;
    /* For shards of a fixed size. */
    int64_t shard_size, least, most;
    /* For rows by label: of each client; then the labels of all clients, concatenated. */
    gnt_ints rows, n_labels, labels;
    double alpha;
    /* For a partition by group: GNT_PARTITION_BY_GROUP or the name of an attribute; else "". */
    const char *by;
    int64_t rounds;
    double participation;
    /* Clients that are not chosen in a round train too. */
    int all_train;
    int64_t local_steps, batch;
    double rate, momentum, decay;
    int adam;
    /* Augmentation of clients' batches (gnt_augment). */
    int flip;
    int64_t shift, cutout;
    int cosine;
    int training_stats;
} gnt_request_federated;

/* How much a private attribute is hidden, from 0 to 1. */
typedef struct gnt_request_hidden {
    const char *attribute;
    double weight;
} gnt_request_hidden;

/* The attributes that a share (0 to 1) of the clients hides. */
typedef struct gnt_request_hider {
    double share;
    struct {
        const gnt_request_hidden *at;
        size_t n;
    } hide;
} gnt_request_hider;

/* Groups of clients that hide different attributes, and the key of the draw that assigns clients to
 * groups. */
typedef struct gnt_request_hiders {
    struct {
        const gnt_request_hider *at;
        size_t n;
    } group;
    gnt_key key;
} gnt_request_hiders;

/* Properties of the samples that a job reads. */
typedef struct gnt_request_samples {
    /* The sensitive rectangle: top, left, height, width in pixels; empty: none. */
    gnt_ints region;
    struct {
        const gnt_request_hidden *at;
        size_t n;
    } hide;
    /* NULL: all clients hide `hide`. Otherwise `hide` is the maximum over clients, for each attribute. */
    const gnt_request_hiders *hiders;
} gnt_request_samples;

/* The observations and their number; gnt_suite_observe explains the fields. */
typedef struct gnt_request_observe {
    /* 1: hooks run once more on separate rows; 0: in the round. */
    int probe;
    /* One GNT_SURFACE_*. */
    uint32_t surface;
    int64_t batch, local_steps, targets, set, epochs;
} gnt_request_observe;

/* What a training records of its rounds. */
typedef struct gnt_request_record {
    gnt_ints stages;
    int64_t targets;
    int encodings;
    /* 0: all. */
    int64_t epochs;
    /* The first so many drawn clients of each round, of whose updates the influence is measured. */
    int64_t influence;
    /* Each of these is also replaced by an update of shadow rows, which the input "shadow" has. */
    int shadow;
    /* Key of the draw of clients. */
    gnt_key key;
} gnt_request_record;

/* A head on the frozen representation, on which utility is measured. */
typedef struct gnt_request_head {
    gnt_ints hidden;
    int64_t epochs, batch;
    double rate;
    gnt_key key;
} gnt_request_head;

typedef struct gnt_request_attribute {
    /* Index among the data set's attributes. */
    int64_t index;
    int64_t values;
} gnt_request_attribute;

/* Which data set, and the digest of its files. */
typedef struct gnt_request_source {
    const char *name;
    /* Seed of a generated set; the bits of a uint64_t. */
    int64_t seed;
    /* Rows of the train, test and public parts of a generated set; 0: all. */
    gnt_ints rows;
    const char *digest;
} gnt_request_source;

/* ---- kinds ---- */

/* How rows are assigned to roles; gnt_split_spec explains the fields. */
typedef struct gnt_request_split {
    /* Rows of each role, in the order of gnt_role_names; −1: the rest. */
    gnt_ints n;
    /* Only this many rows from the start of each part; 0: all. */
    gnt_ints first;
    gnt_ints target_rows;
    int64_t target_part;
    int apart;
    /* An attribute, and its values that get equally many rows; empty: none. */
    gnt_ints balance;
} gnt_request_split;

typedef struct gnt_request_data {
    gnt_request_source data;
    gnt_request_split split;
    /* Values of an attribute that is drawn for each row; 0: none. */
    int64_t coin;
    /* Attributes whose features are set to 0. */
    gnt_ints without;
    /* Folder of data files; "": none. */
    const char *folder;
    /* Another set, whose rows have the role public: rows.at[0] of them, −1: all. */
    const gnt_request_source *public_rows;
    /* Another set, whose rows the grant prior_data gives. */
    const gnt_request_source *prior_rows;
    gnt_key key;
} gnt_request_data;

typedef struct gnt_request_central {
    int64_t epochs, batch;
    double rate, momentum, decay;
    int cosine, flip;
} gnt_request_central;

typedef struct gnt_request_public_model {
    gnt_request_model model;
    /* NULL: its weights come from a file, unchanged. */
    const gnt_request_central *train;
    /* Digest of the file; NULL: none. */
    const char *weights_digest;
    gnt_key init_key, train_key;
} gnt_request_public_model;

typedef struct gnt_request_train {
    gnt_request_model model;
    gnt_request_samples samples;
    gnt_request_federated federated;
    /* Rounds after which weights are kept, ascending. */
    gnt_ints stages;
    /* Interval in rounds at which utility is measured too; 0: only after those and the last. */
    int64_t measure_every;
    /* Also keep the values whose mean is the utility, for each row, after the last round. */
    int keep_rows;
    gnt_request_plugins defense;
    /* GNT_SIDE_* of the processes that run next to this one. */
    uint32_t sides;
    /* Each client is served by a process that saw no other client. */
    int copies;
    /* Keep the state of defenses for each client after every stage, to observe clients. */
    int client_states;
    /* Every sample gets the label of another one. */
    int shuffle_labels;
    /* A rule that only clients' samples show changes labels (job/secret_labels.h). */
    int secret_labels;
    const char *weights_digest;
    gnt_key partition_key, init_key, train_key, defense_key;
    /* NULL: nothing is recorded. */
    const gnt_request_record *record;
    /* NULL: utility is that of the model itself. */
    const gnt_request_head *head;
} gnt_request_train;

typedef struct gnt_request_replay {
    gnt_request_model model;
    gnt_request_samples samples;
    gnt_request_federated federated;
    gnt_request_plugins defense;
    uint32_t sides;
    int copies;
    /* Each update is computed once more without the state that was saved. */
    int forgets;
    gnt_key partition_key, train_key, defense_key;
    gnt_request_record record;
} gnt_request_replay;

typedef struct gnt_request_side {
    /* One GNT_SIDE_*. */
    uint32_t side;
    gnt_request_model model;
    gnt_request_samples samples;
    gnt_request_plugins defense;
    gnt_key key;
    /* As gnt_request_federated has it. */
    int training_stats;
} gnt_request_side;

typedef struct gnt_request_prepare {
    gnt_request_model model;
    gnt_request_samples samples;
    gnt_request_federated federated;
    int64_t stage;
    /* The stage that the plugin sees: −1 if its artefacts have the scope task. */
    int64_t told_stage;
    gnt_request_plugin plugin;
    gnt_key key;
} gnt_request_prepare;

/* How hooks run once more for an observation. */
typedef struct gnt_request_probe {
    gnt_request_plugins defense;
    gnt_key train_key, defense_key;
} gnt_request_probe;

typedef struct gnt_request_observation {
    gnt_request_model model;
    gnt_request_samples samples;
    gnt_request_federated federated;
    int64_t stage;
    gnt_request_observe observe;
    /* 1: of the attacker's shadow data. */
    int shadow;
    /* 1: in the place of updates, what each of them did to the model (job/influence.h); of shadow data,
     * updates as the record says that influences are. */
    int influence;
    /* NULL: read from the record of the training. */
    const gnt_request_probe *probe;
} gnt_request_observation;

/* The folder of a capture, and the digest of its files. */
typedef struct gnt_request_captured {
    const char *folder, *digest;
} gnt_request_captured;

typedef struct gnt_request_capture {
    struct {
        const gnt_request_captured *at;
        size_t n;
    } folders;
    /* The round that later jobs call theirs. */
    int64_t stage;
} gnt_request_capture;

/* A parameter of the defense, as an adaptive attacker knows it: gnt_value of plugin.h. */
typedef struct gnt_request_value {
    const char *id;
    /* GNT_TYPE_*. */
    int32_t type;
    int64_t i;
    double r;
    const char *text;
    gnt_reals list;
} gnt_request_value;

typedef struct gnt_request_known {
    /* Ids of the defense's members, joined by '+'. */
    const char *ids;
    struct {
        const gnt_request_value *at;
        size_t n;
    } values;
} gnt_request_known;

/* Fields shared by all jobs of an attack. */
typedef struct gnt_request_attacker {
    gnt_request_model model;
    gnt_request_federated federated;
    /* GNT_KNOWS_*, GNT_GOAL_*. */
    uint32_t granted, goals;
    /* Steps or evaluations; 0: the plugin's default. */
    int64_t budget;
    gnt_request_plugin plugin;
    gnt_request_samples samples;
    /* NULL: not granted, or none. */
    const gnt_request_attribute *attribute;
    const gnt_request_known *known;
} gnt_request_attacker;

typedef struct gnt_request_prepare_attack {
    gnt_request_attacker attacker;
    int64_t stage, told_stage;
    /* The stages of the inputs gnt_input_history, ascending; empty if not granted. */
    gnt_ints history;
    gnt_request_observe observe;
    gnt_key key;
} gnt_request_prepare_attack;

typedef struct gnt_request_attack {
    gnt_request_attacker attacker;
    /* Digest of the input with starting points; NULL: none. */
    const char *start_digest;
    /* How many targets that input is of, the first of which are attacked; 0: of those that are observed. */
    int64_t start_targets;
    /* Its input is the answer of the attack before it. */
    int chained;
    gnt_key key;
} gnt_request_attack;

/* A network of LPIPS. */
typedef struct gnt_request_lpips {
    const char *net;
    /* Digest of its weights, input lpips_NET; "": they are missing. */
    const char *digest;
} gnt_request_lpips;

typedef struct gnt_request_score {
    gnt_request_samples samples;
    uint32_t goals, granted;
    gnt_request_observe observe;
    const gnt_request_attribute *attribute;
    int chained;
    /* Number of observed representations that are plotted, and whether with their samples. */
    int64_t points;
    int points_of_samples;
    struct {
        const gnt_request_lpips *at;
        size_t n;
    } lpips;
    /* The model in whose features images are compared, input "judge"; NULL: none. */
    const gnt_request_model *judge;
    /* The model in whose representation they are compared, input "representation"; NULL: none. */
    const gnt_request_model *representation;
    gnt_key key;
} gnt_request_score;

/* A plugin for `vet`. params: JSON that replaces its defaults, "": none. */
typedef struct gnt_request_vetted {
    const char *file, *id, *params;
    /* GNT_PLUGIN_*. */
    uint32_t kind;
} gnt_request_vetted;

typedef struct gnt_request_vet {
    const char *check;
    int64_t seed;
    gnt_request_vetted plugin;
    /* The defense that produces an attack's observations; NULL: none. */
    const gnt_request_vetted *behind;
} gnt_request_vet;

typedef struct gnt_request_describe {
    const char *file;
} gnt_request_describe;

typedef struct gnt_request {
    gnt_job_kind kind;
    gnt_arena memory;
    union {
        gnt_request_data data;
        gnt_request_public_model model;
        gnt_request_train train;
        gnt_request_side side;
        gnt_request_replay replay;
        gnt_request_prepare prepare;
        gnt_request_observation observe;
        gnt_request_capture capture;
        gnt_request_prepare_attack prepare_attack;
        gnt_request_attack attack;
        gnt_request_score score;
        gnt_request_vet vet;
        gnt_request_describe describe;
    };
} gnt_request;

/* Encodes a request as {"job": KIND, "ask": {…}}; NULL: out of memory. */
json_t *gnt_request_encode(const gnt_request *r, gnt_fields_part part);
/* Decodes a request; on failure *out is empty. */
int gnt_request_decode(gnt_request *out, const json_t *json, gnt_err *err);
void gnt_request_free(gnt_request *r); /* leaves it empty; an empty one is allowed */

#endif
