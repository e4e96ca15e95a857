/* kept: the suite that the folder of a run keeps, at the scale that its results name, and its plan. */
#ifndef GNT_CLI_KEPT_H
#define GNT_CLI_KEPT_H

#include "cli/world.h"
#include "suite/plan.h"

typedef struct cli_kept {
    cli_world world;
    char *scale;
    gnt_suite suite;
    gnt_plan plan;
} cli_kept;

/* Close it after a failure too. */
int cli_kept_open(cli_kept *k, const char *folder, const cli_places *places, const gnt_sandbox_wish *walls,
                  gnt_err *err);
void cli_kept_close(cli_kept *k);

#endif
