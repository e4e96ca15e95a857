#include "run/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "nn/conv/dnnl.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/blas_core.h"
#include "nn/kernels/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
void gnt_run_cpu_name(char name[GNT_CPU_NAME]) {
    unsigned word[12] = {0};
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &word[4 * i], &word[4 * i + 1], &word[4 * i + 2], &word[4 * i + 3]);
    memcpy(name, word, 48);
    name[48] = 0;
}
#else
void gnt_run_cpu_name(char name[GNT_CPU_NAME]) {
    snprintf(name, GNT_CPU_NAME, "unknown");
}
#endif

char *gnt_run_identity(gnt_digest *program, gnt_err *err) {
    char hex[GNT_HEX_SIZE], cpu[GNT_CPU_NAME], dnnl[64];
    const char *choice = getenv("GAUNTLET_CONV");
    if (gnt_digest_file("/proc/self/exe", program, err) != 0 || gnt_blas_open(err) != 0)
        return NULL;
    gnt_digest_hex(program, hex);
    gnt_run_cpu_name(cpu);
    char *text = gnt_format("host %s; cpu %s; blas %s; core %s; vectors %d; conv %s %s; threads 1", hex, cpu,
                            gnt_blas_config(), gnt_blas_core_choice(), gnt_cpu_vectors(),
                            gnt_dnnl_version(dnnl), choice ? choice : "");
    if (!text)
        gnt_fail(err, "out of memory");
    return text;
}
