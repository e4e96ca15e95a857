/* safetensors_file: reads and writes a set as a file. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"

#define MOST_FILE ((size_t)1 << 32)

/* True for zip files and for pickles, whose bytes 4 to 7 would be an absurd size of a safetensors header. */
static int is_foreign(const uint8_t *bytes, size_t size) {
    static const uint8_t zip[4] = {'P', 'K', 3, 4}, none[4] = {0};
    if (size < 8)
        return 0;
    return memcmp(bytes, zip, 4) == 0 ||
           (bytes[0] == 0x80 && bytes[1] <= 5 && memcmp(bytes + 4, none, 4) != 0);
}

int gnt_st_load(gnt_st *st, const char *path, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_file_read(path, MOST_FILE, &bytes, &size, err))
        return -1;
    int rc =
        is_foreign(bytes, size)
            ? gnt_fail(err,
                       "%s: is a checkpoint of PyTorch or NumPy, not a safetensors file; make one of it with "
                       "tools/export_torch.py CHECKPOINT OUT",
                       path)
            : gnt_st_parse(st, path, bytes, size, err);
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
