#include "data/folder_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void data_names_free(data_names *names) {
    for (size_t i = 0; i < names->n; i++)
        gnt_free(names->at[i]);
    gnt_free(names->at);
    *names = (data_names){.n = 0};
}

int data_names_list(data_names *out, const char *path, gnt_err *err) {
    DIR *dir = opendir(path);
    const struct dirent *e;
    int rc = 0;
    *out = (data_names){.n = 0};
    if (!dir)
        return gnt_fail(err, "%s: cannot be opened as a folder (%s)", path, strerror(errno));
    while (rc == 0 && (e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        char *copy = GNT_GROW(out->at, out->n) ? NULL : gnt_strdup(e->d_name);
        if (copy)
            out->at[out->n++] = copy;
        else
            rc = gnt_fail(err, "%s: out of memory", path);
    }
    closedir(dir);
    if (rc == 0 && out->n)
        qsort(out->at, out->n, sizeof *out->at, by_bytes);
    return rc;
}

int data_is_folder(const char *in, const char *name) {
    struct stat st;
    char *path = gnt_format("%s/%s", in, name);
    const int is = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    gnt_free(path);
    return is;
}
