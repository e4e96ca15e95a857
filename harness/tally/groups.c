/* Cells that differ in the seed alone, joined. Each seed is a training of its own. */
#include "tally/groups.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "metric/measure.h"

/* What comes before the seed in a cell's id; 0 for no id. */
static size_t key_length(const json_t *cell) {
    const char *id = json_string_value(json_object_get(cell, "cell"));
    const char *slash = id ? strrchr(id, '/') : NULL;
    return slash ? (size_t)(slash - id) : 0;
}

static int same_group(const json_t *a, const json_t *b) {
    const size_t n = key_length(a);
    return n && n == key_length(b) &&
           memcmp(json_string_value(json_object_get(a, "cell")),
                  json_string_value(json_object_get(b, "cell")), n) == 0;
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

typedef struct group {
    const json_t *cells; /* the whole list */
    size_t first, n;     /* seeds vary fastest in a plan: a group is a stretch of it */
} group;

static const json_t *cell_of(const group *g, size_t i) {
    return json_array_get(g->cells, g->first + i);
}

static int is_ok(const json_t *cell) {
    const char *status = json_string_value(json_object_get(cell, "status"));
    return status && strcmp(status, "ok") == 0;
}

/* Scores of all targets of all cells that are ok; training: which cell. */
static size_t gather(const group *g, const char *name, double **x, int64_t **training) {
    size_t n = 0, room = 0;
    for (size_t i = 0; i < g->n; i++)
        room += json_array_size(json_object_get(cell_of(g, i), "targets"));
    *x = gnt_array(room, sizeof **x);
    *training = gnt_array(room, sizeof **training);
    for (size_t i = 0; *x && *training && i < g->n; i++) {
        const json_t *targets = json_object_get(cell_of(g, i), "targets");
        for (size_t t = 0; t < json_array_size(targets); t++) {
            const json_t *value = json_object_get(json_array_get(targets, t), name);
            if (!json_is_number(value))
                continue;
            (*x)[n] = json_number_value(value);
            (*training)[n++] = (int64_t)i;
        }
    }
    return n;
}

static void add_stat(json_t *measures, const gnt_measure *m, const double *x, const int64_t *training,
                     size_t n) {
    json_t *stat = n ? gnt_measure_stat(m, x, training, n, NULL) : NULL;
    if (stat)
        json_object_set_new(measures, m->name, stat);
}

static void add_measure(const group *g, json_t *measures, const gnt_measure *m) {
    double *x;
    int64_t *training;
    size_t n = gather(g, m->name, &x, &training);
    add_stat(measures, m, x, training, n);
    gnt_free(x);
    gnt_free(training);
}

/* What the private attribute of each observation was, and the `answer` to it; batch: targets behind one
 * observation, which share both. */
static size_t gather_attributes(const group *g, const char *answer, int64_t batch, int32_t **truth,
                                int32_t **told, int64_t **training) {
    size_t n = 0, room = 0;
    for (size_t i = 0; i < g->n; i++)
        room += json_array_size(json_object_get(cell_of(g, i), "targets"));
    *truth = gnt_array(room, sizeof **truth);
    *told = gnt_array(room, sizeof **told);
    *training = gnt_array(room, sizeof **training);
    for (size_t i = 0; *truth && *told && *training && i < g->n; i++) {
        const json_t *targets = json_object_get(cell_of(g, i), "targets");
        for (size_t t = 0; t < json_array_size(targets); t += (size_t)batch) {
            const json_t *one = json_array_get(targets, t), *was = json_object_get(one, "attribute_truth");
            if (!json_is_integer(was))
                continue;
            (*truth)[n] = (int32_t)json_integer_value(was);
            (*told)[n] = (int32_t)json_integer_value(json_object_get(one, answer));
            (*training)[n++] = (int64_t)i;
        }
    }
    return n;
}

/* Balanced accuracy belongs to a cell as a whole, not to a target; worst: the seed that leaked most. */
static void add_balanced(const group *g, gnt_measure_id id, const char *answer, json_t *measures,
                         int64_t batch) {
    const char *const name = gnt_measure_of(id)->name;
    int32_t *truth, *told;
    int64_t *training;
    size_t n = gather_attributes(g, answer, batch, &truth, &told, &training);
    gnt_estimate e;
    double most = -INFINITY;
    for (size_t i = 0; i < g->n; i++) {
        const json_t *all = json_object_get(cell_of(g, i), "measures");
        const json_t *mean = json_object_get(json_object_get(all, name), "mean");
        if (json_is_number(mean))
            most = fmax(most, json_number_value(mean));
    }
    if (n && isfinite(most) && gnt_estimate_balanced(&e, truth, told, training, n, NULL) == 0)
        json_object_set_new(measures, name, gnt_measure_stat_whole(&e, most, n));
    gnt_free(truth);
    gnt_free(told);
    gnt_free(training);
}

/* The order in which clients were put belongs to a cell as a whole too: mean over seeds, each counted
 * once. */
static void add_rank(const group *g, json_t *measures) {
    const gnt_measure *m = gnt_measure_of(GNT_MEASURE_CONTRIBUTION_RANK);
    double *x = gnt_array(g->n, sizeof *x);
    int64_t *training = gnt_array(g->n, sizeof *training);
    size_t n = 0;
    for (size_t i = 0; x && training && i < g->n; i++) {
        const json_t *all = json_object_get(cell_of(g, i), "measures");
        const json_t *mean = json_object_get(json_object_get(all, m->name), "mean");
        if (!json_is_number(mean))
            continue;
        x[n] = json_number_value(mean);
        training[n++] = (int64_t)i;
    }
    add_stat(measures, m, x, training, n);
    gnt_free(x);
    gnt_free(training);
}

/* The utility of a cell, or what it was measured to be beside it. */
static const json_t *measured(const group *g, size_t i, const char *beside) {
    const json_t *utility = json_object_get(cell_of(g, i), "utility");
    return beside ? json_object_get(json_object_get(utility, "beside"), beside) : utility;
}

/* Mean and range over cells; null where none has it. */
static json_t *range_json(const group *g, const char *beside) {
    double sum = 0, least = INFINITY, most = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const double u = number_of(measured(g, i, beside), "value");
        if (!isfinite(u))
            continue;
        sum += u;
        least = fmin(least, u);
        most = fmax(most, u);
        n++;
    }
    return n ? json_pack("{s:f, s:f, s:f}", "mean", sum / (double)n, "low", least, "high", most)
             : json_null();
}

/* What is measured beside it, by the names that the first cell has that has any; NULL: nothing is. */
static json_t *beside_json(const group *g) {
    json_t *all = NULL, *one;
    const char *name;
    for (size_t i = 0; !all && i < g->n; i++) {
        json_t *beside = json_object_get(json_object_get(cell_of(g, i), "utility"), "beside");
        all = json_is_object(beside) ? json_object() : NULL;
        if (all)
            json_object_foreach(beside, name, one) json_object_set_new(all, name, range_json(g, name));
    }
    return all;
}

static json_t *utility_json(const group *g, double *none) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const double z = number_of(measured(g, i, NULL), "none");
        if (isfinite(z)) {
            sum += z;
            n++;
        }
    }
    *none = n ? sum / (double)n : NAN;
    json_t *all = range_json(g, NULL), *beside = json_is_object(all) ? beside_json(g) : NULL;
    if (beside)
        json_object_set_new(all, "beside", beside);
    return all;
}

/* Mean over cells of every number in `part`, of objects one level deep at most. */
static json_t *average(const group *g, const char *part) {
    json_t *out = json_object();
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += json_object_get(cell_of(g, i), part) != NULL;
    for (size_t i = 0; i < g->n; i++) {
        const char *name, *inner;
        json_t *value, *x;
        json_object_foreach(json_object_get(cell_of(g, i), part), name, value) {
            if (json_is_number(value)) {
                double before = json_number_value(json_object_get(out, name));
                json_object_set_new(out, name, json_real(before + json_number_value(value) / (double)n));
            } else if (json_is_object(value)) {
                if (!json_object_get(out, name))
                    json_object_set_new(out, name, json_object());
                json_t *mine = json_object_get(out, name);
                json_object_foreach(value, inner, x) if (json_is_number(x)) {
                    double before = json_number_value(json_object_get(mine, inner));
                    json_object_set_new(mine, inner, json_real(before + json_number_value(x) / (double)n));
                }
            }
        }
    }
    return out;
}

/* What all cells of a group have in common, from its first. */
static void copy_coordinates(json_t *to, const json_t *cell) {
    static const char *const keys[] = {"task", "stage", "defense", "strength", "mode", "attack"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(cell, keys[i]);
        json_object_set_new(to, keys[i], value ? json_incref(value) : json_null());
    }
}

/* Samples behind one observation of a task: they share what is told of it. */
static int64_t batch_of(const json_t *tasks, const json_t *cell) {
    const char *id = json_string_value(json_object_get(cell, "task"));
    for (size_t i = 0; id && i < json_array_size(tasks); i++) {
        const json_t *task = json_array_get(tasks, i);
        const char *name = json_string_value(json_object_get(task, "id"));
        const int64_t batch = json_integer_value(json_object_get(task, "batch"));
        if (name && strcmp(name, id) == 0)
            return batch > 0 ? batch : 1;
    }
    return 1;
}

/* One status for several cells: ok when any is, else that of the first, and its reason. */
static void add_status(json_t *to, const group *g) {
    size_t n_ok = 0;
    for (size_t i = 0; i < g->n; i++)
        n_ok += (size_t)is_ok(cell_of(g, i));
    json_t *status = json_object_get(cell_of(g, 0), "status"),
           *reason = n_ok ? NULL : json_object_get(cell_of(g, 0), "reason");
    json_object_set_new(to, "status", n_ok ? json_string("ok") : json_incref(status));
    json_object_set_new(to, "reason", reason ? json_incref(reason) : json_null());
    json_object_set_new(to, "n_cells", json_integer((json_int_t)g->n));
    json_object_set_new(to, "n_ok", json_integer((json_int_t)n_ok));
}

static json_t *group_json(const group *g, const json_t *tasks) {
    double none;
    json_t *one = json_object(), *measures = json_object(), *utility = utility_json(g, &none);
    for (size_t i = 0; i < GNT_MEASURES; i++)
        if (!gnt_measure_at(i)->whole)
            add_measure(g, measures, gnt_measure_at(i));
    const int64_t batch = batch_of(tasks, cell_of(g, 0));
    add_balanced(g, GNT_MEASURE_ATTRIBUTE_BALANCED, "attribute_told", measures, batch);
    add_balanced(g, GNT_MEASURE_ATTRIBUTE_RELABELLED, "attribute_renamed", measures, batch);
    add_rank(g, measures);
    copy_coordinates(one, cell_of(g, 0));
    add_status(one, g);
    json_object_set_new(one, "utility", utility);
    json_object_set_new(one, "utility_none", gnt_json_real(none));
    json_object_set_new(one, "measures", measures);
    json_object_set_new(one, "floors", average(g, "floors"));
    json_object_set_new(one, "chance", average(g, "chance"));
    json_object_set_new(one, "matched",
                        json_boolean(json_is_true(json_object_get(cell_of(g, 0), "matched"))));
    return one;
}

json_t *gnt_groups(const json_t *cells, const json_t *tasks) {
    json_t *list = json_array();
    const size_t n = json_array_size(cells);
    for (size_t i = 0; i < n;) {
        group g = {cells, i, 1};
        while (i + g.n < n && same_group(cell_of(&g, 0), cell_of(&g, g.n)))
            g.n++;
        json_array_append_new(list, group_json(&g, tasks));
        i += g.n;
    }
    return list;
}
