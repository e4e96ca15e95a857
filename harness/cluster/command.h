/* command: another program run with plain arguments, no shell between, and what it said.
 *
 * Owner and lifetime: the text is the caller's. Thread: any. Errors: −1 with a sentence: it could not be
 * started, or went on for two minutes and was ended. How it ended is no error but its code. */
#ifndef GNT_CLUSTER_COMMAND_H
#define GNT_CLUSTER_COMMAND_H

#include "base/err.h"
#include "base/text.h"

enum { GNT_COMMAND_MOST = 16 << 20 };

/* argv: NULL-terminated; argv[0] is looked for on the PATH. out, errors: initialised; what it wrote, cut
 * after GNT_COMMAND_MOST bytes. *code: its exit code, 128 and the signal where one ended it. */
int gnt_command(const char *const *argv, gnt_text *out, gnt_text *errors, int *code, gnt_err *err);

#endif
