/* deciding: the cells of a run that decide how its defenses rank. */
#ifndef GNT_CLI_DECIDING_H
#define GNT_CLI_DECIDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct cli_also {
    uint64_t seed;         /* of the draw */
    const char *mandatory; /* a file of mandatory attacks (board/board.h); NULL: all attacks */
} cli_also;

/* Returns n flags, one for each cell of a results.json that was checked (consistency.h): for each matched
 * defense of each task and stage, the cells of the attack under which it leaks most, and those without a
 * score; in addition, unless `strata` is NULL, those of strata.h. The caller frees. */
uint8_t *cli_deciding(const char *folder, size_t n, const cli_also *strata, gnt_err *err);

#endif
