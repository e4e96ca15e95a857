/* store: outputs of jobs by the digest of their inputs' content. A job whose output is here is not run again.
 *
 *   FOLDER/ab/abcdef…/NAME.safetensors   one file an output
 *   FOLDER/ab/abcdef…/done.json          written last: {"facts", "job", "outputs": {NAME:
 *                                        digest}, "sandbox", "status",
 *                                        "sum"}; "sandbox" where the job opened a plugin
 *   FOLDER/ab/abcdef…/times.json         what it took; may be missing
 *
 * "sum" stands at the end and is the BLAKE2b-256 of the key in hexadecimal and of every byte of done.json
 * before `,"sum":`. An entry whose done.json is not exactly what was written for this key, or with a file
 * whose bytes do not match it, does not exist; the next that makes it writes it anew. A sum shows what has
 * gone wrong, not who wrote: whatever reads an output takes it as hostile.
 *
 * Several processes may use one store: an entry that is whole is replaced only by one that was made in a
 * sandbox of another level, and one that is half written has no done.json yet.
 *
 * Owner and lifetime: gnt_store_open gives a store, gnt_store_close takes it back; what is read is the
 * caller's. Thread: any, one for a store. Errors: −1 with a sentence. */
#ifndef GNT_RUN_STORE_H
#define GNT_RUN_STORE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"

typedef struct gnt_store gnt_store;

enum { GNT_STORE_MOST_OUTPUTS = 16 };

/* Makes the folder if it is missing; fails if nothing can be written into it. */
int gnt_store_open(gnt_store **out, const char *folder, gnt_err *err);
void gnt_store_close(gnt_store *s);

typedef struct gnt_stored_output {
    const char *name;
    const void *bytes;
    size_t size;
} gnt_stored_output;

/* *record: a new reference to done.json's object without "sum", NULL when there is no such entry (no
 * error). */
int gnt_store_find(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err);
/* The same, but the outputs are not read: each is there, and whoever reads one holds it against its
 * digest. */
int gnt_store_find_record(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err);
/* record: all but "outputs"; the outputs' digests are added. Where a whole entry is there already that was
 * made in a sandbox of the same level it stays, and `record` becomes that entry's. */
int gnt_store_put(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                  size_t n, gnt_err *err);
/* An output of a found entry, opened for reading; −1 on error. */
int gnt_store_open_output(gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err);
/* The whole of one; an error when it is no longer what `record` says. The caller
 * frees *bytes with gnt_free. */
int gnt_store_read(gnt_store *s, const gnt_digest *key, const json_t *record, const char *name,
                   uint8_t **bytes, size_t *size, gnt_err *err);
/* What an entry's job took when it was done: a fact of the machine, under no sum and no digest. To be put
 * before the entry, so that nothing is left half written in one that is done. */
int gnt_store_put_times(gnt_store *s, const gnt_digest *key, const json_t *times, gnt_err *err);
/* A new reference; NULL where there is nothing that can be read. What it says is not checked. */
json_t *gnt_store_times(gnt_store *s, const gnt_digest *key);
/* The digest of an output in hexadecimal, NULL where the record has none such. */
const char *gnt_store_digest(const json_t *record, const char *name);
/* "sum" of the entry `key` whose done.json begins with these bytes. */
void gnt_store_sum(const gnt_digest *key, const char *text, size_t size, char sum[GNT_HEX_SIZE]);

#endif
