/* The statuses of a cell in words. */
#include "run/run_impl.h"

const char *run_status_name(run_status status) {
    static const char *const names[] = {"unfinished", "ok", "n/a", "failed", "crashed", "timeout"};
    return names[status];
}

int run_is_bad(run_status status) {
    return status != RUN_CELL_UNFINISHED && status != RUN_CELL_OK && status != RUN_CELL_NA;
}
