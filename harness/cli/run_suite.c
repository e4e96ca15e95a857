#include "cli/run_suite.h"

#include "base/mem.h"
#include "derive/derive.h"

/* Opens the suite and its plan at the scale and with the baseline that the run's results name. */
static int open_suite(cli_run_suite *k, const char *path, const gnt_result *of, gnt_err *err) {
    k->scale = of->scale && *of->scale->name ? gnt_strdup(of->scale->name) : NULL;
    if (of->scale && *of->scale->name && !k->scale)
        return gnt_fail(err, "out of memory");
    k->env.suite.scale = k->scale;
    return gnt_suite_load(&k->suite, path, &k->env.suite, err) ||
                   gnt_derive_add_baseline(&k->suite, "results.json", &of->baseline, err) ||
                   gnt_plan_make(&k->plan, &k->suite, err)
               ? -1
               : 0;
}

int cli_run_suite_open(cli_run_suite *k, const char *folder, const cli_paths *paths,
                       const gnt_sandbox_options *sandbox, gnt_err *err) {
    *k = (cli_run_suite){0};
    gnt_result of;
    gnt_result_clear(&of);
    char *path = gnt_format("%s/suite.json", folder), *results = gnt_format("%s/results.json", folder);
    int rc = path && results ? 0 : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = cli_env_open(&k->env, paths, sandbox, err);
    if (rc == 0)
        rc = gnt_result_load(&of, results, err);
    if (rc == 0)
        rc = open_suite(k, path, &of, err);
    gnt_result_free(&of);
    gnt_free(results);
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
