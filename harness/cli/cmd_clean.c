/* gauntlet clean: frees the disk of finished runs. */
#include <stdio.h>

#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "finished/clean.h"

int gnt_cmd_clean(int argc, char **argv) {
    const cli_option known[] = {{0}};
    const cli_command command = {.name = "clean", .options = known};
    cli_words words;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n < 1)
        return cli_wrong(&command, "expected run folders, such as results/quick");
    code = GNT_EXIT_OK;
    for (int i = 0; i < words.n; i++) {
        const char *folder = cli_run_of(words.word[i]);
        gnt_err err = {""};
        gnt_removed freed;
        if (gnt_clean(folder, &freed, &err) != 0)
            code = cli_error("clean", &err, GNT_EXIT_WRONG);
        else
            printf("%s: freed %.1f MB, %llu files of the store; a report, a check and an audit do not need "
                   "them, another run of the suite computes them again\n",
                   folder, (double)freed.bytes / 1e6, (unsigned long long)freed.files);
    }
    return code;
}
