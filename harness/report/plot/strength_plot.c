#include "report/plot/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "report/plot/plot_impl.h"
#include "judge/group_roles.h"

enum { MOST_ROWS = 8, MOST_COLUMNS = 6, MOST_TICKS = 7 };

/* A row of panels: one family of defenses, its strengths on one axis. */
typedef struct row {
    size_t family, defense; /* the first of the family that was swept names the axis */
    gnt_spread spread;
    double low, high;         /* of all strengths of the family */
    double left, right, none; /* ends of the axis and the place of no defense, on its scale */
} row;

typedef struct drawing {
    const gnt_results *r;
    const char *task;
    int64_t stage;
    const gnt_measure *m;
    row row[MOST_ROWS];
    size_t column[MOST_COLUMNS]; /* attacks */
    int n_row, n_column, has_none, has_matched, has_unmatched, has_floor;
    double y_low, y_high;
} drawing;

gnt_spread gnt_spread_of(const char *scale, double low, double high) {
    if (!strcmp(scale, "log") && low > 0)
        return GNT_SPREAD_LOG;
    if (!strcmp(scale, "complement") && high < 1)
        return GNT_SPREAD_TO_ONE;
    if (low > 0 && high >= 20 * low)
        return GNT_SPREAD_LOG;
    if (low >= 0 && high < 1 && 1 - low >= 20 * (1 - high))
        return GNT_SPREAD_TO_ONE;
    return GNT_SPREAD_PLAIN;
}

double gnt_spread_at(gnt_spread spread, double strength) {
    return spread == GNT_SPREAD_LOG      ? log10(strength)
           : spread == GNT_SPREAD_TO_ONE ? -log10(1 - strength)
                                         : strength;
}

static size_t defense_of(const gnt_results *r, const gnt_outcome *g) {
    size_t d = 0;
    while (d < r->n_defense && strcmp(r->defense[d], g->defense) != 0)
        d++;
    return d;
}

/* Returns the score of a group if it belongs into a panel; else NULL. */
static const gnt_score *number_here(const drawing *d, const gnt_outcome *g, const char *attack) {
    const gnt_score *s = gnt_score_find(g, d->m->name);
    int here = g->stage == d->stage && !strcmp(g->task, d->task) && g->status == GNT_CELL_OK &&
               (!attack || !strcmp(g->attack, attack)) && s && isfinite(s->stat.mean);
    return here && (g->mode == GNT_ROW_NONE || isfinite(g->strength)) ? s : NULL;
}

static void widen(double *low, double *high, double v) {
    if (!isfinite(v))
        return;
    *low = isnan(*low) ? v : fmin(*low, v);
    *high = isnan(*high) ? v : fmax(*high, v);
}

static void find_rows(drawing *d) {
    for (size_t i = 0; i < d->r->n_defense; i++)
        for (size_t k = 0; k < d->r->n_group; k++) {
            const gnt_outcome *g = &d->r->group[k];
            if (g->mode != GNT_ROW_SWEEP || strcmp(g->defense, d->r->defense[i]) != 0 ||
                !number_here(d, g, NULL))
                continue;
            int n = 0;
            while (n < d->n_row && d->row[n].family != d->r->about[i].family)
                n++;
            if (n == d->n_row && n < MOST_ROWS)
                d->row[d->n_row++] =
                    (row){.family = d->r->about[i].family, .defense = i, .low = NAN, .high = NAN};
        }
}

static row *row_of(drawing *d, const gnt_outcome *g) {
    size_t family = d->r->about[defense_of(d->r, g)].family;
    for (int i = 0; i < d->n_row; i++)
        if (d->row[i].family == family)
            return &d->row[i];
    return NULL;
}

static void survey(drawing *d) {
    d->y_low = d->y_high = NAN;
    for (size_t i = 0; i < d->r->n_group; i++) {
        const gnt_outcome *g = &d->r->group[i];
        const gnt_score *s = number_here(d, g, NULL);
        row *at = s && g->mode != GNT_ROW_NONE ? row_of(d, g) : NULL;
        if (!s || (!at && g->mode != GNT_ROW_NONE))
            continue;
        if (at)
            widen(&at->low, &at->high, g->strength);
        widen(&d->y_low, &d->y_high, s->stat.mean * d->m->scale);
        widen(&d->y_low, &d->y_high, s->stat.low * d->m->scale);
        widen(&d->y_low, &d->y_high, s->stat.high * d->m->scale);
        d->has_none |= g->mode == GNT_ROW_NONE;
        d->has_matched |= g->matched && g->mode == GNT_ROW_MATCHED;
        d->has_unmatched |=
            gnt_group_kind_of(g) == GNT_GROUP_UNMATCHED || gnt_group_kind_of(g) == GNT_GROUP_FIXED;
    }
    for (int i = 0; i < d->n_row; i++) {
        row *at = &d->row[i];
        at->spread = gnt_spread_of(d->r->about[at->defense].scale, at->low, at->high);
        double left = gnt_spread_at(at->spread, at->low), right = gnt_spread_at(at->spread, at->high);
        double span = right > left ? right - left : 1;
        at->none = left - 0.26 * span;
        at->left = left - (d->has_none ? 0.36 : 0.1) * span;
        at->right = right + 0.1 * span;
    }
}

/* Returns the baseline that leaks most, so that one broken line says where nothing is left to protect. */
static double floor_of(const drawing *d, const char *attack, const char **name) {
    double floor[GNT_FLOORS], chance;
    gnt_floors(d->r, d->task, d->stage, attack, d->m, floor, &chance);
    return gnt_highest_floor(d->m, floor, chance, name) * d->m->scale;
}

static void find_columns(drawing *d) {
    const char *name;
    for (size_t a = 0; a < d->r->n_attack && d->n_column < MOST_COLUMNS; a++) {
        int any = 0;
        for (size_t i = 0; i < d->r->n_group && !any; i++)
            any = d->r->group[i].mode == GNT_ROW_SWEEP &&
                  number_here(d, &d->r->group[i], d->r->attack[a]) != NULL;
        if (!any)
            continue;
        d->column[d->n_column++] = a;
        double floor = floor_of(d, d->r->attack[a], &name);
        d->has_floor |= isfinite(floor);
        widen(&d->y_low, &d->y_high, floor);
    }
    gnt_range(&d->y_low, &d->y_high, 0.09);
}

/* ---- drawing ---- */

/* Writes ticks at the strengths of the sweeps, the weakest and the strongest among them, as far as there
 * is room. */
static void say_ticks(gnt_plot *p, const drawing *d, const row *at) {
    double *strength = gnt_array(d->r->n_group + 1, sizeof *strength);
    size_t n = 0;
    for (size_t i = 0; strength && i < d->r->n_group; i++) {
        const gnt_outcome *g = &d->r->group[i];
        if (g->mode == GNT_ROW_SWEEP && number_here(d, g, NULL) &&
            d->r->about[defense_of(d->r, g)].family == at->family)
            strength[n++] = g->strength;
    }
    if (!strength)
        p->script.failed = 1;
    else
        gnt_sort_reals(strength, n);
    double apart = (at->right - at->left) / MOST_TICKS, last = -INFINITY, used = 0;
    gnt_plot_say(p, "set xtics (");
    if (d->has_none) {
        gnt_plot_say(p, "\"none\" %.9g", at->none);
        last = at->none;
        used = 1;
    }
    for (size_t i = 0; i < n; i++) {
        double x = gnt_spread_at(at->spread, strength[i]);
        double end = gnt_spread_at(at->spread, strength[n - 1]);
        if (x - last < apart || (x != end && end - x < apart))
            continue;
        gnt_plot_say(p, "%s\"%.4g\" %.9g", used ? ", " : "", strength[i], x);
        last = x;
        used = 1;
    }
    gnt_plot_say(p, ")\n");
    gnt_free(strength);
}

typedef struct point {
    double x, y, low, high;
} point;

static int by_x(const void *a, const void *b) {
    const double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

/* Collects the points of a defense (in the row's family) in a panel; `sweep`: those of its sweep. Returns
 * their number. */
static size_t collect(const drawing *d, const row *at, size_t defense, const char *attack, int sweep,
                      int matched, point *points) {
    size_t n = 0;
    for (size_t i = 0; i < d->r->n_group; i++) {
        const gnt_outcome *g = &d->r->group[i];
        const gnt_score *s = number_here(d, g, attack);
        if (!s || strcmp(g->defense, d->r->defense[defense]) != 0 || (g->mode == GNT_ROW_SWEEP) != sweep ||
            (!sweep && (g->mode == GNT_ROW_NONE || g->matched != matched)))
            continue;
        double k = d->m->scale, y = s->stat.mean * k;
        points[n++] =
            (point){gnt_spread_at(at->spread, g->strength), y, isfinite(s->stat.low) ? s->stat.low * k : y,
                    isfinite(s->stat.high) ? s->stat.high * k : y};
    }
    qsort(points, n, sizeof *points, by_x);
    return n;
}

static int block_of(gnt_plot *p, const point *points, size_t n) {
    int block = gnt_plot_block(p);
    for (size_t i = 0; i < n; i++)
        gnt_plot_row(p, (double[]){points[i].x, points[i].y, points[i].low, points[i].high}, 4);
    return block;
}

static void draw_curve(gnt_plot *p, const drawing *d, size_t defense, const point *points, size_t n) {
    unsigned colour = gnt_colour(d->r, defense);
    int block = block_of(p, points, n), shape = gnt_shape(d->r, defense, 1);
    gnt_plot_say(p,
                 ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#%06x\" lw 1 pt %d ps 0.1"
                 ", D index %d using 1:2 with linespoints lc rgb \"#%06x\" lw 1.8 pt %d ps 0.7",
                 block, colour, shape, block, colour, shape);
}

static void draw_singles(gnt_plot *p, const drawing *d, size_t defense, int matched, const point *points,
                         size_t n) {
    int block = block_of(p, points, n);
    gnt_plot_say(p,
                 ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#%06x\" lw 1.4 pt %d ps 0.1"
                 ", D index %d using 1:2 with points lc rgb \"#ffffff\" pt %d ps 1.75"
                 ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 2 pt %d ps 1.35",
                 block, gnt_colour(d->r, defense), gnt_shape(d->r, defense, 1), block,
                 gnt_shape(d->r, defense, 1), block, gnt_colour(d->r, defense),
                 gnt_shape(d->r, defense, matched));
}

/* Draws the family's curves first, so that its single points lie on them. */
static void draw_family(gnt_plot *p, const drawing *d, const row *at, const char *attack, point *points) {
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < d->r->n_defense; i++) {
            size_t n = d->r->about[i].family == at->family
                           ? collect(d, at, i, attack, pass == 0, pass == 2, points)
                           : 0;
            if (n > 0 && pass == 0)
                draw_curve(p, d, i, points, n);
            else if (n > 0)
                draw_singles(p, d, i, pass == 2, points, n);
        }
}

static void draw_none(gnt_plot *p, const drawing *d, const row *at, const char *attack) {
    for (size_t i = 0; i < d->r->n_group; i++) {
        const gnt_outcome *g = &d->r->group[i];
        const gnt_score *s = g->mode == GNT_ROW_NONE ? number_here(d, g, attack) : NULL;
        if (!s)
            continue;
        double k = d->m->scale, y = s->stat.mean * k;
        point one = {at->none, y, isfinite(s->stat.low) ? s->stat.low * k : y,
                     isfinite(s->stat.high) ? s->stat.high * k : y};
        int block = block_of(p, &one, 1);
        gnt_plot_say(p,
                     ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#000000\" lw 1.4 pt 3 ps 0.1"
                     ", D index %d using 1:2 with points lc rgb \"#000000\" lw 2 pt 3 ps 1.4",
                     block, block);
    }
}

static void axis_title(gnt_plot *p, const drawing *d, const row *at) {
    const gnt_about *about = &d->r->about[at->defense];
    const char *unit = about->unit;
    char *text = gnt_format("%s: %s%s%s%s", about->plugin, about->strength[0] ? about->strength : "strength",
                            unit[0] ? " (" : "", unit, unit[0] ? ")" : "");
    p->script.failed |= !text;
    if (text)
        gnt_plot_say(p, "set xlabel L[%d] noenhanced offset 0,0.3\n", gnt_plot_label(p, text, 44));
    gnt_free(text);
}

static void draw_panel(gnt_plot *p, const gnt_panels *grid, const drawing *d, int i, point *points) {
    const row *at = &d->row[i / grid->columns];
    const char *attack = d->r->attack[d->column[i % grid->columns]], *floor_name;
    double floor = floor_of(d, attack, &floor_name);
    gnt_plot_say(p, "reset\nset border 3 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb \"#333333\"\n"
                    "set grid lc rgb \"#e8e8e8\" lt 1 lw 1\nunset key\n");
    gnt_panel_begin(p, grid, i, attack);
    gnt_plot_say(p, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset ytics %.9g\n", at->left, at->right,
                 d->y_low, d->y_high, gnt_tick_step(d->y_low, d->y_high, 7));
    say_ticks(p, d, at);
    axis_title(p, d, at);
    if (gnt_panel_is_left(grid, i))
        gnt_plot_say(p, "set ylabel \"%s\" offset 0.8,0\n", d->m->axis);
    gnt_plot_say(p, "plot NaN");
    if (isfinite(floor)) {
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){at->left, floor}, 2);
        gnt_plot_row(p, (double[]){at->right, floor}, 2);
        gnt_plot_say(p, ", D index %d using 1:2 with lines lc rgb \"#666666\" lw 1.2 dt (7,6)", block);
    }
    draw_family(p, d, at, attack, points);
    draw_none(p, d, at, attack);
    gnt_plot_say(p, "\n");
}

/* Draws the key below the panels: words alone, as every panel names its defense. */
static void draw_key(gnt_plot *p, const drawing *d, double height) {
    static const char style[] = "left tc rgb \"#555555\" font SMALL";
    const char *name = "";
    if (d->n_column > 0)
        floor_of(d, d->r->attack[d->column[0]], &name);
    gnt_plot_strip(p, 0, height);
    gnt_plot_say(p, "set label 1 \"stronger to the right%s%s\" at 14,%.1f %s\n",
                 d->has_floor ? "; broken line: " : "", d->has_floor ? name : "", height - 10, style);
    gnt_plot_say(p, "set label 2 \"%s%s%s\" at 14,%.1f %s\nplot NaN\n", d->has_none ? "star: no defense" : "",
                 d->has_matched ? "  large: matched utility" : "",
                 d->has_unmatched ? "  hollow: not matched" : "", height - 10 - GNT_KEY_LINE, style);
}

int gnt_plot_strength(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err) {
    drawing d = {.r = r, .task = task, .stage = stage, .m = m};
    *drawn = 0;
    find_rows(&d);
    if (d.n_row == 0)
        return 0;
    survey(&d);
    find_columns(&d);
    point *points = gnt_array(r->n_group + 1, sizeof *points);
    if (!points)
        return gnt_fail(err, "%s: out of memory", name);
    double width, height;
    gnt_panels grid = gnt_panels_layout(d.n_row * d.n_column, d.n_column, 0, 48, &width, &height);
    gnt_plot p;
    gnt_plot_init(&p, folder, name, width, height);
    gnt_plot_say(&p, "set multiplot\n");
    for (int i = 0; i < grid.n; i++)
        draw_panel(&p, &grid, &d, i, points);
    draw_key(&p, &d, 44);
    gnt_plot_say(&p, "unset multiplot\n");
    int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    gnt_free(points);
    return failed;
}
