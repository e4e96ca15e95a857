/* digest: BLAKE2b-256 over typed pieces. Every piece is fed with its length, so that
 * ("ab","c") and ("a","bc") differ. */
#ifndef GNT_BASE_DIGEST_H
#define GNT_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <sodium/crypto_generichash.h>

#include "base/err.h"

enum { GNT_HEX_SIZE = 65 };

typedef struct gnt_digest {
    uint8_t b[32];
} gnt_digest;

typedef struct gnt_hasher {
    crypto_generichash_state state;
} gnt_hasher;

void gnt_hasher_init(gnt_hasher *h);
void gnt_hasher_bytes(gnt_hasher *h, const void *bytes, size_t n);
void gnt_hasher_text(gnt_hasher *h, const char *text);
void gnt_hasher_u64(gnt_hasher *h, uint64_t value);
gnt_digest gnt_hasher_end(gnt_hasher *h);

gnt_digest gnt_digest_bytes(const void *bytes, size_t n);
int gnt_digest_file(const char *path, gnt_digest *out, gnt_err *err);
void gnt_digest_hex(const gnt_digest *d, char hex[GNT_HEX_SIZE]);

#endif
