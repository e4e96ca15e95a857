/* The utility that a training left, read back from the store. */
#include <math.h>
#include <string.h>

#include "run/run_impl.h"

int run_has_utility(const run *r, const run_job *train) {
    json_t *all = run_metadata(r, train, "trained");
    const json_t *one, *list = json_object_get(all, "utility");
    size_t i;
    int holds = json_is_array(list);
    json_array_foreach(list, i, one) holds &= json_is_object(one);
    json_decref(all);
    return holds;
}

/* What results.json says of each round after which utility was measured. */
static json_t *by_round_json(const json_t *list) {
    static const char *const keys[] = {"round", "accuracy", "loss"};
    json_t *points = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) {
        json_t *point = json_object();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(one, keys[k]);
            json_object_set_new(point, keys[k], json_is_number(value) ? json_incref(value) : json_null());
        }
        json_array_append_new(points, point);
    }
    return points;
}

double run_utility(const run *r, run_job *train, double *noise) {
    if (!train->measured) {
        int loss = train->utility_kind == GNT_UTILITY_LOSS;
        json_t *all = run_metadata(r, train, "trained");
        const json_t *list = json_object_get(all, "utility");
        const char *diverged = json_string_value(json_object_get(all, "diverged"));
        size_t n = train->untrained || (diverged && *diverged) ? 0 : json_array_size(list);
        const json_t *last = n ? json_array_get(list, n - 1) : NULL;
        const json_t *value = json_object_get(last, loss ? "loss" : "accuracy");
        const json_t *error = json_object_get(last, loss ? "loss_error" : "accuracy_error");
        train->utility = json_is_number(value) ? json_number_value(value) : NAN;
        train->noise = json_is_number(error) ? json_number_value(error) : 0;
        if (n && train->request.train.measure_every > 0)
            train->by_round = by_round_json(list);
        train->measured = 1;
        json_decref(all);
    }
    if (noise)
        *noise = train->noise;
    return train->utility;
}
