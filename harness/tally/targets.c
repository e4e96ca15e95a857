#include "tally/targets.h"

#include "base/mem.h"
#include "metric/measure.h"

/* The targets' numbers of one measure, summed up; nothing where they have none. */
static int summarise(json_t *measures, const json_t *targets, const gnt_measure *m, gnt_err *err) {
    size_t n = json_array_size(targets);
    if (!json_object_get(json_array_get(targets, 0), m->name))
        return 0;
    double *x = gnt_array(n, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory for %zu scores", n);
    for (size_t i = 0; i < n; i++)
        x[i] = json_number_value(json_object_get(json_array_get(targets, i), m->name));
    json_t *stat = gnt_measure_stat(m, x, NULL, n, err);
    if (stat)
        json_object_set_new(measures, m->name, stat);
    gnt_free(x);
    return stat ? 0 : -1;
}

int gnt_targets_measures(json_t *measures, const json_t *targets, gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < GNT_MEASURES; i++)
        if (!gnt_measure_at(i)->whole)
            rc = summarise(measures, targets, gnt_measure_at(i), err);
    return rc;
}
