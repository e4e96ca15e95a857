/* safetensors_file: a set from a file, and into one. */
#include "base/file.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"

#define MOST_FILE ((size_t)1 << 32)

int gnt_st_load(gnt_st *st, const char *path, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_file_read(path, MOST_FILE, &bytes, &size, err))
        return -1;
    int rc = gnt_st_parse(st, path, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

int gnt_st_save(const gnt_st *st, const char *path, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_st_write(st, &bytes, &size, err))
        return gnt_fail_in(err, "%s", path);
    int rc = gnt_file_write(path, bytes, size, err);
    gnt_free(bytes);
    return rc;
}
