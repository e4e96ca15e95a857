/* listed: no search, but training runs at listed strengths alone, between which the target is read. */
#include <math.h>

#include "match/level_impl.h"

/* Returns the listed strength next to `strength`, which is NaN for the weakest of all; NaN if there is
 * none. */
static double next_stronger(const gnt_match_spec *s, double strength) {
    const double from = isnan(strength) ? -1 : gnt_match_place(s, strength);
    double best = NAN, place = INFINITY;
    for (int i = 0; i < s->n_listed; i++) {
        const double p = gnt_match_place(s, s->listed[i]);
        if (p > from && p < place) {
            place = p;
            best = s->listed[i];
        }
    }
    return best;
}

double gnt_match_listed_beyond(const gnt_match_spec *spec, double strength) {
    return next_stronger(spec, strength);
}

static int is_above(const gnt_match_level *l) {
    return l && !l->broken && l->n > 0 && l->gap >= 0;
}

static int is_below(const gnt_match_level *l) {
    return l && !l->broken && l->n > 0 && l->gap < 0;
}

void gnt_match_read_curve(gnt_match_next_step *out, const gnt_match_spec *s, const gnt_match_view *v) {
    const gnt_match_level *found = NULL, *last = NULL;
    for (double at = next_stronger(s, NAN); !isnan(at); at = next_stronger(s, at)) {
        const gnt_match_level *l = gnt_match_level_at(v, at);
        if (!l || l->searched < s->seeds) {
            out->what = GNT_MATCH_EVALUATE;
            out->strength = at;
            out->n_seeds = s->seeds;
            return;
        }
        if (!found && is_above(last) && is_below(l))
            found = last;
        last = l;
    }
    out->what = found ? GNT_MATCH_MATCHED : GNT_MATCH_UNMATCHED;
    out->reason = found ? GNT_MATCH_NO_REASON : GNT_MATCH_NOT_PASSED;
    if (!found) /* the nearest, for the report */
        for (int i = 0; i < v->n_levels; i++)
            if (!v->level[i].broken && v->level[i].n > 0 &&
                (!found || fabs(v->level[i].gap) < fabs(found->gap)))
                found = &v->level[i];
    if (found) {
        out->strength = found->strength;
        out->utility = found->mean;
        out->error = found->error;
    }
}
