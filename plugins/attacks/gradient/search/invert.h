/* What the files of invert-gradients and lrp-search share: the attack, its settings, and one search.
 *
 * A search looks for the batch x (n × features, image space) over unknowns q. Without the Gaussian of public
 * images q is x in the model's normalised space, kept in the valid box; with it q are the coefficients w of
 * image_prior.h, for each sample in turn. Where the client's rates are searched too, their s_i of log_rates.h
 * follow, and where the labels are, their logits (soft_labels.h). */
#ifndef GRADIENT_INVERT_H
#define GRADIENT_INVERT_H

#include "cost/data_term.h"
#include "cost/known_features.h"
#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"
#include "prior/image_prior.h"
#include "prior/prior.h"
#include "cost/statistics.h"

/* The choices of the parameter `signed`, in its order. */
enum { SIGNED_AUTO, SIGNED_ALWAYS, SIGNED_NEVER };
extern const char *const invert_signed_choices[];

/* The choices of the parameter `prior`, in its order. */
enum { PRIOR_AUTO, PRIOR_TV, PRIOR_GAUSSIAN, PRIOR_CLASS_GAUSSIAN };

/* The choices of the parameter `aim`, in its order. */
enum { AIM_ERROR, AIM_IDENTITY };

enum { INVERT_ROUNDS = 9 }; /* observations of one client that are matched together: eight earlier ones */

typedef struct invert {
    const gnt_host *host;
    /* parameters, as the tables explain them: of all, */
    int64_t steps, signs, restarts;
    double rate, decay, tv;
    gnt_list milestones;
    match_choice choice;
    int64_t cost, prior, aim; /* of invert-gradients, */
    double prior_weight, group, features;
    double bn;                /* and of those of likely_search.h; */
    int64_t rates;            /* of lrp-search, */
    int64_t optimiser, plain; /* of those of likely_search.h */

    data_function data[INVERT_ROUNDS]; /* the observation's own first */
    statistics_function statistics;
    features_function known_features;
} invert;

/* The prior of the cost, and its weight: a multiple of the one that the probabilities give if the cost is a
 * likelihood, else of the parameter `tv`. */
typedef struct prior_setting {
    int kind; /* a PRIOR_* other than auto */
    double weight;
} prior_setting;

/* Public images as priors are made of them; the last `trials` are kept out. */
typedef struct public_images {
    const float *x, *y; /* y NULL where their classes are not the model's */
    int64_t n, features, trials;
    int32_t classes;
    double difference; /* mean magnitude of neighbours' differences, in image space; 0 without images */
    image_gaussian all, *of_class; /* n is 0 where it was not made yet */
} public_images;

/* Opens the public images that this model can use; keeps at most `trials` for trials. public_data may be
 * NULL. GNT_OK, or a status after host->fail. */
gnt_status public_images_open(public_images *p, const gnt_host *host, const gnt_samples *public_data,
                              int64_t trials);

/* Fits the Gaussian of a class that has at least 8 images, else of all; once each, kept in p.
 * GNT_UNSUPPORTED, after host->fail, if there are fewer than 8 in all. */
gnt_status public_images_gaussian(public_images *p, const gnt_host *host, int64_t label,
                                  const image_gaussian **out);

typedef struct search {
    invert *self;
    const gnt_answer *answer; /* NULL: a trial, whose costs nobody wants */
    int64_t n, features, channels, height, width;
    float *mean, *deviation; /* per channel (or feature); 0 and 1 without normalisation */
    int image;
    const float *y; /* n × classes */
    /* rounds that are matched together; n_terms of them count */
    data_term term[INVERT_ROUNDS];
    int n_terms;
    statistics statistics;
    double bn; /* weight of the batch statistics; 0: none */
    known_features known_features;
    double features_weight; /* of these; 0: none */
    /* the prior */
    double tv, weight;
    const image_gaussian **gaussian; /* of each sample; NULL: none, q is z */
    int64_t *at;                     /* where sample i begins in q, n + 1 of them */
    int64_t n_rates;                 /* that are searched, behind the samples; 0: none are */
    double announced;                /* where they begin */
    /* s->y where its logits are searched, behind the rates, and the derivative by it; else NULL */
    float *y_sought, *d_y;
    /* n × features each, or NULL: what is known of the samples, which is 1 in `known` and stays as it is in
     * `given`; about where the search begins, elsewhere */
    const uint8_t *known;
    const float *given, *begin;
    int is_near; /* `begin` is near the batch: steps are shorter, and images smoother */
    /* L-BFGS in place of Adam: q is not cut to the box, and the prior is the smooth one of prior.h */
    int by_lbfgs;
    prior smooth;
    double smooth_weight;
    float *x, *d_x;
    int with_signs; /* Adam sees the signs of the gradient only */
    /* the best so far */
    float *winner, *winner_rates;
    /* its unknowns, where the owner set room for them (search_size); and those that the first restart begins
     * at, NULL: begin, or noise */
    float *winner_q;
    const float *begin_q;
    double least;
    int32_t chosen;
    int64_t done, total; /* steps, for progress */
    int early;           /* a restart ended before its steps were taken */
} search;

/* Opens a search with the data term of `seen` alone. y is the caller's and must outlive the search. */
gnt_status search_open(search *s, invert *self, const gnt_observation *seen, const float *y, int cost,
                       const granted_defense *granted);

/* Returns the steps that a search of this observation may take: the suite's budget, else a restart's. */
int64_t search_steps(const invert *self, const gnt_observation *seen);

/* Fills y with the labels of the batch as granted, else as read off the update. y: the one of search_open.
 * GNT_OK, or a status after host->fail. */
gnt_status search_labels(search *s, const gnt_observation *seen, float *y);

/* Binds earlier rounds, the latest first. count: samples of each class in the observation's own batch; rounds
 * with other counts are left out. The same data are not required: what the search finds decides. NULL: all
 * rounds are taken to be of the same samples. GNT_OK, or a status after host->fail. */
gnt_status search_history(search *s, const gnt_observation *seen, const granted_defense *granted,
                          const int64_t *count);

/* Binds the batch-norm statistics that the batch is to have, by the parameter `bn`: those granted, else those
 * that the client sent, else the model's running ones. Reports the facts `bn`, their weight, and
 * `bn_observed`, 1 if the client sent them. GNT_OK, or a status after host->fail. */
gnt_status search_statistics(search *s, const gnt_observation *seen);

/* Binds the features that the samples are to have, by the parameter `features`, as far as the update
 * determines them (dense_features.h), and begins the search at what public images make of them
 * (feature_inverse.h). y: the one of search_open, which is filled with labels where *labelled: samples found
 * have places in the steps that used them. Reports the facts `features_exact`, `features_known` and, of
 * local steps, `order_known`. GNT_OK, or a status after host->fail. */
gnt_status search_features(search *s, const gnt_observation *seen, float *y, int *labelled);

/* Makes the rates of the steps unknowns of the next searches, in whose first evaluation all are the announced
 * one. Of one step there is nothing to search: its rate is a common factor. GNT_OK, or a status after
 * host->fail. */
gnt_status search_rates(search *s, const gnt_observation *seen);

/* Makes the labels unknowns of the next searches; y: the one of search_open. For the costs DATA_WHITENED and
 * DATA_PLAIN of an instance whose data functions are by_labels. GNT_OK, or a status after host->fail. */
gnt_status search_soft_labels(search *s, float *y);

/* True if the cost is a negative log-likelihood, up to a constant. */
int search_is_likely(const search *s);

/* Chooses the prior of the next searches. GNT_OK, or a status after host->fail. */
gnt_status search_use(search *s, const prior_setting *setting, public_images *images);

/* Runs `restarts` searches of `steps` each: one after another, or, if the weight `group` is not 0, in
 * parallel and drawn towards their mean. Resets s->least, then sets s->winner to the batch of least cost
 * and s->least to that cost. */
gnt_status search_run(search *s, int64_t restarts, int64_t steps, double group);

/* Says why the search ended. */
void search_report_end(const search *s, const gnt_observation *seen);

/* True if the model has layers whose derivative is discontinuous. */
int search_has_kinks(const gnt_model_info *model);

/* Computes each data term's mean cost at x, the prior left out; cost: one for each round. GNT_OK, or a
 * status after host->fail. */
gnt_status search_costs(search *s, const float *x, double *cost);

/* ---- of the files of the search alone ---- */

/* Returns the number of entries of q. */
int64_t search_size(const search *s);
/* Sets q to where this restart begins. */
void search_begin(search *s, int32_t restart, float *q);
/* Computes the cost at q, its gradient, and the batch s->x of q. */
gnt_status search_evaluate(search *s, const float *q, double *cost, float *grad);
/* Keeps s->x, which was made of q, where this is the least cost so far. */
void search_keep(search *s, int32_t restart, const float *q, double cost);
/* Clamps q to what [0, 1] is in normalised space. */
void search_into_box(const search *s, float *q);
/* Runs one restart of about `steps` evaluations by L-BFGS, from q. GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status search_descend(search *s, int32_t restart, int64_t steps, float *q);

/* ---- the choice by trial ---- */

/* Chooses the setting that is best on simulated observations and leaves it as an artefact, or leaves
 * nothing if the grants do not suffice to simulate them. It is the hook prepare. */
gnt_status invert_prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out);

/* Reads what prepare left; 0 where there is none. */
int invert_setting_read(const gnt_artefacts *own, prior_setting *setting);

/* Public images that prepare tries settings on, and that no prior is made of. */
enum { INVERT_TRIALS = 4 };

#endif
