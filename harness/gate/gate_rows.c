/* The rows and findings of a comparison, as they are added. */
#include "base/mem.h"
#include "gate/gate_impl.h"

gnt_gate_row *gate_add_row(gate_maker *m) {
    gnt_gate *g = m->g;
    if (GNT_GROW(g->row, g->n_row) != 0) {
        gnt_fail(m->err, "out of memory for %zu comparisons", g->n_row);
        return NULL;
    }
    g->row[g->n_row] = (gnt_gate_row){0};
    return &g->row[g->n_row++];
}

int gate_add_finding(gate_maker *m, gnt_gate_kind kind, const gnt_gate_row *row, const char *place,
                     const char *text) {
    gnt_gate *g = m->g;
    if (GNT_GROW(g->finding, g->n_finding) != 0)
        return gnt_fail(m->err, "out of memory for %zu findings", g->n_finding);
    gnt_gate_finding *f = &g->finding[g->n_finding++];
    *f = (gnt_gate_finding){.kind = kind, .row = row, .place = gnt_strdup(place), .text = gnt_strdup(text)};
    g->n_failures += kind < GNT_GATE_FAILURES;
    return f->place && f->text ? 0 : gnt_fail(m->err, "out of memory for %zu findings", g->n_finding);
}
