/* score: what the files of the score job share.
 *
 * Ownership: the `score` of gnt_job_score owns all its members, which that function frees at its end;
 * pointers of a score_target borrow from it. Errors: −1 with a sentence. */
#ifndef GNT_JOB_SCORE_H
#define GNT_JOB_SCORE_H

#include "job/work/work.h"
#include "metric/features.h"
#include "metric/identify.h"
#include "metric/image.h"
#include "metric/label.h"
#include "result/result.h"

/* Runs the job `score` (job.h). */
int gnt_job_score(gnt_work *w, gnt_err *err);

/* How networks compare images, which a suite must request: by those of gnt_lpips_names, and by the features
 * and the representation of ones that gauntlet trained. */
enum { SCORE_FEATURES = GNT_LPIPS_NETS, SCORE_REPRESENTATION, SCORE_JUDGES };
extern const char *const score_judge_names[SCORE_JUDGES];

enum { SCORE_MOST_FACTS = 32, SCORE_MOST_UNKNOWN = 8 };

/* One private sample, or of a set the one that an answer was assigned to, or one client of a transcript. */
typedef struct score_target {
    /* Row of `targets`. −1: there is no answer, so no sample of the set is meant. */
    int64_t member;
    /* The row that the mean public image is assigned to. */
    int64_t mean_member;
    int has_image, has_label, has_attribute;
    gnt_metric_image image;
    /* The same measures on the sample's sensitive region, where it has one. */
    int has_region;
    gnt_metric_image region;
    /* NULL: there is no answer. */
    const float *recovered;
    /* By each network, where judges.judged; of the region by those of LPIPS, where region_judges.judged. */
    double distance[SCORE_JUDGES], region_distance[GNT_LPIPS_NETS];
    /* Identification: 1 where the candidate nearest to the answer is this sample, and its place among all. */
    double hit, rank;
    /* The share of the batch's labels that the answer has. */
    double label_share;
    int attribute_hit;
    int32_t attribute_truth, attribute_answer, attribute_renamed;
    /* The client behind the target; in a transcript each client is a target. */
    int has_contribution;
    double contribution_error;
    /* sum.entries each; contribution_answer may be NULL. */
    const double *contribution_answer, *contribution_truth;
} score_target;

/* Which rows of `targets` the observations are of. Set by score_sets.c when the job opens; n by score.c. */
typedef struct score_layout {
    /* n: targets, observations × batch private samples, or the clients of a transcript. Where a client used
     * fewer rows than the batch has, the last of its targets are of no row (score_is_target). */
    int64_t observations, batch, n;
    /* Rows that an observation may show, any `batch` of them. Equal to `batch`: it shows just these. */
    int64_t members;
    /* Rows in all. */
    int64_t rows;
    /* The first row of each observation. NULL: rows of the observations lie one after the other. */
    int64_t *first;
    /* How many rows each may show; the others of its `members` repeat them. NULL: `members`. */
    int64_t *count;
} score_layout;

/* Samples that were encoded together. size and chained are set by score.c, the rest by score_sets.c. */
typedef struct score_encoded_sets {
    /* Samples in a set; 0: none were encoded. */
    int64_t size;
    /* The answer is to encodings that an earlier attack recovered. */
    int chained;
    /* 1: an observation is a set of encodings, and its batch is the set. 0: it is of one encoding. */
    int as_sets;
    /* The claims: the samples and weights that encodings are said to be made of. */
    gnt_st mixing;
} score_encoded_sets;

/* What identification chooses among. Set by score_reconstruction.c. */
typedef struct score_choice {
    /* The place of each row among the candidates. NULL: its own number. */
    int64_t *place;
    size_t n;
} score_choice;

/* A secure sum. Set by score_contribution.c: rank and floor by score_contributions, the rest when the job
 * opens. */
typedef struct score_sum {
    /* The contributions that clients gave, and the bundle `targets` besides its samples. */
    gnt_st bundle, behind;
    /* clients × entries, in `bundle`. */
    const double *given;
    /* The client behind each observation of a round, in `behind`. NULL: observation j is of client j, modulo
     * their number. */
    const int64_t *client;
    int64_t clients, entries;
    /* Rank correlation; NaN where clients have no order. */
    double rank;
    /* The error of an answer that needs no observation. */
    double floor;
} score_sum;

/* Networks that compare images. Set by score_judges.c. */
typedef struct score_judged {
    int judged[SCORE_JUDGES];
    /* Mean over targets of the distance to the mean public image; NaN without public images. */
    double mean[SCORE_JUDGES];
    /* Why a requested network judged nothing; "" otherwise. */
    char unjudged[SCORE_JUDGES][300];
} score_judged;

/* As above, for the sensitive region and the networks of LPIPS. Set by score_region_judge.c. */
typedef struct score_region_judged {
    int judged[GNT_LPIPS_NETS];
    double mean[GNT_LPIPS_NETS];
} score_region_judged;

/* The attribute that is scored. index (−1: none) and values are set by score.c, the rest, one for each
 * observation, by score_attribute.c. */
typedef struct score_attributed {
    int32_t index, values;
    int32_t *truth, *answer, *renamed;
} score_attributed;

/* One run of the job. Set by score.c when the job opens unless a part says otherwise; score_all_rows.c makes
 * a second one of the same answer. */
typedef struct score {
    gnt_work *work;
    const gnt_request_score *request;
    gnt_sampleset targets, public_data, clients;
    /* Bundles: the answer, the observations ("seen"). */
    gnt_st answer, observed;
    /* The one observation is a transcript, of all clients. */
    int is_transcript;
    /* The samples behind the observations are not here: nothing is compared (score_withheld.c). */
    int withheld;
    gnt_metric_shape shape;
    int is_image;
    score_target *target;
    score_layout layout;
    score_encoded_sets sets;
    score_choice candidates;
    score_sum sum;
    score_judged judges;
    score_region_judged region_judges;
    score_attributed attribute;
    /* The mean public image. NULL: there are no public images. Set by score_members.c. */
    float *mean;
    /* The MSE of each row below which an image shows it. Set and used by score_claims.c. */
    double *mse_limit;
    /* Numbers of the whole cell, by name (score_add_fact), and what a reader of the numbers has to know. Any
     * file adds to them. */
    gnt_named_real fact[SCORE_MOST_FACTS];
    size_t n_facts;
    gnt_named_text unknown[SCORE_MOST_UNKNOWN]; /* facts that cannot be computed, each with the reason */
    size_t n_unknown;
    gnt_mark mark;
    int has_mark;
    /* Whose reconstructions count: its own, or those against all rows of the clients. Set by
     * score_all_rows.c, as is a word on it; NULL: it is not in question. */
    struct score *shown;
    const char *scored_against;
    /* A flag of each observation: nothing was sent. Set by score_silent.c when the job opens. */
    uint8_t *silent;
    int64_t n_silent;
    gnt_arena memory;
} score;

/* ---- score_answer.c ---- */

/* Returns tensor KIND.J of the answer, *rows × columns; NULL if there is none of that shape. */
const float *score_answer(const score *s, const char *kind, int64_t j, int64_t columns, int64_t *rows);

/* Rows of a table of floats in memory; `table` is kept by reference. */
typedef struct score_table {
    const float *x;
    size_t features;
} score_table;
gnt_metric_rows score_rows(const score_table *table, size_t n);

/* ---- score_members.c: answers that are assigned to members of larger sets ---- */

/* True if answers are assigned to members of larger sets. */
int score_by_members(const score *s);
/* Returns the first row behind observation j; score_members returns how many there are. */
int64_t score_first(const score *s, int64_t j);
int64_t score_members(const score *s, int64_t j);
/* Returns how many rows can be answered for observation j: the batch, or fewer if there are not so many. */
int64_t score_answers(const score *s, int64_t j);
/* True if target i stands for a row. The others have no score, and no part in a baseline or in chance. */
int score_is_target(const score *s, int64_t i);
/* Returns how many targets stand for rows. */
int64_t score_targets(const score *s);
/* Returns the sample that target i stands for, any of the set's if there was no answer; score_truth_row
 * returns its row. */
const float *score_truth(const score *s, int64_t i);
int64_t score_truth_row(const score *s, int64_t i);
/* Judges the answers x (count × features) to observation j, and what the mean image would score there. */
int score_judge_members(score *s, int64_t j, const float *x, int64_t count, gnt_err *err);
/* Lists the rows that labels and attributes of observation j are compared with: those that its images were
 * assigned to, else the whole set. Returns their number, at most `members`. */
int64_t score_rows_behind(const score *s, int64_t j, int64_t *row);
int score_mean_image(score *s, gnt_err *err);

/* ---- score_sets.c ---- */

/* Opens the claims, and settles the rows behind each observation. */
int score_open_sets(score *s, gnt_err *err);
void score_close_sets(score *s);
/* Returns the weight (encodings × set) or source (encodings) of a set, which were checked when they were
 * opened. */
const gnt_st_tensor *score_mixing(const score *s, const char *kind, int64_t set);
int score_sets(score *s, const gnt_metric_rows *candidates, gnt_err *err);
int64_t score_n_sets(const score *s);
/* Returns the encoding, or the update, that shows most of target i; −1 if there is none. */
int64_t score_encoding_of(const score *s, int64_t i);

/* ---- one file each ---- */

/* Collects what identification chooses among: rows of one table, freed with gnt_free (score_candidates.c). */
int score_candidates(score *s, float **rows, size_t *n, gnt_err *err);
/* Scores reconstructed images (score_reconstruction.c). */
int score_reconstructions(score *s, gnt_err *err);
/* Scores the regions of reconstructed images, after the images (score_region.c). */
void score_regions(score *s);
/* Returns the mask of a row of `targets`; NULL if they have none. */
const uint8_t *score_mask(const score *s, int64_t row);
/* True if the mask of the row marks a pixel; 0 if there are no masks. */
int score_has_region(const score *s, int64_t row);
/* Scores images by the distances of networks (score_judges.c). */
int score_judges(score *s, gnt_err *err);
/* Scores regions by a network of LPIPS, whose weights are an input of that name (score_region_judge.c). */
int score_judge_regions(score *s, gnt_lpips_net net, const gnt_st *weights, gnt_err *err);
/* Scores labels; score_label_chance computes their chance (score_label.c). */
int score_labels(score *s, gnt_err *err);
int score_label_chance(const score *s, double *chance, gnt_err *err);
/* Scores inferred attributes (score_attribute.c). */
int score_attributes(score *s, gnt_err *err);
/* Lists the true attributes and the answers of the observations that have a score; the caller frees both,
 * after an error too. */
int score_counted_attributes(const score *s, const int32_t *answer, int32_t **truth, int32_t **inferred,
                             size_t *n, gnt_err *err);
/* Reads the clients' parts of a secure sum; score_contributions scores answers to them
 * (score_contribution.c). */
int score_read_contributions(score *s, gnt_err *err);
int score_contributions(score *s, gnt_err *err);
/* Makes what results.json keeps as "points"; *out is NULL if there is nothing to draw (score_points.c). */
int score_points(score *s, gnt_points **out, gnt_err *err);
/* Scores again, after the goals, against all rows of the clients if an update depends on more than its
 * batch. `wide` is empty and becomes that second scoring, to be closed in any case (score_all_rows.c). */
int score_against_all_rows(score *s, score *wide, gnt_err *err);
void score_close_all_rows(score *wide);
/* score_floors.c: each adds an entry for each measure, of whole images or of regions; SCORE_MOST_FLOORS are
 * enough for both. */
enum { SCORE_MOST_FLOORS = 8 };
int score_image_floors(score *s, gnt_named_floor *floors, size_t *n, gnt_err *err);
int score_region_floors(score *s, gnt_named_floor *floors, size_t *n, gnt_err *err);
/* Settles how many samples are behind the observations, of which there is none to compare with
 * (score_withheld.c). */
int score_open_withheld(score *s, gnt_err *err);
/* Compares what a defense claims of its encodings with what they show; adds facts and a mark, never a
 * score (score_claims.c). */
int score_claims(score *s, gnt_err *err);
/* score_silent.c: finds the observations of nothing, and guesses at them. score_guess returns the images of
 * observation j, batch × features, which the arena owns; NULL after an error. */
int score_find_silent(score *s, gnt_err *err);
/* True if nothing was sent at observation j, and something at another: its targets have no score. */
int score_is_left_out(const score *s, int64_t j);
const float *score_guess(score *s, int64_t j, gnt_err *err);
/* Finds the place of the best single guess among the candidates, of which `right` is the right one. */
int score_identify_guess(score *s, gnt_metric_identity *who, const gnt_metric_rows *candidates, int64_t right,
                         gnt_err *err);
void score_guess_attributes(score *s);
/* Adds a fact; name: constant text (score_write.c). */
void score_add_fact(score *s, const char *name, double value);
void score_add_unknown(score *s, const char *name, const char *reason); /* reason: constant text */
int score_write(score *s, gnt_err *err);
/* Writes the images of a few targets, their reconstructions and regions (score_images.c). */
int score_images(score *s, gnt_err *err);

#endif
