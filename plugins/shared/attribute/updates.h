/* updates: computes undefended updates of clients with given samples, or representations of the samples, by
 * the task's model. Defenders and attackers with samples of the private distribution learn from these. */
#ifndef ATTRIBUTE_UPDATES_H
#define ATTRIBUTE_UPDATES_H

#include "gauntlet/plugin.h"
#include "shared/attribute/attr_net.h"

typedef struct attr_updates {
    const gnt_host *host;
    const gnt_samples *samples;
    const float *weights, *buffers;
    int32_t steps;
    int64_t behind; /* samples behind one update */
    int64_t n;      /* updates made of the samples */
    int features;   /* 1: representations instead of updates */
    int64_t size;   /* entries of an update, or of one sample's representation */
    int64_t *row;   /* n × behind */
    gnt_function *f;
    float *x, *y, *rates; /* behind × features, behind × classes, steps */
} attr_updates;

/* The clients' training settings, as in gnt_client. */
typedef struct attr_setting {
    int32_t steps; /* 0: one gradient */
    int64_t batch;
    int64_t behind; /* samples behind one update; 0: steps (at least 1) × batch */
    double rate, momentum, decay;
    int32_t optimizer; /* GNT_OPTIMIZER_* */
    int features;      /* 1: representations; only `behind` is read then */
} attr_setting;

/* Plans the updates. The samples behind one update have one value of the attribute: large random batches
 * would all be similar. No two updates share a sample, except those of a rare value. Steps take the samples
 * in order, cyclically. Memory is scratch of the hook. */
gnt_status attr_updates_open(attr_updates *u, const gnt_host *host, const gnt_samples *samples,
                             const float *weights, const float *buffers, const attr_setting *setting,
                             int32_t attribute);
void attr_updates_close(attr_updates *u);
/* Computes update i; out: size entries; for representations the mean over the samples behind it. */
gnt_status attr_update_at(attr_updates *u, int64_t i, float *out);

/* Returns the most frequent value of the attribute, ties to the lowest; −1 if one is out of range. */
int32_t attr_label_of(const gnt_samples *s, int32_t attribute, int32_t values);

#endif
