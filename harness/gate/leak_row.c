/* A row about leakage, before its scores are known: what it is about, and how much is near enough. */
#include <math.h>
#include <string.h>

#include "gate/gate_impl.h"

/* Returns what no defense leaked in the baseline under the cell's coordinates, in the direction that leaks
 * more, averaged over seeds; NAN if that was not attacked. */
static double undefended(const gate_maker *m, const gnt_outcome *o, const gnt_measure *measure) {
    const gnt_results *r = m->g->before;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->mode != GNT_ROW_NONE || c->stage != o->stage || strcmp(c->task, o->task) != 0 ||
            strcmp(c->attack, o->attack) != 0 || !gnt_number_of(c, measure->name))
            continue;
        sum += measure->leak * gnt_number_of(c, measure->name)->stat.mean;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* Returns how much more a defense may leak because its search ended at a weaker strength by chance: that lies
 * along its curve if, as a share of what it kept from leaking, it is no larger than the share of utility that
 * it gives back. */
static double allowance_of(const gate_maker *m, const gnt_joined *j, const gnt_measure *measure) {
    const gate_search *s = j->now->mode == GNT_ROW_MATCHED && !m->g->redrawn
                               ? gate_search_of(m, j->now->task, j->now->defense)
                               : NULL;
    if (!s || !gate_is_weaker(s) || !gnt_number_of(j->before, measure->name))
        return 0;
    const double kept = undefended(m, j->before, measure) -
                        measure->leak * gnt_number_of(j->before, measure->name)->stat.mean;
    if (isnan(kept)) /* nothing to measure by */
        return 1e100;
    return fmax(kept, 0) * gate_regained(s, gnt_utility_sign(j->now->utility.measure));
}

void gate_begin_leak_row(gate_maker *m, gnt_gate_row *row, const gnt_joined *first,
                         const gnt_measure *measure) {
    *row = (gnt_gate_row){.cell = first->now,
                          .old = first->before,
                          .measure = measure->name,
                          .tolerance = gnt_gate_tolerance(&m->g->settings, measure->name),
                          .allowance = allowance_of(m, first, measure),
                          .is_at_baseline = first->now->mode == GNT_ROW_SWEEP &&
                                            first->before->mode == GNT_ROW_MATCHED && !m->g->redrawn,
                          .p_jumps = NAN,
                          .p = 1,
                          .p_less = 1,
                          .verdict = GNT_GATE_WITHIN};
}
