#include "cli/season_strengths.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "match/match.h"
#include "result/result.h"
#include "suite/plan.h"

enum { STRENGTHS = 5 };

int cli_any_listed(const gnt_suite *suite) {
    for (size_t d = 0; d < suite->n_defenses; d++)
        if (suite->defense[d].n_curve)
            return 1;
    return 0;
}

/* ---- the searches ---- */

/* Keeps the lists, and puts searches in their place. */
static int begin(gnt_season_strengths *of, gnt_suite *suite, gnt_arena *memory) {
    size_t n = 0;
    for (size_t d = 0; d < suite->n_defenses; d++) {
        gnt_suite_defense *defense = &suite->defense[d];
        defense->match = defense->n_curve > 0;
        if (!defense->n_curve)
            continue;
        of[n++] = (gnt_season_strengths){
            .defense = gnt_arena_text(memory, defense->label),
            .submitted = {gnt_arena_copy(memory, defense->curve, defense->n_curve, sizeof *defense->curve),
                          defense->n_curve}};
        defense->n_curve = 0;
    }
    for (size_t t = 0; t < suite->n_tasks; t++) {
        gnt_suite_match *m = &suite->task[t].match;
        m->seeds = 1;
        m->most_seeds = 2;
        m->confirm_seeds = 1;
        m->confirmations = 1;
    }
    return memory->failed ? -1 : 0;
}

static int search(const gnt_suite *suite, const gnt_run_options *how, int *interrupted, gnt_err *err) {
    gnt_plan plan = {0};
    gnt_run_counts counts = {0};
    gnt_run_options options = *how;
    options.searches_only = options.quiet = 1;
    int rc = gnt_plan_make(&plan, suite, err);
    if (rc == 0)
        rc = gnt_run(suite, &plan, &options, &counts, err);
    *interrupted = counts.interrupted;
    gnt_plan_free(&plan);
    return rc;
}

/* ---- what follows from them ---- */

static const gnt_match_row *row_of(const gnt_result *r, const char *task, const char *defense) {
    for (size_t i = 0; i < r->matches.n; i++)
        if (!strcmp(r->matches.at[i].task, task) && !strcmp(r->matches.at[i].defense, defense))
            return &r->matches.at[i];
    return NULL;
}

/* Reads the search of a task for a defense; its history is in `memory`. */
static int read_search(gnt_match_sought *out, const gnt_suite *suite, size_t task, size_t defense,
                       const gnt_match_row *row, gnt_arena *memory, gnt_err *err) {
    if (!strcmp(row->verdict, "n/a"))
        return gnt_fail(err, "task %s: no strength of %s could be searched for: %s", row->task, row->defense,
                        row->reason);
    if (gnt_suite_match_spec(suite, task, defense, NAN, NAN, &out->spec, err) != 0)
        return -1;
    out->spec.target = row->target; /* by the utilities of this run */
    gnt_match_point *history = gnt_arena_array(memory, row->n_history + 1, sizeof *history);
    for (size_t i = 0; history && i < row->n_history; i++) {
        const gnt_attempt *a = &row->history[i];
        history[i] = (gnt_match_point){a->strength, a->seed, a->utility,
                                       isfinite(a->standard_error) ? a->standard_error : 0};
    }
    out->history = history;
    out->n = row->n_history;
    return history ? 0 : gnt_fail(err, "out of memory");
}

/* Chooses the strengths of a defense by the searches of its tasks. */
static int choose(gnt_season_strengths *of, const gnt_suite *suite, size_t defense, const gnt_result *r,
                  gnt_arena *memory, gnt_err *err) {
    const size_t room = 2 * suite->n_tasks + STRENGTHS;
    gnt_match_sought *sought = gnt_arena_array(memory, suite->n_tasks + 1, sizeof *sought);
    double *strength = gnt_arena_array(memory, room, sizeof *strength);
    size_t n = 0;
    if (!sought || !strength)
        return gnt_fail(err, "out of memory");
    for (size_t t = 0; t < suite->n_tasks; t++) {
        const gnt_match_row *row = row_of(r, suite->task[t].id, of->defense);
        if (row && read_search(&sought[n++], suite, t, defense, row, memory, err) != 0)
            return -1;
    }
    if (gnt_match_enclose(strength, &of->chosen.n, STRENGTHS, sought, n, err) != 0)
        return gnt_fail_in(err, "no strengths for %s", of->defense);
    of->chosen.at = strength;
    return 0;
}

static int choose_all(gnt_season_strengths *of, const gnt_suite *suite, const char *folder, gnt_arena *memory,
                      gnt_err *err) {
    gnt_result r;
    gnt_result_clear(&r);
    char *path = gnt_format("%s/results.json", folder);
    int rc = path ? gnt_result_load(&r, path, err) : gnt_fail(err, "out of memory");
    size_t n = 0;
    for (size_t d = 0; rc == 0 && d < suite->n_defenses; d++)
        if (suite->defense[d].match)
            rc = choose(&of[n++], suite, d, &r, memory, err);
    gnt_result_free(&r);
    gnt_free(path);
    return rc;
}

int cli_season_strengths(gnt_season_strength_list *out, gnt_suite *suite, const gnt_run_options *how,
                         gnt_arena *memory, int *interrupted, gnt_err *err) {
    gnt_season_strengths *of = gnt_arena_array(memory, suite->n_defenses + 1, sizeof *of);
    *interrupted = 0;
    if (!of || begin(of, suite, memory) != 0)
        return gnt_fail(err, "out of memory");
    if (search(suite, how, interrupted, err) != 0)
        return -1;
    if (*interrupted)
        return 0;
    out->at = of;
    for (size_t d = 0; d < suite->n_defenses; d++)
        out->n += (size_t)suite->defense[d].match;
    return choose_all(of, suite, how->folder, memory, err);
}
