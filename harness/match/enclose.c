/* enclose: strengths for a list (listed.c), so that several targets lie between them. */
#include <math.h>

#include "match/level_impl.h"

static int has(const double *strength, size_t n, double x) {
    for (size_t i = 0; i < n; i++)
        if (strength[i] == x)
            return 1;
    return 0;
}

/* Adds a strength, unless it is NaN or there already, at its place from weak to strong. */
static void add(double *strength, size_t *n, const gnt_match_spec *spec, double x) {
    size_t at = *n;
    if (isnan(x) || has(strength, *n, x))
        return;
    for (; at > 0 && gnt_match_place(spec, strength[at - 1]) > gnt_match_place(spec, x); at--)
        strength[at] = strength[at - 1];
    strength[at] = x;
    ++*n;
}

/* Adds those on either side of a target; on a side without any, the strength that its search ended at. */
static int add_sides(double *strength, size_t *n, const gnt_match_sought *of, gnt_err *err) {
    gnt_match_next_step step;
    double side[2];
    if (gnt_match_next(&step, &of->spec, of->history, of->n, err) != 0)
        return -1;
    for (int stronger = 0; stronger < 2 && !isnan(step.strength); stronger++) {
        if (gnt_match_bracket(&side[stronger], &of->spec, of->history, of->n, step.strength, stronger, 0,
                              err) != 0)
            return -1;
        add(strength, n, &of->spec, isnan(side[stronger]) ? step.strength : side[stronger]);
    }
    return 0;
}

/* Returns a strength a bracket's width weaker than the weakest. */
static double weaker(const gnt_match_spec *spec, double strength) {
    const double end = gnt_match_end(spec, 0);
    const double place = gnt_match_place(spec, strength) - gnt_match_most_distance(spec);
    const double x = place > 0 ? gnt_match_between(spec, end, strength, place) : end;
    return isnan(x) ? end : x;
}

/* Returns the middle of the widest gap between neighbours that has one; of a lone strength, of the gap to the
 * farther end. NaN if there is none. */
static double middle(const gnt_match_spec *spec, const double *strength, size_t n) {
    double widest = 0, found = NAN;
    const int alone = n == 1, to_weak = alone && gnt_match_place(spec, strength[0]) > 0.5;
    for (size_t i = 0; i + 1 < n || (alone && i == 0); i++) {
        const double from = to_weak ? gnt_match_end(spec, 0) : strength[i];
        const double to = to_weak ? strength[0] : alone ? gnt_match_end(spec, 1) : strength[i + 1];
        const double a = gnt_match_place(spec, from), b = gnt_match_place(spec, to);
        const double x = gnt_match_between(spec, from, to, (a + b) / 2);
        if (isnan(x) || !(b - a > widest))
            continue;
        widest = b - a;
        found = x;
    }
    return found;
}

int gnt_match_enclose(double *out, size_t *n, size_t wanted, const gnt_match_sought *of, size_t n_of,
                      gnt_err *err) {
    *n = 0;
    for (size_t i = 0; i < n_of; i++)
        if (add_sides(out, n, &of[i], err) != 0)
            return -1;
    if (*n == 0)
        return gnt_fail(err, "no strength was tried");
    if (*n < wanted)
        add(out, n, &of[0].spec, weaker(&of[0].spec, out[0]));
    for (double x; *n < wanted && !isnan(x = middle(&of[0].spec, out, *n));)
        add(out, n, &of[0].spec, x);
    return 0;
}
