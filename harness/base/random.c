#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <Random123/philox.h>
#include <sodium/crypto_generichash.h>

#include "base/random_blocks.h"

static gnt_key keyed(const uint8_t *key, size_t key_size, const void *bytes, size_t n) {
    gnt_key out;
    crypto_generichash(out.b, sizeof out.b, bytes, n, key, key_size);
    return out;
}

gnt_key gnt_key_of_seed(uint64_t seed) {
    uint8_t le[8];
    for (int i = 0; i < 8; i++)
        le[i] = (uint8_t)(seed >> (8 * i));
    return keyed((const uint8_t *)"gauntlet seed...", 16, le, sizeof le);
}

gnt_key gnt_key_derive(const gnt_key *parent, const char *name) {
    return keyed(parent->b, sizeof parent->b, name, strlen(name));
}

gnt_stream gnt_stream_open(const gnt_key *key, const char *name) {
    gnt_key own = gnt_key_derive(key, name);
    gnt_stream s = {.used = 4};
    uint32_t words[8];
    for (int i = 0; i < 8; i++)
        words[i] = (uint32_t)own.b[4 * i] | (uint32_t)own.b[4 * i + 1] << 8 |
                   (uint32_t)own.b[4 * i + 2] << 16 | (uint32_t)own.b[4 * i + 3] << 24;
    s.key[0] = words[0];
    s.key[1] = words[1];
    s.counter[2] = words[2]; /* 64 more bits of the name choose where the counter starts */
    s.counter[3] = words[3];
    return s;
}

uint32_t gnt_random_u32(gnt_stream *s) {
    if (s->used == 4) {
        philox4x32_ctr_t counter = {{s->counter[0], s->counter[1], s->counter[2], s->counter[3]}};
        philox4x32_key_t key = {{s->key[0], s->key[1]}};
        philox4x32_ctr_t out = philox4x32(counter, key);
        memcpy(s->block, out.v, sizeof s->block);
        if (++s->counter[0] == 0)
            s->counter[1]++;
        s->used = 0;
    }
    return s->block[s->used++];
}

uint64_t gnt_stream_words(const gnt_stream *s) {
    const uint64_t blocks = (uint64_t)s->counter[1] << 32 | s->counter[0];
    return 4 * blocks - (4 - s->used);
}

gnt_stream gnt_stream_at(const gnt_key *key, const char *name, uint64_t words) {
    gnt_stream s = gnt_stream_open(key, name);
    s.counter[0] = (uint32_t)(words / 4);
    s.counter[1] = (uint32_t)(words / 4 >> 32);
    for (uint64_t i = 0; i < words % 4; i++)
        gnt_random_u32(&s);
    return s;
}

static uint64_t random_u64(gnt_stream *s) {
    uint64_t low = gnt_random_u32(s);
    return low | (uint64_t)gnt_random_u32(s) << 32;
}

uint64_t gnt_random_below(gnt_stream *s, uint64_t n) {
    uint64_t reject = (0 - n) % n; /* 2^64 mod n */
    uint64_t x;
    do
        x = random_u64(s);
    while (x < reject);
    return x % n;
}

static double uniform_of(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

double gnt_random_uniform(gnt_stream *s) {
    return uniform_of(random_u64(s));
}

/* The ziggurat method (Marsaglia and Tsang 2000), with independent bits for layer and place (Doornik 2005).
 * 256 layers of equal area under exp(−x²/2): layer i reaches to edge[i], its top is that of edge[i + 1];
 * layer 0 is the base strip with the tail behind `tail`. */
enum { LAYERS = 256 };
static const double tail = 3.6541528853610088, area = 0.00492867323399;
static double edge[LAYERS + 1], inside[LAYERS]; /* share of layer i that lies under layer i + 1 */

__attribute__((constructor)) static void make_layers(void) {
    double height = exp(-tail * tail / 2);
    edge[0] = area / height;
    edge[1] = tail;
    for (int i = 2; i < LAYERS; i++) {
        edge[i] = sqrt(-2 * log(area / edge[i - 1] + height));
        height = exp(-edge[i] * edge[i] / 2);
    }
    edge[LAYERS] = 0;
    for (int i = 0; i < LAYERS; i++)
        inside[i] = edge[i + 1] / edge[i];
}

static double normal_tail(gnt_stream *s) {
    double x, y;
    do {
        x = log(1 - gnt_random_uniform(s)) / tail; /* ≤ 0 */
        y = log(1 - gnt_random_uniform(s));
    } while (-2 * y < x * x);
    return tail - x;
}

/* The deviate of a word, if the word lies where most do. */
static inline bool normal_inside(uint64_t bits, double *x) {
    const unsigned i = bits % LAYERS;
    const double u = (double)((int64_t)bits >> 11) * 0x1p-52; /* [−1, 1), by bits above those of i */
    *x = u * edge[i];
    return fabs(u) < inside[i];
}

/* The deviate of any other word, or false if it is rejected; takes more words of the stream. */
static bool normal_outside(gnt_stream *s, uint64_t bits, double *x) {
    const unsigned i = bits % LAYERS;
    if (i == 0) {
        *x = *x < 0 ? -normal_tail(s) : normal_tail(s);
        return true;
    }
    const double low = exp((*x * *x - edge[i] * edge[i]) / 2),
                 high = exp((*x * *x - edge[i + 1] * edge[i + 1]) / 2);
    return low + gnt_random_uniform(s) * (high - low) < 1;
}

double gnt_random_normal(gnt_stream *s) {
    for (;;) {
        const uint64_t bits = random_u64(s);
        double x;
        if (normal_inside(bits, &x) || normal_outside(s, bits, &x))
            return x;
    }
}

static double laplace_of(double uniform) {
    double u = uniform - 0.5;
    double size = 1 - 2 * fabs(u);
    if (size < 0x1p-53)
        size = 0x1p-53;
    return copysign(-log(size), u);
}

double gnt_random_laplace(gnt_stream *s) {
    return laplace_of(gnt_random_uniform(s));
}

/* Fills compute the words of many blocks at once, ahead of their use, and leave the stream where single draws
 * would have left it. */
enum { AHEAD = 2 * GNT_RANDOM_BLOCKS }; /* words of 64 bits */

static bool between_blocks(const gnt_stream *s) {
    return s->used == 4;
}

static uint64_t blocks_begun(const gnt_stream *s) {
    return (uint64_t)s->counter[1] << 32 | s->counter[0];
}

/* The stream after the first n words from `start`, which is between blocks. */
static gnt_stream moved(const gnt_stream *start, size_t n) {
    gnt_stream s = *start;
    const uint64_t counter = blocks_begun(start) + n / 2;
    s.counter[0] = (uint32_t)counter;
    s.counter[1] = (uint32_t)(counter >> 32);
    if (n % 2)
        random_u64(&s);
    return s;
}

static size_t words_since(const gnt_stream *start, const gnt_stream *s) {
    const uint64_t blocks = blocks_begun(s) - blocks_begun(start);
    return blocks ? 2 * (size_t)(blocks - 1) + s->used / 2 : 0;
}

void gnt_random_normals(gnt_stream *s, float *out, size_t n) {
    uint64_t words[AHEAD];
    for (size_t done = 0; done < n;) {
        if (!between_blocks(s)) {
            out[done++] = (float)gnt_random_normal(s);
            continue;
        }
        const gnt_stream start = *s;
        gnt_random_blocks(start.key, start.counter, words);
        size_t used = 0;
        while (done < n && used < AHEAD) {
            double x;
            const uint64_t bits = words[used++];
            if (normal_inside(bits, &x)) {
                out[done++] = (float)x;
                continue;
            }
            *s = moved(&start, used);
            if (normal_outside(s, bits, &x))
                out[done++] = (float)x;
            used = words_since(&start, s);
        }
        *s = moved(&start, used);
    }
}

void gnt_random_laplaces(gnt_stream *s, float *out, size_t n) {
    uint64_t words[AHEAD];
    for (size_t done = 0; done < n;) {
        if (!between_blocks(s)) {
            out[done++] = (float)gnt_random_laplace(s);
            continue;
        }
        const size_t some = n - done < AHEAD ? n - done : AHEAD;
        gnt_random_blocks(s->key, s->counter, words);
        for (size_t k = 0; k < some; k++)
            out[done + k] = (float)laplace_of(uniform_of(words[k]));
        *s = moved(s, some);
        done += some;
    }
}

double gnt_random_gamma(gnt_stream *s, double shape) {
    if (shape < 1) {
        double u = gnt_random_uniform(s);
        return gnt_random_gamma(s, shape + 1) * pow(u > 0 ? u : 0x1p-53, 1 / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = gnt_random_normal(s), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = gnt_random_uniform(s);
        if (u > 0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

void gnt_random_shuffle(gnt_stream *s, uint32_t *values, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)gnt_random_below(s, i);
        uint32_t kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}
