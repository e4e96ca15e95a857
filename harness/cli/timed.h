/* timed: runs jobs of a run in turns by this build and another, for `gauntlet check --time`. */
#ifndef GNT_CLI_TIMED_H
#define GNT_CLI_TIMED_H

#include "gate/gate.h"

typedef struct cli_timing {
    const char *folder; /* of the run */
    const char *other;  /* the program of the other build */
    const char *data, *models, *plugins, *key;
    size_t rounds;
    int quiet;
} cli_timing;

typedef struct cli_timed {
    gnt_gate_timed *timed; /* points into `seconds` and into the results */
    size_t n;
    double *seconds;
} cli_timed;

/* Times one job for each attack and one training for each defense, from the first cell that is ok in both
 * runs. The caller frees, after a failure too. */
int cli_time_builds(cli_timed *t, const cli_timing *how, const gnt_results *now, const gnt_results *before,
                    gnt_err *err);
void cli_timed_free(cli_timed *t);

#endif
