/* places: where the user says that plugins, models and data are. */
#ifndef GNT_CLI_PLACES_H
#define GNT_CLI_PLACES_H

#include "cli/args.h"

/* What --data (else GAUNTLET_DATA), --models and --plugins said, or NULL; and those
 * three in a table of options. */
typedef struct cli_places {
    const char *data, *models, *plugins;
} cli_places;
#define CLI_PLACES(places)                                                                                   \
    {.name = "data", .kind = CLI_TEXT, .to = &(places)->data},                                               \
        {.name = "models", .kind = CLI_TEXT, .to = &(places)->models}, {                                     \
        .name = "plugins", .kind = CLI_TEXT, .to = &(places)->plugins                                        \
    }

/* Of the commands that hold a results.json against its suite (held.h). */
#define CLI_PLACES_HELP                                                                                      \
    "  --plugins DIR      one more folder of plugins: those known here are held against what the run says\n" \
    "  --models DIR       one more folder of model files\n"                                                  \
    "  --data DIR         where data files are (the environment variable GAUNTLET_DATA)\n"

#endif
