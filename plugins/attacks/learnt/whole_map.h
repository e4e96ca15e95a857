/* whole_map: a linear map from all entries of an encoding to all of the image, by ridge regression. An
 * encoding that moves pixels, such as a mirror image or a secret order, has such a map; a filter over a
 * window has none. */
#ifndef LEARNT_WHOLE_MAP_H
#define LEARNT_WHOLE_MAP_H

#include "learnt.h"

enum { WHOLE_MAP_JUDGED = 256 };

/* The entries of an image by which a map is judged: `n`, evenly spaced over `features`. */
typedef struct judged_entries {
    int64_t n, features;
} judged_entries;

static inline judged_entries judged_entries_of(int64_t features) {
    return (judged_entries){features < WHOLE_MAP_JUDGED ? features : WHOLE_MAP_JUDGED, features};
}
static inline int64_t judged_entry(const judged_entries *e, int64_t i) {
    return i * e->features / e->n;
}

/* A map as it is kept: x = mean[features …] + Σ over i of (row_i · (e − mean[0 …])) · share_i. */
typedef struct whole_map {
    int64_t n, features;
    const float *row, *share; /* n × features */
    const float *mean;        /* of encodings, then of images */
} whole_map;

/* Returns of how many pairs, at most n, a map is learnt: it takes memory for each. */
int64_t whole_map_pairs(int64_t n, int64_t features);
/* Learns from the first n pairs that are not held out, at several ridges, and sets *ridge to the one with the
 * least error on those that are, and *error to its mean square there; INFINITY where no system has a
 * solution. */
gnt_status whole_map_judge(const gnt_host *host, const learnt_pairs *p, int64_t n, const uint8_t *held_out,
                           int *ridge, double *error);
/* Learns from the first n pairs; *out is scratch of the hook. */
gnt_status whole_map_learn(const gnt_host *host, const learnt_pairs *p, int64_t n, int ridge, whole_map *out);
/* Computes the image of an encoding, within 0 and 1. */
void whole_map_apply(const whole_map *map, const float *encoded, float *x);

#endif
