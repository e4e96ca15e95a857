/* Tables of single cells: how many targets of a probe came back, and what was found of sets of encodings. */
#include "page_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- back ---- */

/* An image is back where its MSE in [0, 1] is below this. */
static const double back_below = 1e-3;

typedef struct tally {
    size_t of, images;
    /* negative: unknown */
    double labels;
} tally;

static int is_same_place(const gnt_outcome *a, const gnt_outcome *b) {
    return a->stage == b->stage && !strcmp(a->task, b->task) && !strcmp(a->attack, b->attack);
}

static void count(const gnt_outcome *c, tally *sum) {
    const gnt_score *labels = gnt_number_of(c, gnt_measure_of(GNT_MEASURE_LABEL_ACCURACY)->name);
    const size_t n = c->targets.n;
    sum->of += n;
    for (size_t i = 0; i < n; i++)
        sum->images += c->targets.at[i].score[GNT_MEASURE_MSE] < back_below;
    sum->labels = labels && sum->labels >= 0 ? sum->labels + round(labels->stat.mean * (double)n) : -1;
}

static void add_back(const gnt_results *r, size_t first, gnt_table *t) {
    const gnt_outcome *c = &r->cell[first];
    tally sum = {0};
    for (size_t i = 0; i < first; i++)
        if (scores_is_counted(r, &r->cell[i]) && is_same_place(&r->cell[i], c))
            return;
    for (size_t i = first; i < r->n_cell; i++)
        if (scores_is_counted(r, &r->cell[i]) && is_same_place(&r->cell[i], c))
            count(&r->cell[i], &sum);
    gnt_table_text(t, c->task);
    gnt_table_format(t, "%" PRId64, c->stage);
    gnt_table_text(t, c->attack);
    gnt_table_format(t, "%zu of %zu", sum.images, sum.of);
    if (sum.labels < 0)
        gnt_table_text(t, "–");
    else
        gnt_table_format(t, "%.0f of %zu", sum.labels, sum.of);
}

int table_back(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {"task", "round", "attack", "images", "labels"};
    const gnt_results *r = &s->results;
    gnt_table t;
    if (tables_known(s, tasks, n, err))
        return -1;
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gnt_table_column(&t, columns[i]);
    for (size_t i = 0; i < r->n_cell; i++)
        if (tables_wants(tasks, n, r->cell[i].task) && scores_is_counted(r, &r->cell[i]))
            add_back(r, i, &t);
    tables_add(&t, out);
    gnt_table_free(&t);
    return 0;
}

/* ---- sets ---- */

static void add_number(gnt_text *out, const char *before, double value, const char *format) {
    gnt_text_add(out, "%s", before);
    if (isnan(value))
        gnt_text_add(out, "–");
    else
        gnt_text_add(out, format[0] == '2' ? "%.2f" : format[0] == '1' ? "%.1f" : "%.0f %%", value);
}

/* Adds an item of the facts named, with `between` between them. format: the decimals, or '%' for a share. */
static void add_facts(const gnt_outcome *c, const char *const *names, size_t n, const char *format,
                      const char *between, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, 256);
    for (size_t i = 0; i < n; i++)
        add_number(&text, i ? between : "", gnt_fact_of(c, names[i]) * (format[0] == '%' ? 100 : 1), format);
    gnt_table_text(t, gnt_text_get(&text));
    gnt_text_free(&text);
}

static double identified(const gnt_results *r, const gnt_outcome *c) {
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        const gnt_score *s = gnt_number_of(g, gnt_measure_of(GNT_MEASURE_IDENTIFICATION)->name);
        if (s && gnt_is_at(g, c->task, c->stage) && !strcmp(g->defense, c->defense) &&
            !strcmp(g->attack, c->attack) && (g->strength == c->strength || isnan(g->strength)))
            return s->stat.mean;
    }
    return NAN;
}

int table_sets(const scores *s, char *const *none, size_t n, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {
        "defense",           "attack",  "AUC all / visible", "assigned", "weight correlation",
        "quartiles of PSNR", "≥ 16 dB", "identified"};
    static const char *const auc[] = {"similarity_auc", "similarity_auc_visible"};
    static const char *const assigned[] = {"assigned"}, *const weights[] = {"weight_correlation"};
    static const char *const quartiles[] = {"psnr_quartile_1", "psnr_median", "psnr_quartile_3"};
    static const char *const over[] = {"psnr_16"};
    const gnt_results *r = &s->results;
    gnt_table t;
    (void)none, (void)n, (void)err;
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gnt_table_column(&t, columns[i]);
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (isnan(gnt_fact_of(c, over[0])))
            continue;
        gnt_text text;
        gnt_table_text(&t, c->defense);
        gnt_table_text(&t, c->attack);
        add_facts(c, auc, 2, "2", " / ", &t);
        add_facts(c, assigned, 1, "2", "", &t);
        add_facts(c, weights, 1, "2", "", &t);
        add_facts(c, quartiles, 3, "1", ", ", &t);
        add_facts(c, over, 1, "%", "", &t);
        gnt_text_init(&text, 64);
        add_number(&text, "", 100 * identified(r, c), "%");
        gnt_table_text(&t, gnt_text_get(&text));
        gnt_text_free(&text);
    }
    tables_add(&t, out);
    gnt_table_free(&t);
    return 0;
}
