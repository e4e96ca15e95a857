/* match_spec: the search that tests of matching begin from, and change. */
#ifndef GNT_TESTS_MATCH_SPEC_H
#define GNT_TESTS_MATCH_SPEC_H

#include <math.h>

#include "match/match.h"

static inline gnt_match_spec match_spec(void) {
    return (gnt_match_spec){.has_strength = 1,
                            .least = 1e-5,
                            .most = 10,
                            .scale = GNT_MATCH_LOG,
                            .start = NAN,
                            .target = 0.7,
                            .tolerance = 0.02,
                            .max_strengths = 12,
                            .seeds = 2,
                            .most_seeds = 6,
                            .confirm_seeds = 1,
                            .confirmations = 3};
}

#endif
