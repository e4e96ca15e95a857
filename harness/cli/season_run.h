/* season_run: runs a submission again, whole, under the secret key of a season, for `accept`: the same data,
 * training, searches and attacks, with draws that its author could not know. */
#ifndef GNT_CLI_SEASON_RUN_H
#define GNT_CLI_SEASON_RUN_H

#include <stddef.h>

#include "base/err.h"
#include "cli/paths.h"
#include "process/sandbox.h"

enum { CLI_MOST_LABELS = 64 };

typedef struct cli_season_run {
    const char *submission, *board; /* folders */
    const cli_paths *paths;
    const char *key; /* file of the season's key */
    /* labels of the defenses to run, in addition to no defense; none: all of the submission */
    const char *defense[CLI_MOST_LABELS];
    size_t n_defense;
    int jobs;
    gnt_sandbox_options sandbox;
} cli_season_run;

typedef enum cli_season_end {
    CLI_SEASON_DONE,
    CLI_SEASON_FAILED,     /* with a sentence */
    CLI_SEASON_INTERRUPTED /* the same call goes on */
} cli_season_end;

/* Runs it in a folder of its own in BOARD/runs, *folder, which the caller frees, and goes on there after an
 * interruption. The submission was checked before. */
cli_season_end cli_season_run_submission(const cli_season_run *s, char **folder, gnt_err *err);

#endif
