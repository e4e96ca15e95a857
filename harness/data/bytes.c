#include "data/bytes.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "gzip/gzip.h"

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
        rc = gnt_gunzip(out->path, bytes, n, most, &out->at, &out->size, err);
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
