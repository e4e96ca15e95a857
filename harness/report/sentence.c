/* The sentences that sum up a task at a stage. */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/report_impl.h"
#include "judge/same_order.h"
#include "judge/curve.h"
#include "judge/ranking.h"
#include "judge/section.h"
#include "judge/group_roles.h"

static void say_number(const gnt_measure *m, const gnt_rank_row *s, gnt_text *out) {
    gnt_text_add(out, "%s ", m->title);
    gnt_measure_write(m, &s->measured, out);
    gnt_text_add(out, " under %s", s->worst->attack);
    gnt_next_to_write(s->worst, m, out);
}

static void say_guess(const gnt_measure *m, double floor, gnt_text *out) {
    gnt_text_add(out, "; no more than a guess at ");
    gnt_measure_number(m, floor, out);
    gnt_text_add(out, "%s, the baseline without the update", m->unit);
}

/* Says at which utility that is, where it is not that of the matched cells. */
static void say_read(const gnt_results *r, const char *task, const gnt_measure *m, const gnt_rank_row *s,
                     gnt_text *out) {
    const char *utility = gnt_utility_measure(r, task);
    if (s->place.at_target) {
        gnt_text_add(out, ", at exactly ");
        gnt_utility_write(utility, gnt_target_utility(r, task), out);
        gnt_text_add(out, " %s (", utility);
        gnt_measure_write(m, &s->score->stat, out);
        gnt_text_add(out, " at the matched strength)");
    } else if (s->place.exhausted) {
        gnt_text_add(out, ", %s ", gnt_utility_words(s->kind, s->saturated, &s->place));
        gnt_utility_write(utility, s->place.surplus, out);
        gnt_text_add(out, " %s above the target", utility);
    }
}

static void say_best(const gnt_results *r, const char *task, const gnt_measure *m, const gnt_ranking *ranking,
                     gnt_text *out) {
    const gnt_rank_row *best = &ranking->row[0];
    if (best->state == GNT_RANKED_AS_NONE)
        gnt_text_add(out, "No ranked defense surely leaks less than no defense. ");
    gnt_text_add(out,
                 ranking->ranked == 1 ? "The one ranked defense, %s, leaks "
                                      : "At matched utility %s leaks least: ",
                 best->defense);
    say_number(m, best, out);
    gnt_text_add(out, ", its worst case over %zu attack%s", best->judged, best->judged == 1 ? "" : "s");
    if (best->unfit)
        gnt_text_add(out, " (untested by %zu that do%s not apply to it)", best->unfit,
                     best->unfit == 1 ? "es" : "");
    say_read(r, task, m, best, out);
    const int floored = gnt_leak_is_floored(m, best->measured.mean, best->floor);
    if (floored)
        say_guess(m, best->floor, out);
    if (ranking->ranked > 1) {
        const gnt_rank_row *next = &ranking->row[1];
        const int both = floored && gnt_leak_is_floored(m, next->measured.mean, best->floor);
        if (both)
            gnt_text_add(out, " (so does %s: they share the rank)", next->defense);
        else if (gnt_ranking_tied(ranking, 0, 1))
            gnt_text_add(out, " (tied with %s: %s)", next->defense, gnt_tie_words(best->place.tied));
        else
            gnt_text_add(out, " (next: %s)", next->defense);
    }
    gnt_text_add(out, ".");
}

/* Writes why no defense is ranked, as a sentence with a capital and a full stop. */
static void say_none(const gnt_results *r, const char *task, const gnt_measure *m, const gnt_ranking *ranking,
                     gnt_text *out) {
    gnt_text why;
    gnt_text_init(&why, 1 << 20);
    gnt_ranking_say_none(r, task, m, ranking, &why);
    const char *text = gnt_text_get(&why);
    out->failed |= why.failed;
    if (!why.failed)
        gnt_text_add(out, "%c%s.", text[0] - 'a' + 'A', text + 1);
    gnt_text_free(&why);
}

/* Writes the pairs that are opposed, or those that only `by` orders; nothing if there is none. */
static void say_pairs(const gnt_agreement *a, const gnt_measure *by, int opposed, gnt_text *out) {
    int any = 0;
    for (size_t i = 0; i < a->n_first; i++) {
        const gnt_disagreement *d = &a->first[i];
        if (d->opposed != opposed || (by && d->by != by))
            continue;
        if (any++)
            gnt_text_add(out, ", ");
        else if (opposed)
            gnt_text_add(out, "; opposite ways: ");
        else
            gnt_text_add(out, "; only %s orders ", by->title);
        gnt_text_add(out, "%s before %s (%s)", d->less, d->more, d->attack);
    }
}

static void say_disagreement(const gnt_agreement *a, const gnt_measure *m, const gnt_measure *other,
                             gnt_text *out) {
    gnt_text_add(
        out, "Of %zu pairs of defenses that %s or %s surely orders under some attack, they disagree on %zu",
        a->ordered, m->title, other->title, a->disagreed);
    say_pairs(a, NULL, 1, out);
    say_pairs(a, m, 0, out);
    say_pairs(a, other, 0, out);
    gnt_text_add(out, a->disagreed > a->n_first ? ", and so on." : ".");
}

int gnt_report_agreement(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         gnt_text *out) {
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR),
                      *rate = gnt_measure_of(GNT_MEASURE_IDENTIFICATION),
                      *others[] = {gnt_measure_of(GNT_MEASURE_MSE), m == rate ? psnr : rate};
    const gnt_measure *alike[2];
    size_t n_alike = 0;
    int agree = 1;
    if (m != psnr && m != rate && m != others[0])
        return 0;
    for (size_t i = 0; i < 2; i++) {
        gnt_agreement a;
        if (m == others[i])
            continue;
        out->failed |= gnt_agreement_of(&a, r, task, stage, m, others[i]) != 0;
        agree &= a.disagreed == 0;
        if (a.disagreed) {
            gnt_text_add(out, out->size ? " " : "");
            say_disagreement(&a, m, others[i], out);
        } else if (a.ordered)
            alike[n_alike++] = others[i];
    }
    for (size_t i = 0; agree && i < n_alike; i++)
        gnt_text_add(out, "%s%s", i ? " and " : "", alike[i]->title);
    if (agree && n_alike)
        gnt_text_add(out, " order%s the defenses as %s does, under every attack.", n_alike > 1 ? "" : "s",
                     m->title);
    return agree && n_alike;
}

void gnt_report_sentence(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         gnt_text *out) {
    gnt_ranking ranking;
    out->failed |= gnt_rank(&ranking, r, task, stage, m) != 0;
    if (ranking.ranked)
        say_best(r, task, m, &ranking, out);
    else
        say_none(r, task, m, &ranking, out);
    for (size_t i = 0; i < ranking.n; i++)
        if (ranking.row[i].kind == GNT_GROUP_UNDEFENDED && ranking.row[i].worst) {
            gnt_text_add(out, " Undefended: ");
            say_number(m, &ranking.row[i], out);
            gnt_text_add(out, ".");
        }
    gnt_ranking_free(&ranking);
}
