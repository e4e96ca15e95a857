/* What numbers depend on besides the inputs: this program's bytes, the CPU, the BLAS, oneDNN. Part of every store
 * key. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nn/conv/dnnl.h"
#include "nn/kernels/blas_core.h"
#include "run/run_impl.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
void run_cpu_name(char name[49]) {
    unsigned word[12] = {0};
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &word[4 * i], &word[4 * i + 1], &word[4 * i + 2], &word[4 * i + 3]);
    memcpy(name, word, 48);
    name[48] = 0;
}
#else
void run_cpu_name(char name[49]) {
    snprintf(name, 49, "unknown");
}
#endif

char *run_identity(gnt_err *err) {
    gnt_digest d;
    char hex[GNT_HEX_SIZE], cpu[49], dnnl[64];
    const char *choice = getenv("GAUNTLET_CONV");
    if (gnt_digest_file("/proc/self/exe", &d, err) != 0)
        return NULL;
    gnt_digest_hex(&d, hex);
    run_cpu_name(cpu);
    char *text = gnt_format("host %s; cpu %s; blas %s; core %s; conv %s %s; threads 1", hex, cpu,
                            openblas_get_config(), gnt_blas_core_choice(), gnt_dnnl_version(dnnl),
                            choice ? choice : "");
    if (!text)
        gnt_fail(err, "out of memory");
    return text;
}
