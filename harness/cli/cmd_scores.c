/* gauntlet scores: copies the scores of a run, without pictures, into a small folder. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/consistency.h"
#include "finished/scores_only.h"

/* Returns 0 if the results agree with themselves and with their suite. */
static int check(const char *run, const cli_paths *paths, gnt_err *err) {
    char *path = gnt_format("%s/results.json", run);
    const int rc = path ? cli_consistency_path(path, paths, "scores", err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    return rc;
}

int gnt_cmd_scores(int argc, char **argv) {
    const char *to = NULL;
    cli_paths paths = {.data = cli_data_folder()};
    const cli_option known[] = {{.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &to},
                                CLI_PATHS(&paths),
                                CLI_KEY(&paths),
                                {0}};
    const cli_command command = {.name = "scores", .options = known};
    gnt_err err = {""};
    cli_words words;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1 || !to)
        return cli_wrong(&command, "expected one run folder, and -o DIR for its scores");
    if (check(words.word[0], &paths, &err) != 0)
        return cli_error("scores", &err, GNT_EXIT_WRONG);
    const int rc = gnt_scores_write(words.word[0], to, &err);
    if (rc != 0)
        return cli_error("scores", &err, rc == GNT_SCORES_UNREADABLE ? GNT_EXIT_WRONG : GNT_EXIT_FAILED);
    printf("%s\n", to);
    return GNT_EXIT_OK;
}
