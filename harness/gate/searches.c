/* The searches that both runs made for a defense's matched strength, side by side. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

/* how much faster than on average leakage may fall at a matched strength */
static const double steepest = 4;

static const gnt_match_row *find_match(const gnt_results *r, const gnt_match_row *like) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, like->task) && !strcmp(r->match[i].defense, like->defense))
            return &r->match[i];
    return NULL;
}

static int is_same(const gate_search *s) {
    if (s->now.n_training != s->before.n_training)
        return 0;
    for (size_t i = 0; i < s->now.n_training; i++) {
        const gate_training *a = &s->now.training[i], *b = &s->before.training[i];
        if (a->strength != b->strength || a->number != b->number || a->utility != b->utility)
            return 0;
    }
    return 1;
}

int gate_find_searches(gate_maker *m) {
    const gnt_results *before = m->g->before;
    m->search = gnt_array(before->n_match + 1, sizeof *m->search);
    if (!m->search)
        return gnt_fail(m->err, "out of memory for %zu searches", before->n_match);
    for (size_t i = 0; i < before->n_match; i++) {
        const gnt_match_row *old = &before->match[i], *now = find_match(m->g->now, old);
        gate_search *s = &m->search[m->n_search];
        if (!now)
            continue;
        *s = (gate_search){.loss_row = SIZE_MAX};
        if (gate_curve_make(&s->now, m->g->now, now, old->strength, m->err) != 0)
            return -1;
        m->n_search++;
        if (gate_curve_make(&s->before, before, old, NAN, m->err) != 0)
            return -1;
        s->direction = gate_curve_direction(&s->now, &s->before);
        s->is_same = is_same(s);
        s->is_other = gate_has_other_targets(m, now->task);
        if (!s->is_other && gate_curves_adjust(&s->now, &s->before, &s->n_effect, m->err) != 0)
            return -1;
    }
    return 0;
}

void gate_free_searches(gate_maker *m) {
    for (size_t i = 0; i < m->n_search; i++) {
        gate_curve_free(&m->search[i].now);
        gate_curve_free(&m->search[i].before);
    }
    gnt_free(m->search);
    m->search = NULL;
    m->n_search = 0;
}

const gate_search *gate_search_of(const gate_maker *m, const char *task, const char *defense) {
    for (size_t i = 0; i < m->n_search; i++)
        if (!strcmp(m->search[i].now.match->task, task) && !strcmp(m->search[i].now.match->defense, defense))
            return &m->search[i];
    return NULL;
}

/* ---- a weaker strength ---- */

/* Computes the scatter of training runs. An accuracy is a whole number of samples, so a few training runs may
 * be equal by chance. */
gate_scatter gate_search_scatter(const gate_search *s) {
    gate_scatter v = {.freedom = -(double)s->n_effect};
    double squares = 0, stated = 0;
    gate_curve_scatter(&s->now, &squares, &v.freedom, &stated);
    gate_curve_scatter(&s->before, &squares, &v.freedom, &stated);
    v.test = stated;
    v.variance = v.freedom >= GATE_LEAST_FREEDOM ? fmax(squares / v.freedom, stated / 4) : stated;
    return v;
}

int gate_is_weaker(const gate_search *s) {
    const gate_level *a = gate_curve_level(&s->now, s->now.match->strength);
    const gate_level *b = gate_curve_level(&s->before, s->before.match->strength);
    return a && b && s->direction * (a->place - b->place) < 0;
}

/* Returns how far the strength moved, as a share of the way from the weakest that was tried to the old
 * one. */
static double moved_by(const gate_search *s, const gate_level *now, const gate_level *before) {
    const gate_curve *both[2] = {&s->now, &s->before};
    double way = 0;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n_level; i++)
            way = fmax(way, s->direction * (before->place - both[k]->level[i].place));
    return fabs(before->place - now->place) / way;
}

double gate_regained(const gate_search *s, int sign) {
    const gate_level *a = gate_curve_level(&s->now, s->now.match->strength);
    const gate_level *b = gate_curve_level(&s->before, s->before.match->strength);
    if (!a || !b)
        return 1;
    const gate_scatter v = gate_search_scatter(s);
    const gate_value old = gate_curve_at(&s->before, a->place);
    const double lost = sign * s->before.match->utility_none - b->mean;
    const double error = sqrt(v.variance * (1 / (double)a->n + 1 / (double)b->n));
    const double gain = fmax(fmax(a->mean, old.mean) - b->mean, 0) + error;
    const double most = fmin(1, steepest * moved_by(s, a, b));
    return lost > gain ? fmin(gain / lost, most) : most;
}
