/* identity: what the numbers of a run depend on in addition to its inputs: this program's bytes, the CPU, the
 * BLAS and its core type, oneDNN, one thread. Part of every store key; another machine or build with the
 * same text computes the same.
 *
 * Owner and lifetime: texts are the caller's.
 * Thread: any, while no other changes the environment.
 * Errors: NULL with a sentence. */
#ifndef GNT_RUN_IDENTITY_H
#define GNT_RUN_IDENTITY_H

#include "base/digest.h"
#include "base/err.h"

/* Returns the identity, which the caller frees with gnt_free, and the digest of this program in *program. */
char *gnt_run_identity(gnt_digest *program, gnt_err *err);

enum { GNT_CPU_NAME = 49 };
/* Writes the CPU's own name; "unknown" if it has none. */
void gnt_run_cpu_name(char name[GNT_CPU_NAME]);

#endif
