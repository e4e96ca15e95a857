#include "base/cache_folder.h"

#include <stdlib.h>

#include "base/mem.h"

char *gnt_cache_folder(const char *of) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return gnt_format("%s/gauntlet/%s", cache, of);
    return home && home[0] == '/' ? gnt_format("%s/.cache/gauntlet/%s", home, of) : NULL;
}
