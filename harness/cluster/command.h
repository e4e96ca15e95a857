/* command: runs another program with plain arguments, without a shell, and takes its output.
 *
 * Owner and lifetime: the text is the caller's. Thread: any. Errors: −1 with a sentence: it could not be
 * started, or was ended after two minutes. Its exit code is no error. */
#ifndef GNT_CLUSTER_COMMAND_H
#define GNT_CLUSTER_COMMAND_H

#include "base/err.h"
#include "base/text.h"

enum { GNT_COMMAND_MOST = 16 << 20 };

/* Runs argv, NULL-terminated, with argv[0] from the PATH. out, errors: initialised; its output, cut after
 * GNT_COMMAND_MOST bytes. *code: its exit code, 128 and the signal where one ended it. */
int gnt_command(const char *const *argv, gnt_text *out, gnt_text *errors, int *code, gnt_err *err);

#endif
