/* zip: files out of a zip archive. Read by libzip, which is opened only when an archive is, as libmatio is
 * (mat.h). */
#ifndef GNT_DATA_ZIP_H
#define GNT_DATA_ZIP_H

#include "data/bytes.h"

/* Opens folder/name, or folder/name.gz, or the file called `name` inside of folder/name.zip: the first of
 * them that is there. `most` bounds the bytes unpacked; what would be larger is refused before it is unpacked
 * further. data_bytes_free frees it. */
int data_zip_open(data_bytes *out, const char *folder, const char *name, size_t most, gnt_err *err);

typedef int (*data_zip_take)(void *user, const char *path, const char *member, const uint8_t *bytes,
                             size_t size, gnt_err *err);
/* Unpacks each file of an archive in turn and hands it to `take`, which returns 0 to go on. `most` bounds the
 * bytes of the archive, and of each file in it. */
int data_zip_members(const char *path, size_t most, data_zip_take take, void *user, gnt_err *err);

#endif
