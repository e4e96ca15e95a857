/* Sentences that describe a ranking. */
#include "metric/compare.h"
#include "judge/ranking.h"

const char *gnt_rank_row_words(const gnt_rank_row *s) {
    static const char *const marked[] = {
        "undefended, marked by the host",     "matched, marked by the host",  "unmatched, marked by the host",
        "fixed strength, marked by the host", "as it is, marked by the host", "sweep"};
    switch (s->state) {
    case GNT_UNRANKED_MARKED:
        return marked[s->kind];
    case GNT_UNRANKED_PUBLIC:
        return "matched, no better than public data";
    case GNT_UNRANKED_INADEQUATE:
        return "matched, no verdict";
    case GNT_UNRANKED_FEW:
        return "matched, too few training runs";
    case GNT_UNRANKED_UNMET:
        return "matched, no adaptive attack yet";
    case GNT_UNRANKED_LACKING:
        return "matched, an attack gave no number";
    default:
        return gnt_group_kind_name(s->kind);
    }
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
    gnt_identified_write(a->best, m, out);
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
        gnt_text_add(out, "not ranked: no adaptive attack on %s yet, one that knows its %s", first->defense,
                     *first->unmet.family ? first->unmet.family : "mechanism");
        break;
    case GNT_UNRANKED_LACKING:
        gnt_text_add(out, "not ranked: no matched defense has a number for every attack");
        break;
    case GNT_UNRANKED_PUBLIC:
        gnt_text_add(out, "not ranked: no matched defense is more useful than public data alone");
        break;
    default:
        gnt_text_add(out, "not ranked: no eligible defense reached the target utility");
    }
}
