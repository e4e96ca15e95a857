#include "gate/gate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

/* ---- lists ---- */

/* Room doubles; *room of 0 is the first. */
static void *grow(void *list, size_t n, size_t *room, size_t size) {
    if (n < *room)
        return list;
    size_t more = *room ? 2 * *room : 64;
    void *grown = gnt_resize(list, more, size);
    if (grown)
        *room = more;
    return grown;
}

gnt_gate_row *gate_add_row(gate_maker *m) {
    gnt_gate *g = m->g;
    gnt_gate_row *grown = grow(g->row, g->n_row, &m->room_row, sizeof *grown);
    if (!grown) {
        gnt_fail(m->err, "out of memory for %zu comparisons", g->n_row);
        return NULL;
    }
    g->row = grown;
    g->row[g->n_row] = (gnt_gate_row){0};
    return &g->row[g->n_row++];
}

int gate_add_finding(gate_maker *m, gnt_gate_kind kind, const gnt_gate_row *row, const char *place,
                     const char *text) {
    gnt_gate *g = m->g;
    gnt_gate_finding *grown = grow(g->finding, g->n_finding, &m->room_finding, sizeof *grown);
    if (!grown)
        return gnt_fail(m->err, "out of memory for %zu findings", g->n_finding);
    g->finding = grown;
    gnt_gate_finding *f = &g->finding[g->n_finding++];
    *f = (gnt_gate_finding){.kind = kind, .row = row, .place = gnt_strdup(place), .text = gnt_strdup(text)};
    g->n_failures += kind < GNT_GATE_FAILURES;
    return f->place && f->text ? 0 : gnt_fail(m->err, "out of memory for %zu findings", g->n_finding);
}

/* ---- verdicts ---- */

static int same_family(const gnt_gate_row *a, const gnt_gate_row *b) {
    return a->about == b->about && !strcmp(a->cell->task, b->cell->task) &&
           (a->about != GNT_GATE_LEAKAGE || a->cell->stage == b->cell->stage);
}

static int same_training(const gnt_gate_row *a, const gnt_gate_row *b) {
    return a && a->cell->mode == b->cell->mode && !strcmp(a->cell->defense, b->cell->defense) &&
           (a->cell->strength == b->cell->strength || isnan(b->cell->strength));
}

/* Rows stand by task, stage and defense; what did not change at all says nothing of how trainings scatter. Time knows no
 * seeds. */
static void settle_rows(gnt_gate *g) {
    for (size_t i = 0, end; i < g->n_row - g->timed; i = end) {
        gnt_spread together = {0};
        const gnt_gate_row *last = NULL;
        for (end = i; end < g->n_row - g->timed && same_family(&g->row[i], &g->row[end]); end++) {
            const gnt_gate_row *row = &g->row[end];
            if (row->verdict == GNT_GATE_SAME)
                continue;
            gnt_spread_add(&together, &row->e);
            if (!same_training(last, row))
                together.trainings += row->e.between;
            last = row;
        }
        for (size_t k = i; k < end; k++)
            gnt_evidence_settle(&g->row[k].e, &together);
    }
}

/* A search that ended at another strength and left more utility moved along the defense's own curve. */
static int moved(const gnt_gate_row *row) {
    const gnt_outcome *a = row->cell, *b = row->old;
    double gain = gnt_utility_sign(a->utility.measure) * (a->utility.value - b->utility.value);
    return row->about == GNT_GATE_LEAKAGE && a->mode == GNT_ROW_MATCHED && a->strength != b->strength &&
           gain > 0;
}

static gnt_gate_verdict verdict_of(const gnt_gate_row *row, int can_fail, double alpha) {
    if (row->p <= alpha && row->worse > row->tolerance)
        return moved(row) ? GNT_GATE_MOVED : GNT_GATE_WORSE;
    if (row->p_less <= alpha && row->worse < -row->tolerance)
        return GNT_GATE_BETTER;
    return can_fail ? GNT_GATE_WITHIN : GNT_GATE_UNABLE;
}

int gate_judge(gate_maker *m) {
    gnt_gate *g = m->g;
    const double alpha = g->redrawn ? g->settings.alpha / 2 : g->settings.alpha;
    size_t n = 0;
    double *p = gnt_array(g->n_row + 1, sizeof *p), *less = gnt_array(g->n_row + 1, sizeof *less);
    double *least = gnt_array(g->n_row + 1, sizeof *least);
    int *can_fail = gnt_array(g->n_row + 1, sizeof *can_fail);
    int rc =
        p && less && least && can_fail ? 0 : gnt_fail(m->err, "out of memory for %zu comparisons", g->n_row);
    settle_rows(g);
    for (size_t i = 0; i < g->n_row && rc == 0; i++)
        if (g->row[i].verdict != GNT_GATE_SAME) {
            p[n] = g->row[i].e.p;
            less[n] = g->row[i].e.p_less;
            least[n++] = g->row[i].e.p_least;
        }
    if (rc == 0 && (gnt_evidence_family(less, least, can_fail, n, alpha, m->err) != 0 ||
                    gnt_evidence_family(p, least, can_fail, n, alpha, m->err) != 0))
        rc = -1;
    n = 0;
    for (size_t i = 0; i < g->n_row && rc == 0; i++) {
        gnt_gate_row *row = &g->row[i];
        if (row->verdict == GNT_GATE_SAME) {
            g->same++;
            continue;
        }
        row->p = p[n];
        row->p_less = less[n];
        row->verdict = verdict_of(row, can_fail[n], alpha);
        g->tested += (size_t)can_fail[n];
        g->unable += !can_fail[n++];
    }
    gnt_free(p);
    gnt_free(less);
    gnt_free(least);
    gnt_free(can_fail);
    return rc;
}

static gnt_gate_kind kind_of(const gnt_gate_row *row) {
    static const gnt_gate_kind worse[] = {GNT_GATE_LEAKS_MORE, GNT_GATE_COSTS_MORE, GNT_GATE_SLOWER,
                                          GNT_GATE_SLOWER};
    static const gnt_gate_kind better[] = {GNT_GATE_LEAKS_LESS, GNT_GATE_CHEAPER, GNT_GATE_FASTER,
                                           GNT_GATE_FASTER};
    if (row->verdict == GNT_GATE_WORSE)
        return worse[row->about];
    if (row->verdict == GNT_GATE_BETTER)
        return better[row->about];
    return row->verdict == GNT_GATE_MOVED ? GNT_GATE_ALONG_CURVE : GNT_GATE_KINDS;
}

static int find_rows(gate_maker *m) {
    for (size_t i = 0; i < m->g->n_row; i++) {
        const gnt_gate_row *row = &m->g->row[i];
        gnt_text place, words;
        if (kind_of(row) == GNT_GATE_KINDS)
            continue;
        gnt_text_init(&place, 4096);
        gnt_text_init(&words, 4096);
        gnt_gate_place(row, &place);
        gnt_gate_row_words(row, &words);
        int rc = gate_add_finding(m, kind_of(row), row, gnt_text_get(&place), gnt_text_get(&words));
        gnt_text_free(&place);
        gnt_text_free(&words);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* ---- the whole ---- */

static const char *text_of(const gnt_results *r, const char *key) {
    const char *text = json_string_value(json_object_get(r->root, key));
    return text ? text : "";
}

static int check_suites(gate_maker *m) {
    const gnt_results *now = m->g->now, *before = m->g->before;
    if (strcmp(now->suite, before->suite) != 0)
        return gnt_fail(
            m->err,
            "%s is a run of the suite \"%.64s\", %s of \"%.64s\"; a run is checked against a baseline of "
            "its own suite",
            m->now_name, now->suite, m->before_name, before->suite);
    const json_t *a = json_object_get(json_object_get(now->root, "scale"), "name");
    const json_t *b = json_object_get(json_object_get(before->root, "scale"), "name");
    if (a && b && !json_equal((json_t *)(uintptr_t)a, (json_t *)(uintptr_t)b))
        return gnt_fail(m->err, "%s and %s ran the suite at different scales; a baseline is of one scale",
                        m->now_name, m->before_name);
    if (strcmp(text_of(now, "suite_digest"), text_of(before, "suite_digest")) != 0)
        return gate_add_finding(
            m, GNT_GATE_OTHER_SUITE, NULL, "suite",
            "the suite file is not the baseline's; cells are compared by their names alone");
    return 0;
}

/* Failures first, otherwise as they came. */
static int by_kind(const void *a, const void *b) {
    const gnt_gate_finding *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->place, y->place);
}

/* m: with the names and what was timed; the rest is filled in here. */
static int make(gnt_gate *g, gate_maker m, const gnt_results *now, const gnt_results *before, int redrawn) {
    const char *now_name = m.now_name, *before_name = m.before_name;
    gnt_err *err = m.err;
    gnt_joined *cell = NULL;
    m.g = g;
    *g = (gnt_gate){.now = now, .before = before, .redrawn = redrawn};
    int rc = gnt_gate_settings_read(&g->settings, now, now_name, err) ||
                     gnt_join_cells(now, now_name, before, before_name, &cell, &m.n_cell, err)
                 ? -1
                 : 0;
    m.cell = cell;
    if (rc == 0)
        rc = check_suites(&m) || gate_compare_cells(&m) || gate_compare_utility(&m) ||
                     (!redrawn && gate_compare_matches(&m)) || gate_compare_times(&m) || gate_judge(&m) ||
                     find_rows(&m)
                 ? -1
                 : 0;
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
    *g = (gnt_gate){0};
}
