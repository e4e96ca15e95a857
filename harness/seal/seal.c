#include "seal/seal.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "seal/folder_impl.h"

enum { MARK = 8, MARK_HEX = 2 * MARK, MOST_SIGNATURE = 64 << 20, MOST_FILE = 1 << 30 };

/* ---- one file, block by block ---- */

typedef struct digests {
    gnt_digest whole;
    gnt_text marks; /* hex */
} digests;

/* Reads a block, or the rest of the file; returns its bytes, or −1 on an error. */
static ssize_t read_block(int fd, uint8_t block[GNT_SEAL_BLOCK]) {
    size_t n = 0;
    while (n < GNT_SEAL_BLOCK) {
        ssize_t got = read(fd, block + n, GNT_SEAL_BLOCK - n);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

static void mark_of(const uint8_t *block, size_t n, char hex[MARK_HEX + 1]) {
    gnt_digest d = gnt_digest_bytes(block, n);
    sodium_bin2hex(hex, MARK_HEX + 1, d.b, MARK);
}

static int digest_file(const gnt_seal_folder *f, const char *path, digests *out, uint64_t *size,
                       gnt_err *err) {
    uint8_t block[GNT_SEAL_BLOCK];
    char hex[MARK_HEX + 1];
    crypto_generichash_state state;
    int fd = gnt_seal_folder_read(f, path, err);
    if (fd < 0)
        return -1;
    crypto_generichash_init(&state, NULL, 0, sizeof out->whole);
    *size = 0;
    ssize_t n;
    while ((n = read_block(fd, block)) > 0 && *size <= MOST_FILE) {
        crypto_generichash_update(&state, block, (size_t)n);
        mark_of(block, (size_t)n, hex);
        gnt_text_bytes(&out->marks, hex, MARK_HEX);
        *size += (uint64_t)n;
    }
    close(fd);
    crypto_generichash_final(&state, out->whole.b, sizeof out->whole);
    if (n < 0)
        return gnt_fail(err, "%s: cannot read", path);
    if (*size > MOST_FILE || out->marks.failed)
        return gnt_fail(err, "%s: is too large to sign", path);
    return 0;
}

/* ---- signing ---- */

static int has_control(const char *path) {
    for (; *path; path++)
        if ((unsigned char)*path < 32 || *path == 127)
            return 1;
    return 0;
}

static json_t *file_json(const gnt_seal_folder *f, const gnt_seal_found *one, gnt_err *err) {
    digests d;
    char hex[GNT_HEX_SIZE];
    uint64_t size;
    json_t *entry = NULL;
    if (!one->regular) {
        gnt_fail(err, "%s: is not a regular file; only regular files can be signed", one->path);
        return NULL;
    }
    if (has_control(one->path)) {
        gnt_fail(err, "%s: its name has control characters", one->path);
        return NULL;
    }
    gnt_text_init(&d.marks, MOST_SIGNATURE);
    if (digest_file(f, one->path, &d, &size, err) == 0) {
        gnt_digest_hex(&d.whole, hex);
        entry = json_pack("{s:s, s:I, s:s, s:s}", "path", one->path, "size", (json_int_t)size, "digest", hex,
                          "blocks", gnt_text_get(&d.marks));
        if (!entry)
            gnt_fail(err, "%s: its name is not UTF-8, or out of memory", one->path);
    }
    gnt_text_free(&d.marks);
    return entry;
}

static json_t *manifest_json(const gnt_seal_folder *f, gnt_err *err) {
    json_t *files = json_array();
    for (size_t i = 0; i < f->n; i++) {
        json_t *entry = file_json(f, &f->file[i], err);
        if (!entry) {
            json_decref(files);
            return NULL;
        }
        json_array_append_new(files, entry);
    }
    json_t *manifest = files ? json_pack("{s:i, s:o}", "block", GNT_SEAL_BLOCK, "files", files) : NULL;
    if (!manifest)
        gnt_fail(err, "out of memory for the list of files");
    return manifest;
}

/* Returns the text that is signed; the caller frees it. */
static char *signed_text(const json_t *manifest) {
    char *canonical = gnt_json_canonical(manifest);
    char *text = canonical ? gnt_format("gauntlet run 1\n%s", canonical) : NULL;
    gnt_free(canonical);
    return text;
}

/* Writes signature.json; takes ownership of the manifest. */
static int write_signature(const char *folder, json_t *manifest, const gnt_seal_key *key, gnt_err *err) {
    uint8_t signature[crypto_sign_BYTES];
    char hex[2 * crypto_sign_BYTES + 1], public[65];
    char *path = gnt_format("%s/signature.json", folder), *message = signed_text(manifest), *text = NULL;
    int rc = -1;
    if (path && message) {
        crypto_sign_detached(signature, NULL, (const uint8_t *)message, strlen(message), key->secret);
        sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
        sodium_bin2hex(public, sizeof public, key->public, sizeof key->public);
        json_t *all = json_pack("{s:i, s:s, s:s, s:O}", "format", 1, "public_key", public, "signature", hex,
                                "manifest", manifest);
        text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
        json_decref(all);
    }
    if (text && strlen(text) > MOST_SIGNATURE)
        rc = gnt_fail(err, "%s: the folder is too large to sign", folder);
    else
        rc = text ? gnt_file_write(path, text, strlen(text), err)
                  : gnt_fail(err, "out of memory for the signature");
    json_decref(manifest);
    gnt_free(message);
    gnt_free(path);
    gnt_free(text);
    return rc;
}

int gnt_seal_sign(const char *folder, const gnt_seal_key *key, size_t *n_files, gnt_err *err) {
    gnt_seal_folder f;
    if (gnt_seal_folder_open(&f, folder, err) != 0)
        return -1;
    json_t *manifest = manifest_json(&f, err);
    *n_files = f.n;
    gnt_seal_folder_close(&f);
    return manifest ? write_signature(folder, manifest, key, err) : -1;
}

/* ---- checking ---- */

static int is_hex(const char *text, size_t digits) {
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

typedef struct entry { /* of the manifest; text is borrowed */
    const char *path, *digest, *blocks;
    int64_t size;
} entry;

static int read_entry(const gnt_doc *doc, const char *path, const json_t *value, entry *out, gnt_err *err) {
    static const char *const keys[] = {"path", "size", "digest", "blocks"};
    *out = (entry){.size = -1};
    if (gnt_doc_keys(doc, path, value, keys, 4, err) != 0)
        return -1;
    for (size_t i = 0; i < 4; i++)
        if (gnt_doc_need(doc, path, value, keys[i], "every file entry has it", err) != 0)
            return -1;
    out->blocks = json_string_value(json_object_get(value, "blocks"));
    if (gnt_doc_text(doc, path, value, "path", GNT_SEAL_PATH, &out->path, err) != 0 ||
        gnt_doc_int(doc, path, value, "size", 0, (int64_t)MOST_FILE, &out->size, err) != 0 ||
        gnt_doc_text(doc, path, value, "digest", 64, &out->digest, err) != 0)
        return -1;
    size_t blocks = ((size_t)out->size + GNT_SEAL_BLOCK - 1) / GNT_SEAL_BLOCK;
    if (!is_hex(out->digest, 64) || !out->blocks || !is_hex(out->blocks, MARK_HEX * blocks))
        return gnt_doc_fail(err, doc, path,
                            "its digests do not fit %lld bytes: expected 64 and %zu hexadecimal digits",
                            (long long)out->size, MARK_HEX * blocks);
    return 0;
}

typedef struct seal { /* signature.json as read */
    gnt_doc doc;
    const json_t *manifest;
    entry *file;
    size_t n;
    uint8_t public[32], signature[crypto_sign_BYTES];
} seal;

static void free_seal(seal *s) {
    gnt_free(s->file);
    gnt_doc_free(&s->doc);
}

static int read_hex(const gnt_doc *doc, const char *key, uint8_t *out, size_t size, gnt_err *err) {
    const char *text = NULL;
    size_t n;
    if (gnt_doc_need(doc, "", doc->root, key, "every signature has it", err) != 0 ||
        gnt_doc_text(doc, "", doc->root, key, 2 * size, &text, err) != 0)
        return -1;
    if (!is_hex(text, 2 * size) || sodium_hex2bin(out, size, text, 2 * size, NULL, &n, NULL) != 0)
        return gnt_doc_fail(err, doc, key, "expected %zu hexadecimal digits", 2 * size);
    return 0;
}

static int read_files(seal *s, gnt_err *err) {
    static const char *const keys[] = {"block", "files"};
    const json_t *files = NULL;
    int64_t block = 0;
    if (gnt_doc_keys(&s->doc, "manifest", s->manifest, keys, 2, err) != 0 ||
        gnt_doc_need(&s->doc, "manifest", s->manifest, "files", "the list of what is signed", err) != 0 ||
        gnt_doc_need(&s->doc, "manifest", s->manifest, "block", "the size of a block", err) != 0 ||
        gnt_doc_int(&s->doc, "manifest", s->manifest, "block", GNT_SEAL_BLOCK, GNT_SEAL_BLOCK, &block, err) !=
            0 ||
        gnt_doc_list(&s->doc, "manifest", s->manifest, "files", 0, GNT_SEAL_MOST_FILES, &files, err) != 0)
        return -1;
    s->file = gnt_array(json_array_size(files) + 1, sizeof *s->file);
    if (!s->file)
        return gnt_fail(err, "out of memory for the list of files");
    for (; s->n < json_array_size(files); s->n++) {
        gnt_path path = gnt_path_item("manifest.files", s->n);
        if (read_entry(&s->doc, path.text, json_array_get(files, s->n), &s->file[s->n], err) != 0)
            return -1;
        if (s->n && strcmp(s->file[s->n - 1].path, s->file[s->n].path) >= 0)
            return gnt_doc_fail(err, &s->doc, path.text,
                                "its path is not greater than that of the file before");
    }
    return 0;
}

static int read_seal(seal *s, const char *folder, gnt_err *err) {
    static const char *const keys[] = {"format", "public_key", "signature", "manifest"};
    char *path = gnt_format("%s/signature.json", folder);
    int64_t format = 0;
    *s = (seal){0};
    int rc = path ? gnt_doc_load(&s->doc, path, MOST_SIGNATURE, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc != 0)
        return -1;
    const gnt_doc *doc = &s->doc;
    rc = gnt_doc_keys(doc, "", doc->root, keys, 4, err) ||
         gnt_doc_need(doc, "", doc->root, "format", "1", err) ||
         gnt_doc_int(doc, "", doc->root, "format", 1, 1, &format, err) ||
         read_hex(doc, "public_key", s->public, sizeof s->public, err) ||
         read_hex(doc, "signature", s->signature, sizeof s->signature, err) ||
         gnt_doc_need(doc, "", doc->root, "manifest", "what is signed", err) ||
         gnt_doc_object(doc, "", doc->root, "manifest", &s->manifest, err) || read_files(s, err);
    if (rc != 0)
        free_seal(s);
    return rc ? -1 : 0;
}

static int check_signature(const seal *s, const gnt_seal_key *key, gnt_seal_verdict *verdict, gnt_err *err) {
    *verdict = GNT_SEAL_VALID;
    if (memcmp(s->public, key->public, sizeof s->public) != 0) {
        *verdict = GNT_SEAL_OTHER_KEY;
        return 0;
    }
    char *message = signed_text(s->manifest);
    if (!message)
        return gnt_fail(err, "out of memory for the signature");
    if (crypto_sign_verify_detached(s->signature, (const uint8_t *)message, strlen(message), key->public) !=
        0)
        *verdict = GNT_SEAL_FORGED;
    gnt_free(message);
    return 0;
}

/* Compares a file with its entry, and reads no more bytes than were signed: the file may be endless. */
static int compare(const gnt_seal_folder *f, const entry *e, const gnt_seal_found *now,
                   gnt_seal_difference *d, int *differs, gnt_err *err) {
    uint8_t block[GNT_SEAL_BLOCK];
    char hex[MARK_HEX + 1], whole_hex[GNT_HEX_SIZE];
    gnt_digest whole;
    crypto_generichash_state state;
    uint64_t was = (uint64_t)e->size, least = now->size < was ? now->size : was, at = 0;
    *d = (gnt_seal_difference){.what = GNT_SEAL_CHANGED, .path = e->path, .size = now->size, .was = was};
    *differs = 1;
    int fd = gnt_seal_folder_read(f, e->path, err);
    if (fd < 0)
        return -1;
    crypto_generichash_init(&state, NULL, 0, sizeof whole);
    int same = 1;
    while (same && at < least) {
        ssize_t n = read_block(fd, block);
        size_t want = was - at < GNT_SEAL_BLOCK ? (size_t)(was - at) : GNT_SEAL_BLOCK;
        if (n <= 0)
            break;
        if ((size_t)n > want)
            n = (ssize_t)want;
        if ((size_t)n < want) /* the last block of a truncated file */
            break;
        mark_of(block, (size_t)n, hex);
        crypto_generichash_update(&state, block, (size_t)n);
        same = memcmp(hex, e->blocks + MARK_HEX * (at / GNT_SEAL_BLOCK), MARK_HEX) == 0;
        at += same ? (uint64_t)n : 0;
    }
    close(fd);
    d->offset = at;
    if (!same)
        return 0;
    if (now->size != was || at < was) {
        d->what = now->size > was ? GNT_SEAL_LONGER : GNT_SEAL_SHORTER;
        return 0;
    }
    crypto_generichash_final(&state, whole.b, sizeof whole);
    gnt_digest_hex(&whole, whole_hex);
    d->offset = UINT64_MAX;
    *differs = strcmp(whole_hex, e->digest) != 0;
    return 0;
}

/* Merges two lists sorted by path, and calls differs for each difference. */
static int compare_all(const seal *s, const gnt_seal_folder *f, size_t *differences,
                       void (*differs)(void *user, const gnt_seal_difference *d), void *user, gnt_err *err) {
    size_t i = 0, k = 0;
    while (i < s->n || k < f->n) {
        const entry *e = i < s->n ? &s->file[i] : NULL;
        const gnt_seal_found *now = k < f->n ? &f->file[k] : NULL;
        int order = !e ? 1 : !now ? -1 : strcmp(e->path, now->path), different = 1;
        gnt_seal_difference d = {0};
        if (order < 0)
            d = (gnt_seal_difference){.what = GNT_SEAL_MISSING, .path = e->path, .was = (uint64_t)e->size};
        else if (order > 0)
            d = (gnt_seal_difference){.what = GNT_SEAL_ADDED, .path = now->path, .size = now->size};
        else if (!now->regular)
            d = (gnt_seal_difference){.what = GNT_SEAL_NO_FILE, .path = e->path, .was = (uint64_t)e->size};
        else if (compare(f, e, now, &d, &different, err) != 0)
            return -1;
        if (different) {
            differs(user, &d);
            ++*differences;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return 0;
}

int gnt_seal_is_there(const char *folder) {
    struct stat st;
    char *path = gnt_format("%s/signature.json", folder);
    const int there = path && lstat(path, &st) == 0;
    gnt_free(path);
    return there;
}

int gnt_seal_own_key(const char *folder, gnt_seal_key *key, gnt_err *err) {
    seal s;
    *key = (gnt_seal_key){0};
    if (read_seal(&s, folder, err) != 0)
        return -1;
    memcpy(key->public, s.public, sizeof key->public);
    free_seal(&s);
    return 0;
}

int gnt_seal_verify(const char *folder, const gnt_seal_key *key, gnt_seal_verdict *verdict, size_t *n_files,
                    void (*differs)(void *user, const gnt_seal_difference *d), void *user, gnt_err *err) {
    seal s;
    gnt_seal_folder f;
    size_t differences = 0;
    if (read_seal(&s, folder, err) != 0)
        return -1;
    int rc = check_signature(&s, key, verdict, err);
    *n_files = s.n;
    if (rc == 0 && *verdict == GNT_SEAL_VALID) {
        rc = gnt_seal_folder_open(&f, folder, err);
        if (rc == 0) {
            rc = compare_all(&s, &f, &differences, differs, user, err);
            gnt_seal_folder_close(&f);
        }
        if (differences)
            *verdict = GNT_SEAL_DIFFERS;
    }
    free_seal(&s);
    return rc;
}
