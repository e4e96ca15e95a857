/* likely_search: what the attacks that search by the noise of each layer (whitening.h) share: their
 * parameters, and how their search is set up. */
#ifndef GRADIENT_LIKELY_SEARCH_H
#define GRADIENT_LIKELY_SEARCH_H

#include "search/invert.h"

/* Designators of their descriptors. */
extern const gnt_parameter likely_parameters[12];
extern const char *const likely_families[], *const region_families[];
#define LIKELY_COMMON(adapts_to)                                                                             \
    GNT_PARAMETERS(likely_parameters), .surfaces = GNT_SURFACE_UPDATE, .families = adapts_to,                \
                                       .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE,              \
                                       .instance_size = GNT_INSTANCE(invert)

#endif
