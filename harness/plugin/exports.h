/* exports: reads from the bytes of a shared object, without loading it, which symbols it exports and which
 * libraries it needs. */
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

#endif
