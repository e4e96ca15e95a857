/* checkpoint_file: the file of a checkpoint.
 *
 *   gauntlet checkpoint 1 JOB PROGRAM ROUNDS SUM     one line: digests in hexadecimal, rounds done
 *   …                                                a bundle (nn/io/safetensors.h)
 *
 * SUM is the BLAKE2b-256 of the line before it and of the bundle. A file with another sum, of another job or
 * of another program does not count. The file is replaced as a whole (base/file.h).
 *
 * Errors: −1 with a sentence. Ownership: the bundle that is read is the caller's. */
#ifndef GNT_JOB_CHECKPOINT_FILE_H
#define GNT_JOB_CHECKPOINT_FILE_H

#include "job/work/work.h"

/* Reads it. *rounds_done is 0, and no error, if there is none. */
int gnt_checkpoint_read(const gnt_work_checkpoint *of, gnt_st *out, int32_t *rounds_done, gnt_err *err);
int gnt_checkpoint_write(const gnt_work_checkpoint *of, const gnt_st *st, int32_t rounds_done, gnt_err *err);

#endif
