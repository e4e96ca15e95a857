/* fuzz: what the harnesses have in common.
 *
 * A harness is one file with one LLVMFuzzerTestOneInput: it hands its bytes to a parser, uses what the parser
 * accepted as the house would, and gives everything back. It holds when nothing crashes, leaks or hangs,
 * whatever the bytes; MUST adds what else is promised. The same file is linked with libFuzzer (`make fuzz`)
 * and with replay.c (`make test`), which runs the kept inputs of corpus/NAME/ alone.
 *
 * Globals that stay between inputs are made at the first one and never changed after. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds whatever the input is; ends the process, so that the input is kept. */
#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* 1 where `rc` says success; a failure has a sentence, which FUZZ_SAY=1 in the environment shows. */
static inline int fuzz_ok(int rc, const gnt_err *err) {
    static int says = -1;
    if (says < 0)
        says = getenv("FUZZ_SAY") != NULL;
    if (says)
        fprintf(stderr, "    %s\n", rc == 0 ? "accepted" : err->text);
    MUST(rc == 0 || err->text[0] != 0);
    return rc == 0;
}

/* ---- an input in pieces ---- */

typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

/* Zeros follow the end. */
static inline uint8_t fuzz_byte(fuzz_bytes *b) {
    if (!b->left)
        return 0;
    b->left--;
    return *b->at++;
}

static inline uint32_t fuzz_number(fuzz_bytes *b, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)fuzz_byte(b) << 8 * i;
    return value;
}

static inline fuzz_bytes fuzz_part(fuzz_bytes *b, size_t n) {
    fuzz_bytes part = {b->at, n < b->left ? n : b->left};
    b->at += part.left;
    b->left -= part.left;
    return part;
}

/* A text up to a line "%%", which is passed over; what is left where there is none. */
static inline fuzz_bytes fuzz_text(fuzz_bytes *b) {
    static const char mark[] = "\n%%\n";
    const uint8_t *end = b->left ? memmem(b->at, b->left, mark, sizeof mark - 1) : NULL;
    fuzz_bytes text = fuzz_part(b, end ? (size_t)(end - b->at) : b->left);
    fuzz_part(b, end ? sizeof mark - 1 : 0);
    return text;
}

/* A terminated copy; freed by gnt_free. */
static inline char *fuzz_string(fuzz_bytes b) {
    char *text = gnt_array(b.left + 1, 1);
    MUST(text);
    if (b.left)
        memcpy(text, b.at, b.left);
    return text;
}

/* ---- files, in memory ---- */

static inline int fuzz_remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk) {
    (void)st, (void)kind, (void)walk;
    return remove(path);
}

/* A folder of this process's own, in $TMPDIR or a file system that lies in memory; gone when the process ends
 * well. */
static char fuzz_folder_path[256];

static inline void fuzz_folder_remove(void) {
    nftw(fuzz_folder_path, fuzz_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *fuzz_folder(void) {
    const char *above = getenv("TMPDIR");
    if (fuzz_folder_path[0])
        return fuzz_folder_path;
    if (!above)
        above = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(fuzz_folder_path, sizeof fuzz_folder_path, "%s/gauntlet-fuzz-XXXXXX", above);
    MUST(mkdtemp(fuzz_folder_path));
    atexit(fuzz_folder_remove);
    return fuzz_folder_path;
}

static inline const char *fuzz_path(char path[512], const char *name) {
    MUST(snprintf(path, 512, "%s/%s", fuzz_folder(), name) < 512);
    return path;
}

static inline void fuzz_file(const char *name, fuzz_bytes bytes) {
    char path[512];
    int fd = open(fuzz_path(path, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0);
    MUST(gnt_fd_write(fd, path, bytes.at, bytes.left, NULL) == 0);
    close(fd);
}

static inline void fuzz_no_file(const char *name) {
    char path[512];
    MUST(unlink(fuzz_path(path, name)) == 0 || errno == ENOENT);
}

static inline void fuzz_subfolder(const char *name) {
    char path[512];
    MUST(mkdir(fuzz_path(path, name), 0700) == 0 || errno == EEXIST);
}

#endif
