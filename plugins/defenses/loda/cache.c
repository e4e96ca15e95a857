#include "cache.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    cache_key key;
    float *encoding; /* NULL: empty */
} slot;

struct cache {
    int64_t pixels, n, room; /* room: a power of two, at most half full */
    slot *slots;
};

/* Computes a digest of 128 bits: FNV-1a over 32-bit words, twice with different starts and multipliers,
 * each mixed at the end by the finaliser of SplitMix64. */
cache_key cache_key_of(const float *x, int64_t pixels) {
    uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (int64_t i = 0; i < pixels; i++) {
        uint32_t word;
        memcpy(&word, &x[i], sizeof word);
        h[0] = (h[0] ^ word) * 0x100000001b3u;
        h[1] = (h[1] ^ (word + (uint32_t)i)) * 0x9e3779b97f4a7c15u;
    }
    for (int k = 0; k < 2; k++) {
        h[k] = (h[k] ^ (h[k] >> 30)) * 0xbf58476d1ce4e5b9u;
        h[k] = (h[k] ^ (h[k] >> 27)) * 0x94d049bb133111ebu;
        h[k] ^= h[k] >> 31;
    }
    return (cache_key){h[0], h[1]};
}

cache *cache_new(int64_t pixels) {
    cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (cache){.pixels = pixels, .room = 64, .slots = calloc(64, sizeof *c->slots)};
    if (c->slots)
        return c;
    free(c);
    return NULL;
}

void cache_free(cache *c) {
    for (int64_t i = 0; c && i < c->room; i++)
        free(c->slots[i].encoding);
    if (c)
        free(c->slots);
    free(c);
}

/* Returns the slot with the key, or the empty one where it belongs. */
static slot *place(slot *slots, int64_t room, cache_key key) {
    int64_t i = (int64_t)(key.a & (uint64_t)(room - 1));
    while (slots[i].encoding && (slots[i].key.a != key.a || slots[i].key.b != key.b))
        i = (i + 1) & (room - 1);
    return &slots[i];
}

const float *cache_find(const cache *c, cache_key key) {
    return place(c->slots, c->room, key)->encoding;
}

static int grow(cache *c) {
    slot *larger = calloc((size_t)(2 * c->room), sizeof *larger);
    if (!larger)
        return -1;
    for (int64_t i = 0; i < c->room; i++)
        if (c->slots[i].encoding)
            *place(larger, 2 * c->room, c->slots[i].key) = c->slots[i];
    free(c->slots);
    c->slots = larger;
    c->room *= 2;
    return 0;
}

int cache_put(cache *c, cache_key key, const float *encoding) {
    if (2 * (c->n + 1) > c->room && grow(c) != 0)
        return -1;
    slot *s = place(c->slots, c->room, key);
    size_t bytes = (size_t)c->pixels * sizeof *encoding;
    if (!s->encoding) {
        if (!(s->encoding = malloc(bytes)))
            return -1;
        s->key = key;
        c->n++;
    }
    memcpy(s->encoding, encoding, bytes);
    return 0;
}

int64_t cache_size(const cache *c) {
    return c->n;
}
