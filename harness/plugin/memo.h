/* memo: results of long computations of plugins, by key, which outlive the process that made them: the
 * service GNT_EXTENSION_MEMO. They lie in memory, and in a file of the job if there is one, to which records
 * are only added. Records of the file:
 *
 *   digest 32 bytes, instance 32, n 8, count 8, n keys of 16, n values of count bytes, each with zeros up to
 *   a multiple of 8
 *
 * digest: BLAKE2b-256 of a text that identifies job and program, of the record's place in the file, and of
 * what follows. Reading ends at the first record with another digest: a process was killed while it wrote
 * that, or the file is another job's. An instance finds what it put itself, and what an instance with the
 * same plugin and key put before the file was opened.
 *
 * Ownership: a table borrows its file, which outlives it. Threads: one. Errors: −1 when out of memory. A file
 * that can no longer be written is no error: the job goes on without it. */
#ifndef GNT_PLUGIN_MEMO_H
#define GNT_PLUGIN_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

enum { GNT_MEMO_KEY = 16 };

typedef struct gnt_memo_file {
    /* −1: nothing more is written. */
    int fd;
    const char *job;
    /* The records that were there; `end` of them, and of those added since. */
    uint8_t *bytes;
    size_t size;
    int64_t end;
} gnt_memo_file;

/* Reads the records of an open file. job: the text that identifies job and program; outlives the file. Fails
 * only if memory runs out. */
int gnt_memo_file_open(gnt_memo_file *out, int fd, const char *job, gnt_err *err);
/* Does not close the descriptor. */
void gnt_memo_file_close(gnt_memo_file *f);

/* What one instance finds. */
typedef struct gnt_memo_table gnt_memo_table;

/* file: NULL: memory alone. NULL when out of memory. */
gnt_memo_table *gnt_memo_table_new(gnt_memo_file *file, const gnt_digest *instance);
void gnt_memo_table_free(gnt_memo_table *t);
/* Returns the value of a key, aligned to 8 bytes, valid as long as the table; NULL: there is none. *is_new:
 * 1 if it came from the file and was not found before. */
const void *gnt_memo_find(gnt_memo_table *t, const uint8_t key[GNT_MEMO_KEY], int64_t *count, int *is_new);
/* Copies n values of `count` bytes each, which are in the file together or not at all. A value that is there
 * already stays. */
int gnt_memo_put(gnt_memo_table *t, int64_t n, const uint8_t *keys, const void *data, int64_t count);

/* How many values there are, and how many of them were found or put: an instance that repeats its work finds
 * them in the order in which they were put, so these are the first ones. */
int64_t gnt_memo_size(const gnt_memo_table *t);
int64_t gnt_memo_used(const gnt_memo_table *t);
/* Makes the first n the ones that were found. −1 if there are not so many. */
int gnt_memo_set_used(gnt_memo_table *t, int64_t n);

#endif
