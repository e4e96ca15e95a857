/* gauntlet/plugin.h — the plugin ABI, version 0.12. It depends on nothing but the C library's integer types
 * and compiles as C99, C11 and C++17. It stays below 1.0 until plugins of all five papers have run on it.
 *
 * A plugin is a shared object that exports ONE symbol, gauntlet_entry, and describes one or more defenses or
 * attacks. The host never loads it into the process that schedules a run: a sandboxed worker opens it.
 *
 * General rules, unless a comment says otherwise
 *  - Ownership: every pointer that the host passes is the host's and read-only; `vet` checks that plugins
 *    leave the data unchanged. What a hook hands to the host is copied before the call returns.
 *  - Lifetime: what the host passes is valid until the hook returns. Descriptors are constant and are never
 *    freed.
 *  - Errors: a hook returns a gnt_status. Before it returns GNT_FAILED or GNT_UNSUPPORTED it gives the reason
 *    through host->fail. It never exits the process, prints, or writes files.
 *  - Threads: one instance is used by one thread at a time. Two interleaved instances behave as each does
 *    alone, so a plugin has no state outside its instances. It leaves no thread, file or process behind.
 *  - Tensors are float32, row-major, with explicit shape. Samples are in image space, [0, 1].
 *  - Structs that may grow begin with their size, which is a multiple of 8 bytes. Later minor versions add
 *    members at their end, so arrays of them are arrays of pointers, never of structs.
 *  - The writer of such a struct sets `size`. The reader reads the members within `size` and takes the others
 *    as 0. At least GNT_…_SIZE_0_10 bytes are present; GNT_HAS checks for a later member.
 *  - Structs without a size are frozen: they do not change until the major version does.
 *  - Reserved members are 0 or NULL.
 *  - Every hook polls host->should_stop at least once per 100 ms of work and returns GNT_STOPPED if it is
 *    nonzero; results returned after a stop count as a time-out and are never scored.
 *
 * Where the hooks of a defense run
 *  - Client hooks (contribute, receive_sum, encode_set, encode_batch, encode_query, local_rate,
 *    client_update, transform_update) and the server hook (aggregate) run in different processes, each with
 *    its own instance. One process may serve many clients, one after another, with one instance.
 *  - The output of a client hook may depend on that client's own data, on what was broadcast (the model,
 *    artefacts, secure sums, public data) and on the state that `save` and `load` carried for that client,
 *    and on nothing else.
 *  - State that lasts from round to round goes through save and load, per client; −1 is the server. In each
 *    round the host calls load before the first hook of a client if there is a saved state, and save after
 *    its last hook. State left in the instance belongs to the previous client; `load` replaces all of it.
 *  - Random streams of client hooks get a new key for each round and client.
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
#define GNT_ABI_MINOR 12
#define GNT_RANK 6

/* GNT_SIZE_WITH: bytes of a struct up to and including a member. GNT_HAS: true if the struct at `pointer` is
 * large enough to have the member. */
#define GNT_SIZE_WITH(type, member) ((uint32_t)(offsetof(type, member) + sizeof(((type *)0)->member)))
#define GNT_HAS(type, pointer, member) ((pointer)->size >= GNT_SIZE_WITH(type, member))

/* For the host's own tests, never for plugins: makes every growing struct one member longer, as a later minor
 * version will, to test that such a host runs existing plugins. */
#ifdef GNT_ABI_GROW
#define GNT_GROWS uint64_t grown;
#else
#define GNT_GROWS
#endif

typedef int32_t gnt_status;
#define GNT_OK 0
#define GNT_FAILED 1
#define GNT_UNSUPPORTED 2 /* this combination cannot work: reported as n/a */
#define GNT_STOPPED 3

/* ---- tensors and samples ---- */

typedef struct gnt_view { /* read-only; frozen */
    const char *name;
    int32_t rank;
    int32_t layer; /* index of its layer in the model, −1 for none */
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
    /* How strongly the client wants it hidden, 0 … 1 (γ of RecUP-FL), from the task's `hide`; 0 for
     * attributes not listed there. Only defenses see it. Clients may differ; `prepare` gets the maximum over
     * clients. */
    float weight;
    uint64_t reserved[2];
} gnt_attribute;

/* n samples. Members that were not granted are NULL. */
typedef struct gnt_samples {
    uint32_t size;
    uint32_t kind; /* GNT_KIND_* */
    int64_t n;
    int32_t rank;    /* of one sample: 3 (C, H, W) or 1 (features) */
    int32_t classes; /* of these labels; public samples may come from another data set than the model's */
    int64_t dim[3];
    int64_t features;  /* product of dim */
    const int64_t *id; /* n; identifies a sample within this job, unrelated to rows of a file */
    const float *x;    /* n × features, in [0, 1] */
    /* n × classes: soft labels, whose rows sum to 1; if the model's output is a map (GNT_OUTPUT_MAP), a
     * target in [0, 1] for each of its entries */
    const float *y;
    int32_t n_attributes;
    int32_t reserved;
    const gnt_attribute *attribute;
    const int32_t *a;    /* n × n_attributes */
    const uint8_t *mask; /* n × H × W: 1 inside the sensitive region; NULL: the whole sample */
    GNT_GROWS
} gnt_samples;

/* Named outputs of `prepare`, passed read-only to later hooks: weights as tensors, anything else as bytes.
 * gnt_blob is frozen. */
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
#define GNT_TYPE_MODEL 8 /* the id of one of the suite's "models"; see gnt_models */

#define GNT_SCALE_LINEAR 0
#define GNT_SCALE_LOG 1
#define GNT_SCALE_COMPLEMENT 2 /* in log(1 − p), for a share p with `most` ≤ 1: 0.9, 0.99, 0.999 … */

/* One row of a parameter table. The host checks the suite's JSON against it before any job starts. Frozen. */
typedef struct gnt_parameter {
    const char *id;     /* lower case, digits, '_' */
    int32_t type;       /* GNT_TYPE_* */
    int32_t scale;      /* GNT_SCALE_*: the scale on which a search takes equal steps */
    const char *unit;   /* "" for none */
    double least, most; /* inclusive bounds of INT, REAL and list entries */
    double preset;      /* default of BOOL (0 or 1), INT and REAL */
    /* default of TEXT and CHOICE; of lists as JSON, such as "[0.375, 0.625]"; of MODEL: "" if a suite may
     * leave it out, NULL if it must name one */
    const char *preset_text;
    const char *const *choices; /* CHOICE: NULL-terminated */
    int32_t strength; /* of one row at most, +1 (larger is the stronger defense) or −1 (smaller is); else 0 */
    int32_t reserved;
    const char *help; /* one line */
    /* Since 0.12. 1 + offset of the member of the plugin's struct that the host sets to the value; 0 in
     * tables of plugins with `create`. The member's type: BOOL, INT and CHOICE (its index): int64_t; REAL:
     * double; TEXT and MODEL (its id, "" for none): const char *; INT_LIST and REAL_LIST: gnt_list. */
    uint64_t member;
    uint64_t reserved_word;
} gnt_parameter;

/* Member that holds the value of a list parameter. Frozen. */
typedef struct gnt_list {
    int64_t n;
    const double *at; /* n */
} gnt_list;

/* A checked value. Values are in the order of the table, one for each row, with defaults filled in.
 * Frozen. */
typedef struct gnt_value {
    const char *id;
    int32_t type;
    int32_t reserved;
    int64_t i;          /* BOOL, INT, and index of a CHOICE */
    double r;           /* REAL, and INT converted to double */
    const char *text;   /* TEXT, CHOICE, and id of a MODEL ("" for none) */
    int64_t n;          /* lists */
    const double *list; /* INT_LIST and REAL_LIST */
} gnt_value;

/* ---- surfaces, goals and knowledge of attackers ---- */

#define GNT_SURFACE_UPDATE 1u         /* a client's gradient or weight delta of one round */
#define GNT_SURFACE_ENCODING 2u       /* released encoded samples */
#define GNT_SURFACE_REPRESENTATION 4u /* learnt features of private samples */
#define GNT_SURFACE_TRANSCRIPT 8u     /* messages of a protocol, such as secure sums */
/* 16u is reserved for the sum of several clients' updates. */
#define GNT_SURFACE_ANY 15u

#define GNT_GOAL_RECONSTRUCTION 1u
#define GNT_GOAL_ATTRIBUTE 2u
#define GNT_GOAL_LABEL 4u
#define GNT_GOAL_CONTRIBUTION 8u /* one client's input to a secure sum */
#define GNT_GOAL_REGION 16u      /* location of a sample's sensitive region */
#define GNT_GOAL_MEMBERSHIP 32u  /* which candidates are among the private samples */

/* Attacker knowledge: a suite grants it, a plugin declares what it needs, the results record it. The
 * broadcast model (weights and architecture) and the client's numbers of samples and steps are always
 * known. */
#define GNT_KNOWS_LABELS (1u << 0)  /* the private batch's labels, or its maps */
#define GNT_KNOWS_DEFENSE (1u << 1) /* the defense's id and parameters, and its public artefacts: adaptive */
#define GNT_KNOWS_PUBLIC (1u << 2)  /* a public data set */
#define GNT_KNOWS_SHADOW (1u << 3)  /* shadow data: labelled, with attributes, of the private distribution */
/* shadow observations: outputs of the defense under test on shadow data */
#define GNT_KNOWS_SHADOW_OBS (1u << 4)
#define GNT_KNOWS_BN_STATS (1u << 5)  /* the private batch's batch-norm statistics */
#define GNT_KNOWS_RATES (1u << 6)     /* the learning rates that the client actually used */
#define GNT_KNOWS_REGION (1u << 7)    /* the sensitive region, and the image outside it */
#define GNT_KNOWS_SUM (1u << 8)       /* results of secure sums */
#define GNT_KNOWS_ATTRIBUTE (1u << 9) /* which attribute the client hides */
#define GNT_KNOWS_HISTORY (1u << 10)  /* the same client's observations of earlier stages */
#define GNT_KNOWS_ORDER (1u << 11)    /* which private samples each local step used */
/* With GNT_KNOWS_DEFENSE: its artefacts even if it keeps them private. With GNT_KNOWS_SHADOW_OBS: shadow
 * observations are made with these artefacts; otherwise the attacker runs `prepare` of such a defense itself,
 * on its own shadow data. */
#define GNT_KNOWS_DEFENSE_PRIVATE (1u << 12)
/* Since 0.12: samples of another public set, of the same shape but another distribution, such as CIFAR-100's
 * images where the private ones are CIFAR-10's: what natural samples look like. */
#define GNT_KNOWS_PRIOR_DATA (1u << 13)

/* ---- the model service ---- */

typedef struct gnt_layer_info { /* frozen */
    const char *name;
    const char *type; /* "conv", "dense", "batch_norm", "relu" … as in the model's file */
    int32_t rank;     /* of its output for one sample */
    int32_t reserved;
    int64_t dim[GNT_RANK];
    uint64_t reserved_word[2];
} gnt_layer_info;

#define GNT_OUTPUT_CLASSES 0 /* one score per class; rows of y sum to 1 */
/* `classes` is the number of entries of a map, such as a predicted mask; y has a target in [0, 1] for each,
 * and the loss is the mean over them */
#define GNT_OUTPUT_MAP 1

#define GNT_LOSS_CROSS_ENTROPY 0 /* of a map: binary, of the scores that LOGITS returns */
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
    int32_t representation; /* index of the layer whose output is the representation */
    const gnt_layer_info *layer;
    int32_t rank;           /* of one sample */
    int32_t training_stats; /* 1: clients' gradients use batch statistics; 0: running statistics */
    int64_t dim[3];
    const float *mean; /* of the model's own input normalisation: dim[0] (or features) entries, or NULL */
    const float *deviation;
    /* params.n: 1 if clients share the parameter, 0 if each keeps its own; NULL: all are shared. An update
     * has the shared ones, in the order of params */
    const uint8_t *federated;
    int32_t output; /* GNT_OUTPUT_* */
    int32_t loss;   /* GNT_LOSS_*: the task's */
    GNT_GROWS
} gnt_model_info;

#define GNT_FN_FEATURES 1 /* outputs: for each requested layer, n × shape of its output */
#define GNT_FN_LOGITS 2   /* one output, n × classes */
#define GNT_FN_LOSS 3     /* one output: scalar, the task's mean loss over the batch */
/* outputs: one for each federated parameter. steps = 0: gradient of the loss. steps ≥ 1: weight delta
 * W_end − W_start of that many steps with the rates given to eval */
#define GNT_FN_UPDATE 4
#define GNT_FN_MATCH 5 /* one output: scalar distance between UPDATE and an observed update given to eval */

/* Since 0.12. outputs: one for each of info->buffers, the batch's own mean or unbiased variance in its place.
 * After each local step running statistics become 0.9 of themselves and 0.1 of these. */
#define GNT_FN_STATISTICS 6

#define GNT_COST_L2 1         /* Σ w_l ‖u_l − o_l‖² */
#define GNT_COST_COSINE 2     /* 1 − ⟨u, o⟩/(‖u‖‖o‖), all tensors together */
#define GNT_COST_L1 3         /* Σ w_l ‖u_l − o_l‖₁ */
#define GNT_COST_SCALE_FREE 4 /* min over s of ‖s·u − o‖² = ‖o‖²(1 − cos²) */

#define GNT_WRT_X 1u
#define GNT_WRT_Y 2u
#define GNT_WRT_WEIGHTS 4u
#define GNT_WRT_RATES 8u

/* How local steps follow from gradients. ADAM: as PyTorch's with betas .9 and .999 and eps 1e-8, decay
 * added to the gradient; its averages start at 0 in each round. */
#define GNT_OPTIMIZER_SGD 0
#define GNT_OPTIMIZER_ADAM 1

#define GNT_HELD_WEIGHTS 1u  /* weights and buffers */
#define GNT_HELD_OBSERVED 2u /* observed and mask */

typedef struct gnt_function gnt_function; /* a prepared function, owned by the host */

typedef struct gnt_function_spec {
    uint32_t size;
    int32_t kind;         /* GNT_FN_* */
    int64_t n;            /* samples in x */
    const int32_t *layer; /* FEATURES: indices of layers */
    int32_t n_layers;
    int32_t steps;        /* UPDATE, MATCH */
    int64_t batch;        /* UPDATE, MATCH with steps ≥ 1: samples a step */
    const int64_t *order; /* steps × batch indices into x; NULL: 0, 1, 2 … cyclically */
    int32_t training; /* batch norm: 1 batch statistics, 0 running statistics, −1 as the task's clients do */
    int32_t cost;     /* MATCH: GNT_COST_* */
    const float *layer_weight; /* MATCH, L2 and L1: one w for each federated parameter; NULL: ones */
    int32_t masked;            /* MATCH: 1: eval takes a 0/1 mask, and only entries with 1 count */
    uint32_t vjp;              /* GNT_WRT_* that vjp will compute (0: it is never called) */
    uint32_t jvp;              /* GNT_WRT_* that jvp will get directions for (0: it is never called) */
    /* GNT_HELD_*: arguments that are constant: if their addresses are those of the previous eval, so are
     * their entries. What depends only on them is then computed once. If entries change in place, or an
     * address is reused, call `changed` before the next eval. */
    uint32_t held;
    /* UPDATE, MATCH with steps ≥ 1: V ← momentum·V + ∇W + decay·W, W ← W − rate·V, starting at V = 0;
     * 0 ≤ momentum < 1, decay ≥ 0. */
    double momentum, decay;
    /* Since 0.12. UPDATE, MATCH with steps ≥ 1: GNT_OPTIMIZER_*; ADAM takes no momentum. */
    int32_t optimizer;
    GNT_GROWS
} gnt_function_spec;

/* Arguments of eval, and directions of jvp (NULL: zero). */
typedef struct gnt_function_args {
    uint32_t size;
    uint32_t reserved;
    const float *x;               /* n × features */
    const float *y;               /* n × classes, soft */
    const float *weights;         /* n_params */
    const float *buffers;         /* n_buffers; may be NULL if there are none */
    const float *rates;           /* steps */
    const float *const *observed; /* MATCH: one pointer for each federated parameter */
    const float *const *mask;     /* MATCH with masked: one pointer for each federated parameter */
    GNT_GROWS
} gnt_function_args;

typedef struct gnt_gradient {    /* frozen */
    const float *x;              /* n × features; NULL if not in spec.vjp, as all below */
    const float *y;              /* n × classes */
    const float *const *weights; /* one pointer for each parameter tensor */
    const float *rates;          /* steps */
    const void *reserved[2];
} gnt_gradient;

/* Functions of a model, prepared once and evaluated many times. May be used as long as the instance exists.
 * All results are the host's and valid until the next call on the same function. */
typedef struct gnt_model_service {
    uint32_t size;
    uint32_t reserved;
    void *context;
    const gnt_model_info *info;
    /* NULL on error, with the reason in host->last_error (shapes; memory above the limit, with the bytes). */
    gnt_function *(*prepare)(void *context, const gnt_function_spec *spec);
    void (*release)(void *context, gnt_function *f); /* optional: the host releases all with the instance */
    /* Computes the outputs, and keeps intermediates for vjp and jvp until the next eval. The arguments must
     * stay valid and unchanged until then. */
    gnt_status (*eval)(void *context, gnt_function *f, const gnt_function_args *args,
                       const gnt_views **outputs);
    /* u[i]: cotangent of output i; NULL: 1 for a scalar output, else zeros. u itself may be NULL for
     * functions with one scalar output. *out: the derivatives in spec.vjp. */
    gnt_status (*vjp)(void *context, gnt_function *f, const float *const *u, const gnt_gradient **out);
    /* direction: the members in spec.jvp; *outputs: shaped as eval's. */
    gnt_status (*jvp)(void *context, gnt_function *f, const gnt_function_args *direction,
                      const gnt_views **outputs);
    void (*changed)(void *context, gnt_function *f); /* arguments in spec.held have new entries */
    GNT_GROWS
} gnt_model_service;

/* ---- the suite's models ---- */

/* A network that the suite trains on public data, or loads; known to attackers and defenses. */
typedef struct gnt_named_model {
    uint32_t size;
    uint32_t reserved;
    const char *id;                   /* in the suite */
    const gnt_model_service *service; /* of its architecture; batch norm with running statistics */
    const float *weights;             /* service->info->n_params */
    const float *buffers;             /* service->info->n_buffers */
    GNT_GROWS
} gnt_named_model;

/* Result of gnt_host_extension(host, GNT_EXTENSION_MODELS, 1). It and the models it opens are valid as long
 * as the instance exists; the memory limit applies to the prepared functions of each model separately. */
#define GNT_EXTENSION_MODELS "gauntlet.models"
typedef struct gnt_models {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* Returns the model named by the plugin's parameter (GNT_TYPE_MODEL) of that id. An attack with
     * GNT_KNOWS_DEFENSE can also open models of the defense's parameters, if none of its own has that id.
     * NULL if the suite named none, with the reason in host->last_error. Equal calls return the same
     * pointer. */
    const gnt_named_model *(*open)(void *context, const char *parameter);
    GNT_GROWS
} gnt_models;

/* Since 0.12. Result of gnt_host_extension(host, GNT_EXTENSION_MEMO, 1), valid as long as the instance:
 * results of long computations, by a key of 16 bytes, such as a digest of what they were computed from.
 * They outlive the process: if the job is killed or reaches its time limit, the same instance of its next
 * attempt finds them. What a value holds, and what hooks do and report, must not depend on whether it was
 * found. Plugins that name this service in `services` get a file for it, except in processes that serve
 * one client alone. */
#define GNT_EXTENSION_MEMO "gauntlet.memo"
typedef struct gnt_memo {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* Returns the value of a key, aligned to 8 bytes and valid as long as the instance, and its number of
     * bytes; NULL: there is none. *is_new (may be NULL): 1 the first time that a value of an earlier attempt
     * is found, so that the facts that belong to its computation are reported then. */
    const void *(*find)(void *context, const uint8_t *key, int64_t *count, int32_t *is_new);
    /* Copies n ≥ 1 values of `count` bytes each, which follow each other, at most 2^32 bytes; keys: n × 16
     * bytes. An attempt that is killed has kept all of them or none, so that what is computed as a batch is
     * computed again as one. A value that a key has already stays. GNT_FAILED, with the sentence: out of
     * memory, or invalid. */
    gnt_status (*put)(void *context, int64_t n, const uint8_t *keys, const void *data, int64_t count);
    GNT_GROWS
} gnt_memo;

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
    /* Stores the reason for GNT_FAILED or GNT_UNSUPPORTED (copied). Always returns GNT_FAILED. */
    gnt_status (*fail)(void *context, const char *text);
    const char *(*last_error)(void *context); /* of the model service; "" if none */
    /* Random numbers from the stream `name` of this plugin's role in this job; a name continues where it
     * stopped. Streams of other roles are out of reach. */
    void (*uniform)(void *context, const char *name, int64_t n, double *out); /* [0, 1) */
    void (*normal)(void *context, const char *name, int64_t n, float *out);   /* mean 0, deviation 1 */
    void (*laplace)(void *context, const char *name, int64_t n, float *out);  /* mean 0, scale 1 */
    uint64_t (*below)(void *context, const char *name, uint64_t n);           /* 0 … n−1 */
    /* Returns zeroed memory, aligned to 64 bytes, that is freed when the current hook returns, or with the
     * instance if the hook is create or start. NULL above the memory limit. */
    void *(*scratch)(void *context, size_t bytes);
    /* Reports a number about the plugin itself (realised ε, pruned fraction …); the results have its mean
     * over calls. It is never part of an observation. name: 1 to 48 characters of a–z, 0–9 and '_', beginning
     * with a letter; at most 256 names. Anything else fails the hook. */
    void (*fact)(void *context, const char *name, double value);
    const gnt_model_service *model; /* of the task's model */
    /* Returns a further service by its id, of at least that revision; NULL if this host has none. */
    const void *(*extension)(void *context, const char *id, uint32_t revision);
    GNT_GROWS
} gnt_host;

/* Receives the artefacts of `prepare`, and the state of `save`; valid during that call. Everything is
 * copied. */
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
    int32_t stage;                  /* −1: once for the task; else the round of the weights */
    const gnt_samples *public_data; /* NULL if the task has none */
    const gnt_samples *shadow_data; /* the defender's own shadow part, which no attacker gets */
    const float *weights;           /* the broadcast model; with stage −1 the initial weights */
    const float *buffers;
    int32_t n_clients;
    int32_t steps; /* local steps of the task's clients; 0: they share one gradient */
    int64_t batch;
    double rate;       /* in that round */
    int32_t rounds;    /* of the task's training */
    int32_t per_round; /* clients that take part in each round */
    GNT_GROWS
} gnt_defense_prepare;

typedef struct gnt_client {
    uint32_t size;
    int32_t index; /* of the client */
    int32_t round; /* 0-based */
    int32_t n_clients;
    int64_t n_samples; /* of the client's data set */
    int64_t n_labels;  /* distinct labels in it; 0 if targets are maps */
    double rate;       /* the task's learning rate in this round */
    int32_t steps;     /* local steps; 0: the client shares one gradient */
    int32_t reserved;
    int64_t batch;
    /* Samples that this round's batches use, after encodings. In `contribute`: all samples of the client. In
     * `encode_set`: all of them, as the previous encoding of a chain left them. In `client_update` with local
     * steps, which draws batches of its own, and in hooks after it: all, after encodings. */
    const gnt_samples *samples;
    const float *weights; /* as broadcast; the client's own values of parameters that are not federated */
    const float *buffers;
    const gnt_artefacts *artefacts;
    const gnt_samples *public_data;
    int32_t rounds;    /* of the task's training; the last has round == rounds − 1 */
    int32_t per_round; /* clients that take part in each round */
    /* Since 0.12. In client_update and transform_update: what the client is about to send of its running
     * statistics, their differences from `buffers`: one tensor for each of info->buffers, in order. The hook
     * may change data in place; n = 0 withholds them all. In client_update they are zero, afterwards the
     * host's own. NULL in other hooks, if the model has none, and if clients compute with the broadcast ones
     * (info->training_stats is 0) and so have none to send. */
    gnt_tensors *sent_buffers;
    /* Since 0.12. Of the task's local steps, as in gnt_function_spec; 0 if a client shares one gradient. */
    double momentum, decay;
    GNT_GROWS
} gnt_client;

typedef struct gnt_aggregate {
    uint32_t size;
    int32_t round;
    int64_t n_clients; /* that took part in the round */
    int64_t
        n_params; /* entries of the federated parameters, which weights and updates consist of, in order */
    const float *old_weights;
    const float *const *update; /* n_clients flat deltas (gradients if steps is 0) */
    const double *share;        /* n_clients: n_k / Σ n_k over the clients that took part */
    double rate;
    int32_t is_gradient;
    int32_t reserved;
    const gnt_samples *public_data;
    const gnt_artefacts *artefacts;
    const float *buffers; /* n_buffers: running statistics before the round */
    /* n_clients × n_buffers: each client's, after its steps and its hooks; `buffers` of one that sent none */
    const float *const *client_buffers;
    float *new_buffers;     /* n_buffers: the host's average, which the hook may change */
    int64_t n_buffers;      /* 0: the model has none, and all three are NULL */
    const int32_t *client;  /* n_clients: their indices */
    const int64_t *samples; /* n_clients: n_k, the size of each one's data set */
    GNT_GROWS
} gnt_aggregate;

/* Receives encoded samples, which are copied; their number may differ from that of the inputs. */
typedef struct gnt_samples_sink {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* y: soft label. source_id: id of the sample that contributes most; its attributes and mask are kept if
     * the encoding puts one sample per input. encode_query: both are ignored, y may be NULL and source_id
     * 0. */
    gnt_status (*put)(void *context, const float *x, const float *y, int64_t source_id);
    /* Optional, right after its `put`: ids of the private samples mixed into it and their weights (≥ 0,
     * before any sign or scale), without public ones. For scoring only: no attack sees it. NULL: not
     * wanted. */
    gnt_status (*mixed)(void *context, int64_t n, const int64_t *source_id, const double *weight);
    GNT_GROWS
} gnt_samples_sink;

/* All hooks are optional; without a hook the host does what it does without a defense. Order of calls in a
 * task:
 *  - prepare
 *  - contribute of each client, receive_sum
 *  - encode_query, once, for the samples on which utility is measured
 *  - in each round, for each client: encode_set, encode_batch and local_rate in each step, client_update or
 *    the host's own SGD, transform_update; then aggregate
 * `self` is the instance. */
typedef struct gnt_defense {
    uint32_t size;
    uint32_t reserved;
    gnt_status (*prepare)(void *self, const gnt_defense_prepare *in, const gnt_sink *out);
    /* A secure sum over all clients before round 0, of vectors of contribute_size() entries. Every client
     * receives the sum, the server the transcript of masked vectors. */
    int64_t (*contribute_size)(void *self);
    /* Fills the client's vector. client->samples: all samples of the client, before any encoding. */
    gnt_status (*contribute)(void *self, const gnt_client *client, double *vector);
    gnt_status (*receive_sum)(void *self, const double *sum, int64_t n);
    /* Encode inputs. encode_set: all of a client's samples, once per epoch. encode_batch: one local batch.
     * Outputs keep attributes if there is one per input; else client->samples->a is NULL from there on. */
    gnt_status (*encode_set)(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out);
    gnt_status (*encode_batch)(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out);
    gnt_status (*local_rate)(void *self, const gnt_client *client, int64_t step, double *rate);
    /* Replaces the client's computation: fills `update`, which is zeroed and has one tensor for each
     * federated parameter. The model's other parameters then stay unchanged: whatever else the defense trains
     * is its own state. */
    gnt_status (*client_update)(void *self, const gnt_client *client, gnt_tensors *update);
    /* Modifies the update in place, after the client computed it, and client->sent_buffers. */
    gnt_status (*transform_update)(void *self, const gnt_client *client, gnt_tensors *update);
    gnt_status (*aggregate)(void *self, const gnt_aggregate *in, float *new_weights);
    /* State of a client (−1: the server) that outlasts a job: save writes it to `out`, load reads it back. */
    gnt_status (*save)(void *self, int32_t client, const gnt_sink *out);
    gnt_status (*load)(void *self, int32_t client, const gnt_artefacts *state);
    /* Encodes samples for a query to the trained network, if it was trained on encodings that plain samples
     * do not resemble: one output per sample, in their order. client->index is −1; `draw` counts the
     * encodings of the same samples. y, a, mask and id of the samples are NULL, since the querying party has
     * none, and y and source_id of the outputs are ignored. Utility is measured on the outputs. */
    gnt_status (*encode_query)(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out);
    GNT_GROWS
} gnt_defense;

/* ---- attacks ---- */

#define GNT_UPDATE_GRADIENT 1 /* ∇W of the mean loss over the batch */
#define GNT_UPDATE_DELTA 2    /* W_end − W_start */

/* The masked vectors that the server of a secure sum received. Their words add up modulo 2⁶⁴, where the masks
 * cancel; the value 1 is represented by `scale`. */
typedef struct gnt_transcript {
    uint32_t size;
    int32_t n_clients;
    int64_t n;              /* entries of a client's vector */
    const uint64_t *masked; /* n_clients × n */
    double scale;
    GNT_GROWS
} gnt_transcript;

/* What an attacker observes of one target. Members of other surfaces, or that were not granted, are NULL. */
typedef struct gnt_observation {
    uint32_t size;
    uint32_t surface; /* one GNT_SURFACE_* */
    uint32_t granted; /* GNT_KNOWS_* */
    uint32_t goals;   /* GNT_GOAL_* requested */
    int32_t round;
    int32_t update_kind; /* GNT_UPDATE_* */
    int32_t steps;       /* local steps (0: one gradient) */
    int32_t attribute;   /* index of the attribute to infer, −1 for none */
    int32_t attribute_values;
    int32_t classes;
    int64_t n;               /* samples in the private batch; some clients may have fewer than others */
    int64_t batch;           /* samples per local step */
    double rate;             /* the learning rate as announced */
    const gnt_views *update; /* one for each federated parameter */
    /* the broadcast model that the client started from; values of parameters that are not federated are no
     * client's, but initial draws or those of the task's weights file */
    const float *weights;
    const float *buffers;
    const gnt_samples *encoded;      /* encodings with their released soft labels */
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
    /* KNOWS_DEFENSE: of the members of a combined defense that have artefacts and do not keep them private;
     * all but the first such member's are named "MEMBER/NAME" */
    const gnt_artefacts *defense_artefacts;
    const gnt_samples *public_data;               /* KNOWS_PUBLIC */
    const struct gnt_observation *const *history; /* KNOWS_HISTORY: of the same client at earlier stages */
    int64_t n_history;
    int64_t budget;         /* steps or evaluations allowed; 0: the plugin's own default */
    int64_t n_contribution; /* entries of a client's vector in the secure sum; 0: there was none */
    int32_t n_clients;      /* of the federation */
    int32_t reserved;
    /* KNOWS_ORDER: steps × batch indices into the n private samples, those used by each local step; see
     * gnt_function_spec.order, which is 64-bit */
    const int32_t *order;
    double momentum;               /* of the clients' local steps */
    const gnt_samples *candidates; /* goal MEMBERSHIP: samples, some of them private; else NULL */
    /* Start of the search, for attacks with GNT_FLAG_TAKES_START, from a file named by the suite. NULL: the
     * attack draws it. */
    const float *start_x; /* n × features */
    const float *start_y; /* n × classes: logits; may be NULL by itself */
    double decay;         /* of the clients' local steps: gnt_function_spec.decay */
    /* Since 0.12. Surface update: what the client sent of its running statistics, after its hooks: their
     * differences from `buffers`, one for each of info->buffers. NULL: it sent none. */
    const gnt_views *sent_buffers;
    /* Since 0.12: KNOWS_PRIOR_DATA: samples of another set; its labels are its own, or NULL. */
    const gnt_samples *prior_data;
    int32_t optimizer; /* since 0.12: GNT_OPTIMIZER_* of the clients' local steps */
    GNT_GROWS
} gnt_observation;

typedef struct gnt_attack_prepare {
    uint32_t size;
    int32_t stage;
    const gnt_samples *public_data; /* KNOWS_PUBLIC */
    const gnt_samples *shadow_data; /* KNOWS_SHADOW: with labels and attributes */
    int64_t n_shadow;               /* KNOWS_SHADOW_OBS */
    /* n_shadow pointers each: observations of shadow batches under the defense, and those batches. NULL if
     * there are none. */
    const gnt_observation *const *shadow;
    const gnt_samples *const *shadow_truth;
    int32_t attribute;
    int32_t attribute_values;
    const float *weights; /* NULL under GNT_FLAG_PREPARES_ONCE, as buffers and setting */
    const float *buffers;
    /* Members of the observation that are the same for all targets (grants, goals, steps, batch, rate,
     * attribute; with KNOWS_DEFENSE the defense, its parameters and artefacts); the others are NULL. With
     * KNOWS_HISTORY and scope stage, `history` has the same for earlier stages, with the weights broadcast
     * there; shadow observations have no history. */
    const gnt_observation *setting;
    GNT_GROWS
} gnt_attack_prepare;

/* Receives the attack's results; valid during `run`. Everything is copied and checked. */
typedef struct gnt_answer {
    uint32_t size;
    uint32_t reserved;
    void *context;
    /* count × features: reconstructions in image space; for M encodings, count may differ from M. */
    gnt_status (*reconstruction)(void *context, int64_t count, const float *x);
    /* Scores, any increasing function of the belief: n × classes for labels, attribute_values for the
     * requested attribute. */
    gnt_status (*labels)(void *context, int64_t n, int32_t classes, const float *scores);
    gnt_status (*attribute)(void *context, int32_t values, const float *scores);
    /* Records the attack's own cost after `step` of `restart`, for convergence plots; at most a few hundred
     * are kept. */
    void (*cost)(void *context, int32_t restart, int64_t step, double cost);
    void (*chosen)(void *context, int32_t restart, double cost); /* the restart of the result, and its cost */
    /* Optional, for M encodings: encodings × count, with count and order of `reconstruction`: estimated
     * weight of each recovered image in each encoding; 0: not in it. */
    gnt_status (*mixture)(void *context, int64_t encodings, int64_t count, const float *weight);
    /* Optional. encodings × encodings: any increasing function of the belief that two encodings share a
     * private sample; the diagonal is ignored. */
    gnt_status (*similarity)(void *context, int64_t encodings, const float *score);
    /* Estimated input to the secure sum, in the units of the sum: n_contribution entries for the observed
     * client, or, given a transcript, n_clients × n_contribution. */
    gnt_status (*contribution)(void *context, int64_t n, const double *value);
    /* n × values: scores of an attribute, given by its index, for each of the n private samples. May be
     * called for several attributes. For one sample and the requested attribute it equals a call of
     * `attribute`. */
    gnt_status (*attributes)(void *context, int32_t attribute, int64_t n, int32_t values,
                             const float *scores);
    /* n × H × W: any increasing function of the belief that a pixel of a private sample is in the sensitive
     * region. */
    gnt_status (*region)(void *context, int64_t n, const float *scores);
    /* n: any increasing function of the belief that each of the observation's candidates is a private
     * sample. */
    gnt_status (*membership)(void *context, int64_t n, const float *scores);
    /* Optional, since 0.12: why the search for this answer ended, a GNT_ENDED_*, and how many of the steps
     * that `budget` counts it took, those of all restarts together. At most once. The host compares it with
     * the budget and with the costs that were recorded; what contradicts these counts as no reason. */
    void (*ended)(void *context, int32_t reason, int64_t steps);
    GNT_GROWS
} gnt_answer;

#define GNT_ENDED_UNKNOWN 0 /* also where nothing is searched */
/* It took the steps that it was allowed, but for a rest that its parts could not share: at least half. */
#define GNT_ENDED_BUDGET 1
#define GNT_ENDED_TOLERANCE 2 /* its cost fell to its tolerance */
#define GNT_ENDED_STALL 3     /* steps were left, but made no more progress, from any start */

/* Input of an active attack; will be declared by the first version whose host calls `broadcast`, and begin
 * with its size. */
typedef struct gnt_broadcast gnt_broadcast;

typedef struct gnt_attack {
    uint32_t size;
    uint32_t reserved;
    gnt_status (*prepare)(void *self, const gnt_attack_prepare *in, const gnt_sink *out); /* optional */
    gnt_status (*run)(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer);
    /* Reserved: modifies in place what the server broadcasts (n_params weights, n_buffers statistics), before
     * the clients compute. Requires GNT_FLAG_ACTIVE; no host of this version calls it. */
    gnt_status (*broadcast)(void *self, const gnt_broadcast *in, float *weights, float *buffers);
    GNT_GROWS
} gnt_attack;

/* ---- descriptor and entry ---- */

#define GNT_PLUGIN_DEFENSE 1
#define GNT_PLUGIN_ATTACK 2

#define GNT_SCOPE_NONE 0
#define GNT_SCOPE_TASK 1 /* prepare runs once per task */
/* prepare runs for each stage, with that round's weights. Only observations at that stage, and attacks on
 * them, use its artefacts; training always uses those of the initial weights. Utility and leakage of such a
 * defense are thus measured with different artefacts: a defense that is one mechanism has scope task. */
#define GNT_SCOPE_STAGE 2

typedef struct gnt_descriptor {
    uint32_t size;
    int32_t kind;   /* GNT_PLUGIN_* */
    const char *id; /* lower case, digits, '-'; unique among the plugins of its kind */
    const char *version;
    const char *line;     /* what it does, in one line */
    const char *licence;  /* SPDX */
    const char *citation; /* "" for none */
    const gnt_parameter *parameters;
    int32_t n_parameters;
    int32_t scope;               /* GNT_SCOPE_* of prepare */
    uint32_t surfaces;           /* GNT_SURFACE_* that an attack reads, or a defense acts on */
    uint32_t goals;              /* attack: GNT_GOAL_* */
    uint32_t needs;              /* attack: GNT_KNOWS_* without which it cannot run */
    uint32_t uses;               /* attack: GNT_KNOWS_* that it uses if granted */
    uint32_t data_kinds;         /* GNT_KIND_* */
    uint32_t flags;              /* GNT_FLAG_* */
    const char *const *services; /* NULL-terminated ids of required extensions, or NULL */
    /* For plugins that allocate their own instance; NULL with `instance_size`. create returns `self`, or NULL
     * after host->fail; host and values stay valid until destroy, which frees it. */
    void *(*create)(const gnt_host *host, const gnt_value *values);
    void (*destroy)(void *self);
    const gnt_defense *defense; /* exactly one of defense and attack */
    const gnt_attack *attack;
    /* Since 0.11. NULL-terminated list, or NULL; spelled as plugin ids are.
     * Defense: the mechanisms it consists of, by the names that attacks use: GNT_FAMILY_*, or new ones.
     * Attack: the mechanisms, or ids of defenses, that it adapts to if granted GNT_KNOWS_DEFENSE (ids if it
     * reads the parameters of those plugins), or GNT_FAMILY_ANY if it learns the defense from
     * GNT_KNOWS_SHADOW_OBS.
     * A defense is ranked only if such attacks name its id or each of its families, and attacks met it that
     * its hooks demand, such as ones that learnt what they do (docs/leaderboard.md). */
    const char *const *families;
    /* Since 0.12. Bytes of the plugin's struct, GNT_INSTANCE(type); 0 with `create`. Its first member is
     * `const gnt_host *host`. The host allocates it, zeroed and aligned to 64 bytes, sets `host` and the
     * members named by the rows of `parameters`, calls `start`, and passes it to every hook as `self`. What
     * these members point to is the host's and valid until `stop` returns. The host frees the struct. */
    uint64_t instance_size;
    /* Optional: checks the parameters together, or allocates and computes what all hooks need. Scratch taken
     * here is freed with the instance. After a failure no hook but `stop` is called. */
    gnt_status (*start)(void *self);
    /* Optional: frees what `start` and the hooks allocated. Called once, also after a `start` that failed:
     * what that did not set is zero. */
    void (*stop)(void *self);
    /* What a suite must say for the plugin to work: GNT_IF_*. Where it does not, the cell is n/a in the plan,
     * before anything is trained. What only a run shows, or depends on parameters, is for the hooks, which
     * return GNT_UNSUPPORTED. */
    uint32_t conditions;
    uint32_t reserved;
    /* Least numbers of public rows and of the attacker's shadow rows; where it learns from shadow
     * observations, of these. 0: none are needed. */
    int64_t least_public, least_shadow;
    GNT_GROWS
} gnt_descriptor;

#define GNT_IF_ONE_SAMPLE 1u   /* attack: each observation is of one sample */
#define GNT_IF_ONE_STEP 2u     /* attack: updates are one gradient, or one local step */
#define GNT_IF_CLASSES 4u      /* the model's output is classes, not a map */
#define GNT_IF_LOCAL_STEPS 8u  /* clients take local steps */
#define GNT_IF_DENSE 16u       /* clients share a dense layer */
#define GNT_IF_WHOLE_MODEL 32u /* clients share all parameters */
#define GNT_IF_HIDES 64u       /* the task hides a private attribute */
/* Attack: the defense has a member whose id is in `families`. */
#define GNT_IF_NAMED 128u
/* Attack: the defense is one plugin whose id is in `families`, or `none`. */
#define GNT_IF_ONLY_NAMED 256u

/* adds noise; limits norms; drops small entries */
#define GNT_FAMILY_NOISE "noise"
#define GNT_FAMILY_CLIPPING "clipping"
#define GNT_FAMILY_PRUNING "pruning"
/* mixes samples */
#define GNT_FAMILY_MIXING "mixing"
#define GNT_FAMILY_ANY "any" /* attacks only */

#define GNT_FLAG_RANDOMISED 1u   /* its output depends on random numbers */
#define GNT_FLAG_NEEDS_PUBLIC 2u /* defense: needs public data */
#define GNT_FLAG_NEEDS_SHADOW 4u /* defense: needs its own shadow data */
#define GNT_FLAG_NO_GRADIENT 8u  /* defense: not differentiable */
/* Defense: its artefacts stay with the clients. Only the grant GNT_KNOWS_DEFENSE_PRIVATE gives an attacker
 * the artefacts, or shadow observations made with them; `aggregate`, which runs on the server, gets NULL. */
#define GNT_FLAG_ARTEFACTS_PRIVATE 16u
#define GNT_FLAG_FIRST_DENSE 32u  /* attack: needs a model whose first layer is dense */
#define GNT_FLAG_TAKES_START 128u /* attack: starts at observation.start_x if given */
/* Defense: its artefacts are the same at every strength; `prepare` is called once, in an instance with the
 * preset strength. Attack, with scope task: `prepare` uses granted rows only, so the host calls it once for
 * all defenses, strengths and rounds; weights, buffers, setting and shadow observations are NULL, attribute
 * is −1. */
#define GNT_FLAG_PREPARES_ONCE 256u
/* Attack: what it does in its first steps depends on how many it will take, as with a learning rate that
 * falls until the last one. Its budget is that of the suite, or its integer parameter `steps`. The host also
 * runs it with a quarter of both, to see whether a longer search finds more. */
#define GNT_FLAG_BUDGET_SCHEDULE 512u
/* Defense: a killed training goes on from a checkpoint, in a new instance. Declare it only if nothing that an
 * instance keeps from earlier rounds, such as a cache, changes what its hooks do or report, except what the
 * host restores: the state of `save` and `load`, secure sums, the memo, the streams of `aggregate`. Without
 * it, and where `aggregate` and `save` are combined, such a training begins again. */
#define GNT_FLAG_RESUMES 1024u
#define GNT_FLAG_ACTIVE 64u /* attack: needs `broadcast`; n/a on this host */

typedef struct gnt_entry {
    uint32_t magic; /* GNT_ABI_MAGIC */
    uint32_t size;
    uint16_t abi_major, abi_minor;
    uint32_t pointer_size; /* sizeof(void *) */
    const char *build;     /* compiler and libraries, for the records */
    int32_t n_plugins;
    int32_t reserved;
    const gnt_descriptor *(*descriptor)(int32_t index);
    GNT_GROWS
} gnt_entry;

/* ---- least sizes ---- */

/* Sizes in 0.10 of the structs that may grow. */
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

/* ---- short forms ---- */

/* The services of gnt_host without `context`. */
static inline void gnt_host_log(const gnt_host *host, int32_t level, const char *text) {
    host->log(host->context, level, text);
}
static inline void gnt_host_progress(const gnt_host *host, double done, double total) {
    host->progress(host->context, done, total);
}
static inline int32_t gnt_host_should_stop(const gnt_host *host) {
    return host->should_stop(host->context);
}
static inline gnt_status gnt_host_fail(const gnt_host *host, const char *text) {
    return (host->fail)(host->context, text); /* in brackets: a test framework has a macro of that name */
}
static inline const char *gnt_host_last_error(const gnt_host *host) {
    return host->last_error(host->context);
}
static inline void gnt_host_uniform(const gnt_host *host, const char *name, int64_t n, double *out) {
    host->uniform(host->context, name, n, out);
}
static inline void gnt_host_normal(const gnt_host *host, const char *name, int64_t n, float *out) {
    host->normal(host->context, name, n, out);
}
static inline void gnt_host_laplace(const gnt_host *host, const char *name, int64_t n, float *out) {
    host->laplace(host->context, name, n, out);
}
static inline uint64_t gnt_host_below(const gnt_host *host, const char *name, uint64_t n) {
    return host->below(host->context, name, n);
}
/* Allocates scratch for n elements of `size` bytes each, as calloc takes them; NULL also for a negative n
 * or a product beyond SIZE_MAX. */
static inline void *gnt_host_scratch(const gnt_host *host, int64_t n, size_t size) {
    if (n < 0 || (size && (uint64_t)n > SIZE_MAX / size))
        return NULL;
    return host->scratch(host->context, (size_t)n * size);
}
static inline void gnt_host_fact(const gnt_host *host, const char *name, double value) {
    host->fact(host->context, name, value);
}
static inline const void *gnt_host_extension(const gnt_host *host, const char *id, uint32_t revision) {
    return host->extension(host->context, id, revision);
}

/* Says why the search for an answer ended; a host of 0.11 or earlier learns nothing. */
static inline void gnt_answer_ended(const gnt_answer *answer, int32_t reason, int64_t steps) {
    if (GNT_HAS(gnt_answer, answer, ended) && answer->ended)
        answer->ended(answer->context, reason, steps);
}

/* Value of gnt_parameter.member; T.member must have the type C, which the compiler checks. */
#define GNT_MEMBER(T, member, C)                                                                             \
    ((uint64_t)(offsetof(T, member) + 1 + 0 * sizeof(1 ? &((T *)0)->member : (C *)0)))

/* Value of gnt_descriptor.instance_size; the compiler checks that `const gnt_host *host` is the first member
 * of T. */
#define GNT_INSTANCE(T)                                                                                      \
    ((uint64_t)(sizeof(T) + 0 * sizeof(1 ? &((T *)0)->host : (const gnt_host **)0) +                         \
                0 * sizeof(char[offsetof(T, host) == 0 ? 1 : -1])))

/* Rows of a parameter table: the host sets T.member. The id is the member's name; the forms with _ID take
 * another one first, such as that of a member within a member. `unit` may be "". `direction` of a strength is
 * 1 or -1. Initialisers are positional, so that the forms compile as C and C++. */
#define GNT_BOOL(T, member, preset, help) GNT_BOOL_ID(#member, T, member, preset, help)
#define GNT_INT(T, member, least, most, preset, unit, help)                                                  \
    GNT_INT_ID(#member, T, member, least, most, preset, unit, help)
#define GNT_REAL(T, member, least, most, preset, scale, unit, help)                                          \
    GNT_REAL_ID(#member, T, member, least, most, preset, scale, unit, help)
#define GNT_STRENGTH_INT(T, member, least, most, preset, scale, direction, unit, help)                       \
    GNT_STRENGTH_INT_ID(#member, T, member, least, most, preset, scale, direction, unit, help)
#define GNT_STRENGTH_REAL(T, member, least, most, preset, scale, direction, unit, help)                      \
    GNT_STRENGTH_REAL_ID(#member, T, member, least, most, preset, scale, direction, unit, help)
#define GNT_TEXT(T, member, preset, help) GNT_TEXT_ID(#member, T, member, preset, help)
#define GNT_CHOICE(T, member, choices, preset, help) GNT_CHOICE_ID(#member, T, member, choices, preset, help)
#define GNT_MODEL(T, member, preset, help) GNT_MODEL_ID(#member, T, member, preset, help)
#define GNT_INT_LIST(T, member, least, most, preset, unit, help)                                             \
    GNT_INT_LIST_ID(#member, T, member, least, most, preset, unit, help)
#define GNT_REAL_LIST(T, member, least, most, preset, unit, help)                                            \
    GNT_REAL_LIST_ID(#member, T, member, least, most, preset, unit, help)

#define GNT_BOOL_ID(id, T, member, preset, help)                                                             \
    { id, GNT_TYPE_BOOL, 0, "", 0, 0, preset, NULL, NULL, 0, 0, help, GNT_MEMBER(T, member, int64_t), 0 }
#define GNT_INT_ID(id, T, member, least, most, preset, unit, help)                                           \
    GNT_STRENGTH_INT_ID(id, T, member, least, most, preset, GNT_SCALE_LINEAR, 0, unit, help)
#define GNT_REAL_ID(id, T, member, least, most, preset, scale, unit, help)                                   \
    GNT_STRENGTH_REAL_ID(id, T, member, least, most, preset, scale, 0, unit, help)
#define GNT_STRENGTH_INT_ID(id, T, member, least, most, preset, scale, direction, unit, help)                \
    {                                                                                                        \
        id, GNT_TYPE_INT, scale, unit, least, most, preset, NULL, NULL, direction, 0, help,                  \
            GNT_MEMBER(T, member, int64_t), 0                                                                \
    }
#define GNT_STRENGTH_REAL_ID(id, T, member, least, most, preset, scale, direction, unit, help)               \
    {                                                                                                        \
        id, GNT_TYPE_REAL, scale, unit, least, most, preset, NULL, NULL, direction, 0, help,                 \
            GNT_MEMBER(T, member, double), 0                                                                 \
    }
#define GNT_TEXT_ID(id, T, member, preset, help)                                                             \
    { id, GNT_TYPE_TEXT, 0, "", 0, 0, 0, preset, NULL, 0, 0, help, GNT_MEMBER(T, member, const char *), 0 }
#define GNT_CHOICE_ID(id, T, member, choices, preset, help)                                                  \
    { id, GNT_TYPE_CHOICE, 0, "", 0, 0, 0, preset, choices, 0, 0, help, GNT_MEMBER(T, member, int64_t), 0 }
#define GNT_MODEL_ID(id, T, member, preset, help)                                                            \
    { id, GNT_TYPE_MODEL, 0, "", 0, 0, 0, preset, NULL, 0, 0, help, GNT_MEMBER(T, member, const char *), 0 }
#define GNT_INT_LIST_ID(id, T, member, least, most, preset, unit, help)                                      \
    GNT_ANY_LIST(id, GNT_TYPE_INT_LIST, T, member, least, most, preset, unit, help)
#define GNT_REAL_LIST_ID(id, T, member, least, most, preset, unit, help)                                     \
    GNT_ANY_LIST(id, GNT_TYPE_REAL_LIST, T, member, least, most, preset, unit, help)
#define GNT_ANY_LIST(id, type, T, member, least, most, preset, unit, help)                                   \
    { id, type, 0, unit, least, most, 0, preset, NULL, 0, 0, help, GNT_MEMBER(T, member, gnt_list), 0 }

/* First members of a gnt_descriptor. Those that follow are, in C, named as usual; in C++17 all of them are
 * listed in their order, from `parameters` on:
 *
 *     static const gnt_descriptor descriptor = {
 *         GNT_DEFENSE("prune", "1.0", "sets the smallest entries to zero", "MIT", "Zhu et al., 2019"),
 *         GNT_PARAMETERS(parameters), .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY,
 *         .defense = &hooks, .instance_size = GNT_INSTANCE(prune)};
 */
#define GNT_DEFENSE(id, version, line, licence, citation)                                                    \
    (uint32_t)sizeof(gnt_descriptor), GNT_PLUGIN_DEFENSE, id, version, line, licence, citation
#define GNT_ATTACK(id, version, line, licence, citation)                                                     \
    (uint32_t)sizeof(gnt_descriptor), GNT_PLUGIN_ATTACK, id, version, line, licence, citation
/* The members `parameters` and `n_parameters`. */
#define GNT_PARAMETERS(table) table, (int32_t)(sizeof(table) / sizeof *(table))

#if defined(__GNUC__)
#define GNT_EXPORT __attribute__((visibility("default")))
#else
#define GNT_EXPORT
#endif

/* Returns a constant; it is the one exported symbol. May be called first and from any thread. */
GNT_EXPORT const gnt_entry *gauntlet_entry(void);

/* Defines the entry of a plugin with n descriptors; `list` is an array of pointers to them. */
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

/* Defines the entry of a plugin with one descriptor `d`. */
#define GNT_DEFINE_ENTRY(d)                                                                                  \
    static const gnt_descriptor *const gnt_only_descriptor[] = {&(d)};                                       \
    GNT_DEFINE_ENTRY_LIST(gnt_only_descriptor, 1)

#ifdef __cplusplus
}
#endif
#endif
