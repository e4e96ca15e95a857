#include "fl/secure_sum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sodium/crypto_scalarmult.h>
#include <sodium/crypto_stream_chacha20.h>

#include "base/digest.h"
#include "base/mem.h"

typedef struct client_key {
    uint8_t secret[crypto_scalarmult_SCALARBYTES], open[crypto_scalarmult_BYTES];
} client_key;

static void make_key(client_key *out, const gnt_key *key, int32_t client) {
    char name[48];
    snprintf(name, sizeof name, "secure sum %d", client);
    gnt_key own = gnt_key_derive(key, name);
    memcpy(out->secret, own.b, sizeof out->secret);
    crypto_scalarmult_base(out->open, out->secret);
}

/* Draws the mask that clients a < b share: n words of a ChaCha20 stream under the hash of their agreed
 * secret. */
static int draw_mask(uint64_t *mask, int64_t n, const client_key *a, const client_key *b) {
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    uint8_t agreed[crypto_scalarmult_BYTES];
    if (crypto_scalarmult(agreed, a->secret, b->open) != 0)
        return -1;
    gnt_digest d = gnt_digest_bytes(agreed, sizeof agreed);
    return crypto_stream_chacha20((unsigned char *)mask, (unsigned long long)n * sizeof *mask, nonce, d.b);
}

static int check(const double *value, int32_t clients, int64_t n, gnt_err *err) {
    if (clients < 1 || clients > GNT_SUM_MOST_CLIENTS || n < 1 || n > GNT_SUM_MOST_ENTRIES)
        return gnt_fail(err, "a secure sum takes 1 to %d clients and 1 to %d entries, not %d and %lld",
                        GNT_SUM_MOST_CLIENTS, GNT_SUM_MOST_ENTRIES, clients, (long long)n);
    for (int64_t i = 0; i < clients * n; i++)
        if (!(fabs(value[i]) < 0x1p40 / clients))
            return gnt_fail(err, "client %lld contributes %g to the secure sum, expected a size below %g",
                            (long long)(i / n), value[i], 0x1p40 / clients);
    return 0;
}

int gnt_secure_sum(const double *value, int32_t clients, int64_t n, const gnt_key *key, uint64_t *masked,
                   double *sum, gnt_err *err) {
    if (check(value, clients, n, err) != 0)
        return -1;
    client_key *keys = gnt_array((size_t)clients, sizeof *keys);
    uint64_t *mask = gnt_array((size_t)n, sizeof *mask);
    int rc = keys && mask ? 0 : gnt_fail(err, "out of memory for a secure sum");
    for (int64_t i = 0; rc == 0 && i < clients * n; i++)
        masked[i] = (uint64_t)llrint(value[i] * GNT_SUM_SCALE);
    for (int32_t k = 0; rc == 0 && k < clients; k++)
        make_key(&keys[k], key, k);
    for (int32_t a = 0; rc == 0 && a < clients; a++)
        for (int32_t b = a + 1; rc == 0 && b < clients; b++) {
            if (draw_mask(mask, n, &keys[a], &keys[b]) != 0)
                rc = gnt_fail(err, "clients %d and %d could not agree on a key", a, b);
            for (int64_t i = 0; rc == 0 && i < n; i++) {
                masked[a * n + i] += mask[i];
                masked[b * n + i] -= mask[i];
            }
        }
    for (int64_t i = 0; rc == 0 && i < n; i++) {
        uint64_t total = 0;
        for (int32_t k = 0; k < clients; k++)
            total += masked[k * n + i];
        sum[i] = (double)(int64_t)total / GNT_SUM_SCALE;
    }
    gnt_free(keys);
    gnt_free(mask);
    return rc;
}
