#include "cli/absolute.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* Each path that was made, so that all stay reachable until the program ends. */
typedef struct made_path {
    struct made_path *before;
    char *text;
} made_path;

static made_path *made;

const char *cli_absolute(const char *path) {
    char here[PATH_MAX];
    if (!path || !*path || *path == '/' || !getcwd(here, sizeof here))
        return path;
    made_path *one = gnt_alloc(sizeof *one);
    char *text = one ? gnt_format("%s/%s", here, path) : NULL;
    if (!text) {
        gnt_free(one);
        return path;
    }
    *one = (made_path){made, text};
    made = one;
    return text;
}

void cli_absolute_variables(void) {
    static const char *const names[] = {"GAUNTLET_DATA", "TMPDIR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && *value != '/')
            setenv(names[i], cli_absolute(value), 1);
    }
}

const char *cli_data_folder(void) {
    const char *value = getenv("GAUNTLET_DATA");
    return value && *value ? value : NULL;
}
