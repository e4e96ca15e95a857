/* Shows what attacks read without a defense: a row for each task, round and attack, and what is had without
 * an attack. */
#include "page_tables.h"

#include <inttypes.h>
#include <math.h>

#include "judge/group_roles.h"
#include "judge/section.h"

/* Adds an item with this text, and frees the text. */
static void add_item(gnt_table *t, gnt_text *text) {
    gnt_table_text(t, text->size ? gnt_text_get(text) : "–");
    t->failed |= text->failed;
    gnt_text_free(text);
}

/* Adds a count; a dash if it is NULL. */
static void add_count(const int64_t *count, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, 64);
    if (count)
        gnt_text_add(&text, "%" PRId64, *count);
    add_item(t, &text);
}

static void add_utility(const gnt_outcome *g, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    if (isfinite(g->utility.value))
        gnt_utility_write(g->utility.measure, g->utility.value, &text);
    add_item(t, &text);
}

/* Returns the measure that is a share: of a private attribute, or which of the candidates a sample is. */
static const gnt_measure *share_of(const gnt_outcome *g) {
    const gnt_measure *balanced = gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED);
    return gnt_number_of(g, balanced->name) ? balanced : gnt_measure_of(GNT_MEASURE_IDENTIFICATION);
}

/* Adds what an attack found, as in "58.7 dB [57.5, 60.0], 100 % identified" or "sex: 95.6 % [93.7, 97.3]". */
static void add_found(const gnt_outcome *g, const char *attribute, gnt_table *t) {
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR), *share = share_of(g);
    const gnt_score *image = gnt_number_of(g, psnr->name), *named = gnt_number_of(g, share->name);
    gnt_text text;
    gnt_text_init(&text, 4096);
    if (image) {
        tables_interval(psnr, &image->stat, &text);
        gnt_text_add(&text, " dB%s", named ? ", " : "");
    }
    if (named && share == gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED)) {
        gnt_text_add(&text, "%s: ", attribute ? attribute : "attribute");
        tables_interval(share, &named->stat, &text);
        gnt_text_add(&text, " %%");
    } else if (named) {
        gnt_text_add(&text, "%.0f %% identified", 100 * named->stat.mean);
    }
    add_item(t, &text);
}

static void add_floors(const gnt_results *r, const gnt_outcome *g, gnt_table *t) {
    static const int order[] = {GNT_FLOOR_RANDOM, GNT_FLOOR_MEAN, GNT_FLOOR_NEAREST};
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR);
    double floor[GNT_FLOORS], chance;
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_floors(r, g->task, g->stage, g->attack, share_of(g), floor, &chance);
    if (isfinite(chance))
        gnt_text_add(&text, "%.1f %%", 100 * chance);
    add_item(t, &text);
    gnt_text_init(&text, 4096);
    gnt_floors(r, g->task, g->stage, g->attack, psnr, floor, &chance);
    for (size_t i = 0; gnt_number_of(g, psnr->name) && i < sizeof order / sizeof *order; i++)
        if (isfinite(floor[order[i]]))
            gnt_text_add(&text, "%s%.1f", i ? ", " : "", floor[order[i]]);
    add_item(t, &text);
}

int table_undefended(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    static const char *const column[] = {"task",         "model",     "round",
                                         "utility",      "attack",    "targets",
                                         "what is read", "by chance", "PSNR: random, mean, nearest"};
    const gnt_results *r = &s->results;
    gnt_table t;
    if (tables_known(s, tasks, n, err))
        return -1;
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        gnt_table_column(&t, column[i]);
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        const gnt_result_task *task = gnt_task_of(r, g->task);
        if (g->mode != GNT_ROW_NONE || g->status != GNT_CELL_OK || !tables_wants(tasks, n, g->task))
            continue;
        const int64_t targets = task ? task->targets : 0;
        const int before = !gnt_facts_of(r, g->task)->in_round && g->stage == 0;
        gnt_table_text(&t, g->task);
        gnt_table_text(&t, task && task->model[0] ? task->model : "–");
        if (before)
            add_count(NULL, &t);
        else
            tables_round(r, g->task, g->stage, &t);
        add_utility(g, &t);
        gnt_table_text(&t, g->attack);
        add_count(&targets, &t);
        add_found(g, task && task->attribute[0] ? task->attribute : NULL, &t);
        add_floors(r, g, &t);
    }
    tables_add(&t, out);
    gnt_table_free(&t);
    return 0;
}
