/* gauntlet/plugin.h — the plugin ABI, version 0.11. It depends on nothing but the C library's integer types
 * and compiles as C99, C11 and C++17. It stays below 1.0 until plugins of all five papers have run on it.
 *
 * A plugin is a shared object that exports ONE symbol, gauntlet_entry, and describes one or more defenses or
 * attacks. The host never loads it into the process that schedules a run: a worker opens it behind a sandbox.
 *
 * General rules, which hold unless a comment says otherwise
 *  - Owner: every pointer that the host passes is the host's and read-only; `vet` checks that it stayed as it
 *    was. What a hook hands to the host is copied before the call returns.
 *  - Lifetime: what the host passes is valid until the hook returns. Descriptors are
 *    constant and live for ever.
 *  - Error: a hook returns a gnt_status. Before GNT_FAILED and GNT_UNSUPPORTED it says why through
 *    host->fail. It never exits, prints, writes files.
 *  - Thread: one instance is used by one thread at a time. Two instances side by side behave like two alone,
 *    so an instance keeps no state outside itself. A plugin leaves no thread, file or process behind.
 *  - Tensors are float32, row-major, with explicit shape. Samples lie in image space [0, 1].
 *  - Structs that may grow carry their size first and end on a whole 8 bytes. Later minor versions add fields
 *    at their end, so none lies in an array by value: arrays of them are arrays of pointers.
 *  - Who fills in such a struct sets `size`. Who reads one reads what lies within `size` and takes the rest
 *    for 0. At least GNT_…_SIZE_0_10 is always there; ask GNT_HAS for what came later.
 *  - Structs without a size are frozen: they stay as they are until the major changes.
 *  - What is reserved is 0 or NULL.
 *  - Every hook polls host->should_stop at least every hundred milliseconds of work and returns GNT_STOPPED;
 *    an answer given after a stop is a time-out and is never scored.
 *
 * Where the hooks of a defense run
 *  - Those of a client (contribute, receive_sum, encode_set, encode_batch, encode_query, local_rate,
 *    client_update, transform_update) and of the server (aggregate) run in different processes, each with an
 *    instance of its own. One process may serve many clients, one after another, with one instance.
 *  - What a client's hook gives may depend on that client's own data, on what was broadcast (the
 *    model, artefacts, secure sums, public data) and on what `save` and `load` carried for that
 *    client, and on nothing else.
 *  - State that lasts from round to round goes through save and load, client by client; −1 is the
 *    server's. In each round the host calls load before the first hook of a client, where there is a saved
 *    state, and save after its last hook. What an instance still remembers of the client before is that
 *    one's: load of another begins anew.
 *  - Random streams of a client's hooks are keyed anew for each round and client.
 */
#ifndef GAUNTLET_PLUGIN_H
#define GAUNTLET_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GNT_ABI_MAGIC 0x544e5547u /* "GUNT" */
#define GNT_ABI_MAJOR 0
#define GNT_ABI_MINOR 11
#define GNT_RANK 6

/* Bytes of a struct up to and with one of its members, and whether a struct that is there reaches that
 * far. */
#define GNT_SIZE_WITH(type, member) ((uint32_t)(offsetof(type, member) + sizeof(((type *)0)->member)))
#define GNT_HAS(type, pointer, member) ((pointer)->size >= GNT_SIZE_WITH(type, member))

/* For the host's own tests, never for a plugin: a host whose growing structs are one field longer, as those
 * of a later minor version will be, must run plugins that know nothing of it. */
#ifdef GNT_ABI_GROW
#define GNT_GROWS uint64_t grown;
#else
#define GNT_GROWS
#endif

typedef int32_t gnt_status;
#define GNT_OK 0
#define GNT_FAILED 1      /* host->fail holds the sentence */
#define GNT_UNSUPPORTED 2 /* this pair cannot work; host->fail says what is needed: reported as n/a */
#define GNT_STOPPED 3

/* ---- tensors and samples ---- */

typedef struct gnt_view { /* read-only; frozen */
    const char *name;
    int32_t rank;
    int32_t layer; /* index of the model's layer it belongs to, −1 for none */
    int64_t dim[GNT_RANK];
    int64_t count; /* product of dim */
    const float *data;
} gnt_view;

typedef struct gnt_views { /* frozen */
    int64_t n;
    const gnt_view *view;
} gnt_views;

typedef struct gnt_tensor { /* a hook may write data[0 … count−1]; frozen */
    const char *name;
    int32_t rank;
    int32_t layer;
    int64_t dim[GNT_RANK];
    int64_t count;
    float *data;
} gnt_tensor;

typedef struct gnt_tensors { /* frozen */
    int64_t n;
    gnt_tensor *tensor;
} gnt_tensors;

#define GNT_KIND_IMAGE 1u
#define GNT_KIND_TABULAR 2u
#define GNT_KIND_AUDIO 4u
/* GNT_KIND_TEXT will be 8u; its samples will have `const int32_t *token` in gnt_samples. */
#define GNT_KIND_ANY 7u

/* A private attribute of a sample: sex, race, writer style … Frozen. */
typedef struct gnt_attribute {
    const char *name;
    int32_t values; /* 0 … values−1 */
    /* How much the client wants it hidden, 0 … 1 (γ of RecUP-FL): what the task's `hide` says, to defenses
     * alone. 0, as for every attribute that is not named there: not hidden. Clients need not hide the same:
     * in `prepare` it is the most that any of them does. */
    float weight;
    uint64_t reserved[2];
} gnt_attribute;

/* n samples. Members that were not granted are NULL. */
typedef struct gnt_samples {
    uint32_t size;
    uint32_t kind; /* GNT_KIND_* */
    int64_t n;
    int32_t rank;    /* of one sample: 3 (C, H, W) or 1 (features) */
    int32_t classes; /* of these labels: public samples may come from another data set than the model's */
    int64_t dim[3];
    int64_t features;  /* product of dim */
    const int64_t *id; /* n: names a sample within this job; says nothing about rows of a file */
    const float *x;    /* n × features, in [0, 1] */
    /* n × classes: soft labels, whose rows sum to 1; where the model's output is a map (GNT_OUTPUT_MAP), a
     * target in [0, 1] for each entry of it */
    const float *y;
    int32_t n_attributes;
    int32_t reserved;
    const gnt_attribute *attribute;
    const int32_t *a;    /* n × n_attributes */
    const uint8_t *mask; /* n × H × W: 1 inside the sensitive region; NULL: the whole sample */
    GNT_GROWS
} gnt_samples;

/* Named outputs of `prepare`, handed read-only to later hooks: weights as tensors,
 * anything else as bytes. Frozen. */
typedef struct gnt_blob {
    const char *name;
    const uint8_t *data;
    int64_t count;
} gnt_blob;

typedef struct gnt_artefacts {
    uint32_t size;
    uint32_t reserved;
    gnt_views tensors;
    int64_t n_blobs;
    const gnt_blob *blob;
    GNT_GROWS
} gnt_artefacts;

/* ---- parameters ---- */

#define GNT_TYPE_BOOL 1
#define GNT_TYPE_INT 2
#define GNT_TYPE_REAL 3
#define GNT_TYPE_TEXT 4
#define GNT_TYPE_CHOICE 5 /* one of `choices` */
#define GNT_TYPE_INT_LIST 6
#define GNT_TYPE_REAL_LIST 7
#define GNT_TYPE_MODEL 8 /* one of the suite's "models", by its id: see gnt_models */

#define GNT_SCALE_LINEAR 0
#define GNT_SCALE_LOG 1
#define GNT_SCALE_COMPLEMENT 2 /* by log(1 − p), of a share p whose `most` is at most 1: 0.9, 0.99, 0.999 … */

/* One row of a parameter table. The host checks the suite's JSON against it before any job starts. Frozen. */
typedef struct gnt_parameter {
    const char *id;     /* lower case, digits, '_' */
    int32_t type;       /* GNT_TYPE_* */
    int32_t scale;      /* GNT_SCALE_*: how a search walks it */
    const char *unit;   /* "" for none */
    double least, most; /* bounds of INT, REAL and of list entries, both allowed */
    double preset;      /* default of BOOL (0 or 1), INT and REAL */
    /* default of TEXT and CHOICE; of a list: its JSON, such as "[0.375, 0.625]"; of MODEL: "" where a
     * suite may leave it out, NULL where it must name one */
    const char *preset_text;
    const char *const *choices; /* CHOICE: NULL-terminated */
    int32_t strength; /* 0: not THE strength; +1: more is a stronger defense; −1: less is stronger */
    int32_t reserved;
    const char *help; /* one line */
    uint64_t reserved_word[2];
} gnt_parameter;

/* A checked value; values come in the order of the table, one for each row, defaults filled in. Frozen. */
typedef struct gnt_value {
    const char *id;
    int32_t type;
    int32_t reserved;
    int64_t i;          /* BOOL, INT, and the index of a CHOICE */
    double r;           /* REAL, and INT as a real */
    const char *text;   /* TEXT, CHOICE, and the id of a MODEL ("" for none) */
    int64_t n;          /* lists */
    const double *list; /* INT_LIST and REAL_LIST */
} gnt_value;

/* ---- what the attacker sees, knows and wants ---- */

#define GNT_SURFACE_UPDATE 1u         /* a client's gradient or weight delta of one round */
#define GNT_SURFACE_ENCODING 2u       /* released encoded samples */
#define GNT_SURFACE_REPRESENTATION 4u /* learnt features of private samples */
#define GNT_SURFACE_TRANSCRIPT 8u     /* messages of a protocol, such as secure sums */
/* 16u is kept for the sum of several clients' updates. */

#define GNT_GOAL_RECONSTRUCTION 1u
#define GNT_GOAL_ATTRIBUTE 2u
#define GNT_GOAL_LABEL 4u
#define GNT_GOAL_CONTRIBUTION 8u /* what one client gave to a secure sum */
#define GNT_GOAL_REGION 16u      /* where in a sample the sensitive region lies */
#define GNT_GOAL_MEMBERSHIP 32u  /* which candidates are among the private samples */

/* Knowledge: a suite grants it, a plugin declares what it needs, the result records it. The
 * broadcast model, its weights and architecture, and the client's numbers of samples and steps are
 * the setting and always known. */
#define GNT_KNOWS_LABELS (1u << 0)  /* the private batch's labels, or its maps */
#define GNT_KNOWS_DEFENSE (1u << 1) /* the defense's id and parameters, and its public artefacts: adaptive */
#define GNT_KNOWS_PUBLIC (1u << 2)  /* a public data set */
#define GNT_KNOWS_SHADOW (1u << 3)  /* shadow data: labelled, with attributes, of the private distribution */
/* shadow observations: the defense under test applied to the shadow data */
#define GNT_KNOWS_SHADOW_OBS (1u << 4)
#define GNT_KNOWS_BN_STATS (1u << 5)  /* the private batch's batch-norm statistics */
#define GNT_KNOWS_RATES (1u << 6)     /* the learning rates that the client really used */
#define GNT_KNOWS_REGION (1u << 7)    /* the sensitive region, and the image outside it */
#define GNT_KNOWS_SUM (1u << 8)       /* results of secure sums */
#define GNT_KNOWS_ATTRIBUTE (1u << 9) /* which attribute the client hides */
#define GNT_KNOWS_HISTORY (1u << 10)  /* the same client's observations of earlier stages */
#define GNT_KNOWS_ORDER (1u << 11)    /* which private samples each local step took */
/* With GNT_KNOWS_DEFENSE: its artefacts even where it keeps them private. With GNT_KNOWS_SHADOW_OBS: made
 * with these; without it the attacker prepares such a defense anew, on its own shadow data, to observe it. */
#define GNT_KNOWS_DEFENSE_PRIVATE (1u << 12)

/* ---- the model service ---- */

typedef struct gnt_layer_info { /* frozen */
    const char *name;
    const char *type; /* "conv", "dense", "batch_norm", "relu" … as in the model's file */
    int32_t rank;     /* of its output for one sample */
    int32_t reserved;
    int64_t dim[GNT_RANK];
    uint64_t reserved_word[2];
} gnt_layer_info;

#define GNT_OUTPUT_CLASSES 0 /* a score for each class; rows of y sum to 1 */
/* `classes` counts the entries of a map, such as a mask to be predicted; y holds a target in [0, 1] for
 * each, and the loss is the mean over them */
#define GNT_OUTPUT_MAP 1

#define GNT_LOSS_CROSS_ENTROPY 0 /* of a map: binary, of the scores that LOGITS gives */
#define GNT_LOSS_MSE 1           /* mean over entries of (output − y)² */

typedef struct gnt_model_info {
    uint32_t size;
    int32_t classes;
    const char *name;
    gnt_views params;  /* name, layer, shape; data = NULL; their order is the order of the flat weights */
    gnt_views buffers; /* running statistics; data = NULL */
    int64_t n_params;  /* entries of the flat weight vector */
    int64_t n_buffers; /* entries of the flat buffer vector */
    int32_t n_layers;
    int32_t representation; /* layer whose output is the representation */
    const gnt_layer_info *layer;
    int32_t rank;           /* of one sample */
    int32_t training_stats; /* 1: clients' gradients use batch statistics; 0: running statistics */
    int64_t dim[3];
    const float *mean; /* dim[0] (or features) entries of the model's own input normalisation, or NULL */
    const float *deviation;
    /* params.n: 1 where clients share the parameter, 0 where each keeps its own; NULL: all are shared. An
     * update holds the shared ones, in the order of params */
    const uint8_t *federated;
    int32_t output; /* GNT_OUTPUT_* */
    int32_t loss;   /* GNT_LOSS_*: the task's */
    GNT_GROWS
} gnt_model_info;

#define GNT_FN_FEATURES 1 /* outputs: for each layer asked for, n × shape of its output */
#define GNT_FN_LOGITS 2   /* one output, n × classes */
#define GNT_FN_LOSS 3     /* one output: scalar, the task's mean loss over the batch */
/* outputs: one for each federated parameter. steps = 0: the loss's gradient. steps ≥ 1: the weight delta
 * W_end − W_start of that many SGD steps, rates given at eval */
#define GNT_FN_UPDATE 4
#define GNT_FN_MATCH 5 /* one output: scalar distance between UPDATE and an observed update given at eval */

#define GNT_COST_L2 1         /* Σ w_l ‖u_l − o_l‖² */
#define GNT_COST_COSINE 2     /* 1 − ⟨u, o⟩/(‖u‖‖o‖), all tensors together */
#define GNT_COST_L1 3         /* Σ w_l ‖u_l − o_l‖₁ */
#define GNT_COST_SCALE_FREE 4 /* min over s of ‖s·u − o‖² = ‖o‖²(1 − cos²) */

#define GNT_WRT_X 1u
#define GNT_WRT_Y 2u
#define GNT_WRT_WEIGHTS 4u
#define GNT_WRT_RATES 8u

#define GNT_HELD_WEIGHTS 1u  /* weights and buffers */
#define GNT_HELD_OBSERVED 2u /* observed and mask */

typedef struct gnt_function gnt_function; /* one prepared function; the host's */

typedef struct gnt_function_spec {
    uint32_t size;
    int32_t kind;         /* GNT_FN_* */
    int64_t n;            /* samples in x */
    const int32_t *layer; /* FEATURES: indices of layers */
    int32_t n_layers;
    int32_t steps;        /* UPDATE, MATCH */
    int64_t batch;        /* UPDATE, MATCH with steps ≥ 1: samples a step */
    const int64_t *order; /* steps × batch indices into x; NULL: 0, 1, 2 … round and round */
    int32_t training; /* batch norm: 1 batch statistics, 0 running statistics, −1 as the task's clients do */
    int32_t cost;     /* MATCH: GNT_COST_* */
    const float *layer_weight; /* MATCH, L2 and L1: one w for each federated parameter; NULL: ones */
    int32_t masked;            /* MATCH: 1: eval also takes a 0/1 mask and matches only where it is 1 */
    uint32_t vjp;              /* GNT_WRT_* that vjp will be asked for (0: never) */
    uint32_t jvp;              /* GNT_WRT_* that jvp will be given directions for (0: never) */
    /* GNT_HELD_*: arguments whose entries stay the same from one eval to the next as long as their addresses
     * do; what depends on them alone is then computed once. Entries that change in place, or stand anew at an
     * old address, want a call of `changed` before the next eval. */
    uint32_t held;
    /* UPDATE, MATCH with steps ≥ 1, both 0 or more and momentum below 1: V ← momentum·V + ∇W + decay·W, W ← W
     * − rate·V, where V begins at 0. */
    double momentum, decay;
    GNT_GROWS
} gnt_function_spec;

/* Also the shape of a direction (jvp) and of a result (vjp): NULL: absent, or zero. */
typedef struct gnt_function_args {
    uint32_t size;
    uint32_t reserved;
    const float *x;               /* n × features */
    const float *y;               /* n × classes, soft */
    const float *weights;         /* n_params */
    const float *buffers;         /* n_buffers; may be NULL where there are none */
    const float *rates;           /* steps */
    const float *const *observed; /* MATCH: one pointer for each federated parameter */
    const float *const *mask;     /* MATCH with masked: likewise */
    GNT_GROWS
} gnt_function_args;

typedef struct gnt_gradient {    /* frozen */
    const float *x;              /* n × features, or NULL when not asked for */
    const float *y;              /* n × classes */
    const float *const *weights; /* one pointer for each parameter tensor */
    const float *rates;          /* steps */
    const void *reserved[2];
} gnt_gradient;

/* Prepared once, replayed thousands of times without set-up. Legal: from create to destroy of the instance.
 * All results are the host's and valid until the next call on the same function. */
typedef struct gnt_model_service {
    uint32_t size;
    uint32_t reserved;
    void *context;
    const gnt_model_info *info;
    /* NULL on error, with host->last_error set (shapes, memory above the limit: it states the bytes). */
    gnt_function *(*prepare)(void *context, const gnt_function_spec *spec);
    void (*release)(void *context, gnt_function *f); /* optional: everything is released with the instance */
    /* Computes the outputs; intermediates stay live for vjp and jvp until the next eval. The arguments must
     * stay valid and unchanged until then. */
    gnt_status (*eval)(void *context, gnt_function *f, const gnt_function_args *args,
                       const gnt_views **outputs);
    /* u[i]: cotangent of output i; NULL means 1 for a scalar and zeros for anything else. u itself may be
     * NULL for functions with one scalar output. *out: what spec.vjp asked for. */
    gnt_status (*vjp)(void *context, gnt_function *f, const float *const *u, const gnt_gradient **out);
    /* direction: members named by spec.jvp; *outputs: shaped like eval's. */
    gnt_status (*jvp)(void *context, gnt_function *f, const gnt_function_args *direction,
                      const gnt_views **outputs);
    void (*changed)(void *context, gnt_function *f); /* held arguments have other entries than before */
    GNT_GROWS
} gnt_model_service;

/* ---- the suite's models ---- */

/* A network that the suite trains, or loads, on public data: everybody knows it. */
typedef struct gnt_named_model {
    uint32_t size;
    uint32_t reserved;
    const char *id;                   /* in the suite */
    const gnt_model_service *service; /* of its architecture; batch norm with running statistics */
    const float *weights;             /* service->info->n_params */
    const float *buffers;             /* service->info->n_buffers */
    GNT_GROWS
} gnt_named_model;

/* host->extension(host->context, GNT_EXTENSION_MODELS, 1). Legal from create to destroy, as are the models it
 * opens; what they prepare counts against the memory limit, each model by itself. */
#define GNT_EXTENSION_MODELS "gauntlet.models"
typedef struct gnt_models {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* The model that the plugin's parameter of that id (of GNT_TYPE_MODEL) names. An attack that is granted
     * the defense also opens those of the defense's parameters, where none of its own has that id. NULL where
     * the suite named none; host->last_error says so. The same call gives the same pointer. */
    const gnt_named_model *(*open)(void *context, const char *parameter);
    GNT_GROWS
} gnt_models;

/* ---- host services ---- */

#define GNT_LOG_DEBUG 0
#define GNT_LOG_INFO 1
#define GNT_LOG_WARN 2

typedef struct gnt_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;
    void *context; /* first argument of every service */
    void (*log)(void *context, int32_t level, const char *text);
    void (*progress)(void *context, double done, double total);
    int32_t (*should_stop)(void *context);
    /* The sentence that goes with GNT_FAILED or GNT_UNSUPPORTED; copied. Always returns GNT_FAILED. */
    gnt_status (*fail)(void *context, const char *text);
    const char *(*last_error)(void *context); /* of the model service; "" when none */
    /* Random numbers from the stream `name` of this plugin's role in this job: the same name continues where
     * it stopped. No plugin can name another role's stream. */
    void (*uniform)(void *context, const char *name, int64_t n, double *out); /* [0, 1) */
    void (*normal)(void *context, const char *name, int64_t n, float *out);   /* mean 0, deviation 1 */
    void (*laplace)(void *context, const char *name, int64_t n, float *out);  /* mean 0, scale 1 */
    uint64_t (*below)(void *context, const char *name, uint64_t n);           /* 0 … n−1 */
    /* Zeroed, 64-byte aligned, freed when the current hook returns; in create: when the instance is
     * destroyed. NULL when above the memory limit. */
    void *(*scratch)(void *context, size_t bytes);
    /* A number the plugin reports on itself (realised ε, pruned fraction …), averaged over calls in the
     * results. It never enters an observation. name: 1 to 48 of a–z, 0–9 and '_', beginning with a letter, at
     * most 256 different ones; another fails the hook. */
    void (*fact)(void *context, const char *name, double value);
    const gnt_model_service *model; /* NULL while descriptors are read */
    /* Further services by text id and least revision; NULL where absent. */
    const void *(*extension)(void *context, const char *id, uint32_t revision);
    GNT_GROWS
} gnt_host;

/* Where `prepare` puts its artefacts; legal during prepare only; everything is copied. */
typedef struct gnt_sink {
    uint32_t size;
    uint32_t reserved;
    void *context;
    gnt_status (*tensor)(void *context, const char *name, int32_t rank, const int64_t *dim,
                         const float *data);
    gnt_status (*blob)(void *context, const char *name, const uint8_t *data, int64_t count);
    GNT_GROWS
} gnt_sink;

/* ---- defenses ---- */

typedef struct gnt_defense_prepare {
    uint32_t size;
    int32_t stage;                  /* −1: once for the task; else the round whose weights are given */
    const gnt_samples *public_data; /* NULL when the task has none */
    const gnt_samples *shadow_data; /* the defender's own shadow part: no attacker is given any of it */
    const float *weights;           /* the broadcast model; for a task-wide job the initial weights */
    const float *buffers;
    int32_t n_clients;
    int32_t steps; /* how the task's clients compute, as in gnt_client: local steps, 0 for one gradient */
    int64_t batch;
    double rate;       /* in that round */
    int32_t rounds;    /* that the task trains for */
    int32_t per_round; /* clients that take part in each */
    GNT_GROWS
} gnt_defense_prepare;

typedef struct gnt_client {
    uint32_t size;
    int32_t index; /* of the client */
    int32_t round; /* 0-based */
    int32_t n_clients;
    int64_t n_samples; /* it holds */
    int64_t n_labels;  /* different labels it holds; 0 where its targets are maps */
    double rate;       /* the task's learning rate in this round */
    int32_t steps;     /* local steps; 0: the client shares one gradient */
    int32_t reserved;
    int64_t batch;
    /* What this round's computation uses, after encodings. In `contribute`: all samples of the
     * client. In `encode_set`: likewise, in the first encoding of a chain; behind another,
     * what that one made of them. */
    const gnt_samples *samples;
    const float *weights; /* as broadcast; of parameters that are not federated the client's own */
    const float *buffers;
    const gnt_artefacts *artefacts;
    const gnt_samples *public_data;
    int32_t rounds;    /* that the task trains for: the last has round == rounds − 1 */
    int32_t per_round; /* clients that take part in each */
    GNT_GROWS
} gnt_client;

typedef struct gnt_aggregate {
    uint32_t size;
    int32_t round;
    int64_t n_clients; /* that took part */
    int64_t n_params;  /* entries of the federated parameters: weights and updates hold those, in order */
    const float *old_weights;
    const float *const *update; /* n_clients flat deltas (gradients when steps is 0) */
    const double *share;        /* n_clients: n_k / Σ n_k over those that took part */
    double rate;
    int32_t is_gradient;
    int32_t reserved;
    const gnt_samples *public_data;
    const gnt_artefacts *artefacts;
    const float *buffers; /* n_buffers: running statistics before the round, that old_weights goes with */
    const float *const *client_buffers; /* n_clients × n_buffers: those that each client came back with */
    float *new_buffers;                 /* holds the host's average; the hook may change it */
    int64_t n_buffers;                  /* 0: the model has none, and the three are NULL */
    const int32_t *client;              /* n_clients: index of each */
    const int64_t *samples;             /* n_clients: n_k, how many samples each holds */
    GNT_GROWS
} gnt_aggregate;

/* Encoded samples go out through this; the count may differ from what came in. Copied. */
typedef struct gnt_samples_sink {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* y: soft label. source_id: the id of the sample that this one is mostly of; an encoding that gives
     * one sample for each keeps that one's attributes and mask. From encode_query both are ignored: y
     * may be NULL, source_id 0. */
    gnt_status (*put)(void *context, const float *x, const float *y, int64_t source_id);
    /* Optional, right after the `put` it belongs to: which samples of the private set went in, and how much
     * of each (≥ 0, before any sign or scale). Public partners are left out. For scoring alone; no attack
     * sees it. NULL: not asked for. */
    gnt_status (*mixed)(void *context, int64_t n, const int64_t *source_id, const double *weight);
    GNT_GROWS
} gnt_samples_sink;

/* All hooks are optional; absent means the plain behaviour. Calling order in a task:
 *  - prepare
 *  - contribute of each client, receive_sum
 *  - encode_query, once, for the samples that utility is measured on
 *  - each round, each client: encode_set, local_rate in each step, client_update or the host's own SGD,
 *    transform_update; then aggregate
 * `self` is what create returned. */
typedef struct gnt_defense {
    uint32_t size;
    uint32_t reserved;
    gnt_status (*prepare)(void *self, const gnt_defense_prepare *in, const gnt_sink *out);
    /* A secure sum over all clients before round 0: each client's vector of contribute_size() entries;
     * everyone receives the sum, the server its transcript of masked vectors. */
    int64_t (*contribute_size)(void *self);
    /* client->samples holds all samples of the client, as they are before any encoding. */
    gnt_status (*contribute)(void *self, const gnt_client *client, double *vector);
    gnt_status (*receive_sum)(void *self, const double *sum, int64_t n);
    /* Input encodings. encode_set: all of a client's samples, once an epoch. encode_batch: one local
     * batch. What comes out has attributes where it is one sample for each that came in; else
     * client->samples->a is NULL from there on. */
    gnt_status (*encode_set)(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out);
    gnt_status (*encode_batch)(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out);
    gnt_status (*local_rate)(void *self, const gnt_client *client, int64_t step, double *rate);
    /* Takes over the client's computation: fills `update`, zeroed, one tensor for each federated
     * parameter. The model's other parameters then stay as they are: what the defense trains
     * beside them is its own state. */
    gnt_status (*client_update)(void *self, const gnt_client *client, gnt_tensors *update);
    /* Changes the update in place, after the client computed it. */
    gnt_status (*transform_update)(void *self, const gnt_client *client, gnt_tensors *update);
    gnt_status (*aggregate)(void *self, const gnt_aggregate *in, float *new_weights);
    /* State that outlives a job. client −1: the server's. save writes through `out`;
     * load reads what save wrote. */
    gnt_status (*save)(void *self, int32_t client, const gnt_sink *out);
    gnt_status (*load)(void *self, int32_t client, const gnt_artefacts *state);
    /* What whoever asks the trained network makes of samples first, where plain ones are unlike all that it
     * was trained on: as many samples as client->samples holds, in their order (client->index is −1; `draw`
     * counts how often the same ones are encoded). Who asks has samples and nothing else: their y, a, mask
     * and id are NULL, and what the hook puts as y and source_id is ignored. Utility is measured on them.
     * Absent: samples are asked as they are. */
    gnt_status (*encode_query)(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out);
    GNT_GROWS
} gnt_defense;

/* ---- attacks ---- */

#define GNT_UPDATE_GRADIENT 1 /* ∇W of the mean loss over the batch */
#define GNT_UPDATE_DELTA 2    /* W_end − W_start */

/* The server's side of a secure sum: what each client sent, masked. Words add up modulo 2⁶⁴, where the masks
 * cancel; a value of 1 is `scale` words. */
typedef struct gnt_transcript {
    uint32_t size;
    int32_t n_clients;
    int64_t n;              /* entries of a client's vector */
    const uint64_t *masked; /* n_clients × n */
    double scale;
    GNT_GROWS
} gnt_transcript;

/* What an attacker sees of one target. Members that belong to another surface, or
 * were not granted, are NULL. */
typedef struct gnt_observation {
    uint32_t size;
    uint32_t surface; /* one GNT_SURFACE_* */
    uint32_t granted; /* GNT_KNOWS_* */
    uint32_t goals;   /* GNT_GOAL_* wanted */
    int32_t round;
    int32_t update_kind; /* GNT_UPDATE_* */
    int32_t steps;       /* local steps (0: one gradient) */
    int32_t attribute;   /* index of the attribute wanted, −1 for none */
    int32_t attribute_values;
    int32_t classes;
    int64_t n;               /* samples in the private batch */
    int64_t batch;           /* samples a local step */
    double rate;             /* the learning rate as announced */
    const gnt_views *update; /* one for each federated parameter */
    /* the broadcast model that the update answers; what it holds of parameters that are not federated is
     * no client's: fresh draws, or the task's weights file */
    const float *weights;
    const float *buffers;
    const gnt_samples *encoded;      /* encodings, with the soft labels that were released */
    const gnt_views *representation; /* one n × … view */
    const gnt_transcript *transcript;
    const float *labels;        /* KNOWS_LABELS: n × classes, as gnt_samples.y */
    const float *rates;         /* KNOWS_RATES: steps */
    const float *batch_mean;    /* KNOWS_BN_STATS: laid out like the model's buffers */
    const gnt_samples *outside; /* KNOWS_REGION: x with the region zeroed, and the masks */
    const double *sum;          /* KNOWS_SUM */
    int64_t n_sum;
    const char *defense;             /* KNOWS_DEFENSE: ids joined by '+', else NULL */
    const gnt_value *defense_values; /* KNOWS_DEFENSE: parameters of all members, in order */
    int64_t n_defense_values;
    /* KNOWS_DEFENSE: of the members that prepared and do not keep theirs private; after the first such
     * member names read "MEMBER/NAME" */
    const gnt_artefacts *defense_artefacts;
    const gnt_samples *public_data;               /* KNOWS_PUBLIC */
    const struct gnt_observation *const *history; /* KNOWS_HISTORY: the same client's earlier stages */
    int64_t n_history;
    int64_t budget;         /* steps or evaluations allowed; 0: the plugin's own default */
    int64_t n_contribution; /* entries of a client's vector in the secure sum; 0: none was taken */
    int32_t n_clients;      /* of the federation */
    int32_t reserved;
    /* KNOWS_ORDER: steps × batch indices into the n private samples, those that each local step took: what
     * gnt_function_spec.order takes as 64-bit numbers */
    const int32_t *order;
    double momentum;               /* of the clients' local steps */
    const gnt_samples *candidates; /* goal MEMBERSHIP: samples of which some are private ones; else NULL */
    /* Of an attack with GNT_FLAG_TAKES_START: where its search is to begin, from a file that the suite names.
     * NULL: the attack draws it. */
    const float *start_x; /* n × features */
    const float *start_y; /* n × classes: logits; may be NULL by itself */
    double decay;         /* of the clients' local steps: gnt_function_spec.decay */
    GNT_GROWS
} gnt_observation;

typedef struct gnt_attack_prepare {
    uint32_t size;
    int32_t stage;
    const gnt_samples *public_data; /* KNOWS_PUBLIC */
    const gnt_samples *shadow_data; /* KNOWS_SHADOW: with labels and attributes */
    int64_t n_shadow;               /* KNOWS_SHADOW_OBS */
    /* n_shadow pointers each: the defense under test applied to shadow batches by a job of its own, and the
     * batch behind each observation. NULL where there are none. */
    const gnt_observation *const *shadow;
    const gnt_samples *const *shadow_truth;
    int32_t attribute;
    int32_t attribute_values;
    const float *weights;
    const float *buffers;
    /* The setting of the targets: what `run` will be shown of all of them alike (grants, goals,
     * steps, batch, rate, attribute; with KNOWS_DEFENSE the defense, its parameters and artefacts).
     * What is seen of one is NULL. With KNOWS_HISTORY and scope stage its history says the same of the
     * stages before, with the weights that were broadcast there; shadow observations have none. */
    const gnt_observation *setting;
    GNT_GROWS
} gnt_attack_prepare;

/* Where an attack puts what it found; legal during run only; everything is copied and checked. */
typedef struct gnt_answer {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* count reconstructions in image space, count × features; for M encodings count may differ from M. */
    gnt_status (*reconstruction)(void *context, int64_t count, const float *x);
    /* Scores (any increasing function of belief): n × classes labels, or attribute_values
     * scores of one attribute. */
    gnt_status (*labels)(void *context, int64_t n, int32_t classes, const float *scores);
    gnt_status (*attribute)(void *context, int32_t values, const float *scores);
    /* The attack's own cost after `step` of `restart`, for convergence plots; at most a few hundred are
     * kept. */
    void (*cost)(void *context, int32_t restart, int64_t step, double cost);
    void (*chosen)(void *context, int32_t restart, double cost); /* the restart that won, by its own cost */
    /* Optional, for M encodings. mixture: encodings × count, count as in `reconstruction` and in its order:
     * how much of each recovered image the attack believes to be in each encoding; 0: not in it. */
    gnt_status (*mixture)(void *context, int64_t encodings, int64_t count, const float *weight);
    /* encodings × encodings: belief that two encodings share a private sample, any increasing function of it;
     * the diagonal is ignored. */
    gnt_status (*similarity)(void *context, int64_t encodings, const float *score);
    /* What a client gave to the secure sum, in the sum's own units: n_contribution estimates of the observed
     * client's vector; of a transcript one vector for each client, n_clients × n_contribution. */
    gnt_status (*contribution)(void *context, int64_t n, const double *value);
    /* Scores of any one attribute, by its index, for each of the n private samples: n × values. May be called
     * for several attributes. Of one sample and the attribute wanted it is what `attribute` takes. */
    gnt_status (*attributes)(void *context, int32_t attribute, int64_t n, int32_t values,
                             const float *scores);
    /* n × H × W: belief that a pixel of a private sample lies in the sensitive region, any
     * increasing function of it. */
    gnt_status (*region)(void *context, int64_t n, const float *scores);
    /* n: belief that each of the observation's candidates is one of the private samples. */
    gnt_status (*membership)(void *context, int64_t n, const float *scores);
    GNT_GROWS
} gnt_answer;

/* What an active attack will be told; declared when a host calls it. It will begin with its size. */
typedef struct gnt_broadcast gnt_broadcast;

typedef struct gnt_attack {
    uint32_t size;
    uint32_t reserved;
    gnt_status (*prepare)(void *self, const gnt_attack_prepare *in, const gnt_sink *out); /* optional */
    gnt_status (*run)(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer);
    /* Reserved: changes in place what the server broadcasts (n_params weights, n_buffers statistics), before
     * the clients compute. It goes with GNT_FLAG_ACTIVE; no host of this version calls it. */
    gnt_status (*broadcast)(void *self, const gnt_broadcast *in, float *weights, float *buffers);
    GNT_GROWS
} gnt_attack;

/* ---- descriptor and entry ---- */

#define GNT_PLUGIN_DEFENSE 1
#define GNT_PLUGIN_ATTACK 2

#define GNT_SCOPE_NONE 0
#define GNT_SCOPE_TASK 1 /* prepare runs once for a task */
/* prepare runs for each stage, with that round's weights. Only what is observed at the stage, and attacks on
 * it, work with that stage's artefacts: training always works with those of the first weights, so that a
 * defense of this scope has its utility measured with other artefacts than its leakage. What is to be one
 * mechanism has scope task. */
#define GNT_SCOPE_STAGE 2

typedef struct gnt_descriptor {
    uint32_t size;
    int32_t kind;   /* GNT_PLUGIN_* */
    const char *id; /* lower case, digits, '-'; unique among all plugins a host finds */
    const char *version;
    const char *line;     /* what it does, in one line */
    const char *licence;  /* SPDX */
    const char *citation; /* "" for none */
    const gnt_parameter *parameters;
    int32_t n_parameters;
    int32_t scope;               /* GNT_SCOPE_* of prepare */
    uint32_t surfaces;           /* attack: those it reads; defense: those it acts on */
    uint32_t goals;              /* attack */
    uint32_t needs;              /* attack: GNT_KNOWS_* without which it cannot run */
    uint32_t uses;               /* attack: GNT_KNOWS_* it makes use of when granted */
    uint32_t data_kinds;         /* GNT_KIND_* */
    uint32_t flags;              /* GNT_FLAG_* */
    const char *const *services; /* NULL-terminated ids of required extensions, or NULL */
    /* create: host and values stay valid until destroy. NULL on failure, after host->fail. */
    void *(*create)(const gnt_host *host, const gnt_value *values);
    void (*destroy)(void *self);
    const gnt_defense *defense; /* exactly one of the two */
    const gnt_attack *attack;
    /* Since 0.11. NULL-terminated, or NULL; ids as that of a plugin.
     * Defense: the mechanisms that it is made of, by the names that attacks use: GNT_FAMILY_*, or one's own.
     * Attack: the mechanisms, or the ids of defenses, that it adapts to where it is granted
     * GNT_KNOWS_DEFENSE; ids, where it reads the parameters of those plugins. GNT_FAMILY_ANY where it learns
     * the defense from GNT_KNOWS_SHADOW_OBS.
     * A defense is ranked where each of its families, or its id, is named by an attack that met it with
     * that grant. */
    const char *const *families;
    GNT_GROWS
} gnt_descriptor;

/* noise is added; sizes are limited; small entries are dropped */
#define GNT_FAMILY_NOISE "noise"
#define GNT_FAMILY_CLIPPING "clipping"
#define GNT_FAMILY_PRUNING "pruning"
/* samples are mixed with each other */
#define GNT_FAMILY_MIXING "mixing"
#define GNT_FAMILY_ANY "any" /* attacks alone */

#define GNT_FLAG_RANDOMISED 1u   /* its output is random given its input */
#define GNT_FLAG_NEEDS_PUBLIC 2u /* a defense that needs public data */
#define GNT_FLAG_NEEDS_SHADOW 4u /* a defense that needs its own shadow data */
#define GNT_FLAG_NO_GRADIENT 8u  /* not differentiable: attacks must not expect a gradient through it */
/* Its artefacts stay with the clients: no adaptive attacker has them, nor shadow observations made with them,
 * but by the grant DEFENSE_PRIVATE, and `aggregate`, which is the server's, is not given them (NULL). */
#define GNT_FLAG_ARTEFACTS_PRIVATE 16u
#define GNT_FLAG_FIRST_DENSE 32u  /* attack: needs a model whose first layer is dense */
#define GNT_FLAG_TAKES_START 128u /* attack: it begins at observation.start_x where there is one */
/* A defense whose artefacts are the same at every strength: `prepare` is called once for all of them, in an
 * instance whose strength is its preset. */
#define GNT_FLAG_PREPARES_ONCE 256u
#define GNT_FLAG_ACTIVE 64u /* attack: it has `broadcast`, without which it is nothing; n/a on this host */

typedef struct gnt_entry {
    uint32_t magic; /* GNT_ABI_MAGIC */
    uint32_t size;
    uint16_t abi_major, abi_minor;
    uint32_t pointer_size; /* sizeof(void *) */
    const char *build;     /* compiler and library facts, for the record */
    int32_t n_plugins;
    int32_t reserved;
    const gnt_descriptor *(*descriptor)(int32_t index);
    GNT_GROWS
} gnt_entry;

/* ---- least sizes ---- */

/* Of the structs that may grow, as they were in 0.10. */
#define GNT_SAMPLES_SIZE_0_10 GNT_SIZE_WITH(gnt_samples, mask)
#define GNT_ARTEFACTS_SIZE_0_10 GNT_SIZE_WITH(gnt_artefacts, blob)
#define GNT_MODEL_INFO_SIZE_0_10 GNT_SIZE_WITH(gnt_model_info, loss)
#define GNT_FUNCTION_SPEC_SIZE_0_10 GNT_SIZE_WITH(gnt_function_spec, decay)
#define GNT_FUNCTION_ARGS_SIZE_0_10 GNT_SIZE_WITH(gnt_function_args, mask)
#define GNT_MODEL_SERVICE_SIZE_0_10 GNT_SIZE_WITH(gnt_model_service, changed)
#define GNT_NAMED_MODEL_SIZE_0_10 GNT_SIZE_WITH(gnt_named_model, buffers)
#define GNT_MODELS_SIZE_0_10 GNT_SIZE_WITH(gnt_models, open)
#define GNT_HOST_SIZE_0_10 GNT_SIZE_WITH(gnt_host, extension)
#define GNT_SINK_SIZE_0_10 GNT_SIZE_WITH(gnt_sink, blob)
#define GNT_DEFENSE_PREPARE_SIZE_0_10 GNT_SIZE_WITH(gnt_defense_prepare, per_round)
#define GNT_CLIENT_SIZE_0_10 GNT_SIZE_WITH(gnt_client, per_round)
#define GNT_AGGREGATE_SIZE_0_10 GNT_SIZE_WITH(gnt_aggregate, samples)
#define GNT_SAMPLES_SINK_SIZE_0_10 GNT_SIZE_WITH(gnt_samples_sink, mixed)
#define GNT_DEFENSE_SIZE_0_10 GNT_SIZE_WITH(gnt_defense, encode_query)
#define GNT_TRANSCRIPT_SIZE_0_10 GNT_SIZE_WITH(gnt_transcript, scale)
#define GNT_OBSERVATION_SIZE_0_10 GNT_SIZE_WITH(gnt_observation, candidates)
#define GNT_ATTACK_PREPARE_SIZE_0_10 GNT_SIZE_WITH(gnt_attack_prepare, setting)
#define GNT_ANSWER_SIZE_0_10 GNT_SIZE_WITH(gnt_answer, membership)
#define GNT_ATTACK_SIZE_0_10 GNT_SIZE_WITH(gnt_attack, broadcast)
#define GNT_DESCRIPTOR_SIZE_0_10 GNT_SIZE_WITH(gnt_descriptor, attack)
#define GNT_ENTRY_SIZE_0_10 GNT_SIZE_WITH(gnt_entry, descriptor)

#if defined(__GNUC__)
#define GNT_EXPORT __attribute__((visibility("default")))
#else
#define GNT_EXPORT
#endif

/* The one exported symbol. Legal before anything else; any thread; returns a constant. */
GNT_EXPORT const gnt_entry *gauntlet_entry(void);

/* Entry of a plugin with n descriptors; `list` is an array of pointers to them. */
#define GNT_DEFINE_ENTRY_LIST(list, n)                                                                       \
    static const gnt_descriptor *gnt_descriptor_at(int32_t index) {                                          \
        return index >= 0 && index < (int32_t)(n) ? (list)[index] : (const gnt_descriptor *)0;               \
    }                                                                                                        \
    GNT_EXPORT const gnt_entry *gauntlet_entry(void) {                                                       \
        static const gnt_entry entry = {GNT_ABI_MAGIC,                                                       \
                                        (uint32_t)sizeof(gnt_entry),                                         \
                                        GNT_ABI_MAJOR,                                                       \
                                        GNT_ABI_MINOR,                                                       \
                                        (uint32_t)sizeof(void *),                                            \
                                        "",                                                                  \
                                        (int32_t)(n),                                                        \
                                        0,                                                                   \
                                        gnt_descriptor_at};                                                  \
        return &entry;                                                                                       \
    }

/* Entry of a plugin with one descriptor `d`. */
#define GNT_DEFINE_ENTRY(d)                                                                                  \
    static const gnt_descriptor *const gnt_only_descriptor[] = {&(d)};                                       \
    GNT_DEFINE_ENTRY_LIST(gnt_only_descriptor, 1)

#ifdef __cplusplus
}
#endif
#endif
