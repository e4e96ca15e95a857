/* loda_attack: shared by loda-inverse and loda-kkt: a batch of encodings, a search on it, the answer. */
#ifndef LODA_ATTACK_H
#define LODA_ATTACK_H

#include "inversion.h"
#include "image_search.h"

/* The work of one hook. Its memory is scratch of the hook; attack_close closes its functions. */
typedef struct attack_job {
    const gnt_host *host;
    known known;
    inversion inversion;
    search search; /* the caller sets steps, rate and how */
    float *x;      /* a batch: the start, then the result */
} attack_job;

/* Reads the defense and prepares batches of n; `like` has the settings that differ between attacks: kkt, tv,
 * edge. */
gnt_status attack_open(attack_job *j, const gnt_host *host, const gnt_observation *seen,
                       const inversion *like, int64_t n);
void attack_close(attack_job *j);

/* Fills x, n × pixels, with the starts of the searches for `encoded`. */
typedef void (*attack_start)(void *context, const float *encoded, int64_t n, float *x);

/* Answers the encodings of the observation batch by batch, from the images of `start`, with the search's
 * settings. The last batch is filled up with the last encoding. */
gnt_status attack_answer(attack_job *j, const gnt_observation *seen, const gnt_answer *answer,
                         attack_start start, void *context);

/* A shadow image and its encoding. */
typedef struct attack_pair {
    const float *encoded, *x;
} attack_pair;
/* Lists at most `most` pairs of the shadow observations. */
gnt_status attack_pairs(const gnt_host *host, const gnt_attack_prepare *in, int64_t pixels, int64_t most,
                        attack_pair **pair, int64_t *n);

/* A search on pairs whose images are known, and its error after several numbers of steps. */
enum { ATTACK_STOPS = 5 };
typedef struct attack_trial {
    attack_job *job; /* open for n images; its search is set except `steps` */
    const attack_pair *pair;
    int64_t n;
    float *encoded, *start; /* n × pixels: of the pairs, and the starts of the searches */
    double *total;
    const int64_t *stop; /* ascending; 0: the start itself */
    int n_stops;
    double error[ATTACK_STOPS]; /* squared distance to the images, at each */
} attack_trial;

/* Copies the pairs' encodings and allocates their starts, which the caller fills in. */
gnt_status attack_trial_open(attack_trial *t, attack_job *job, const attack_pair *pair, int64_t n,
                             const int64_t *stop, int n_stops);
/* Searches with the job's settings and fills `error`. */
gnt_status attack_trial_run(attack_trial *t);

#endif
