/* mapped: what the attacks have in common that tell an attribute behind a learnt map of what is observed.
 *
 *   T: r → t   of the least squared error on shadow samples, where t is something else of the same sample
 *   C: T(r) → u   a classifier of what T gives, which knows T's errors
 *
 * r is read as attr-nn reads it; what T gives is standardised before C reads it. */
#ifndef ATTRIBUTE_MAPPED_H
#define ATTRIBUTE_MAPPED_H

#include "classic.h"

typedef struct mapped {
    classic base;
    attr_recipe map;        /* of T: two hidden layers, by Adam */
    attr_recipe classifier; /* of C: one hidden layer */
} mapped;

/* The table of such a plugin, and what reads its values. */
#define MAPPED_ROWS                                                                                          \
    {.id = "hidden",                                                                                         \
     .type = GNT_TYPE_INT,                                                                                   \
     .unit = "neurons",                                                                                      \
     .least = 1,                                                                                             \
     .most = 16384,                                                                                          \
     .preset = 256,                                                                                          \
     .help = "in each hidden layer of every network"},                                                       \
        {.id = "map_rate",                                                                                   \
         .type = GNT_TYPE_REAL,                                                                              \
         .scale = GNT_SCALE_LOG,                                                                             \
         .unit = "",                                                                                         \
         .least = 1e-6,                                                                                      \
         .most = 1,                                                                                          \
         .preset = 0.001,                                                                                    \
         .help = "rate of Adam at the start, by which the map is learnt; it falls to 0 along a cosine"},     \
        ATTR_SGD_ROWS, CLASSIC_ROWS
void mapped_open(mapped *m, const gnt_host *host, const gnt_value *values);

/* The samples behind the rows of a table, or the mean of those behind one row: n × *features, in the order of
 * the source; scratch of the hook. NULL after host->fail. */
float *mapped_samples(const mapped *m, const attr_source *from, int64_t *features);
/* Rows of so many columns: less their mean over the table's training part, over one deviation, that of all
 * columns together; 0 where none varies. In place. */
void mapped_centre(const attr_table *t, float *rows, int64_t columns, float *mean, float *deviation);

/* Learns T from the table's rows to `target` (n × outputs, centred), and C from what it gives; keeps both.
 * Facts: "inputs"; where there is a validation part, "unexplained", the share of the target's variance that T
 * misses, and C's "validation_accuracy". */
gnt_status mapped_learn(const mapped *m, const attr_table *t, const float *target, int64_t outputs,
                        const gnt_sink *out);

/* T and C as artefacts hold them. */
typedef struct mapped_nets {
    attr_net map, classifier;
    const float *mean, *scale;   /* outputs: of what T gives */
    float *room, *given, *input; /* layers; what T gave, centred as its target; what C reads */
} mapped_nets;

/* NULL where they are not of `columns` inputs and so many values, after host->fail. Scratch of the hook. */
gnt_status mapped_read(const mapped *m, mapped_nets *nets, const gnt_artefacts *own, int64_t columns,
                       int32_t values);
/* of: a mapped_nets. A classic_scores; T's outputs are then in `given`. */
void mapped_scores(const void *of, const float *x, float *scores);

#endif
