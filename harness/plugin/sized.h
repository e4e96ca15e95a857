/* sized: reading structs that begin with their size from a plugin that may be older
 * or newer than this host. */
#ifndef GNT_PLUGIN_SIZED_H
#define GNT_PLUGIN_SIZED_H

#include <string.h>

/* Copies what both sides know of a struct that says it has `size` bytes into one of `room` bytes; the rest of
 * it is 0. A struct shorter than its GNT_…_SIZE_0_10 is the caller's to refuse. */
static inline void gnt_copy_sized(void *to, size_t room, const void *from, size_t size) {
    memset(to, 0, room);
    memcpy(to, from, size < room ? size : room);
}

#endif
