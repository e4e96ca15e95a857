/* A search for matched utility: match/ decides what to train next, which becomes jobs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "run/run_impl.h"

/* True if the job, which has ended, ended well; else the search is settled. */
static int is_usable(const run *r, run_search *s, run_job *j) {
    /* other runs read it when they find the job in the store (finish_stored) */
    if (j->state == RUN_OK && r->options->share == GNT_SHARE_WORK && !j->measured.is_read &&
        !run_has_utility(r, j))
        run_job_end(
            j, "failed",
            "the utility that a training left cannot be read back from the store: expected numbers of rounds "
            "that rise; remove its folder there to compute it again");
    if (j->state == RUN_OK)
        return 1;
    s->settled = 1;
    s->reason = gnt_strdup(j->ending.reason);
    s->failed = run_job_origin(j);
    return 0;
}

/* Makes the n jobs of a step, and waits for the first that has not ended. *ready once all have ended well;
 * one that failed settles the search. */
static int await_jobs(run *r, run_search *s, size_t n, run_job *(*job)(run *r, const run_search *s, size_t i),
                      int *ready, gnt_err *err) {
    *ready = 0;
    for (size_t i = 0; s->n_ended == 0 && i < n; i++)
        if (!job(r, s, i))
            return gnt_fail(err, "out of memory for a search");
    for (; s->n_ended < n; s->n_ended++) {
        run_job *j = job(r, s, s->n_ended);
        if (!run_job_has_ended(j)) {
            run_wait_for(&s->waiter, &j->waiters);
            return 0;
        }
        if (!is_usable(r, s, j))
            return 0;
    }
    *ready = 1;
    return 0;
}

static run_job *undefended_job(run *r, const run_search *s, size_t i) {
    return run_none_job(&r->requests, s->task, r->suite->seeds[i]);
}

static run_job *public_job(run *r, const run_search *s, size_t i) {
    return run_public_job(&r->requests, s->task, r->suite->seeds[i]);
}

/* Sets *out to the mean utility of training runs over the suite's seeds, those of the cells, and *ready once
 * it is known. The target is computed from it, so that the search's own training runs decide nothing but the
 * strength. what: the training runs, in messages. */
static int mean_utility(run *r, run_search *s, run_job *(*job)(run *r, const run_search *s, size_t i),
                        const char *what, double *out, int *ready, gnt_err *err) {
    const size_t n = r->suite->n_seeds;
    double sum = 0;
    if (await_jobs(r, s, n, job, ready, err) != 0)
        return -1;
    if (!*ready)
        return 0;
    for (size_t i = 0; i < n; i++)
        sum += run_utility(r, job(r, s, i), NULL);
    s->n_ended = 0;
    *out = sum / (double)n;
    if (!isfinite(*out)) { /* else this would go on without end */
        *out = NAN;
        s->settled = 1;
        s->reason = gnt_format("the %s has no utility: it diverged", what);
    }
    return 0;
}

static int remember(run_search *s, double strength, int64_t seed, double utility, double noise) {
    for (size_t i = 0; i < s->n; i++)
        if (s->history[i].strength == strength && s->history[i].seed == seed)
            return 0;
    if (GNT_GROW(s->history, s->n) != 0)
        return -1;
    s->history[s->n++] = (gnt_match_point){strength, seed, utility, noise};
    return 0;
}

static int is_paired(const run *r, const run_search *s) {
    return r->suite->task[s->task].match.paired;
}

/* Returns the seed of a search's training run. A curve is of the training runs of cells, at some of whose
 * strengths there are cells. */
static uint64_t seed_of(const run *r, const run_search *s, int64_t number) {
    return r->suite->defense[s->defense].n_curve ? r->suite->seeds[number] : run_search_seed(number);
}

static run_job *planned_job(run *r, const run_search *s, int64_t number) {
    return run_train_job(&r->requests, s->task, (int)s->defense, s->step.strength, seed_of(r, s, number));
}

/* Returns the i-th job of the last step: the planned training runs, each with the undefended one of the same
 * seed behind it if they are paired. */
static run_job *step_job(run *r, const run_search *s, size_t i) {
    const int64_t number = s->step.seed + (int64_t)(is_paired(r, s) ? i / 2 : i);
    return is_paired(r, s) && i % 2 ? run_none_job(&r->requests, s->task, seed_of(r, s, number))
                                    : planned_job(r, s, number);
}

/* Adds the utility of a training run to the history. Paired, that is the undefended utility plus the
 * difference to the undefended run of the same seed: what the two have in common, such as the test rows, adds
 * no scatter. */
static int take_training(run *r, run_search *s, int64_t number) {
    run_job *j = planned_job(r, s, number);
    double noise, utility;
    if (is_paired(r, s))
        utility = s->none +
                  run_utility_above(r, j, run_none_job(&r->requests, s->task, seed_of(r, s, number)), &noise);
    else
        utility = run_utility(r, j, &noise);
    return remember(s, s->step.strength, number, utility, noise);
}

/* Trains what the last step planned; *ready once all of it is done. */
static int train_planned(run *r, run_search *s, int *ready, gnt_err *err) {
    if (await_jobs(r, s, (size_t)s->step.n_seeds * (is_paired(r, s) ? 2 : 1), step_job, ready, err) != 0)
        return -1;
    for (int64_t i = 0; *ready && i < s->step.n_seeds; i++)
        if (take_training(r, s, s->step.seed + i) != 0)
            return gnt_fail(err, "out of memory for a search");
    return 0;
}

/* Warns once of a task whose target is met by a defense that does nothing. */
static void warn_of_easy_target(const run *r, const run_search *s) {
    if (!(fabs(s->none - s->spec.target) <= s->spec.tolerance))
        return;
    for (const run_search *other = r->search; other < s; other++)
        if (other->task == s->task && other->has_target)
            return;
    run_show_warning(
        r,
        "task %s: the target %.4g lies within its tolerance of %.4g of the undefended %.4g, so a defense "
        "that does nothing meets it; lower the tolerance or the target",
        r->suite->task[s->task].id, s->spec.target, s->spec.tolerance, s->none);
}

/* Warns of a defense that leaves more utility than the target, whatever its strength. */
static void warn_of_saturation(const run *r, const run_search *s) {
    if (s->step.what == GNT_MATCH_MATCHED && s->step.saturated)
        run_show_warning(r,
                         "task %s: %s is saturated: even its strongest setting leaves a utility of %.4g, and "
                         "the target is %.4g; it is compared by what it leaks there",
                         r->suite->task[s->task].id, r->suite->defense[s->defense].label, s->step.utility,
                         s->spec.target);
}

static int wants_training(const run_search *s) {
    return s->step.what == GNT_MATCH_EVALUATE || s->step.what == GNT_MATCH_CONFIRM;
}

/* Sets the utilities that the target depends on; *ready once they are known. */
static int find_utilities(run *r, run_search *s, int *ready, gnt_err *err) {
    *ready = 1;
    if (!isfinite(s->none) &&
        mean_utility(r, s, undefended_job, "undefended training", &s->none, ready, err) != 0)
        return -1;
    if (!*ready || s->settled || r->suite->task[s->task].match.kind != GNT_TARGET_ADDED)
        return 0;
    return mean_utility(r, s, public_job, "training on public data alone", &s->public_only, ready, err);
}

/* True if private data add to the utility of public data alone, or the target does not depend on that; else
 * the search is settled. */
static int is_added_to(const run *r, run_search *s) {
    const gnt_suite_task *t = &r->suite->task[s->task];
    const double added = t->utility == GNT_UTILITY_LOSS ? s->public_only - s->none : s->none - s->public_only;
    if (t->match.kind != GNT_TARGET_ADDED || added > 0)
        return 1;
    s->settled = 1;
    s->reason =
        gnt_format("private data add nothing: public data alone give %.4g, the undefended training %.4g",
                   s->public_only, s->none);
    return 0;
}

/* Sets what the search aims at. *ready once it is known. */
static int find_target(run *r, run_search *s, int *ready, gnt_err *err) {
    if (find_utilities(r, s, ready, err) != 0)
        return -1;
    if (!*ready || s->settled || !is_added_to(r, s))
        return 0;
    if (gnt_suite_match_spec(r->suite, s->task, s->defense, s->none, s->public_only, &s->spec, err) != 0)
        return -1;
    s->has_target = 1;
    warn_of_easy_target(r, s);
    return 0;
}

/* Has match/ decide what to train next. */
static int plan_step(run *r, run_search *s, gnt_err *err) {
    if (gnt_match_next(&s->step, &s->spec, s->history, s->n, err) != 0)
        return -1;
    s->n_ended = 0;
    s->settled = !wants_training(s);
    if (s->settled)
        warn_of_saturation(r, s);
    else
        run_queue_add(&r->searches, s->waiter.number);
    return 0;
}

int run_step_search(run *r, run_search *s, gnt_err *err) {
    int ready;
    int rc = s->has_target ? train_planned(r, s, &ready, err) : find_target(r, s, &ready, err);
    if (rc == 0 && ready && !s->settled)
        rc = plan_step(r, s, err);
    if (rc == 0 && s->settled)
        run_wake(&s->waiters);
    return rc;
}
