/* table: what classifiers of updates, or of representations, learn from: those of shadow samples, pooled and
 * standardised, in a training and a validation part.
 *
 * An attacker has them as shadow observations, which show the defense, or, where these are not granted,
 * computes them from shadow samples, without a defense. A defender always computes them. */
#ifndef ATTRIBUTE_TABLE_H
#define ATTRIBUTE_TABLE_H

#include "shared/attribute/net.h"
#include "shared/attribute/updates.h"

typedef struct attr_reading {
    int64_t window; /* of max pooling; 0: the least one that leaves at most `inputs` */
    int64_t inputs;
    double share; /* of the updates, for validation */
} attr_reading;

/* Stages that are read beside the last, as many as the host shows. */
enum { ATTR_MOST_EARLIER = 8 };

typedef struct attr_source {
    const gnt_host *host;
    const gnt_attack_prepare *seen; /* its shadow observations; NULL: `own` */
    attr_updates own;
    attr_updates earlier[ATTR_MOST_EARLIER]; /* the same by the weights of stages before */
    int64_t n_earlier;
    int32_t attribute, values;
    /* Set by the caller between opening and attr_table_make: what is learnt is the task's class, the greatest
     * entry of y, not the attribute; `values` is then the number of classes. Of single samples. */
    int by_class;
    int64_t n, size, window, columns; /* updates, entries of each, of pooling, pooled entries */
    float *flat;                      /* one update */
    float *mean, *scale;              /* columns; attr_table_make fills them in */
} attr_source;

/* Fail with a sentence where there is too little to learn from. All memory is the hook's scratch, but for
 * what attr_source_close gives back. */
gnt_status attr_source_of_attack(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                 const gnt_attack_prepare *in);
gnt_status attr_source_of_samples(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                  const gnt_samples *samples, const float *weights, const float *buffers,
                                  const attr_setting *setting, int32_t attribute);
void attr_source_close(attr_source *s);
/* Update i, into s->flat: those of earlier stages first. */
gnt_status attr_source_read(attr_source *s, int64_t i);

/* Entries of a sample behind the updates; 0 where what is behind them was not given. */
int64_t attr_source_features(const attr_source *s);
/* The mean of the samples behind update i; out: so many entries. */
void attr_source_sample(const attr_source *s, int64_t i, float *out);

/* The class of a sample. */
int32_t attr_class_of(const gnt_samples *s, int64_t row);

gnt_status attr_table_make(attr_table *t, const attr_reading *reading, attr_source *s);

/* As artefacts PREFIXmean and PREFIXscale. */
gnt_status attr_write_statistics(const gnt_sink *out, const char *prefix, int64_t columns, const float *mean,
                                 const float *scale);
/* The standardised vector of what was observed, scratch of the hook; NULL after host->fail. */
float *attr_read_seen(const gnt_host *host, const attr_reading *reading, const gnt_observation *seen,
                      const gnt_artefacts *own, int64_t *columns);

#endif
