/* spec: checks the specification of a search and bounds what it may cost. */
#include <math.h>

#include "match/match.h"

double gnt_match_relative(double none_utility, double share) {
    return none_utility * share;
}

double gnt_match_added(double public_utility, double none_utility, double share) {
    return public_utility + share * (none_utility - public_utility);
}

enum { MOST_COUNT = 10000 }; /* keeps every product of counts far from overflow */

static int check_counts(const gnt_match_spec *s, gnt_err *err) {
    const struct {
        const char *name;
        int value, least;
    } count[] = {{"the number of strengths to try", s->max_strengths, 1},
                 {"the number of seeds", s->seeds, 1},
                 {"the largest number of seeds", s->most_seeds, s->seeds},
                 {"the number of confirming seeds", s->confirm_seeds, 1},
                 {"the number of confirmations", s->confirmations, 1}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        if (count[i].value < count[i].least || count[i].value > MOST_COUNT)
            return gnt_fail(err, "%s is %d; a number from %d to %d is expected", count[i].name,
                            count[i].value, count[i].least, MOST_COUNT);
    return 0;
}

int gnt_match_check(const gnt_match_spec *s, gnt_err *err) {
    if (!isfinite(s->target))
        return gnt_fail(err, "the target utility is not a finite number");
    if (!(s->tolerance > 0) || isinf(s->tolerance))
        return gnt_fail(err, "the tolerance is %g; a number above 0 is expected", s->tolerance);
    if (check_counts(s, err) != 0)
        return -1;
    if (!s->has_strength)
        return 0;
    if (!isfinite(s->least) || !isfinite(s->most) || !isfinite(s->most - s->least) || s->least > s->most)
        return gnt_fail(err,
                        "the strength's range is %g to %g; two finite numbers in rising order are expected",
                        s->least, s->most);
    if (s->scale == GNT_MATCH_LOG && !(s->least > 0 && isfinite(s->most / s->least)))
        return gnt_fail(err, "the strength has a logarithmic scale from %g to %g: it must start above 0",
                        s->least, s->most);
    if (s->scale == GNT_MATCH_COMPLEMENT && (s->integer || !(s->most < 1)))
        return gnt_fail(err,
                        "the strength %g to %g has a scale of log(1 - p): it must be real and end below 1",
                        s->least, s->most);
    if (s->integer && (s->least != nearbyint(s->least) || s->most != nearbyint(s->most)))
        return gnt_fail(err, "the strength takes whole numbers, but its range is %g to %g", s->least,
                        s->most);
    for (int i = 0; i < s->n_listed; i++)
        if (!(s->listed[i] >= s->least && s->listed[i] <= s->most))
            return gnt_fail(err, "the strength %g is listed, outside the range %g to %g%s", s->listed[i],
                            s->least, s->most,
                            s->scale == GNT_MATCH_LOG ? ", whose scale is logarithmic" : "");
    if (!isnan(s->start) && !(s->start >= s->least && s->start <= s->most))
        return gnt_fail(err, "the search is to start at %g, outside the range %g to %g", s->start, s->least,
                        s->most);
    return 0;
}

int64_t gnt_match_most_trainings(const gnt_match_spec *s) {
    int64_t strengths = s->has_strength ? s->max_strengths : 1;
    if (s->n_listed > 0)
        return (int64_t)s->n_listed * s->seeds;
    return strengths * s->most_seeds + (int64_t)s->confirmations * gnt_match_most_confirming(s);
}

int gnt_match_most_seeds(const gnt_match_spec *s) {
    return s->most_seeds + s->confirmations * gnt_match_most_confirming(s);
}

int gnt_match_most_confirming(const gnt_match_spec *s) {
    return s->most_seeds > s->confirm_seeds ? s->most_seeds : s->confirm_seeds;
}
