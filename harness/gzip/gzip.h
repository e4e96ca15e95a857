/* gzip: gzip data in memory (RFC 1952), by zlib. */
#ifndef GNT_GZIP_GZIP_H
#define GNT_GZIP_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Unpacks the n bytes of the file `name` to at most `most` bytes; a file that would unpack to more is refused
 * before it is unpacked further. The caller frees *bytes. On failure *bytes is NULL. */
int gnt_gunzip(const char *name, const uint8_t *packed, size_t n, size_t most, uint8_t **bytes, size_t *size,
               gnt_err *err);
/* Packs n < 2³¹ bytes, without a name or a time: the same bytes are packed alike. The caller frees *packed,
 * which is NULL on failure. */
int gnt_gzip(const char *name, const uint8_t *bytes, size_t n, uint8_t **packed, size_t *size, gnt_err *err);

#endif
