/* results.json into structures: sizes, types and words are checked here, and nowhere after. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "results/results_impl.h"

enum { MOST_BYTES = 256 << 20, MOST_ROWS = 1 << 18 };

static const char *const floor_names[GNT_FLOORS] = {"random", "mean_image", "nearest_public", "other"};

/* Where the reader stands, for sentences: "results.json: cells[3]". */
typedef struct place {
    const char *file, *list;
    size_t index;
    gnt_err *err;
} place;

static int refuse(const place *at, const char *key, const char *expected) {
    return gnt_fail(at->err, "%s: %s[%zu].%s: expected %s; run the suite again to write this file anew",
                    at->file, at->list, at->index, key, expected);
}

static int get_text(const place *at, const json_t *object, const char *key, int needed, const char **out) {
    const json_t *v = json_object_get(object, key);
    *out = "";
    if (json_is_string(v))
        *out = json_string_value(v);
    else if (needed || (v && !json_is_null(v)))
        return refuse(at, key, "text");
    return 0;
}

static int get_number(const place *at, const json_t *object, const char *key, double *out) {
    const json_t *v = json_object_get(object, key);
    *out = NAN;
    if (json_is_number(v))
        *out = json_number_value(v);
    else if (v && !json_is_null(v))
        return refuse(at, key, "a number or null");
    return 0;
}

static int get_count(const place *at, const json_t *object, const char *key, int64_t *out) {
    const json_t *v = json_object_get(object, key);
    *out = 0;
    if (json_is_integer(v))
        *out = json_integer_value(v);
    else if (v && !json_is_null(v))
        return refuse(at, key, "a whole number");
    return 0;
}

static int get_flag(const place *at, const json_t *object, const char *key, int *out) {
    const json_t *v = json_object_get(object, key);
    *out = json_is_true(v);
    if (v && !json_is_null(v) && !json_is_boolean(v))
        return refuse(at, key, "true or false");
    return 0;
}

static int get_child(const place *at, const json_t *object, const char *key, int array, const json_t **out) {
    const json_t *v = json_object_get(object, key);
    *out = NULL;
    if (!v || json_is_null(v))
        return 0;
    if (array ? !json_is_array(v) : !json_is_object(v))
        return refuse(at, key, array ? "a list" : "an object");
    *out = v;
    return 0;
}

static int get_word(const place *at, const json_t *object, const char *key, const char *const *words, int n,
                    int *out) {
    const char *text;
    if (get_text(at, object, key, 1, &text))
        return -1;
    for (*out = 0; *out < n; ++*out)
        if (!strcmp(words[*out], text))
            return 0;
    return gnt_fail(at->err,
                    "%s: %s[%zu].%s: \"%.40s\" is not known; expected one of the words docs/results.md lists",
                    at->file, at->list, at->index, key, text);
}

/* What the interval of a statistic is over, in a word; a file of an old run has none. */
static int get_over(const place *at, const json_t *object, gnt_interval_over *out) {
    const char *word;
    int i = 0;
    if (get_text(at, object, "interval", 0, &word))
        return -1;
    while (i < GNT_INTERVALS && strcmp(word, gnt_interval_over_name((gnt_interval_over)i)) != 0)
        i++;
    *out = i < GNT_INTERVALS ? (gnt_interval_over)i : GNT_INTERVAL_NONE;
    return i < GNT_INTERVALS || !word[0] ? 0 : refuse(at, "interval", "none, targets or trainings");
}

static int read_stat(const place *at, const json_t *object, gnt_stat *s) {
    return get_number(at, object, "mean", &s->mean) || get_number(at, object, "deviation", &s->deviation) ||
           get_number(at, object, "worst", &s->worst) || get_number(at, object, "median", &s->median) ||
           get_number(at, object, "low", &s->low) || get_number(at, object, "high", &s->high) ||
           get_count(at, object, "n", &s->n) || get_count(at, object, "trainings", &s->trainings) ||
           get_over(at, object, &s->over);
}

static int by_measure(const void *a, const void *b) {
    return strcmp(((const gnt_score *)a)->measure, ((const gnt_score *)b)->measure);
}

static int read_scores(const place *at, const json_t *object, gnt_outcome *o) {
    const json_t *measures, *floors, *chance;
    if (get_child(at, object, "measures", 0, &measures) || get_child(at, object, "floors", 0, &floors) ||
        get_child(at, object, "chance", 0, &chance))
        return -1;
    size_t n = json_object_size(measures);
    if (n == 0)
        return 0;
    o->score = gnt_array(n, sizeof *o->score);
    if (!o->score)
        return gnt_fail(at->err, "%s: out of memory", at->file);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)measures, name, value) {
        if (json_is_null(value))
            continue;
        gnt_score *s = &o->score[o->n_score++];
        s->measure = name;
        if (!json_is_object(value))
            return refuse(at, "measures", "an object of statistics for each measure");
        if (read_stat(at, value, &s->stat))
            return -1;
        const json_t *floor = json_object_get(floors, name);
        if (floor && !json_is_null(floor) && !json_is_object(floor))
            return refuse(at, "floors", "an object of numbers for each measure");
        for (int f = 0; f < GNT_FLOORS; f++)
            if (get_number(at, floor, floor_names[f], &s->floor[f]))
                return -1;
        if (get_number(at, chance, name, &s->chance))
            return -1;
    }
    qsort(o->score, o->n_score, sizeof *o->score, by_measure);
    return 0;
}

static int read_by_round(const place *at, const json_t *utility, const json_t **out) {
    json_int_t last = -1;
    if (get_child(at, utility, "by_round", 1, out))
        return -1;
    for (size_t i = 0; i < json_array_size(*out); i++) {
        const json_t *one = json_array_get(*out, i), *round = json_object_get(one, "round");
        double value;
        if (!json_is_integer(round) || json_integer_value(round) <= last)
            return refuse(at, "utility.by_round", "objects whose whole \"round\" rises");
        if (get_number(at, one, "accuracy", &value) || get_number(at, one, "loss", &value) ||
            get_number(at, one, "iou", &value))
            return -1;
        last = json_integer_value(round);
    }
    return 0;
}

static int is_count(const json_t *v) {
    return json_is_integer(v) && json_integer_value(v) >= 0;
}

static int read_by_value(const place *at, const json_t *utility, const json_t **out) {
    const json_t *count;
    size_t k;
    if (get_child(at, utility, "by_value", 1, out))
        return -1;
    for (size_t i = 0; i < json_array_size(*out); i++) {
        const json_t *one = json_array_get(*out, i), *labels = json_object_get(one, "labels");
        int ok = is_count(json_object_get(one, "n")) && is_count(json_object_get(one, "right")) &&
                 json_is_array(labels) && i < INT32_MAX;
        json_array_foreach(labels, k, count) ok &= is_count(count);
        if (!ok)
            return refuse(at, "utility.by_value",
                          "objects with whole numbers \"n\", \"right\" and \"labels\"");
    }
    return 0;
}

static int read_beside(const place *at, const json_t *utility, const json_t **out) {
    static const char *const numbers[] = {"value", "standard_error", "mean", "low", "high"};
    const char *name;
    json_t *one;
    double value;
    if (get_child(at, utility, "beside", 0, out))
        return -1;
    json_object_foreach((json_t *)(uintptr_t)*out, name, one) {
        if (!json_is_object(one))
            return refuse(at, "utility.beside", "objects of numbers");
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (get_number(at, one, numbers[i], &value))
                return -1;
    }
    return 0;
}

static int read_utility(const place *at, const json_t *object, gnt_utility *u) {
    const json_t *v = json_object_get(object, "utility");
    *u = (gnt_utility){"", NAN, NAN, NAN, NAN, NAN, NULL, NULL, NULL};
    if (get_number(at, object, "utility_none", &u->none))
        return -1;
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_object(v))
        return refuse(at, "utility", "an object or null");
    double none;
    if (get_text(at, v, "measure", 0, &u->measure) || get_number(at, v, "value", &u->value) ||
        get_number(at, v, "low", &u->low) || get_number(at, v, "high", &u->high) ||
        get_number(at, v, "standard_error", &u->error) || get_number(at, v, "none", &none) ||
        read_by_round(at, v, &u->by_round) || read_by_value(at, v, &u->by_value) ||
        read_beside(at, v, &u->beside))
        return -1;
    if (isnan(u->value) && get_number(at, v, "mean", &u->value))
        return -1;
    if (isnan(u->none))
        u->none = none;
    return 0;
}

static int read_marks(const place *at, const json_t *object, gnt_outcome *o) {
    if (get_child(at, object, "marks", 1, &o->marks))
        return -1;
    for (size_t i = 0; i < json_array_size(o->marks); i++) {
        const json_t *one = json_array_get(o->marks, i);
        if (!json_is_string(json_object_get(one, "what")) || !json_is_string(json_object_get(one, "says")))
            return refuse(at, "marks", "objects with the texts \"what\" and \"says\"");
    }
    return 0;
}

static int read_outcome(const place *at, const json_t *object, gnt_outcome *o) {
    int status, mode;
    if (get_text(at, object, "task", 1, &o->task) || get_text(at, object, "defense", 1, &o->defense) ||
        get_text(at, object, "attack", 1, &o->attack) || get_text(at, object, "cell", 0, &o->id) ||
        get_text(at, object, "plugin", 0, &o->plugin) || get_text(at, object, "surface", 0, &o->surface) ||
        get_text(at, object, "attack_plugin", 0, &o->attack_plugin) ||
        get_text(at, object, "reason", 0, &o->reason) || get_text(at, object, "images", 0, &o->images) ||
        get_count(at, object, "stage", &o->stage) || get_count(at, object, "seed", &o->seed) ||
        get_count(at, object, "n_cells", &o->n_cells) || get_count(at, object, "n_ok", &o->n_ok) ||
        get_number(at, object, "strength", &o->strength) || get_flag(at, object, "matched", &o->matched) ||
        get_child(at, object, "targets", 1, &o->targets) ||
        get_child(at, object, "convergence", 1, &o->convergence) ||
        get_child(at, object, "facts", 0, &o->facts) || get_child(at, object, "points", 0, &o->points) ||
        get_child(at, object, "unmeasured", 0, &o->unmeasured) || read_marks(at, object, o) ||
        get_child(at, object, "grants", 1, &o->grants) ||
        get_word(at, object, "status", results_status_names, GNT_CELL_STATUSES, &status) ||
        get_word(at, object, "mode", results_mode_names, GNT_ROW_MODES, &mode) ||
        read_utility(at, object, &o->utility))
        return -1;
    if (o->stage < 0)
        return refuse(at, "stage", "0, or the round of an observation");
    o->status = (gnt_cell_status)status;
    o->mode = (gnt_row_mode)mode;
    return read_scores(at, object, o);
}

static int read_match(const place *at, const json_t *object, gnt_match_row *m) {
    const json_t *history, *confirmation;
    if (get_child(at, object, "confirmation", 0, &confirmation) ||
        get_number(at, confirmation, "mean", &m->confirm_mean) ||
        get_number(at, confirmation, "standard_error", &m->confirm_error) ||
        get_count(at, confirmation, "trainings", &m->n_confirm) ||
        get_count(at, confirmation, "searching", &m->n_search))
        return -1;
    if (get_text(at, object, "task", 1, &m->task) || get_text(at, object, "defense", 1, &m->defense) ||
        get_text(at, object, "verdict", 1, &m->verdict) || get_text(at, object, "reason", 0, &m->reason) ||
        get_number(at, object, "target", &m->target) || get_number(at, object, "tolerance", &m->tolerance) ||
        get_number(at, object, "strength", &m->strength) || get_number(at, object, "utility", &m->utility) ||
        get_number(at, object, "utility_none", &m->utility_none) ||
        get_flag(at, object, "confirmed", &m->confirmed) || get_child(at, object, "history", 1, &history))
        return -1;
    m->is_matched = !strcmp(m->verdict, "matched") || !strcmp(m->verdict, "saturated");
    size_t n = json_array_size(history);
    if (n == 0)
        return 0;
    m->history = gnt_array(n, sizeof *m->history);
    if (!m->history)
        return gnt_fail(at->err, "%s: out of memory", at->file);
    for (m->n_history = 0; m->n_history < n; m->n_history++) {
        const json_t *step = json_array_get(history, m->n_history);
        gnt_attempt *a = &m->history[m->n_history];
        if (!json_is_object(step))
            return refuse(at, "history", "a list of objects");
        if (get_number(at, step, "strength", &a->strength) || get_number(at, step, "utility", &a->utility) ||
            get_number(at, step, "standard_error", &a->standard_error) ||
            get_count(at, step, "seed", &a->seed))
            return -1;
    }
    return 0;
}

/* A list of the root: each entry an object. *n entries of `size` bytes are allocated and read one by one. */
static int read_list(gnt_results *r, place *at, const char *key, int needed, size_t size, void **rows,
                     size_t *n, int (*read)(const place *, const json_t *, void *)) {
    const json_t *list = json_object_get(r->root, key);
    at->list = key;
    if (!list && !needed)
        return 0;
    if (!json_is_array(list))
        return gnt_fail(at->err, "%s: %s: expected a list; is this the results.json of a run?", at->file,
                        key);
    size_t count = json_array_size(list);
    if (count > MOST_ROWS)
        return gnt_fail(at->err, "%s: %s: %zu entries are more than the %d allowed", at->file, key, count,
                        MOST_ROWS);
    *rows = gnt_array(count ? count : 1, size);
    if (!*rows)
        return gnt_fail(at->err, "%s: out of memory for %zu entries of %s", at->file, count, key);
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(list, i);
        at->index = i;
        if (!json_is_object(object))
            return gnt_fail(at->err, "%s: %s[%zu]: expected an object", at->file, key, i);
        *n = i + 1; /* before reading, so that what a failed read allocated is freed */
        if (read(at, object, (char *)*rows + i * size))
            return -1;
    }
    return 0;
}

static int match_row(const place *at, const json_t *object, void *row) {
    return read_match(at, object, row);
}

static int outcome_row(const place *at, const json_t *object, void *row) {
    return read_outcome(at, object, row);
}

int gnt_is_of_group(const gnt_outcome *cell, const gnt_outcome *group) {
    return cell->stage == group->stage && cell->mode == group->mode &&
           (cell->strength == group->strength || isnan(cell->strength) || isnan(group->strength)) &&
           !strcmp(cell->task, group->task) && !strcmp(cell->defense, group->defense) &&
           !strcmp(cell->attack, group->attack);
}

/* Both lists are in the plan's order, so a group's cells come soon after those of the group before it. */
static const gnt_outcome *cell_of_group(const gnt_results *r, const gnt_outcome *g, size_t *at) {
    for (size_t i = 0; i < r->n_cell; i++) {
        const size_t k = (*at + i) % r->n_cell;
        const gnt_outcome *c = &r->cell[k];
        if (c->status == g->status && gnt_is_of_group(c, g)) {
            *at = k;
            return c;
        }
    }
    return NULL;
}

/* Groups say less than their cells: the measure of utility, chance, and the reason come from a cell of the
 * group. */
static void complete_groups(gnt_results *r) {
    size_t at = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        gnt_outcome *g = &r->group[i];
        const gnt_outcome *c = cell_of_group(r, g, &at);
        if (!c)
            continue;
        if (!g->utility.measure[0])
            g->utility.measure = c->utility.measure;
        if (!g->reason[0])
            g->reason = c->reason;
        if (!g->surface[0])
            g->surface = c->surface;
        for (size_t k = 0; k < g->n_score; k++) {
            const gnt_score *s = gnt_score_find(c, g->score[k].measure);
            if (s && isnan(g->score[k].chance))
                g->score[k].chance = s->chance;
            for (int f = 0; s && f < GNT_FLOORS; f++)
                if (isnan(g->score[k].floor[f]))
                    g->score[k].floor[f] = s->floor[f];
        }
    }
}

static int read_root(gnt_results *r, place *at) {
    const json_t *suite = json_object_get(r->root, "suite"), *title = json_object_get(r->root, "title");
    const json_t *format = json_object_get(r->root, "format");
    if (!json_is_integer(format) || json_integer_value(format) != 1)
        return gnt_fail(at->err, "%s: format: expected 1, the only format this report reads", at->file);
    r->suite = json_is_string(suite) ? json_string_value(suite) : "";
    r->title = json_is_string(title) ? json_string_value(title) : "";
    if (read_list(r, at, "matches", 0, sizeof *r->match, (void **)&r->match, &r->n_match, match_row) ||
        read_list(r, at, "cells", 1, sizeof *r->cell, (void **)&r->cell, &r->n_cell, outcome_row) ||
        read_list(r, at, "groups", 1, sizeof *r->group, (void **)&r->group, &r->n_group, outcome_row))
        return -1;
    if (results_collect_marks(r, at->err) ||
        results_read_tasks(json_object_get(r->root, "tasks"), at->file, &r->facts, &r->n_facts, at->err))
        return -1;
    complete_groups(r);
    if (results_collect_names(r, at->file, at->err))
        return -1;
    results_fill_scatter(r);
    return 0;
}

int gnt_results_parse(gnt_results *r, const char *name, const char *text, size_t size, gnt_err *err) {
    json_error_t wrong;
    place at = {.file = name, .err = err};
    *r = (gnt_results){.suite = "", .title = ""};
    r->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (!r->root)
        return gnt_fail(err, "%s:%d:%d: %s", name, wrong.line, wrong.column, wrong.text);
    if (!json_is_object(r->root)) {
        gnt_results_free(r);
        return gnt_fail(err, "%s: expected one object; is this the results.json of a run?", name);
    }
    if (read_root(r, &at)) {
        gnt_results_free(r);
        return -1;
    }
    return 0;
}

int gnt_results_load(gnt_results *r, const char *path, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    *r = (gnt_results){.suite = "", .title = ""};
    if (gnt_file_read(path, MOST_BYTES, &bytes, &size, err))
        return -1;
    int failed = gnt_results_parse(r, path, (const char *)bytes, size, err);
    gnt_free(bytes);
    return failed;
}
