/* Warnings about a run as a whole: what its user may not want. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory_limit.h"
#include "judge/convergence.h"
#include "nn/kernels/blas_core.h"
#include "run/needs.h"
#include "run/run_impl.h"

/* Warns of a BLAS that is slower than it could be: results do not suffer from it, times do. */
static void warn_of_blas_core(const run *r) {
    char text[GNT_BLAS_CORE_TEXT];
    gnt_blas_core_is_forced_down(text);
    if (*text)
        run_show_warning(r, "%s", text);
}

/* Says what the run will take, and warns of what is not there; nothing of a run of some cells alone. */
static void say_needs(const run *r) {
    gnt_needs needs;
    gnt_text text, lacks;
    gnt_err err;
    if (r->options->quiet || r->options->wanted)
        return;
    gnt_text_init(&text, 4096);
    gnt_text_init(&lacks, 4096);
    if (gnt_needs_of(&needs, r->suite, r->plan, r->options->jobs, &err) == 0) {
        gnt_needs_text(&needs, &text);
        fprintf(stderr, "%s: %s", r->suite->name, gnt_text_get(&text));
        gnt_needs_lacks(&needs, r->options->folder, gnt_disk_free(r->options->folder), gnt_memory_limit("/"),
                        r->options->jobs, &lacks);
        for (const char *line = gnt_text_get(&lacks), *end; (end = strchr(line, '\n')); line = end + 1)
            run_show_warning(r, "%.*s", (int)(end - line), line);
    }
    gnt_text_free(&lacks);
    gnt_text_free(&text);
}

/* Warns of weights with running statistics that clients will not use: most trained networks expect them. */
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

/* Warns of what keeps the run from a verdict; nothing of a run of some cells alone. */
static void warn_of_plan(const run *r) {
    gnt_text text;
    if (r->options->quiet || r->options->wanted)
        return;
    gnt_text_init(&text, 1 << 20);
    gnt_plan_warnings(r->plan, r->suite, &text);
    for (const char *line = gnt_text_get(&text), *end; (end = strchr(line, '\n')); line = end + 1)
        run_show_warning(r, "%.*s", (int)(end - line), line);
    gnt_text_free(&text);
}

/* Returns the least number of rows that training runs of the task dealt to no client, and the greatest in
 * *most; 0 if none reported any. */
static int64_t unused_rows(const run *r, const gnt_suite_task *t, int64_t *most) {
    char prefix[2 * GNT_SUITE_NAME];
    int64_t least = INT64_MAX;
    const int n = snprintf(prefix, sizeof prefix, "train %s/", t->id);
    *most = 0;
    for (size_t i = 0; i < r->jobs.n; i++) {
        const run_job *j = r->jobs.at[i];
        if (strncmp(j->name, prefix, (size_t)n) != 0 || j->state != RUN_OK)
            continue;
        json_t *all = run_metadata(r, j, "trained");
        const json_t *reported = json_object_get(all, "unused");
        const int64_t unused = json_integer_value(reported);
        if (reported && unused < least)
            least = unused;
        if (unused > *most)
            *most = unused;
        json_decref(all);
    }
    return *most ? least : 0;
}

/* Writes what in the suite would leave fewer. */
static void less_unused(const gnt_suite_federated *f, char *text, size_t size) {
    if (f->partition == GNT_PARTITION_SHARDS)
        snprintf(text, size, "make data.clients a multiple of federated.clients × shards, %lld",
                 (long long)(f->clients * f->shards));
    else
        snprintf(text, size, "raise %s, or lower data.clients",
                 f->partition == GNT_PARTITION_LABELS ? "\"rows\" in federated.partition.clients"
                                                      : "\"least\" or \"most\" in federated.partition");
}

/* Warns of rows that nobody trains on. Their number may be drawn for each training, so it is known only
 * now. */
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

/* Warns of attacks that would have found more with a larger budget. */
static void warn_of_budgets(const run *r) {
    for (size_t i = 0; i < r->plan->n; i++)
        if (r->cell[i].status == GNT_CELL_OK && gnt_leakage_still_rises(&r->cell[i].found))
            run_show_warning(
                r,
                "%s: leaks more than with a quarter of the attack's budget: the search stopped at "
                "the iteration budget before convergence; give it a larger \"budget\"",
                r->cell[i].cell->id);
}

/* Warns of attacks whose word on how their searches ended cannot be. */
static void warn_of_contradictions(const run *r) {
    for (size_t i = 0; i < r->plan->n; i++) {
        const gnt_ended *e = r->cell[i].status == GNT_CELL_OK ? r->cell[i].found.ended : NULL;
        if (e && e->contradicted)
            run_show_warning(r,
                             "%s: of %lld searches, what the attack says of how they ended contradicts its "
                             "budget or its costs; `gauntlet vet` says how",
                             r->cell[i].cell->id, (long long)e->contradicted);
    }
}

void run_warn_before(const run *r) {
    warn_of_blas_core(r);
    warn_of_plan(r);
    warn_of_batch_statistics(r);
    say_needs(r);
}

void run_warn_after(const run *r) {
    warn_of_unused_rows(r);
    warn_of_budgets(r);
    warn_of_contradictions(r);
}
