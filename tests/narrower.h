/* narrower: a unit test's program once more with narrower vectors, so that the kernels of every instruction
 * set are tested that this processor has. */
#ifndef GNT_TESTS_NARROWER_H
#define GNT_TESTS_NARROWER_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nn/kernels/cpu.h"

/* Runs this program with GAUNTLET_VECTORS=256 where kernels used wider vectors and `failed`, its exit code so
 * far, is 0. Returns the exit code of both. */
static int narrower_too(int failed) {
    int status = 0;
    if (failed || gnt_cpu_vectors() <= 256)
        return failed;
    pid_t child = fork();
    if (child == 0) {
        setenv("GAUNTLET_VECTORS", "256", 1);
        setenv("OPENBLAS_CORETYPE", "Haswell", 1);
        execl("/proc/self/exe", "narrower", (char *)NULL);
        _exit(1);
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

#endif
