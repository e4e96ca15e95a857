/* attack: what loda-inverse and loda-kkt have in common: a batch of encodings, a search on it, the answer. */
#ifndef LODA_ATTACK_H
#define LODA_ATTACK_H

#include "invert.h"
#include "search.h"

/* One hook's work. Its memory is the hook's, its functions end with attack_close. */
typedef struct attack_job {
    const gnt_host *host;
    known known;
    inversion inversion;
    search search; /* steps, rate and how are the caller's to set */
    float *x;      /* a batch: the start, then the result */
} attack_job;

/* Knows the defense and makes everything for batches of n; `like` holds what differs
 * between attacks: kkt, tv, edge. */
gnt_status attack_open(attack_job *j, const gnt_host *host, const gnt_observation *seen,
                       const inversion *like, int64_t n);
void attack_close(attack_job *j);

/* Fills x, n × pixels, with where the searches for `encoded` begin. */
typedef void (*attack_start)(void *context, const float *encoded, int64_t n, float *x);

/* Answers the encodings of the observation: batch by batch from where `start` says, with the search's
 * settings. The last batch is filled up with the last encoding. */
gnt_status attack_answer(attack_job *j, const gnt_observation *seen, const gnt_answer *answer,
                         attack_start start, void *context);

/* Pairs of shadow images and their encodings: image i of at most `most`, from where it stands. NULL where the
 * adversary was given none. */
typedef struct attack_pair {
    const float *encoded, *x;
} attack_pair;
gnt_status attack_pairs(const gnt_host *host, const gnt_attack_prepare *in, int64_t pixels, int64_t most,
                        attack_pair **pair, int64_t *n);

/* A search on pairs whose images are known: what it comes to after several numbers of steps. */
enum { ATTACK_STOPS = 5 };
typedef struct attack_trial {
    attack_job *job; /* open for n images; its search is set but for `steps` */
    const attack_pair *pair;
    int64_t n;
    float *encoded, *start; /* n × pixels: of the pairs, and where the searches begin */
    double *total;
    const int64_t *stop; /* rising; 0 stands for the start itself */
    int n_stops;
    double error[ATTACK_STOPS]; /* squared distance to the images, at each */
} attack_trial;

/* Copies the pairs' encodings and makes room for their starts, which the caller fills in. */
gnt_status attack_trial_open(attack_trial *t, attack_job *job, const attack_pair *pair, int64_t n,
                             const int64_t *stop, int n_stops);
/* Searches with the job's settings and fills `error`. */
gnt_status attack_trial_run(attack_trial *t);

/* The tensor of that name and size among the attack's own artefacts, or NULL. */
const float *attack_artefact(const gnt_artefacts *own, const char *name, int64_t count);

#endif
