/* random: named streams of random numbers. A stream is Philox4x32-10 counted from zero under a key derived
 * from a parent key and a name (BLAKE2b, keyed): the same key and name give the same numbers on every
 * machine, and no one who lacks the key can name their way to a stream.
 *
 * A process is handed the key of its own role only (data, init, train, defense, attack). */
#ifndef GNT_BASE_RANDOM_H
#define GNT_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnt_key {
    uint8_t b[32];
} gnt_key;

typedef struct gnt_stream {
    uint32_t key[2], counter[4], block[4];
    unsigned used; /* words of block already handed out; 4 = none left */
} gnt_stream;

gnt_key gnt_key_of_seed(uint64_t seed);
gnt_key gnt_key_derive(const gnt_key *parent, const char *name);
gnt_stream gnt_stream_open(const gnt_key *key, const char *name);
/* How many words were drawn from a stream, modulo 2⁶⁴; and a stream from which so many were drawn. */
uint64_t gnt_stream_words(const gnt_stream *s);
gnt_stream gnt_stream_at(const gnt_key *key, const char *name, uint64_t words);

uint32_t gnt_random_u32(gnt_stream *s);
uint64_t gnt_random_below(gnt_stream *s, uint64_t n); /* uniform on 0 … n−1 without bias; n ≥ 1 */
double gnt_random_uniform(gnt_stream *s);             /* [0, 1), 53 bits */
double gnt_random_normal(gnt_stream *s);              /* mean 0, deviation 1 (ziggurat) */
double gnt_random_laplace(gnt_stream *s);             /* mean 0, scale 1 */
double gnt_random_gamma(gnt_stream *s, double shape); /* scale 1 (Marsaglia–Tsang) */
/* The next n draws of that law into out, rounded to float: several times faster than one by one. */
void gnt_random_normals(gnt_stream *s, float *out, size_t n);
void gnt_random_laplaces(gnt_stream *s, float *out, size_t n);
void gnt_random_shuffle(gnt_stream *s, uint32_t *values, size_t n);

#endif
