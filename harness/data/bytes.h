/* bytes: a data file in memory, plain or unpacked from .gz, never larger than its set can be. */
#ifndef GNT_DATA_BYTES_H
#define GNT_DATA_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct data_bytes {
    char *path; /* of the file that was read, with .gz where its name has it */
    uint8_t *at;
    size_t size;
} data_bytes;

/* Opens folder/name, or folder/name.gz where there is no such file, and unpacks what is gzip data by its
 * first bytes. `most` bounds the unpacked size; a file
 * that would be larger is refused before it is unpacked further. */
int data_bytes_open(data_bytes *out, const char *folder, const char *name, size_t most, gnt_err *err);
void data_bytes_free(data_bytes *b);

/* True if there is a file of that name; longer names than the system's are none. */
int data_has(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
