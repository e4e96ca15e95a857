#include "base/remove.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_OPEN = 16 };

/* nftw passes no context to remove_one. */
static gnt_removed count;
static gnt_err failure;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)kind, (void)where;
    if (remove(path) != 0 && errno != ENOENT) {
        if (!failure.text[0])
            gnt_fail(&failure, "%s: cannot be removed: %s", path, strerror(errno));
    } else if (S_ISREG(st->st_mode)) {
        count.files++;
        count.bytes += (uint64_t)st->st_blocks * 512;
    }
    return 0;
}

int gnt_remove_tree(const char *path, gnt_removed *removed, gnt_err *err) {
    count = (gnt_removed){0};
    failure = (gnt_err){""};
    if (nftw(path, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        gnt_fail(&failure, "%s: cannot be read: %s", path, strerror(errno));
    if (removed)
        *removed = count;
    return failure.text[0] ? gnt_fail(err, "%s", failure.text) : 0;
}
