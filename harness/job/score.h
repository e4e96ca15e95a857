/* score: what the files of the score job share. */
#ifndef GNT_JOB_SCORE_H
#define GNT_JOB_SCORE_H

#include "job/work.h"
#include "metric/features.h"
#include "metric/image.h"
#include "metric/label.h"

/* Measures that a suite must ask for: those of gnt_lpips_names, and the feature distance. */
enum { SCORE_FEATURES = GNT_LPIPS_NETS, SCORE_JUDGES };
extern const char *const score_judge_names[SCORE_JUDGES];

typedef struct score_target { /* one private sample: of a set, the one that an answer was assigned to */
    int64_t member;           /* row of `targets`; −1: no answer, so that none of the set is meant */
    int64_t mean_member;      /* the same for the mean public image */
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
    const gnt_request_score *ask;
    gnt_key key;
    gnt_sampleset targets, public_data, clients;
    gnt_st answer, seen, given; /* given: to the secure sum */
    int64_t observations, batch,
        n; /* n = observations × batch private samples, or the clients of a transcript */
    /* Rows of `targets` of which an observation may show any; `batch`: it shows just these. Rows that are judged in all,
     * and the first one of each observation; first NULL: those of the observations lie one after the other. */
    int64_t members, rows, *first;
    int64_t *place;             /* of each row among the candidates of identification; NULL: its own number */
    float *mean;                /* the mean public image; NULL: there is none */
    double *shown_below;        /* score_claims.c's alone */
    int of_all;                 /* the one observation is a transcript, of all clients */
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
    json_t *facts; /* numbers of the whole cell, by name */
    json_t *marks; /* what a reader of the numbers has to know: [{"what", "says"}, …] */
} score;

/* ---- score_answer.c ---- */
/* Tensor KIND.J of the answer, rows × columns; NULL: it was not answered so. */
const float *score_answer(const score *s, const char *kind, int64_t j, int64_t columns, int64_t *rows);

/* Rows of a table of floats that lies in memory; `table` is kept by reference. */
typedef struct score_table {
    const float *x;
    size_t features;
} score_table;
gnt_metric_rows score_rows(const score_table *table, size_t n);

int score_reconstructions(score *s, gnt_err *err); /* score_reconstruction.c */
int score_attributes(score *s, gnt_err *err);      /* score_attribute.c */

/* score_members.c: whether answers are assigned to members of larger sets, the rows behind observation j, and the sample
 * that target i stands for (any of the set's where there was no answer). */
int score_by_members(const score *s);
int64_t score_first(const score *s, int64_t j);
const float *score_truth(const score *s, int64_t i);
/* Judges the answers x (count of them) to observation j, and what the mean image would score there. */
int score_judge_members(score *s, int64_t j, const float *x, int64_t count, gnt_err *err);
/* The rows that labels and attributes of observation j are compared with: those its images were assigned to, else the whole
 * set. row has room for `members`; returns how many. */
int64_t score_rows_behind(const score *s, int64_t j, int64_t *row);
int score_mean_image(score *s, gnt_err *err);

/* score_candidates.c: what identification chooses among, as rows of one table that is to be freed. */
int score_candidates(score *s, float **rows, size_t *n, gnt_err *err);

/* score_label.c */
int score_labels(score *s, gnt_err *err);
int score_label_chance(const score *s, double *chance, gnt_err *err);

int score_floors(score *s, json_t *floors, json_t *chance, gnt_err *err); /* score_floors.c */

/* score_claims.c: what a defense says of its encodings, beside what they show. Numbers and a mark, never a score. */
int score_claims(score *s, gnt_err *err);

/* score_sets.c. Opening also settles the rows behind each observation. */
int score_open_sets(score *s, gnt_err *err);
/* weight (encodings × set) or source of a set, as check_mixing found them sound. */
const gnt_st_tensor *score_mixing(const score *s, const char *kind, int64_t set);
void score_close_sets(score *s);
int score_sets(score *s, const gnt_metric_rows *candidates, gnt_err *err);
int64_t score_n_sets(const score *s);
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
