/* cache: encodings by the content of their images, so that an image is encoded once however often it
 * comes. */
#ifndef LODA_CACHE_H
#define LODA_CACHE_H

#include <stdint.h>

typedef struct cache_key { /* of an image's bytes; two lanes, so that two images share one by no accident */
    uint64_t a, b;
} cache_key;

typedef struct cache cache;

cache_key cache_key_of(const float *x, int64_t pixels);

cache *cache_new(int64_t pixels); /* NULL when out of memory */
void cache_free(cache *c);
const float *cache_find(const cache *c, cache_key key); /* NULL when it is not there */
/* Copies the encoding; −1 when out of memory. Pointers found before stay valid. */
int cache_put(cache *c, cache_key key, const float *encoding);
int64_t cache_size(const cache *c);

#endif
