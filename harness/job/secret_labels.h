/* secret_labels: a rule on labels that clients' samples alone show.
 *
 * A model that lies in a plugin's file, or comes from public data, is as good as one that clients trained,
 * and no attack finds private data in it. So the control training of a task gives the clients and the test a
 * rule that nobody knows before the training: samples whose projection on a random direction lies in the
 * highest tenth of the clients' have one label, that of a random class. A model that predicts it on such test
 * samples learnt it from clients. All other samples (public, shadow) keep their labels: to remove those in
 * the tenth would show the direction. One label for all, so that a network of any depth learns the rule in
 * few rounds.
 *
 * The direction is a random combination of the clients' samples less their mean, so that samples differ along
 * it as they do among each other. Direction and label are drawn under the key of the training, which no
 * process with a plugin has.
 *
 * Ownership: an open gnt_secret_labels owns its arrays. Errors: −1 with a sentence. */
#ifndef GNT_JOB_SECRET_LABELS_H
#define GNT_JOB_SECRET_LABELS_H

#include "base/random.h"
#include "job/work/sampleset.h"
#include "metric/secret.h"

typedef struct gnt_secret_labels {
    int32_t classes;
    /* The label that the rule gives. */
    int32_t label;
    /* It gives it to samples with a projection above the limit. */
    double *direction, limit;
    int64_t features;
} gnt_secret_labels;

/* Draws the rule. clients: samples with labels of at least two classes. */
int gnt_secret_labels_open(gnt_secret_labels *s, const gnt_key *key, const gnt_sampleset *clients,
                           gnt_err *err);
void gnt_secret_labels_free(gnt_secret_labels *s); /* leaves it empty; an empty one is allowed */

/* Sets hit[i] to 1 for each sample that the rule is about, else to 0. */
void gnt_secret_labels_find(const gnt_secret_labels *s, const gnt_samples *samples, uint8_t *hit);
/* Gives the samples with hit[i] the rule's label. */
void gnt_secret_labels_change(const gnt_secret_labels *s, gnt_sampleset *samples, const uint8_t *hit);
/* Counts predictions. label: before the change; outputs: samples × classes, of which the greatest is
 * predicted. */
gnt_secret_counts gnt_secret_labels_count(const gnt_secret_labels *s, const int32_t *label,
                                          const uint8_t *hit, const float *outputs, int64_t n);

#endif
