/* classic: shared by the attacks that infer an attribute by a classical classifier. They read updates as
 * attr-nn does, learn from the training part of the table, report their accuracy on its validation part, and
 * answer with one score for each value. */
#ifndef ATTRIBUTE_CLASSIC_H
#define ATTRIBUTE_CLASSIC_H

#include "shared/attribute/attr_parameters.h"

/* The beginning of such a plugin's struct. */
typedef struct classic {
    const gnt_host *host;
    attr_reading reading;
    int64_t balanced; /* rare values count as much as common ones, in training and in validation */
} classic;

/* Computes the scores of one standardised vector, one for each value of the attribute. */
typedef void (*classic_scores)(const void *classifier, const float *x, float *scores);

/* Rows for the member `base` of the plugin's struct T. */
#define CLASSIC_MEMBERS(T)                                                                                   \
    ATTR_POOLING_MEMBERS(T, base.reading),                                                                   \
        ATTR_JUDGING_MEMBERS(T, base.reading, base.balanced,                                                 \
                             "on which the fact validation_accuracy is measured; 0: it is not")

/* Makes the table for an attack's prepare, and writes its mean and scale as artefacts. The caller calls
 * attr_source_close also after a failure. */
gnt_status classic_table(const classic *c, attr_source *from, attr_table *t, const gnt_attack_prepare *in,
                         const gnt_sink *out);
/* Computes the accuracy on the table's validation part; if balanced, its mean over the values there; NaN
 * without one. */
gnt_status classic_accuracy(const classic *c, const attr_table *t, classic_scores scores,
                            const void *classifier, double *accuracy);
/* Reports the facts "inputs" and, if there is a validation part, "validation_accuracy". */
gnt_status classic_judge(const classic *c, const attr_table *t, classic_scores scores,
                         const void *classifier);

/* Reads the standardised vector of the observation, scratch of the hook. */
gnt_status classic_see(const classic *c, const gnt_observation *seen, const gnt_artefacts *own,
                       const float **x, int64_t *columns);
gnt_status classic_answer(const classic *c, const gnt_observation *seen, const float *x,
                          classic_scores scores, const void *classifier, const gnt_answer *answer);

/* A network as a classifier. */
typedef struct classic_net {
    attr_net net;
    float *room; /* layers of a forward pass */
} classic_net;
/* Allocates `room`, scratch of the hook. */
gnt_status classic_net_open(classic_net *n, const gnt_host *host);
/* Computes the scores of a classic_net; a classic_scores. */
void classic_net_scores(const void *classifier, const float *x, float *scores);

/* True if all entries of an artefact are finite. */
int classic_finite(const gnt_view *v);
/* True if it has `rows` × `columns` entries; `rows` −1: any number except 0. */
int classic_matrix(const gnt_view *v, int64_t rows, int64_t columns);
/* Fails because the artefacts are not `what` for this attribute. */
gnt_status classic_foreign(const gnt_host *host, const char *what);

#endif
