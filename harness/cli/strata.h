/* strata: of each defense that is matched or as it is (and of no defense), each mandatory attack and each
 * round one cell, at a random seed, so that an audit leaves none of them out. */
#ifndef GNT_CLI_STRATA_H
#define GNT_CLI_STRATA_H

#include <stddef.h>
#include <stdint.h>

#include "board/board.h"
#include "judge/judge.h"

/* Sets flags of the n cells of a run. seed: what decides which; mandatory: the list of attacks, NULL: all. */
void cli_flag_strata(uint8_t *flags, size_t n, const gnt_results *r, uint64_t seed, const gnt_doc *mandatory);

#endif
