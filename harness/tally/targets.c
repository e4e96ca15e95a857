#include "tally/targets.h"

#include "base/mem.h"
#include "metric/measure.h"

/* The targets' numbers of one measure, summed up, of those that have one; nothing where none has. */
static int summarise(json_t *measures, const json_t *targets, const gnt_measure *m, gnt_err *err) {
    size_t n = 0, all = json_array_size(targets);
    if (!json_object_get(json_array_get(targets, 0), m->name))
        return 0;
    double *x = gnt_array(all, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory for %zu scores", all);
    for (size_t i = 0; i < all; i++) {
        const json_t *value = json_object_get(json_array_get(targets, i), m->name);
        if (json_is_number(value))
            x[n++] = json_number_value(value);
    }
    if (n == 0) {
        gnt_free(x);
        return 0;
    }
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
