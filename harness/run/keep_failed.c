/* Keeps a folder of each job that failed, so that it can be run again under a debugger
 * (`gauntlet worker --job`):
 *   request.json   its request
 *   inputs/NAME    what it read
 *   reason.txt     how it ended */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/run_impl.h"

/* Returns the folder of a job, by its name; NULL when out of memory. */
static char *folder_of(const run *r, const run_job *j) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@+";
    char *name = gnt_strdup(j->name);
    for (char *at = name; at && *at; at++)
        if (!strchr(plain, *at))
            *at = '_';
    char *folder = name ? gnt_format("%s/%s", r->options->keep_failed, name) : NULL;
    gnt_free(name);
    return folder;
}

static int copy_input(const run_job *j, size_t i, const char *folder, gnt_err *err) {
    enum { MOST = INT32_MAX };
    uint8_t *bytes = NULL;
    size_t size = 0;
    char open[64];
    char *path = gnt_format("%s/inputs/%s", folder, j->input[i].name);
    snprintf(open, sizeof open, "/proc/self/fd/%d",
             j->processes.fd[i]); /* opened again, with an offset of its own */
    int rc = path ? gnt_file_read(open, MOST, &bytes, &size, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_file_write(path, bytes, size, err);
    gnt_free(bytes);
    gnt_free(path);
    return rc;
}

static int keep(const run *r, const run_job *j, gnt_err *err) {
    char *folder = folder_of(r, j), *inputs = folder ? gnt_format("%s/inputs", folder) : NULL;
    json_t *request = gnt_request_encode(&j->request, GNT_FIELDS_ALL);
    char *text = request ? json_dumps(request, JSON_INDENT(1)) : NULL;
    int rc = inputs ? gnt_make_dirs(inputs, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_file_write_text(folder, "request.json", text, err);
    if (rc == 0)
        rc = gnt_file_write_text(folder, "reason.txt", j->ending.reason, err);
    for (size_t i = 0; rc == 0 && i < j->n_inputs; i++)
        if (j->processes.fd[i] >= 0)
            rc = copy_input(j, i, folder, err);
    if (rc == 0)
        run_show_warning(r, "%s is kept: gauntlet worker --job %s", j->name, folder);
    free(text);
    json_decref(request);
    gnt_free(inputs);
    gnt_free(folder);
    return rc;
}

void run_keep_failed(const run *r, const run_job *j) {
    gnt_err err = {0};
    if (r->options->keep_failed && keep(r, j, &err) != 0)
        run_show_warning(r, "%s cannot be kept: %s", j->name, err.text);
}
