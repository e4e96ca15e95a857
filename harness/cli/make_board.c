#include "cli/make_board.h"

#include <stdio.h>

#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/consistency.h"
#include "cli/env.h"
#include "seal/key.h"

static int make(const gnt_board_options *options, const char *command) {
    gnt_err err = {""};
    gnt_text notices;
    gnt_text_init(&notices, 1 << 20);
    const int failed = gnt_board_make(options, &notices, &err);
    fputs(gnt_text_get(&notices), stderr);
    gnt_text_free(&notices);
    if (failed)
        return cli_error(command, &err, failed == GNT_BOARD_UNREADABLE ? GNT_EXIT_WRONG : GNT_EXIT_FAILED);
    printf("%s/leaderboard.html\n", options->folder);
    return GNT_EXIT_OK;
}

int cli_make_board(gnt_board_options *board, gnt_board_source *sources, const cli_paths *paths,
                   const char *season_key, const gnt_sandbox_options *sandbox, const char *command) {
    cli_env w;
    cli_paths here = *paths;
    char sha256[GNT_SHA256_HEX];
    gnt_err err = {""};
    if (season_key && gnt_season_key_sha256(season_key, sha256, &err) != 0)
        return cli_error(command, &err, GNT_EXIT_WRONG);
    if (season_key) {
        board->season = sha256;
        here.key = season_key;
    }
    gnt_checked *checked = gnt_array(board->n_source + 1, sizeof *checked);
    size_t n = 0;
    cli_consistency_env(&w, &here, sandbox, command);
    for (; checked && n < board->n_source; n++) {
        if (cli_consistency_folder(&checked[n], sources[n].folder, &w, command, &err) != 0)
            break;
        sources[n].checked = &checked[n];
    }
    board->plugins = w.suite.plugins;
    const int code =
        checked && n == board->n_source ? make(board, command) : cli_error(command, &err, GNT_EXIT_WRONG);
    for (size_t i = 0; i < n; i++)
        gnt_checked_free(&checked[i]);
    gnt_free(checked);
    cli_env_close(&w);
    return code;
}
