/* file: whole files in and out. A file that is written either has all its bytes or does not exist: it is
 * written under another name, synced and renamed. What is not finished has a name that ends in ".part" and a
 * lock; what a killed process left is removed by the next writer of that path.
 *
 * Rationale: on a file system that several machines share, a lock may be seen on one machine alone. So that
 * name says under which running kernel it is written, and only locks of this kernel are tested. What others
 * left is recognised by its age (gnt_file_sweep_parts). */
#ifndef GNT_BASE_FILE_H
#define GNT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Reads a regular file of at most `most` bytes. *bytes is terminated by a zero that is not counted; the
 * caller frees it with gnt_free. */
int gnt_file_read(const char *path, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);
/* As above, of a pipe or a terminal, until its end; "-" is standard input. */
int gnt_pipe_read(const char *path, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);
/* True if the path is "-", or names a pipe or a terminal. */
int gnt_is_pipe(const char *path);
int gnt_file_write(const char *path, const void *bytes, size_t size, gnt_err *err);
/* Removes a file and what dead writers of this kernel left unfinished of it. What is not there, or is a
 * folder, is no error. */
void gnt_file_remove(const char *path);
/* The same for a text, as FOLDER/NAME. A text of NULL is one for which memory ran out. */
int gnt_file_write_text(const char *folder, const char *name, const char *text, gnt_err *err);
/* Returns the name under which writer number `writer` (from 0) of this kernel keeps an unfinished file. The
 * caller frees it; NULL when out of memory. */
char *gnt_file_part_name(const char *path, int writer);
/* Removes what writers left unfinished in the folder and did not touch in the last `seconds`, on any
 * machine. `now` is a file that was just written there: its time is the file system's own, whatever the
 * clocks of machines say. Returns how many were removed. A slow writer whose file goes fails to rename it:
 * nothing half-written takes its place. */
int gnt_file_sweep_parts(const char *folder, const char *now, double seconds);
int gnt_fd_write(int fd, const char *name, const void *bytes, size_t size, gnt_err *err);
int gnt_make_dirs(const char *path, gnt_err *err); /* like mkdir -p */
int gnt_file_exists(const char *path);
/* Returns the number of bytes that this user may still write where `path` lies; infinite if it is not
 * known. */
double gnt_disk_free(const char *path);
/* Waits until no other process holds the folder, and holds it until the descriptor is closed or the process
 * ends. −1, without a lock, if the file system has none. */
int gnt_folder_hold(const char *path);
/* As above, but at once, together with other processes that share it, or alone; −1 and *busy 1 if others have
 * it. */
int gnt_folder_take(const char *path, int share, int *busy);

#endif
