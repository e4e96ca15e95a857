/* run_plan: runs a plan, makes its report and prints what it found, or prints the plan. For the commands that
 * run something (`run`, `attack`). */
#ifndef GNT_CLI_RUN_PLAN_H
#define GNT_CLI_RUN_PLAN_H

#include <stdint.h>

#include "cli/env.h"
#include "cli/sandbox_options.h"
#include "suite/plan.h"

typedef struct cli_run_options {
    /* As typed after "gauntlet". */
    const char *command;
    /* The run folder; NULL: cli_run_folder. */
    const char *output;
    const char *keep_failed;
    cli_paths paths;
    uint64_t jobs;
    /* dry: only print the plan, as JSON with `json`. */
    int dry, json, no_report, quiet;
    int share, gather;
    uint64_t lease;
    gnt_sandbox_options sandbox;
    gnt_sandbox_report sandbox_here;
} cli_run_options;

/* Returns the exit code. */
int cli_run_plan(const cli_run_options *o, const gnt_suite *suite, const gnt_plan *plan);

#endif
