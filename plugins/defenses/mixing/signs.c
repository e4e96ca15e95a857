/* InstaHide's signs, one for each entry of each released sample.
 *
 * "seeded" takes them from the host's stream, which is a counter-based generator and no cipher. "csprng"
 * takes 256 bits from that stream as a key and then every sign from ChaCha20: known signs do not
 * reveal others, and without the run key (a suite's key_file) none can be predicted. Both repeat
 * exactly under the same run key. */
#include "mixing_defenses.h"

static uint32_t rotate(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

static void quarter(uint32_t *x, int a, int b, int c, int d) {
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 7);
}

/* Computes one block of ChaCha20, 16 words of the key stream, by RFC 8439, section 2.3, with a counter of
 * 64 bits and a nonce of 64. */
static void mixing_chacha20(const uint32_t key[8], uint64_t counter, uint64_t nonce, uint32_t out[16]) {
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int i = 0; i < 8; i++)
        start[4 + i] = key[i];
    start[12] = (uint32_t)counter;
    start[13] = (uint32_t)(counter >> 32);
    start[14] = (uint32_t)nonce;
    start[15] = (uint32_t)(nonce >> 32);
    for (int i = 0; i < 16; i++)
        out[i] = start[i];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            quarter(out, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter(out, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 16; i++)
        out[i] += start[i];
}

static uint32_t word(const mixing *m, const char *stream) {
    return (uint32_t)gnt_host_below(m->host, stream, (uint64_t)1 << 32);
}

void mixing_key(mixing *m) {
    for (int i = 0; i < 8; i++)
        m->key[i] = word(m, "sign key");
}

void mixing_flip(mixing *m, int64_t n, float *x) {
    uint32_t block[16], bits = 0;
    for (int64_t i = 0; i < n; i++) {
        if (m->signs == SIGNS_CSPRNG && i % 512 == 0)
            mixing_chacha20(m->key, m->blocks++, 0, block);
        if (i % 32 == 0)
            bits = m->signs == SIGNS_CSPRNG ? block[i % 512 / 32] : word(m, "signs");
        if (bits >> (i % 32) & 1)
            x[i] = 1 - x[i];
    }
}
