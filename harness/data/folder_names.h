/* folder_names: what is in a folder. */
#ifndef GNT_DATA_FOLDER_NAMES_H
#define GNT_DATA_FOLDER_NAMES_H

#include <stddef.h>

#include "base/err.h"

typedef struct data_names {
    char **at;
    size_t n;
} data_names;

/* Lists the names in a folder, sorted by their bytes, without those that begin with a dot. *out has to be
 * freed even on failure. */
int data_names_list(data_names *out, const char *path, gnt_err *err);
void data_names_free(data_names *names);
/* True if `name` in the folder is a folder, too. */
int data_is_folder(const char *in, const char *name);

#endif
