#include "cli/worker_blas.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "nn/kernels/blas_core.h"

void cli_start_with_worker_blas(int argc, char **argv) {
    const char *core = gnt_blas_core_choice();
    if (getenv("OPENBLAS_NUM_THREADS") && (!*core || getenv("OPENBLAS_CORETYPE")))
        return;
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) || (*core && setenv("OPENBLAS_CORETYPE", core, 1)))
        return;
    char name[] = "gauntlet", **all = gnt_array((size_t)argc + 2, sizeof *all);
    if (!all)
        return;
    all[0] = name;
    memcpy(all + 1, argv, (size_t)argc * sizeof *all);
    execv("/proc/self/exe", all);
    gnt_free(all); /* continues unchanged */
}
