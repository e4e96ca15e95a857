#include "base/colour.h"

#include <stdlib.h>
#include <unistd.h>

static int is_coloured(int fd) {
    const char *no = getenv("NO_COLOR");
    return isatty(fd) && !(no && *no);
}

const char *gnt_red(int fd) {
    return is_coloured(fd) ? "\033[31m" : "";
}

const char *gnt_not_red(int fd) {
    return is_coloured(fd) ? "\033[0m" : "";
}
