/* mem: allocation with overflow-checked sizes.
 *
 * Owner: every block is the caller's, who gives it back with gnt_free, or gnt_free_aligned where it was made
 * by gnt_aligned.
 * Content: a fresh block is zeroed; what gnt_resize adds to one is not.
 * Error: running out of memory is an error like any other. These return NULL, and callers say so in a
 * sentence. tests/unit/test_hostile.c fails the allocations of readers one by one. */
#ifndef GNT_BASE_MEM_H
#define GNT_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

void *gnt_alloc(size_t bytes);
/* Returns n × size zeroed bytes; NULL when out of memory or on overflow. */
void *gnt_array(size_t n, size_t size);
/* Resizes a block of gnt_alloc or gnt_array, or NULL, to n × size bytes. If it returns NULL, the old block
 * stays valid. */
void *gnt_resize(void *block, size_t n, size_t size);
/* Makes room for one more entry after the n of `list`, a pointer that is NULL at first and grows by this
 * macro alone: capacities are the powers of two from 16 on, so that they follow from n. The new entry is not
 * zeroed. Returns −1 when out of memory; the list then stays as it was. */
#define GNT_GROW(list, n) gnt_grow(&(list), (size_t)(n), sizeof *(list))
/* Makes room for one more entry; called by the macro. `list` points to the pointer, `size` is that of an
 * entry in bytes. */
int gnt_grow(void *list, size_t n, size_t size);
/* Returns a copy of the text; NULL if the text is NULL or memory ran out. */
char *gnt_strdup(const char *text);
char *gnt_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *gnt_vformat(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
void gnt_free(void *block);

/* Returns n × size bytes aligned to 64 bytes, for numeric buffers. */
void *gnt_aligned(size_t n, size_t size);
void gnt_free_aligned(void *block);

#endif
