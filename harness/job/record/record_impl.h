/* record_impl: what the files of the record share. */
#ifndef GNT_JOB_RECORD_IMPL_H
#define GNT_JOB_RECORD_IMPL_H

#include "job/record/record.h"

enum { NAME_SIZE = 64, TREATMENT = GNT_RECORD_TREATMENT, MOST_TREATMENTS = 1 << 22 };

/* What one drawn client computed its update from: its rows of the clients' samples, and labels. */
typedef struct recorded_batch {
    int64_t n, n_y, classes;
    int64_t *row;
    float *y;
    int whole;
} recorded_batch;

typedef struct recorded_stage {
    int32_t round;
    /* `targets` of them, drawn. */
    int32_t *client;
    /* The data behind the update of each, once it was received. */
    recorded_batch *batch;
    /* The encoded set of each, where encodings are recorded; else NULL. */
    gnt_encoded_set *encoded;
    gnt_fl_round compared;
    int is_compared;
} recorded_stage;

struct gnt_record {
    gnt_work *work;
    const gnt_partition *part;
    int64_t targets, n_shared, n_buffers, epochs, influence;
    gnt_fl_config config;
    int encodings, defended;
    /* Receipts with running statistics, and how many of these were sent as the host computed them. */
    int64_t with_statistics, in_the_clear;
    /* Receipts of updates, those that are zero throughout, and of the observed ones those that would not have
     * been zero without the defense. */
    int64_t received, zero, withheld;
    recorded_stage *stage;
    size_t n_stages;
    gnt_st record, behind;
    gnt_fl_totals added;
    /* Found so far. */
    json_t *marks;
    /* Tensors of `record` and `behind` when the training began, which an earlier one had too. */
    size_t first_of_record, first_behind;
    /* n_treated × TREATMENT. */
    float *treatment;
    int64_t n_treated, room;
};

#endif
