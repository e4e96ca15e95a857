/* guard_pages: memory that a plugin may read and not write. Inputs of hooks lie on pages of their own, which
 * are read-only between gnt_guard_close and gnt_guard_open. A write then ends the hook at once (SIGSEGV), and
 * the piece of input that it went to is named.
 *
 * Ownership: pieces are valid until gnt_guard_free. Names are kept by reference.
 * Threads: one gnt_guard_watch at a time in a process. */
#ifndef GNT_VET_GUARD_PAGES_H
#define GNT_VET_GUARD_PAGES_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_guard gnt_guard;

/* Room for `most` bytes; only what is used takes memory. */
int gnt_guard_new(gnt_guard **out, size_t most, gnt_err *err);
/* NULL is fine. */
void gnt_guard_free(gnt_guard *g);

/* A copy of n bytes, aligned to 64; zeros where `bytes` is NULL. NULL when it is full; then every later call
 * fails too. */
void *gnt_guard_put(gnt_guard *g, const char *name, const void *bytes, size_t n);
int gnt_guard_full(const gnt_guard *g);

/* Saves all pieces as they are. */
void gnt_guard_save(gnt_guard *g);
/* Makes all pieces what was last saved. It must be open. */
void gnt_guard_restore(gnt_guard *g);
/* Makes the pages read-only; −1 where the system refuses. */
int gnt_guard_close(gnt_guard *g);
/* Makes them writable again. */
void gnt_guard_open(gnt_guard *g);

/* Calls `act`, usually while the pages are read-only. NULL where it wrote to none of them; else the name of
 * the piece that it wrote to, and `act` did not come to its end. */
const char *gnt_guard_watch(gnt_guard *g, void (*act)(void *context), void *context);

#endif
