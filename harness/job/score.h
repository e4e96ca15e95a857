/* score: what the files of the score job share. */
#ifndef GNT_JOB_SCORE_H
#define GNT_JOB_SCORE_H

#include "job/work.h"
#include "metric/image.h"
#include "metric/label.h"
#include "metric/rows.h"

typedef struct score_target { /* one private sample */
    int has_image, has_label, has_attribute;
    gnt_metric_image image;
    const float *recovered; /* NULL when missing */
    double hit, rank;
    double label_right; /* of a batch: the share of its labels that were told */
    int attribute_right;
    int32_t attribute_truth, attribute_told;
    int has_contribution; /* of the client behind it; of a transcript each client is a target */
    double contribution_error;
    const double *contribution_told, *contribution_truth; /* score.entries each; told may be NULL */
} score_target;

typedef struct score {
    gnt_work *work;
    gnt_key key;
    gnt_sampleset targets, public_data, clients;
    gnt_st answer, seen, given; /* given: to the secure sum */
    int64_t observations, batch,
        n;      /* n = observations × batch private samples, or the clients of a transcript */
    int of_all; /* the one observation is a transcript, of all clients */
    const double *contribution; /* clients_in_sum × entries, in `given` */
    int64_t clients_in_sum, entries;
    double contribution_rank;  /* NaN where there is no order */
    double contribution_blind; /* the error of a guess without looking */
    gnt_metric_shape shape;
    int is_image;
    size_t candidates;
    score_target *target;
    int32_t attribute, attribute_values;
    int32_t *attribute_truth, *attribute_told; /* one for each observation */
} score;

/* Rows of a table of floats that lies in memory; `table` is kept by reference. */
typedef struct score_table {
    const float *x;
    size_t features;
} score_table;
gnt_metric_rows score_rows(const score_table *table, size_t n);

int score_read_contributions(score *s, gnt_err *err);
int score_contributions(score *s, gnt_err *err); /* score_contribution.c */
int score_write(score *s, gnt_err *err);         /* score_write.c */
int score_images(score *s, gnt_err *err);        /* score_images.c */

#endif
