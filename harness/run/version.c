/* Compiled with GNT_SOURCE as the Makefile says; alone, so that a new commit recompiles nothing else. */
#include "run/version.h"

#ifndef GNT_SOURCE
#define GNT_SOURCE "unknown"
#endif

const char *gnt_version_source(void) {
    return GNT_SOURCE;
}

const char *gnt_version_compiler(void) {
#if defined(__clang__)
    return __VERSION__;
#elif defined(__GNUC__)
    return "GCC " __VERSION__;
#else
    return "unknown";
#endif
}
