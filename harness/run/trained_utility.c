/* The utility of a training, read back from the store. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "metric/map.h"
#include "nn/io/safetensors.h"
#include "run/run_impl.h"

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
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
        const double noise_read = number_of(last, error_of);
        train->measured.utility = number_of(last, measure);
        train->measured.noise = isfinite(noise_read) ? noise_read : 0;
        if (n)
            train->measured.trained = json_incref(all);
        train->measured.is_read = 1;
        json_decref(all);
    }
    if (noise)
        *noise = train->measured.noise;
    return train->measured.utility;
}

static void read_one(const run_job *train, const json_t *utility, gnt_measured *out) {
    const char *measure = gnt_utility_names[train->utility_kind];
    char error_of[64];
    snprintf(error_of, sizeof error_of, "%s_error", measure);
    *out = (gnt_measured){number_of(utility, measure), number_of(utility, error_of)};
}

/* Returns a new reference to the metadata of a training's output, a file that has its weights, too: cells
 * that share the training read it once. */
static json_t *trained_of(const run *r, const run_job *train) {
    return train->measured.trained ? json_incref(train->measured.trained) : run_metadata(r, train, "trained");
}

json_t *run_record_of(const run *r, run_job *train) {
    if (!train->measured.record && gnt_store_digest(train->stored.record, "record"))
        train->measured.record = run_metadata(r, train, "record");
    return json_incref(train->measured.record);
}

int run_control_utility(const run *r, const run_job *train, run_control *out, gnt_arena *arena) {
    json_t *all = trained_of(r, train);
    const json_t *control = json_object_get(all, "control");
    const char *refused = json_string_value(json_object_get(control, "refused"));
    *out = (run_control){.refused = refused ? gnt_arena_text(arena, refused) : NULL};
    read_one(train, json_object_get(control, "utility"), &out->left);
    read_one(train, json_object_get(control, "untrained"), &out->untrained);
    read_one(train, json_object_get(control, "constant"), &out->constant);
    const int measured = control != NULL;
    json_decref(all);
    return measured;
}

/* ---- secret labels ---- */

/* Returns what a control training had learnt after each round that was measured; NULL: none. The caller
 * frees. */
static gnt_secret_learnt *read_learnt(const run *r, const run_job *train, size_t *n) {
    json_t *all = trained_of(r, train);
    const json_t *list = json_object_get(all, "secret");
    gnt_secret_learnt *point = gnt_array(json_array_size(list) + 1, sizeof *point);
    *n = point ? json_array_size(list) : 0;
    for (size_t i = 0; i < *n; i++) {
        const json_t *one = json_array_get(list, i);
        const gnt_secret_counts c = {.changed = json_integer_value(json_object_get(one, "changed")),
                                     .learnt = json_integer_value(json_object_get(one, "learnt")),
                                     .others = json_integer_value(json_object_get(one, "others")),
                                     .mistaken = json_integer_value(json_object_get(one, "mistaken")),
                                     .kept = json_integer_value(json_object_get(one, "kept")),
                                     .right = json_integer_value(json_object_get(one, "right")),
                                     .commonest = json_integer_value(json_object_get(one, "commonest"))};
        point[i] = gnt_metric_secret(&c);
    }
    json_decref(all);
    return point;
}

int run_secret_learnt(const run *r, const run_job *secret, const run_job *none, run_secret *out) {
    size_t n, n_none;
    gnt_secret_learnt *point = read_learnt(r, secret, &n), *without = read_learnt(r, none, &n_none);
    const int measured = n > 0 && n_none > 0;
    if (measured) {
        out->own = point[n - 1];
        out->none = gnt_metric_secret_at(without, n_none, out->own.accuracy);
        out->untrained = without[0];
    }
    gnt_free(point);
    gnt_free(without);
    return measured;
}

/* ---- parts of the utility ---- */

/* Returns the structs of a list of objects, whose number is *n. What the store has in another
 * form is left out. */
static void *read_list(const gnt_fields *fields, const json_t *list, size_t *n, gnt_arena *arena) {
    const size_t entries = json_array_size(list);
    char *all = gnt_arena_array(arena, entries, fields->size);
    for (size_t i = 0; all && i < entries; i++)
        if (gnt_fields_decode(fields, all + i * fields->size, json_array_get(list, i), arena, "", NULL) != 0)
            return NULL;
    *n = all ? entries : 0;
    return all;
}

int run_has_utility(const run *r, const run_job *train) {
    json_t *all = run_metadata(r, train, "trained");
    const json_t *list = json_object_get(all, "utility");
    gnt_arena arena = {0};
    gnt_rounds rounds = {0};
    rounds.at = json_is_array(list) ? read_list(&gnt_round_fields, list, &rounds.n, &arena) : NULL;
    const int holds = rounds.at && gnt_rounds_stop_rising(&rounds) == rounds.n;
    gnt_arena_free(&arena);
    json_decref(all);
    return holds;
}

/* Fills in the other measures of maps, and their loss; nothing if the test samples have no maps. */
static void fill_others(gnt_other_utilities *out, const json_t *last, const char *measure, gnt_arena *arena) {
    gnt_other_utility *list = gnt_arena_array(arena, GNT_MAP_NUMBERS + 1, sizeof *list);
    size_t n = 0;
    if (!list || !json_object_get(last, gnt_map_names[GNT_MAP_IOU]))
        return;
    for (int k = 0; k <= GNT_MAP_NUMBERS; k++) {
        const char *name = k < GNT_MAP_NUMBERS ? gnt_map_names[k] : "loss";
        char error[64];
        snprintf(error, sizeof error, "%s_error", name);
        if (strcmp(name, measure) != 0)
            list[n++] = (gnt_other_utility){name, number_of(last, name), number_of(last, error), NAN, NAN};
    }
    *out = (gnt_other_utilities){list, n};
}

void run_fill_utility(const run *r, run_job *train, const char *attribute, gnt_utility *out,
                      gnt_arena *arena) {
    run_utility(r, train, NULL);
    if (!train->measured.trained)
        return;
    const json_t *list = json_object_get(train->measured.trained, "utility");
    const json_t *values = json_object_get(json_object_get(train->measured.trained, "by_value"), attribute);
    if (train->request.train.measure_every > 0)
        out->by_round.at = read_list(&gnt_round_fields, list, &out->by_round.n, arena);
    if (attribute && values)
        out->by_value.at = read_list(&gnt_value_fields, values, &out->by_value.n, arena);
    fill_others(&out->others, json_array_get(list, json_array_size(list) - 1),
                gnt_utility_names[train->utility_kind], arena);
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
