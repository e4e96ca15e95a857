/* exports: reads from the bytes of a shared object, without loading it, which symbols it exports, which
 * libraries it needs, and how much of it is loaded. */
#ifndef GNT_PLUGIN_EXPORTS_H
#define GNT_PLUGIN_EXPORTS_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Lists the defined global and weak symbols of a 64-bit ELF object, one per line, in the order of its table.
 * Hostile bytes are refused with a message that begins with `where`. */
int gnt_exports(gnt_text *names, const void *bytes, size_t size, const char *where, gnt_err *err);

/* Lists, as gnt_exports does, the libraries that the object is linked with (DT_NEEDED). */
int gnt_libraries(gnt_text *names, const void *bytes, size_t size, const char *where, gnt_err *err);

/* Returns how many bytes of the object are loaded, from its first one; behind them are names and lines for
 * debuggers. Returns `size` if its program headers cannot be read. */
size_t gnt_loaded_size(const void *bytes, size_t size);

#endif
