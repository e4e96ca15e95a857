/* store: outputs of jobs by the digest of their inputs' content. A job whose output is here is not run again.
 *
 *   FOLDER/ab/abcdef…/NAME.safetensors   one file an output
 *   FOLDER/ab/abcdef…/done.json          written last: {"status", "job", "facts", "sandbox", "outputs":
 *                                        {NAME: digest}}; "sandbox" where the job opened a plugin
 *
 * An entry without a readable done.json, or with a file whose bytes do not match it, does not exist. */
#ifndef GNT_JOB_STORE_H
#define GNT_JOB_STORE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"

typedef struct gnt_store gnt_store;

int gnt_store_open(gnt_store **out, const char *folder, gnt_err *err);
void gnt_store_close(gnt_store *s);

typedef struct gnt_stored_output {
    const char *name;
    const void *bytes;
    size_t size;
} gnt_stored_output;

/* *record: a new reference to done.json's object, NULL when there is no such entry (no error). */
int gnt_store_find(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err);
/* record: all but "outputs"; the outputs' digests are added. Returns the completed record. */
int gnt_store_put(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                  size_t n, gnt_err *err);
/* An output of a found entry, opened for reading; −1 on error. */
int gnt_store_open_output(gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err);
/* Its path; the caller frees. */
char *gnt_store_path(const gnt_store *s, const gnt_digest *key, const char *name);

#endif
