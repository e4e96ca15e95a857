/* classic: what the attacks have in common that tell an attribute by a classical classifier. They read
 * updates as attr-nn does, learn from the training part of the table, say how often they are right on its
 * validation part, and answer with one score for each value. */
#ifndef ATTRIBUTE_CLASSIC_H
#define ATTRIBUTE_CLASSIC_H

#include "shared/attribute/parameters.h"

typedef struct classic {
    const gnt_host *host;
    attr_reading reading;
    int balanced; /* rare values count as much as common ones, in training and in validation */
} classic;

/* Scores of one standardised vector, one for each value of the attribute. */
typedef void (*classic_scores)(const void *classifier, const float *x, float *scores);

/* The last rows of such a plugin's table, and what reads their values. */
#define CLASSIC_ROWS                                                                                         \
    ATTR_POOLING_ROWS, ATTR_JUDGING_ROWS("on which the fact validation_accuracy is told; 0: none is")
void classic_open(classic *c, const gnt_host *host, const gnt_value *first);

/* The table of an attack's prepare, and its mean and scale as artefacts. To be closed by attr_source_close
 * whatever comes back. */
gnt_status classic_table(const classic *c, attr_source *from, attr_table *t, const gnt_attack_prepare *in,
                         const gnt_sink *out);
/* How often it is right on the table's validation part; balanced, the mean of that over the values there; NaN
 * without one. */
gnt_status classic_accuracy(const classic *c, const attr_table *t, classic_scores scores,
                            const void *classifier, double *accuracy);
/* Tells the facts "inputs" and, where there is a validation part, "validation_accuracy". */
gnt_status classic_judge(const classic *c, const attr_table *t, classic_scores scores,
                         const void *classifier);

/* The standardised vector of what was observed, scratch of the hook; NULL where there is none, with the
 * status to return. */
const float *classic_see(const classic *c, const gnt_observation *seen, const gnt_artefacts *own,
                         int64_t *columns, gnt_status *status);
gnt_status classic_answer(const classic *c, const gnt_observation *seen, const float *x,
                          classic_scores scores, const void *classifier, const gnt_answer *answer);

/* 1 where all entries of an artefact are finite numbers. */
int classic_finite(const gnt_view *v);
/* 1 where it holds `rows` × `columns` entries, as it says; `rows` −1: any number but 0. */
int classic_matrix(const gnt_view *v, int64_t rows, int64_t columns);
/* Host->fail with what `run` says of artefacts that are none of its own. */
gnt_status classic_foreign(const gnt_host *host, const char *what);

#endif
