/* The audit of a third party's run folder: its results.json and host.json compared with what running its
 * cells again gives. Input: results.json, a line "%%", host.json, a line "%%", what running again gives. The
 * suite's digest is put into the first where it has one, so that what follows is reached. */
#include "planned.h"
#include "finished/audit.h"
#include "judge/hook_seconds.h"
#include "run/engine.h"
#include "run/identity.h"

static fuzz_bytes again; /* results.json of the cells that were run again */

/* In place of running them. */
int gnt_run(const gnt_suite *suite, const gnt_plan *plan, const gnt_run_options *options,
            gnt_run_counts *counts, gnt_err *err) {
    char path[512];
    (void)suite, (void)plan;
    *counts = (gnt_run_counts){0};
    MUST(snprintf(path, sizeof path, "%s/results.json", options->folder) < (int)sizeof path);
    return gnt_file_write(path, again.at, again.left, err);
}

/* In place of a digest of this program. */
char *gnt_run_identity(gnt_digest *program, gnt_err *err) {
    (void)err;
    *program = (gnt_digest){{0}};
    return gnt_strdup("host a; cpu b");
}

void gnt_run_cpu_name(char name[GNT_CPU_NAME]) {
    name[0] = 0;
}

static void count(void *user, const char *line) {
    MUST(line[0]);
    ++*(size_t *)user;
}

static void put_results(fuzz_bytes text) {
    json_t *root = json_loadb((const char *)text.at, text.left, JSON_REJECT_DUPLICATES, NULL);
    if (!json_object_get(root, "suite_digest")) {
        json_decref(root);
        fuzz_file("run/results.json", text);
        return;
    }
    json_object_set_new(root, "suite_digest", json_string(fuzz_small_suite.digest));
    char *changed = json_dumps(root, JSON_COMPACT);
    MUST(changed);
    fuzz_file("run/results.json", (fuzz_bytes){(const uint8_t *)changed, strlen(changed)});
    free(changed);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    fuzz_bytes all = {data, size}, results = fuzz_text(&all), host = fuzz_text(&all);
    gnt_audit_counts counts;
    size_t lines = 0;
    gnt_err err = {0};
    again = all;
    fuzz_small();
    fuzz_subfolder("run");
    put_results(results);
    fuzz_file("run/host.json", host);
    const gnt_audit_options options = {.folder = fuzz_path(path, "run"), .jobs = 1, .cells = 2, .seed = 1};
    json_t *stated = json_loadb((const char *)host.at, host.left, 0, NULL), *hooks = gnt_hook_seconds(stated);
    for (size_t i = 0; i < json_array_size(hooks); i++) {
        gnt_hook_row row;
        MUST(gnt_hook_row_read(json_array_get(hooks, i), &row) && row.calls > 0 && row.seconds >= 0);
    }
    json_decref(hooks);
    json_decref(stated);
    if (fuzz_ok(gnt_audit(&fuzz_small_suite, &fuzz_small_plan, &options, &counts, count, &lines, &err), &err))
        MUST(counts.chosen >= 1 && counts.different <= counts.chosen && lines >= counts.chosen);
    return 0;
}
