/* paths: the options for the folders of plugins, models and data. */
#ifndef GNT_CLI_PATHS_H
#define GNT_CLI_PATHS_H

#include "cli/args.h"

/* The values of --data (else GAUNTLET_DATA), --models and --plugins, or NULL; and these three in a table of
 * options. */
typedef struct cli_paths {
    const char *data, *models, *plugins;
} cli_paths;
#define CLI_PATHS(paths)                                                                                     \
    {.name = "data", .kind = CLI_FOLDER, .to = &(paths)->data},                                              \
        {.name = "models", .kind = CLI_FOLDER, .to = &(paths)->models}, {                                    \
        .name = "plugins", .kind = CLI_FOLDER, .to = &(paths)->plugins                                       \
    }

#endif
