/* folder: lists the files of a run folder, for signing and checking. The folder is untrusted: links are never
 * followed, only regular files are opened, depth and number are bounded. */
#ifndef GNT_SEAL_FOLDER_IMPL_H
#define GNT_SEAL_FOLDER_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { GNT_SEAL_MOST_FILES = 200000, GNT_SEAL_DEPTH = 8, GNT_SEAL_PATH = 1000 };

typedef struct gnt_seal_found {
    char *path; /* below the folder, parts joined by '/' */
    int regular;
    uint64_t size;
} gnt_seal_found;

typedef struct gnt_seal_folder {
    int fd;
    gnt_seal_found *file; /* sorted by path, bytewise */
    size_t n;
} gnt_seal_folder;

/* Lists everything in the folder except subfolders themselves, and store/, report/, slurm/ and signature.json
 * at its top level. On failure *out is empty. */
int gnt_seal_folder_open(gnt_seal_folder *out, const char *path, gnt_err *err);
void gnt_seal_folder_close(gnt_seal_folder *f); /* leaves it empty; an empty one is allowed */
/* Opens the file for reading; −1 if it cannot be opened, or is no longer a regular file. */
int gnt_seal_folder_read(const gnt_seal_folder *f, const char *path, gnt_err *err);

#endif
