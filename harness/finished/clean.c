#include "finished/clean.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "result/result.h"

/* Fails if the run still needs its store. */
static int check_finished(const char *folder, gnt_err *err) {
    char *path = gnt_format("%s/results.json", folder);
    gnt_result of;
    size_t unfinished = 0;
    gnt_result_clear(&of);
    const int rc = path ? gnt_result_load(&of, path, err) : gnt_fail(err, "out of memory");
    for (size_t i = 0; rc == 0 && i < of.cells.n; i++)
        unfinished += of.cells.at[i].status == GNT_CELL_UNFINISHED;
    gnt_result_free(&of);
    gnt_free(path);
    return unfinished ? gnt_fail(err,
                                 "%s: %zu cells are not finished, and what they need is in the store; finish "
                                 "the run, or remove the folder",
                                 folder, unfinished)
                      : rc;
}

/* Removes the store while this process alone has it. */
static int remove_store(const char *store, gnt_removed *freed, gnt_err *err) {
    struct stat st;
    int busy;
    if (lstat(store, &st) != 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return gnt_fail(
            err, "%s: is no folder but a link or a file; remove it, and what it leads to, yourself", store);
    const int lock = gnt_folder_take(store, 0, &busy);
    const int rc = busy ? gnt_fail(err, "%s: a run works there; wait for its end", store)
                        : gnt_remove_tree(store, freed, err);
    if (lock >= 0)
        close(lock);
    return rc;
}

int gnt_clean(const char *folder, gnt_removed *freed, gnt_err *err) {
    *freed = (gnt_removed){0};
    char *store = gnt_format("%s/store", folder);
    int rc = store ? check_finished(folder, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = remove_store(store, freed, err);
    gnt_free(store);
    return rc;
}
