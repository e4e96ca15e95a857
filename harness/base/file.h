/* file: whole files in and out. A file that is written either has all its bytes or does not exist: it is
 * written beside its place, synced and renamed. What is not finished has a name that ends in ".part" and a
 * lock; what a killed process left is removed by whoever writes that path next. */
#ifndef GNT_BASE_FILE_H
#define GNT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Reads a regular file of at most `most` bytes. *bytes is terminated by a zero that is not counted; the
 * caller frees it with gnt_free. */
int gnt_file_read(const char *path, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);
int gnt_file_write(const char *path, const void *bytes, size_t size, gnt_err *err);
int gnt_fd_write(int fd, const char *name, const void *bytes, size_t size, gnt_err *err);
int gnt_make_dirs(const char *path, gnt_err *err); /* like mkdir -p */
int gnt_file_exists(const char *path);
/* Waits until no other process holds the folder, and holds it until the descriptor is closed or the process
 * ends. −1, and nothing held, where the file system has no locks. */
int gnt_folder_hold(const char *path);

#endif
