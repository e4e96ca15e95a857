/* store: outputs of jobs by the digest of their inputs' content. A job whose output is in it is not run
 * again.
 *
 *   FOLDER/ab/abcdef…/NAME.safetensors   one file an output
 *   FOLDER/ab/abcdef…/done.json          written last: {"facts", "job", "outputs": {NAME:
 *                                        digest}, "released": [NAME, …], "sandbox", "status",
 *                                        "sum"}; "sandbox" where the job opened a plugin,
 *                                        "released" where outputs were
 *   FOLDER/ab/abcdef…/times.json         time and memory it took; may be missing
 *   FOLDER/ab/abcdef…/checkpoint         of an entry that does not count yet: the state of its job
 *                                        (job/checkpoint.h), which writes it
 *   FOLDER/ab/abcdef…/memo.NAME          of such an entry too: results of plugins (plugin/memo.h)
 *
 * "sum" is the last member and is the BLAKE2b-256 of the key in hexadecimal and of every byte of done.json
 * before `,"sum":`. An entry whose done.json is not exactly what was written for this key, or with a file
 * whose bytes do not match it, does not exist; the next run that needs it recomputes it. A sum shows
 * corruption, not the author: whatever reads an output treats it as hostile.
 *
 * Outputs of an entry that is whole can be released: their files are removed and their digests stay, so that
 * the keys of jobs that read them are known without them. A job that must read one needs it stored again,
 * with the same bytes.
 *
 * Several processes may use one store: an entry that is whole is replaced only by one that was made in a
 * sandbox of another level, and one that is half written has no done.json yet.
 *
 * Owner and lifetime: gnt_store_open makes a store, gnt_store_close frees it; what is read is the
 * caller's. Thread: any, one for a store. Errors: −1 with a sentence. */
#ifndef GNT_RUN_STORE_H
#define GNT_RUN_STORE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"

typedef struct gnt_store gnt_store;

enum { GNT_STORE_MOST_OUTPUTS = 16 };

/* Memos: of the job's own process, and of that with clients' hooks. */
#define GNT_STORE_MEMO_OWN "memo.own"
#define GNT_STORE_MEMO_CLIENT "memo.client"

/* Makes the folder if it is missing; fails if nothing can be written into it. */
int gnt_store_open(gnt_store **out, const char *folder, gnt_err *err);
void gnt_store_close(gnt_store *s);

typedef struct gnt_stored_output {
    const char *name;
    const void *bytes;
    size_t size;
} gnt_stored_output;

/* Finds an entry. *record: a new reference to done.json's object without "sum"; NULL, and no error, if there
 * is no entry that counts. Released outputs may be missing. */
int gnt_store_find(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err);
/* Finds an entry without reading its outputs: each of them is there, but its bytes are compared with their
 * digest only when they are read. */
int gnt_store_find_record(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err);
/* Stores an entry. record: everything but "outputs"; the outputs' digests are added. An entry without
 * released outputs that was made in a sandbox of the same level stays, and `record` becomes that entry's. */
int gnt_store_put(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                  size_t n, gnt_err *err);
/* Releases all outputs of a found entry but `kept`, and changes `record` accordingly. Files that an earlier
 * release left are removed. */
int gnt_store_release(gnt_store *s, const gnt_digest *key, json_t *record, const char *kept, gnt_err *err);
/* True if that output of a found entry was not released and its file is there. */
int gnt_store_has(const gnt_store *s, const gnt_digest *key, const json_t *record, const char *name);
/* Opens an output of a found entry for reading; −1 on error. */
int gnt_store_open_output(gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err);
/* Reads a whole output; fails if its bytes are not those of `record`. The caller frees *bytes with
 * gnt_free. */
int gnt_store_read(gnt_store *s, const gnt_digest *key, const json_t *record, const char *name,
                   uint8_t **bytes, size_t *size, gnt_err *err);
/* Stores the cost of an entry's job, which no sum or digest covers. To be called before gnt_store_put, so
 * that nothing is half written in an entry that counts. */
int gnt_store_put_times(gnt_store *s, const gnt_digest *key, const json_t *times, gnt_err *err);
/* Returns the cost as a new reference, unchecked; NULL if there is none that can be read. */
json_t *gnt_store_times(gnt_store *s, const gnt_digest *key);
/* Returns the absolute path of an entry's checkpoint, which the caller frees; NULL with a sentence. */
char *gnt_store_checkpoint(const gnt_store *s, const gnt_digest *key, gnt_err *err);
/* Opens the entry's memo of that name (GNT_STORE_MEMO_*) for reading and writing, and makes it if there is
 * none. −1 with a sentence. */
int gnt_store_open_memo(const gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err);
/* Removes checkpoint and memos, if there are any. */
void gnt_store_drop_unfinished(const gnt_store *s, const gnt_digest *key);
/* Returns the digest of an output in hexadecimal; NULL if the record has no such output. */
const char *gnt_store_digest(const json_t *record, const char *name);
/* Computes "sum" of the entry `key` whose done.json begins with these bytes. */
void gnt_store_sum(const gnt_digest *key, const char *text, size_t size, char sum[GNT_HEX_SIZE]);

#endif
