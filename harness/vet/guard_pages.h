/* guard_pages: memory that a plugin may look at and not touch. What goes in is laid out on pages of its own,
 * which are read-only between gnt_guard_close and gnt_guard_open; a write then ends the hook on the spot, and
 * the piece it went to is named.
 *
 * One set of guard pages watches at a time in a process. The pieces stay valid until gnt_guard_free. */
#ifndef GNT_VET_GUARD_PAGES_H
#define GNT_VET_GUARD_PAGES_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_guard gnt_guard;

/* Room for `most` bytes; only what is used takes memory. */
int gnt_guard_new(gnt_guard **out, size_t most, gnt_err *err);
void gnt_guard_free(gnt_guard *g); /* NULL is fine */

/* A 64-byte aligned copy of n bytes (zeros where `bytes` is NULL), under `name`, which is kept by reference.
 * NULL when it is full: then every later call fails too. */
void *gnt_guard_put(gnt_guard *g, const char *name, const void *bytes, size_t n);
int gnt_guard_full(const gnt_guard *g);

void gnt_guard_keep(gnt_guard *g);    /* remembers all pieces as they are now */
void gnt_guard_restore(gnt_guard *g); /* makes them what was last kept; it must be open */
int gnt_guard_close(gnt_guard *g);    /* read-only from here on; −1 when the system refuses */
void gnt_guard_open(gnt_guard *g);

/* Calls `act` while they may be closed. NULL when it wrote to none of it, else the name of the piece it wrote
 * to; act did not come to its end then. */
const char *gnt_guard_watch(gnt_guard *g, void (*act)(void *context), void *context);

#endif
