/* The tables of a task at one round: a row for each defense and strength, a column for each attack. In a cell
 * are PSNR with its interval and the share of targets identified, or balanced accuracy in per cent. */
#include "page_tables.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/group_roles.h"
#include "judge/section.h"

/* A row of the table, by its first group. `order` is the place of its defense. */
typedef struct setting {
    const gnt_outcome *group;
    size_t order;
} setting;

static int by_setting(const void *a, const void *b) {
    const setting *x = a, *y = b;
    if (x->group->mode != y->group->mode)
        return x->group->mode < y->group->mode ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    const double s = isnan(x->group->strength) ? 0 : x->group->strength,
                 t = isnan(y->group->strength) ? 0 : y->group->strength;
    return s < t ? -1 : s > t;
}

/* True for one setting of a defense, under any attack. */
static int is_same(const gnt_outcome *a, const gnt_outcome *b) {
    return a->mode == b->mode && !strcmp(a->defense, b->defense) &&
           (a->strength == b->strength || (isnan(a->strength) && isnan(b->strength)));
}

static size_t place_of(const gnt_results *r, const char *defense) {
    size_t at = 0;
    while (at < r->n_defense && strcmp(r->defense[at], defense) != 0)
        at++;
    return at;
}

/* Lists the settings of a task and round in the order of rows, at most r->n_group. Returns their number. */
static size_t settings_of(const gnt_results *r, const char *task, int64_t stage, setting *rows) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        size_t k = 0;
        if (!gnt_is_at(g, task, stage))
            continue;
        while (k < n && !is_same(rows[k].group, g))
            k++;
        if (k == n)
            rows[n++] = (setting){g, place_of(r, g->defense)};
    }
    qsort(rows, n, sizeof *rows, by_setting);
    return n;
}

static const gnt_outcome *under(const gnt_results *r, const char *task, int64_t stage, const gnt_outcome *of,
                                const char *attack) {
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (gnt_is_at(g, task, stage) && is_same(g, of) && !strcmp(g->attack, attack))
            return g;
    }
    return NULL;
}

/* True if an attack has a column: if it applies to anything here. */
static int has_column(const gnt_results *r, const char *task, int64_t stage, const char *attack) {
    for (size_t i = 0; i < r->n_group; i++)
        if (gnt_is_at(&r->group[i], task, stage) && !strcmp(r->group[i].attack, attack) &&
            r->group[i].status != GNT_CELL_NA)
            return 1;
    return 0;
}

static void add_leakage(const gnt_outcome *g, gnt_text *out) {
    if (!g || g->status != GNT_CELL_OK) {
        gnt_text_add(out, "%s", gnt_status_name(g ? g->status : GNT_CELL_NA));
        return;
    }
    static const gnt_measure_id shown[] = {GNT_MEASURE_ATTRIBUTE_BALANCED, GNT_MEASURE_PSNR};
    const gnt_score *named = gnt_number_of(g, gnt_measure_of(GNT_MEASURE_IDENTIFICATION)->name);
    for (size_t i = 0; i < 2; i++) {
        const gnt_measure *m = gnt_measure_of(shown[i]);
        const gnt_score *s = gnt_number_of(g, m->name);
        if (!s)
            continue;
        gnt_text_add(out, "%s", out->size ? " / " : "");
        tables_interval(m, &s->stat, out);
    }
    if (named)
        gnt_text_add(out, "%s%.0f %%", out->size ? " / " : "", 100 * named->stat.mean);
    if (out->size == 0)
        gnt_text_add(out, "–");
}

static void add_column(const scores *s, const char *task, int64_t stage, const char *attack, gnt_table *t) {
    const char *balanced = gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED)->name;
    const gnt_result_task *of = gnt_task_of(&s->results, task);
    if (!gnt_has_measure(&s->results, task, stage, attack, balanced)) {
        gnt_table_column(t, attack);
        return;
    }
    char *heading =
        gnt_format("%s: %s, balanced %%", attack, of && of->attribute[0] ? of->attribute : "attribute");
    gnt_table_column(t, heading ? heading : "");
    t->failed |= !heading;
    gnt_free(heading);
}

static void add_setting(const gnt_results *r, const char *task, int64_t stage, const gnt_outcome *of,
                        gnt_table *t) {
    const gnt_utility *utility = NULL;
    int matched = 0;
    gnt_text text;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || !is_same(g, of))
            continue;
        matched |= g->matched;
        if (!utility && isfinite(g->utility.value))
            utility = &g->utility;
    }
    gnt_table_text(t, of->defense);
    gnt_text_init(&text, 4096);
    if (isnan(of->strength))
        gnt_text_add(&text, "–");
    else
        gnt_text_add(&text, "%.4g", of->strength);
    if (of->mode == GNT_ROW_MATCHED)
        gnt_text_add(&text, matched ? ", matched" : ", not matched");
    gnt_table_text(t, gnt_text_get(&text));
    gnt_text_free(&text);
    gnt_text_init(&text, 4096);
    gnt_utility_write(utility ? utility->measure : "", utility ? utility->value : NAN, &text);
    gnt_table_text(t, gnt_text_get(&text));
    gnt_text_free(&text);
    for (size_t a = 0; a < r->n_attack; a++) {
        if (!has_column(r, task, stage, r->attack[a]))
            continue;
        gnt_text_init(&text, 4096);
        add_leakage(under(r, task, stage, of, r->attack[a]), &text);
        gnt_table_text(t, gnt_text_get(&text));
        gnt_text_free(&text);
    }
}

/* ---- the line above a table ---- */

/* Adds the score of blind guessing: one number, or one for each attack if their candidates differ. */
static void add_chance(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                       const char *word, gnt_text *out) {
    double floor[GNT_FLOORS], chance, first = NAN;
    int several = 0;
    size_t n = 0;
    for (size_t a = 0; a < r->n_attack; a++) {
        gnt_floors(r, task, stage, r->attack[a], m, floor, &chance);
        several |= isfinite(chance) && isfinite(first) && chance != first;
        first = isfinite(first) ? first : chance;
    }
    if (isfinite(first))
        gnt_text_add(out, " %s by chance:", word);
    for (size_t a = 0; a < r->n_attack; a++) {
        gnt_floors(r, task, stage, r->attack[a], m, floor, &chance);
        if (!isfinite(chance) || (n && !several))
            continue;
        gnt_text_add(out, n++ ? ", " : " ");
        gnt_text_add(out, "%s%s%.1f %%", several ? r->attack[a] : "", several ? " " : "", 100 * chance);
    }
    gnt_text_add(out, n ? "." : "");
}

static void add_floors(const gnt_results *r, const char *task, int64_t stage, gnt_text *out) {
    static const struct {
        int floor;
        const char *name;
    } order[] = {{GNT_FLOOR_RANDOM, "random"},
                 {GNT_FLOOR_OTHER, "another public sample"},
                 {GNT_FLOOR_MEAN, "mean sample"},
                 {GNT_FLOOR_NEAREST, "nearest public sample"}};
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR);
    double floor[GNT_FLOORS], chance;
    size_t n = 0;
    gnt_floors(r, task, stage, NULL, psnr, floor, &chance);
    for (size_t i = 0; i < 4; i++)
        if (isfinite(floor[order[i].floor]))
            gnt_text_add(out, "%s%s %.1f dB", n++ ? ", " : " PSNR without an attack: ", order[i].name,
                         floor[order[i].floor]);
    gnt_text_add(out, n ? "." : "");
    add_chance(r, task, stage, gnt_measure_of(GNT_MEASURE_IDENTIFICATION), "Identified", out);
    add_chance(r, task, stage, gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED), "Balanced", out);
}

static void add_heading(const scores *s, const char *task, int64_t stage, gnt_text *out) {
    const gnt_result_task *of = gnt_task_of(&s->results, task);
    const int in_round = gnt_facts_of(&s->results, task)->in_round;
    const int64_t targets = of ? of->targets : 0;
    int64_t seeds = 0;
    for (size_t i = 0; i < s->results.n_group; i++)
        if (gnt_is_at(&s->results.group[i], task, stage) && s->results.group[i].n_cells > seeds)
            seeds = s->results.group[i].n_cells;
    tables_next(out);
    gnt_text_add(out, "**%s. ", task);
    if (in_round) {
        char words[64];
        gnt_stage_words(&s->results, task, stage, words, sizeof words);
        gnt_text_add(out, "%c%s**, what %" PRId64 " client%s sent", toupper((unsigned char)words[0]),
                     words + 1, targets, targets == 1 ? "" : "s");
    } else if (of && of->rounds > 0 && stage > 0) {
        gnt_text_add(out, "After round %" PRId64 "**, a probe of %" PRId64 " targets", stage, targets);
    } else {
        gnt_text_add(out, "Before training**, a probe of %" PRId64 " targets", targets);
    }
    if (seeds > 1)
        gnt_text_add(out, ", %" PRId64 " seeds", seeds);
    gnt_text_add(out, ".");
    add_floors(&s->results, task, stage, out);
    gnt_text_add(out, "\n");
}

static int add_stage(const scores *s, const char *task, int64_t stage, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    setting *rows = gnt_array(r->n_group + 1, sizeof *rows);
    gnt_table t;
    if (!rows)
        return gnt_fail(err, "out of memory");
    const size_t n = settings_of(r, task, stage, rows);
    gnt_table_init(&t, NULL);
    gnt_table_column(&t, "defense");
    gnt_table_column(&t, "strength");
    gnt_table_column(&t, "utility");
    for (size_t a = 0; a < r->n_attack; a++)
        if (has_column(r, task, stage, r->attack[a]))
            add_column(s, task, stage, r->attack[a], &t);
    for (size_t i = 0; i < n; i++)
        add_setting(r, task, stage, rows[i].group, &t);
    add_heading(s, task, stage, out);
    tables_add(&t, out);
    gnt_table_free(&t);
    gnt_free(rows);
    return 0;
}

int table_leakage(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    if (tables_known(s, tasks, n, err))
        return -1;
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stage[GNT_MOST_STAGES];
        const size_t stages = tables_wants(tasks, n, r->task[i]) ? gnt_stages(r, r->task[i], stage) : 0;
        for (size_t k = 0; k < stages; k++)
            if (add_stage(s, r->task[i], stage[k], out, err))
                return -1;
    }
    return 0;
}
