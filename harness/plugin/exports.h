/* exports: reads from the bytes of a shared object, without loading it, which symbols it exports, which
 * libraries it needs, and what of it is loaded. */
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

/* Bytes of a file, from the first to before `end`. */
typedef struct gnt_object_part {
    size_t first, end;
} gnt_object_part;

/* Sets the parts of an object of `size` bytes that loading it or the functions above read: what is loaded,
 * and the table of sections. Between and behind them are names and lines for debuggers, which are most of
 * a file that is not stripped. Only the first n_head bytes need be there; if they are no object's, or its
 * headers are not among them, the first part is the whole file. */
void gnt_object_parts(gnt_object_part part[2], const void *head, size_t n_head, size_t size);

#endif
