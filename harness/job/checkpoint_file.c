#include "job/checkpoint_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/remove.h"

enum { LINE = 512 };
static const size_t most_bytes = (size_t)8 << 30;

/* Writes the first line without its sum; returns its length. */
static size_t begin_line(char line[LINE], const gnt_work_checkpoint *of, int32_t rounds_done) {
    const int n =
        snprintf(line, LINE, "gauntlet checkpoint 1 %.64s %.64s %" PRId32, of->job, of->program, rounds_done);
    return (size_t)n;
}

static void sum_of(const char *line, const uint8_t *bytes, size_t size, char hex[GNT_HEX_SIZE]) {
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, line);
    gnt_hasher_bytes(&h, bytes, size);
    const gnt_digest d = gnt_hasher_end(&h);
    gnt_digest_hex(&d, hex);
}

/* Finds the rounds in the first line, and the bundle behind it; −1 if the file is not one of this job. */
static int read_line(const gnt_work_checkpoint *of, const uint8_t *bytes, size_t size, int32_t *rounds_done,
                     size_t *bundle, gnt_err *err) {
    char line[LINE], first[LINE], sum[GNT_HEX_SIZE];
    const uint8_t *end = memchr(bytes, '\n', size < LINE ? size : LINE - 1);
    const size_t n = end ? (size_t)(end - bytes) : 0, own = begin_line(line, of, 0) - 1;
    if (!end)
        return gnt_fail(err, "%s: is no checkpoint, or is cut off", of->path);
    memcpy(first, bytes, n);
    first[n] = 0;
    if (n < own || strncmp(first, line, own) != 0)
        return gnt_fail(err, "%s: is no checkpoint of this job and this program", of->path);
    const long rounds = strtol(first + own, NULL, 10);
    if (rounds < 1 || rounds > INT32_MAX)
        return gnt_fail(err, "%s: is no checkpoint, or is damaged", of->path);
    const size_t length = begin_line(line, of, (int32_t)rounds);
    *bundle = n + 1;
    sum_of(line, bytes + *bundle, size - *bundle, sum);
    if (n != length + GNT_HEX_SIZE || strncmp(first, line, length) != 0 || first[length] != ' ' ||
        strcmp(first + length + 1, sum) != 0)
        return gnt_fail(err, "%s: is damaged: its bytes do not match their sum", of->path);
    *rounds_done = (int32_t)rounds;
    return 0;
}

int gnt_checkpoint_read(const gnt_work_checkpoint *of, gnt_st *out, int32_t *rounds_done, gnt_err *err) {
    struct stat st;
    uint8_t *bytes = NULL;
    size_t size = 0, bundle = 0;
    *rounds_done = 0;
    if (lstat(of->path, &st) != 0 && errno == ENOENT)
        return 0;
    if (gnt_file_read(of->path, most_bytes, &bytes, &size, err) != 0)
        return -1;
    int rc = read_line(of, bytes, size, rounds_done, &bundle, err);
    if (rc == 0)
        rc = gnt_st_parse(out, of->path, bytes + bundle, size - bundle, err);
    if (rc != 0)
        *rounds_done = 0;
    gnt_free(bytes);
    return rc;
}

static int make_folder(const char *path, gnt_err *err) {
    char *folder = gnt_strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        *slash = 0;
    const int rc = slash ? gnt_make_dirs(folder, err) : gnt_fail(err, "%s: has no folder", path);
    gnt_free(folder);
    return rc;
}

int gnt_checkpoint_write(const gnt_work_checkpoint *of, const gnt_st *st, int32_t rounds_done, gnt_err *err) {
    char line[LINE], sum[GNT_HEX_SIZE];
    uint8_t *bundle = NULL;
    size_t size = 0;
    struct stat there;
    if (lstat(of->path, &there) == 0 && S_ISDIR(there.st_mode))
        gnt_remove_tree(of->path, NULL, NULL); /* in the place of the file */
    if (make_folder(of->path, err) != 0 || gnt_st_write(st, &bundle, &size, err) != 0)
        return -1;
    const size_t length = begin_line(line, of, rounds_done);
    sum_of(line, bundle, size, sum);
    snprintf(line + length, LINE - length, " %s\n", sum);
    const size_t n = strlen(line);
    uint8_t *whole = gnt_resize(bundle, n + size, 1);
    int rc = whole ? 0 : gnt_fail(err, "out of memory for a checkpoint");
    if (rc == 0) {
        memmove(whole + n, whole, size);
        memcpy(whole, line, n);
        rc = gnt_file_write(of->path, whole, n + size, err);
    }
    gnt_free(whole ? whole : bundle);
    return rc;
}
