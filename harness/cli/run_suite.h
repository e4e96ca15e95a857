/* run_suite: the suite.json in a run folder, with the scale and baseline that its results name, and its
 * plan. */
#ifndef GNT_CLI_RUN_SUITE_H
#define GNT_CLI_RUN_SUITE_H

#include "cli/env.h"
#include "suite/plan.h"

typedef struct cli_run_suite {
    cli_env env;
    char *scale;
    gnt_suite suite;
    gnt_plan plan;
} cli_run_suite;

/* Opens it; close it after a failure too. */
int cli_run_suite_open(cli_run_suite *k, const char *folder, const cli_paths *paths,
                       const gnt_sandbox_options *sandbox, gnt_err *err);
void cli_run_suite_close(cli_run_suite *k);

/* Returns the folder of a suite's runs: results/NAME, or results/NAME-SCALE. The caller frees. */
char *cli_run_folder(const gnt_suite *suite);

#endif
