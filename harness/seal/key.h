/* key: Ed25519 keys in files of one line, "gauntlet-ed25519-secret HEX" and "gauntlet-ed25519-public
 * HEX"; and the secret key of a leaderboard's season, a file of 64 hexadecimal digits as the key_file of
 * a suite, of which the SHA-256 is published first. */
#ifndef GNT_SEAL_KEY_H
#define GNT_SEAL_KEY_H

#include <stdint.h>

#include "base/err.h"

typedef struct gnt_seal_key {
    uint8_t public[32];
    uint8_t secret[64]; /* zeros if only the public key was read; wipe with gnt_seal_key_wipe */
} gnt_seal_key;

/* Writes a new pair to `path` (mode 0600) and `path`.pub; never overwrites a file. */
int gnt_seal_key_make(const char *path, gnt_seal_key *out, gnt_err *err);
int gnt_seal_key_read_secret(const char *path, gnt_seal_key *out, gnt_err *err);
int gnt_seal_key_read_public(const char *path, gnt_seal_key *out, gnt_err *err);
void gnt_seal_key_wipe(gnt_seal_key *key);

enum { GNT_SHA256_HEX = 65 };

/* Writes a new random season key (mode 0600); never overwrites a file. */
int gnt_season_key_make(const char *path, gnt_err *err);
/* Computes the SHA-256 of the file's bytes, as sha256sum prints it. */
int gnt_season_key_sha256(const char *path, char hex[GNT_SHA256_HEX], gnt_err *err);

#endif
