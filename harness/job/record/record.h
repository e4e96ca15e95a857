/* record: what a training keeps for the jobs after it. At each observed round, of clients drawn among those
 * that took part: byte for byte what the server received, and in a bundle of its own the private data behind
 * it.
 *
 * The process that trains opens no plugin, and no process with a plugin knows which rounds and clients are
 * drawn. The request's `record` says how many; its key draws the clients.
 *
 * Output "record", of each observed round R (T clients, S = gnt_model_shared_size):
 *   client.R     I64 T
 *   update.R     F32 T × S
 *   buffers.R    F32 T × B   where clients send running statistics: less those broadcast; B of the model
 *   sends.R      I64 T × 1   and which clients did: 0: it withheld them, and its row is 0
 *   influence.R  F32 I × S   what the first I of these updates did to the final model (job/influence.h), in
 *                            the units of the update
 *   undone.R     I64 1       1: influences are like updates without hooks (job/undone.h)
 *   count.R      I64 T       where encodings are recorded: how many of each client
 *   encoded_x.R  F32 N × F   all of them, client after client
 *   encoded_y.R  F32 N × C
 *   metadata     {"marks": […]}: what the host found, for run/marks.c
 * Output "held", for scoring, for what may be granted, and for computing updates again:
 *   sizes.R      I64 T × 2       rows and samples that each update was computed with: its first entries of
 *                                rows.R and labels.R; what follows repeats them
 *   rows.R       I64 T × M       rows of the clients' samples, in the order of their first use
 *   whole.R      I64 T × 1       1: any of the M rows may be the n samples that were computed with
 *   labels.R     F32 T × n × C
 *   rates.R      F32 T × steps
 *   state.R.…    of the drawn clients before their work (defense_state.h)
 *   set.R        I64 T × H       where encodings are recorded: all rows of each drawn client
 *   weight.J.rR  F32             and the claims of drawn client J: what its encodings are said to be made of
 *   source.J.rR  I64
 *   treatment    F32 N × 8       of every update: round, client, cosine, log₁₀ of the ratio of norms, share
 *                                changed; 1 where it was compared with what would have been sent undefended;
 *                                that cosine; log₁₀ of that ratio of norms
 * Output "treatments" holds `treatment` alone, to be compared with what hooks do in a probe or to shadow
 * rows. The record of a request without stages has nothing else.
 *
 * Ownership: a gnt_record owns its bundles. Work, model and partition outlive it. A gnt_recorded borrows from
 * two bundles.
 * Errors: −1 with a sentence. */
#ifndef GNT_JOB_RECORD_H
#define GNT_JOB_RECORD_H

#include "fl/federate.h"
#include "fl/partition.h"
#include "job/record/encoded_set.h"
#include "job/work/saved.h"
#include "job/work/work.h"

/* Returns log₁₀ of a norm or of a ratio of norms, as `treatment` has it: from −30 to 30. */
float gnt_record_log(double v);

/* ---- writing ---- */

typedef struct gnt_record gnt_record;

/* Columns of `treatment`. */
enum { GNT_RECORD_TREATMENT = 9 };

/* Opens the record of a training; *out is NULL, without an error, if nothing is to be recorded. fl: the
 * training's. */
int gnt_record_open(gnt_record **out, gnt_work *w, const gnt_request_train *q, const gnt_model *m,
                    const gnt_fl *fl, const gnt_partition *part, gnt_err *err);
void gnt_record_free(gnt_record *r);

/* True if the client is drawn in that round. */
int gnt_record_is_drawn(const gnt_record *r, int32_t round, int32_t client);
/* Adds what the server received of a client. */
int gnt_record_add_receipt(gnt_record *r, const gnt_fl_receipt *receipt, gnt_err *err);
/* Adds the state of a drawn client before its work; `state` has it as of round 0. */
int gnt_record_add_state(gnt_record *r, int32_t round, const gnt_st *state, gnt_err *err);

/* True if encodings are recorded; then those of every client are to be added. */
int gnt_record_has_encodings(const gnt_record *r);
/* Adds the encodings of one pass. Passes are numbered over the whole training. */
int gnt_record_add_encodings(gnt_record *r, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                             gnt_err *err);

/* True for a round whose updates are to be compared with what clients would have sent without a defense. */
int gnt_record_compares(const gnt_record *r, int32_t round);
int gnt_record_add_comparison(gnt_record *r, const gnt_fl_round *round, gnt_err *err);
void gnt_record_set_totals(gnt_record *r, const gnt_fl_totals *totals);
/* Marks a secure sum that has room for the clients' samples. entries: of the sum; features: of a sample. */
int gnt_record_check_sum(gnt_record *r, int64_t entries, int64_t features, gnt_err *err);

/* Finds the i-th update whose influence is to be measured. 0: there are not so many. */
int gnt_record_influenced(const gnt_record *r, size_t i, int32_t *round, int32_t *client);
/* Adds the influence of that update: gnt_model_shared_size entries. */
int gnt_record_add_influence(gnt_record *r, size_t i, const float *influence, gnt_err *err);
/* Adds whether influences of a round are like updates without hooks. */
int gnt_record_add_undone(gnt_record *r, int32_t round, int undone, gnt_err *err);
/* Adds a mark, with its sentence. */
void gnt_record_add_mark(gnt_record *r, const char *what, const gnt_err *says);

/* Adds all that was recorded to a checkpoint. Not for encodings and influences. */
int gnt_record_save(const gnt_record *r, gnt_saved *out, gnt_err *err);
/* Checks what a checkpoint has of it after so many rounds. classes: of a label. */
int gnt_record_check(const gnt_record *r, const gnt_st *from, int32_t rounds_done, int64_t classes,
                     gnt_err *err);
/* Sets a fresh record to what was checked. */
int gnt_record_load(gnt_record *r, const gnt_st *from, gnt_err *err);

/* Writes all outputs. diverged: the training ended early, and what is missing is left out. */
int gnt_record_write(gnt_record *r, int diverged, gnt_err *err);

/* ---- reading ---- */

/* One stage of "record" and "held", checked. */
typedef struct gnt_recorded {
    /* T, and the most rows and samples of any update (M, n). */
    int64_t targets, members, n;
    /* T × 2: rows and samples of each update, from 1 to M and to n. */
    const int64_t *sizes;
    int whole;
    /* T and T × M. */
    const int64_t *client, *rows;
    /* For encodings: T and T × set_size, all rows of each client; else NULL. */
    const int64_t *count, *set;
    int64_t set_size;
    const float *update, *labels, *rates, *encoded_x, *encoded_y;
    /* T × gnt_model_buffer_size, and T: which clients sent theirs. NULL: clients send none. */
    const float *sent_buffers;
    const int64_t *sends_buffers;
    /* N. */
    int64_t encodings;
    /* I × S, of the first I of the clients; NULL and 0: none was measured. */
    const float *influence;
    int64_t influences;
} gnt_recorded;

int gnt_recorded_read(gnt_recorded *out, const gnt_st *record, const gnt_st *behind, const gnt_model *m,
                      int32_t stage, int32_t steps, int64_t client_rows, gnt_err *err);

/* True if the record says that influences of that round are like updates without hooks. */
int gnt_recorded_undone(const gnt_st *record, int32_t stage);

/* Adds the claims of drawn client j to `out`, as weight.J and source.J. */
int gnt_recorded_claims(const gnt_st *behind, int32_t stage, int64_t j, gnt_st *out, gnt_err *err);

/* Compares what hooks did to n other updates at that round with what they did in the training (output
 * `treatments`; rounds far from the given one are left out). by_norm: compares with updates of about the same
 * norm, for samples that the model was not trained on have longer gradients, to which noise of one size does
 * less. Returns 1, with a sentence in `says`, if it differs; 0 if it does not; −1 when memory ran out. */
int gnt_record_treatment_differs(const gnt_st *treatments, int32_t round, const gnt_fl_treatment *t,
                                 int64_t n, int by_norm, gnt_err *says);

#endif
