#include "cli/named_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/env.h"

int cli_read_sample(void *to, char *text) {
    gnt_nn_shape *out = to;
    *out = (gnt_nn_shape){0};
    for (const char *at = text; out->rank < 3; at++) {
        char *end;
        long n = strtol(at, &end, 10);
        if (end == at || n < 1 || n > 65536)
            break;
        out->dim[out->rank++] = n;
        at = end;
        if (!*at && out->rank != 2)
            return 0;
        if (*at != 'x')
            break;
    }
    fprintf(
        stderr,
        "gauntlet: --sample is \"%.60s\"; expected CHANNELSxHEIGHTxWIDTH, such as 3x32x32, or a number of "
        "features\n",
        text);
    return -1;
}

int cli_load_model(gnt_model **out, const char *name, const gnt_nn_shape *sample, int32_t classes,
                   gnt_err *err) {
    char *folder[CLI_MODEL_FOLDERS];
    const int is_path = strchr(name, '.') || strchr(name, '/');
    char *path = is_path ? gnt_strdup(name) : NULL;
    cli_find_models(folder, NULL);
    for (size_t i = 0; folder[i] && !(path && gnt_file_exists(path)); i++) {
        gnt_free(path);
        path = gnt_format("%s/%s.json", folder[i], name);
    }
    const int rc =
        path && gnt_file_exists(path)
            ? gnt_model_load(out, path, sample, classes, NULL, NULL, err)
            : gnt_fail(err,
                       "there is no model \"%s\"; expected a file, or the name of one in the folder models",
                       name);
    gnt_free(path);
    cli_free_models(folder);
    return rc;
}
