/* released: everything that one set of samples was encoded to, pass after pass, as those who receive it see it; and
 * beside it what each encoding is said to be made of, for scoring alone. */
#ifndef GNT_JOB_RELEASED_H
#define GNT_JOB_RELEASED_H

#include "fl/chain.h"
#include "nn/io/safetensors.h"

typedef struct gnt_released {
    int64_t n, features, classes; /* n: encodings */
    float *x, *y;                 /* n × features, n × classes */
    gnt_mixture made_of;
} gnt_released;

/* Of a set of `originals` samples; nothing yet. */
gnt_released gnt_released_of(int64_t originals, int64_t features, int64_t classes);
void gnt_released_free(gnt_released *r);
/* Adds the encodings of one pass, whose batch says what they are made of. What an earlier pass released already, byte for
 * byte, shows nothing new and is left out. */
int gnt_released_add(gnt_released *r, const gnt_batch *b, gnt_err *err);
/* Adds weight.SET (encodings × originals) and source.SET to a bundle: the claims. */
int gnt_released_claims(const gnt_released *r, int64_t set, gnt_st *out, gnt_err *err);

#endif
