/* gauntlet run: runs a suite. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/run_plan.h"
#include "derive/derive.h"
#include "run/lease/share.h"

typedef struct options {
    const char *suite, *scale, *baseline;
    cli_run_options how;
} options;

static int read_options(int argc, char **argv, options *o) {
    const cli_option known[] = {
        {.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &o->how.output},
        {.name = "scale", .kind = CLI_TEXT, .to = &o->scale},
        {.name = "baseline", .kind = CLI_TEXT, .to = &o->baseline},
        {.name = "dry-run", .kind = CLI_FLAG, .to = &o->how.dry},
        {.name = "json", .kind = CLI_FLAG, .to = &o->how.json},
        {.name = "jobs", .kind = CLI_WHOLE, .to = &o->how.jobs, .least = 1, .most = CLI_MOST_JOBS},
        CLI_PATHS(&o->how.paths),
        CLI_SANDBOX(&o->how.sandbox),
        {.name = "share", .kind = CLI_FLAG, .to = &o->how.share},
        {.name = "gather", .kind = CLI_FLAG, .to = &o->how.gather},
        {.name = "lease",
         .kind = CLI_WHOLE,
         .to = &o->how.lease,
         .least = GNT_LEASE_LEAST,
         .most = GNT_LEASE_MOST},
        {.name = "keep-failed", .kind = CLI_INTO, .to = &o->how.keep_failed},
        {.name = "no-report", .kind = CLI_FLAG, .to = &o->how.no_report},
        {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .to = &o->how.quiet},
        {0}};
    const cli_command command = {.name = "run", .options = known};
    cli_words words;
    *o = (options){
        .how = {.command = "run", .paths.data = cli_data_folder(), .jobs = (uint64_t)cli_processors()}};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one suite file");
    if (o->how.json && !o->how.dry)
        return cli_wrong(&command, "--json goes with --dry-run; a run writes results.json");
    if (o->how.share && o->how.gather)
        return cli_wrong(&command, "--share and --gather exclude each other");
    if (o->how.lease && !o->how.share && !o->how.gather)
        return cli_wrong(&command, "--lease goes with --share or --gather");
    o->suite = words.word[0];
    return CLI_GO_ON;
}

static int add_matches(gnt_suite *suite, const char *path, const gnt_result *of, gnt_err *err) {
    if (!of->matches.at || !*of->suite)
        return gnt_fail(err, "%s: is not a results.json of a run: it lists no searches or names no suite",
                        path);
    if (strcmp(of->suite, suite->name) != 0)
        return gnt_fail(err, "%s is a run of the suite \"%.64s\"; expected a run of \"%.64s\"", path,
                        of->suite, suite->name);
    return gnt_derive_add_matches(suite, path, &of->matches, err);
}

/* Adds the matched strengths of the run that --baseline names. */
static int add_baseline(const options *o, gnt_suite *suite, gnt_err *err) {
    if (!o->baseline)
        return 0;
    char *path = cli_results_of(o->baseline);
    gnt_result of;
    gnt_result_clear(&of);
    int rc = path ? gnt_result_load(&of, path, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = add_matches(suite, path, &of, err);
    gnt_result_free(&of);
    gnt_free(path);
    return rc;
}

int gnt_cmd_run(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    cli_env env;
    gnt_suite suite = {0};
    gnt_plan plan = {0};
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    code = GNT_EXIT_WRONG;
    char *path;
    if (cli_find_suite(&path, o.suite, &err) != 0)
        return cli_error("run", &err, code);
    if (cli_sandbox_check("run", &o.how.sandbox, o.how.quiet || o.how.dry, &o.how.sandbox_here) != 0) {
        gnt_free(path);
        return code;
    }
    int rc = cli_env_open(&env, &o.how.paths, &o.how.sandbox, &err);
    env.suite.scale = o.scale;
    if (rc != 0 || gnt_suite_load_given(&suite, path, &env.suite, &err) != 0 ||
        add_baseline(&o, &suite, &err) != 0 || gnt_plan_make(&plan, &suite, &err) != 0)
        fprintf(stderr, "%s\n", err.text);
    else
        code = cli_run_plan(&o.how, &suite, &plan);
    gnt_plan_free(&plan);
    gnt_suite_free(&suite);
    gnt_free(path);
    cli_env_close(&env);
    return code;
}
