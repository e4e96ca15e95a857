/* mem: allocation with overflow-checked sizes. Every block is zeroed and freed by gnt_free.
 *
 * Running out of memory is an error like any other: these return NULL and callers say so in a sentence.
 * A hostile build (-DGNT_HOSTILE) fails the allocation numbered by the environment variable GNT_FAIL_AT and
 * fills fresh growth with junk, which gives bugs a chance. */
#ifndef GNT_BASE_MEM_H
#define GNT_BASE_MEM_H

#include <stddef.h>

void *gnt_alloc(size_t bytes);                        /* zeroed; NULL when out of memory */
void *gnt_array(size_t n, size_t size);               /* n × size bytes, zeroed; NULL on overflow too */
void *gnt_resize(void *block, size_t n, size_t size); /* the old block stays valid on NULL */
char *gnt_strdup(const char *text);                   /* NULL gives NULL */
char *gnt_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gnt_free(void *block);

/* 64-byte aligned and zeroed, for numeric buffers; freed by gnt_free_aligned. */
void *gnt_aligned(size_t n, size_t size);
void gnt_free_aligned(void *block);

#endif
