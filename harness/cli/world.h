/* world: what a suite needs to know of this machine: its plugins, its folders of models and data. Shared by the
 * commands that load suites. */
#ifndef GNT_CLI_WORLD_H
#define GNT_CLI_WORLD_H

#include "cli/args.h"
#include "plugin/info.h"
#include "run/sandbox.h"
#include "suite/suite.h"

enum { CLI_MODEL_FOLDERS = 4 };

typedef struct cli_world {
    gnt_plugin_list plugins;
    char *models[CLI_MODEL_FOLDERS]; /* NULL-terminated */
    gnt_suite_world suite;           /* points into the above */
} cli_world;

/* What --data (else GAUNTLET_DATA), --models and --plugins said, or NULL; and those three in a table of options. */
typedef struct cli_places {
    const char *data, *models, *plugins;
} cli_places;
#define CLI_PLACES(places)                                                                                   \
    {.name = "data", .kind = CLI_TEXT, .to = &(places)->data},                                               \
        {.name = "models", .kind = CLI_TEXT, .to = &(places)->models}, {                                     \
        .name = "plugins", .kind = CLI_TEXT, .to = &(places)->plugins                                        \
    }

/* walls: of the workers that describe plugins. Close it after a failure too. */
int cli_world_open(cli_world *w, const cli_places *places, const gnt_sandbox_wish *walls, gnt_err *err);
void cli_world_close(cli_world *w);

enum { CLI_MOST_JOBS = 256 };
/* The usual number of jobs at once. */
int cli_processors(void);

#endif
