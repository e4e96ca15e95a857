/* world: what a suite needs to know of this machine: its plugins, its folders of models and data. Shared by
 * the commands that load suites. */
#ifndef GNT_CLI_WORLD_H
#define GNT_CLI_WORLD_H

#include "cli/places.h"
#include "plugin/info.h"
#include "process/sandbox.h"
#include "suite/suite.h"

enum { CLI_MODEL_FOLDERS = 4 };

typedef struct cli_world {
    gnt_plugin_list plugins;
    char *models[CLI_MODEL_FOLDERS]; /* NULL-terminated */
    gnt_suite_world suite;           /* points into the above */
} cli_world;

/* gnt_list_plugins; a line on stderr says where a folder that --plugins named holds none. */
int cli_list_plugins(gnt_plugin_list *out, const char *folder, const gnt_sandbox_wish *walls, gnt_err *err);
/* walls: of the workers that describe plugins. Close it after a failure too. */
int cli_world_open(cli_world *w, const cli_places *places, const gnt_sandbox_wish *walls, gnt_err *err);
void cli_world_close(cli_world *w);

enum { CLI_MOST_JOBS = 256 };
/* The usual number of jobs at once. */
int cli_processors(void);

#endif
