#include "report/plot/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "metric/stats.h"
#include "report/plot/plot_impl.h"
#include "judge/convergence.h"
#include "judge/group_roles.h"

enum { MOST_PANELS = 24, MOST_CURVES = 4096, STEPS = 121 };

/* Why the curves of a defense end. */
typedef enum search_end { END_UNKNOWN, END_BUDGET, END_REST, END_DONE, ENDS } search_end;

static const int end_mark[ENDS] = {0, 8, 5, 7};

/* The best restart of one target in one cell. */
typedef struct curve {
    const gnt_costs *points;
    const gnt_outcome *cell;
    int64_t target;
    double last;
} curve;

typedef struct band {
    double step[STEPS], low[STEPS], middle[STEPS], high[STEPS];
    int n;
    unsigned colour;
    search_end end;
} band;

static size_t add_curve(curve *curves, size_t n, const curve *c) {
    for (size_t i = 0; i < n; i++)
        if (curves[i].cell == c->cell && curves[i].target == c->target) {
            if (c->last < curves[i].last)
                curves[i] = *c;
            return n;
        }
    if (n < MOST_CURVES)
        curves[n++] = *c;
    return n;
}

static size_t collect(const gnt_results *r, const gnt_outcome *group, curve *curves) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        for (size_t k = 0; c->status == GNT_CELL_OK && gnt_stands_for(c, group) && k < c->convergence.n;
             k++) {
            const gnt_restart *one = &c->convergence.at[k];
            if (one->points.n > 0)
                n = add_curve(curves, n,
                              &(curve){&one->points, c, one->target, one->points.at[one->points.n - 1].cost});
        }
    }
    return n;
}

/* Returns the cost that a curve has reached at a step: that of its last point not after it; NAN before its
 * first. */
static double cost_at(const gnt_costs *points, double step) {
    double found = NAN;
    for (size_t i = 0; i < points->n; i++)
        if ((double)points->at[i].step <= step)
            found = points->at[i].cost;
    return found;
}

static void add_step(const curve *curves, size_t n, double step, double *values, band *b) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        double v = cost_at(curves[i].points, step);
        if (isfinite(v))
            values[found++] = v;
    }
    gnt_sort_reals(values, found);
    b->step[b->n] = step;
    b->low[b->n] = found ? gnt_metric_quantile(values, found, 0.25) : NAN;
    b->middle[b->n] = found ? gnt_metric_quantile(values, found, 0.5) : NAN;
    b->high[b->n++] = found ? gnt_metric_quantile(values, found, 0.75) : NAN;
}

/* Computes a band over n curves, at the steps of the curve that ran longest, thinned to STEPS, its last
 * one included. */
static int make_band(const curve *curves, size_t n, double *values, band *b) {
    const gnt_costs *longest = NULL;
    double end = -INFINITY;
    b->n = 0;
    for (size_t i = 0; i < n; i++) {
        const gnt_costs *c = curves[i].points;
        if ((double)c->at[c->n - 1].step > end) {
            end = (double)c->at[c->n - 1].step;
            longest = c;
        }
    }
    for (size_t k = 0; longest && k + 1 < longest->n; k += longest->n / (STEPS - 1) + 1)
        add_step(curves, n, (double)longest->at[k].step, values, b);
    if (longest)
        add_step(curves, n, end, values, b);
    return b->n;
}

/* Returns the end of at least half of the targets' searches. */
static search_end end_of(const gnt_results *r, const gnt_outcome *group, const curve *curves, size_t n) {
    size_t long_enough = 0, done = 0;
    for (size_t i = 0; i < n; i++) {
        long_enough += curves[i].points->n >= GNT_CONVERGENCE_LEAST_POINTS;
        done += (size_t)gnt_convergence_is_done(curves[i].points);
    }
    return gnt_is_starved(r, group)                  ? END_BUDGET
           : n > 0 && 2 * done >= n                  ? END_DONE
           : long_enough > 0 && 2 * long_enough >= n ? END_REST
                                                     : END_UNKNOWN;
}

/* ---- drawing ---- */

typedef struct panel {
    const char *attack;
    band *band;           /* one for each defense; n 0: none */
    double end;           /* the last step of all bands */
    double least, lowest; /* the least positive cost, and the least of all */
    double most;
} panel;

static int fill_panel(const gnt_results *r, const char *task, int64_t stage, panel *a, curve *curves,
                      double *values) {
    int any = 0;
    a->end = 1;
    a->least = a->lowest = INFINITY;
    a->most = -INFINITY;
    for (size_t d = 0; d < r->n_defense; d++) {
        const gnt_outcome *g = gnt_representative(r, task, stage, r->defense[d], a->attack);
        if (!g)
            continue;
        a->band[d].colour = g->mode == GNT_ROW_NONE ? 0x000000 : gnt_colour(r, d);
        size_t n = collect(r, g, curves);
        any += make_band(curves, n, values, &a->band[d]);
        a->band[d].end = end_of(r, g, curves, n);
        for (int i = 0; i < a->band[d].n; i++) {
            const double costs[] = {a->band[d].low[i], a->band[d].middle[i], a->band[d].high[i]};
            for (int k = 0; k < 3; k++) {
                a->lowest = fmin(a->lowest, costs[k]);
                a->least = costs[k] > 0 ? fmin(a->least, costs[k]) : a->least;
                a->most = fmax(a->most, costs[k]);
            }
            a->end = fmax(a->end, a->band[d].step[i]);
        }
    }
    return any;
}

/* True if costs are on a logarithmic axis: unless they are negative by more than rounding. One minus a cosine
 * can end slightly below zero, which is drawn at the least positive cost. */
static int is_logarithmic(const panel *a) {
    return a->lowest > 0 || (a->least < a->most && a->lowest >= -1e-5 * a->most);
}

static double drawn_cost(const panel *a, double cost) {
    return is_logarithmic(a) && isfinite(cost) ? fmax(cost, a->least) : cost;
}

/* Sets the range of costs if they never change; else gnuplot chooses it. */
static void give_height(gnt_plot *p, const panel *a) {
    double low = drawn_cost(a, a->lowest), room = low != 0 ? fabs(low) / 10 : 1;
    if (isfinite(low) && low == a->most)
        gnt_plot_say(p, "set yrange [%.9g:%.9g]\n", low - room, low + room);
}

/* Returns the distance of ticks, a whole number of steps. */
static double step_ticks(double end) {
    double step = fmax(gnt_tick_step(0, end, 5), 1);
    return step == floor(step) ? step : 2 * step;
}

/* Draws a mark at the last step of each curve. */
static void draw_ends(gnt_plot *p, const gnt_results *r, const panel *a) {
    for (size_t d = 0; d < r->n_defense; d++) {
        const band *b = &a->band[d];
        if (b->n == 0 || b->end == END_UNKNOWN)
            continue;
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){b->step[b->n - 1], drawn_cost(a, b->middle[b->n - 1])}, 2);
        gnt_plot_say(p, ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 2 pt %d ps 0.9", block,
                     b->colour, end_mark[b->end]);
    }
}

static void draw_panel(gnt_plot *p, const gnt_panels *grid, const gnt_results *r, const panel *a, int i) {
    gnt_plot_say(p,
                 "reset\nset border 3 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb \"#333333\"\n"
                 "set grid lc rgb \"#e8e8e8\" lt 1 lw 1\nunset key\nset xrange [0:%.9g]\n"
                 "set xtics %.9g\n",
                 a->end, step_ticks(a->end));
    gnt_panel_begin(p, grid, i, a->attack);
    if (is_logarithmic(a))
        gnt_plot_say(p, "set logscale y\nset format y \"1e%%T\"\n");
    give_height(p, a);
    if (gnt_panel_is_bottom(grid, i))
        gnt_plot_say(p, "set xlabel \"step\" offset 0,0.3\n");
    if (gnt_panel_is_left(grid, i))
        gnt_plot_say(p, "set ylabel \"the attack's own cost\" offset 0.4,0\n");
    gnt_plot_say(p, "plot NaN");
    for (int line = 0; line < 2; line++) /* all bands below all lines */
        for (size_t d = 0; d < r->n_defense; d++) {
            const band *b = &a->band[d];
            unsigned colour = b->colour;
            if (b->n == 0)
                continue;
            int block = gnt_plot_block(p);
            for (int k = 0; k < b->n; k++)
                gnt_plot_row(p,
                             (double[]){b->step[k], drawn_cost(a, b->low[k]), drawn_cost(a, b->middle[k]),
                                        drawn_cost(a, b->high[k])},
                             4);
            if (line == 0)
                gnt_plot_say(p,
                             ", D index %d using 1:2:4 with filledcurves fc rgb \"#%06x\" fs transparent "
                             "solid 0.15 noborder",
                             block, colour);
            else
                gnt_plot_say(p, ", D index %d using 1:3 with lines lc rgb \"#%06x\" lw 2", block, b->colour);
        }
    draw_ends(p, r, a);
    gnt_plot_say(p, "\n");
}

static const band *drawn_band(const panel *panels, int n_panel, size_t defense) {
    for (int i = 0; i < n_panel; i++)
        if (panels[i].band[defense].n > 0)
            return &panels[i].band[defense];
    return NULL;
}

static int count_drawn(const gnt_results *r, const panel *panels, int n_panel) {
    int n = 0;
    for (size_t d = 0; d < r->n_defense; d++)
        n += drawn_band(panels, n_panel, d) != NULL;
    return n;
}

/* Draws the key of the marks at the ends of curves, in a line of its own. */
static void key_ends(gnt_plot *p, gnt_text *plots, int label) {
    static const struct {
        double x;
        const char *words;
    } key[ENDS] = {[END_BUDGET] = {20, "budget ended, not converged"},
                   [END_REST] = {246, "at rest"},
                   [END_DONE] = {320, "done: below a millionth of its first"}};
    for (int i = END_BUDGET; i < ENDS; i++) {
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){key[i].x, 12 + GNT_KEY_LINE}, 2);
        gnt_plot_say(p, "set label %d \"%s\" at %.1f,%d left tc rgb \"#555555\" font SMALL\n", label + i,
                     key[i].words, key[i].x + 12, 12 + GNT_KEY_LINE);
        gnt_text_add(plots, ", D index %d using 1:2 with points lc rgb \"#555555\" lw 2 pt %d ps 0.9", block,
                     end_mark[i]);
    }
}

static void draw_key(gnt_plot *p, const gnt_results *r, const panel *panels, int n_panel, double height,
                     int columns, double entry) {
    gnt_plot_strip(p, 0, height);
    gnt_text plots;
    gnt_text_init(&plots, 1 << 20);
    int n = 0;
    for (size_t d = 0; d < r->n_defense; d++) {
        const band *b = drawn_band(panels, n_panel, d);
        if (!b)
            continue;
        double x = 30 + (n % columns) * entry, y = height - 12 - (n / columns) * (double)GNT_KEY_LINE;
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){x - 16, y}, 2);
        gnt_plot_row(p, (double[]){x + 16, y}, 2);
        gnt_plot_say(p, "set label %d L[%d] at %.1f,%.1f left noenhanced font SMALL\n", ++n,
                     gnt_plot_label(p, r->defense[d], GNT_KEY_NAME), x + 24, y);
        gnt_text_add(&plots, ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw 2", block, b->colour);
    }
    gnt_plot_say(p,
                 "set label %d \"line: median over targets; band: middle half; mark: why the search ended\" "
                 "at 14,12 left tc rgb "
                 "\"#555555\" font SMALL\n",
                 n + 1);
    key_ends(p, &plots, n + 1);
    gnt_plot_say(p, "plot NaN");
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    gnt_text_free(&plots);
}

static int draw(const gnt_results *r, const panel *panels, int n, const char *folder, const char *name,
                int formats, int *drawn, gnt_err *err) {
    double width, height;
    gnt_plot p;
    gnt_panels grid = gnt_panels_layout(n, 0, 0, 0, &width, &height);
    double entry = gnt_key_entry(r->defense, r->n_defense);
    int columns = (int)((width - 14) / entry),
        lines = (count_drawn(r, panels, n) + columns - 1) / columns + 2;
    grid = gnt_panels_layout(n, 0, 0, 16 + lines * (double)GNT_KEY_LINE, &width, &height);
    gnt_plot_init(&p, folder, name, width, height);
    gnt_plot_say(&p, "set multiplot\n");
    for (int i = 0; i < n; i++)
        draw_panel(&p, &grid, r, &panels[i], i);
    draw_key(&p, r, panels, n, grid.foot - 4, columns, entry);
    gnt_plot_say(&p, "unset multiplot\n");
    int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    return failed;
}

int gnt_plot_convergence(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                         const char *name, int formats, int *drawn, gnt_err *err) {
    panel panels[MOST_PANELS];
    int n = 0, failed = 0;
    curve *curves = gnt_array(MOST_CURVES, sizeof *curves);
    double *values = gnt_array(MOST_CURVES, sizeof *values);
    *drawn = 0;
    if (!curves || !values)
        failed = gnt_fail(err, "%s: out of memory", name);
    for (size_t a = 0; a < r->n_attack && n < MOST_PANELS && !failed; a++) {
        panels[n] = (panel){.attack = r->attack[a], .band = gnt_array(r->n_defense + 1, sizeof(band))};
        if (!panels[n].band)
            failed = gnt_fail(err, "%s: out of memory", name);
        else if (fill_panel(r, task, stage, &panels[n], curves, values))
            n++;
        else
            gnt_free(panels[n].band);
    }
    if (!failed && n > 0)
        failed = draw(r, panels, n, folder, name, formats, drawn, err);
    for (int i = 0; i < n; i++)
        gnt_free(panels[i].band);
    gnt_free(curves);
    gnt_free(values);
    return failed;
}
