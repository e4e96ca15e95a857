/* paths: the options for the folders of plugins, models and data. */
#ifndef GNT_CLI_PATHS_H
#define GNT_CLI_PATHS_H

#include "cli/args.h"

/* The values of --data (else GAUNTLET_DATA), --models, --plugins and --key, or NULL; and the first three in a
 * table of options. */
typedef struct cli_paths {
    const char *data, *models, *plugins, *key;
} cli_paths;
#define CLI_PATHS(paths)                                                                                     \
    {.name = "data", .kind = CLI_FOLDER, .to = &(paths)->data},                                              \
        {.name = "models", .kind = CLI_FOLDER, .to = &(paths)->models}, {                                    \
        .name = "plugins", .kind = CLI_FOLDER, .to = &(paths)->plugins                                       \
    }

/* Reads --key into a const char *: a file with a run key, which is checked. */
int cli_read_key(void *to, char *text);
/* Reads --season-key, the same for the key of a leaderboard's season. */
int cli_read_season_key(void *to, char *text);
/* --key in the options of a command that reads finished runs. */
#define CLI_KEY(paths)                                                                                       \
    { .name = "key", .kind = CLI_READ, .to = &(paths)->key, .read = cli_read_key }
/* --season-key in the options of a command that makes a board; to: a const char **. */
#define CLI_SEASON_KEY(to_file)                                                                              \
    { .name = "season-key", .kind = CLI_READ, .to = (to_file), .read = cli_read_season_key }

#endif
