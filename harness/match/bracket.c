/* bracket: a strength on either side of the one that a search found. */
#include <math.h>

#include "match/level_impl.h"

/* Far enough that the target lies between the two although the search is no surer than a tolerance and a
 * half, near enough that leakage is about linear in utility between them. In tolerances. */
static const double distance = 1.5;

/* And no farther than this from the matched strength: where utility has settled at that of no defense,
 * leakage still moves, and a line between such strengths means little. */
static const double most_ratio = 4, most_linear = 0.25;

/* Unless the target would not lie between the two then: they have to be on either side of it by this much, in
 * tolerances, where the search knows such strengths. */
static const double least_distance = 0.5;

double gnt_match_most_distance(const gnt_match_spec *spec) {
    switch (spec->scale) {
    case GNT_MATCH_LOG:
        return log(most_ratio) / log(spec->most / spec->least);
    case GNT_MATCH_COMPLEMENT:
        return log(most_ratio) / log((1 - spec->least) / (1 - spec->most));
    default:
        return most_linear;
    }
}

/* Returns where the means of the search, made monotone, cross a gap to the target: between two levels, by
 * linear interpolation in place. NAN without such levels. */
static double place_of_gap(const gnt_match_view *v, double gap) {
    for (int i = 0; i + 1 < v->n_levels; i++) {
        const gnt_match_level *a = &v->level[i], *b = &v->level[i + 1];
        if (a->fitted >= gap && b->fitted < gap)
            return a->place + (b->place - a->place) * (a->fitted - gap) / (a->fitted - b->fitted);
    }
    return NAN;
}

/* Returns the nearest place at which the target has been passed, or the end of the scale. */
static double place_of_pass(const gnt_match_view *v, double distance_of_side, int stronger) {
    const double place = place_of_gap(v, distance_of_side), at_target = place_of_gap(v, 0);
    return !isnan(place) ? place : !isnan(at_target) ? at_target : stronger;
}

/* Returns the place of the level next to a place, or the end of the scale. */
static double next_place(const gnt_match_view *v, double place, int stronger) {
    double next = stronger;
    for (int i = 0; i < v->n_levels; i++) {
        const double p = v->level[i].place;
        if (stronger ? p > place && p < next : p < place && p > next)
            next = p;
    }
    return next;
}

int gnt_match_bracket(double *out, const gnt_match_spec *spec, const gnt_match_point *history, size_t n,
                      double strength, int stronger, int within_fourfold, gnt_err *err) {
    gnt_match_view v;
    *out = NAN;
    if (spec->n_listed > 0) {
        *out = stronger ? gnt_match_listed_beyond(spec, strength) : NAN;
        return 0;
    }
    if (gnt_match_check(spec, err) != 0 || gnt_match_view_make(&v, spec, history, n, 1, err) != 0)
        return -1;
    const double end = gnt_match_end(spec, stronger), here = gnt_match_place(spec, strength);
    const double side = (stronger ? -1 : 1) * spec->tolerance, most = gnt_match_most_distance(spec);
    const double passed = place_of_pass(&v, least_distance * side, stronger);
    double place = place_of_gap(&v, distance * side);
    if (isnan(place))
        place = stronger;
    if (stronger ? place <= here : place >= here) /* the matched strength is that far off itself */
        place = (here + next_place(&v, here, stronger)) / 2;
    gnt_match_view_free(&v);
    if (stronger)
        place = fmin(place, within_fourfold ? here + most : fmax(here + most, passed));
    else
        place = fmax(place, within_fourfold ? here - most : fmin(here - most, passed));
    if (!spec->has_strength || end == strength)
        return 0;
    if (place == stronger) {
        *out = end;
        return 0;
    }
    *out = gnt_match_between(spec, stronger ? strength : end, stronger ? end : strength, place);
    if (isnan(*out))
        *out = end;
    return 0;
}
