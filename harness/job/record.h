/* record: what a training keeps for those who look at it afterwards: at each observed round, of clients drawn among those
 * that took part, byte for byte what the server received; and apart from it what stands behind.
 *
 * Output `treatments` has the treatment by itself, for comparing what hooks do in a probe or to shadow rows; a record of no stages
 * has nothing else.
 *
 * Request: "record": {"stages": [ROUND …], "targets": T, "encodings": 0 or 1, "epochs": E}; keys.observe draws the clients.
 * The process that trains opens no plugin, and none is told which rounds and clients are drawn.
 *
 *   record  client.R I64 T, update.R F32 T×S (S: gnt_model_shared_size)
 *           where encodings are released: count.R I64 T, encoded_x.R F32 N×F, encoded_y.R F32 N×C
 *   held    for scoring, for grants and for computing it again: rows.R I64 T×M (rows of the clients' samples, in the order
 *           of their first use), labels.R F32 T×n×C, rates.R F32 T×steps, whole.R I64 1 (1: any of the M rows may
 *           stand behind the n samples that were computed with), state.R.… of the drawn clients before their work,
 *           weight.J.rR and source.J.rR (what encodings are said to be made of) and set.R I64 T×H (all rows of
 *           each drawn client) where encodings are recorded;
 *           treatment F32 N×8: of every update its round, client, cosine, log₁₀ of the ratio of norms, share changed; 1 where
 *           it was compared with what would have been sent undefended, that cosine, log₁₀ of that ratio of norms */
#ifndef GNT_JOB_RECORD_H
#define GNT_JOB_RECORD_H

#include "fl/federate.h"
#include "fl/partition.h"
#include "job/released.h"
#include "job/work.h"

typedef struct gnt_record gnt_record;

enum { GNT_RECORD_TREATMENT = 8 }; /* columns of `treatment` */

/* NULL in *out, and no error, where nothing is to be recorded. Work, model and partition outlive it. fl: the training's. */
int gnt_record_open(gnt_record **out, gnt_work *w, const gnt_request_train *q, const gnt_model *m,
                    const gnt_fl *fl, const gnt_partition *part, gnt_err *err);
void gnt_record_free(gnt_record *r);

/* 1 where the client is drawn in that round. */
int gnt_record_wants(const gnt_record *r, int32_t round, int32_t client);
int gnt_record_take(gnt_record *r, const gnt_fl_receipt *receipt, gnt_err *err);
/* What was broadcast before round 0 as the sum of all clients' vectors: so many entries, of clients' samples of so many
 * features. */
int gnt_record_sum(gnt_record *r, int64_t entries, int64_t features, gnt_err *err);
/* 1 for a round of which it takes what the clients would have sent without a defense. */
int gnt_record_compares(const gnt_record *r, int32_t round);
int gnt_record_compared(gnt_record *r, const gnt_fl_round *round, gnt_err *err);
void gnt_record_added(gnt_record *r, const gnt_fl_totals *totals);
/* The state of a drawn client before its work, as carry.h writes it for round 0. */
int gnt_record_state(gnt_record *r, int32_t round, const gnt_st *state, gnt_err *err);
/* 1 where encodings are recorded, of which every client's are to be handed over. */
int gnt_record_wants_encodings(const gnt_record *r);
/* Those of one pass, numbered over the whole training. */
int gnt_record_encodings(gnt_record *r, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                         gnt_err *err);

/* Writes both outputs; `diverged`: the training ended early, and what is missing is left out. */
int gnt_record_write(gnt_record *r, int diverged, gnt_err *err);

/* 1 where what hooks did to n other updates at that round is not what they did in the training (its output "treatments", the
 * rounds next to it), with a sentence. */
int gnt_record_differs(const gnt_st *treatments, int32_t round, const gnt_fl_treatment *t, int64_t n,
                       gnt_err *says);

/* ---- reading ---- */

/* One stage of both bundles, checked; members point into them. */
typedef struct gnt_recorded {
    int64_t targets, members, n; /* members: M; n: samples computed with */
    int whole;
    const int64_t *client, *rows;
    const int64_t *count,
        *set; /* of encodings: how many of each client, and the set_size rows that each holds */
    int64_t set_size;
    const float *update, *labels, *rates, *encoded_x, *encoded_y;
    int64_t encodings; /* N */
} gnt_recorded;

int gnt_recorded_read(gnt_recorded *out, const gnt_st *record, const gnt_st *held, const gnt_model *m,
                      int32_t stage, int32_t steps, int64_t client_rows, gnt_err *err);

/* Adds what the encodings of drawn client j are said to be made of, as weight.J and source.J. */
int gnt_recorded_claims(const gnt_st *held, int32_t stage, int64_t j, gnt_st *out, gnt_err *err);

#endif
