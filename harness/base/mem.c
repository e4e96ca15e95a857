#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROOM = 16 }; /* entries of a list that grows; a power of two */

void *gnt_alloc(size_t bytes) {
    return calloc(1, bytes ? bytes : 1);
}

void *gnt_array(size_t n, size_t size) {
    return calloc(n ? n : 1, size ? size : 1);
}

void *gnt_resize(void *block, size_t n, size_t size) {
    if (size && n > SIZE_MAX / size)
        return NULL;
    size_t bytes = n * size;
    return realloc(block, bytes ? bytes : 1);
}

int gnt_grow(void *list, size_t n, size_t size) {
    if (n > 0 && (n < FIRST_ROOM || (n & (n - 1)) != 0))
        return 0;
    void *block;
    memcpy(&block, list, sizeof block); /* C converts no pointer to a T * to one to a void * */
    block = n > SIZE_MAX / 2 ? NULL : gnt_resize(block, n ? 2 * n : FIRST_ROOM, size);
    if (!block)
        return -1;
    memcpy(list, &block, sizeof block);
    return 0;
}

char *gnt_strdup(const char *text) {
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = gnt_alloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *gnt_vformat(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : gnt_alloc((size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *gnt_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = gnt_vformat(format, args);
    va_end(args);
    return text;
}

void gnt_free(void *block) {
    free(block);
}

enum { PAGE = 2 << 20, LARGE = 8 << 20 };

void *gnt_aligned(size_t n, size_t size) {
    if (size && n > (SIZE_MAX - PAGE) / size)
        return NULL;
    size_t bytes = (n * size + 63) / 64 * 64;
    size_t unit = bytes >= LARGE ? PAGE : 64;
    bytes = (bytes + unit - 1) / unit * unit;
    void *block = aligned_alloc(unit, bytes ? bytes : 64);
    if (block && bytes >= LARGE)
        madvise(block, bytes, MADV_HUGEPAGE); /* fewer TLB misses; a hint that may fail */
    if (block)
        memset(block, 0, bytes ? bytes : 64);
    return block;
}

void gnt_free_aligned(void *block) {
    free(block);
}
