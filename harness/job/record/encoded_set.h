/* encoded_set: everything that one set of samples was encoded to, pass after pass, as those who receive it
 * see it; in addition the claims, for scoring alone: what the defense says that each encoding is made of.
 *
 * Ownership: a set owns its arrays; gnt_encoded_set_free frees them. Errors: −1 with a sentence. */
#ifndef GNT_JOB_ENCODED_SET_H
#define GNT_JOB_ENCODED_SET_H

#include "fl/defense_chain.h"
#include "nn/io/safetensors.h"

typedef struct gnt_encoded_set {
    /* Encodings, and the sizes of each. */
    int64_t n, features, classes;
    /* n × features and n × classes. */
    float *x, *y;
    /* n × attributes: those of each encoding; NULL if a pass mixed samples, so that encodings have none. */
    int32_t *a;
    int64_t attributes;
    /* n × originals. */
    gnt_mixture made_of;
} gnt_encoded_set;

/* Returns an empty set for `originals` samples. attributes: of each sample; 0: they are not kept. */
gnt_encoded_set gnt_encoded_set_of(int64_t originals, int64_t features, int64_t classes, int64_t attributes);
void gnt_encoded_set_free(gnt_encoded_set *r);
/* Adds the encodings of one pass, whose batch holds the claims. An encoding that an earlier pass released
 * already, byte for byte, is left out. */
int gnt_encoded_set_add(gnt_encoded_set *r, const gnt_batch *b, gnt_err *err);
/* Adds the claims to a bundle: weight.SET (F32, encodings × originals) and source.SET (I64, encodings). */
int gnt_encoded_set_claims(const gnt_encoded_set *r, int64_t set, gnt_st *out, gnt_err *err);

#endif
