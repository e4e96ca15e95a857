/* shuffle_labels: labels of others, for a training that shows what utility is left without true labels. */
#ifndef GNT_JOB_SHUFFLE_LABELS_H
#define GNT_JOB_SHUFFLE_LABELS_H

#include "job/work/work.h"

/* Gives each sample the label of another one, by a stream of the key. −1: out of memory, with a sentence. */
int gnt_shuffle_labels(gnt_sampleset *clients, const gnt_key *key, gnt_err *err);

#endif
