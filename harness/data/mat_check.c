/* The layout of MATLAB files, version 5 ("MAT-File Format", The MathWorks): 128 bytes of header, then
 * variables, each with a tag of two 32-bit numbers, type and size in bytes. Type 14 is an array; type
 * 15 a zlib stream of one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <zlib.h>

#include "base/mem.h"
#include "data/mat.h"

enum { HEAD = 128, VERSION_AT = 124, TAG = 8, ARRAY = 14, PACKED = 15, CHUNK = 1 << 16, MOST_VARIABLES = 64 };

typedef struct mat_walk {
    const char *path;
    FILE *file;
    uint64_t size, at; /* of the file; bytes read so far */
    size_t left;       /* bytes that may yet be unpacked */
    int variable;      /* counted from 1 */
    uint8_t in[CHUNK], out[CHUNK];
} mat_walk;

static uint32_t little_endian(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static int take(mat_walk *w, void *to, size_t n, gnt_err *err) {
    if (fread(to, 1, n, w->file) != n)
        return gnt_fail(err, "%s: offset %llu: cannot be read further", w->path, (unsigned long long)w->at);
    w->at += n;
    return 0;
}

static int check_head(mat_walk *w, gnt_err *err) {
    uint8_t head[HEAD];
    if (w->size < HEAD)
        return gnt_fail(err, "%s: offset %llu: the file ends inside its header; expected %d bytes of it",
                        w->path, (unsigned long long)w->size, HEAD);
    if (take(w, head, HEAD, err))
        return -1;
    if (memcmp(head, "MATLAB 5.0", 10) != 0 || memcmp(head + VERSION_AT, "\0\1IM", 4) != 0)
        return gnt_fail(
            err,
            "%s: offset %d: this is no little-endian MATLAB file of version 5 (as `save -v7` and the "
            "published files are); fetch it again, or save it so",
            w->path, memcmp(head, "MATLAB 5.0", 10) != 0 ? 0 : VERSION_AT);
    return 0;
}

/* Unpacks `size` bytes to nothing. The stream must end with them and hold one array as
 * long as its own tag says. */
static int check_packed(mat_walk *w, uint64_t size, gnt_err *err) {
    const uint64_t begin = w->at;
    uint8_t tag[TAG] = {0};
    uint64_t unpacked = 0;
    z_stream z = {0};
    if (inflateInit(&z) != Z_OK)
        return gnt_fail(err, "%s: out of memory", w->path);
    int rc = 0, said = Z_OK;
    while (rc == 0 && said == Z_OK && (size > 0 || z.avail_in > 0)) {
        if (z.avail_in == 0) {
            size_t n = size < CHUNK ? (size_t)size : CHUNK;
            rc = take(w, w->in, n, err);
            size -= n;
            z.next_in = w->in;
            z.avail_in = (uInt)n;
        }
        z.next_out = w->out;
        z.avail_out = CHUNK;
        said = rc ? Z_OK : inflate(&z, Z_NO_FLUSH);
        size_t got = CHUNK - z.avail_out;
        for (size_t i = 0; i < got && unpacked + i < TAG; i++)
            tag[unpacked + i] = w->out[i];
        unpacked += got;
        if (rc == 0 && got > w->left)
            rc = gnt_fail(err, "%s: variable %d, at offset %llu, unpacks to more than its set can hold",
                          w->path, w->variable, (unsigned long long)begin);
        w->left -= rc ? 0 : got;
        if (said == Z_BUF_ERROR && got == 0 && z.avail_in == 0)
            said = Z_OK; /* it wants more input */
    }
    if (rc == 0 && (said != Z_STREAM_END || size > 0 || z.avail_in > 0))
        rc = gnt_fail(err, "%s: offset %llu: variable %d, which begins at %llu, is %s; fetch it again",
                      w->path, (unsigned long long)(w->at - z.avail_in), w->variable,
                      (unsigned long long)begin,
                      said == Z_OK           ? "a zlib stream without an end"
                      : said == Z_STREAM_END ? "a zlib stream with bytes after its end"
                                             : "broken zlib data");
    inflateEnd(&z);
    if (rc == 0 &&
        (unpacked < TAG || little_endian(tag) != ARRAY || little_endian(tag + 4) != unpacked - TAG))
        rc = gnt_fail(
            err, "%s: variable %d, at offset %llu, unpacks to %llu bytes, which are no array of that length",
            w->path, w->variable, (unsigned long long)begin, (unsigned long long)unpacked);
    return rc;
}

static int check_variable(mat_walk *w, gnt_err *err) {
    uint8_t tag[TAG];
    const unsigned long long begin = w->at, rest = w->size - w->at;
    if (++w->variable > MOST_VARIABLES)
        return gnt_fail(err, "%s: offset %llu: more than %d variables", w->path, begin, MOST_VARIABLES);
    if (rest < TAG)
        return gnt_fail(err,
                        "%s: offset %llu: the file ends inside the tag of variable %d; expected %d bytes",
                        w->path, (unsigned long long)w->size, w->variable, TAG);
    if (take(w, tag, TAG, err))
        return -1;
    const uint32_t type = little_endian(tag), size = little_endian(tag + 4);
    if (type != ARRAY && type != PACKED)
        return gnt_fail(
            err, "%s: offset %llu: variable %d is of type %u; expected an array (%d) or a packed one (%d)",
            w->path, begin, w->variable, type, ARRAY, PACKED);
    if (size > rest - TAG)
        return gnt_fail(
            err,
            "%s: offset %llu: the file ends here, inside variable %d, which begins at offset %llu and has %u "
            "bytes; expected a file of at least %llu bytes; fetch it again",
            w->path, (unsigned long long)w->size, w->variable, begin, size, begin + TAG + size);
    if (type == PACKED)
        return check_packed(w, size, err);
    if (size > w->left)
        return gnt_fail(err, "%s: offset %llu: variable %d has %u bytes, more than its set can hold", w->path,
                        begin, w->variable, size);
    w->left -= size;
    w->at += size;
    return fseeko(w->file, (off_t)w->at, SEEK_SET) == 0
               ? 0
               : gnt_fail(err, "%s: offset %llu: cannot be read further", w->path, begin);
}

int data_mat_check(const char *path, size_t most, gnt_err *err) {
    struct stat st;
    mat_walk *w = gnt_alloc(sizeof *w);
    if (!w)
        return gnt_fail(err, "%s: out of memory", path);
    int rc = -1;
    w->path = path;
    w->left = most;
    if (stat(path, &st) != 0) {
        gnt_fail(err, "%s: %s", path, strerror(errno));
        goto cleanup;
    }
    if (!S_ISREG(st.st_mode)) {
        gnt_fail(err, "%s: is no regular file", path);
        goto cleanup;
    }
    w->size = (uint64_t)st.st_size;
    w->file = fopen(path, "rb");
    if (!w->file) {
        gnt_fail(err, "%s: %s", path, strerror(errno));
        goto cleanup;
    }
    rc = check_head(w, err);
    while (rc == 0 && w->at < w->size)
        rc = check_variable(w, err);
cleanup:
    if (w->file)
        fclose(w->file);
    gnt_free(w);
    return rc;
}
