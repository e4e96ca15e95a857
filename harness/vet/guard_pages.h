/* guard_pages: memory that a plugin may read but not write. Inputs of hooks are on separate pages, which are
 * read-only between gnt_guard_close and gnt_guard_open. A write then ends the hook at once (SIGSEGV), and the
 * input that it hit is reported. An output may be fenced: it ends where a page begins that nobody may access.
 *
 * Ownership: pieces are valid until gnt_guard_free. Names are kept by reference. Threads: one gnt_guard_watch
 * at a time in a process. */
#ifndef GNT_VET_GUARD_PAGES_H
#define GNT_VET_GUARD_PAGES_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_guard gnt_guard;

/* Reserves address space for `most` bytes; only used pages take memory. */
int gnt_guard_new(gnt_guard **out, size_t most, gnt_err *err);
/* Frees all pages. NULL is allowed. */
void gnt_guard_free(gnt_guard *g);

/* Copies n bytes (zeros if `bytes` is NULL), aligned to 64. Returns NULL if it is full; then every later call
 * fails too. */
void *gnt_guard_put(gnt_guard *g, const char *name, const void *bytes, size_t n);
int gnt_guard_full(const gnt_guard *g);

/* Saves the current content of all pieces. */
void gnt_guard_save(gnt_guard *g);
/* Restores the last saved content of all pieces, which must be writable. */
void gnt_guard_restore(gnt_guard *g);
/* Makes the pages read-only; returns −1 if the system refuses. */
int gnt_guard_close(gnt_guard *g);
/* Makes them writable again. */
void gnt_guard_open(gnt_guard *g);

/* Returns n zeroed bytes for an output, which end at a page without access; in front of them are bytes whose
 * change gnt_guard_beyond finds. NULL: out of memory. */
void *gnt_guard_fence(gnt_guard *g, const char *name, size_t n);
/* Returns the name of the first fenced output beyond whose ends something was accessed in the last
 * gnt_guard_watch, or in front of which something was written since it was made; NULL: none. */
const char *gnt_guard_beyond(const gnt_guard *g);

/* Calls `act`, usually while the pages are read-only. Returns NULL if it wrote to none of them; else the name
 * of the piece that it wrote to, and `act` was interrupted. */
const char *gnt_guard_watch(gnt_guard *g, void (*act)(void *context), void *context);

#endif
