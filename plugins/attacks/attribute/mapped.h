/* mapped: shared by the attacks that infer an attribute through a learnt map of the observation.
 *
 *   T: r → t      by the least squared error on shadow samples, where t is other data of the same sample
 *   C: T(r) → u   a classifier of T's outputs, trained on them with T's errors
 *
 * r is read as in attr-nn; T's outputs are standardised before C reads them. */
#ifndef ATTRIBUTE_MAPPED_H
#define ATTRIBUTE_MAPPED_H

#include "classic.h"

/* The beginning of such a plugin's struct. */
typedef struct mapped {
    union {
        const gnt_host *host; /* the first member of base */
        classic base;
    };
    int64_t hidden;
    double map_rate;
    attr_recipe map;        /* of T: two hidden layers, by Adam */
    attr_recipe classifier; /* of C: one hidden layer */
} mapped;

/* The table of such a plugin, and its `start`. */
#define MAPPED_MEMBERS                                                                                       \
    GNT_INT(mapped, hidden, 1, 16384, 256, "neurons", "in each hidden layer of every network"),              \
        GNT_REAL(mapped, map_rate, 1e-6, 1, 0.001, GNT_SCALE_LOG, "",                                        \
                 "rate of Adam at the start, by which the map is learnt; it falls to 0 along a cosine"),     \
        ATTR_SGD_MEMBERS(mapped, classifier), CLASSIC_MEMBERS(mapped)
gnt_status mapped_start(void *self);

/* Returns the samples behind the rows of a table, or the mean of those behind one row: n × *features, in the
 * order of the source; scratch of the hook. NULL after host->fail. */
float *mapped_samples(const mapped *m, const attr_source *from, int64_t *features);
/* Subtracts from each column its mean over the table's training part and divides by one deviation, that of
 * all columns together; the result is 0 if none varies. */
void mapped_centre(const attr_table *t, float *rows, int64_t columns, float *mean, float *deviation);

/* Trains T from the table's rows to `target` (n × outputs, centred), and C on its outputs; writes both as
 * artefacts. Facts: "inputs"; where there is a validation part, "unexplained", the share of the target's
 * variance that T misses, and C's "validation_accuracy". */
gnt_status mapped_learn(const mapped *m, const attr_table *t, const float *target, int64_t outputs,
                        const gnt_sink *out);

/* T and C of the artefacts. */
typedef struct mapped_nets {
    attr_net map, classifier;
    const float *mean, *scale;   /* outputs: of T's outputs */
    float *room, *given, *input; /* layers; T's outputs, centred as its target; C's inputs */
} mapped_nets;

/* Reads networks of `columns` inputs and so many values from the artefacts; fails if they have none. Memory
 * is scratch of the hook. */
gnt_status mapped_read(const mapped *m, mapped_nets *nets, const gnt_artefacts *own, int64_t columns,
                       int32_t values);
/* Computes the scores of a mapped_nets, and leaves T's outputs in `given`; a classic_scores. */
void mapped_scores(const void *of, const float *x, float *scores);

#endif
