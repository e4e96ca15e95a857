#include "report/plot/plots.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/plot/plot_impl.h"
#include "report/table/report_tables.h"
#include "judge/convergence.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

enum {
    WIDE = 118,
    HIGH = 34,
    LOW = 26,
    RATE = 13,
    LEFT = 210,
    TOP = 40,
    FOOT = 63,
    NOTE = 17,
    GAP = 14,
    STRIP = 96
};
enum { MOST_COLUMNS = 16, MOST_LINES = 48, MOST_NOTES = 4 };

/* A row of fields. */
typedef struct line {
    const char *defense;
    gnt_group_kind kind;
    gnt_rank_state state;
    double strength, y; /* y of its lower edge */
    const gnt_outcome *any, *field[MOST_COLUMNS], *worst;
} line;

typedef struct sheet {
    gnt_plot *p;
    const gnt_results *r;
    const gnt_measure *m;
    const char *task;
    int64_t stage;
    line line[MOST_LINES];
    size_t n_line, n_left_out, n_column, column[MOST_COLUMNS];
    char *note[MOST_NOTES]; /* owned; why fields are empty */
    int n_note;
    int has_rates; /* the identification rate is below each number */
    /* the ends of the colours: what the baseline, or the most private number where no floor is
     * known; and the undefended worst case, or the least private number where that leaks no more than low */
    double low, high;
    int has_floor, has_undefended;
    int n_label;
} sheet;

/* Returns the colour of a share: white if a guess does as well. *dark: the colour needs light text. */
static unsigned shade(const sheet *s, double share, int *dark) {
    const unsigned colour = gnt_shade(share, dark);
    return s->has_floor && share <= 0 ? 0xffffff : colour;
}

static void text_at(sheet *s, double x, double y, const char *where, const char *text, unsigned colour,
                    const char *font) {
    gnt_plot_say(s->p, "set label %d \"%s\" at %.1f,%.1f %s tc rgb \"#%06x\" font %s\n", ++s->n_label, text,
                 x, y, where, colour, font);
}

static void label_at(sheet *s, double x, double y, const char *where, const char *text, size_t most) {
    gnt_plot_say(s->p, "set label %d L[%d] at %.1f,%.1f %s noenhanced tc rgb \"#222222\" font SMALL\n",
                 ++s->n_label, gnt_plot_label(s->p, text, most), x, y, where);
}

static const gnt_score *number_of(const sheet *s, const gnt_outcome *g) {
    const gnt_score *score = g && g->status == GNT_CELL_OK ? gnt_score_find(g, s->m->name) : NULL;
    return score && isfinite(score->stat.mean) ? score : NULL;
}

static double high_of(const sheet *s, const line *l) {
    return (l->kind == GNT_GROUP_SWEEP ? LOW : HIGH) + (s->has_rates ? RATE : 0);
}

/* Writes the mean, and below it the identification rate; intervals are in the table. */
static void field_text(sheet *s, double x, const line *l, const gnt_score *rate, const gnt_score *score,
                       unsigned ink) {
    const gnt_stat mean = {.mean = score->stat.mean, .low = NAN, .high = NAN};
    const double foot = s->has_rates ? RATE : 0, high = high_of(s, l) - foot, y = l->y + foot;
    gnt_text text;
    gnt_text_init(&text, 1024);
    gnt_measure_write(s->m, &mean, &text);
    text_at(s, x + WIDE / 2.0, y + high * 0.5, "center", gnt_text_get(&text), ink,
            l->kind == GNT_GROUP_SWEEP ? "MIDDLE" : "BIG");
    gnt_text_free(&text);
    if (rate) {
        gnt_text_add(&text, "id %.0f %%", 100 * rate->stat.mean);
        text_at(s, x + WIDE / 2.0, l->y + RATE * 0.85, "center", gnt_text_get(&text), ink, "TINY");
        gnt_text_free(&text);
    }
}

static void field(sheet *s, double x, const line *l, const gnt_outcome *g, const gnt_score *rate) {
    const gnt_score *score = number_of(s, g);
    double high = high_of(s, l), y = l->y, span = s->high - s->low;
    /* where nothing leaks more than the low end, all is at it */
    double share = !score ? 0 : span != 0 ? (score->stat.mean - s->low) / span : s->has_floor ? 0 : 0.5;
    int dark = 0;
    unsigned colour = score ? shade(s, share, &dark) : 0xf6f6f6;
    gnt_plot_say(s->p,
                 "set object %d rectangle from %.1f,%.1f to %.1f,%.1f fc rgb \"#%06x\" fs solid border lc "
                 "rgb \"#%06x\"\n",
                 s->n_label + 1, x + 2, y + 2, x + WIDE - 2, y + high - 2, colour,
                 colour == 0xffffff ? 0xd8d8d8U : 0xffffffU);
    if (!score) {
        text_at(s, x + WIDE / 2.0, y + high / 2, "center",
                !g                         ? "not run"
                : g->status == GNT_CELL_OK ? "–"
                                           : gnt_status_name(g->status),
                0x999999, "SMALL");
        return;
    }
    field_text(s, x, l, rate, score, dark ? 0xffffff : 0x111111);
}

/* ---- which rows, which columns ---- */

static line *add_line(sheet *s, const char *defense, gnt_group_kind kind, double strength) {
    if (s->n_line == MOST_LINES) {
        s->n_left_out++;
        return NULL;
    }
    line *l = &s->line[s->n_line++];
    *l = (line){.defense = defense, .kind = kind, .strength = strength};
    return l;
}

static int add_ranked(sheet *s) {
    const gnt_results *r = s->r;
    gnt_ranking ranking;
    if (gnt_rank(&ranking, r, s->task, s->stage, s->m) != 0)
        return -1;
    for (size_t i = 0; i < ranking.n; i++) {
        const gnt_rank_row *row = &ranking.row[i];
        const gnt_outcome *any = gnt_representative(r, s->task, s->stage, row->defense, NULL);
        line *l = add_line(s, row->defense, row->kind, any->strength);
        if (!l)
            continue;
        l->any = any;
        l->state = row->state;
        l->worst = row->worst;
        for (size_t c = 0; c < s->n_column; c++) {
            l->field[c] = gnt_representative(r, s->task, s->stage, row->defense, r->attack[s->column[c]]);
            /* utility from a cell that has one: that of an attack that does not apply is unknown */
            if (l->field[c] && isnan(l->any->utility.value))
                l->any = l->field[c];
        }
    }
    gnt_ranking_free(&ranking);
    return 0;
}

/* True if a defense has a row at one strength that is compared with others. */
static int has_row(const sheet *s, const char *defense) {
    for (size_t i = 0; i < s->n_line; i++)
        if (s->line[i].kind != GNT_GROUP_SWEEP && !strcmp(s->line[i].defense, defense))
            return 1;
    return 0;
}

/* Adds the strengths of defenses that have no other row; those of others are in the trade-off plot. */
static void add_sweeps(sheet *s, gnt_point *points) {
    const gnt_results *r = s->r;
    size_t n = gnt_sweep_points(r, s->task, s->stage, points, r->n_group);
    for (size_t i = 0; i < n; i++) {
        if (has_row(s, r->defense[points[i].defense]))
            continue;
        line *l = add_line(s, r->defense[points[i].defense], GNT_GROUP_SWEEP, points[i].strength);
        if (!l)
            continue;
        l->any = gnt_sweep_group(r, s->task, s->stage, &points[i], NULL);
        for (size_t c = 0; c < s->n_column; c++) {
            const gnt_outcome *g = gnt_sweep_group(r, s->task, s->stage, &points[i], r->attack[s->column[c]]);
            const gnt_score *score = number_of(s, g), *worst = number_of(s, l->worst);
            l->field[c] = g;
            if (score && (!worst || gnt_leaks_more(s->m, score->stat.mean, worst->stat.mean)))
                l->worst = g;
        }
    }
}

static void find_columns(sheet *s, size_t *columns) {
    size_t n = gnt_columns(s->r, s->task, s->stage, s->m, columns);
    for (; s->n_column < n && s->n_column < MOST_COLUMNS; s->n_column++)
        s->column[s->n_column] = columns[s->n_column];
}

static void add_note(sheet *s, char *text) {
    for (int i = 0; text && i < s->n_note; i++)
        if (!strcmp(s->note[i], text)) {
            gnt_free(text);
            return;
        }
    if (text && s->n_note < MOST_NOTES)
        s->note[s->n_note++] = text;
    else
        gnt_free(text);
}

/* Lists the notes: why there is no number, once for an attack and reason, and which searches ended before
 * they converged. */
static void find_notes(sheet *s) {
    for (size_t c = 0; c < s->n_column; c++)
        for (size_t i = 0; i < s->n_line; i++) {
            const gnt_outcome *g = s->line[i].field[c];
            if (g && number_of(s, g) && gnt_is_starved(s->r, g))
                add_note(s, gnt_format("%s: its budget ended while the cost still fell (%s)", g->attack,
                                       g->defense));
            if (!g || g->status == GNT_CELL_OK || !g->reason[0])
                continue;
            add_note(s, gnt_format("%s, %s: %s", gnt_status_name(g->status), g->attack, g->reason));
        }
}

static void find_rates(sheet *s) {
    for (size_t i = 0; i < s->n_line; i++)
        for (size_t c = 0; c < s->n_column; c++)
            s->has_rates |= s->line[i].field[c] && gnt_identified(s->line[i].field[c], s->m) != NULL;
}

static void take(const gnt_measure *m, double *least, double *most, double number) {
    if (isnan(*least) || gnt_leaks_more(m, *least, number))
        *least = number;
    if (isnan(*most) || gnt_leaks_more(m, number, *most))
        *most = number;
}

static void find_ends(sheet *s) {
    double least = NAN, most = NAN, calm = NAN, undefended = NAN, floor[GNT_FLOORS], chance;
    const char *name;
    for (size_t i = 0; i < s->n_line; i++)
        for (size_t c = 0; c < s->n_column; c++) {
            const gnt_score *score = number_of(s, s->line[i].field[c]);
            if (!score)
                continue;
            take(s->m, &least, &most, score->stat.mean);
            if (s->line[i].kind == GNT_GROUP_UNDEFENDED)
                take(s->m, &calm, &undefended, score->stat.mean);
        }
    gnt_floors(s->r, s->task, s->stage, NULL, s->m, floor, &chance);
    const double guess = gnt_highest_floor(s->m, floor, chance, &name);
    s->has_floor = isfinite(guess);
    s->low = s->has_floor ? guess : least;
    s->has_undefended = isfinite(undefended) && gnt_leaks_more(s->m, undefended, s->low);
    s->high = s->has_undefended ? undefended : gnt_leaks_more(s->m, most, s->low) ? most : s->low;
}

/* ---- drawing ---- */

/* Returns the block of a line; there are three, with gaps between them: matched, other single points,
 * sweeps. */
static int block_of(const line *l) {
    return l->kind == GNT_GROUP_MATCHED ? 0 : l->kind == GNT_GROUP_SWEEP ? 2 : 1;
}

/* Gives each row its y; returns the height of all. */
static double stack(sheet *s, double top) {
    double y = top;
    for (size_t i = 0; i < s->n_line; i++) {
        if (i > 0 && block_of(&s->line[i]) != block_of(&s->line[i - 1]))
            y -= GAP;
        y -= high_of(s, &s->line[i]);
        s->line[i].y = y;
    }
    return top - y;
}

/* Names a row as in "matched 0.107 · 68.0 %": the mode, the strength and its utility. */
static void name_row(sheet *s, const line *l) {
    gnt_text text;
    gnt_text_init(&text, 1024);
    if (l->state == GNT_UNRANKED_MARKED || l->state == GNT_UNRANKED_PUBLIC)
        gnt_text_add(&text, "%s",
                     l->state == GNT_UNRANKED_MARKED ? "MARKED by the host" : "no better than public data");
    else if (l->state == GNT_RANKED_AS_NONE)
        gnt_text_add(&text, "leaks as undefended");
    else if (l->state == GNT_UNRANKED_UNMET)
        gnt_text_add(&text, "no adaptive attack");
    else
        gnt_text_add(&text, "%s", gnt_group_kind_name(l->kind));
    if (isfinite(l->strength))
        gnt_text_add(&text, " %.5g", l->strength);
    if (l->any && isfinite(l->any->utility.value)) {
        gnt_text_add(&text, " · ");
        gnt_utility_write(gnt_utility_measure(s->r, s->task), l->any->utility.value, &text);
    }
    label_at(s, LEFT - 12, l->y + high_of(s, l) * 0.66, "right", l->defense, 26);
    text_at(s, LEFT - 12, l->y + high_of(s, l) * 0.27, "right", gnt_text_get(&text),
            l->state == GNT_UNRANKED_MARKED ? 0xb03000 : 0x777777, "TINY");
    gnt_text_free(&text);
}

/* Draws the scale of colours and writes the values at its ends. */
static void say_colours(sheet *s, double y) {
    const gnt_stat low = {.mean = s->low, .low = NAN, .high = NAN},
                   high = {.mean = s->high, .low = NAN, .high = NAN};
    gnt_text text;
    gnt_text_init(&text, 512);
    for (int i = 0; i < 8; i++) {
        int dark;
        gnt_plot_say(
            s->p,
            "set object %d rectangle from %.1f,%.1f to %.1f,%.1f fc rgb \"#%06x\" fs solid border lc "
            "rgb \"#d8d8d8\"\n",
            s->n_label + 1000 + i, 14 + i * STRIP / 8.0, y - 5, 14 + (i + 1) * STRIP / 8.0, y + 5,
            shade(s, i / 7.0, &dark));
    }
    gnt_text_add(&text, s->has_floor ? "white: no more than a guess, " : "lightest: ");
    gnt_measure_write(s->m, &low, &text);
    gnt_text_add(&text, s->has_undefended ? "; darkest: undefended, " : "; darkest: ");
    gnt_measure_write(s->m, &high, &text);
    text_at(s, 14 + STRIP + 8, y, "left", gnt_text_get(&text), 0x555555, "SMALL");
    gnt_text_free(&text);
}

/* Returns the height of the text below the matrix. */
static double foot_of(const sheet *s) {
    return FOOT + (s->n_note + s->has_rates) * (double)NOTE;
}

static void say_notes(sheet *s, double width) {
    double y = foot_of(s) - 16;
    text_at(s, 14, y, "left", s->m->words, 0x555555, "SMALL");
    gnt_text how;
    gnt_text_init(&how, 256);
    gnt_text_add(&how, "mean; the table of the matrix has its ");
    gnt_interval_write(s->r, s->task, s->stage, s->m, &how);
    text_at(s, 14, y -= NOTE, "left", gnt_text_get(&how), 0x555555, "SMALL");
    gnt_text_free(&how);
    say_colours(s, y -= NOTE);
    if (s->has_rates)
        text_at(s, 14, y -= NOTE, "left",
                "id: identification rate, how often the reconstruction is nearest to its own image", 0x555555,
                "SMALL");
    for (int i = 0; i < s->n_note; i++)
        gnt_plot_say(s->p, "set label %d L[%d] at 14,%.1f left noenhanced tc rgb \"#888888\" font TINY\n",
                     ++s->n_label, gnt_plot_label(s->p, s->note[i], (size_t)((width - 20) / 5.9)), y -= NOTE);
}

static const gnt_score *rate_of(const sheet *s, const gnt_outcome *g) {
    return g ? gnt_identified(g, s->m) : NULL;
}

/* Returns the highest identification rate, which may be of another attack than the worst case of the
 * measure. */
static const gnt_score *highest_rate(const sheet *s, const line *l) {
    const gnt_score *most = NULL;
    for (size_t c = 0; c < s->n_column; c++) {
        const gnt_score *rate = rate_of(s, l->field[c]);
        if (rate && (!most || rate->stat.mean > most->stat.mean))
            most = rate;
    }
    return most;
}

static void draw(sheet *s) {
    double head = s->p->height - TOP + 12, worst = LEFT + (double)s->n_column * WIDE + GAP;
    gnt_plot_strip(s->p, 0, s->p->height);
    for (size_t c = 0; c < s->n_column; c++)
        label_at(s, LEFT + ((double)c + 0.5) * WIDE, head, "center", s->r->attack[s->column[c]], 16);
    if (s->n_column > 1)
        text_at(s, worst + WIDE / 2.0, head, "center", "worst case", 0x222222, "SMALL");
    for (size_t i = 0; i < s->n_line; i++) {
        line *l = &s->line[i];
        name_row(s, l);
        for (size_t c = 0; c < s->n_column; c++)
            field(s, LEFT + (double)c * WIDE, l, l->field[c], rate_of(s, l->field[c]));
        if (s->n_column > 1)
            field(s, worst, l, l->worst, highest_rate(s, l));
    }
    say_notes(s, s->p->width);
    gnt_plot_say(s->p, "plot NaN\n");
}

static int draw_picture(sheet *s, const char *folder, const char *name, int formats, int *drawn,
                        gnt_err *err) {
    gnt_plot p;
    double width = LEFT + ((double)s->n_column + (s->n_column > 1)) * WIDE + GAP + 10;
    double height = TOP + foot_of(s) + stack(s, 0);
    gnt_plot_init(&p, folder, name, width < 620 ? 620 : width, height);
    stack(s, height - TOP);
    s->p = &p;
    draw(s);
    int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    return failed;
}

int gnt_plot_heat(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                  const char *folder, const char *name, int formats, int *drawn, gnt_err *err) {
    gnt_point *points = gnt_array(r->n_group + 1, sizeof *points);
    size_t *columns = gnt_array(r->n_attack + 1, sizeof *columns);
    sheet *s = gnt_array(1, sizeof *s);
    int failed = 0;
    *drawn = 0;
    if (!points || !columns || !s) {
        failed = gnt_fail(err, "%s: out of memory", name);
        goto cleanup;
    }
    *s = (sheet){.r = r, .m = m, .task = task, .stage = stage};
    find_columns(s, columns);
    if (add_ranked(s) != 0) {
        failed = gnt_fail(err, "%s: out of memory", name);
        goto cleanup;
    }
    add_sweeps(s, points);
    if (s->n_line == 0 || s->n_column == 0)
        goto cleanup;
    find_ends(s);
    find_rates(s);
    find_notes(s);
    if (s->n_left_out)
        add_note(s, gnt_format("%zu more rows are in the tables", s->n_left_out));
    failed = draw_picture(s, folder, name, formats, drawn, err);
cleanup:
    for (int i = 0; s && i < s->n_note; i++)
        gnt_free(s->note[i]);
    gnt_free(s);
    gnt_free(columns);
    gnt_free(points);
    return failed;
}
