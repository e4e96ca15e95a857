#include "data/zip.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/library.h"

#ifdef GNT_ZIP

#include <zip.h>

/* The functions of libzip that are called. */
typedef struct libzip {
    __typeof__(&zip_source_buffer_create) source;
    __typeof__(&zip_source_free) drop;
    __typeof__(&zip_open_from_source) open;
    __typeof__(&zip_discard) close;
    __typeof__(&zip_name_locate) locate;
    __typeof__(&zip_get_num_entries) count;
    __typeof__(&zip_get_name) name_of;
    __typeof__(&zip_stat_index) stat;
    __typeof__(&zip_fopen_index) open_file;
    __typeof__(&zip_fread) read;
    __typeof__(&zip_file_get_error) error;
    __typeof__(&zip_fclose) close_file;
    __typeof__(&zip_error_strerror) words;
    __typeof__(&zip_error_fini) error_free;
} libzip;

static int libzip_load(libzip *z, gnt_err *err) {
    static const char *const files[] = {"libzip.so.4", "libzip.so.5", "libzip.so", NULL};
    const gnt_symbol wanted[] = {{"zip_source_buffer_create", &z->source},
                                 {"zip_source_free", &z->drop},
                                 {"zip_open_from_source", &z->open},
                                 {"zip_discard", &z->close},
                                 {"zip_name_locate", &z->locate},
                                 {"zip_get_num_entries", &z->count},
                                 {"zip_get_name", &z->name_of},
                                 {"zip_stat_index", &z->stat},
                                 {"zip_fopen_index", &z->open_file},
                                 {"zip_fread", &z->read},
                                 {"zip_file_get_error", &z->error},
                                 {"zip_fclose", &z->close_file},
                                 {"zip_error_strerror", &z->words},
                                 {"zip_error_fini", &z->error_free}};
    return gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted, "libzip, which reads .zip files,",
                            "libzip-dev, or unpack the file", err);
}

enum { FIRST_ROOM = 1 << 16 };

/* Reads an opened member to its end, where zip_fread compares length and checksum with the archive's. Memory
 * grows with what there is, whatever size the archive states. */
static int read_member(const libzip *z, zip_file_t *file, data_bytes *b, const char *name, size_t most,
                       gnt_err *err) {
    const size_t most_room = most + 1; /* one more, to see that there is more */
    size_t room = 0;
    zip_int64_t n = 1;
    while (n > 0 && b->size < most_room) {
        if (b->size == room) {
            room = room == 0 ? FIRST_ROOM : 2 * room;
            room = room < most_room ? room : most_room;
            uint8_t *larger = gnt_resize(b->at, room, 1);
            if (!larger)
                return gnt_fail(err, "%s: out of memory for %zu bytes", b->path, room);
            b->at = larger;
        }
        n = z->read(file, b->at + b->size, room - b->size);
        b->size += n > 0 ? (size_t)n : 0;
    }
    if (n < 0)
        return gnt_fail(err, "%s: %s cannot be unpacked beyond offset %zu: %s; fetch the file again", b->path,
                        name, b->size, z->words(z->error(file)));
    if (b->size > most)
        return gnt_fail(err, "%s: %s unpacks to more than the %zu bytes that such a file can hold", b->path,
                        name, most);
    b->at[b->size] = 0;
    return 0;
}

static zip_t *open_archive(const libzip *z, const char *path, const uint8_t *packed, size_t n, gnt_err *err) {
    zip_error_t why;
    memset(&why, 0, sizeof why);
    zip_source_t *source = z->source(packed, n, 0, &why);
    zip_t *archive = source ? z->open(source, ZIP_RDONLY, &why) : NULL;
    if (archive)
        return archive;
    gnt_fail(err, "%s: it is no zip archive, or was cut short (libzip: %s); fetch the file again", path,
             z->words(&why));
    if (source)
        z->drop(source);
    z->error_free(&why);
    return NULL;
}

/* Unpacks member number `at` (−1: there is none of this name). */
static int unpack(const libzip *z, zip_t *archive, zip_int64_t at, data_bytes *b, const char *name,
                  size_t most, gnt_err *err) {
    if (at < 0)
        return gnt_fail(err, "%s: there is no file called %s in it; fetch it again, or unpack it yourself",
                        b->path, name);
    zip_file_t *file = z->open_file(archive, (zip_uint64_t)at, 0);
    if (!file)
        return gnt_fail(err,
                        "%s: %s in it cannot be opened: it is broken, encrypted or packed in a way that "
                        "libzip does not know; fetch the file again",
                        b->path, name);
    const int rc = read_member(z, file, b, name, most, err);
    z->close_file(file);
    return rc;
}

static int unzip(data_bytes *b, const uint8_t *packed, size_t n, const char *name, size_t most,
                 gnt_err *err) {
    libzip z;
    if (libzip_load(&z, err))
        return gnt_fail_in(err, "%s", b->path);
    zip_t *archive = open_archive(&z, b->path, packed, n, err);
    if (!archive)
        return -1;
    const int rc = unpack(&z, archive, z.locate(archive, name, 0), b, name, most, err);
    z.close(archive);
    return rc;
}

/* Returns the bytes that the archive says member `at` has, so that no more is allocated; `most` if it says
 * nothing, or more. */
static size_t size_said(const libzip *z, zip_t *archive, zip_int64_t at, size_t most) {
    zip_stat_t about;
    memset(&about, 0, sizeof about);
    const int known = z->stat(archive, (zip_uint64_t)at, 0, &about) == 0 && about.valid & ZIP_STAT_SIZE;
    return known && about.size < most ? (size_t)about.size : most;
}

static int take_members(const char *path, const uint8_t *packed, size_t n, size_t most, data_zip_take take,
                        void *user, gnt_err *err) {
    libzip z;
    if (libzip_load(&z, err))
        return gnt_fail_in(err, "%s", path);
    zip_t *archive = open_archive(&z, path, packed, n, err);
    int rc = archive ? 0 : -1;
    const zip_int64_t all = archive ? z.count(archive, 0) : 0;
    for (zip_int64_t i = 0; rc == 0 && i < all; i++) {
        data_bytes b = {.path = gnt_strdup(path)};
        const char *name = z.name_of(archive, (zip_uint64_t)i, 0);
        rc = b.path ? unpack(&z, archive, i, &b, name ? name : "a file", size_said(&z, archive, i, most), err)
                    : gnt_fail(err, "%s: out of memory", path);
        if (rc == 0)
            rc = take(user, path, name ? name : "", b.at, b.size, err);
        data_bytes_free(&b);
    }
    if (archive)
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

static int take_members(const char *path, const uint8_t *packed, size_t n, size_t most, data_zip_take take,
                        void *user, gnt_err *err) {
    (void)packed, (void)n, (void)most, (void)take, (void)user;
    return gnt_fail(err, "%s: this build has no libzip; install libzip-dev and build again", path);
}

#endif

int data_zip_members(const char *path, size_t most, data_zip_take take, void *user, gnt_err *err) {
    uint8_t *packed = NULL;
    size_t n = 0;
    int rc = gnt_file_read(path, most, &packed, &n, err);
    if (rc == 0)
        rc = take_members(path, packed, n, most, take, user, err);
    gnt_free(packed);
    return rc;
}

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
