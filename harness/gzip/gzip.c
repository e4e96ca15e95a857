#include "gzip/gzip.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum { GZIP_BITS = 16 + MAX_WBITS, MEMORY = 9 };

int gnt_gunzip(const char *name, const uint8_t *packed, size_t n, size_t most, uint8_t **bytes, size_t *size,
               gnt_err *err) {
    z_stream z;
    memset(&z, 0, sizeof z);
    *bytes = NULL;
    if (n > UINT_MAX || inflateInit2(&z, GZIP_BITS) != Z_OK)
        return gnt_fail(err, "%s: out of memory", name);
    int rc = -1, state = Z_OK;
    size_t room = most + 1; /* one more, to see that there is more */
    *bytes = gnt_array(room, 1);
    if (!*bytes) {
        gnt_fail(err, "%s: out of memory for %zu bytes", name, room);
        goto cleanup;
    }
    z.next_in = (Bytef *)(uintptr_t)packed;
    z.avail_in = (uInt)n;
    z.next_out = *bytes;
    z.avail_out = (uInt)room;
    while (state == Z_OK && z.avail_out)
        state = inflate(&z, Z_NO_FLUSH);
    *size = z.total_out;
    if (*size > most)
        gnt_fail(err, "%s: unpacks to more than the %zu bytes that such a file can hold", name, most);
    else if (state == Z_BUF_ERROR || state == Z_OK)
        gnt_fail(err,
                 "%s: offset %zu: the file ends inside the gzip stream; it was cut short, fetch it again",
                 name, n);
    else if (state != Z_STREAM_END)
        gnt_fail(err, "%s: offset %lu: broken gzip data (%s); fetch the file again", name, z.total_in,
                 z.msg ? z.msg : "not a gzip file");
    else if (z.avail_in)
        gnt_fail(err, "%s: offset %lu: %u bytes after the end of the gzip stream; expected none", name,
                 z.total_in, z.avail_in);
    else
        rc = 0;
cleanup:
    inflateEnd(&z);
    if (rc != 0) {
        gnt_free(*bytes);
        *bytes = NULL;
    }
    return rc;
}

int gnt_gzip(const char *name, const uint8_t *bytes, size_t n, uint8_t **packed, size_t *size, gnt_err *err) {
    z_stream z;
    memset(&z, 0, sizeof z);
    *packed = NULL;
    if (n > INT_MAX ||
        deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_BITS, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return gnt_fail(err, "%s: out of memory", name);
    const size_t room = deflateBound(&z, (uLong)n);
    *packed = gnt_array(room, 1);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = *packed;
    z.avail_out = (uInt)room;
    const int done = *packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *size = z.total_out;
    deflateEnd(&z);
    if (done)
        return 0;
    gnt_free(*packed);
    *packed = NULL;
    return gnt_fail(err, "%s: out of memory", name);
}
