/* library: a shared library that is opened when it is needed, so that everything else works without, and no
 * process that does not need it takes milliseconds to load it. It stays open: libraries below some of them do
 * not bear being closed. */
#ifndef GNT_BASE_LIBRARY_H
#define GNT_BASE_LIBRARY_H

#include <stddef.h>

#include "base/err.h"

/* A function to find, in the library or in those that it is linked with; `to` points to the pointer that is
 * set to it. */
typedef struct gnt_symbol {
    const char *name;
    void *to;
} gnt_symbol;

/* Opens a shared library and sets the pointers of n symbols. files: names of the library, the preferred
 * first, up to NULL. Fails if no file can be opened or the one that was lacks a symbol, also of libraries
 * that it is linked with; `name` ("libzip, which reads .zip files,") and `package`, which installs it, go
 * into the sentence. */
int gnt_library_open(const char *const *files, const gnt_symbol *symbol, size_t n, const char *name,
                     const char *package, gnt_err *err);

#endif
