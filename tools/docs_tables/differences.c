#include "differences.h"

#include <string.h>

#include "report/table/report_tables.h"
#include "judge/paired.h"
#include "scores.h"

/* Calls `visit` with every entry of the suite's own tables that is a difference; ends where it gives 0. */
typedef int visitor(void *context, const gnt_results *r, const gnt_paper_pair *p);

static int visit_differences(const gnt_results *r, visitor *visit, void *context) {
    json_t *tables = gnt_paper_read(r);
    int goes_on = 1;
    for (size_t i = 0; goes_on && i < json_array_size(tables); i++) {
        gnt_paper_table t;
        if (gnt_paper_at(tables, i, &t) != 0)
            continue;
        const size_t rows = json_array_size(json_object_get(t.spec, "rows")),
                     columns = json_array_size(json_object_get(t.spec, "columns"));
        for (size_t k = 0; goes_on && k < rows * columns; k++) {
            const gnt_paper_pair p = gnt_paper_pair_at(r, &t, k / columns, k % columns);
            if (p.is_difference && p.group && p.other)
                goes_on = visit(context, r, &p);
        }
    }
    json_decref(tables);
    return goes_on;
}

typedef struct search {
    const gnt_outcome *cell;
    differences found;
} search;

static int add_need(void *context, const gnt_results *r, const gnt_paper_pair *p) {
    search *a = context;
    differences *d = &a->found;
    (void)r;
    if (!gnt_is_of_group(a->cell, p->group) && !gnt_is_of_group(a->cell, p->other))
        return 1;
    d->utility |= !p->measure;
    d->other |= !p->measure && strcmp(p->utility, p->group->utility.measure) != 0;
    for (size_t m = 0; p->measure && m < GNT_MEASURES; m++)
        d->measure[m] |= gnt_measure_at(m) == p->measure;
    d->measures |= p->measure != NULL;
    return 1;
}

differences differences_of(const gnt_results *r, const gnt_outcome *cell) {
    search a = {.cell = cell};
    visit_differences(r, add_need, &a);
    return a.found;
}

/* Counts the targets of a group's cells; 0 if a table counts them one by one. */
static size_t count_targets(const gnt_results *r, const gnt_outcome *group) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_cell; i++) {
        if (!gnt_is_of_group(&r->cell[i], group))
            continue;
        if (scores_is_counted(r, &r->cell[i]))
            return 0;
        n += r->cell[i].targets.n;
    }
    return n;
}

static int means_suffice(void *context, const gnt_results *r, const gnt_paper_pair *p) {
    gnt_stat d;
    (void)context;
    if (!p->measure)
        return 1;
    return gnt_paired_difference(&d, r, p->group, p->other, p->measure) == 0 && d.trainings > 1 &&
           (size_t)d.n == count_targets(r, p->group) && (size_t)d.n == count_targets(r, p->other);
}

int differences_need_means(const gnt_results *r) {
    return visit_differences(r, means_suffice, NULL);
}
