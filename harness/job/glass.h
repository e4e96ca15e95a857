/* glass: memory that a plugin may look at and not touch. What goes in is laid out on pages of its own, which are
 * read-only between gnt_glass_close and gnt_glass_open; a write then ends the hook on the spot, and the piece it went
 * to is named.
 *
 * One glass watches at a time in a process. The pieces stay valid until gnt_glass_free. */
#ifndef GNT_JOB_GLASS_H
#define GNT_JOB_GLASS_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_glass gnt_glass;

/* Room for `most` bytes; only what is used takes memory. */
int gnt_glass_new(gnt_glass **out, size_t most, gnt_err *err);
void gnt_glass_free(gnt_glass *g); /* NULL is fine */

/* A 64-byte aligned copy of n bytes (zeros where `bytes` is NULL), under `name`, which is kept by reference. NULL when
 * it is full: then every later call fails too. */
void *gnt_glass_put(gnt_glass *g, const char *name, const void *bytes, size_t n);
int gnt_glass_full(const gnt_glass *g);

void gnt_glass_keep(gnt_glass *g);    /* remembers all pieces as they are now */
void gnt_glass_restore(gnt_glass *g); /* makes them what was last kept; it must be open */
int gnt_glass_close(gnt_glass *g);    /* read-only from here on; −1 when the system refuses */
void gnt_glass_open(gnt_glass *g);

/* Calls `act` while the glass may be closed. NULL when it wrote to none of it, else the name of the piece it wrote to;
 * act did not come to its end then. */
const char *gnt_glass_watch(gnt_glass *g, void (*act)(void *context), void *context);

#endif
