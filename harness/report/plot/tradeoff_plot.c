#include "report/plot/plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "match/pareto.h"
#include "render/escape.h"
#include "report/plot/place_impl.h"
#include "report/plot/plot_impl.h"
#include "judge/group_roles.h"
#include "judge/section.h"

enum { MOST_PANELS = 24 };

/* Measures of the first row: the one that is drawn, and what goes with it. */
enum { SHOWN, IDENTIFIED, SHOWN_MEASURES };

/* Level lines of a panel: the floors that say most, and chance. */
enum { LINE_RANDOM, LINE_MEAN, LINE_NEAREST, LINE_CHANCE, LINES };

/* A point of a panel, in the units that are drawn. */
typedef struct point {
    double x, y, x_low, x_high, y_low, y_high, strength;
    size_t defense;
    const char *attack;
    gnt_row_mode mode;
    gnt_group_kind kind;
} point;

/* The axis of leakage that panels of one measure share. */
typedef struct axis {
    const gnt_measure *m; /* NULL: not drawn */
    double sign;          /* +1 when more is better for the user */
    double low, high;
} axis;

typedef struct panel {
    /* NULL: the worst of all attacks */
    const char *attack;
    axis *y;
    point *point; /* of one array that all panels share */
    size_t n;
    double line[LINES]; /* NAN where none is known */
} panel;

typedef struct drawing {
    const gnt_results *r;
    const char *task;
    int64_t stage;
    axis y[SHOWN_MEASURES];
    double x_sign, x_scale; /* sign: +1 when more is better for the user */
    panel panel[MOST_PANELS];
    int n_panel, n_first; /* the first n_first are the worst of all attacks by each measure */
    double x_low, x_high;
    double target, tolerance; /* NAN when nothing was matched */
    double public_only;       /* utility of public data alone; NAN when unknown */
    int has_line[LINES], has_sweep, has_matched, has_unmatched;
} drawing;

static size_t defense_index(const gnt_results *r, const char *name) {
    size_t i = 0;
    while (i < r->n_defense && strcmp(r->defense[i], name))
        i++;
    return i;
}

static void widen(double *low, double *high, double v) {
    if (!isfinite(v))
        return;
    *low = isnan(*low) ? v : fmin(*low, v);
    *high = isnan(*high) ? v : fmax(*high, v);
}

static int by_defense_strength(const void *a, const void *b) {
    const point *p = a, *q = b;
    if (p->defense != q->defense)
        return p->defense < q->defense ? -1 : 1;
    if (p->strength != q->strength)
        return p->strength < q->strength ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static int same_setting(const point *p, const point *q) {
    return p->defense == q->defense && p->mode == q->mode && p->strength == q->strength;
}

static void find_lines(const drawing *d, panel *a) {
    double floor[GNT_FLOORS];
    gnt_floors(d->r, d->task, d->stage, a->attack, a->y->m, floor, &a->line[LINE_CHANCE]);
    a->line[LINE_RANDOM] = floor[GNT_FLOOR_RANDOM];
    a->line[LINE_MEAN] = floor[GNT_FLOOR_MEAN];
    a->line[LINE_NEAREST] = floor[GNT_FLOOR_NEAREST];
    for (int f = 0; f < LINES; f++)
        a->line[f] *= a->y->m->scale;
}

/* Adds a point to a panel; of those at one setting the one that leaks most stays. */
static void add_point(panel *a, const point *p) {
    size_t at = 0;
    while (at < a->n && !same_setting(p, &a->point[at]))
        at++;
    if (at == a->n)
        a->point[a->n++] = *p;
    else if (gnt_leaks_more(a->y->m, p->y, a->point[at].y))
        a->point[at] = *p;
}

/* Adds the points of an attack to a panel. */
static void add_attack(const drawing *d, panel *a, const char *attack) {
    const double k = a->y->m->scale;
    for (size_t i = 0; i < d->r->n_group; i++) {
        const gnt_outcome *g = &d->r->group[i];
        const gnt_score *s = gnt_number_of(g, a->y->m->name);
        if (!s || !gnt_is_at(g, d->task, d->stage) || strcmp(g->attack, attack) ||
            !isfinite(g->utility.value))
            continue;
        add_point(a, &(point){.x = g->utility.value * d->x_scale,
                              .y = s->stat.mean * k,
                              .x_low = g->utility.low * d->x_scale,
                              .x_high = g->utility.high * d->x_scale,
                              .y_low = s->stat.low * k,
                              .y_high = s->stat.high * k,
                              .strength = isnan(g->strength) ? 0 : g->strength,
                              .defense = defense_index(d->r, g->defense),
                              .attack = g->attack,
                              .mode = g->mode,
                              .kind = gnt_group_kind_of(g)});
    }
}

/* Collects a panel: of one attack, or for each defense and strength the attack that leaks most. Returns how
 * many points it has, which begin at `points`. */
static size_t collect(const drawing *d, panel *a, point *points) {
    a->point = points;
    for (size_t i = 0; i < d->r->n_attack; i++)
        if (!a->attack || a->attack == d->r->attack[i])
            add_attack(d, a, d->r->attack[i]);
    qsort(a->point, a->n, sizeof *a->point, by_defense_strength);
    find_lines(d, a);
    return a->n;
}

/* Surveys the panels: ranges, and which entries the key needs. */
static void survey(drawing *d) {
    d->x_low = d->x_high = NAN;
    for (int i = 0; i < SHOWN_MEASURES; i++)
        d->y[i].low = d->y[i].high = NAN;
    for (int i = 0; i < d->n_panel; i++) {
        const panel *a = &d->panel[i];
        axis *y = a->y;
        for (size_t k = 0; k < a->n; k++) {
            const point *p = &a->point[k];
            widen(&d->x_low, &d->x_high, p->x);
            widen(&y->low, &y->high, p->y);
            widen(&y->low, &y->high, p->y_low);
            widen(&y->low, &y->high, p->y_high);
            d->has_sweep |= p->mode == GNT_ROW_SWEEP;
            d->has_matched |= p->mode != GNT_ROW_SWEEP && p->kind == GNT_GROUP_MATCHED;
            d->has_unmatched |= p->mode != GNT_ROW_SWEEP && p->kind >= GNT_GROUP_UNMATCHED;
        }
        for (int f = 0; f < LINES; f++) {
            widen(&y->low, &y->high, a->line[f]);
            d->has_line[f] |= isfinite(a->line[f]);
        }
    }
    if (isfinite(d->target)) {
        widen(&d->x_low, &d->x_high, d->target - d->tolerance);
        widen(&d->x_low, &d->x_high, d->target + d->tolerance);
    }
    gnt_range(&d->x_low, &d->x_high, 0.07);
    /* so that noise in utility does not look like a difference: two points of accuracy, else two per cent */
    gnt_range_least(&d->x_low, &d->x_high,
                    d->x_scale == 100 ? 2 : 0.02 * fmax(fabs(d->x_low), fabs(d->x_high)));
    for (int i = 0; i < SHOWN_MEASURES; i++) {
        axis *y = &d->y[i];
        gnt_range(&y->low, &y->high, 0.07);
        *(y->sign > 0 ? &y->high : &y->low) += 0.07 * y->sign * (y->high - y->low); /* for "ideal" */
    }
}

static void find_target(drawing *d) {
    d->target = NAN;
    for (size_t i = 0; i < d->r->n_match && isnan(d->target); i++) {
        const gnt_match_row *m = &d->r->match[i];
        if (strcmp(m->task, d->task))
            continue;
        d->target = m->target * d->x_scale;
        d->tolerance = isfinite(m->tolerance) ? fabs(m->tolerance) * d->x_scale : 0;
    }
}

/* Gathers a panel for each attack and, before them, that of the worst case by each measure; a single attack
 * is its own worst case. `points` has room for three times the groups. */
static int gather(drawing *d, point *points) {
    for (int i = 0; i < SHOWN_MEASURES && d->y[i].m; i++) {
        d->panel[d->n_panel] = (panel){.y = &d->y[i]};
        points += collect(d, &d->panel[d->n_panel++], points);
    }
    d->n_first = d->n_panel;
    for (size_t a = 0; a < d->r->n_attack && d->n_panel < MOST_PANELS; a++) {
        panel *next = &d->panel[d->n_panel];
        *next = (panel){.attack = d->r->attack[a], .y = &d->y[SHOWN]};
        const size_t n = collect(d, next, points);
        points += n;
        d->n_panel += n > 0;
    }
    if (d->n_panel == d->n_first + 1) {
        d->n_panel = d->n_first;
        for (int i = 0; i < d->n_first; i++)
            d->panel[i].attack = d->panel[d->n_first].attack;
    }
    find_target(d);
    d->public_only = gnt_public_only_mean(gnt_facts_of(d->r, d->task)) * d->x_scale;
    survey(d);
    return d->n_panel > 0;
}

/* ---- one panel ---- */

/* Steps along the front: moving to more useful, the least leakage that still gives it. */
static int front_block(gnt_plot *p, const drawing *d, const panel *a) {
    int block = gnt_plot_block(p);
    size_t n = 0, *order = gnt_array(a->n, sizeof *order);
    gnt_match_tradeoff *points = gnt_array(a->n, sizeof *points);
    unsigned char *on_front = gnt_array(a->n, 1);
    for (size_t i = 0; points && i < a->n; i++)
        points[i] = (gnt_match_tradeoff){d->x_sign * a->point[i].x, -a->y->sign * a->point[i].y};
    if (!order || !points || !on_front || gnt_match_pareto(on_front, order, &n, points, a->n, NULL))
        p->data.failed = 1;
    double x = d->x_sign > 0 ? d->x_low : d->x_high;
    for (size_t i = 0; i < n; i++) {
        const point *next = &a->point[order[i]];
        gnt_plot_row(p, (double[]){x, next->y}, 2);
        gnt_plot_row(p, (double[]){next->x, next->y}, 2);
        x = next->x;
    }
    gnt_plot_row(p, (double[]){x, a->y->sign > 0 ? a->y->low : a->y->high}, 2);
    gnt_free(order);
    gnt_free(points);
    gnt_free(on_front);
    return block;
}

static int kind_of(const point *q) {
    return q->mode == GNT_ROW_SWEEP          ? 's'
           : q->kind == GNT_GROUP_UNDEFENDED ? 'n'
           : q->kind == GNT_GROUP_MATCHED    ? 'm'
                                             : 'u';
}

static int points_block(gnt_plot *p, const panel *a, size_t defense, int want, int *n) {
    int block = gnt_plot_block(p);
    *n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const point *q = &a->point[i];
        if (q->defense != defense || kind_of(q) != want)
            continue;
        gnt_plot_row(p,
                     (double[]){q->x, q->y, isfinite(q->y_low) ? q->y_low : q->y,
                                isfinite(q->y_high) ? q->y_high : q->y},
                     4);
        ++*n;
    }
    if (*n == 0)
        gnt_plot_row(p, (double[]){NAN, NAN, NAN, NAN}, 4);
    return block;
}

/* Writes the block of a sweep's line, which runs through the defense's matched point too, in the order of
 * strengths. */
static int curve_block(gnt_plot *p, const panel *a, size_t defense) {
    int block = gnt_plot_block(p);
    for (size_t i = 0; i < a->n; i++) {
        const point *q = &a->point[i];
        if (q->defense == defense && kind_of(q) != 'n')
            gnt_plot_row(p, (double[]){q->x, q->y}, 2);
    }
    return block;
}

static void draw_points(gnt_plot *p, const gnt_results *r, const panel *a) {
    size_t n_defense = r->n_defense;
    int n;
    for (size_t i = 0; i < n_defense; i++) {
        unsigned colour = gnt_colour(r, i);
        int block = points_block(p, a, i, 's', &n);
        if (n > 0)
            gnt_plot_say(p,
                         ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw 1.8"
                         ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#%06x\" lw 1 pt %d ps 0.1"
                         ", D index %d using 1:2 with points lc rgb \"#%06x\" pt %d ps 0.7",
                         curve_block(p, a, i), colour, block, colour, gnt_shape(r, i, 1), block, colour,
                         gnt_shape(r, i, 1));
    }
    for (size_t i = 0; i < n_defense; i++) {
        unsigned colour = gnt_colour(r, i);
        int block = points_block(p, a, i, 'm', &n);
        if (n > 0)
            gnt_plot_say(p,
                         ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#%06x\" lw 1.4 pt %d ps 0.1"
                         ", D index %d using 1:2 with points lc rgb \"#ffffff\" pt %d ps 1.75"
                         ", D index %d using 1:2 with points lc rgb \"#%06x\" pt %d ps 1.35",
                         block, colour, gnt_shape(r, i, 1), block, gnt_shape(r, i, 1), block, colour,
                         gnt_shape(r, i, 1));
        block = points_block(p, a, i, 'u', &n);
        if (n > 0)
            gnt_plot_say(p,
                         ", D index %d using 1:2 with points lc rgb \"#ffffff\" pt %d ps 1.35"
                         ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 2 pt %d ps 1.35",
                         block, gnt_shape(r, i, 1), block, colour, gnt_shape(r, i, 0));
        block = points_block(p, a, i, 'n', &n);
        if (n > 0)
            gnt_plot_say(p,
                         ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#000000\" lw 1.4 pt 3 ps 0.1"
                         ", D index %d using 1:2 with points lc rgb \"#000000\" lw 2 pt 3 ps 1.6",
                         block, block);
    }
}

static const char *const line_dash[LINES] = {"(2,5)", "(7,6)", "(12,6,1,6)", "(3,6)"};
static const char *const line_title[LINES] = {"baseline: random guess", "baseline: mean image",
                                              "baseline: nearest public", "chance"};

static void draw_lines(gnt_plot *p, const drawing *d, const panel *a) {
    for (int f = 0; f < LINES; f++) {
        if (!isfinite(a->line[f]))
            continue;
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){d->x_low, a->line[f]}, 2);
        gnt_plot_row(p, (double[]){d->x_high, a->line[f]}, 2);
        gnt_plot_say(p, ", D index %d using 1:2 with lines lc rgb \"#666666\" lw 1.2 dt %s", block,
                     line_dash[f]);
    }
}

/* Draws the utility of public data alone: a defense at this line protects data that were not used. Beyond the
 * range it is far from all that is drawn, and left out. */
static void draw_public_only(gnt_plot *p, const drawing *d) {
    if (!(d->public_only >= d->x_low && d->public_only <= d->x_high))
        return;
    gnt_plot_say(
        p,
        "set arrow 1 from first %.9g,graph 0 to first %.9g,graph 1 nohead back lc rgb \"#8a5a00\" lw 1.6 dt "
        "(6,4)\n"
        "set label 2 \"public data alone\" at first %.9g,graph 0.97 right rotate by 90 offset -1.1,0 tc rgb "
        "\"#8a5a00\" font TINY\n",
        d->public_only, d->public_only, d->public_only);
}

/* True if a point needs a name: one of a sweep only if another attack leaks most there than at the point
 * before it. */
static int wants_name(const panel *a, size_t i) {
    const point *q = &a->point[i];
    for (size_t k = i; kind_of(q) == 's' && k-- > 0;)
        if (a->point[k].defense == q->defense && kind_of(&a->point[k]) == 's')
            return strcmp(a->point[k].attack, q->attack) != 0;
    return 1;
}

/* Names the attack at each point that has room for it; single points first. */
static void name_attacks(gnt_plot *p, const gnt_panels *grid, const drawing *d, const panel *a) {
    const double wide = grid->width - grid->left - grid->right,
                 high = grid->height - grid->top - grid->bottom;
    const gnt_box within = {0, wide + grid->right - 2, 0, high};
    gnt_box *taken = gnt_array(2 * a->n + 1, sizeof *taken);
    size_t n = 0;
    p->script.failed |= !taken;
    for (size_t i = 0; taken && i < a->n; i++) {
        double x = (a->point[i].x - d->x_low) / (d->x_high - d->x_low) * wide;
        double y = (a->point[i].y - a->y->low) / (a->y->high - a->y->low) * high;
        taken[n++] = (gnt_box){x - 7, x + 7, y - 7, y + 7};
    }
    for (int sweeps = 0; taken && sweeps < 2; sweeps++)
        for (size_t i = 0; i < a->n; i++) {
            if ((kind_of(&a->point[i]) == 's') != sweeps || !wants_name(a, i))
                continue;
            const double x = (taken[i].left + taken[i].right) / 2, y = (taken[i].bottom + taken[i].top) / 2;
            const size_t letters = gnt_text_width(a->point[i].attack);
            gnt_box box;
            if (!gnt_place(taken, n, &within, x, y, 5.2 * (double)(letters < 26 ? letters : 26), 12, &box))
                continue;
            taken[n++] = box;
            gnt_plot_say(
                p,
                "set label %zu L[%d] at graph %.4f,%.4f center noenhanced front tc rgb \"#333333\" font "
                "TINY\n",
                n + 2, gnt_plot_label(p, a->point[i].attack, 26), (box.left + box.right) / 2 / wide,
                (box.bottom + box.top) / 2 / high);
        }
    gnt_free(taken);
}

/* Writes the words of both axes, with where to go on them. */
static void axis_words(const drawing *d, const axis *of, char x[160], char y[160]) {
    const char *measure = gnt_utility_measure(d->r, d->task);
    const char *title = !strcmp(measure, "accuracy") ? "test accuracy (%)"
                        : !strcmp(measure, "loss")   ? "test loss"
                        : !strcmp(measure, "iou")    ? "test IoU"
                                                     : "utility";
    snprintf(x, 160, d->x_sign > 0 ? "%s — more useful →" : "← more useful — %s", title);
    snprintf(y, 160, of->sign > 0 ? "%s → more private" : "more private ← %s", of->m->axis);
}

/* Draws a panel at place i of a grid. */
static void draw_panel(gnt_plot *p, const gnt_panels *grid, int i, const drawing *d, const panel *a) {
    const axis *y = a->y;
    char x_label[160], y_label[160];
    axis_words(d, y, x_label, y_label);
    gnt_plot_say(p, "reset\nset border 3 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb \"#333333\"\n"
                    "set grid lc rgb \"#e8e8e8\" lt 1 lw 1\nunset key\n");
    gnt_panel_begin(p, grid, i, a->attack ? a->attack : "worst of all attacks");
    gnt_plot_say(p, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", d->x_low, d->x_high, y->low, y->high);
    gnt_plot_say(p, "set xtics %.9g\nset ytics %.9g\n", gnt_tick_step(d->x_low, d->x_high, 5),
                 gnt_tick_step(y->low, y->high, 7));
    if (gnt_panel_is_bottom(grid, i))
        gnt_plot_say(p, "set xlabel \"%s\" offset 0,0.3\n", x_label);
    if (gnt_panel_is_left(grid, i) || y != d->panel[0].y)
        gnt_plot_say(p, "set ylabel \"%s\" offset 0.8,0\n", y_label);
    if (isfinite(d->target))
        gnt_plot_say(p,
                     "set object 1 rectangle from first %.9g,graph 0 to first %.9g,graph 1 fc rgb "
                     "\"#fff3c4\" fs solid "
                     "noborder behind\n",
                     fmax(d->x_low, d->target - d->tolerance), fmin(d->x_high, d->target + d->tolerance));
    draw_public_only(p, d);
    gnt_plot_say(p, "set label 1 \"ideal\" at graph %s,%s %s tc rgb \"#888888\" font TINY\n",
                 d->x_sign > 0 ? "0.985" : "0.015", y->sign > 0 ? "0.95" : "0.04",
                 d->x_sign > 0 ? "right" : "left");
    if (!a->attack)
        name_attacks(p, grid, d, a);
    gnt_plot_say(p, "plot D index %d using 1:2 with lines lc rgb \"#bdbdbd\" lw 4", front_block(p, d, a));
    draw_lines(p, d, a);
    draw_points(p, d->r, a);
    gnt_plot_say(p, "\n");
}

/* ---- the key ---- */

typedef struct key {
    gnt_plot *p;
    double height, entry;
    int columns, n;
} key;

static void key_place(key *k, double *x, double *y) {
    *x = 30 + (k->n % k->columns) * k->entry;
    *y = k->height - 12 - (k->n / k->columns) * (double)GNT_KEY_LINE;
    k->n++;
}

static void key_text(key *k, double x, double y, const char *text) {
    gnt_plot_say(k->p, "set label %d \"%s\" at %.1f,%.1f left font SMALL\n", k->n, text, x + 24, y);
}

static int key_point(key *k, double x, double y) {
    int block = gnt_plot_block(k->p);
    gnt_plot_row(k->p, (double[]){x, y}, 2);
    return block;
}

static int key_line(key *k, double x, double y) {
    int block = gnt_plot_block(k->p);
    gnt_plot_row(k->p, (double[]){x - 16, y}, 2);
    gnt_plot_row(k->p, (double[]){x + 16, y}, 2);
    return block;
}

/* How a defense is drawn: bits of these, 0 when it is in no panel. */
enum { DRAWN_NONE = 1, DRAWN_POINT = 2, DRAWN_SWEEP = 4 };

static int how_drawn(const drawing *d, size_t defense) {
    int how = 0;
    for (int i = 0; i < d->n_panel; i++)
        for (size_t k = 0; k < d->panel[i].n; k++) {
            const point *q = &d->panel[i].point[k];
            if (q->defense == defense)
                how |= q->mode == GNT_ROW_SWEEP          ? DRAWN_SWEEP
                       : q->kind == GNT_GROUP_UNDEFENDED ? DRAWN_NONE
                                                         : DRAWN_POINT;
        }
    return how;
}

static int key_entries(const drawing *d) {
    int n = 1 + d->has_matched + d->has_unmatched + isfinite(d->target);
    for (size_t i = 0; i < d->r->n_defense; i++)
        n += how_drawn(d, i) != 0;
    for (int f = 0; f < LINES; f++)
        n += d->has_line[f];
    return n;
}

static void key_defenses(key *k, const drawing *d, gnt_text *plots) {
    double x, y;
    for (size_t i = 0; i < d->r->n_defense; i++) {
        int how = how_drawn(d, i);
        if (!how)
            continue;
        key_place(k, &x, &y);
        gnt_plot_say(k->p, "set label %d L[%d] at %.1f,%.1f left noenhanced font SMALL\n", k->n,
                     gnt_plot_label(k->p, d->r->defense[i], GNT_KEY_NAME), x + 24, y);
        unsigned colour = gnt_colour(d->r, i);
        if (how & DRAWN_SWEEP)
            gnt_text_add(plots, ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw 1.8",
                         key_line(k, x, y), colour);
        if (how & DRAWN_NONE)
            gnt_text_add(plots, ", D index %d using 1:2 with points lc rgb \"#000000\" lw 2 pt 3 ps 1.6",
                         key_point(k, x, y));
        else
            gnt_text_add(plots, ", D index %d using 1:2 with points lc rgb \"#%06x\" pt %d ps %s",
                         key_point(k, x, y), colour, gnt_shape(d->r, i, 1),
                         how & DRAWN_POINT ? "1.35" : "0.55");
    }
}

static void key_signs(key *k, const drawing *d, gnt_text *plots) {
    double x, y;
    if (d->has_matched) {
        key_place(k, &x, &y);
        key_text(k, x, y, "filled: matched utility");
        gnt_text_add(plots, ", D index %d using 1:2 with points lc rgb \"#333333\" pt 7 ps 1.35",
                     key_point(k, x, y));
    }
    if (d->has_unmatched) {
        key_place(k, &x, &y);
        key_text(k, x, y, "hollow: not matched");
        gnt_text_add(plots, ", D index %d using 1:2 with points lc rgb \"#333333\" lw 2 pt 6 ps 1.35",
                     key_point(k, x, y));
    }
    if (isfinite(d->target)) {
        key_place(k, &x, &y);
        key_text(k, x, y, "target utility");
        gnt_plot_say(
            k->p, "set object 1 rectangle from %.1f,%.1f to %.1f,%.1f fc rgb \"#fff3c4\" fs solid noborder\n",
            x - 16, y - 8, x + 16, y + 8);
    }
    key_place(k, &x, &y);
    key_text(k, x, y, "Pareto front");
    gnt_text_add(plots, ", D index %d using 1:2 with lines lc rgb \"#bdbdbd\" lw 4", key_line(k, x, y));
    for (int f = 0; f < LINES; f++) {
        if (!d->has_line[f])
            continue;
        key_place(k, &x, &y);
        key_text(k, x, y, line_title[f]);
        gnt_text_add(plots, ", D index %d using 1:2 with lines lc rgb \"#666666\" lw 1.2 dt %s",
                     key_line(k, x, y), line_dash[f]);
    }
}

static void draw_key(gnt_plot *p, const drawing *d, double height, int columns, double entry) {
    key k = {.p = p, .height = height, .columns = columns, .entry = entry};
    gnt_text plots;
    gnt_text_init(&plots, 1 << 20);
    gnt_plot_strip(p, 0, height);
    key_defenses(&k, d, &plots);
    key_signs(&k, d, &plots);
    gnt_text_bytes(&p->script, "plot NaN", 8);
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    p->script.failed |= plots.failed;
    gnt_text_free(&plots);
}

int gnt_tradeoff_points(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m) {
    const gnt_outcome *first = NULL;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        const gnt_score *s = gnt_score_find(g, m->name);
        if (g->stage != stage || strcmp(g->task, task) || g->status != GNT_CELL_OK || !s ||
            !isfinite(s->stat.mean) || !isfinite(g->utility.value))
            continue;
        int same = first && !strcmp(g->defense, first->defense) && g->mode == first->mode &&
                   (g->mode != GNT_ROW_SWEEP || g->strength == first->strength);
        if (first && !same)
            return 2;
        first = g;
    }
    return first != NULL;
}

/* Returns the identification rate if some group has it and `m` is the measure that it is shown with; else
 * NULL. */
static const gnt_measure *identification_of(const drawing *d, const gnt_measure *m) {
    for (size_t i = 0; i < d->r->n_group; i++)
        if (gnt_is_at(&d->r->group[i], d->task, d->stage) && gnt_identified(&d->r->group[i], m))
            return gnt_measure_of(GNT_MEASURE_IDENTIFICATION);
    return NULL;
}

/* Computes the grids of the first row and of what is below it, which has its height above it; all panels are
 * in the first where it is not two measures wide. */
static void lay_out(const drawing *d, double foot, gnt_panels grid[2], double *width, double *height) {
    const int below = d->n_first > 1 ? d->n_panel - d->n_first : 0;
    /* three in a row would be too small on a narrow page */
    const int columns = (below ? below : d->n_panel) <= 4 && d->n_panel > 1 ? 2 : 0;
    grid[0] = gnt_panels_layout(d->n_panel - below, columns, 0, foot, width, height);
    if (!below)
        return;
    grid[0] = gnt_panels_layout(d->n_first, d->n_first, 0, 0, width, height);
    grid[1] = gnt_panels_layout(below, columns, *height, foot, width, height);
    grid[0].width = *width / grid[0].columns;
}

int gnt_plot_tradeoff(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err) {
    const char *utility = gnt_utility_measure(r, task);
    drawing d = {.r = r, .task = task, .stage = stage};
    d.x_sign = gnt_utility_sign(utility);
    d.x_scale = gnt_utility_scale(utility);
    d.y[SHOWN].m = m;
    d.y[IDENTIFIED].m = identification_of(&d, m);
    for (int i = 0; i < SHOWN_MEASURES && d.y[i].m; i++)
        d.y[i].sign = -d.y[i].m->leak;
    *drawn = 0;
    if (gnt_tradeoff_points(r, task, stage, m) < 2)
        return 0;
    point *points = gnt_array(3 * r->n_group + 1, sizeof *points);
    if (!points)
        return gnt_fail(err, "%s: out of memory", name);
    if (!gather(&d, points)) {
        gnt_free(points);
        return 0;
    }
    double width, height;
    gnt_panels grid[2];
    lay_out(&d, 0, grid, &width, &height);
    const double entry = gnt_key_entry(r->defense, r->n_defense);
    const int columns = (int)((width - 14) / entry), lines = (key_entries(&d) + columns - 1) / columns;
    const double foot = 16 + lines * (double)GNT_KEY_LINE;
    lay_out(&d, foot, grid, &width, &height);
    gnt_plot p;
    gnt_plot_init(&p, folder, name, width, height);
    gnt_plot_say(&p, "set multiplot\n");
    for (int i = 0; i < d.n_panel; i++) {
        const int below = i >= grid[0].n;
        draw_panel(&p, &grid[below], below ? i - grid[0].n : i, &d, &d.panel[i]);
    }
    draw_key(&p, &d, foot - 4, columns, entry);
    gnt_plot_say(&p, "unset multiplot\n");
    int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    gnt_free(points);
    return failed;
}
