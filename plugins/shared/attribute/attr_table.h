/* attr_table: training data of classifiers of updates or representations: those of shadow samples, pooled and
 * standardised, in a training and a validation part.
 *
 * An attacker has them as shadow observations, which include the defense, or, if these are not granted,
 * computes them from shadow samples, without a defense. A defender always computes them. */
#ifndef ATTRIBUTE_ATTR_TABLE_H
#define ATTRIBUTE_ATTR_TABLE_H

#include "shared/attribute/attr_net.h"
#include "shared/attribute/updates.h"

typedef struct attr_reading {
    int64_t window; /* of max pooling; 0: the least that leaves at most `inputs` */
    int64_t inputs;
    double share; /* of the updates, for validation */
} attr_reading;

/* Stages that are read in addition to the last: as many as the host gives. */
enum { ATTR_MOST_EARLIER = 8 };

typedef struct attr_source {
    const gnt_host *host;
    const gnt_attack_prepare *seen; /* its shadow observations; NULL: `own` */
    attr_updates own;
    attr_updates earlier[ATTR_MOST_EARLIER]; /* as `own`, by the weights of earlier stages */
    int64_t n_earlier;
    int32_t attribute, values;
    /* Set by the caller between opening and attr_table_make: learns the task's class, the greatest entry of
     * y, instead of the attribute; `values` is then the number of classes. For single samples only. */
    int by_class;
    int64_t n, size, window, columns; /* updates, entries of each, of pooling, pooled entries */
    float *flat;                      /* one update */
    float *mean, *scale;              /* columns; attr_table_make fills them in */
} attr_source;

/* Opens a source; fails if there is too little training data. Memory is the hook's scratch, except what
 * attr_source_close frees. */
gnt_status attr_source_of_attack(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                 const gnt_attack_prepare *in);
gnt_status attr_source_of_samples(attr_source *s, const gnt_host *host, const attr_reading *reading,
                                  const gnt_samples *samples, const float *weights, const float *buffers,
                                  const attr_setting *setting, int32_t attribute);
void attr_source_close(attr_source *s);
/* Reads update i into s->flat, earlier stages first. */
gnt_status attr_source_read(attr_source *s, int64_t i);

/* Returns the entries of a sample behind the updates; 0 if the samples are not given. */
int64_t attr_source_features(const attr_source *s);
/* Computes the mean of the samples behind update i; out: attr_source_features entries. */
void attr_source_sample(const attr_source *s, int64_t i, float *out);

/* Returns sample k alone, a view of the samples. */
gnt_samples attr_sample_of(const gnt_samples *s, int64_t k);
/* Returns the class of a sample. */
int32_t attr_class_of(const gnt_samples *s, int64_t row);

gnt_status attr_table_make(attr_table *t, const attr_reading *reading, attr_source *s);

/* Writes artefacts PREFIXmean and PREFIXscale. */
gnt_status attr_write_statistics(const gnt_sink *out, const char *prefix, int64_t columns, const float *mean,
                                 const float *scale);
/* Returns the standardised vector of the observation, scratch of the hook; NULL after host->fail. */
float *attr_read_seen(const gnt_host *host, const attr_reading *reading, const gnt_observation *seen,
                      const gnt_artefacts *own, int64_t *columns);

#endif
