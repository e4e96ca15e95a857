#include "cluster/status.h"

#include <stdio.h>
#include <string.h>

static json_int_t whole(const json_t *one, const char *name) {
    const json_int_t n = json_integer_value(json_object_get(one, name));
    return n > 0 ? n : 0;
}

static const char *text(const json_t *one, const char *name) {
    const char *s = json_string_value(json_object_get(one, name));
    return s ? s : "";
}

/* Adds texts, which may be from an untrusted file: control characters become '?'. */
static void add_clean(gnt_text *out, const char *const *s) {
    for (; *s; s++) {
        gnt_err line;
        gnt_fail(&line, "%.1000s", *s);
        gnt_text_add(out, "%s", line.text);
    }
}
#define ADD_LINE(out, ...)                                                                                   \
    do {                                                                                                     \
        add_clean(out, (const char *const[]){__VA_ARGS__, NULL});                                            \
        gnt_text_add(out, "\n");                                                                             \
    } while (0)

static int is(const json_t *one, const char *name, const char *wanted) {
    return strcmp(text(one, name), wanted) == 0;
}

/* Returns the queue's entry of a job; NULL if there is none. */
static const json_t *queued(const json_t *queue, const char *id) {
    for (size_t i = 0; *id && i < json_array_size(queue); i++)
        if (is(json_array_get(queue, i), "id", id))
            return json_array_get(queue, i);
    return NULL;
}

/* True if the run reports that it runs, and Slurm does not contradict. */
static int runs(const json_t *one, const json_t *queue) {
    const json_t *job = queued(queue, text(one, "slurm_job"));
    return is(one, "state", "running") && (!queue || (job && is(job, "state", "RUNNING")));
}

/* Returns the report that knows most: that of the run that gathers, else of the one with most finished
 * cells. */
static const json_t *leader(const json_t *reports) {
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *one = json_array_get(reports, i);
        const int gathers = json_is_true(json_object_get(one, "gathers"));
        if (is(one, "state", "refused"))
            continue;
        if (!best || gathers > json_is_true(json_object_get(best, "gathers")) ||
            (gathers == json_is_true(json_object_get(best, "gathers")) &&
             (whole(one, "finished") > whole(best, "finished") ||
              (whole(one, "finished") == whole(best, "finished") &&
               whole(one, "stored") > whole(best, "stored")))))
            best = one;
    }
    return best;
}

static void add_time(gnt_text *out, double seconds) {
    if (seconds < 90)
        gnt_text_add(out, "about %.0f s", seconds);
    else if (seconds < 5400)
        gnt_text_add(out, "about %.0f min", seconds / 60);
    else
        gnt_text_add(out, "about %.1f h", seconds / 3600);
}

static void add_progress(gnt_text *out, const json_t *reports, const json_t *queue, const json_t *best) {
    json_int_t workers = 0, at_once = 0;
    const double left = json_number_value(json_object_get(best, "seconds_left"));
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *one = json_array_get(reports, i);
        if (!runs(one, queue))
            continue;
        workers++;
        at_once += whole(one, "at_once");
    }
    gnt_text_add(out, "%lld of %lld cells done, %lld of them failed; %lld of %lld known jobs stored",
                 (long long)whole(best, "finished"), (long long)whole(best, "cells"),
                 (long long)whole(best, "bad"), (long long)whole(best, "stored"),
                 (long long)whole(best, "jobs"));
    if (left > 0 && at_once > 0) {
        gnt_text_add(out, "; ");
        add_time(out, left / (double)at_once);
        gnt_text_add(out, " left with %lld run%s", (long long)workers, workers == 1 ? "" : "s");
    }
    gnt_text_add(out, "\n");
}

/* Adds one line for each node. */
static void add_nodes(gnt_text *out, const json_t *reports, const json_t *queue) {
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *first = json_array_get(reports, i);
        json_int_t ended = 0, running = 0, computed = 0;
        int known = is(first, "state", "refused");
        for (size_t k = 0; k < i; k++)
            known |= is(json_array_get(reports, k), "node", text(first, "node")) &&
                     !is(json_array_get(reports, k), "state", "refused");
        if (known)
            continue;
        for (size_t k = i; k < json_array_size(reports); k++) {
            const json_t *one = json_array_get(reports, k);
            if (!is(one, "node", text(first, "node")) || is(one, "state", "refused"))
                continue;
            computed += whole(one, "computed");
            running += runs(one, queue);
            ended += !runs(one, queue);
        }
        char counts[120];
        snprintf(counts, sizeof counts,
                 ": %lld running, %lld ended, %lld jobs computed; sandbox: ", (long long)running,
                 (long long)ended, (long long)computed);
        ADD_LINE(out, "node ", text(first, "node"), counts, text(first, "sandbox"));
    }
}

static void add_queue(gnt_text *out, const json_t *queue, const json_t *ended) {
    for (size_t i = 0; i < json_array_size(queue); i++) {
        const json_t *one = json_array_get(queue, i);
        const int runs_on = *text(one, "node") != 0;
        ADD_LINE(out, "job ", text(one, "shown"), ": ", text(one, "state"), runs_on ? " on " : " for ",
                 text(one, runs_on ? "node" : "reason"));
    }
    for (size_t i = 0; i < json_array_size(ended); i++) {
        const json_t *one = json_array_get(ended, i);
        ADD_LINE(out, "job ", text(one, "shown"), ": ended as ", text(one, "state"), " on ",
                 text(one, "node"));
    }
}

static void add_failed(gnt_text *out, const json_t *best) {
    const json_t *list = json_object_get(best, "failed_cells");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        ADD_LINE(out, text(one, "status"), " ", text(one, "cell"), " on ", text(one, "node"), ": ",
                 text(one, "reason"));
    }
}

int gnt_status_text(gnt_text *out, const json_t *reports, const json_t *queue, const json_t *ended, int *bad,
                    gnt_err *err) {
    const json_t *best = leader(reports);
    *bad = whole(best, "bad") > 0;
    if (best)
        add_progress(out, reports, queue, best);
    else
        gnt_text_add(out, "no run has begun\n");
    add_nodes(out, reports, queue);
    add_queue(out, queue, ended);
    for (size_t i = 0; i < json_array_size(reports); i++)
        if (is(json_array_get(reports, i), "state", "refused")) {
            ADD_LINE(out, "refused to begin: ", text(json_array_get(reports, i), "reason"));
            *bad = 1;
        }
    add_failed(out, best);
    const int gathered = json_is_true(json_object_get(best, "gathers")) && is(best, "state", "ended");
    if (queue && json_array_size(queue) == 0 && !gathered) {
        gnt_text_add(out, "no job is left, but the results are not written; submit again to go on\n");
        *bad = 1;
    }
    return out->failed ? gnt_fail(err, "out of memory for the status") : 0;
}
