/* What a comparison says, in words. Plain text with names in it: who writes it somewhere escapes it. */
#include <math.h>
#include <string.h>

#include "gate/gate_impl.h"

const char *gnt_gate_kind_words(gnt_gate_kind kind) {
    static const char *const words[GNT_GATE_KINDS] = {
        "leaks more", "costs more utility",    "slower",          "newly failing",
        "missing",    "not matched any more",  "lost its number", "new cell",
        "works now",  "matched now",           "leaks less",      "costs less utility",
        "faster",     "moved along its curve", "not compared",    "another suite"};
    return words[kind];
}

void gnt_gate_place(const gnt_gate_row *row, gnt_text *out) {
    const gnt_outcome *c = row->cell;
    const char *slash = strrchr(c->id, '/');
    if (row->about == GNT_GATE_LEAKAGE || row->about == GNT_GATE_ATTACK_TIME)
        gnt_text_add(out, "%.*s", slash ? (int)(slash - c->id < 1000 ? slash - c->id : 1000) : 0, c->id);
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
    if (row->verdict == GNT_GATE_MOVED)
        gnt_text_add(out, "; matched at strength %.4g, was %.4g, and leaves more utility",
                     row->cell->strength, row->old->strength);
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
}
