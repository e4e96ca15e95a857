/* capture: an update that a server received, with what an attacker may know of it, as files
 * (docs/captures.md):
 *
 *   FOLDER/capture.json          settings (gnt_capture_settings)
 *   FOLDER/observed.safetensors  F32 before.NAME of every parameter and running statistic of the model;
 *                                update.NAME or after.NAME of every parameter that clients share, and of
 *                                every running statistic if the client sent them
 *   FOLDER/private.safetensors   may be missing: the private batch of R samples: F32 x (R × sample) and y
 *                                (R × classes); optional I32 a (R × attributes), U8 mask (R × height ×
 *                                width), F32 rates (local steps), I64 order (local steps × batch); its
 *                                metadata name the digest of observed.safetensors
 *
 * Ownership: everything that a read capture points to is in its memory, which gnt_capture_free frees; one
 * that is written may point anywhere.
 * Errors: −1 with a sentence. The files are not trusted. */
#ifndef GNT_CAPTURE_CAPTURE_H
#define GNT_CAPTURE_CAPTURE_H

#include "base/digest.h"
#include "base/fields.h"
#include "nn/model/model.h"

#define GNT_CAPTURE_FORMAT "gauntlet capture"
enum { GNT_CAPTURE_VERSION = 1 };

/* ---- capture.json ---- */

typedef struct gnt_capture_model {
    const char *name;
    /* The model's JSON (docs/models.md). */
    const char *architecture;
    /* [features] or [channels, height, width]. */
    gnt_ints sample;
    int64_t classes;
    /* For each channel (or feature); at NULL: inputs are not normalised. */
    gnt_reals mean, deviation;
} gnt_capture_model;

typedef enum gnt_capture_optimizer {
    GNT_CAPTURE_SGD,
    GNT_CAPTURE_ADAM,
    GNT_CAPTURE_OTHER
} gnt_capture_optimizer;
typedef enum gnt_capture_batch_norm { GNT_CAPTURE_TRAINING, GNT_CAPTURE_EVALUATION } gnt_capture_batch_norm;

typedef struct gnt_capture_training {
    /* local_steps 0: one gradient. */
    int64_t samples, local_steps, batch;
    /* NaN: not known, which is possible of one gradient alone. */
    double rate;
    double momentum, decay;
    gnt_capture_optimizer optimizer;
    gnt_capture_batch_norm batch_norm;
    int augmented;
} gnt_capture_training;

/* −1: not known. */
typedef struct gnt_capture_federation {
    int64_t round, rounds, client, clients, per_round;
} gnt_capture_federation;

typedef struct gnt_capture_attribute {
    const char *name;
    int64_t values;
} gnt_capture_attribute;

/* A member of a defense: the id of its plugin, its version ("": not known) and a JSON object of
 * parameters. */
typedef struct gnt_capture_member {
    const char *id, *version, *params;
} gnt_capture_member;

typedef struct gnt_capture_settings {
    const char *format;
    int64_t version;
    /* Where it comes from; "" for nothing. */
    const char *about;
    /* One GNT_SURFACE_*. */
    uint32_t surface;
    /* One GNT_KIND_*. */
    uint32_t data_kind;
    gnt_capture_model model;
    gnt_capture_training training;
    gnt_capture_federation federation;
    /* GNT_GOAL_* that are of interest; 0: not said. */
    uint32_t goals;
    struct {
        const gnt_capture_attribute *at;
        size_t n;
    } attributes;
    /* The one to be inferred, "" for none. */
    const char *attribute;
    /* at NULL: not known; n 0: no defense. */
    struct {
        const gnt_capture_member *at;
        size_t n;
    } defense;
} gnt_capture_settings;

/* Tables of capture.json. */
extern const gnt_fields gnt_capture_fields;

/* ---- the whole ---- */

/* The private batch. */
typedef struct gnt_capture_private {
    /* 0: it is withheld. More or fewer than training.samples only behind a defense. */
    int64_t rows;
    /* rows × sample and rows × classes. */
    const float *x, *y;
    /* The rest may be NULL. */
    /* training.samples × classes: what was computed with in the place of y. */
    const float *labels;
    const int32_t *a;
    const uint8_t *mask;
    /* local_steps: the rates that were used; NULL: training.rate. */
    const float *rates;
    /* local_steps × batch indices of samples; NULL: 0, 1, 2 … cyclically. */
    const int64_t *order;
} gnt_capture_private;

typedef struct gnt_capture {
    gnt_arena memory;
    gnt_capture_settings settings;
    gnt_model *model;
    /* gnt_model_size and gnt_model_buffer_size entries. */
    const float *weights, *buffers;
    /* gnt_model_shared_size: the gradient, or weights after less weights before. */
    const float *update;
    /* gnt_model_buffer_size: running statistics after less those before; NULL: none were sent. */
    const float *sent_buffers;
    gnt_capture_private batch;
} gnt_capture;

/* Bytes of the three files, and what sentences call them. */
typedef struct gnt_capture_file {
    const char *name;
    /* Terminated by a zero that `size` does not count. NULL: there is no such file. */
    const uint8_t *bytes;
    size_t size;
} gnt_capture_file;

typedef struct gnt_capture_files {
    gnt_capture_file settings, observed, private_batch;
} gnt_capture_files;

/* Reads a capture. On failure *out is empty. */
int gnt_capture_read(gnt_capture *out, const char *folder, gnt_err *err);
int gnt_capture_parse(gnt_capture *out, const gnt_capture_files *files, gnt_err *err);
/* Reads the settings and the model alone. */
int gnt_capture_parse_settings(gnt_capture *out, const gnt_capture_file *settings, gnt_err *err);
/* Frees the memory and the model. */
void gnt_capture_free(gnt_capture *c);

/* Writes a capture into a folder, which is made and must not have one. with_private: the private batch,
 * too. */
int gnt_capture_write(const gnt_capture *c, const char *folder, int with_private, gnt_err *err);

/* Digests the files of a capture. */
int gnt_capture_digest(const char *folder, gnt_digest *out, gnt_err *err);
/* Digests what captures must have in common to be attacked as one set: settings other than `about` and the
 * client, weights, and which private tensors there are of how many samples. */
int gnt_capture_group(const gnt_capture *c, gnt_digest *out, gnt_err *err);
/* Digests what captures of different rounds must have in common to be of one training: settings other than
 * `about`, client and round. */
int gnt_capture_kind(const gnt_capture *c, gnt_digest *out, gnt_err *err);

/* True if there was no defense; false if there was one, or if that is not known. */
int gnt_capture_is_undefended(const gnt_capture_settings *s);
/* Fails if settings contradict each other. where: begins the sentence, such as a file's name. */
int gnt_capture_check_settings(const gnt_capture_settings *s, const char *where, gnt_err *err);

#endif
