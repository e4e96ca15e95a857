#include "nn/kernels/blas_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nn/kernels/blas.h"
#include "nn/kernels/cpu.h"

/* Returns the vector width in bits of the kernels of an x86 core type; 0: unknown. Names as in OpenBLAS's
 * driver/others/dynamic.c. */
static int bits_of(const char *core) {
    static const struct {
        const char *name;
        int bits;
    } known[] = {{"SapphireRapids", 512}, {"Cooperlake", 512},   {"SkylakeX", 512},
                 {"Haswell", 256},        {"Zen", 256},          {"Excavator", 256},
                 {"Steamroller", 256},    {"Piledriver", 256},   {"Bulldozer", 256},
                 {"Sandybridge", 256},    {"Nehalem", 128},      {"Prescott", 128},
                 {"Core2", 128},          {"Penryn", 128},       {"Dunnington", 128},
                 {"Katmai", 128},         {"Coppermine", 128},   {"Northwood", 128},
                 {"Banias", 128},         {"Atom", 128},         {"Athlon", 128},
                 {"Opteron", 128},        {"Opteron_SSE3", 128}, {"Barcelona", 128},
                 {"Bobcat", 128},         {"Nano", 128}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(core, known[i].name) == 0)
            return known[i].bits;
    return 0;
}

/* Returns a core type whose vectors are as wide as those of the other kernels where OpenBLAS chose one with
 * narrower or wider ones, or "". OpenBLAS 0.3.21 falls back to Haswell or
 * even Prescott (SSE3) where it does not know the model. */
static const char *suitable_core(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    const char *chosen = gnt_blas_core();
    const int is_prescott = strcmp(chosen, "Prescott") == 0;
    if (bits_of(chosen) > gnt_cpu_vectors()) /* GAUNTLET_VECTORS */
        return gnt_cpu_has_avx2() ? "Haswell" : "Prescott";
    if (!is_prescott && !(strcmp(chosen, "Haswell") == 0 && __builtin_cpu_is("intel")))
        return "";
    if (gnt_cpu_has_avx512())
        return "SkylakeX";
    if (is_prescott && gnt_cpu_has_avx2())
        return "Haswell";
#endif
    return "";
}

const char *gnt_blas_core_choice(void) {
    const char *requested = getenv("OPENBLAS_CORETYPE");
    if (requested && *requested && !bits_of(requested)) /* OpenBLAS would ignore it, and choose by itself */
        requested = NULL;
    return requested ? requested : suitable_core();
}

int gnt_blas_core_is_below(const char *core, int bits, char text[GNT_BLAS_CORE_TEXT]) {
    int requested = bits_of(core);
    text[0] = 0;
    if (requested == 0 || requested >= bits)
        return 0;
    snprintf(text, GNT_BLAS_CORE_TEXT,
             "OPENBLAS_CORETYPE=%s makes OpenBLAS compute with vectors of %d bits, and this CPU has %d: "
             "unset it, or "
             "times are not this machine's",
             core, requested, bits);
    return 1;
}

int gnt_blas_core_is_forced_down(char text[GNT_BLAS_CORE_TEXT]) {
    const char *requested = getenv("OPENBLAS_CORETYPE");
    text[0] = 0;
    if (!requested || !*requested)
        return 0;
    if (!bits_of(requested)) {
        snprintf(text, GNT_BLAS_CORE_TEXT,
                 "OPENBLAS_CORETYPE=%.40s is no core type that OpenBLAS knows, and is ignored: unset it, or "
                 "name one, such as Haswell",
                 requested);
        return 0;
    }
    return gnt_blas_core_is_below(requested, gnt_cpu_vectors(), text);
}
