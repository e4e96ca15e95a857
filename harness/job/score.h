/* score: what the files of the score job share. */
#ifndef GNT_JOB_SCORE_H
#define GNT_JOB_SCORE_H

#include "job/work.h"
#include "metric/features.h"
#include "metric/image.h"
#include "metric/label.h"
#include "metric/rows.h"

/* Measures that a suite must ask for: those of gnt_lpips_names, and the feature distance. */
enum { SCORE_FEATURES = GNT_LPIPS_NETS, SCORE_JUDGES };
extern const char *const score_judge_names[SCORE_JUDGES];

typedef struct score_target { /* one private sample */
    int has_image, has_label, has_attribute;
    gnt_metric_image image, region; /* region: of the sensitive rectangle, where there is one */
    const float *recovered;         /* NULL when missing */
    double apart[SCORE_JUDGES];     /* where score.judged */
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
    gnt_region region; /* height 0: none */
    int is_image;
    size_t candidates;
    int judged[SCORE_JUDGES];
    double mean_apart[SCORE_JUDGES];  /* of the mean public image, over targets; NaN without public images */
    char unjudged[SCORE_JUDGES][300]; /* why not, "" where nobody asked */
    score_target *target;
    int32_t attribute, attribute_values;
    int32_t *attribute_truth, *attribute_told; /* one for each observation */
    /* where sets were encoded */
    uint32_t surface;
    int chained;   /* the answer is to encodings that an earlier attack recovered */
    int64_t set;   /* samples encoded together, 0: none */
    int as_sets;   /* an observation is a set of encodings, its batch the set; else it is of one encoding */
    gnt_st mixing; /* what encodings are made of */
    gnt_sampleset originals; /* targets as they were; empty: `targets` holds them */
    int64_t *right;          /* n: row of each target among the originals; NULL: its own */
    json_t *facts;           /* numbers of the whole cell, by name */
} score;

/* Rows of a table of floats that lies in memory; `table` is kept by reference. */
typedef struct score_table {
    const float *x;
    size_t features;
} score_table;
gnt_metric_rows score_rows(const score_table *table, size_t n);

/* score_sets.c. Opening also settles which samples are the targets. */
int score_open_sets(score *s, gnt_err *err);
void score_close_sets(score *s);
int score_sets(score *s, const gnt_metric_rows *candidates, gnt_err *err);
/* The encoding, or the update, that shows most of target i; −1: none. */
int64_t score_encoding_of(const score *s, int64_t i);

int score_read_contributions(score *s, gnt_err *err);
int score_contributions(score *s, gnt_err *err); /* score_contribution.c */
/* score_region.c: after the reconstructions; and the regions of n images, as a fresh array. */
int score_regions(score *s, gnt_err *err);
int score_crop(const score *s, const float *images, int64_t n, float **out, gnt_err *err);
int score_judges(score *s, gnt_err *err); /* score_judges.c */
int score_write(score *s, gnt_err *err);  /* score_write.c */
int score_images(score *s, gnt_err *err); /* score_images.c */

#endif
