/* Matching: a verdict is what the search makes of its history, and cells ran at the strength that was
 * found. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"
#include "match/match.h"

enum { MOST_TRAININGS = 1 << 14 };

typedef struct found {
    const gnt_match_row *row;
    gnt_path at;
    gnt_match_point *history;
    size_t n;
} found;

static int read_history(const check *c, found *f) {
    const gnt_path at = gnt_path_key(f->at.text, "history");
    const size_t n = f->row->n_history;
    if (n > MOST_TRAININGS)
        return gnt_fail(c->err, "%s: %s has %zu entries; no search makes more than %d trainings", c->file,
                        at.text, n, MOST_TRAININGS);
    f->history = gnt_array(n + 1, sizeof *f->history);
    if (!f->history)
        return gnt_fail(c->err, "%s: out of memory", c->file);
    for (size_t i = 0; i < n; i++) {
        const gnt_attempt *one = &f->row->history[i];
        if (!isfinite(one->strength))
            return gnt_fail(c->err, "%s: %s: expected a training with its strength and seed", c->file,
                            gnt_path_item(at.text, i).text);
        f->history[f->n++] =
            (gnt_match_point){.strength = one->strength,
                              .seed = one->seed,
                              .utility = one->utility,
                              .noise = isfinite(one->standard_error) ? one->standard_error : 0};
    }
    return 0;
}

/* ---- the suite's search ---- */

static int find_pair(const check *c, const found *f, size_t *task, size_t *defense) {
    for (*task = 0; *task < c->suite->n_tasks; ++*task)
        if (strcmp(c->suite->task[*task].id, f->row->task) == 0)
            break;
    for (*defense = 0; *defense < c->suite->n_defenses; ++*defense)
        if (strcmp(c->suite->defense[*defense].label, f->row->defense) == 0)
            break;
    return *task < c->suite->n_tasks && *defense < c->suite->n_defenses &&
           c->suite->defense[*defense].match && c->suite->defense[*defense].on_task[*task];
}

/* Returns the mean undefended utility over the suite's seeds, from cells, whose seeds vary fastest in a plan;
 * NaN if some seed is missing. */
static double undefended(const check *c, size_t task) {
    const size_t n = c->suite->n_seeds;
    double *none = gnt_array(n + 1, sizeof *none), sum = 0;
    for (size_t k = 0; none && k < n; k++)
        none[k] = NAN;
    for (size_t i = 0; none && i < c->of->cells.n; i++)
        if (c->plan->cell[i].task == task && isnan(none[i % n]))
            none[i % n] = c->of->cells.at[i].utility.none;
    for (size_t k = 0; none && k < n; k++)
        sum += none[k];
    const double mean = none ? sum / (double)n : NAN;
    gnt_free(none);
    return mean;
}

/* Returns the mean utility of public data alone over the suite's seeds; NaN if some seed is missing. */
static double public_only(const check *c, size_t task) {
    const gnt_public_onlys *list = &c->of->tasks.at[task].public_only;
    double sum = 0;
    for (size_t i = 0; i < list->n; i++)
        sum += list->at[i].utility;
    return list->n == c->suite->n_seeds ? sum / (double)list->n : NAN;
}

static const char *verdict_of(const gnt_match_next_step *step) {
    return step->what == GNT_MATCH_MATCHED     ? (step->saturated ? "saturated" : "matched")
           : step->what == GNT_MATCH_UNMATCHED ? "unmatched"
                                               : "n/a";
}

/* Compares the row with a step of the search. Sets the first difference. */
static int same_step(const check *c, const found *f, const gnt_match_spec *spec,
                     const gnt_match_next_step *step) {
    static const size_t outcome[] = {offsetof(gnt_match_row, verdict), offsetof(gnt_match_row, strength),
                                     offsetof(gnt_match_row, utility), offsetof(gnt_match_row, reason)};
    static const size_t confirmed[] = {offsetof(gnt_confirmation, mean),
                                       offsetof(gnt_confirmation, standard_error),
                                       offsetof(gnt_confirmation, trainings)};
    check_says says = {.of = c, .because = "its history gives"};
    char reason[GNT_MATCH_REASON_SIZE] = "";
    if (step->what == GNT_MATCH_UNMATCHED)
        gnt_match_write_reason(step, spec, reason);
    gnt_match_row should = *f->row;
    should.verdict = verdict_of(step);
    should.strength = step->strength;
    should.utility = step->utility;
    should.reason = *reason ? reason : gnt_no_text;
    should.confirmation = (gnt_confirmation){
        .mean = step->confirm, .standard_error = step->confirm_error, .trainings = (int64_t)step->confirming};
    if (check_members(&says, &gnt_match_fields, f->at.text, f->row, &should, outcome, 4) != 0)
        return -1;
    says.slack = 1e-8; /* an error is a small difference of utilities, which are rounded */
    return check_members(&says, &gnt_confirmation_fields, gnt_path_key(f->at.text, "confirmation").text,
                         &f->row->confirmation, &should.confirmation, confirmed, 3);
}

/* Searches again over the training runs of the file. Utilities have nine digits there: if one is on the very
 * edge of the tolerance, or two are equally far from the target, that decides, so that either outcome is
 * accepted. */
static int replay_search(const check *c, const found *f, const gnt_match_spec *requested) {
    static const double nudges[] = {0, 1e-7, -1e-7};
    enum { NUDGES = sizeof nudges / sizeof *nudges };
    gnt_match_next_step step;
    gnt_err why = {""}, first = {""};
    const check quiet = {.file = c->file, .err = &why};
    for (size_t i = 0; i < (size_t)NUDGES * NUDGES; i++) {
        gnt_match_spec spec = *requested;
        spec.target += nudges[i / NUDGES];
        spec.tolerance += nudges[i % NUDGES];
        if (gnt_match_next(&step, &spec, f->history, f->n, &why) != 0)
            gnt_fail_in(&why, "%s: %s.history", c->file, f->at.text);
        else if (same_step(&quiet, f, &spec, &step) == 0)
            return 0;
        if (i == 0)
            first = why;
    }
    return gnt_fail(c->err, "%s", first.text);
}

/* Sets a range that contains what was tried: without its descriptor neither the range of a strength is known
 * nor its direction, and whether a match was confirmed depends on neither. */
static void take_range(gnt_match_spec *spec, const found *f) {
    spec->scale = GNT_MATCH_LINEAR;
    spec->integer = 0;
    for (size_t i = 0; i < f->n; i++) {
        spec->least = i ? fmin(spec->least, f->history[i].strength) : f->history[i].strength;
        spec->most = i ? fmax(spec->most, f->history[i].strength) : f->history[i].strength;
    }
    spec->most += 1 + fabs(spec->most);
}

static int is_at(const gnt_outcome *cell, const found *f) {
    return strcmp(cell->task, f->row->task) == 0 && strcmp(cell->defense, f->row->defense) == 0;
}

/* Checks the strength of a cell next to the matched one, by the rule of today and by that of runs up to
 * 0.9.0. A number rounded to nine digits may round to another readable one. */
static int check_bracket(const check *c, const found *f, const gnt_match_spec *requested, size_t i) {
    static const double nudges[] = {0, 1e-7, -1e-7};
    const double strength = c->of->cells.at[i].strength;
    double should = NAN, first = NAN;
    const size_t n = sizeof nudges / sizeof *nudges;
    for (size_t k = 0; k < 2 * n; k++) {
        gnt_match_spec spec = *requested;
        spec.target += nudges[k % n];
        if (gnt_match_bracket(&should, &spec, f->history, f->n, f->row->strength,
                              c->plan->cell[i].bracket == GNT_BRACKET_STRONGER, k >= n, c->err) != 0)
            return -1;
        if (isnan(strength) || check_close(strength, should, 0))
            return 0;
        first = k ? first : should;
    }
    return gnt_fail(c->err, "%s: %s is %.9g, but the search of its defense gives %.9g", c->file,
                    gnt_path_key(gnt_path_item("cells", i).text, "strength").text, strength, first);
}

/* Returns the utility in the history of the suite's n-th seed at a strength; NaN if there is none. */
static double utility_in(const found *f, double strength, size_t n) {
    for (size_t i = 0; i < f->n; i++)
        if (f->history[i].seed == (int64_t)n && check_close(f->history[i].strength, strength, 0))
            return f->history[i].utility;
    return NAN;
}

/* Checks that the cells of a curve have the utilities of its history, which is of their training runs; seeds
 * vary fastest in a plan. Paired, the history has differences. */
static int check_curve(const check *c, const found *f, size_t task, size_t defense) {
    const check_says says = {.of = c, .because = "the history of its match gives"};
    int rc = 0;
    if (!c->suite->defense[defense].n_curve || c->suite->task[task].match.paired)
        return 0;
    for (size_t i = 0; rc == 0 && i < c->plan->n; i++) {
        const gnt_cell *p = &c->plan->cell[i];
        const gnt_outcome *cell = &c->of->cells.at[i];
        const double should = utility_in(f, cell->strength, i % c->suite->n_seeds);
        const gnt_path at = gnt_path_key(gnt_path_item("cells", i).text, "utility");
        if (p->task == task && p->defense == defense && isfinite(should) && isfinite(cell->utility.value))
            rc = check_number(&says, gnt_path_key(at.text, "value").text, cell->utility.value, should);
    }
    return rc;
}

static int replay(const check *c, const found *f, size_t task, size_t defense) {
    static const size_t aim[] = {offsetof(gnt_match_row, target), offsetof(gnt_match_row, tolerance)};
    const int is_known = !check_unknown_defense(&c->suite->defense[defense]);
    const check_says says = {.of = c, .because = "suite.json and the undefended utility give"};
    gnt_match_row should = *f->row;
    gnt_match_spec spec;
    gnt_err why = {""};
    if (gnt_suite_match_spec(c->suite, task, defense, f->row->utility_none, public_only(c, task), &spec,
                             &why) != 0)
        return gnt_fail(c->err, "%s: %s: %s", c->file, f->at.text, why.text);
    should.target = spec.target;
    should.tolerance = spec.tolerance;
    if (check_members(&says, &gnt_match_fields, f->at.text, f->row, &should, aim, 2) != 0)
        return -1;
    if (check_curve(c, f, task, defense) != 0)
        return -1;
    if (!is_known && !f->row->is_matched)
        return 0;
    for (size_t i = 0; is_known && i < c->plan->n; i++)
        if (c->plan->cell[i].bracket && is_at(&c->of->cells.at[i], f) && check_bracket(c, f, &spec, i) != 0)
            return -1;
    if (!is_known)
        take_range(&spec, f);
    return replay_search(c, f, &spec);
}

/* ---- without the suite ---- */

static int check_mean(const check *c, const found *f) {
    const check_says says = {.of = c, .because = "the mean of its history at this strength is"};
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        if (check_close(f->history[i].strength, f->row->strength, 0) && isfinite(f->history[i].utility)) {
            sum += f->history[i].utility;
            n++;
        }
    return f->row->is_matched ? check_number(&says, gnt_path_key(f->at.text, "utility").text, f->row->utility,
                                             n ? sum / (double)n : NAN)
                              : 0;
}

/* ---- cells ---- */

static int check_cell(const check *c, const found *f, size_t i) {
    static const size_t members[] = {offsetof(gnt_outcome, matched), offsetof(gnt_outcome, strength)};
    const check_says says = {.of = c, .because = "matches of its task and defense gives"};
    const gnt_outcome *cell = &c->of->cells.at[i];
    gnt_outcome should = *cell;
    should.matched = f->row->is_matched;
    should.strength = f->row->strength;
    if (!isfinite(cell->strength) && !check_is_ok(cell))
        return 0;
    return check_members(&says, &gnt_cell_fields, gnt_path_item("cells", i).text, cell, &should,
                         members + !isfinite(cell->strength), isfinite(cell->strength) ? 2 : 1);
}

/* ---- the whole ---- */

static int check_search(const check *c, const found *f, size_t task, size_t defense) {
    const check_says says = {.of = c, .because = "its cells give"};
    const double seen = undefended(c, task), none = f->row->utility_none;
    if (check_number(&says, gnt_path_key(f->at.text, "utility_none").text, none,
                     isfinite(seen) ? seen : none) != 0)
        return -1;
    return strcmp(f->row->verdict, "n/a") != 0 ? replay(c, f, task, defense) : 0;
}

/* Runs of before a confirmation had a standard error used another rule, which is not checked. */
static int check_with_suite(const check *c, const found *f) {
    const gnt_match_row *row = f->row;
    size_t task, defense;
    if (!find_pair(c, f, &task, &defense))
        return gnt_fail(c->err, "%s: %s is of %s and %s, which suite.json beside it does not match", c->file,
                        f->at.text, gnt_show_text(row->task).text, gnt_show_text(row->defense).text);
    if (!gnt_fields_has(&gnt_match_fields, row, &row->confirmation)) {
        check_note(c, "%s: verdicts of runs made before `confirmation` was written", f->at.text);
        return 0;
    }
    if (isfinite(row->utility_none))
        return check_search(c, f, task, defense);
    return row->is_matched ? gnt_fail(c->err, "%s: %s is null, but nothing is matched without it", c->file,
                                      gnt_path_key(f->at.text, "utility_none").text)
                           : 0;
}

static int check_row(const check *c, found *f) {
    const gnt_match_row *row = f->row;
    if (read_history(c, f) != 0 || (c->suite && check_with_suite(c, f) != 0))
        return -1;
    if (row->confirmed != row->is_matched)
        return gnt_fail(c->err, "%s: %s is %s, but the verdict is %s", c->file,
                        gnt_path_key(f->at.text, "confirmed").text, row->is_matched ? "false" : "true",
                        gnt_show_text(row->verdict).text);
    if (check_mean(c, f) != 0)
        return -1;
    for (size_t i = 0; i < c->of->cells.n; i++)
        if (c->of->cells.at[i].mode == GNT_ROW_MATCHED && is_at(&c->of->cells.at[i], f) &&
            check_cell(c, f, i) != 0)
            return -1;
    return 0;
}

/* Checks that every cell that is marked as matched has exactly one row. */
static int check_rows(const check *c) {
    json_t *seen = json_object();
    const size_t n = c->of->matches.n;
    int rc = seen ? 0 : gnt_fail(c->err, "%s: out of memory", c->file);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const gnt_match_row *row = &c->of->matches.at[i];
        if (check_first_of(seen, gnt_format("%s@%s", row->task, row->defense), i) != i)
            rc = gnt_fail(c->err, "%s: %s is a second verdict on one task and defense; there is one", c->file,
                          gnt_path_item("matches", i).text);
    }
    for (size_t i = 0; rc == 0 && i < c->of->cells.n; i++) {
        const gnt_outcome *cell = &c->of->cells.at[i];
        if (cell->mode == GNT_ROW_MATCHED && (check_is_ok(cell) || cell->matched) &&
            check_first_of(seen, gnt_format("%s@%s", cell->task, cell->defense), n) == n)
            rc = gnt_fail(c->err,
                          "%s: %s ran at a matched strength, but matches has no verdict on its task and "
                          "defense",
                          c->file, gnt_path_item("cells", i).text);
    }
    json_decref(seen);
    return rc;
}

int check_matches(const check *c) {
    if (check_rows(c) != 0)
        return -1;
    for (size_t i = 0; i < c->of->matches.n; i++) {
        found f = {.row = &c->of->matches.at[i], .at = gnt_path_item("matches", i)};
        const int rc = check_row(c, &f);
        gnt_free(f.history);
        if (rc != 0)
            return -1;
    }
    return 0;
}
