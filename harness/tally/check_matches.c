/* Matching: a verdict is what the search makes of its history, and cells ran at the strength that was
 * found. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "match/match.h"
#include "tally/tally_impl.h"

enum { MOST_TRAININGS = 1 << 14 };

typedef struct found {
    size_t index;
    const json_t *row;
    gnt_path at;
    const char *task, *defense, *verdict;
    gnt_match_point *history;
    size_t n;
} found;

static int is_match(const found *f) {
    return strcmp(f->verdict, "matched") == 0 || strcmp(f->verdict, "saturated") == 0;
}

static int read_history(const tally *t, found *f) {
    const json_t *list = json_object_get(f->row, "history");
    const gnt_path at = gnt_path_key(f->at.text, "history");
    const size_t n = json_array_size(list);
    if (n > MOST_TRAININGS)
        return gnt_fail(t->err, "%s: %s has %zu entries; no search makes more than %d trainings", t->file,
                        at.text, n, MOST_TRAININGS);
    f->history = gnt_array(n + 1, sizeof *f->history);
    if (!f->history)
        return gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i), *seed = json_object_get(one, "seed");
        const double noise = tally_number(one, "standard_error");
        if (!json_is_object(one) || !json_is_integer(seed) || !isfinite(tally_number(one, "strength")))
            return gnt_fail(t->err, "%s: %s: expected a training with its strength and seed", t->file,
                            gnt_path_item(at.text, i).text);
        f->history[f->n++] = (gnt_match_point){.strength = tally_number(one, "strength"),
                                               .seed = json_integer_value(seed),
                                               .utility = tally_number(one, "utility"),
                                               .noise = isfinite(noise) ? noise : 0};
    }
    return 0;
}

/* ---- the suite's search ---- */

static int find_pair(const tally *t, const found *f, size_t *task, size_t *defense) {
    for (*task = 0; *task < t->suite->n_tasks; ++*task)
        if (strcmp(t->suite->task[*task].id, f->task) == 0)
            break;
    for (*defense = 0; *defense < t->suite->n_defenses; ++*defense)
        if (strcmp(t->suite->defense[*defense].label, f->defense) == 0)
            break;
    return *task < t->suite->n_tasks && *defense < t->suite->n_defenses &&
           t->suite->defense[*defense].match && t->suite->defense[*defense].on_task[*task];
}

/* Mean undefended utility over the suite's seeds, from cells, whose seeds vary fastest in a plan; NaN
 * where some seed is not there. */
static double undefended(const tally *t, size_t task) {
    const size_t n = t->suite->n_seeds;
    double *none = gnt_array(n + 1, sizeof *none), sum = 0;
    for (size_t k = 0; none && k < n; k++)
        none[k] = NAN;
    for (size_t i = 0; none && i < json_array_size(t->cells); i++)
        if (t->plan->cell[i].task == task && isnan(none[i % n]))
            none[i % n] = tally_number(json_object_get(json_array_get(t->cells, i), "utility"), "none");
    for (size_t k = 0; none && k < n; k++)
        sum += none[k];
    const double mean = none ? sum / (double)n : NAN;
    gnt_free(none);
    return mean;
}

static const char *verdict_of(const gnt_match_next_step *step) {
    return step->what == GNT_MATCH_MATCHED     ? (step->saturated ? "saturated" : "matched")
           : step->what == GNT_MATCH_UNMATCHED ? "unmatched"
                                               : "n/a";
}

/* Does the row say what this step says? Sets the first difference. */
static int same_step(const tally *t, const found *f, const gnt_match_spec *spec,
                     const gnt_match_next_step *step) {
    const gnt_tally_says says = tally_says(t, "its history gives");
    char reason[GNT_MATCH_REASON_SIZE] = "";
    if (step->what == GNT_MATCH_UNMATCHED)
        gnt_match_write_reason(step, spec, reason);
    json_t *should = json_object();
    json_object_set_new(should, "verdict", json_string(verdict_of(step)));
    json_object_set_new(should, "strength", gnt_json_real(step->strength));
    json_object_set_new(should, "utility", gnt_json_real(step->utility));
    json_object_set_new(should, "reason", *reason ? json_string(reason) : json_null());
    /* an error is a small difference of utilities, which are rounded */
    json_t *confirmation =
        json_pack("{s:o, s:o, s:I}", "mean", gnt_json_real(step->confirm), "standard_error",
                  gnt_json_real(step->confirm_error), "trainings", (json_int_t)step->confirming);
    const gnt_path at = gnt_path_key(f->at.text, "confirmation");
    const int rc =
        gnt_tally_same(&says, f->at.text, f->row, should, 0, 0) ||
                gnt_tally_same(&says, at.text, json_object_get(f->row, "confirmation"), confirmation, 1e-8, 0)
            ? -1
            : 0;
    json_decref(should);
    json_decref(confirmation);
    return rc;
}

/* The search once more over the trainings that the file has. Utilities stand there with nine digits: where
 * one is on the very edge of the tolerance, or two are equally far from the target, that decides, so that
 * either side is believed. */
static int replay_search(const tally *t, const found *f, const gnt_match_spec *asked) {
    static const double nudges[] = {0, 1e-7, -1e-7};
    enum { NUDGES = sizeof nudges / sizeof *nudges };
    gnt_match_next_step step;
    gnt_err why = {""}, first = {""};
    const tally quiet = {.file = t->file, .err = &why};
    for (size_t i = 0; i < (size_t)NUDGES * NUDGES; i++) {
        gnt_match_spec spec = *asked;
        spec.target += nudges[i / NUDGES];
        spec.tolerance += nudges[i % NUDGES];
        if (gnt_match_next(&step, &spec, f->history, f->n, &why) != 0)
            gnt_fail_in(&why, "%s: %s.history", t->file, f->at.text);
        else if (same_step(&quiet, f, &spec, &step) == 0)
            return 0;
        if (i == 0)
            first = why;
    }
    return gnt_fail(t->err, "%s", first.text);
}

/* Without its descriptor neither the range of a strength is known nor which way it turns. Whether a match was
 * confirmed hangs on neither: any range will do that holds what was tried. */
static void take_range(gnt_match_spec *spec, const found *f) {
    spec->scale = GNT_MATCH_LINEAR;
    spec->integer = 0;
    for (size_t i = 0; i < f->n; i++) {
        spec->least = i ? fmin(spec->least, f->history[i].strength) : f->history[i].strength;
        spec->most = i ? fmax(spec->most, f->history[i].strength) : f->history[i].strength;
    }
    spec->most += 1 + fabs(spec->most);
}

/* The strength of a cell beside the matched one. A number rounded to nine digits may round to another
 * readable one. */
static int check_beside(const tally *t, const found *f, const gnt_match_spec *asked, size_t i) {
    static const double nudges[] = {0, 1e-7, -1e-7};
    const double strength = tally_number(json_array_get(t->cells, i), "strength");
    double should = NAN, first = NAN;
    for (size_t k = 0; k < sizeof nudges / sizeof *nudges; k++) {
        gnt_match_spec spec = *asked;
        spec.target += nudges[k];
        if (gnt_match_bracket(&should, &spec, f->history, f->n, tally_number(f->row, "strength"),
                              t->plan->cell[i].bracket == GNT_BRACKET_STRONGER, t->err) != 0)
            return -1;
        if (isnan(strength) || gnt_tally_close(strength, should, 0))
            return 0;
        first = k ? first : should;
    }
    return gnt_fail(t->err, "%s: %s is %.9g, but the search of its defense gives %.9g", t->file,
                    gnt_path_key(gnt_path_item("cells", i).text, "strength").text, strength, first);
}

static int is_beside(const tally *t, const found *f, size_t i) {
    const json_t *cell = json_array_get(t->cells, i);
    return t->plan->cell[i].bracket && strcmp(tally_text(cell, "task"), f->task) == 0 &&
           strcmp(tally_text(cell, "defense"), f->defense) == 0;
}

static int replay(const tally *t, const found *f, size_t task, size_t defense, double none) {
    const int is_known = !tally_unknown_defense(&t->suite->defense[defense]);
    gnt_match_spec spec;
    gnt_err why = {""};
    const gnt_tally_says says = tally_says(t, "suite.json and the undefended utility give");
    if (gnt_suite_match_spec(t->suite, task, defense, none, &spec, &why) != 0)
        return gnt_fail(t->err, "%s: %s: %s", t->file, f->at.text, why.text);
    json_t *aim = json_pack("{s:f, s:f}", "target", spec.target, "tolerance", spec.tolerance);
    const int rc = gnt_tally_same(&says, f->at.text, f->row, aim, 0, 0);
    json_decref(aim);
    if (rc != 0 || (!is_known && !is_match(f)))
        return rc;
    for (size_t i = 0; is_known && i < t->plan->n; i++)
        if (is_beside(t, f, i) && check_beside(t, f, &spec, i) != 0)
            return -1;
    if (!is_known)
        take_range(&spec, f);
    return replay_search(t, f, &spec);
}

/* ---- without the suite ---- */

static int check_mean(const tally *t, const found *f) {
    const gnt_tally_says says = tally_says(t, "the mean of its history at this strength is");
    const double strength = tally_number(f->row, "strength");
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        if (gnt_tally_close(f->history[i].strength, strength, 0) && isfinite(f->history[i].utility)) {
            sum += f->history[i].utility;
            n++;
        }
    if (!is_match(f))
        return 0;
    json_t *should = n ? json_real(sum / (double)n) : json_null();
    const int rc = gnt_tally_same(&says, gnt_path_key(f->at.text, "utility").text,
                                  json_object_get(f->row, "utility"), should, 0, 0);
    json_decref(should);
    return rc;
}

/* ---- cells ---- */

static int check_cell(const tally *t, const found *f, size_t i) {
    const json_t *cell = json_array_get(t->cells, i);
    const gnt_path at = gnt_path_item("cells", i);
    const gnt_tally_says says = tally_says(t, "matches of its task and defense gives");
    if (isfinite(tally_number(cell, "strength"))) {
        json_t *should = json_pack("{s:b}", "matched", is_match(f));
        json_object_set(should, "strength", json_object_get(f->row, "strength"));
        const int rc = gnt_tally_same(&says, at.text, cell, should, 0, 0);
        json_decref(should);
        if (rc != 0)
            return -1;
    } else if (tally_is_ok(cell))
        return gnt_tally_differs(&says, gnt_path_key(at.text, "strength").text,
                                 json_object_get(cell, "strength"), json_object_get(f->row, "strength"));
    return 0;
}

static int is_of(const json_t *cell, const found *f) {
    return strcmp(tally_text(cell, "mode"), "matched") == 0 &&
           strcmp(tally_text(cell, "task"), f->task) == 0 &&
           strcmp(tally_text(cell, "defense"), f->defense) == 0;
}

/* ---- the whole ---- */

/* Runs of before a confirmation said how sure it was used another rule, by which nothing here can be held. */
static int is_of_old_rule(const found *f) {
    return json_object_get(f->row, "confirmation") == NULL;
}

static int check_search(const tally *t, const found *f, size_t task, size_t defense, double none) {
    const double seen = undefended(t, task);
    const gnt_tally_says says = tally_says(t, "its cells give");
    json_t *should = json_real(isfinite(seen) ? seen : none);
    const int rc = gnt_tally_same(&says, gnt_path_key(f->at.text, "utility_none").text,
                                  json_object_get(f->row, "utility_none"), should, 0, 0);
    json_decref(should);
    return rc != 0 || (strcmp(f->verdict, "n/a") != 0 && replay(t, f, task, defense, none) != 0) ? -1 : 0;
}

static int check_row(const tally *t, found *f) {
    size_t task, defense;
    double none = tally_number(f->row, "utility_none");
    if (read_history(t, f) != 0)
        return -1;
    if (t->suite && !find_pair(t, f, &task, &defense))
        return gnt_fail(t->err, "%s: %s is of %s and %s, which suite.json beside it does not match", t->file,
                        f->at.text, gnt_show_text(f->task).text, gnt_show_text(f->defense).text);
    if (t->suite && is_of_old_rule(f)) {
        tally_note(t, "%s: verdicts of runs made before `confirmation` was written", f->at.text);
    } else if (t->suite && isfinite(none)) {
        if (check_search(t, f, task, defense, none) != 0)
            return -1;
    } else if (is_match(f) && t->suite)
        return gnt_fail(t->err, "%s: %s is null, but nothing is matched without it", t->file,
                        gnt_path_key(f->at.text, "utility_none").text);
    if (json_is_true(json_object_get(f->row, "confirmed")) != is_match(f))
        return gnt_fail(t->err, "%s: %s is %s, but the verdict is %s", t->file,
                        gnt_path_key(f->at.text, "confirmed").text, is_match(f) ? "false" : "true",
                        gnt_show(json_object_get(f->row, "verdict")).text);
    if (check_mean(t, f) != 0)
        return -1;
    for (size_t i = 0; i < json_array_size(t->cells); i++)
        if (is_of(json_array_get(t->cells, i), f) && check_cell(t, f, i) != 0)
            return -1;
    return 0;
}

/* Every cell that says it is matched has a row, and only one. */
static int check_rows(const tally *t) {
    json_t *seen = json_object();
    int rc = seen ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t i = 0; rc == 0 && i < json_array_size(t->matches); i++) {
        const json_t *row = json_array_get(t->matches, i);
        char *key = gnt_format("%s@%s", tally_text(row, "task"), tally_text(row, "defense"));
        if (key && json_object_get(seen, key))
            rc = gnt_fail(t->err, "%s: %s is a second verdict on one task and defense; there is one", t->file,
                          gnt_path_item("matches", i).text);
        if (key)
            json_object_set_new(seen, key, json_true());
        gnt_free(key);
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(t->cells); i++) {
        const json_t *cell = json_array_get(t->cells, i);
        char *key = gnt_format("%s@%s", tally_text(cell, "task"), tally_text(cell, "defense"));
        if (key && strcmp(tally_text(cell, "mode"), "matched") == 0 && !json_object_get(seen, key) &&
            (tally_is_ok(cell) || json_is_true(json_object_get(cell, "matched"))))
            rc = gnt_fail(t->err,
                          "%s: %s ran at a matched strength, but matches has no verdict on its task and "
                          "defense",
                          t->file, gnt_path_item("cells", i).text);
        gnt_free(key);
    }
    json_decref(seen);
    return rc;
}

int tally_check_matches(const tally *t) {
    if (check_rows(t) != 0)
        return -1;
    for (size_t i = 0; i < json_array_size(t->matches); i++) {
        const json_t *row = json_array_get(t->matches, i);
        found f = {.index = i,
                   .row = row,
                   .at = gnt_path_item("matches", i),
                   .task = tally_text(row, "task"),
                   .defense = tally_text(row, "defense"),
                   .verdict = tally_text(row, "verdict")};
        const int rc = check_row(t, &f);
        gnt_free(f.history);
        if (rc != 0)
            return -1;
    }
    return 0;
}
