#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

int gnt_library_open(const char *const *files, const gnt_symbol *symbol, size_t n, const char *name,
                     const char *package, gnt_err *err) {
    void *library = NULL;
    const char *why = NULL;
    for (; *files && !library; files++) {
        library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
        why = library ? NULL : dlerror();
    }
    if (why && !strstr(why, "No such file"))
        return gnt_fail(err, "%s cannot be opened: %s; install %s", name, why, package);
    for (size_t i = 0; i < n; i++) {
        void *found = library ? dlsym(library, symbol[i].name) : NULL;
        if (!found)
            return gnt_fail(err, "%s is not installed; install %s", name, package);
        memcpy(symbol[i].to, &found, sizeof found); /* C converts no pointer to data to one to a function */
    }
    return 0;
}
