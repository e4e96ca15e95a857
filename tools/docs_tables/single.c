/* A run in a line, one number of it, and a table that its suite lays out as a paper does. */
#include "page_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/table/report_tables.h"
#include "judge/section.h"

/* ---- run ---- */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "unknown";
}

static void add_seeds(const gnt_results *r, gnt_text *out) {
    int64_t seeds = 0;
    for (size_t i = 0; i < r->n_group; i++)
        if (r->group[i].n_cells > seeds)
            seeds = r->group[i].n_cells;
    gnt_text_add(out, ", %" PRId64 " seed%s", seeds, seeds == 1 ? "" : "s");
}

/* What the suite's own networks learnt, such as the extractor that a defense keeps the activations of. */
static void add_models(const gnt_result_models *models, gnt_text *out) {
    int any = 0;
    for (size_t i = 0; i < models->n; i++) {
        const gnt_result_model *m = &models->at[i];
        if (!isfinite(m->accuracy))
            continue;
        gnt_text_add(out, "%s `%s` %.1f %%",
                     any ? "," : "Accuracy of the suite's networks on their own data:", m->id,
                     100 * m->accuracy);
        any = 1;
    }
    if (any)
        gnt_text_add(out, ".\n");
}

int table_run(const scores *s, char *const *none, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_result *file = s->results.file;
    const json_t *host = s->host;
    const json_t *seconds = json_object_get(host, "cpu_seconds"),
                 *stored = json_object_get(host, "jobs_from_store");
    (void)none, (void)n, (void)err;
    gnt_text_add(out, "Suite `%s` (digest %.8s)", s->results.suite,
                 file->suite_digest[0] ? file->suite_digest : "unknown");
    if (file->scale)
        gnt_text_add(out, ", scale `%s`", file->scale->name);
    add_seeds(&s->results, out);
    gnt_text_add(out, "; gauntlet %s, source %s%s; %s, OpenBLAS core %s", text_of(host, "version"),
                 text_of(host, "source"), json_is_true(json_object_get(host, "dirty")) ? " with changes" : "",
                 text_of(host, "cpu"), text_of(host, "openblas"));
    if (json_is_string(json_object_get(host, "onednn")))
        gnt_text_add(out, ", %s", text_of(host, "onednn"));
    /* of a run that found jobs in its store the time is of the others alone */
    if (json_is_number(seconds) && json_is_integer(stored) && json_integer_value(stored) == 0)
        gnt_text_add(out, "; %.0f s of processor time", json_number_value(seconds));
    gnt_text_add(out, ".\n");
    if (file->scale && file->scale->says[0])
        gnt_text_add(out, "%s\n", file->scale->says);
    add_models(&file->models, out);
    return 0;
}

/* ---- value ---- */

/* Writes a cell's id without its seed. */
static void add_id(const gnt_outcome *g, gnt_text *out) {
    char strength[GNT_NUMBER_SIZE] = "none";
    if (g->mode == GNT_ROW_MATCHED)
        snprintf(strength, sizeof strength, "matched");
    else if (isfinite(g->strength))
        gnt_number_text(g->strength, strength);
    gnt_text_add(out, "%s/r%" PRId64 "/%s@%s/%s", g->task, g->stage, g->defense, strength, g->attack);
}

static const gnt_outcome *group_of(const gnt_results *r, const char *id) {
    for (size_t i = 0; i < r->n_group; i++) {
        gnt_text text;
        gnt_text_init(&text, 4096);
        add_id(&r->group[i], &text);
        const int same = !strcmp(gnt_text_get(&text), id);
        gnt_text_free(&text);
        if (same)
            return &r->group[i];
    }
    return NULL;
}

int table_value(const scores *s, char *const *argument, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_outcome *g = group_of(&s->results, argument[0]);
    const gnt_measure *m = gnt_measure_find(argument[1]);
    (void)n;
    if (!g)
        return gnt_fail(err, "the run of %s has no group %s", s->results.suite, argument[0]);
    if (!strcmp(argument[1], "utility")) {
        gnt_utility_write(g->utility.measure, g->utility.value, out);
        return 0;
    }
    const gnt_utility other = gnt_utility_number(&g->utility, argument[1]);
    if (isfinite(other.value)) {
        gnt_utility_write(argument[1], other.value, out);
        return 0;
    }
    const gnt_score *score = m ? gnt_number_of(g, m->name) : NULL;
    if (!score)
        return gnt_fail(err, "%s has no number for %s", argument[0], argument[1]);
    gnt_measure_number(m, score->stat.mean, out);
    gnt_text_add(out, "%s", m->unit);
    return 0;
}

/* ---- paper ---- */

/* True if a row has no number behind its label and source: a scale may leave its strength out. */
static int is_unmeasured(const gnt_table *t, size_t row) {
    for (size_t c = 2; c < t->n_column; c++) {
        const char *text = t->item[row * t->n_column + c].text;
        if (strcmp(text, "not measured") != 0 && strcmp(text, "not run") != 0)
            return 0;
    }
    return 1;
}

/* Copies `t` without the rows that nothing was measured for, whose labels go to `missing`. A row of the
 * paper is below the one of ours that it belongs to. */
static void copy_measured(const gnt_table *t, gnt_table *to, gnt_text *missing) {
    int left_out = 0;
    gnt_table_init(to, NULL);
    for (size_t c = 0; c < t->n_column; c++)
        gnt_table_column(to, t->column[c]);
    for (size_t i = 0; i < gnt_table_rows(t); i++) {
        const gnt_table_item *row = &t->item[i * t->n_column];
        if (!strcmp(row[1].text, "here")) {
            left_out = is_unmeasured(t, i);
            if (left_out)
                gnt_text_add(missing, "%s%s", missing->size ? ", " : "", row[0].text);
        }
        for (size_t c = 0; !left_out && c < t->n_column; c++)
            gnt_table_text(to, row[c].text);
    }
}

static void add_paper(const gnt_results *r, const gnt_paper_table *one, gnt_text *out) {
    gnt_table whole, t;
    gnt_text missing;
    gnt_text_init(&missing, 4096);
    gnt_paper_fill(r, one, &whole);
    if (!whole.failed)
        copy_measured(&whole, &t, &missing);
    else
        gnt_table_init(&t, NULL);
    gnt_text_add(out, "**%s**\n", one->title);
    t.failed |= whole.failed;
    tables_add(&t, out);
    if (missing.size)
        gnt_text_add(out, "\nNot measured: %s.\n", gnt_text_get(&missing));
    if (one->note[0])
        gnt_text_add(out, "\n%s\n", one->note);
    gnt_table_free(&whole);
    gnt_table_free(&t);
    gnt_text_free(&missing);
}

int table_paper(const scores *s, char *const *argument, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    json_t *all = gnt_paper_read(r);
    gnt_paper_table one;
    size_t i = 0;
    (void)n;
    while (i < json_array_size(all) && (gnt_paper_at(all, i, &one) != 0 || strcmp(one.id, argument[0]) != 0))
        i++;
    const int found = i < json_array_size(all);
    if (found)
        add_paper(r, &one, out);
    json_decref(all);
    return found ? 0 : gnt_fail(err, "the suite %s lays out no table %s", r->suite, argument[0]);
}
