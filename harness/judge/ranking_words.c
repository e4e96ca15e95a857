/* Sentences that describe a ranking. */
#include <math.h>

#include "metric/compare.h"
#include "judge/ranking.h"

const char *gnt_utility_words(gnt_group_kind kind, int saturated, const gnt_leak_place *place) {
    if (kind == GNT_GROUP_MATCHED && saturated && !place->at_target)
        return "saturated";
    if (kind == GNT_GROUP_UNMATCHED && place->at_target)
        return "matched by its curve";
    return gnt_group_kind_name(kind);
}

static const char *state_words(const gnt_rank_row *s) {
    switch (s->state) {
    case GNT_RANKED_AS_NONE:
        return "not surely less than undefended";
    case GNT_RANKED_UNMET:
        return "leaks more than the others, no adaptive attack yet";
    case GNT_UNRANKED_MARKED:
        return "marked by the host";
    case GNT_UNRANKED_PUBLIC:
        return "no better than public data";
    case GNT_UNRANKED_INADEQUATE:
        return "no verdict";
    case GNT_UNRANKED_FEW:
        return "too few training runs";
    case GNT_UNRANKED_UNMET:
        return "no adaptive attack yet";
    case GNT_UNRANKED_LACKING:
        return "an attack gave no number";
    case GNT_UNRANKED_GUESS:
        return "no verdict, its number is of many rows";
    case GNT_UNRANKED_UNMATCHED:
        return s->kind != GNT_GROUP_AS_IS ? ""
               : isnan(s->place.surplus)  ? "no target utility to compare it at"
                                          : "less useful than the target";
    default:
        return "";
    }
}

static int is_unmet(gnt_rank_state state) {
    return state == GNT_UNRANKED_UNMET || state == GNT_RANKED_UNMET;
}

void gnt_rank_row_say(const gnt_rank_row *s, gnt_text *out) {
    const char *state = state_words(s);
    gnt_text_add(out, "%s%s%s", gnt_utility_words(s->kind, s->saturated, &s->place), *state ? ", " : "",
                 state);
    if (is_unmet(s->state) && s->unmet.what && s->unmet.kind != GNT_DUTY_FAMILY) {
        gnt_text_add(out, ": ");
        gnt_duty_say(&s->unmet, out);
    } else if (gnt_has_rank(s->state) && s->shown.what) {
        gnt_text_add(out, "; ");
        gnt_duty_say(&s->shown, out);
    }
    if (s->worst && s->worst->silent > 0)
        gnt_text_add(
            out, "; %lld observations of nothing, which count as guesses only where nothing else was sent",
            (long long)s->worst->silent);
}

int gnt_is_as_undefended(gnt_rank_state state, const gnt_leak_place *place) {
    return state == GNT_RANKED_AS_NONE && place->rank == 1;
}

void gnt_rank_write(gnt_rank_state state, const gnt_leak_place *place, gnt_text *out) {
    if (gnt_is_as_undefended(state, place))
        gnt_text_add(out, "as undefended");
    else
        gnt_text_add(out, "%s%d", place->tied ? "=" : "", place->rank);
}

const char *gnt_tie_words(gnt_tie tie) {
    static const char *const words[] = {
        [GNT_NOT_TIED] = "",
        [GNT_TIED_BY_CHANCE] = "the difference is not statistically significant",
        [GNT_TIED_BY_UTILITY] = "the one that leaks less left less utility",
        [GNT_TIED_BY_BOTH] =
            ("differences are not statistically significant, or the one that leaks less left less utility")};
    return words[tie];
}

static void say_inadequate(const gnt_results *r, const char *task, const gnt_measure *m,
                           const gnt_adequacy *a, gnt_text *out) {
    if (a->state == GNT_ADEQUACY_UNKNOWN) {
        gnt_text_add(
            out, "no verdict: no attack was run without a defense, so nothing is known about the attacks");
        return;
    }
    gnt_text_add(out, "no verdict: no attack succeeds without a defense (required: ");
    gnt_adequacy_write(r, task, m, out);
    gnt_text_add(out, "; best: %s, %s ", a->best->attack, m->title);
    gnt_measure_write(m, &gnt_number_of(a->best, m->name)->stat, out);
    gnt_next_to_write(a->best, m, out);
    gnt_text_add(out, ")");
}

void gnt_ranking_say_none(const gnt_results *r, const char *task, const gnt_measure *m,
                          const gnt_ranking *ranking, gnt_text *out) {
    const gnt_rank_row *first = ranking->n ? &ranking->row[0] : NULL;
    switch (first ? first->state : GNT_UNRANKED_NO_NUMBER) {
    case GNT_UNRANKED_INADEQUATE:
        say_inadequate(r, task, m, &ranking->adequacy, out);
        break;
    case GNT_UNRANKED_FEW:
        gnt_text_add(out, "not ranked: %zu training run%s; a rank takes %d", first->trainings,
                     first->trainings == 1 ? "" : "s", GNT_METRIC_COMPARE_LEAST);
        break;
    case GNT_UNRANKED_UNMET:
        gnt_text_add(out, "not ranked: no adaptive attack on %s yet: ", first->defense);
        gnt_duty_say(&first->unmet, out);
        break;
    case GNT_UNRANKED_LACKING:
        gnt_text_add(out, "not ranked: no matched defense has a number for every attack");
        break;
    case GNT_UNRANKED_GUESS:
        gnt_text_add(out, "not ranked: guesses alone are right more often than without a defense");
        break;
    case GNT_UNRANKED_PUBLIC:
        gnt_text_add(out, "not ranked: no matched defense is more useful than public data alone");
        break;
    default:
        gnt_text_add(out, "not ranked: no eligible defense reached the target utility");
    }
}
