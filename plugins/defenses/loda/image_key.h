/* image_key: a digest of an image's bytes, by which its encoding is found. Two lanes, so that no two images
 * share one by accident. */
#ifndef LODA_IMAGE_KEY_H
#define LODA_IMAGE_KEY_H

#include <stdint.h>
#include <string.h>

typedef struct image_key {
    uint64_t a, b;
} image_key;

/* Computes a digest of 128 bits: FNV-1a over 32-bit words, twice with different starts and multipliers,
 * each mixed at the end by the finaliser of SplitMix64. */
static inline image_key image_key_of(const float *x, int64_t pixels) {
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
    return (image_key){h[0], h[1]};
}

#endif
