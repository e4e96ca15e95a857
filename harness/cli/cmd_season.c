/* gauntlet season: makes the secret key of a leaderboard's season, and shows or checks the SHA-256 by
 * which the key is announced. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/paths.h"
#include "seal/key.h"

static int show(const char *file, const char *expected) {
    gnt_err err = {""};
    char hex[GNT_SHA256_HEX];
    if (gnt_season_key_sha256(file, hex, &err) != 0)
        return cli_error("season", &err, GNT_EXIT_WRONG);
    printf("%s  %s\n", hex, file);
    if (!expected)
        return GNT_EXIT_OK;
    const int same = strcasecmp(hex, expected) == 0;
    puts(same ? "the season's key has the SHA-256 that was announced"
              : "this is not the season's key: its SHA-256 is another than the one given");
    return same ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}

static int make_key(const char *path) {
    gnt_err err = {""};
    if (gnt_season_key_make(path, &err) != 0)
        return cli_error("season", &err, GNT_EXIT_WRONG);
    return show(path, NULL);
}

int gnt_cmd_season(int argc, char **argv) {
    const char *key = NULL, *new_key = NULL, *expected = NULL;
    const cli_option known[] = {{.name = "new-key", .kind = CLI_TEXT, .to = &new_key},
                                {.name = "key", .kind = CLI_READ, .to = &key, .read = cli_read_key},
                                {.name = "sha256", .kind = CLI_TEXT, .to = &expected},
                                {0}};
    const cli_command command = {.name = "season", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 0 || !key == !new_key || (new_key && expected))
        return cli_wrong(&command, "expected --new-key FILE, or --key FILE [--sha256 HEX]");
    if (expected && (strlen(expected) != 64 || strspn(expected, "0123456789abcdefABCDEF") != 64))
        return cli_wrong(&command, "--sha256 takes 64 hexadecimal digits, not %.100s", expected);
    return new_key ? make_key(new_key) : show(key, expected);
}
