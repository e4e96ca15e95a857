/* arena: many small blocks that are freed together.
 *
 * A zeroed gnt_arena is an empty one. Blocks are zeroed, aligned for any type and live until gnt_arena_free.
 * Running out of memory is remembered: `failed` turns 1 and stays so, and a caller that makes many blocks
 * checks it once at the end. */
#ifndef GNT_BASE_ARENA_H
#define GNT_BASE_ARENA_H

#include <stddef.h>

typedef struct gnt_arena {
    struct gnt_arena_block *last;
    int failed;
} gnt_arena;

/* Returns n × size zeroed bytes, or NULL when out of memory; a block even if n is 0. */
void *gnt_arena_array(gnt_arena *a, size_t n, size_t size);
/* Returns a copy of n × size bytes, or NULL when out of memory. */
void *gnt_arena_copy(gnt_arena *a, const void *from, size_t n, size_t size);
/* Returns a copy of the text; NULL if the text is NULL or memory ran out. */
char *gnt_arena_text(gnt_arena *a, const char *text);
void gnt_arena_free(gnt_arena *a); /* leaves it empty */

#endif
