/* seal: signs a run folder, and reports what has changed since. signature.json in the folder is
 *
 *   {"format": 1, "public_key": HEX, "signature": HEX,
 *    "manifest": {"block": 4096, "files": [{"path", "size", "digest", "blocks"}, …]}}
 *
 * `files` are those of gnt_seal_folder_open, by path; `digest` is BLAKE2b-256 of the file, `blocks` the first
 * 8 bytes of the BLAKE2b-256 of each block of 4096 bytes, one after another: they locate the first difference
 * in a file.
 * The signature (Ed25519) covers "gauntlet run 1\n" and the manifest as canonical JSON. */
#ifndef GNT_SEAL_SEAL_H
#define GNT_SEAL_SEAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "seal/key.h"

enum { GNT_SEAL_BLOCK = 4096 };

/* Writes signature.json. *n_files: the number of files it lists. */
int gnt_seal_sign(const char *folder, const gnt_seal_key *key, size_t *n_files, gnt_err *err);

typedef enum gnt_seal_change {
    GNT_SEAL_CHANGED,
    GNT_SEAL_SHORTER, /* all whole blocks that are left are the same */
    GNT_SEAL_LONGER,  /* begins with what was signed */
    GNT_SEAL_MISSING,
    GNT_SEAL_ADDED,
    GNT_SEAL_NO_FILE /* a link, a pipe or the like where a file was signed */
} gnt_seal_change;

typedef struct gnt_seal_difference {
    gnt_seal_change what;
    const char *path;   /* arbitrary bytes: escape it */
    uint64_t offset;    /* if CHANGED: of the first block that differs; UINT64_MAX: unknown */
    uint64_t size, was; /* bytes now, bytes when signed */
} gnt_seal_difference;

typedef enum gnt_seal_verdict {
    GNT_SEAL_VALID,
    GNT_SEAL_DIFFERS,   /* the signature is good; `differs` was called */
    GNT_SEAL_OTHER_KEY, /* it names another public key */
    GNT_SEAL_FORGED     /* the signature is not this key's for this manifest */
} gnt_seal_verdict;

/* True if the folder has an entry signature.json of any type. */
int gnt_seal_is_there(const char *folder);
/* Reads the public key that signature.json names; nothing proves whose it is. */
int gnt_seal_own_key(const char *folder, gnt_seal_key *key, gnt_err *err);

/* Checks signature and files; calls `differs` for each difference, sorted by path. Returns −1 if
 * signature.json is missing or malformed, or a file could not be read. */
int gnt_seal_verify(const char *folder, const gnt_seal_key *key, gnt_seal_verdict *verdict, size_t *n_files,
                    void (*differs)(void *user, const gnt_seal_difference *d), void *user, gnt_err *err);

#endif
