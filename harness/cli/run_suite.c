#include "cli/run_suite.h"

#include "base/json.h"
#include "base/mem.h"

/* Reads the run's scale (NULL: the suite's default) and the strengths of its baseline (NULL: none). The
 * caller frees both. */
static int read_given(const char *folder, char **scale, json_t **baseline, gnt_err *err) {
    gnt_doc doc;
    char *path = gnt_format("%s/results.json", folder);
    int rc = path ? gnt_doc_load(&doc, path, (size_t)1 << 30, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc != 0)
        return -1;
    *scale = gnt_strdup(json_string_value(json_object_get(json_object_get(doc.root, "scale"), "name")));
    *baseline = json_incref(json_object_get(doc.root, "baseline"));
    gnt_doc_free(&doc);
    return 0;
}

int cli_run_suite_open(cli_run_suite *k, const char *folder, const cli_paths *paths,
                       const gnt_sandbox_options *sandbox, gnt_err *err) {
    *k = (cli_run_suite){0};
    json_t *baseline = NULL;
    char *path = gnt_format("%s/suite.json", folder);
    int rc = path ? 0 : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = cli_env_open(&k->env, paths, sandbox, err);
    if (rc == 0)
        rc = read_given(folder, &k->scale, &baseline, err);
    k->env.suite.scale = k->scale;
    if (rc == 0)
        rc = gnt_suite_load(&k->suite, path, &k->env.suite, err);
    if (rc == 0)
        rc = gnt_suite_add_baseline(&k->suite, "results.json", baseline, err);
    if (rc == 0)
        rc = gnt_plan_make(&k->plan, &k->suite, err);
    json_decref(baseline);
    gnt_free(path);
    return rc;
}

void cli_run_suite_close(cli_run_suite *k) {
    gnt_plan_free(&k->plan);
    gnt_suite_free(&k->suite);
    gnt_free(k->scale);
    cli_env_close(&k->env);
}

char *cli_run_folder(const gnt_suite *suite) {
    return gnt_format("results/%s%s%s", suite->name, suite->scale ? "-" : "",
                      suite->scale ? suite->scale : "");
}
