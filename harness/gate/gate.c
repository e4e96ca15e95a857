#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

static gnt_gate_kind kind_of(const gnt_gate_row *row) {
    static const gnt_gate_kind worse[] = {
        [GNT_GATE_LEAKAGE] = GNT_GATE_LEAKS_MORE,   [GNT_GATE_UTILITY] = GNT_GATE_COSTS_MORE,
        [GNT_GATE_STRENGTH_GAIN] = GNT_GATE_WEAKER, [GNT_GATE_STRENGTH_LOSS] = GNT_GATE_STRONGER,
        [GNT_GATE_TRAINING_TIME] = GNT_GATE_SLOWER, [GNT_GATE_ATTACK_TIME] = GNT_GATE_SLOWER};
    static const gnt_gate_kind better[] = {
        [GNT_GATE_LEAKAGE] = GNT_GATE_LEAKS_LESS,   [GNT_GATE_UTILITY] = GNT_GATE_CHEAPER,
        [GNT_GATE_STRENGTH_GAIN] = GNT_GATE_KINDS,  [GNT_GATE_STRENGTH_LOSS] = GNT_GATE_KINDS,
        [GNT_GATE_TRAINING_TIME] = GNT_GATE_FASTER, [GNT_GATE_ATTACK_TIME] = GNT_GATE_FASTER};
    if (row->verdict == GNT_GATE_WORSE)
        return worse[row->about];
    if (row->verdict == GNT_GATE_BETTER)
        return better[row->about];
    return row->verdict == GNT_GATE_MOVED ? GNT_GATE_ALONG_CURVE : GNT_GATE_KINDS;
}

static int leaks_less(const gnt_gate *g, const gnt_gate_row *like) {
    for (size_t i = 0; i < g->n_row; i++) {
        const gnt_gate_row *row = &g->row[i];
        if (row->about == GNT_GATE_LEAKAGE && row->is_at_baseline && row->verdict == GNT_GATE_BETTER &&
            !strcmp(row->cell->task, like->cell->task) && !strcmp(row->cell->defense, like->cell->defense))
            return 1;
    }
    return 0;
}

/* Returns the kind of a change in utility. At one strength, less utility for no less leakage is a worse
 * trade-off; next to a search it may be that of another strength. */
static gnt_gate_kind kind_among(const gnt_gate *g, const gnt_gate_row *row) {
    const gnt_gate_kind kind = kind_of(row);
    return kind == GNT_GATE_STRONGER && row->is_at_baseline && !leaks_less(g, row) ? GNT_GATE_COSTS_MORE
                                                                                   : kind;
}

static int find_rows(gate_maker *m) {
    for (size_t i = 0; i < m->g->n_row; i++) {
        const gnt_gate_row *row = &m->g->row[i];
        const gnt_gate_kind kind = kind_among(m->g, row);
        gnt_text place, words;
        if (kind == GNT_GATE_KINDS)
            continue;
        gnt_text_init(&place, 4096);
        gnt_text_init(&words, 4096);
        gnt_gate_place(row, &place);
        gnt_gate_row_words(row, &words);
        int rc = gate_add_finding(m, kind, row, gnt_text_get(&place), gnt_text_get(&words));
        gnt_text_free(&place);
        gnt_text_free(&words);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int check_suites(gate_maker *m) {
    const gnt_results *now = m->g->now, *before = m->g->before;
    if (strcmp(now->suite, before->suite) != 0)
        return gnt_fail(
            m->err,
            "%s is a run of the suite \"%.64s\", %s of \"%.64s\"; a run is checked against a baseline of "
            "its own suite",
            m->now_name, now->suite, m->before_name, before->suite);
    const gnt_result_scale *a = now->file->scale, *b = before->file->scale;
    if (a && b && strcmp(a->name, b->name) != 0)
        return gnt_fail(m->err, "%s and %s ran the suite at different scales; a baseline is of one scale",
                        m->now_name, m->before_name);
    if (strcmp(now->file->suite_digest, before->file->suite_digest) != 0)
        return gate_add_finding(
            m, GNT_GATE_OTHER_SUITE, NULL, "suite",
            "the suite file is not the baseline's; cells are compared by their names alone");
    return 0;
}

/* Compares findings for qsort: failures first, then by place. */
static int by_kind(const void *a, const void *b) {
    const gnt_gate_finding *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->place, y->place);
}

/* Makes the comparison. m: with the names and what was timed; fills the rest. */
static int make(gnt_gate *g, gate_maker m, const gnt_results *now, const gnt_results *before, int redrawn) {
    const char *now_name = m.now_name, *before_name = m.before_name;
    gnt_err *err = m.err;
    gnt_joined *cell = NULL;
    m.g = g;
    *g = (gnt_gate){.now = now, .before = before, .redrawn = redrawn};
    int rc = gnt_gate_settings_read(&g->settings, now, now_name, &g->memory, err) ||
                     gnt_join_cells(now, now_name, before, before_name, &cell, &m.n_cell, err)
                 ? -1
                 : 0;
    m.cell = cell;
    if (rc == 0)
        rc = check_suites(&m) || gate_find_other_targets(&m) || (!redrawn && gate_find_searches(&m)) ||
                     (!redrawn && gate_find_at_baseline(&m, cell)) || gate_compare_cells(&m) ||
                     gate_compare_other_targets(&m) || gate_compare_utility(&m) ||
                     gate_compare_strengths(&m) || gate_compare_times(&m) || gate_judge(&m) ||
                     gate_compare_matches(&m) || find_rows(&m)
                 ? -1
                 : 0;
    gate_free_searches(&m);
    gnt_free((void *)m.other);
    gnt_free(cell);
    if (rc != 0)
        gnt_gate_free(g);
    else if (g->n_finding)
        qsort(g->finding, g->n_finding, sizeof *g->finding, by_kind);
    return rc;
}

int gnt_gate_make(gnt_gate *g, const gnt_results *now, const char *now_name, const gnt_results *before,
                  const char *before_name, gnt_err *err) {
    return gnt_gate_make_timed(g, now, now_name, before, before_name, NULL, 0, err);
}

int gnt_gate_make_timed(gnt_gate *g, const gnt_results *now, const char *now_name, const gnt_results *before,
                        const char *before_name, const gnt_gate_timed *timed, size_t n_timed, gnt_err *err) {
    const gate_maker m = {
        .now_name = now_name, .before_name = before_name, .timed = timed, .n_timed = n_timed, .err = err};
    return make(g, m, now, before, 0);
}

int gnt_gate_make_redrawn(gnt_gate *g, const gnt_results *now, const char *now_name,
                          const gnt_results *before, const char *before_name, gnt_err *err) {
    const gate_maker m = {.now_name = now_name, .before_name = before_name, .err = err};
    return make(g, m, now, before, 1);
}

void gnt_gate_free(gnt_gate *g) {
    for (size_t i = 0; i < g->n_finding; i++) {
        gnt_free(g->finding[i].place);
        gnt_free(g->finding[i].text);
    }
    gnt_free(g->finding);
    gnt_free(g->row);
    gnt_arena_free(&g->memory);
    *g = (gnt_gate){0};
}
