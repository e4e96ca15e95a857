/* The statistics of a cell from the scores of its targets. */
#include <math.h>

#include "base/mem.h"
#include "derive/derive.h"

/* Adds the statistics of one measure, over the targets that have a number of it, if any. */
static int summarise(gnt_named_stat *list, size_t *n_list, const gnt_targets *targets, const gnt_measure *m,
                     gnt_err *err) {
    const gnt_measure_id id = gnt_measure_id_of(m);
    size_t n = 0;
    int rc = 0;
    if (!targets->n || !gnt_fields_has(&gnt_target_fields, targets->at, &targets->at->score[id]))
        return 0;
    double *x = gnt_array(targets->n, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory for %zu scores", targets->n);
    for (size_t i = 0; i < targets->n; i++)
        if (isfinite(targets->at[i].score[id]))
            x[n++] = targets->at[i].score[id];
    if (n) {
        gnt_named_stat *one = &list[(*n_list)++];
        one->measure = m->name;
        rc = gnt_measure_stat(&one->stat, m, x, NULL, n, err);
    }
    gnt_free(x);
    return rc;
}

int gnt_derive_measures(gnt_named_stats *out, const gnt_targets *targets, gnt_arena *arena, gnt_err *err) {
    gnt_named_stat *list = gnt_arena_array(arena, GNT_MEASURES, sizeof *list);
    int rc = list ? 0 : gnt_fail(err, "out of memory for the measures");
    *out = (gnt_named_stats){list, 0};
    for (size_t i = 0; rc == 0 && i < GNT_MEASURES; i++)
        if (!gnt_measure_at(i)->whole)
            rc = summarise(list, &out->n, targets, gnt_measure_at(i), err);
    return rc;
}
