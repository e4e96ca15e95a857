#include "report/report_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/plot/plots.h"
#include "render/escape.h"
#include "report/plot/gnuplot.h"
#include "report/table/report_tables.h"
#include "judge/group_roles.h"
#include "judge/section.h"

static void notice(gnt_report *p, const gnt_err *err) {
    gnt_text_add(&p->notices, "%s\n", err->text);
}

/* Counts a plot that failed: one cause mostly fails all of them, which one sentence says. */
static void note_failure(gnt_report *p, int drawn, const gnt_err *err) {
    gnt_plot_failure *f = &p->failure[p->formats & ~drawn];
    if (f->n++ == 0)
        f->first = *err;
}

static void say_failures(gnt_report *p) {
    static const char *const missing[] = {"was drawn, but gnuplot complained", "has no SVG picture",
                                          "has no PNG picture", "has no picture"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        const gnt_plot_failure *f = &p->failure[i];
        if (f->n > 0)
            gnt_text_add(&p->notices, "%zu of the plots: %s; the first: %s\n", f->n, missing[i],
                         f->first.text);
    }
}

static int name_picture(gnt_picture *out, const char *kind, const gnt_section *s, const char *last) {
    return gnt_picture_name(out->name, kind, s->task, s->stage, last);
}

typedef int (*measure_plot)(const gnt_results *, const char *, int64_t, const gnt_measure *, const char *,
                            const char *, int, int *, gnt_err *);

/* Draws one plot; if it fails, that is a notice, never the end of the report. Returns 1 if a picture of it
 * was drawn. */
static int plot_measure(gnt_report *p, gnt_section *s, const char *kind, measure_plot plot,
                        const gnt_measure *m, gnt_picture *out, size_t *n_out) {
    gnt_picture picture = {.measure = m};
    gnt_err err = {""};
    int drawn = 0;
    if (!name_picture(&picture, kind, s, m->name))
        return 0;
    if (plot(p->results, s->task, s->stage, m, p->folder, picture.name, p->formats, &drawn, &err))
        note_failure(p, drawn, &err);
    picture.formats = drawn;
    if (drawn)
        out[(*n_out)++] = picture;
    return drawn != 0;
}

/* Draws the plots of each measure. If utility does not vary, leakage against strength is drawn instead of
 * the trade-off; else it is drawn for the leading measure alone. */
static void plot_measures(gnt_report *p, gnt_section *s) {
    const gnt_measure *lead = gnt_section_lead(p->results, s->task, s->stage);
    int trained = gnt_was_trained(p->results, s->task);
    int varies = trained && gnt_utility_varies(p->results, s->task, s->stage);
    for (size_t i = 0; i < GNT_MEASURES; i++) {
        const gnt_measure *m = gnt_measure_at(i);
        int strength = 0;
        if (!gnt_section_draws(p->results, s->task, s->stage, m))
            continue;
        if (!varies || m == lead)
            strength = plot_measure(p, s, "strength", gnt_plot_strength, m, s->strength, &s->n_strength);
        if (trained && (varies || !strength))
            plot_measure(p, s, "tradeoff", gnt_plot_tradeoff, m, s->tradeoff, &s->n_tradeoff);
        plot_measure(p, s, "matrix", gnt_plot_heat, m, s->heat, &s->n_heat);
    }
}

typedef int (*section_plot)(const gnt_results *, const char *, int64_t, const char *, const char *, int,
                            int *, gnt_err *);

/* Draws a picture whose name is set, or gives it none. */
static void plot_section(gnt_report *p, gnt_section *s, section_plot plot, int is_named,
                         gnt_picture *picture) {
    gnt_err err = {""};
    int drawn = 0;
    if (is_named && plot(p->results, s->task, s->stage, p->folder, picture->name, p->formats, &drawn, &err))
        note_failure(p, drawn, &err);
    picture->formats = drawn;
    if (!drawn)
        *picture = (gnt_picture){.measure = NULL};
}

static void plot_named(gnt_report *p, gnt_section *s, const char *kind, section_plot plot,
                       gnt_picture *picture) {
    plot_section(p, s, plot, name_picture(picture, kind, s, NULL), picture);
}

/* Draws utility by round, once for a task: training runs are the same at every stage. */
static void plot_rounds(gnt_report *p, gnt_section *s) {
    char slug[GNT_SLUG_SIZE];
    gnt_slug(s->task, slug);
    const int n = snprintf(s->rounds.name, sizeof s->rounds.name, "rounds-%s", slug);
    plot_section(p, s, gnt_plot_rounds, n > 0 && (size_t)n < sizeof s->rounds.name, &s->rounds);
}

/* Draws the matrix of the whole suite. */
static void plot_overview(gnt_report *p) {
    gnt_picture *picture = &p->overview;
    gnt_err err = {""};
    int drawn = 0;
    snprintf(picture->name, sizeof picture->name, "matrix-all");
    if (gnt_plot_overview(p->results, p->folder, picture->name, p->formats, &drawn, &err))
        note_failure(p, drawn, &err);
    picture->formats = drawn;
    if (!drawn)
        *picture = (gnt_picture){.measure = NULL};
}

static void make_sheets(gnt_report *p, gnt_section *s) {
    for (size_t a = 0; a < p->results->n_attack; a++) {
        gnt_picture picture = {.attack = p->results->attack[a], .formats = GNT_FORMAT_PNG};
        gnt_err err = {""};
        int drawn = 0;
        if (!name_picture(&picture, "sheet", s, picture.attack))
            continue;
        if (gnt_sheet_make(p->results, p->run, s->task, s->stage, picture.attack, p->folder, picture.name,
                           &drawn, &err))
            notice(p, &err);
        if (drawn)
            s->sheet[s->n_sheet++] = picture;
    }
}

static int make_sections(gnt_report *p, gnt_err *err) {
    const gnt_results *r = p->results;
    int64_t stages[GNT_MOST_STAGES];
    size_t total = 0;
    for (size_t t = 0; t < r->n_task; t++)
        total += gnt_stages(r, r->task[t], stages);
    p->section = gnt_array(total + 1, sizeof *p->section);
    if (!p->section)
        return gnt_fail(err, "report: out of memory");
    for (size_t t = 0; t < r->n_task; t++) {
        size_t n = gnt_stages(r, r->task[t], stages);
        for (size_t i = 0; i < n; i++) {
            gnt_section *s = &p->section[p->n_section++];
            *s = (gnt_section){.task = r->task[t], .stage = stages[i]};
            s->tradeoff = gnt_array(GNT_MEASURES, sizeof *s->tradeoff);
            s->strength = gnt_array(GNT_MEASURES, sizeof *s->strength);
            s->heat = gnt_array(GNT_MEASURES, sizeof *s->heat);
            s->sheet = gnt_array(r->n_attack + 1, sizeof *s->sheet);
            if (!s->tradeoff || !s->strength || !s->heat || !s->sheet)
                return gnt_fail(err, "report: out of memory");
        }
    }
    return 0;
}

/* Draws what compares defenses: of captures, nothing. */
static void plot_compared(gnt_report *p, size_t i) {
    gnt_section *s = &p->section[i];
    const int first = i == 0 || p->section[i - 1].task != s->task;
    plot_measures(p, s);
    plot_named(p, s, "points", gnt_plot_points, &s->points);
    if (first)
        plot_rounds(p, s);
    if (gnt_was_trained(p->results, s->task) &&
        (first || gnt_utility_is_another(p->results, s->task, s[-1].stage, s->stage)))
        plot_named(p, s, "utility", gnt_plot_utility, &s->utility);
}

static void draw_sections(gnt_report *p) {
    const int captured = gnt_result_is_of_captures(p->results->file);
    if (p->formats && !gnt_gnuplot_present()) {
        gnt_text_add(
            &p->notices,
            "Plots were left out: gnuplot was not found; install gnuplot-nox and make the report again.\n");
        p->formats = 0;
    }
    if (p->formats && !captured)
        plot_overview(p);
    for (size_t i = 0; i < p->n_section; i++) {
        gnt_section *s = &p->section[i];
        if (p->formats)
            plot_named(p, s, "convergence", gnt_plot_convergence, &s->convergence);
        if (p->formats && !captured)
            plot_compared(p, i);
        make_sheets(p, s);
    }
    say_failures(p);
}

static void free_sections(gnt_report *p) {
    for (size_t i = 0; i < p->n_section; i++) {
        gnt_free(p->section[i].tradeoff);
        gnt_free(p->section[i].strength);
        gnt_free(p->section[i].heat);
        gnt_free(p->section[i].sheet);
    }
    gnt_free(p->section);
}

static int make_folders(const char *folder, gnt_err *err) {
    static const char *const below[] = {"plots", "tables"};
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        char *path = gnt_format("%s/%s", folder, below[i]);
        int failed = path ? gnt_make_dirs(path, err) : gnt_fail(err, "report: out of memory");
        gnt_free(path);
        if (failed)
            return -1;
    }
    return 0;
}

int gnt_report_make(const char *run, const gnt_report_options *options, gnt_text *notices, gnt_err *err) {
    gnt_results results;
    gnt_report p = {.results = &results, .run = run, .formats = options->formats};
    char *path = gnt_format("%s/results.json", run);
    char *folder = options->folder ? gnt_strdup(options->folder) : gnt_format("%s/report", run);
    int failed = !path || !folder                        ? gnt_fail(err, "report: out of memory")
                 : gnt_results_load(&results, path, err) ? GNT_REPORT_UNREADABLE
                                                         : 0;
    gnt_free(path);
    if (failed) {
        gnt_free(folder);
        return failed;
    }
    p.folder = folder;
    p.paper = gnt_paper_read(&results);
    gnt_text_init(&p.notices, 1 << 20);
    failed = make_folders(folder, err) || make_sections(&p, err);
    if (!failed) {
        draw_sections(&p);
        failed = gnt_report_write_tables(&p, err) || gnt_report_write_index(&p, err) ||
                 gnt_report_write_list(&p, err);
    }
    if (notices)
        gnt_text_bytes(notices, gnt_text_get(&p.notices), p.notices.size);
    free_sections(&p);
    json_decref(p.paper);
    gnt_text_free(&p.notices);
    gnt_results_free(&results);
    gnt_free(folder);
    return failed ? -1 : 0;
}
