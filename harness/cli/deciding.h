/* deciding: the cells of a run that decide how its defenses rank. */
#ifndef GNT_CLI_DECIDING_H
#define GNT_CLI_DECIDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* n flags, one for each cell of results.json, which the file was held for (consistency.h): of each matched
 * defense of each task and stage, the cells of the attack under which it leaks most, and those that gave
 * no number. The caller frees. */
uint8_t *cli_deciding(const char *folder, size_t n, gnt_err *err);

#endif
