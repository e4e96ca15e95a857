/* random_blocks: consecutive blocks of Philox4x32-10 (Salmon et al., 2011), several to a vector register. */
#ifndef GNT_BASE_RANDOM_BLOCKS_H
#define GNT_BASE_RANDOM_BLOCKS_H

#include <stdint.h>

enum { GNT_RANDOM_BLOCKS = 64 };

/* The blocks of `counter` and the 63 that follow it, as pairs of words of 64 bits, the low half first. The
 * counter's lower 64 bits count; its upper ones stay. */
void gnt_random_blocks(const uint32_t key[2], const uint32_t counter[4], uint64_t out[2 * GNT_RANDOM_BLOCKS]);

#endif
