/* The sentences of a comparison. Plain text with names in it, which the writer of a format escapes. */
#include <math.h>
#include <string.h>

#include "gate/gate_impl.h"

const char *gnt_gate_kind_words(gnt_gate_kind kind) {
    static const char *const words[GNT_GATE_KINDS] = {[GNT_GATE_LEAKS_MORE] = "leaks more",
                                                      [GNT_GATE_COSTS_MORE] = "costs more utility",
                                                      [GNT_GATE_WEAKER] = "weaker strength",
                                                      [GNT_GATE_SLOWER] = "slower",
                                                      [GNT_GATE_FAILS_NOW] = "newly failing",
                                                      [GNT_GATE_MISSING] = "missing",
                                                      [GNT_GATE_UNMATCHED] = "not matched any more",
                                                      [GNT_GATE_NO_NUMBER] = "no longer measured",
                                                      [GNT_GATE_NEW] = "new cell",
                                                      [GNT_GATE_WORKS_NOW] = "works now",
                                                      [GNT_GATE_MATCHED_NOW] = "matched now",
                                                      [GNT_GATE_NOT_FOUND] = "no match this time",
                                                      [GNT_GATE_SATURATED] = "saturated now",
                                                      [GNT_GATE_STRONGER] = "stronger strength",
                                                      [GNT_GATE_LEAKS_LESS] = "leaks less",
                                                      [GNT_GATE_CHEAPER] = "costs less utility",
                                                      [GNT_GATE_FASTER] = "faster",
                                                      [GNT_GATE_ALONG_CURVE] = "moved along its curve",
                                                      [GNT_GATE_UNPAIRED] = "not compared",
                                                      [GNT_GATE_UNDECIDED] = "cannot tell",
                                                      [GNT_GATE_OTHER_SUITE] = "another suite"};
    return words[kind];
}

void gnt_gate_place(const gnt_gate_row *row, gnt_text *out) {
    const gnt_outcome *c = row->cell;
    const char *slash = strrchr(c->id, '/');
    if (row->about == GNT_GATE_LEAKAGE || row->about == GNT_GATE_ATTACK_TIME)
        gnt_text_add(out, "%.*s", slash ? (int)(slash - c->id < 1000 ? slash - c->id : 1000) : 0, c->id);
    else if (row->about == GNT_GATE_STRENGTH_GAIN || row->about == GNT_GATE_STRENGTH_LOSS)
        gnt_text_add(out, "%.300s/%.300s@matched", c->task, c->defense);
    else if (isfinite(c->strength))
        gnt_text_add(out, "%.300s/%.300s@%.6g", c->task, c->defense, c->strength);
    else
        gnt_text_add(out, "%.300s/%.300s", c->task, c->defense);
}

static void value(const gnt_gate_row *row, double x, gnt_text *out) {
    const gnt_measure *m = row->about == GNT_GATE_LEAKAGE ? gnt_measure_find(row->measure) : NULL;
    if (!m) {
        gnt_utility_write(row->measure, x, out);
        return;
    }
    gnt_measure_number(m, x, out);
    gnt_text_add(out, "%s", m->unit);
}

static void time_words(const gnt_gate_row *row, gnt_text *out) {
    gnt_text_add(out, "%s %.3g s, was %.3g s (%s%.1f %%, tolerance %.3g %%), p %.2g",
                 row->about == GNT_GATE_TRAINING_TIME ? "training" : "attack", row->is, row->was,
                 row->worse < 0 ? "−" : "+", 100 * fabs(row->worse), 100 * row->tolerance,
                 row->worse > 0 ? row->p : row->p_less);
}

void gnt_gate_row_words(const gnt_gate_row *row, gnt_text *out) {
    const gnt_measure *m = row->about == GNT_GATE_LEAKAGE ? gnt_measure_find(row->measure) : NULL;
    double change = row->is - row->was;
    if (row->about >= GNT_GATE_TRAINING_TIME) {
        time_words(row, out);
        return;
    }
    gnt_text_add(out, "%s ", m ? m->title : row->measure);
    value(row, row->is, out);
    gnt_text_add(out, ", was ");
    value(row, row->was, out);
    gnt_text_add(out, " (%s", change < 0 ? "−" : "+");
    value(row, fabs(change), out);
    gnt_text_add(out, ", tolerance ");
    value(row, row->tolerance, out);
    gnt_text_add(out, "), p %.2g", row->worse > 0 ? row->p : row->p_less);
    if (row->about == GNT_GATE_STRENGTH_GAIN || row->about == GNT_GATE_STRENGTH_LOSS)
        gnt_text_add(out, " at strength %.4g; matched at %.4g, was %.4g", row->at, row->cell->strength,
                     row->old->strength);
    else if (row->is_at_baseline)
        gnt_text_add(out, "; at strength %.4g, where the baseline was matched", row->old->strength);
    else if (row->cell->mode == GNT_ROW_MATCHED && row->cell->strength != row->old->strength)
        gnt_text_add(out, "; matched at strength %.4g, was %.4g", row->cell->strength, row->old->strength);
}

void gnt_gate_summary(const gnt_gate *g, gnt_text *out) {
    size_t notes = g->n_finding - g->n_failures;
    if (g->n_failures)
        gnt_text_add(out, "%zu regression%s", g->n_failures, g->n_failures == 1 ? "" : "s");
    else
        gnt_text_add(out, "no regression");
    gnt_text_add(
        out, ", %zu note%s; %zu comparison%s tested at %.3g %% in all, %zu unchanged to the last digit",
        notes, notes == 1 ? "" : "s", g->tested, g->tested == 1 ? "" : "s", 100 * g->settings.alpha, g->same);
    if (g->unable)
        gnt_text_add(out, ", %zu with too few pairs to tell", g->unable);
    if (g->timed)
        gnt_text_add(out, "; %zu of them are times of two builds", g->timed);
    if (g->elsewhere)
        gnt_text_add(
            out,
            "; %zu matched defense%s ended at another strength than the baseline's, where a search may "
            "hide a weakening: run with --baseline",
            g->elsewhere, g->elsewhere == 1 ? "" : "s");
}
