/* updates: what clients with given samples would send without a defense, by the task's model, or the
 * representation that it gives them. Both a defender and an attacker who hold samples of the private
 * distribution learn from these. */
#ifndef ATTRIBUTE_UPDATES_H
#define ATTRIBUTE_UPDATES_H

#include "gauntlet/plugin.h"
#include "shared/attribute/net.h"

typedef struct attr_updates {
    const gnt_host *host;
    const gnt_samples *samples;
    const float *weights, *buffers;
    int32_t steps;
    int64_t behind; /* samples behind one update */
    int64_t n;      /* updates that the samples make */
    int features;   /* the representation is read, not the update */
    int64_t size;   /* entries of an update, or of one sample's representation */
    int64_t *row;   /* n × behind */
    gnt_function *f;
    float *x, *y, *rates; /* behind × features, behind × classes, steps */
} attr_updates;

/* How clients compute: as in gnt_client. */
typedef struct attr_setting {
    int32_t steps; /* 0: one gradient */
    int64_t batch;
    int64_t behind; /* samples behind one update; 0: steps (at least 1) × batch */
    double rate, momentum, decay;
    int features; /* the representation is read; nothing but `behind` matters then */
} attr_setting;

/* The samples behind one update have one value of the attribute: large batches drawn at random all look
 * alike. No two updates share a sample, but for those of a value that is rarer than a few of them. Steps
 * take the samples in order, round and round. Memory is scratch of the hook. */
gnt_status attr_updates_open(attr_updates *u, const gnt_host *host, const gnt_samples *samples,
                             const float *weights, const float *buffers, const attr_setting *setting,
                             int32_t attribute);
void attr_updates_close(attr_updates *u);
/* out: size entries; of a representation the mean over the samples behind it */
gnt_status attr_update_at(attr_updates *u, int64_t i, float *out);

/* The attribute of most of the samples, ties to the lowest value; −1 where one is none of its values. */
int32_t attr_label_of(const gnt_samples *s, int32_t attribute, int32_t values);

#endif
