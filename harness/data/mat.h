/* mat: MATLAB files, version 5, whose variables are arrays. Read by libmatio, which is opened only when such
 * a file is: with it come some thirty libraries that no worker should carry about.
 *
 * libmatio reads a file that ends inside a variable without a word, so every file is first checked whole
 * here: each variable must lie inside the file and, where it is packed, unpack to what it announces,
 * with the right checksum. */
#ifndef GNT_DATA_MAT_H
#define GNT_DATA_MAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Checks that the file is whole. Its variables may take `most` bytes unpacked, all together. */
int data_mat_check(const char *path, size_t most, gnt_err *err);

/* Reads one variable of a file that passed the check. dim: the `rank` lengths that it must have, −1 for any
 * up to `most`; they are filled in. Elements are bytes (class uint8, or double with values that fit), the
 * first axis varies fastest. The caller frees *out with gnt_free. */
int data_mat_read(const char *path, const char *name, int rank, int64_t *dim, int64_t most, uint8_t **out,
                  gnt_err *err);

#endif
