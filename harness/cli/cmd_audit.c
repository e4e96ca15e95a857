/* gauntlet audit: reruns some cells of a run and compares the results. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sodium/randombytes.h>

#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/deciding.h"
#include "cli/consistency.h"
#include "cli/run_suite.h"
#include "cli/redrawn.h"
#include "cli/sandbox_options.h"
#include "cli/env.h"
#include "finished/audit.h"
#include "process/child.h"

enum { USUAL_CELLS = 3 };

typedef struct options {
    cli_paths paths;
    gnt_audit_options how;
    const char *mandatory;
    int new_seed, deciding, strata;
} options;

static int read_options(int argc, char **argv, options *o) {
    gnt_sandbox_options sandbox = {0};
    uint64_t cells = 0, jobs = (uint64_t)cli_processors(), seed = randombytes_random();
    const cli_option known[] = {
        {.name = "cells", .kind = CLI_WHOLE, .to = &cells, .least = 1, .most = GNT_SUITE_MOST_CELLS},
        {.name = "seed", .kind = CLI_WHOLE, .to = &seed, .most = 0x1p64},
        {.name = "defense", .kind = CLI_TEXT, .to = &o->how.defense},
        {.name = "deciding", .kind = CLI_FLAG, .to = &o->deciding},
        {.name = "strata", .kind = CLI_FLAG, .to = &o->strata},
        {.name = "mandatory", .kind = CLI_TEXT, .to = &o->mandatory},
        {.name = "new-seed", .kind = CLI_FLAG, .to = &o->new_seed},
        {.name = "jobs", .kind = CLI_WHOLE, .to = &jobs, .least = 1, .most = CLI_MOST_JOBS},
        CLI_PATHS(&o->paths),
        CLI_KEY(&o->paths),
        CLI_SANDBOX(&sandbox),
        {0}};
    const cli_command command = {.name = "audit", .options = known};
    cli_words words;
    *o = (options){.paths.data = cli_data_folder()};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one run folder");
    if (o->mandatory && !o->strata)
        return cli_wrong(&command, "--mandatory goes with --strata");
    o->deciding |= o->strata;
    if (cells == 0 && !o->deciding)
        cells = USUAL_CELLS;
    o->how = (gnt_audit_options){.folder = cli_run_of(words.word[0]),
                                 .data_folder = o->paths.data,
                                 .cells = (size_t)cells,
                                 .defense = o->how.defense,
                                 .jobs = (int)jobs,
                                 .seed = seed,
                                 .sandbox = sandbox};
    return CLI_GO_ON;
}

static void say(void *user, const char *line) {
    (void)user;
    puts(line);
    fflush(stdout);
}

static int audit(options *o, cli_run_suite *stored, gnt_err *err) {
    gnt_audit_counts counts = {0};
    cli_redrawn fresh = {.folder = o->how.folder};
    const cli_also also = {o->how.seed, o->mandatory};
    uint8_t *named =
        o->deciding ? cli_deciding(o->how.folder, stored->plan.n, o->strata ? &also : NULL, err) : NULL;
    if (o->deciding && !named)
        return GNT_EXIT_WRONG;
    o->how.named = named;
    printf("cells chosen with --seed %" PRIu64 "\n", o->how.seed);
    gnt_interrupt_catch();
    if (o->new_seed) /* everything random depends on the run key */
        stored->suite.key = gnt_audit_new_key(o->how.seed);
    o->how.redrawn = o->new_seed ? cli_compare_redrawn : NULL;
    const int rc = gnt_audit(&stored->suite, &stored->plan, &o->how, &counts, say, &fresh, err);
    gnt_free(named);
    if (rc != 0)
        return GNT_EXIT_WRONG;
    if (counts.interrupted)
        return GNT_EXIT_INTERRUPTED;
    if (!o->new_seed)
        printf("%zu of %zu cells differ\n", counts.different, counts.chosen);
    if (counts.controls)
        printf("%zu of %zu training runs on public data alone differ\n", counts.controls_different,
               counts.controls);
    if (counts.pictures_different)
        printf("%zu of %zu pictures do not show what their targets say\n", counts.pictures_different,
               counts.pictures);
    if (counts.plugins_different)
        printf("plugins with another version, or other hooks, families or flags here: %zu\n",
               counts.plugins_different);
    return counts.different || counts.pictures_different || counts.controls_different ||
                   counts.plugins_different || fresh.different
               ? GNT_EXIT_FAILED
               : GNT_EXIT_OK;
}

int gnt_cmd_audit(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    cli_run_suite stored;
    gnt_checked checked;
    gnt_sandbox_report sandbox_here;
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    code = GNT_EXIT_WRONG;
    if (cli_sandbox_check("audit", &o.how.sandbox, 1, &sandbox_here) != 0)
        return code;
    if (cli_run_suite_open(&stored, o.how.folder, &o.paths, &o.how.sandbox, &err) == 0 &&
        cli_consistency_folder(&checked, o.how.folder, &stored.env, "audit", &err) == 0) {
        gnt_checked_free(&checked);
        code = audit(&o, &stored, &err);
    }
    if (code == GNT_EXIT_WRONG)
        cli_error("audit", &err, code);
    cli_run_suite_close(&stored);
    return code;
}
