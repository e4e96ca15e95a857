#include "base/memory_limit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* Returns the number at the beginning of a small file; INFINITY: there is none, or it says "max". */
static double number_in(const char *path) {
    uint8_t *text = NULL;
    size_t size;
    double x = INFINITY;
    if (path && gnt_file_read(path, 4096, &text, &size, NULL) == 0 && *text >= '0' && *text <= '9')
        x = strtod((const char *)text, NULL);
    gnt_free(text);
    return x;
}

double gnt_memory_limit(const char *root) {
    uint8_t *text = NULL;
    size_t size;
    char *own = gnt_format("%s/proc/self/cgroup", root), *path = NULL;
    double least =
        strcmp(root, "/") == 0 ? (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) : INFINITY;
    /* one line "0::/group"; the groups around it have limits as well */
    if (own && gnt_file_read(own, 1 << 16, &text, &size, NULL) == 0) {
        char *group = strstr((char *)text, "0::/");
        if (group)
            group[strcspn(group, "\n")] = 0;
        for (char *end; group && (end = strrchr(group, '/')); *end = 0) {
            path = gnt_format("%s/sys/fs/cgroup%s/memory.max", root, group + 3);
            least = fmin(least, number_in(path));
            gnt_free(path);
        }
    }
    gnt_free(text);
    gnt_free(own);
    return least;
}
