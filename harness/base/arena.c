#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

struct gnt_arena_block {
    struct gnt_arena_block *before;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *gnt_arena_array(gnt_arena *a, size_t n, size_t size) {
    const size_t most = SIZE_MAX - sizeof(struct gnt_arena_block);
    struct gnt_arena_block *block = size && n > most / size ? NULL : gnt_alloc(sizeof *block + n * size);
    if (!block) {
        a->failed = 1;
        return NULL;
    }
    block->before = a->last;
    a->last = block;
    return block->bytes;
}

void *gnt_arena_copy(gnt_arena *a, const void *from, size_t n, size_t size) {
    void *to = gnt_arena_array(a, n, size);
    if (to && n > 0)
        memcpy(to, from, n * size);
    return to;
}

char *gnt_arena_text(gnt_arena *a, const char *text) {
    return text ? gnt_arena_copy(a, text, strlen(text) + 1, 1) : NULL;
}

void gnt_arena_free(gnt_arena *a) {
    for (struct gnt_arena_block *at = a->last, *before; at; at = before) {
        before = at->before;
        gnt_free(at);
    }
    *a = (gnt_arena){0};
}
