/* The strength itself: does it still mean what it meant? A search turns a weakened mechanism up until its
 * utility is the old one, and then nothing is left to see at matched utility. But one strength of one
 * mechanism leaves one utility, so that of both runs is compared where a search was. */
#include <math.h>
#include <string.h>

#include "gate/gate_impl.h"
#include "gate/welch_impl.h"
#include "metric/stats.h"

/* One strength leaves one utility; what the suite thinks near enough for a whole training would hide a third
 * less noise. */
static const double part_of_tolerance = 0.25;

/* The two runs at one strength. */
typedef struct seen_at {
    double strength, is, was, error;
    /* what monotony allows to be concluded */
    int can_gain, can_lose;
} seen_at;

/* Replicates that the runs do not share move a whole curve: where it is between two strengths, it is known no
 * better than by the training runs of one. */
static size_t most_trainings(const gate_curve *c) {
    size_t most = 0;
    for (size_t i = 0; i < c->n_level; i++)
        most = c->level[i].n > most ? c->level[i].n : most;
    return most;
}

static double share_of(const gate_search *s, const gate_curve *c, double share) {
    return s->is_other ? fmax(share, 1 / (double)most_trainings(c)) : share;
}

static int is_decidable(const gate_search *s, const gate_scatter *v) {
    return v->freedom >= GATE_LEAST_FREEDOM && v->variance > 0 &&
           (!s->is_other || (most_trainings(&s->now) >= GATE_FEWEST_TRAININGS &&
                             most_trainings(&s->before) >= GATE_FEWEST_TRAININGS));
}

static seen_at look(const gate_search *s, const gate_scatter *v, const gate_level *l) {
    const gate_value now = gate_curve_at(&s->now, l->place), before = gate_curve_at(&s->before, l->place);
    const int now_beyond = now.beyond * s->direction, before_beyond = before.beyond * s->direction;
    const double shares = share_of(s, &s->now, now.share) + share_of(s, &s->before, before.share);
    const double bends = now.bend * now.bend + before.bend * before.bend;
    const double tests = s->is_other ? 2 * v->test : 0;
    return (seen_at){.strength = l->strength,
                     .is = now.mean,
                     .was = before.mean,
                     .error = sqrt(v->variance * shares + tests + bends),
                     .can_gain = now_beyond <= 0 && before_beyond >= 0,
                     .can_lose = now_beyond >= 0 && before_beyond <= 0};
}

/* Lists both matched strengths and the one nearest to the old one that both searches tried, unless so much
 * utility is lost there that training runs scatter differently than near the target. Returns how many. */
static size_t strengths_of(const gate_search *s, const gate_level *out[3]) {
    const gate_level *now = gate_curve_level(&s->now, s->now.match->strength);
    const gate_level *before = gate_curve_level(&s->before, s->before.match->strength), *shared = NULL;
    size_t n = 0;
    if (!now || !before)
        return 0;
    out[n++] = before;
    if (now->place != before->place)
        out[n++] = now;
    for (size_t i = 0; i < s->now.n_level; i++) {
        const gate_level *l = &s->now.level[i];
        const gate_level *other = gate_curve_level(&s->before, l->strength);
        if (l->place != now->place && l->place != before->place && other && !l->is_far && !other->is_far &&
            (!shared || fabs(l->place - before->place) < fabs(shared->place - before->place)))
            shared = l;
    }
    if (shared)
        out[n++] = shared;
    return n;
}

/* ---- rows ---- */

static const gnt_outcome *cell_of(const gnt_results *r, const gnt_match_row *m) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (r->cell[i].mode == GNT_ROW_MATCHED && !strcmp(r->cell[i].task, m->task) &&
            !strcmp(r->cell[i].defense, m->defense))
            return &r->cell[i];
    return NULL;
}

/* Tests the utility at each strength and keeps the strength with the least p, which it multiplies by the
 * number of strengths. `gain`: tests for more utility, else for less. */
static void weigh(gnt_gate_row *row, const seen_at *at, size_t n, double freedom, int gain) {
    const int sign = gnt_utility_sign(row->measure);
    double least = 2;
    row->e = (gnt_evidence){.p = 1, .p_less = 1, .p_least = n ? 0 : 1, .f = NAN};
    for (size_t i = 0; i < n; i++) {
        const double more = (gain ? 1 : -1) * (at[i].is - at[i].was);
        const int can = gain ? at[i].can_gain : at[i].can_lose;
        const double p = can ? gnt_metric_student_above((more - row->tolerance) / at[i].error, freedom) : 1;
        if (p >= least)
            continue;
        least = p;
        row->e.p = fmin(1, p * (double)n);
        row->e.mean = row->worse = more;
        row->at = at[i].strength;
        row->is = sign * at[i].is;
        row->was = sign * at[i].was;
    }
}

static int add_row(gate_maker *m, gate_search *s, const seen_at *at, size_t n, double freedom, int gain) {
    const gnt_outcome *now = cell_of(m->g->now, s->now.match), *old = cell_of(m->g->before, s->before.match);
    gnt_gate_row *row = now && old ? gate_add_row(m) : NULL;
    if (!row)
        return now && old ? -1 : 0;
    *row = (gnt_gate_row){.about = gain ? GNT_GATE_STRENGTH_GAIN : GNT_GATE_STRENGTH_LOSS,
                          .cell = now,
                          .old = old,
                          .measure = now->utility.measure,
                          .tolerance = part_of_tolerance * gnt_gate_tolerance(&m->g->settings, "utility"),
                          .is_at_baseline = s->is_at_baseline,
                          .settled = 1,
                          .p = 1,
                          .p_less = 1,
                          .verdict = s->is_same ? GNT_GATE_SAME : GNT_GATE_WITHIN};
    weigh(row, at, n, freedom, gain);
    row->e.units = s->now.n_training + s->before.n_training;
    if (!gain)
        s->loss_row = m->g->n_row - 1;
    return 0;
}

int gate_compare_strengths(gate_maker *m) {
    for (size_t i = 0; i < m->n_search; i++) {
        gate_search *s = &m->search[i];
        const gate_level *strength[3];
        seen_at at[3];
        const gate_scatter v = gate_search_scatter(s);
        const size_t n = is_decidable(s, &v) ? strengths_of(s, strength) : 0;
        for (size_t k = 0; k < n; k++)
            at[k] = look(s, &v, strength[k]);
        if (add_row(m, s, at, n, v.freedom, 1) != 0 || add_row(m, s, at, n, v.freedom, 0) != 0)
            return -1;
    }
    return 0;
}
