/* Shows how far a run and its long jobs are, on standard error: one line that is rewritten on a terminal,
 * else plain lines. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/colour.h"
#include "base/mem.h"
#include "base/text.h"
#include "run/run_impl.h"

/* Writes the time left, estimated from the cells that ran; empty before any did. */
static void time_left(const run *r, char *text, size_t size) {
    size_t done =
        r->progress.finished - (r->plan->n_na < r->progress.finished ? r->plan->n_na : r->progress.finished);
    size_t all =
        r->progress.n_wanted - (r->plan->n_na < r->progress.n_wanted ? r->plan->n_na : r->progress.n_wanted);
    text[0] = 0;
    if (done == 0 || done >= all)
        return;
    double left = (gnt_clock() - r->progress.start) / (double)done * (double)(all - done);
    if (left < 90)
        snprintf(text, size, ", about %.0f s left", left);
    else
        snprintf(text, size, ", about %.0f min left", left / 60);
}

/* Returns the progress that a running job reported, in per cent; -1: none. It may restart with each part of
 * the job. */
static int percent(const run_job *j) {
    if (j->processes.total == 0)
        return -1;
    return j->processes.done < j->processes.total
               ? (int)(100.0 * (double)j->processes.done / (double)j->processes.total)
               : 100;
}

/* Adds " (34 %, 80 %)": the progress of the first few jobs that run. */
static void add_percents(const run *r, gnt_text *t) {
    int n = 0;
    for (size_t i = 0; i < r->running.n && n < 4; i++) {
        int p = percent(r->running.at[i]);
        if (p >= 0)
            gnt_text_add(t, "%s%d %%", n++ ? ", " : " (", p);
    }
    gnt_text_add(t, "%s", n ? ")" : "");
}

static void show_line(const run *r, int last) {
    char left[64];
    gnt_text percents;
    gnt_text_init(&percents, 256);
    time_left(r, left, sizeof left);
    add_percents(r, &percents);
    fprintf(stderr, "\r\033[K%zu/%zu cells, %zu running%s, %s%zu failed%s%s%s", r->progress.finished,
            r->progress.n_wanted, r->running.n, gnt_text_get(&percents),
            r->progress.bad ? gnt_red(STDERR_FILENO) : "", r->progress.bad,
            r->progress.bad ? gnt_not_red(STDERR_FILENO) : "", left, last ? "\n" : "");
    fflush(stderr);
    gnt_text_free(&percents);
}

enum { SECONDS_BETWEEN = 30 };

/* Lists long jobs every SECONDS_BETWEEN, where lines cannot be rewritten. */
static void show_jobs(run *r) {
    if (gnt_clock() - r->progress.shown < SECONDS_BETWEEN)
        return;
    for (size_t i = 0; i < r->running.n; i++)
        if (percent(r->running.at[i]) >= 0)
            fprintf(stderr, "%s: %d %%\n", r->running.at[i]->name, percent(r->running.at[i]));
    r->progress.shown = gnt_clock();
}

void run_show_progress(run *r, int last) {
    if (r->options->quiet)
        return;
    if (isatty(STDERR_FILENO))
        show_line(r, last);
    else
        show_jobs(r);
}

void run_show_warning(const run *r, const char *format, ...) {
    va_list args;
    if (r->options->quiet)
        return;
    fputs(isatty(STDERR_FILENO) ? "\r\033[Kwarning: " : "warning: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void run_show_said(const run *r, run_job *j) {
    char *text = j->processes.said;
    j->processes.said = NULL;
    if (text && j->processes.said_warning)
        run_show_warning(r, "the job %s: %s", j->name, text);
    else if (text && !r->options->quiet)
        fprintf(stderr, "%sthe job %s %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", j->name, text);
    gnt_free(text);
}

void run_show_cell(const run *r, const run_cell *c) {
    const char *status = gnt_status_name(c->status);
    if (r->options->quiet)
        return;
    if (isatty(STDERR_FILENO)) {
        if (run_is_bad(c->status))
            fprintf(stderr, "\r\033[K%s%s: %s%s: %s\n", gnt_red(STDERR_FILENO), c->cell->id, status,
                    gnt_not_red(STDERR_FILENO), c->reason ? c->reason : "");
        return;
    }
    char left[64];
    time_left(r, left, sizeof left);
    fprintf(stderr, "%zu/%zu %s: %s%s%s%s\n", r->progress.finished, r->progress.n_wanted, c->cell->id, status,
            c->reason ? ": " : "", c->reason ? c->reason : "", left);
}
