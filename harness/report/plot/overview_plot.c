#include "report/plot/plots.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/duties.h"
#include "judge/group_roles.h"
#include "render/escape.h"
#include "report/plot/plot_impl.h"

enum {
    WIDE = 29,
    HIGH = 24,
    LEFT = 148,
    RIGHT = 148,
    FOOT = 84,
    NOTE = 18,
    STRIP = 96,
    FEW = 3,
    MANY = 12,
    KEY = 900,
    KEY_DOT = 154
};
enum { MOST_COLUMNS = 64, MOST_NAME = 24, MOST_ROWS = 64 };

typedef enum state { NOT_RUN, NOT_APPLICABLE, NO_NUMBER, FOUND } state;

/* One defense under one attack, of all tasks and stages. */
typedef struct field {
    state state;
    double share;
    /* the interval lies above chance; some attack that gave a number knows the defense */
    int is_sure, knows;
} field;

typedef struct overview {
    gnt_plot *p;
    const gnt_results *r;
    const char *row[MOST_ROWS], *column[MOST_COLUMNS];
    field field[MOST_ROWS][MOST_COLUMNS];
    size_t n_row, n_column, n_left_out;
    int n_object;
    double head; /* height of the names of attacks */
} overview;

/* ---- what is in a field ---- */

/* Returns the column of an attack: of one on influence, that of the same attack on updates as received. */
static const char *column_of(const gnt_results *r, const char *attack) {
    const char *other = gnt_result_influence_of(r->file, attack);
    return other ? other : attack;
}

static size_t place_of(const char *const *list, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && strcmp(list[i], name) != 0)
        i++;
    return i;
}

/* Returns the share of an outcome's targets that a measure says were found, 0 being chance and 1 all. */
static double share_of(const gnt_score *score) {
    const double chance = isfinite(score->chance) ? score->chance : 0;
    return chance < 1 ? (score->stat.mean - chance) / (1 - chance) : 0;
}

/* Returns the score of a group that leaks most: of targets identified, attributes inferred, or contributions
 * ranked. NULL: it has none of these. identifies: 0: identification does not count. */
static const gnt_score *found_of(const gnt_outcome *g, int identifies) {
    static const gnt_measure_id found[] = {GNT_MEASURE_IDENTIFICATION, GNT_MEASURE_ATTRIBUTE_BALANCED,
                                           GNT_MEASURE_CONTRIBUTION_RANK};
    const gnt_score *most = NULL;
    for (size_t i = !identifies; i < sizeof found / sizeof *found; i++) {
        const gnt_score *score = gnt_number_of(g, gnt_measure_of(found[i])->name);
        if (score && (!most || share_of(score) > share_of(most)))
            most = score;
    }
    return most;
}

static field *field_of(overview *o, const gnt_outcome *g) {
    const size_t row = place_of(o->row, o->n_row, g->defense),
                 column = place_of(o->column, o->n_column, column_of(o->r, g->attack));
    return row < o->n_row && column < o->n_column ? &o->field[row][column] : NULL;
}

static int is_sure(const gnt_score *score, double guess) {
    return gnt_has_interval(&score->stat) && score->stat.low > (isfinite(guess) ? guess : 0);
}

static void add_share(field *f, double share, int sure) {
    if (f->state != FOUND || share > f->share)
        *f = (field){FOUND, share, sure, f->knows};
}

static int holds(const gnt_texts *list, const char *word) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i], word) == 0)
            return 1;
    return 0;
}

/* Adds the share of the targets of a group whose region was recovered better than by the best guess. Who is
 * given the image around it identifies the image without an attack. */
static void add_regions(const overview *o, field *f, const gnt_outcome *g, const gnt_score *score) {
    const char *name;
    const double guess = gnt_highest_floor(gnt_measure_find(score->measure), score->floor, NAN, &name);
    size_t n = 0, better = 0;
    for (size_t i = 0; isfinite(guess) && i < o->r->n_cell; i++) {
        const gnt_outcome *cell = &o->r->cell[i];
        for (size_t k = 0; gnt_is_of_group(cell, g) && k < cell->targets.n; k++) {
            const double psnr = cell->targets.at[k].score[GNT_MEASURE_REGION_PSNR];
            n += isfinite(psnr);
            better += psnr > guess;
        }
    }
    if (n > 0)
        add_share(f, (double)better / (double)n, is_sure(score, guess));
}

static void add_group(const overview *o, field *f, const gnt_outcome *g) {
    const gnt_result_attack *a = gnt_attack_of(o->r, g->attack);
    const gnt_score *region = a && holds(&a->grants, "region") ? gnt_number_of(g, "region_psnr") : NULL,
                    *score = found_of(g, !region);
    if (region)
        add_regions(o, f, g, region);
    if (score)
        add_share(f, share_of(score), is_sure(score, score->chance));
    else if (f->state != FOUND)
        f->state = g->status == GNT_CELL_NA && f->state != NO_NUMBER ? NOT_APPLICABLE : NO_NUMBER;
}

/* True if the attack of a cell knows the defense: by name, by family, or by what it learnt of its hooks. */
static int knows(const gnt_results *r, const gnt_outcome *cell) {
    gnt_duty duty[GNT_MOST_DUTIES];
    const gnt_score *score = found_of(cell, 1);
    if (!score || cell->mode == GNT_ROW_NONE)
        return 0;
    const size_t n = gnt_duties(r, cell->task, cell->defense, gnt_measure_find(score->measure), duty);
    for (size_t i = 0; i < n; i++)
        if (duty[i].kind != GNT_DUTY_AGGREGATE && gnt_discharges(r, cell, &duty[i]))
            return 1;
    return 0;
}

static void add_name(const char **list, size_t *n, size_t most, const char *name, size_t *left_out) {
    if (place_of(list, *n, name) < *n)
        return;
    if (*n < most)
        list[(*n)++] = name;
    else
        (*left_out)++;
}

/* Lists the defenses and attacks that have a group outside of sweeps, in the suite's order. */
static void find_names(overview *o) {
    const gnt_results *r = o->r;
    for (size_t d = 0; d < r->n_defense; d++)
        for (size_t i = 0; i < r->n_group; i++)
            if (!strcmp(r->group[i].defense, r->defense[d]) &&
                gnt_group_kind_of(&r->group[i]) != GNT_GROUP_SWEEP) {
                add_name(o->row, &o->n_row, MOST_ROWS, r->defense[d], &o->n_left_out);
                break;
            }
    for (size_t a = 0; a < r->n_attack; a++)
        add_name(o->column, &o->n_column, MOST_COLUMNS, column_of(r, r->attack[a]), &o->n_left_out);
}

static void find_fields(overview *o) {
    const gnt_results *r = o->r;
    for (size_t i = 0; i < r->n_group; i++) {
        field *f = gnt_group_kind_of(&r->group[i]) != GNT_GROUP_SWEEP ? field_of(o, &r->group[i]) : NULL;
        if (f)
            add_group(o, f, &r->group[i]);
    }
    for (size_t i = 0; i < r->n_cell; i++) {
        field *f = r->cell[i].mode != GNT_ROW_SWEEP ? field_of(o, &r->cell[i]) : NULL;
        if (f && !f->knows)
            f->knows = knows(r, &r->cell[i]);
    }
}

/* ---- drawing ---- */

/* Fills a box. Its border is drawn with all others (draw), which takes fewer bytes than one by one. */
static void box(overview *o, double x, double y, double wide, double high, const char *fill,
                unsigned colour) {
    const double left = x + 1, right = x + wide - 1, low = y + 1, top = y + high - 1;
    const double corner[][2] = {{left, low},  {left, top}, {right, top},
                                {right, low}, {left, low}, {NAN, NAN}};
    gnt_plot_say(o->p,
                 "set object %d rectangle from %.1f,%.1f to %.1f,%.1f fc rgb \"#%06x\" fs %s noborder\n",
                 ++o->n_object, left, low, right, top, colour, fill);
    for (size_t i = 0; i < sizeof corner / sizeof *corner; i++)
        gnt_plot_row(o->p, corner[i], 2);
}

static void dot(overview *o, double x, double y, unsigned colour) {
    const double row[] = {x, y, colour};
    gnt_plot_row(o->p, row, 3);
}

static void say(overview *o, double x, double y, const char *where, const char *text, unsigned colour,
                const char *font) {
    gnt_plot_say(o->p, "set label \"%s\" at %.1f,%.1f %s front tc rgb \"#%06x\" font %s\n", text, x, y, where,
                 colour, font);
}

static void hatch(overview *o, double x, double y, double wide, double high) {
    box(o, x, y, wide, high, "pattern 4", 0xb0b0b0);
}

static void draw_field(overview *o, const field *f, double x, double y) {
    int dark = 0;
    if (f->state == NOT_APPLICABLE) {
        hatch(o, x, y, WIDE, HIGH);
        return;
    }
    const unsigned colour = f->state != FOUND ? 0xf6f6f6
                            : f->share > 0    ? gnt_shade(f->share, &dark)
                                              : 0xffffff;
    box(o, x, y, WIDE, HIGH, "solid", colour);
    if (f->state == NO_NUMBER)
        say(o, x + WIDE / 2.0, y + HIGH / 2.0, "center", "×", 0xb03000, "SMALL");
    if (f->state != FOUND)
        return;
    char *text = gnt_format(f->is_sure ? "%.0f" : "(%.0f)", 100 * fmax(f->share, 0));
    say(o, x + WIDE / 2.0 - 1, y + HIGH / 2.0 - 1, "center", text ? text : "", dark ? 0xffffff : 0x111111,
        "TINY");
    gnt_free(text);
}

/* Marks a field whose attack knows the defense. */
static void mark_field(overview *o, const field *f, double x, double y) {
    int dark = 0;
    if (f->state != FOUND || !f->knows)
        return;
    if (f->share > 0)
        gnt_shade(f->share, &dark);
    dot(o, x + WIDE - 5, y + HIGH - 5, dark ? 0xffffff : 0xb03000);
}

/* Returns the height of the names of attacks, which are turned. */
static double head_of(const overview *o) {
    size_t longest = 0;
    for (size_t c = 0; c < o->n_column; c++) {
        const size_t width = gnt_text_width(o->column[c]);
        longest = width > longest ? width : longest;
    }
    return 26 + 5.6 * (double)(longest < MOST_NAME ? longest : MOST_NAME);
}

static void draw_key(overview *o) {
    double x = 14, y = FOOT - 24;
    for (int i = 0; i < 8; i++) {
        int dark;
        box(o, x + i * STRIP / 8.0, y - 7, STRIP / 8.0, 14, "solid",
            i ? gnt_shade(i / 7.0, &dark) : 0xffffff);
    }
    say(o, x + STRIP + 8, y, "left",
        "share of targets identified, or of attributes inferred in balanced accuracy, in per cent of the way "
        "from "
        "chance to all",
        0x555555, "SMALL");
    y -= NOTE;
    hatch(o, x, y - 7, 22, 14);
    say(o, x + 28, y, "left", "does not apply", 0x555555, "SMALL");
    say(o, x + 148, y, "left", "the attack knows the defense", 0x555555, "SMALL");
    say(o, x + 340, y, "left", "in brackets: not surely above chance;  ×: gave no number;  empty: not run",
        0x555555, "SMALL");
    char *most = o->n_left_out ? gnt_format("of several tasks the one that leaks most; %zu names "
                                            "more are in the tables",
                                            o->n_left_out)
                               : gnt_strdup("where a pair ran on several tasks, the one that leaks most");
    say(o, x, y - NOTE, "left", most ? most : "", 0x555555, "SMALL");
    gnt_free(most);
}

/* Writes the name of a row; where there are many columns it is at both ends, for readers who scroll. */
static void say_name(overview *o, int label, double x, double y, const char *where) {
    gnt_plot_say(o->p, "set label L[%d] at %.1f,%.1f %s noenhanced tc rgb \"#222222\" font SMALL\n", label, x,
                 y, where);
}

static void draw(overview *o) {
    const double top = o->p->height - o->head;
    const int borders = gnt_plot_block(o->p);
    gnt_plot_strip(o->p, 0, o->p->height);
    for (size_t c = 0; c < o->n_column; c++)
        gnt_plot_say(
            o->p, "set label L[%d] at %.1f,%.1f left rotate by 55 noenhanced tc rgb \"#222222\" font SMALL\n",
            gnt_plot_label(o->p, o->column[c], MOST_NAME), LEFT + ((double)c + 0.5) * WIDE, top + 8);
    for (size_t i = 0; i < o->n_row; i++) {
        const double y = top - (double)(i + 1) * HIGH;
        const int name = gnt_plot_label(o->p, o->row[i], 21);
        say_name(o, name, LEFT - 8.0, y + HIGH / 2.0, "right");
        if (o->n_column >= MANY)
            say_name(o, name, LEFT + (double)o->n_column * WIDE + 8, y + HIGH / 2.0, "left");
        for (size_t c = 0; c < o->n_column; c++)
            draw_field(o, &o->field[i][c], LEFT + (double)c * WIDE, y);
    }
    draw_key(o);
    const int marks = gnt_plot_block(o->p);
    for (size_t i = 0; i < o->n_row; i++)
        for (size_t c = 0; c < o->n_column; c++)
            mark_field(o, &o->field[i][c], LEFT + (double)c * WIDE, top - (double)(i + 1) * HIGH);
    dot(o, KEY_DOT, FOOT - 24 - NOTE, 0xb03000);
    gnt_plot_say(o->p,
                 "plot D index %d using 1:2 with lines lc rgb \"#d8d8d8\", "
                 "D index %d using 1:2:3 with points pt 7 ps 0.41 lc rgb variable\n",
                 borders, marks);
}

int gnt_plot_overview(const gnt_results *r, const char *folder, const char *name, int formats, int *drawn,
                      gnt_err *err) {
    overview *o = gnt_array(1, sizeof *o);
    gnt_plot p;
    *drawn = 0;
    if (!o)
        return gnt_fail(err, "%s: out of memory", name);
    *o = (overview){.r = r, .p = &p};
    find_names(o);
    if (o->n_row < FEW || o->n_column < FEW) {
        gnt_free(o);
        return 0;
    }
    find_fields(o);
    o->head = head_of(o);
    const double width = LEFT + (double)o->n_column * WIDE + RIGHT;
    gnt_plot_init(&p, folder, name, width < KEY ? KEY : width, o->head + (double)o->n_row * HIGH + FOOT);
    draw(o);
    const int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    gnt_free(o);
    return failed;
}
