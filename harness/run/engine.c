#include "run/engine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "metric/features.h"
#include "nn/kernels/blas_core.h"
#include "run/identity.h"
#include "run/run_impl.h"

static int same_data(const gnt_suite_task *a, const gnt_suite_task *b) {
    return strcmp(a->data, b->data) == 0 && a->data_seed == b->data_seed &&
           memcmp(a->rows, b->rows, sizeof a->rows) == 0;
}

/* The digest of t's data where one of the first n_tasks tasks or n_models models has the same; NULL where
 * none has: no set is read twice. */
static const gnt_digest *known_data(const run *r, const gnt_suite_task *t, size_t n_tasks, size_t n_models) {
    for (size_t i = 0; i < n_tasks; i++)
        if (same_data(&r->suite->task[i], t))
            return &r->data_digest[i];
    for (size_t i = 0; i < n_models; i++)
        if (same_data(&r->suite->model[i].of, t))
            return &r->model_data[i];
    return NULL;
}

/* Of a data set, whose digest may be known, and, where there are any, of weights. */
static int digest_of(const run *r, const gnt_suite_task *t, const gnt_digest *known, gnt_digest *of_data,
                     gnt_digest *weights, gnt_err *err) {
    gnt_data *data;
    if (t->weights && gnt_digest_file(t->weights, weights, err) != 0)
        return -1;
    if (known) {
        *of_data = *known;
        return 0;
    }
    if (gnt_suite_open_data(t, r->options->data_folder, &data, err) != 0)
        return -1;
    *of_data = data->digest;
    gnt_data_free(data);
    return 0;
}

static int digest_of_public_set(const run *r, const gnt_suite_task *t, gnt_digest *digest, gnt_err *err) {
    gnt_data *data;
    if (!t->public_set.data)
        return 0;
    if (gnt_suite_open_public_set(t, r->options->data_folder, &data, err) != 0)
        return -1;
    *digest = data->digest;
    gnt_data_free(data);
    return 0;
}

/* Weights of LPIPS lie where data lie. That there are none is no failure: the measure then says so. */
static int digest_lpips(run *r, gnt_err *err) {
    const char *folder = r->options->data_folder;
    for (int i = 0; i < GNT_LPIPS_NETS; i++) {
        if (!folder || !gnt_lpips_is_wanted(r->suite->measures, (gnt_lpips_net)i))
            continue;
        char *path = gnt_format("%s/weights/lpips/%s.safetensors", folder, gnt_lpips_names[i]);
        if (!path)
            return gnt_fail(err, "out of memory for a run");
        if (!gnt_file_exists(path)) {
            gnt_free(path);
            continue;
        }
        r->lpips_path[i] = path;
        if (gnt_digest_file(path, &r->lpips_digest[i], err) != 0)
            return -1;
    }
    return 0;
}

static int digest_inputs(run *r, gnt_err *err) {
    const gnt_suite *s = r->suite;
    r->data_digest = gnt_array(s->n_tasks, sizeof *r->data_digest);
    r->public_digest = gnt_array(s->n_tasks, sizeof *r->public_digest);
    r->weights_digest = gnt_array(s->n_tasks, sizeof *r->weights_digest);
    r->start_digest = gnt_array(s->n_attacks, sizeof *r->start_digest);
    r->model_data = gnt_array(s->n_models, sizeof *r->model_data);
    r->model_weights = gnt_array(s->n_models, sizeof *r->model_weights);
    if (!r->data_digest || !r->public_digest || !r->weights_digest || !r->start_digest || !r->model_data ||
        !r->model_weights)
        return gnt_fail(err, "out of memory for a run");
    for (size_t t = 0; t < s->n_tasks; t++)
        if (digest_of(r, &s->task[t], known_data(r, &s->task[t], t, 0), &r->data_digest[t],
                      &r->weights_digest[t], err) != 0 ||
            digest_of_public_set(r, &s->task[t], &r->public_digest[t], err) != 0)
            return -1;
    for (size_t m = 0; m < s->n_models; m++)
        if (digest_of(r, &s->model[m].of, known_data(r, &s->model[m].of, s->n_tasks, m), &r->model_data[m],
                      &r->model_weights[m], err) != 0)
            return -1;
    for (size_t a = 0; a < s->n_attacks; a++)
        if (s->attack[a].start && gnt_digest_file(s->attack[a].start, &r->start_digest[a], err) != 0)
            return -1;
    return digest_lpips(r, err);
}

static int open_run(run *r, gnt_err *err) {
    const gnt_suite *s = r->suite;
    char *store = gnt_format("%s/store", r->options->folder);
    clock_gettime(CLOCK_MONOTONIC, &r->start);
    r->shown = r->start;
    r->started = time(NULL);
    r->index = json_object();
    r->cell = gnt_array(r->plan->n, sizeof *r->cell);
    r->search = gnt_array(s->n_tasks * s->n_defenses, sizeof *r->search);
    int rc = store && r->index && r->cell && r->search ? gnt_store_open(&r->store, store, err)
                                                       : gnt_fail(err, "out of memory for a run");
    gnt_free(store);
    if (rc != 0 || !(r->host = gnt_run_identity(err)) || run_share_open(r, err) != 0 ||
        digest_inputs(r, err) != 0)
        return -1;
    for (size_t i = 0; i < r->plan->n; i++)
        r->cell[i] =
            (run_cell){.cell = &r->plan->cell[i], .strength = NAN, .utility = NAN, .utility_none = NAN};
    for (size_t t = 0; t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++)
            r->search[t * s->n_defenses + d] =
                (run_search){.task = t, .defense = d, .none = NAN, .settled = 1, .step = {.strength = NAN}};
    for (size_t i = 0; i < r->plan->n; i++)
        r->n_wanted += (size_t)run_wants(r, i);
    for (size_t i = 0; r->options->strength && i < s->n_tasks * s->n_defenses; i++)
        r->search[i].step = (gnt_match_next_step){.what = GNT_MATCH_MATCHED,
                                                  .strength = r->options->strength[GNT_BRACKETS * i]};
    /* only what some cell will use is searched for */
    for (size_t i = 0; i < r->plan->n && !r->options->strength; i++)
        if (run_wants(r, i) && !r->plan->cell[i].reason &&
            (r->plan->cell[i].mode == GNT_MODE_MATCHED || r->plan->cell[i].bracket))
            r->search[r->plan->cell[i].task * s->n_defenses + r->plan->cell[i].defense].settled = 0;
    return 0;
}

static void close_run(run *r) {
    run_free_jobs(r);
    run_share_close(r);
    for (size_t i = 0; r->cell && i < r->plan->n; i++) {
        gnt_free(r->cell[i].reason);
        json_decref(r->cell[i].score);
        json_decref(r->cell[i].facts);
        json_decref(r->cell[i].marks);
    }
    for (size_t i = 0; r->search && i < r->suite->n_tasks * r->suite->n_defenses; i++) {
        gnt_free(r->search[i].history);
        gnt_free(r->search[i].reason);
    }
    gnt_free(r->cell);
    gnt_free(r->search);
    gnt_free(r->data_digest);
    gnt_free(r->public_digest);
    for (int i = 0; i < GNT_LPIPS_NETS; i++)
        gnt_free(r->lpips_path[i]);
    gnt_free(r->weights_digest);
    gnt_free(r->start_digest);
    gnt_free(r->model_data);
    gnt_free(r->model_weights);
    gnt_free(r->host);
    json_decref(r->index);
    gnt_store_close(r->store);
}

/* Moves everything on as far as it goes without waiting. */
static int settle_all(run *r, gnt_err *err) {
    size_t searches = r->suite->n_tasks * r->suite->n_defenses;
    for (int moved = 1; moved;) {
        moved = 0;
        for (size_t i = 0; i < searches; i++)
            if (run_step_search(r, &r->search[i], &moved, err) != 0)
                return -1;
        for (size_t i = 0; i < r->plan->n; i++)
            if (run_step_cell(r, &r->cell[i], &moved, err) != 0)
                return -1;
        if (run_step_jobs(r, &moved, err) != 0)
            return -1;
    }
    return 0;
}

static int run_all(run *r, gnt_err *err) {
    for (;;) {
        if (!r->interrupted && settle_all(r, err) != 0)
            return -1;
        if (r->interrupted) /* what runs is killed when its job is freed; what is done is stored */
            return 0;
        if (r->running == 0 && !run_share_waits(r))
            return 0;
        if (r->running && run_wait_job(r, err) != 0)
            return -1;
        run_share_renew(r);
        run_show_progress(r, 0);
    }
}

static void count(const run *r, gnt_run_counts *counts) {
    *counts = (gnt_run_counts){.interrupted = r->interrupted};
    for (size_t i = 0; i < r->plan->n; i++) {
        if (!run_wants(r, i))
            continue;
        switch (r->cell[i].status) {
        case RUN_CELL_UNFINISHED:
            counts->unfinished++;
            break;
        case RUN_CELL_OK:
            counts->ok++;
            break;
        case RUN_CELL_NA:
            counts->na++;
            break;
        case RUN_CELL_FAILED:
            counts->failed++;
            break;
        case RUN_CELL_CRASHED:
            counts->crashed++;
            break;
        case RUN_CELL_TIMEOUT:
            counts->timeout++;
            break;
        }
    }
}

/* Where two runs end in one folder, all of its files are those of the one that ended last. */
static int write_all(const run *r, gnt_err *err) {
    const int held = gnt_folder_hold(r->options->folder);
    int rc = run_write_plan(r, err);
    if (rc == 0)
        rc = run_write_results(r, err);
    if (rc == 0)
        rc = run_write_host(r, err);
    if (held >= 0)
        close(held);
    return rc;
}

/* Results do not suffer from it, times do. */
static void warn_of_blas_core(const run *r) {
    char text[GNT_BLAS_CORE_TEXT];
    if (gnt_blas_core_is_forced_down(text))
        run_show_warning(r, "%s", text);
}

/* A run that fills the disk ends, and so may much else on the machine. */
static void warn_of_disk(const run *r) {
    const double needed = r->plan->update_bytes * (double)r->n_wanted / (double)(r->plan->n ? r->plan->n : 1);
    const double left = gnt_disk_free(r->options->folder);
    if (needed > left)
        run_show_warning(
            r,
            "%s: will keep about %.0f GB of observed updates, of which some may be there already, "
            "and %.0f GB are free; fewer targets, seeds or strengths need less",
            r->options->folder, needed / 1e9, left / 1e9);
}

/* Weights of a trained network mostly expect the statistics that come with them. */
static void warn_of_batch_statistics(const run *r) {
    for (size_t t = 0; t < r->suite->n_tasks; t++) {
        const gnt_suite_task *task = &r->suite->task[t];
        if (task->has_statistics && task->federated.training_stats)
            run_show_warning(
                r,
                "task %s: its weights bring running statistics, but clients normalise by those of "
                "their own batches (\"batch_norm\": \"training\"); to leave the network as it was "
                "evaluated, set \"federated\": {\"batch_norm\": \"evaluation\"}",
                task->id);
    }
}

/* Least and greatest number of rows that trainings of the task dealt to no client; 0 where none said. */
static int64_t unused_rows(const run *r, const gnt_suite_task *t, int64_t *most) {
    char prefix[2 * GNT_SUITE_NAME];
    int64_t least = INT64_MAX;
    const int n = snprintf(prefix, sizeof prefix, "train %s/", t->id);
    *most = 0;
    for (size_t i = 0; i < r->n_jobs; i++) {
        if (strncmp(r->job[i]->name, prefix, (size_t)n) != 0 || !run_find_ok(r, r->job[i]->name))
            continue;
        json_t *all = run_metadata(r, r->job[i], "trained");
        const json_t *told = json_object_get(all, "unused");
        const int64_t unused = json_integer_value(told);
        if (told && unused < least)
            least = unused;
        if (unused > *most)
            *most = unused;
        json_decref(all);
    }
    return *most ? least : 0;
}

/* What in the suite would leave fewer. */
static void less_unused(const gnt_suite_federated *f, char *text, size_t size) {
    if (f->partition == GNT_PARTITION_SHARDS)
        snprintf(text, size, "make data.clients a multiple of federated.clients × shards, %lld",
                 (long long)(f->clients * f->shards));
    else
        snprintf(text, size, "raise %s, or lower data.clients",
                 f->partition == GNT_PARTITION_LABELS ? "\"rows\" in federated.partition.clients"
                                                      : "\"least\" or \"most\" in federated.partition");
}

/* How many can be drawn anew for each training, so that it is known only now. */
static void warn_of_unused_rows(const run *r) {
    for (size_t i = 0; i < r->suite->n_tasks; i++) {
        const gnt_suite_task *t = &r->suite->task[i];
        char range[64] = "", advice[128];
        int64_t most;
        const int64_t least = unused_rows(r, t, &most);
        if (!most)
            continue;
        if (least < most)
            snprintf(range, sizeof range, "%lld to ", (long long)least);
        less_unused(&t->federated, advice, sizeof advice);
        run_show_warning(r,
                         "task %s: %s%lld of the clients' %lld rows are dealt to no client, so nobody trains "
                         "on them%s; %s",
                         t->id, range, (long long)most, (long long)t->role_rows[GNT_ROLE_CLIENTS],
                         *range ? " (it depends on the training)" : "", advice);
    }
}

int gnt_run(const gnt_suite *suite, const gnt_plan *plan, const gnt_run_options *options,
            gnt_run_counts *counts, gnt_err *err) {
    run r = {.suite = suite, .plan = plan, .options = options};
    warn_of_blas_core(&r);
    warn_of_batch_statistics(&r);
    const int works = options->share == GNT_SHARE_WORK;
    int rc = open_run(&r, err);
    if (rc == 0)
        warn_of_disk(&r);
    if (rc == 0 && !works)
        rc = run_write_plan(&r, err);
    if (rc == 0)
        rc = run_all(&r, err);
    if (rc == 0 && !works) {
        run_show_progress(&r, 1);
        warn_of_unused_rows(&r);
        rc = write_all(&r, err);
    }
    run_share_tell(&r, rc != 0 ? "failed" : r.interrupted ? "stopped" : "ended");
    if (r.cell)
        count(&r, counts);
    if (rc == 0 && options->done && !r.interrupted)
        rc = options->done(options->user, &r, err);
    close_run(&r);
    return rc;
}
