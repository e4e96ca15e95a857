/* observations: a bundle of observations ("seen", "shadow_seen", "history.K"), and observation j of it as the
 * plugin ABI shows it.
 *
 * Ownership: a gnt_observations owns its bundle and views; gnt_observations_free frees them. The model is the
 * caller's.
 * Errors: −1 with a sentence. Bundles are not trusted: everything is checked against the model. */
#ifndef GNT_JOB_OBSERVATIONS_H
#define GNT_JOB_OBSERVATIONS_H

#include "job/work/work.h"

typedef struct gnt_observations {
    gnt_st st;
    const gnt_work_model *model;
    /* How many. */
    int64_t n;
    /* What all of them share, and of the one at hand the samples, common.n. */
    gnt_observation common;
    /* The most samples of an observation; of each, where they differ, how many it is of, and rows behind it.
     * NULL: `most`, and what the job that observes says. Tables of samples have `most` rows for each. */
    int64_t most, *used, *rows;
    /* What `common` points to, set to one observation at a time. */
    gnt_samples encoded;
    gnt_transcript transcript;
    gnt_view representation;
    gnt_views representation_list, update_list, statistic_list;
    /* One view for each shared parameter, and for each running statistic that clients send. */
    gnt_view *update, *statistic;
    /* n × gnt_model_shared_size and n × gnt_model_buffer_size, in the bundle; the latter NULL where none are
     * sent. */
    const float *updates, *sent_buffers;
    /* n: 0: the client withheld its running statistics. */
    const int64_t *sends_buffers;
    /* Where sets were encoded: samples of each set, and how many sets there are; else 0. */
    int64_t set, sets;
    /* sets + 1 entries: the first encoding of each set, then the number of encodings. */
    int64_t *first;
} gnt_observations;

/* Reads input `name` of the work. */
int gnt_observations_open(gnt_observations *out, gnt_work *w, const char *name, const gnt_work_model *m,
                          gnt_err *err);
/* Opens the observations of a chain's second attack: each set's recovered encodings, as encodings. Reads
 * these inputs: seen              the setting and the broadcast weights, and nothing else that was
 * observed recovered         the first attack's answer recovered_labels  labels of the encodings, where
 * they were granted */
int gnt_observations_open_recovered(gnt_observations *out, gnt_work *w, const gnt_work_model *m,
                                    gnt_err *err);
void gnt_observations_free(gnt_observations *s);
/* Returns observation j. Its pointers are valid until the next call. */
gnt_observation gnt_observations_at(gnt_observations *s, int64_t j);

#endif
