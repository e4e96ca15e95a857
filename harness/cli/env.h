/* env: the plugins and the folders of models and data of this machine, for commands that load suites. */
#ifndef GNT_CLI_ENV_H
#define GNT_CLI_ENV_H

#include "cli/paths.h"
#include "plugin/info.h"
#include "process/sandbox.h"
#include "suite/suite.h"

enum { CLI_MODEL_FOLDERS = 4 };

typedef struct cli_env {
    gnt_plugin_list plugins;
    char *models[CLI_MODEL_FOLDERS]; /* NULL-terminated */
    char *lists[CLI_MODEL_FOLDERS];  /* of lists of attacks, likewise */
    gnt_suite_env suite;             /* points into the above */
} cli_env;

/* Calls gnt_list_plugins; prints a note if the folder of --plugins has no plugins. */
int cli_list_plugins(gnt_plugin_list *out, const char *folder, const gnt_sandbox_options *sandbox,
                     gnt_err *err);
/* Opens the environment. sandbox: of the workers that describe plugins. Close it after a failure too. */
int cli_env_open(cli_env *w, const cli_paths *paths, const gnt_sandbox_options *sandbox, gnt_err *err);
void cli_env_close(cli_env *w);

/* Lists the model folders, NULL-terminated: `given` (--models) or models/, then those next to the program as
 * built and as installed. Free them with cli_free_models. */
void cli_find_models(char *folder[CLI_MODEL_FOLDERS], const char *given);
void cli_free_models(char *folder[CLI_MODEL_FOLDERS]);

/* Lists the folders of lists of attacks: suites/standard, and those next to the program. Free as above. */
void cli_find_lists(char *folder[CLI_MODEL_FOLDERS]);

/* Finds the path of a suite: `given` if it exists or is "-"; else that of the suite of this name in suites/,
 * or next to the program as built or installed. The caller frees *path. Fails if there is none, with the name
 * of one that is written much the same. */
int cli_find_suite(char **path, const char *given, gnt_err *err);

/* Returns the folder of that name next to the program as built or as installed. The caller frees; NULL:
 * there is none. */
char *cli_find_shared(const char *name);

int cli_is_folder(const char *path);
/* Returns the results.json of a run folder, or the path itself. The caller frees; NULL: out of memory. */
char *cli_results_of(const char *path);

/* Returns the run folder that a word of the command line names: `word`, or the folder of its results.json,
 * for which the word is cut. */
const char *cli_run_of(char *word);

enum { CLI_MOST_JOBS = 256 };
/* Returns the default number of concurrent jobs. */
int cli_processors(void);

#endif
