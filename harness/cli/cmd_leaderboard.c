/* gauntlet leaderboard: ranks the defenses of several runs and contributors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lookalike.h"
#include "board/board.h"
#include "cli/args.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/consistency.h"
#include "cli/make_board.h"

enum { MOST_NAME = 80 };

typedef struct board_words {
    gnt_board_options *board;
    gnt_board_source *sources;
    const cli_command *command;
} board_words;

static int add_source(board_words *w, char *folder, char *contributor) {
    if (w->board->n_source == GNT_BOARD_MOST_RUNS)
        return cli_wrong(w->command, "there are more runs than a leaderboard can have: %.200s", folder);
    w->sources[w->board->n_source++] = (gnt_board_source){.folder = folder, .contributor = contributor};
    return 0;
}

static int add_run(void *user, char *text) {
    return add_source(user, text, NULL);
}

/* Splits "NAME=RUN" in place. */
static int add_named(void *user, char *text) {
    board_words *w = user;
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || equals - text > MOST_NAME)
        return cli_wrong(w->command, "--contributor takes NAME=RUN, the name of at most %d bytes, not %.200s",
                         MOST_NAME, text);
    *equals = 0;
    if (gnt_hidden_character(text))
        return cli_wrong(w->command, "--contributor: the name has a character that is not shown, U+%04X",
                         gnt_hidden_character(text));
    return add_source(w, equals + 1, text);
}

int gnt_cmd_leaderboard(int argc, char **argv) {
    gnt_board_source sources[GNT_BOARD_MOST_RUNS];
    gnt_board_options board = {.source = sources};
    board_words taken = {.board = &board, .sources = sources};
    cli_paths paths = {.data = cli_data_folder()};
    const char *season_key = NULL;
    int no_plots = 0;
    const cli_option known[] = {{.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &board.folder},
                                {.name = "contributor", .kind = CLI_READ, .to = &taken, .read = add_named},
                                {.name = "title", .kind = CLI_TEXT, .to = &board.title},
                                {.name = "mandatory", .kind = CLI_TEXT, .to = &board.mandatory},
                                {.name = "defenses", .kind = CLI_TEXT, .to = &board.defenses},
                                {.name = "no-plots", .kind = CLI_FLAG, .to = &no_plots},
                                CLI_PATHS(&paths),
                                CLI_KEY(&paths),
                                CLI_SEASON_KEY(&season_key),
                                {0}};
    /* words in their order among the options, since the order of runs matters */
    const cli_command command = {.name = "leaderboard", .options = known, .word = add_run, .user = &taken};
    taken.command = &command;
    int code = cli_args(&command, argc, argv, NULL);
    if (code != CLI_GO_ON)
        return code;
    if (board.n_source == 0)
        return cli_wrong(&command, "expected run folders, such as results/quick");
    if (!board.folder)
        return cli_wrong(&command, "expected -o DIR, the folder to write to");
    if (season_key && paths.key)
        return cli_wrong(&command, "--season-key is the run key of the season's runs: leave --key out");
    board.plots = !no_plots;
    return cli_make_board(&board, sources, &paths, season_key, NULL, "leaderboard");
}
