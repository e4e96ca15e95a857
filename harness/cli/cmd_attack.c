/* gauntlet attack: attacks captures. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/attack_suite.h"
#include "cli/cmd.h"
#include "cli/run_plan.h"

enum { MOST_SEED = INT32_MAX, MOST_MEMORY = 1 << 24 };

typedef struct options {
    cli_run_options how;
    cli_attack_suite suite;
} options;

static int read_options(int argc, char **argv, options *o) {
    *o = (options){.how = {.command = "attack",
                           .output = "results/attack",
                           .paths.data = cli_data_folder(),
                           .jobs = (uint64_t)cli_processors()},
                   .suite = {.seed = 1}};
    const cli_option known[] = {
        {.name = "attacks", .kind = CLI_TEXT, .to = &o->suite.attacks},
        {.name = "public", .kind = CLI_TEXT, .to = &o->suite.public_data},
        {.name = "shadow", .kind = CLI_TEXT, .to = &o->suite.shadow},
        {.name = "defense", .kind = CLI_TEXT, .to = &o->suite.defense},
        {.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &o->how.output},
        {.name = "seed", .kind = CLI_WHOLE, .to = &o->suite.seed, .most = MOST_SEED},
        {.name = "seconds", .kind = CLI_REAL, .to = &o->suite.seconds, .least = 1, .most = 1e7},
        {.name = "memory", .kind = CLI_WHOLE, .to = &o->suite.memory_mb, .least = 64, .most = MOST_MEMORY},
        {.name = "dry-run", .kind = CLI_FLAG, .to = &o->how.dry},
        {.name = "json", .kind = CLI_FLAG, .to = &o->how.json},
        {.name = "jobs", .kind = CLI_WHOLE, .to = &o->how.jobs, .least = 1, .most = CLI_MOST_JOBS},
        CLI_PATHS(&o->how.paths),
        CLI_SANDBOX(&o->how.sandbox),
        {.name = "keep-failed", .kind = CLI_INTO, .to = &o->how.keep_failed},
        {.name = "no-report", .kind = CLI_FLAG, .to = &o->how.no_report},
        {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .to = &o->how.quiet},
        {0}};
    const cli_command command = {.name = "attack", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n == 0)
        return cli_wrong(&command, "expected folders of captures, such as those that `gauntlet capture` "
                                   "writes");
    if (o->how.json && !o->how.dry)
        return cli_wrong(&command, "--json goes with --dry-run; a run writes results.json");
    o->suite.folder = words.word;
    o->suite.n = (size_t)words.n;
    return CLI_GO_ON;
}

int gnt_cmd_attack(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    cli_env env;
    gnt_suite suite = {0};
    gnt_plan plan = {0};
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    code = GNT_EXIT_WRONG;
    if (cli_sandbox_check("attack", &o.how.sandbox, o.how.quiet || o.how.dry, &o.how.sandbox_here) != 0)
        return code;
    int rc = cli_env_open(&env, &o.how.paths, &o.how.sandbox, &err);
    char *text = rc == 0 ? cli_attack_suite_text(&o.suite, &env.plugins, &err) : NULL;
    if (text && (gnt_suite_parse(&suite, CLI_ATTACK_SUITE, text, strlen(text), &env.suite, &err) != 0 ||
                 gnt_plan_make(&plan, &suite, &err) != 0)) {
        cli_attack_words(&err);
        rc = -1;
    }
    if (!text || rc != 0)
        cli_error("attack", &err, code);
    else
        code = cli_run_plan(&o.how, &suite, &plan);
    gnt_plan_free(&plan);
    gnt_suite_free(&suite);
    gnt_free(text);
    cli_env_close(&env);
    return code;
}
