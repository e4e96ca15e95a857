/* The parameter's own scale: places 0 … 1 from the weakest to the strongest setting, and readable numbers on
 * it. */
#include "match/level_impl.h"

#include <math.h>
#include <stdlib.h>

/* Below this part of the scale two settings count as one: a bracket is not split further. */
static const double finest = 1e-6;

double gnt_match_end(const gnt_match_spec *spec, int strongest) {
    if (!spec->has_strength)
        return 0;
    return !strongest == !spec->smaller_is_stronger ? spec->least : spec->most;
}

double gnt_match_place(const gnt_match_spec *spec, double strength) {
    if (!spec->has_strength || spec->least == spec->most)
        return 0;
    double x = spec->scale == GNT_MATCH_LOG ? log(strength / spec->least) / log(spec->most / spec->least)
               : spec->scale == GNT_MATCH_COMPLEMENT
                   ? log((1 - strength) / (1 - spec->least)) / log((1 - spec->most) / (1 - spec->least))
                   : (strength - spec->least) / (spec->most - spec->least);
    return spec->smaller_is_stronger ? 1 - x : x;
}

static double unrounded(const gnt_match_spec *spec, double place) {
    double x = spec->smaller_is_stronger ? 1 - place : place;
    if (spec->scale == GNT_MATCH_LOG)
        return spec->least * exp(x * log(spec->most / spec->least));
    if (spec->scale == GNT_MATCH_COMPLEMENT)
        return 1 - (1 - spec->least) * exp(x * log((1 - spec->most) / (1 - spec->least)));
    return spec->least + x * (spec->most - spec->least);
}

/* Rounds to a multiple of 10^exponent, by way of whole numbers, so that 0.3 is the double that people mean by
 * 0.3. */
static double to_decimal(double x, int exponent) {
    if (exponent < -300 || exponent > 300)
        return x;
    double unit = pow(10, abs(exponent));
    return exponent < 0 ? nearbyint(x * unit) / unit : nearbyint(x / unit) * unit;
}

static double readable(const gnt_match_spec *spec, double x) {
    if (spec->integer)
        return nearbyint(x);
    double size = spec->scale == GNT_MATCH_LOG          ? fabs(x)
                  : spec->scale == GNT_MATCH_COMPLEMENT ? 1 - x
                                                        : spec->most - spec->least;
    int digits = spec->scale == GNT_MATCH_LINEAR ? 4 : 3;
    return size > 0 ? to_decimal(x, (int)floor(log10(size)) - digits) : x;
}

static double clamp(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

double gnt_match_first(const gnt_match_spec *spec) {
    if (!spec->has_strength)
        return 0;
    double x = isnan(spec->start) ? unrounded(spec, 0.5) : spec->start;
    return clamp(isnan(spec->start) || spec->integer ? readable(spec, x) : x, spec->least, spec->most);
}

double gnt_match_between(const gnt_match_spec *spec, double weaker, double stronger, double place) {
    double low = fmin(weaker, stronger), high = fmax(weaker, stronger);
    double from = gnt_match_place(spec, weaker), to = gnt_match_place(spec, stronger);
    if (spec->integer) {
        double x = clamp(readable(spec, unrounded(spec, place)), low + 1, high - 1);
        return low < x && x < high ? x : NAN;
    }
    if (to - from < finest)
        return NAN;
    double tries[3] = {readable(spec, unrounded(spec, place)),
                       readable(spec, unrounded(spec, (from + to) / 2)), unrounded(spec, (from + to) / 2)};
    for (int i = 0; i < 3; i++)
        if (low < tries[i] && tries[i] < high)
            return tries[i];
    return NAN;
}
