/* pictures: does the picture of a cell show what its targets say? The MSE of each private and recovered
 * image is computed again from the bytes, and compared with the target's score. */
#ifndef GNT_FINISHED_PICTURES_H
#define GNT_FINISHED_PICTURES_H

#include <stddef.h>

#include "base/err.h"
#include "result/result.h"

/* Checks the picture of a run's cell by its index in results.json. 0: it fits, or the cell has none; −1 with
 * a sentence. Targets without an answer are not compared. */
int gnt_picture_fits(const char *folder, size_t index, const gnt_outcome *cell, gnt_err *err);

#endif
