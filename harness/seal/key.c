#include "seal/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/file.h"
#include "base/mem.h"

enum { SEED = crypto_sign_SEEDBYTES, MOST_KEY_FILE = 256, MOST_SEASON_KEY = 4096 };

static const char secret_word[] = "gauntlet-ed25519-secret ", public_word[] = "gauntlet-ed25519-public ";

static int write_new(const char *path, mode_t mode, const char *word, const uint8_t bytes[32], gnt_err *err) {
    char line[128], hex[65];
    int n = snprintf(line, sizeof line, "%s%s\n", word, sodium_bin2hex(hex, sizeof hex, bytes, 32));
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode), rc = -1;
    if (fd < 0)
        gnt_fail(err, "%s: cannot create the key file: %s", path, strerror(errno));
    else {
        rc = gnt_fd_write(fd, path, line, (size_t)n, err);
        if (rc == 0 && fsync(fd) != 0)
            rc = gnt_fail(err, "%s: cannot write: %s", path, strerror(errno));
        close(fd);
        if (rc != 0)
            unlink(path);
    }
    sodium_memzero(line, sizeof line);
    sodium_memzero(hex, sizeof hex);
    return rc;
}

int gnt_seal_key_make(const char *path, gnt_seal_key *out, gnt_err *err) {
    uint8_t seed[SEED];
    char *public_path = gnt_format("%s.pub", path);
    if (!public_path || sodium_init() < 0) {
        gnt_free(public_path);
        return gnt_fail(err, "cannot make a key: out of memory, or no random numbers");
    }
    randombytes_buf(seed, sizeof seed);
    crypto_sign_seed_keypair(out->public, out->secret, seed);
    int rc = write_new(path, 0600, secret_word, seed, err);
    if (rc == 0 && (rc = write_new(public_path, 0644, public_word, out->public, err)) != 0)
        unlink(path);
    sodium_memzero(seed, sizeof seed);
    if (rc != 0)
        gnt_seal_key_wipe(out);
    gnt_free(public_path);
    return rc;
}

/* Reads 32 bytes from a key file. Errors never quote the file: it may hold a secret. */
static int read_line(const char *path, const char *word, const char *kind, uint8_t bytes[32], gnt_err *err) {
    uint8_t *text;
    size_t size, n = 0, length = strlen(word);
    if (gnt_file_read(path, MOST_KEY_FILE, &text, &size, err) != 0)
        return -1;
    while (size && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    int good = size == length + 64 && memcmp(text, word, length) == 0 &&
               sodium_hex2bin(bytes, 32, (const char *)text + length, 64, NULL, &n, NULL) == 0 && n == 32;
    sodium_memzero(text, size);
    gnt_free(text);
    return good ? 0
                : gnt_fail(err,
                           "%s: is not a %s key; expected one line, \"%s\" and 64 hexadecimal digits, as "
                           "`gauntlet sign --new-key` writes it",
                           path, kind, word);
}

int gnt_seal_key_read_secret(const char *path, gnt_seal_key *out, gnt_err *err) {
    uint8_t seed[SEED];
    if (sodium_init() < 0)
        return gnt_fail(err, "cannot initialize libsodium");
    int rc = read_line(path, secret_word, "secret", seed, err);
    if (rc == 0)
        crypto_sign_seed_keypair(out->public, out->secret, seed);
    sodium_memzero(seed, sizeof seed);
    return rc;
}

int gnt_seal_key_read_public(const char *path, gnt_seal_key *out, gnt_err *err) {
    if (sodium_init() < 0)
        return gnt_fail(err, "cannot initialize libsodium");
    *out = (gnt_seal_key){0};
    return read_line(path, public_word, "public", out->public, err);
}

void gnt_seal_key_wipe(gnt_seal_key *key) {
    sodium_memzero(key, sizeof *key);
}

/* ---- the key of a season ---- */

int gnt_season_key_make(const char *path, gnt_err *err) {
    uint8_t bytes[32];
    if (sodium_init() < 0)
        return gnt_fail(err, "cannot make a key: no random numbers");
    randombytes_buf(bytes, sizeof bytes);
    const int rc = write_new(path, 0600, "", bytes, err);
    sodium_memzero(bytes, sizeof bytes);
    return rc;
}

int gnt_season_key_sha256(const char *path, char hex[GNT_SHA256_HEX], gnt_err *err) {
    uint8_t *bytes, digest[crypto_hash_sha256_BYTES];
    size_t size;
    if (gnt_file_read(path, MOST_SEASON_KEY, &bytes, &size, err) != 0)
        return -1;
    crypto_hash_sha256(digest, bytes, size);
    sodium_memzero(bytes, size);
    gnt_free(bytes);
    sodium_bin2hex(hex, GNT_SHA256_HEX, digest, sizeof digest);
    return 0;
}
