#include "data/zip.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/library.h"

#ifdef GNT_ZIP

#include <zip.h>

/* The functions of libzip that are called. */
typedef struct libzip {
    __typeof__(&zip_source_buffer_create) source;
    __typeof__(&zip_source_free) drop;
    __typeof__(&zip_open_from_source) open;
    __typeof__(&zip_discard) close;
    __typeof__(&zip_name_locate) locate;
    __typeof__(&zip_fopen_index) open_file;
    __typeof__(&zip_fread) read;
    __typeof__(&zip_file_get_error) error;
    __typeof__(&zip_fclose) close_file;
    __typeof__(&zip_error_strerror) words;
    __typeof__(&zip_error_fini) error_free;
} libzip;

static int libzip_load(libzip *z, gnt_err *err) {
    static const char *const files[] = {"libzip.so.4", "libzip.so.5", "libzip.so", NULL};
    const data_symbol wanted[] = {{"zip_source_buffer_create", &z->source},
                                  {"zip_source_free", &z->drop},
                                  {"zip_open_from_source", &z->open},
                                  {"zip_discard", &z->close},
                                  {"zip_name_locate", &z->locate},
                                  {"zip_fopen_index", &z->open_file},
                                  {"zip_fread", &z->read},
                                  {"zip_file_get_error", &z->error},
                                  {"zip_fclose", &z->close_file},
                                  {"zip_error_strerror", &z->words},
                                  {"zip_error_fini", &z->error_free}};
    return data_library_open(files, wanted, sizeof wanted / sizeof *wanted, "libzip, which reads .zip files,",
                             "libzip-dev, or unpack the file", err);
}

/* Reads an opened member to its end, where zip_fread compares length and checksum with the archive's. */
static int read_member(const libzip *z, zip_file_t *file, data_bytes *b, const char *name, size_t most,
                       gnt_err *err) {
    const size_t room = most + 1; /* one more, to see that there is more */
    b->at = gnt_array(room, 1);
    if (!b->at)
        return gnt_fail(err, "%s: out of memory for %zu bytes", b->path, room);
    zip_int64_t n = 1;
    while (n > 0 && b->size < room) {
        n = z->read(file, b->at + b->size, room - b->size);
        b->size += n > 0 ? (size_t)n : 0;
    }
    if (n < 0)
        return gnt_fail(err, "%s: %s cannot be unpacked beyond offset %zu: %s; fetch the file again", b->path,
                        name, b->size, z->words(z->error(file)));
    if (b->size > most)
        return gnt_fail(err, "%s: %s unpacks to more than the %zu bytes that such a file can hold", b->path,
                        name, most);
    return 0;
}

static int unzip(data_bytes *b, const uint8_t *packed, size_t n, const char *name, size_t most,
                 gnt_err *err) {
    libzip z;
    zip_error_t why;
    memset(&why, 0, sizeof why);
    if (libzip_load(&z, err))
        return gnt_fail_in(err, "%s", b->path);
    zip_source_t *source = z.source(packed, n, 0, &why);
    zip_t *archive = source ? z.open(source, ZIP_RDONLY, &why) : NULL;
    if (!archive) {
        gnt_fail(err, "%s: it is no zip archive, or was cut short (libzip: %s); fetch the file again",
                 b->path, z.words(&why));
        if (source)
            z.drop(source);
        z.error_free(&why);
        return -1;
    }
    const zip_int64_t at = z.locate(archive, name, 0);
    zip_file_t *file = at < 0 ? NULL : z.open_file(archive, (zip_uint64_t)at, 0);
    int rc;
    if (at < 0)
        rc = gnt_fail(err, "%s: there is no file called %s in it; fetch it again, or unpack it yourself",
                      b->path, name);
    else if (!file)
        rc = gnt_fail(err,
                      "%s: %s in it cannot be opened: it is broken, encrypted or packed in a way that "
                      "libzip does not know; fetch the file again",
                      b->path, name);
    else
        rc = read_member(&z, file, b, name, most, err);
    if (file)
        z.close_file(file);
    z.close(archive);
    return rc;
}

#else

static int unzip(data_bytes *b, const uint8_t *packed, size_t n, const char *name, size_t most,
                 gnt_err *err) {
    (void)packed, (void)n, (void)most;
    return gnt_fail(err,
                    "%s: this build has no libzip; unpack %s from it, or install libzip-dev and build again",
                    b->path, name);
}

#endif

int data_zip_open(data_bytes *out, const char *folder, const char *name, size_t most, gnt_err *err) {
    uint8_t *packed = NULL;
    size_t n = 0;
    if (data_has("%s/%s", folder, name) || data_has("%s/%s.gz", folder, name) ||
        !data_has("%s/%s.zip", folder, name))
        return data_bytes_open(out, folder, name, most, err);
    memset(out, 0, sizeof *out);
    out->path = gnt_format("%s/%s.zip", folder, name);
    int rc = out->path ? gnt_file_read(out->path, most + (1 << 16), &packed, &n, err)
                       : gnt_fail(err, "%s: out of memory", name);
    if (rc == 0)
        rc = unzip(out, packed, n, name, most, err);
    gnt_free(packed);
    if (rc != 0)
        data_bytes_free(out);
    return rc;
}
