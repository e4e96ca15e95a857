#include "cli/consistency.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/env.h"

void cli_consistency_env(cli_env *w, const cli_paths *paths, const gnt_sandbox_options *sandbox,
                         const char *command) {
    gnt_err err = {""};
    if (cli_env_open(w, paths, sandbox, &err) != 0)
        fprintf(stderr, "gauntlet %s: note: %s\n", command, err.text);
}

static int check_file(gnt_checked *out, const char *path, const cli_env *w, const char *command,
                      gnt_err *err) {
    if (gnt_check(out, path, &w->suite, err) != 0)
        return -1;
    for (const char *line = gnt_text_get(&out->notes); *line;) {
        const size_t n = strcspn(line, "\n");
        fprintf(stderr, "gauntlet %s: note: %.*s\n", command, (int)n, line);
        line += n + (line[n] == '\n');
    }
    return 0;
}

int cli_consistency_folder(gnt_checked *out, const char *folder, const cli_env *w, const char *command,
                           gnt_err *err) {
    char *path = gnt_format("%s/results.json", folder);
    int rc = path ? check_file(out, path, w, command, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc == 0 && gnt_result_is_of_captures(&out->result)) {
        gnt_checked_free(out);
        rc =
            gnt_fail(err,
                     "%s is a run of the class capture: it attacked updates that were observed elsewhere, so "
                     "that nobody can run it again from its data; such runs are never ranked",
                     folder);
    }
    return rc;
}

int cli_consistency_path(const char *path, const cli_paths *paths, const char *command, gnt_err *err) {
    cli_env w;
    gnt_checked t;
    cli_consistency_env(&w, paths, NULL, command);
    const int rc = check_file(&t, path, &w, command, err);
    if (rc == 0)
        gnt_checked_free(&t);
    cli_env_close(&w);
    return rc;
}
