/* library: a shared library that is opened when a file needs it, so that everything else works without. It
 * stays open: libraries below some of them do not bear being closed. */
#ifndef GNT_DATA_LIBRARY_H
#define GNT_DATA_LIBRARY_H

#include <stddef.h>

#include "base/err.h"

/* A function to find; `to` points to the pointer that is set to it. */
typedef struct data_symbol {
    const char *name;
    void *to;
} data_symbol;

/* Opens a shared library and sets the pointers of n symbols. files: names of the library, the preferred
 * first, up to NULL. Fails if no file can be opened or the one that was lacks a symbol; `name` ("libzip,
 * which reads .zip files,") and `package`, which installs it, go into the sentence. */
int data_library_open(const char *const *files, const data_symbol *symbol, size_t n, const char *name,
                      const char *package, gnt_err *err);

#endif
