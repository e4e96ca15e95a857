/* world: what a suite needs to know of this machine: its plugins, its folders of models and data. Shared by the
 * commands that load suites. */
#ifndef GNT_CLI_WORLD_H
#define GNT_CLI_WORLD_H

#include "plugin/info.h"
#include "suite/suite.h"

enum { CLI_MODEL_FOLDERS = 4 };

typedef struct cli_world {
    gnt_plugin_list plugins;
    char *models[CLI_MODEL_FOLDERS]; /* NULL-terminated */
    gnt_suite_world suite;           /* points into the above */
} cli_world;

/* data, models, plugins: what --data, --models and --plugins said, or NULL. Close it after a failure too. */
int cli_world_open(cli_world *w, const char *data, const char *models, const char *plugins, gnt_err *err);
void cli_world_close(cli_world *w);

/* "--jobs": a whole number from 1 to 256; −1 when it is none. */
int cli_read_jobs(const char *text, int *jobs);
int cli_processors(void);

#endif
