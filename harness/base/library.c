#include "data/library.h"

#include <dlfcn.h>
#include <string.h>

int data_library_open(const char *const *files, const data_symbol *symbol, size_t n, const char *name,
                      const char *package, gnt_err *err) {
    void *library = NULL;
    for (; *files && !library; files++)
        library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < n; i++) {
        void *found = library ? dlsym(library, symbol[i].name) : NULL;
        if (!found)
            return gnt_fail(err, "%s is not installed; install %s", name, package);
        memcpy(symbol[i].to, &found, sizeof found); /* C converts no pointer to data to one to a function */
    }
    return 0;
}
