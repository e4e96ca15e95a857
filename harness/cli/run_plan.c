#include "cli/run_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/colour.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/memory_limit.h"
#include "cli/cmd.h"
#include "cli/run_suite.h"
#include "process/child.h"
#include "report/report.h"
#include "run/engine.h"
#include "run/needs.h"

static void print_summary(const gnt_run_counts *c, const char *folder, int share, int report) {
    const int bad = c->failed || c->crashed || c->timeout;
    printf("%zu cells ok", c->ok);
    if (c->reused)
        printf(" (%zu of them from the store)", c->reused);
    printf(", %zu n/a, %s%zu failed, %zu crashed, %zu timed out%s", c->na, bad ? gnt_red(STDOUT_FILENO) : "",
           c->failed, c->crashed, c->timeout, bad ? gnt_not_red(STDOUT_FILENO) : "");
    if (c->unfinished)
        printf(", %zu not finished", c->unfinished);
    if (share)
        printf("; outputs in %s/store; a run with --gather writes the results\n", folder);
    else
        printf("; results in %s\n", folder);
    if (report)
        printf("Report: %s/report/index.html\n", folder);
    if (c->interrupted)
        printf("Interrupted: the same command continues from here.\n");
}

static int exit_code(const gnt_run_counts *c) {
    if (c->interrupted)
        return GNT_EXIT_INTERRUPTED;
    return c->failed || c->crashed || c->timeout || c->unfinished ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}

/* Returns the bytes free on the disk of a folder that may not be there yet. */
static double disk_of(const char *folder) {
    char *path = gnt_strdup(folder);
    double left = path ? gnt_disk_free(path) : INFINITY;
    for (char *end; path && isinf(left) && (end = strrchr(path, '/')) && end > path;) {
        *end = 0;
        left = gnt_disk_free(path);
    }
    gnt_free(path);
    return isinf(left) ? gnt_disk_free(*folder == '/' ? "/" : ".") : left;
}

/* Prints what the plan will take, and what of that is not there. */
static void print_needs(const cli_run_options *o, const gnt_plan *plan, const gnt_suite *suite) {
    gnt_err err = {0};
    gnt_needs needs;
    gnt_text text;
    char *folder = o->output ? gnt_strdup(o->output) : cli_run_folder(suite);
    gnt_text_init(&text, 4096);
    if (folder && gnt_needs_of(&needs, suite, plan, (int)o->jobs, &err) == 0) {
        gnt_needs_text(&needs, &text);
        gnt_needs_lacks(&needs, folder, disk_of(folder), gnt_memory_limit("/"), (int)o->jobs, &text);
    } else
        gnt_text_add(&text, "what it will take is not known: %s\n", err.text);
    fputs(gnt_text_get(&text), stdout);
    gnt_text_free(&text);
    gnt_free(folder);
}

/* Prints what keeps the plan from a verdict. */
static void print_warnings(const gnt_plan *plan, const gnt_suite *suite) {
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    gnt_plan_warnings(plan, suite, &text);
    for (const char *line = gnt_text_get(&text), *end; (end = strchr(line, '\n')); line = end + 1)
        fprintf(stderr, "warning: %.*s\n", (int)(end - line), line);
    gnt_text_free(&text);
}

static int print_plan(const cli_run_options *o, const gnt_plan *plan, const gnt_suite *suite) {
    char *text = o->json ? gnt_plan_json(plan, suite) : gnt_plan_text(plan, suite);
    if (text)
        fputs(text, stdout);
    gnt_free(text);
    if (text && !o->json)
        print_needs(o, plan, suite);
    if (!o->quiet)
        print_warnings(plan, suite);
    return text ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}

static int make_report(const char *command, const char *folder, int quiet) {
    gnt_err err = {0};
    gnt_text notices;
    gnt_report_options how = {.formats = GNT_FORMAT_SVG | GNT_FORMAT_PNG};
    gnt_text_init(&notices, 1 << 20);
    const int lock = gnt_folder_hold(folder); /* another run may end in it */
    int rc = gnt_report_make(folder, &how, &notices, &err);
    if (lock >= 0)
        close(lock);
    if (rc != 0)
        fprintf(stderr, "gauntlet %s: cannot make the report: %s\n", command, err.text);
    else if (!quiet)
        fputs(gnt_text_get(&notices), stderr);
    gnt_text_free(&notices);
    return rc;
}

/* Prints the ranking of the run in the folder. */
static void print_ranking(const char *command, const char *folder) {
    gnt_err err = {0};
    gnt_text text;
    gnt_text_init(&text, 64 << 20);
    if (gnt_report_ranking(folder, &text, &err) != 0)
        fprintf(stderr, "gauntlet %s: cannot rank: %s\n", command, err.text);
    else
        printf("\n%s", gnt_text_get(&text));
    gnt_text_free(&text);
}

static int run_it(const cli_run_options *o, const gnt_suite *suite, const gnt_plan *plan) {
    gnt_err err = {0};
    char *folder = o->output ? gnt_strdup(o->output) : cli_run_folder(suite);
    gnt_run_options how = {.folder = folder,
                           .data_folder = o->paths.data,
                           .jobs = (int)o->jobs,
                           .quiet = o->quiet,
                           .keep_failed = o->keep_failed,
                           .sandbox = o->sandbox,
                           .sandbox_here = o->sandbox_here.remark,
                           .sandbox_level = o->sandbox_here.level,
                           .share = o->share    ? GNT_SHARE_WORK
                                    : o->gather ? GNT_SHARE_GATHER
                                                : GNT_SHARE_NOT,
                           .lease_term = (double)o->lease,
                           .slurm_job = getenv("SLURM_JOB_ID")};
    gnt_run_counts counts = {0};
    int code = GNT_EXIT_FAILED;
    gnt_interrupt_catch();
    if (!folder || gnt_make_dirs(folder, &err) != 0 || gnt_run(suite, plan, &how, &counts, &err) != 0)
        cli_error(o->command, &err, code);
    else {
        const int whole = !o->share && !counts.interrupted, report = whole && !o->no_report;
        code = exit_code(&counts);
        if (report && make_report(o->command, folder, o->quiet) != 0)
            code = GNT_EXIT_FAILED;
        if (whole && !o->quiet)
            print_ranking(o->command, folder);
        if (!o->quiet)
            print_summary(&counts, folder, o->share, report);
    }
    gnt_free(folder);
    return code;
}

int cli_run_plan(const cli_run_options *o, const gnt_suite *suite, const gnt_plan *plan) {
    return o->dry ? print_plan(o, plan, suite) : run_it(o, suite, plan);
}
