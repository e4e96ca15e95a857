#include "data/bytes.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"

static int inflate_all(data_bytes *b, const uint8_t *packed, size_t n, size_t most, gnt_err *err) {
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return gnt_fail(err, "%s: out of memory", b->path);
    int rc = -1, state = Z_OK;
    size_t room = most + 1; /* one more, to see that there is more */
    b->at = gnt_array(room, 1);
    if (!b->at) {
        gnt_fail(err, "%s: out of memory for %zu bytes", b->path, room);
        goto cleanup;
    }
    z.next_in = (Bytef *)(uintptr_t)packed;
    z.avail_in = (uInt)n;
    z.next_out = b->at;
    z.avail_out = (uInt)room;
    while (state == Z_OK && z.avail_out)
        state = inflate(&z, Z_NO_FLUSH);
    b->size = z.total_out;
    if (b->size > most)
        gnt_fail(err, "%s: unpacks to more than the %zu bytes that such a file can hold", b->path, most);
    else if (state == Z_BUF_ERROR || state == Z_OK)
        gnt_fail(err,
                 "%s: offset %zu: the file ends inside the gzip stream; it was cut short, fetch it again",
                 b->path, n);
    else if (state != Z_STREAM_END)
        gnt_fail(err, "%s: offset %lu: broken gzip data (%s); fetch the file again", b->path, z.total_in,
                 z.msg ? z.msg : "not a gzip file");
    else if (z.avail_in)
        gnt_fail(err, "%s: offset %lu: %u bytes after the end of the gzip stream; expected none", b->path,
                 z.total_in, z.avail_in);
    else
        rc = 0;
cleanup:
    inflateEnd(&z);
    return rc;
}

/* True if a file is packed. Its bytes decide, not its name: browsers unpack a file and keep .gz in its
 * name, or remove .gz. If the file is too short, the name decides. */
static int is_packed(const uint8_t *bytes, size_t n, int named) {
    return n >= 2 ? bytes[0] == 0x1f && bytes[1] == 0x8b : named;
}

int data_bytes_open(data_bytes *out, const char *folder, const char *name, size_t most, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t n = 0;
    const int plain = data_has("%s/%s", folder, name);
    *out = (data_bytes){.size = 0};
    if (!plain && !data_has("%s/%s.gz", folder, name))
        return gnt_fail(err, "%s/%s: is missing (so is %s.gz)", folder, name, name);
    out->path = gnt_format("%s/%s%s", folder, name, plain ? "" : ".gz");
    int rc = !out->path ? gnt_fail(err, "%s: out of memory", name)
                        : gnt_file_read(out->path, plain ? most : most + (1 << 16), &bytes, &n, err);
    if (rc == 0 && is_packed(bytes, n, !plain))
        rc = inflate_all(out, bytes, n, most, err);
    else if (rc == 0 && n > most)
        rc = gnt_fail(err, "%s: %zu bytes; such a file can hold %zu", out->path, n, most);
    else if (rc == 0) {
        out->at = bytes;
        out->size = n;
        bytes = NULL;
    }
    gnt_free(bytes);
    if (rc != 0)
        data_bytes_free(out);
    return rc;
}

void data_bytes_free(data_bytes *b) {
    gnt_free(b->path);
    gnt_free(b->at);
    memset(b, 0, sizeof *b);
}

int data_has(const char *format, ...) {
    char path[PATH_MAX];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    return n > 0 && n < PATH_MAX && gnt_file_exists(path);
}
