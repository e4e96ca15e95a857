/* sized: reads structs that begin with their size from a plugin that may be older or newer than this host. */
#ifndef GNT_PLUGIN_SIZED_H
#define GNT_PLUGIN_SIZED_H

#include <string.h>

/* Copies the common part of a struct of `size` bytes into one of `room` bytes; the rest is 0. The caller
 * refuses structs shorter than their GNT_…_SIZE_0_10. */
static inline void gnt_copy_sized(void *to, size_t room, const void *from, size_t size) {
    memset(to, 0, room);
    memcpy(to, from, size < room ? size : room);
}

#endif
