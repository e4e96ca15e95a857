#include "data/bytes.h"

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

int data_bytes_open(data_bytes *out, const char *folder, const char *name, size_t most, gnt_err *err) {
    uint8_t *packed = NULL;
    size_t n = 0;
    int rc = -1;
    memset(out, 0, sizeof *out);
    out->path = gnt_format("%s/%s", folder, name);
    if (!out->path)
        return gnt_fail(err, "%s: out of memory", name);
    if (gnt_file_exists(out->path)) {
        rc = gnt_file_read(out->path, most, &out->at, &out->size, err);
        goto cleanup;
    }
    char *gz = gnt_format("%s.gz", out->path);
    if (!gz) {
        gnt_fail(err, "%s: out of memory", name);
        goto cleanup;
    }
    if (!gnt_file_exists(gz)) {
        gnt_fail(err, "%s: is missing (so is %s.gz)", out->path, name);
        gnt_free(gz);
        goto cleanup;
    }
    gnt_free(out->path);
    out->path = gz;
    if (gnt_file_read(gz, most + (1 << 16), &packed, &n, err) == 0)
        rc = inflate_all(out, packed, n, most, err);
cleanup:
    gnt_free(packed);
    if (rc != 0)
        data_bytes_free(out);
    return rc;
}

void data_bytes_free(data_bytes *b) {
    gnt_free(b->path);
    gnt_free(b->at);
    memset(b, 0, sizeof *b);
}
