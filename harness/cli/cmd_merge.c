/* gauntlet merge: the stores of several runs of one suite in one folder. */
#include <stdio.h>

#include "cli/args.h"
#include "cli/cmd.h"
#include "finished/merge.h"

static const char help[] =
    "Usage: gauntlet merge RUN_FOLDER... -o DIR\n"
    "\n"
    "Joins the stores of runs of one suite, such as its shards (`gauntlet run --shard`), in DIR. `gauntlet "
    "run` of that "
    "suite\n"
    "with -o DIR then finds everything stored and writes the same results as a run that was never divided.\n"
    "  -o, --output DIR   the folder of the joined run\n"
    "  -h, --help         this text\n"
    "An entry whose bytes are not those of its digest is left out. Where two runs have other bytes under one "
    "key, both "
    "are\n"
    "named and nothing is written.\n"
    "Exit code: 0 joined, 1 there are conflicts, 2 the command is wrong, or a folder is no run of that "
    "suite.\n";

static void say(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "%s\n", line);
}

int gnt_cmd_merge(int argc, char **argv) {
    const char *folder = NULL;
    const cli_option known[] = {{.name = "output", .letter = 'o', .kind = CLI_TEXT, .to = &folder}, {0}};
    const cli_command command = {.name = "merge", .help = help, .options = known};
    cli_words words;
    gnt_err err = {0};
    gnt_merge_counts counts;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (!folder || words.n == 0)
        return cli_wrong(&command, "expected run folders and -o DIR");
    if (gnt_merge((const char *const *)words.word, (size_t)words.n, folder, &counts, say, NULL, &err) != 0) {
        fprintf(stderr, "gauntlet merge: %s\n", err.text);
        return GNT_EXIT_WRONG;
    }
    if (counts.conflicts) {
        printf("%zu conflicts; nothing was written\n", counts.conflicts);
        return GNT_EXIT_FAILED;
    }
    printf("%zu entries joined, %zu were there; run the suite with -o %s for its results\n", counts.joined,
           counts.known, folder);
    return GNT_EXIT_OK;
}
