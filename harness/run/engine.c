#include "run/engine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "metric/features.h"
#include "nn/kernels/blas_core.h"
#include "plugin/python.h"
#include "run/identity.h"
#include "run/run_impl.h"

static size_t count_searches(const run *r) {
    return r->suite->n_tasks * r->suite->n_defenses;
}

static void open_cells(run *r) {
    for (size_t i = 0; i < r->plan->n; i++) {
        r->cell[i] = (run_cell){.cell = &r->plan->cell[i],
                                .status = GNT_CELL_UNFINISHED,
                                .strength = NAN,
                                .utility = NAN,
                                .utility_none = NAN};
        r->cell[i].waiter = (run_waiter){.queue = &r->cells, .number = i};
        if (run_wants(r, i) && !r->options->searches_only) {
            run_queue_add(&r->cells, i);
            r->progress.n_wanted++;
        }
    }
}

/* Settles every search that no cell to run needs, or whose strengths are given. */
static void open_searches(run *r) {
    const double *given = r->options->strength;
    for (size_t i = 0; i < count_searches(r); i++)
        r->search[i] = (run_search){.task = i / r->suite->n_defenses,
                                    .defense = i % r->suite->n_defenses,
                                    .none = NAN,
                                    .public_only = NAN,
                                    .settled = 1,
                                    .step = {.strength = NAN},
                                    .waiter = {.queue = &r->searches, .number = i}};
    for (size_t i = 0; given && i < count_searches(r); i++)
        r->search[i].step =
            (gnt_match_next_step){.what = GNT_MATCH_MATCHED, .strength = given[GNT_BRACKETS * i]};
    for (size_t i = 0; i < r->plan->n && !given; i++) {
        const gnt_cell *c = &r->plan->cell[i];
        if (run_wants(r, i) && !c->reason && (c->mode == GNT_MODE_MATCHED || c->bracket))
            r->search[c->task * r->suite->n_defenses + c->defense].settled = 0;
    }
    for (size_t i = 0; i < count_searches(r); i++)
        if (!r->search[i].settled)
            run_queue_add(&r->searches, i);
}

/* Fails if the folder has the run of a suite of another name: its results would be replaced. */
static int check_folder(const run *r, gnt_err *err) {
    char *path = gnt_format("%s/suite.json", r->options->folder);
    gnt_doc doc;
    int rc = path ? 0 : gnt_fail(err, "out of memory for a run");
    if (rc == 0 && gnt_doc_load(&doc, path, GNT_DOC_MOST, NULL) == 0) {
        const char *other = json_string_value(json_object_get(doc.root, "suite"));
        if (other && strcmp(other, r->suite->name) != 0)
            rc = gnt_fail(err,
                          "%s has a run of the suite \"%.64s\", and this suite is \"%.64s\"; give this one "
                          "another folder with -o, or remove that one",
                          r->options->folder, other, r->suite->name);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return rc;
}

/* Takes the folder for this run, or for all that share it. A file system without locks refuses nobody. */
static int take_folder(run *r, const char *store, gnt_err *err) {
    const int shares = r->options->share != GNT_SHARE_NOT;
    int busy;
    r->lock = gnt_folder_take(store, shares, &busy);
    return busy ? gnt_fail(err,
                           "%s: another run works in this folder%s; wait for its end, give this one another "
                           "folder with -o, or start both with --share",
                           r->options->folder, shares ? ", without --share" : "")
                : 0;
}

static int is_script(const gnt_suite_member *m) {
    return m->info && gnt_is_script(m->info->file);
}

/* Finds out what scripts depend on if a plugin of the suite is one. */
static int find_scripts(run *r, gnt_err *err) {
    const gnt_suite *s = r->suite;
    int any = 0;
    for (size_t i = 0; i < s->n_defenses; i++)
        for (size_t k = 0; k < s->defense[i].n_members; k++)
            any |= is_script(&s->defense[i].member[k]);
    for (size_t i = 0; i < s->n_attacks; i++)
        any |= is_script(&s->attack[i].member) || is_script(&s->attack[i].first);
    return any && !(r->scripts = gnt_scripts_identity(err)) ? -1 : 0;
}

static int open_run(run *r, gnt_err *err) {
    char *store = gnt_format("%s/store", r->options->folder);
    r->progress.start = r->progress.shown = gnt_clock();
    r->progress.started = time(NULL);
    r->cell = gnt_array(r->plan->n, sizeof *r->cell);
    r->search = gnt_array(count_searches(r), sizeof *r->search);
    r->requests = (run_requests){.suite = r->suite, .data_folder = r->options->data_folder, .jobs = &r->jobs};
    r->running.at = gnt_array((size_t)r->options->jobs, sizeof(run_job *));
    int rc = store && run_jobs_open(&r->jobs) == 0 && r->cell && r->search && r->running.at &&
                     run_queue_reserve(&r->cells, r->plan->n) == 0 &&
                     run_queue_reserve(&r->searches, count_searches(r)) == 0
                 ? 0
                 : gnt_fail(err, "out of memory for a run");
    if (rc == 0 && !r->options->only_stored)
        rc = check_folder(r, err);
    if (rc == 0)
        rc = gnt_store_open(&r->store, store, err);
    if (rc == 0 && !r->options->only_stored)
        rc = take_folder(r, store, err);
    gnt_free(store);
    if (rc != 0 || !(r->host = gnt_run_identity(&r->program, err)) || find_scripts(r, err) != 0 ||
        run_share_open(r, err) != 0)
        return -1;
    r->requests.host = r->host;
    if (run_requests_open(&r->requests, err) != 0)
        return -1;
    open_cells(r);
    open_searches(r);
    return 0;
}

static void close_run(run *r) {
    for (size_t i = 0; i < r->running.n; i++) /* those that an interruption or an error left */
        run_processes_free(r->running.at[i]);
    gnt_free(r->running.at);
    run_queue_free(&r->searches);
    run_queue_free(&r->cells);
    run_jobs_free(&r->jobs);
    run_requests_close(&r->requests);
    run_share_close(r);
    for (size_t i = 0; r->cell && i < r->plan->n; i++)
        gnt_free(r->cell[i].reason);
    gnt_arena_free(&r->memory);
    for (size_t i = 0; r->search && i < count_searches(r); i++) {
        gnt_free(r->search[i].history);
        gnt_free(r->search[i].reason);
    }
    gnt_free(r->cell);
    gnt_free(r->search);
    gnt_free(r->host);
    gnt_free(r->scripts);
    gnt_store_close(r->store);
    if (r->lock >= 0)
        close(r->lock);
}

/* Moves everything on as far as it goes without waiting. */
static int settle_all(run *r, gnt_err *err) {
    do {
        for (size_t i; run_queue_take(&r->searches, &i);)
            if (run_step_search(r, &r->search[i], err) != 0)
                return -1;
        for (size_t i; run_queue_take(&r->cells, &i);)
            if (run_step_cell(r, &r->cell[i], err) != 0)
                return -1;
        if (run_step_jobs(r, err) != 0)
            return -1;
    } while (r->searches.n || r->cells.n || r->jobs.look.n);
    return 0;
}

static int run_all(run *r, gnt_err *err) {
    for (;;) {
        if (!r->interrupted && settle_all(r, err) != 0)
            return -1;
        if (r->interrupted) /* what runs is killed when its job is freed; what is done is stored */
            return 0;
        if (r->running.n == 0 && !run_share_waits(r))
            return 0;
        if (r->running.n && run_wait_job(r, err) != 0)
            return -1;
        run_share_renew(r);
        run_show_progress(r, 0);
    }
}

/* True if the outputs of the cell's own jobs were in the store. A score alone may be there from a cell of
 * this run that has the same answer. */
static int is_reused(const run_cell *c) {
    const run_job *const own[] = {c->jobs.train, c->jobs.attack, c->jobs.score};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!own[i] || !own[i]->stored.cached)
            return 0;
    return c->status == GNT_CELL_OK;
}

static void count(const run *r, gnt_run_counts *counts) {
    *counts = (gnt_run_counts){.interrupted = r->interrupted};
    size_t *const of[GNT_CELL_STATUSES] = {[GNT_CELL_UNFINISHED] = &counts->unfinished,
                                           [GNT_CELL_OK] = &counts->ok,
                                           [GNT_CELL_NA] = &counts->na,
                                           [GNT_CELL_FAILED] = &counts->failed,
                                           [GNT_CELL_CRASHED] = &counts->crashed,
                                           [GNT_CELL_TIMEOUT] = &counts->timeout};
    for (size_t i = 0; i < r->plan->n; i++) {
        const run_cell *c = &r->cell[i];
        if (!run_wants(r, i))
            continue;
        ++*of[c->status];
        counts->reused += is_reused(c);
    }
}

/* Writes the files of the run under a lock: if two runs end in one folder, all files are those of the later
 * one. */
static int write_all(const run *r, gnt_err *err) {
    const int lock = gnt_folder_hold(r->options->folder);
    int rc = run_write_plan(r, err) || run_write_results(r, err) || run_write_host(r, err) ? -1 : 0;
    if (lock >= 0)
        close(lock);
    return rc;
}

int gnt_run(const gnt_suite *suite, const gnt_plan *plan, const gnt_run_options *options,
            gnt_run_counts *counts, gnt_err *err) {
    run r = {.suite = suite, .plan = plan, .options = options, .lock = -1};
    const int writes = options->share != GNT_SHARE_WORK && !options->only_stored;
    int rc = open_run(&r, err);
    if (rc == 0)
        run_warn_before(&r);
    if (rc == 0 && writes)
        rc = run_write_plan(&r, err);
    if (rc == 0)
        rc = run_all(&r, err);
    if (rc == 0 && writes) {
        run_show_progress(&r, 1);
        run_warn_after(&r);
        rc = write_all(&r, err);
    }
    run_share_report(&r, rc != 0 ? "failed" : r.interrupted ? "stopped" : "ended");
    if (r.cell)
        count(&r, counts);
    if (rc == 0 && options->done && !r.interrupted)
        rc = options->done(options->user, &r, err);
    close_run(&r);
    return rc;
}
