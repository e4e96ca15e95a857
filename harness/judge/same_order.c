#include "judge/same_order.h"

#include "base/mem.h"
#include "judge/group_roles.h"
#include "judge/ranking.h"
#include "judge/section.h"

/* The groups that are compared: for each stage and attack those of all defenses. */
typedef struct table {
    const gnt_results *r;
    const gnt_outcome **group;
    size_t n_line; /* stages × attacks */
    const gnt_measure *measure[2];
    double *floor; /* of each line by both measures */
} table;

static int fill(table *t, const char *task, const int64_t *stages, size_t n_stages) {
    const gnt_results *r = t->r;
    t->n_line = n_stages * r->n_attack;
    t->group = gnt_array(t->n_line * r->n_defense + 1, sizeof *t->group);
    t->floor = gnt_array(t->n_line * 2 + 1, sizeof *t->floor);
    if (!t->group || !t->floor)
        return -1;
    for (size_t l = 0; l < t->n_line; l++) {
        const int64_t stage = stages[l / r->n_attack];
        const char *name;
        for (size_t d = 0; d < r->n_defense; d++)
            t->group[l * r->n_defense + d] =
                gnt_representative(r, task, stage, r->defense[d], r->attack[l % r->n_attack]);
        for (int k = 0; k < 2; k++)
            t->floor[l * 2 + (size_t)k] = gnt_section_floor(r, task, stage, t->measure[k], &name);
    }
    return 0;
}

/* Finds how a measure orders two defenses on a line by its means: −1: the first leaks less; 0: neither.
 * *sure: likewise, by their intervals. */
static int order(const table *t, size_t line, int k, size_t i, size_t j, int *sure) {
    const gnt_measure *m = t->measure[k];
    const gnt_score *x = gnt_number_of(t->group[line * t->r->n_defense + i], m->name),
                    *y = gnt_number_of(t->group[line * t->r->n_defense + j], m->name);
    const double floor = t->floor[line * 2 + (size_t)k];
    const gnt_leak a = gnt_leak_of(m, &x->stat, floor), b = gnt_leak_of(m, &y->stat, floor);
    *sure = gnt_leak_surely_less(m, &b, &a) - gnt_leak_surely_less(m, &a, &b);
    return gnt_leaks_more(m, a.mean, b.mean) - gnt_leaks_more(m, b.mean, a.mean);
}

/* True if both measures have a number of two groups, of which not both recovered all exactly. */
static int is_compared(const table *t, const gnt_outcome *x, const gnt_outcome *y) {
    for (int k = 0; k < 2; k++) {
        const gnt_measure *m = t->measure[k];
        const gnt_score *a = gnt_number_of(x, m->name), *b = gnt_number_of(y, m->name);
        if (!a || !b)
            return 0;
        if (m == gnt_measure_of(GNT_MEASURE_PSNR) && a->stat.mean >= m->bounds.most &&
            b->stat.mean >= m->bounds.most)
            return 0;
    }
    return 1;
}

/* Compares the measures on a pair of defenses, on all lines: *ordered if one surely orders it. Returns 1 if
 * they disagree on it, by the first line where they are opposed or, if there is none, differ. */
static int compare(const table *t, size_t i, size_t j, int *ordered, gnt_disagreement *out) {
    int found = 0;
    *ordered = 0;
    for (size_t l = 0; l < t->n_line; l++) {
        int sure[2], means[2];
        const char *attack = t->r->attack[l % t->r->n_attack];
        const gnt_outcome *const *line = t->group + l * t->r->n_defense;
        if (!is_compared(t, line[i], line[j]))
            continue;
        for (int k = 0; k < 2; k++)
            means[k] = order(t, l, k, i, j, &sure[k]);
        *ordered |= sure[0] || sure[1];
        const int opposed = sure[0] * sure[1] < 0, by = !sure[0] || means[1] == sure[0];
        if (sure[by] == 0 || means[!by] == sure[by] || (found && !(opposed && !out->opposed)))
            continue;
        found = 1;
        *out = (gnt_disagreement){.attack = attack,
                                  .less = t->r->defense[sure[by] < 0 ? i : j],
                                  .more = t->r->defense[sure[by] < 0 ? j : i],
                                  .by = t->measure[by],
                                  .opposed = opposed};
    }
    return found;
}

int gnt_agreement_of(gnt_agreement *out, const gnt_results *r, const char *task, int64_t stage,
                     const gnt_measure *a, const gnt_measure *b) {
    int64_t stages[GNT_MOST_STAGES] = {stage};
    table t = {.r = r, .measure = {a, b}};
    *out = (gnt_agreement){0};
    const size_t n = stage == GNT_EVERY_STAGE ? gnt_stages(r, task, stages) : 1;
    const int rc = fill(&t, task, stages, n);
    for (int opposed = 1; rc == 0 && opposed >= 0; opposed--)
        for (size_t i = 0; i < r->n_defense; i++)
            for (size_t j = i + 1; j < r->n_defense; j++) {
                gnt_disagreement one = {0};
                int ordered;
                const int disagree = compare(&t, i, j, &ordered, &one);
                out->ordered += opposed && ordered;
                out->disagreed += opposed && disagree;
                if (disagree && one.opposed == opposed && out->n_first < GNT_MOST_DISAGREEMENTS)
                    out->first[out->n_first++] = one;
            }
    gnt_free(t.group);
    gnt_free(t.floor);
    return rc;
}
