#include "results/task.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "results/results_impl.h"

/* The entry that is read, for sentences. */
typedef struct place {
    const char *file;
    size_t index;
    gnt_err *err;
} place;

static int refuse(const place *at, const char *key, const char *expected) {
    return gnt_fail(at->err, "%s: tasks[%zu].%s: expected %s; run the suite again to write this file anew",
                    at->file, at->index, key, expected);
}

static int read_flag(const place *at, const json_t *object, const char *key, int *out) {
    const json_t *v = json_object_get(object, key);
    *out = json_is_true(v);
    return v && !json_is_null(v) && !json_is_boolean(v) ? refuse(at, key, "true or false") : 0;
}

static int read_from(const place *at, const json_t *object, int *in_round) {
    const json_t *v = json_object_get(object, "observe_from");
    const char *word = json_string_value(v);
    *in_round = word && !strcmp(word, "round");
    if (!v || json_is_null(v) || *in_round || (word && !strcmp(word, "probe")))
        return 0;
    return refuse(at, "observe_from", "\"round\" or \"probe\"");
}

static int read_adequate(const place *at, const json_t *object, gnt_adequate_limits *out) {
    const struct {
        const char *name;
        double *to;
    } limits[] = {{"identified", &out->identified}, {"above_floor", &out->above_floor}, {"gain", &out->gain}};
    const json_t *all = json_object_get(object, "adequate");
    *out = (gnt_adequate_limits)GNT_ADEQUATE_DEFAULTS;
    if (all && !json_is_null(all) && !json_is_object(all))
        return refuse(at, "adequate", "an object of limits");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const json_t *v = json_object_get(all, limits[i].name);
        if (v && !json_is_number(v))
            return refuse(at, "adequate", "numbers");
        if (v)
            *limits[i].to = json_number_value(v);
    }
    return 0;
}

static double number_or_nan(const json_t *v) {
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static int read_only(const place *at, const json_t *object, gnt_task_facts *t) {
    const json_t *list = json_object_get(object, "public_only");
    const size_t n = json_array_size(list);
    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list) || n > GNT_MOST_PUBLIC_ONLY)
        return refuse(at, "public_only", "null, or a list with an entry for each seed");
    t->only = gnt_array(n + 1, sizeof *t->only);
    if (!t->only)
        return gnt_fail(at->err, "%s: out of memory", at->file);
    for (; t->n_only < n; t->n_only++) {
        const json_t *one = json_array_get(list, t->n_only), *seed = json_object_get(one, "seed");
        const json_t *utility = json_object_get(one, "utility"),
                     *error = json_object_get(one, "standard_error");
        if (!json_is_integer(seed) || (utility && !json_is_null(utility) && !json_is_number(utility)) ||
            (error && !json_is_null(error) && !json_is_number(error)))
            return refuse(at, "public_only", "objects of a seed, a utility and its standard_error");
        t->only[t->n_only] = (gnt_public_only){(int64_t)json_integer_value(seed), number_or_nan(utility),
                                               number_or_nan(error)};
    }
    return 0;
}

int results_read_tasks(const json_t *tasks, const char *file, gnt_task_facts **task, size_t *n,
                       gnt_err *err) {
    const size_t most = json_array_size(tasks);
    *n = 0;
    *task = gnt_array(most + 1, sizeof **task);
    if (!*task)
        return gnt_fail(err, "%s: out of memory", file);
    for (size_t i = 0; i < most; i++) {
        const json_t *one = json_array_get(tasks, i);
        const char *id = json_string_value(json_object_get(one, "id"));
        const place at = {file, i, err};
        if (!id)
            continue;
        gnt_task_facts *t = &(*task)[(*n)++];
        *t = (gnt_task_facts){.id = id};
        if (read_from(&at, one, &t->in_round) || read_flag(&at, one, "stages_drawn", &t->drawn) ||
            read_flag(&at, one, "seed_public", &t->seed_public) || read_only(&at, one, t) ||
            read_adequate(&at, one, &t->adequate))
            return -1;
    }
    return 0;
}

void results_free_tasks(gnt_task_facts *task, size_t n) {
    for (size_t i = 0; i < n; i++)
        gnt_free(task[i].only);
    gnt_free(task);
}

double gnt_public_only_mean(const gnt_task_facts *t) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->n_only; i++)
        if (isfinite(t->only[i].utility)) {
            sum += t->only[i].utility;
            n++;
        }
    return n ? sum / (double)n : NAN;
}
