/* The utility of a training, read back from the store. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "metric/map.h"
#include "nn/io/safetensors.h"
#include "run/run_impl.h"

enum { ALWAYS = 3 }; /* the first keys of a round, which every task has */

int run_has_utility(const run *r, const run_job *train) {
    json_t *all = run_metadata(r, train, "trained");
    const json_t *one, *list = json_object_get(all, "utility");
    size_t i;
    int holds = json_is_array(list);
    json_array_foreach(list, i, one) holds &= json_is_object(one);
    json_decref(all);
    return holds;
}

/* Returns "by_round" of results.json: the rounds after which utility was measured. */
static json_t *by_round_json(const json_t *list) {
    const char *const keys[] = {"round", "accuracy", "loss", gnt_map_names[GNT_MAP_IOU]};
    json_t *points = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) {
        json_t *point = json_object();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(one, keys[k]);
            if (value || k < ALWAYS)
                json_object_set_new(point, keys[k], json_is_number(value) ? json_incref(value) : json_null());
        }
        json_array_append_new(points, point);
    }
    return points;
}

/* Returns the other measures of maps, and the loss: {NAME: {"value", "standard_error"}}; NULL if the test
 * samples have no maps. */
static json_t *others_json(const json_t *measured, const char *measure) {
    json_t *all = json_object_get(measured, gnt_map_names[GNT_MAP_IOU]) ? json_object() : NULL;
    for (int k = 0; all && k <= GNT_MAP_NUMBERS; k++) {
        const char *name = k < GNT_MAP_NUMBERS ? gnt_map_names[k] : "loss";
        char error[64];
        snprintf(error, sizeof error, "%s_error", name);
        if (strcmp(name, measure) != 0)
            json_object_set_new(all, name,
                                json_pack("{s:O, s:O}", "value", json_object_get(measured, name),
                                          "standard_error", json_object_get(measured, error)));
    }
    return all;
}

double run_utility(const run *r, run_job *train, double *noise) {
    if (!train->measured.is_read) {
        const char *measure = gnt_utility_names[train->utility_kind];
        char error_of[64];
        snprintf(error_of, sizeof error_of, "%s_error", measure);
        json_t *all = run_metadata(r, train, "trained");
        const json_t *list = json_object_get(all, "utility");
        const char *diverged = json_string_value(json_object_get(all, "diverged"));
        size_t n = train->untrained || (diverged && *diverged) ? 0 : json_array_size(list);
        const json_t *last = n ? json_array_get(list, n - 1) : NULL;
        const json_t *value = json_object_get(last, measure), *error = json_object_get(last, error_of);
        train->measured.utility = json_is_number(value) ? json_number_value(value) : NAN;
        train->measured.noise = json_is_number(error) ? json_number_value(error) : 0;
        if (n && train->request.train.measure_every > 0)
            train->measured.by_round = by_round_json(list);
        if (n)
            train->measured.by_value = json_incref(json_object_get(all, "by_value"));
        if (n)
            train->measured.others = others_json(last, measure);
        train->measured.is_read = 1;
        json_decref(all);
    }
    if (noise)
        *noise = train->measured.noise;
    return train->measured.utility;
}

/* ---- compared with another training ---- */

/* The numbers, row by row, of which a bundle's utility is the mean. */
typedef struct measured_rows {
    gnt_st st;
    uint8_t *bytes;
    const float *at;
    int64_t n;
} measured_rows;

static void read_rows(const run *r, const run_job *train, measured_rows *out) {
    const int loss = train->utility_kind == GNT_UTILITY_LOSS;
    size_t size = 0;
    *out = (measured_rows){0};
    gnt_st_init(&out->st);
    if (gnt_store_read(r->store, &train->stored.key, train->stored.record, "trained", &out->bytes, &size,
                       NULL) != 0 ||
        gnt_st_parse(&out->st, "trained", out->bytes, size, NULL) != 0)
        return;
    const gnt_st_tensor *t = gnt_st_find(&out->st, "rows");
    if (t && t->type == GNT_ST_F32 && t->rank == 2 && t->dim[0] == 2) {
        out->n = t->dim[1];
        out->at = (const float *)t->data + (loss ? out->n : 0);
    }
}

static void free_rows(measured_rows *m) {
    gnt_st_free(&m->st);
    gnt_free(m->bytes);
}

/* Returns the standard error of the mean difference between two training runs on the same rows; NaN if these
 * were not kept. */
static double error_of_difference(const measured_rows *a, const measured_rows *b) {
    double sum = 0, squares = 0;
    const int64_t n = a->n;
    if (!a->at || !b->at || n != b->n || n < 1)
        return NAN;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a->at[i] - (double)b->at[i];
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double off = (double)a->at[i] - (double)b->at[i] - mean;
        squares += off * off;
    }
    return n > 1 ? sqrt(squares / ((double)n * (double)(n - 1))) : 0;
}

double run_utility_above(const run *r, run_job *train, run_job *none, double *noise) {
    double own, others;
    const double difference = run_utility(r, train, &own) - run_utility(r, none, &others);
    measured_rows a, b;
    read_rows(r, train, &a);
    read_rows(r, none, &b);
    const double error = error_of_difference(&a, &b);
    free_rows(&a);
    free_rows(&b);
    *noise = isfinite(error) ? error : hypot(own, others);
    return difference;
}
