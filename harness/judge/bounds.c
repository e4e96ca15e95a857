#include "judge/bounds.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "metric/attacker_bounds.h"

static int is_same(const gnt_outcome *a, const gnt_outcome *b) {
    return a->stage == b->stage && a->mode == b->mode && !strcmp(a->task, b->task) &&
           !strcmp(a->defense, b->defense) &&
           (a->strength == b->strength || (isnan(a->strength) && isnan(b->strength)));
}

/* ---- one training run ---- */

/* A cell's utility on the test samples, split by the attribute's values. */
typedef struct split {
    int32_t values;
    double errors, gap, entropy;
} split;

static split split_of(const gnt_values *by_value) {
    split s = {.values = (int32_t)by_value->n};
    double all = 0, share[2] = {NAN, NAN};
    for (size_t v = 0; v < by_value->n; v++)
        all += (double)by_value->at[v].n;
    for (size_t v = 0; v < by_value->n; v++) {
        const gnt_value_counts *one = &by_value->at[v];
        const double n = (double)one->n;
        s.entropy -= n > 0 ? n / all * log2(n / all) : 0;
        s.errors += 1 - (double)one->right / n;
        if (v < 2 && one->labels.n == 2)
            share[v] = (double)one->labels.at[1] / n;
    }
    s.gap = fabs(share[0] - share[1]);
    if (s.values != 2 || !isfinite(s.gap))
        s.errors = s.gap = NAN;
    return s;
}

/* ---- over seeds ---- */

typedef struct mean {
    double sum;
    int64_t n;
} mean;

static void add(mean *m, double x) {
    if (isfinite(x)) {
        m->sum += x;
        m->n++;
    }
}

static double of(const mean *m) {
    return m->n ? m->sum / (double)m->n : NAN;
}

/* The cells of one row, by their index. */
typedef struct own_cells {
    size_t *at, n;
} own_cells;

int gnt_bounds_uses_cell(const gnt_results *r, size_t i) {
    if (!r->cell[i].utility.by_value.at)
        return 0;
    const gnt_indices own = gnt_cells_of(r, r->cell[i].task, r->cell[i].defense);
    for (size_t n = 0; n < own.n && own.at[n] < i; n++) {
        const gnt_outcome *before = &r->cell[own.at[n]];
        if (before->utility.by_value.at && before->seed == r->cell[i].seed && is_same(before, &r->cell[i]))
            return 0;
    }
    return 1;
}

/* Returns the score of the best attack by its mean over seeds. */
static double worst(const gnt_results *r, const gnt_outcome *like, const char *measure) {
    double most = NAN;
    const gnt_indices own = gnt_groups_of(r, like->task, like->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *g = &r->group[own.at[i]];
        const gnt_score *s = is_same(g, like) ? gnt_number_of(g, measure) : NULL;
        most = s ? fmax(most, s->stat.mean) : most;
    }
    return most;
}

static double information(const gnt_results *r, const own_cells *own) {
    double most = NAN;
    for (size_t a = 0; a < r->n_attack; a++) {
        mean m = {0};
        for (size_t k = 0; k < own->n; k++) {
            const gnt_outcome *cell = &r->cell[own->at[k]];
            if (!strcmp(cell->attack, r->attack[a]))
                add(&m, gnt_fact_of(cell, "information") / log(2));
        }
        most = fmax(most, of(&m));
    }
    return most;
}

static gnt_bound_row row_of(const gnt_results *r, const own_cells *own) {
    const gnt_outcome *like = &r->cell[own->at[0]];
    gnt_bound_row row = {.task = like->task,
                         .defense = like->defense,
                         .mode = like->mode,
                         .stage = like->stage,
                         .strength = like->strength};
    mean errors = {0}, gap = {0}, entropy = {0};
    for (size_t k = 0; k < own->n; k++) {
        if (!gnt_bounds_uses_cell(r, own->at[k]))
            continue;
        const split s = split_of(&r->cell[own->at[k]].utility.by_value);
        row.values = s.values;
        row.seeds++;
        add(&errors, s.errors);
        add(&gap, s.gap);
        add(&entropy, s.entropy);
    }
    row.errors = of(&errors);
    row.gap = of(&gap);
    row.entropy = of(&entropy);
    row.advantage = row.values == 2 ? fmax(0, 2 * worst(r, like, "attribute_balanced") - 1) : NAN;
    row.least_errors = fmax(0, row.gap - row.advantage);
    if (isnan(row.gap) || isnan(row.advantage))
        row.least_errors = NAN;
    row.information = information(r, own);
    const double unknown = fmax(0, row.entropy - row.information);
    row.most_right = isnan(row.information) || row.values != 2 ? NAN : gnt_bound_of_two(unknown);
    row.most_right_fano = isnan(row.information) ? NAN : gnt_bound_of_values(unknown, row.values);
    row.right = worst(r, like, "attribute_accuracy");
    return row;
}

int gnt_bounds(const gnt_results *r, gnt_bound_rows *out, gnt_err *err) {
    own_cells own = {.at = gnt_array(r->n_cell + 1, sizeof *own.at)};
    uint8_t *listed = gnt_array(r->n_cell + 1, sizeof *listed);
    *out = (gnt_bound_rows){.row = gnt_array(r->n_cell + 1, sizeof *out->row)};
    const int rc = out->row && own.at && listed ? 0 : gnt_fail(err, "out of memory for the bounds");
    for (size_t i = 0; rc == 0 && i < r->n_cell; i++) {
        if (listed[i] || !r->cell[i].utility.by_value.at)
            continue;
        own.n = 0;
        for (size_t k = 0; k < r->n_cell; k++)
            if (!listed[k] && is_same(&r->cell[k], &r->cell[i])) {
                own.at[own.n++] = k;
                listed[k] = 1;
            }
        out->row[out->n++] = row_of(r, &own);
    }
    gnt_free(own.at);
    gnt_free(listed);
    return rc;
}

void gnt_bounds_free(gnt_bound_rows *rows) {
    gnt_free(rows->row);
    *rows = (gnt_bound_rows){0};
}
