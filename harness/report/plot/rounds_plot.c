/* Utility of the model by round of the training, for tasks whose suite requests it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/plot/plot_impl.h"
#include "report/plot/plots.h"
#include "judge/group_roles.h"
#include "judge/section.h"

enum { PANELS = 2, WIDTH = 420, HEIGHT = 290, LEFT = 58, RIGHT = 20 };

/* After one round, over seeds. */
typedef struct point {
    double round, mean, low, high;
} point;

/* What a panel shows of one setting. */
typedef struct curve {
    point *at;
    size_t n;
} curve;

/* A defense at the strength that stands for it, or one strength of a defense that was only swept. */
typedef struct line {
    size_t defense;
    const gnt_outcome *group;
    int swept;
    /* one of each seed */
    const gnt_outcome **training;
    size_t n;
    curve curve[PANELS];
} line;

typedef struct drawing {
    const gnt_results *r;
    const char *measure;
    line *line;
    size_t n;
    /* names of the panels' values in the file, the task's measure first */
    const char *key[PANELS];
    int n_panel;
    double end;
} drawing;

/* ---- what is drawn ---- */

static int same_training(const gnt_outcome *a, const gnt_outcome *b) {
    return a->mode == b->mode && !strcmp(a->task, b->task) && !strcmp(a->defense, b->defense) &&
           (a->strength == b->strength || isnan(a->strength) || isnan(b->strength));
}

static int find_trainings(const gnt_results *r, line *l) {
    l->training = gnt_array(r->n_cell + 1, sizeof *l->training);
    for (size_t i = 0; l->training && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        size_t k = 0;
        if (!c->utility.by_round.at || !same_training(c, l->group))
            continue;
        while (k < l->n && l->training[k]->seed != c->seed)
            k++;
        if (k == l->n)
            l->training[l->n++] = c;
    }
    return l->training ? 0 : -1;
}

static double value_at(const gnt_outcome *training, int64_t round, const char *name) {
    const gnt_rounds *list = &training->utility.by_round;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].round == round)
            return gnt_fields_real(&gnt_round_fields, &list->at[i], name);
    return NAN;
}

/* Computes a curve at the rounds of the first training run; a seed that lacks one is left out of its mean. */
static int make_curve(const line *l, const char *key, curve *out) {
    const gnt_rounds list = l->n ? l->training[0]->utility.by_round : (gnt_rounds){0};
    out->at = gnt_array(list.n + 1, sizeof *out->at);
    for (size_t i = 0; out->at && i < list.n; i++) {
        const int64_t round = list.at[i].round;
        point p = {.round = (double)round, .low = INFINITY, .high = -INFINITY};
        size_t n = 0;
        for (size_t k = 0; k < l->n; k++) {
            const double v = value_at(l->training[k], round, key) * gnt_utility_scale(key);
            if (!isfinite(v))
                continue;
            p.mean += v;
            p.low = fmin(p.low, v);
            p.high = fmax(p.high, v);
            n++;
        }
        p.mean /= (double)n;
        if (n > 0)
            out->at[out->n++] = p;
    }
    return out->at ? 0 : -1;
}

static int add_line(drawing *d, size_t defense, const gnt_outcome *group, int swept) {
    line *l = &d->line[d->n];
    if (!group)
        return 0;
    *l = (line){.defense = defense, .group = group, .swept = swept};
    d->n++;
    return find_trainings(d->r, l);
}

static int find_lines(drawing *d, const char *task, int64_t stage) {
    const gnt_results *r = d->r;
    gnt_point *points = gnt_array(r->n_group + 1, sizeof *points);
    int rc = points && d->line ? 0 : -1;
    const size_t n = rc == 0 ? gnt_sweep_points(r, task, stage, points, r->n_group) : 0;
    for (size_t i = 0; rc == 0 && i < r->n_defense; i++) {
        const gnt_outcome *g = gnt_representative(r, task, stage, r->defense[i], NULL);
        rc = add_line(d, i, g, 0);
        for (size_t k = 0; rc == 0 && !g && k < n; k++)
            if (points[k].defense == i)
                rc = add_line(d, i, gnt_sweep_group(r, task, stage, &points[k], NULL), 1);
    }
    gnt_free(points);
    return rc;
}

static double last_of(const line *l) {
    return l->curve[0].n ? l->curve[0].at[l->curve[0].n - 1].mean : NAN;
}

/* Sorts the lines by their last value, the best first, and those without a training run last. */
static void sort_lines(drawing *d) {
    const int sign = gnt_utility_sign(d->measure);
    for (size_t i = 1; i < d->n; i++)
        for (size_t k = i; k > 0; k--) {
            const double a = sign * last_of(&d->line[k - 1]), b = sign * last_of(&d->line[k]);
            if (!(b > a || (isnan(a) && !isnan(b))))
                break;
            const line other = d->line[k];
            d->line[k] = d->line[k - 1];
            d->line[k - 1] = other;
        }
}

/* Fills the panels: the task's measure and, if it is not the loss, the loss below. Returns 1 if there is
 * anything to draw. */
static int fill(drawing *d, int *failed) {
    int any = 0;
    d->key[d->n_panel++] = d->measure;
    if (strcmp(d->measure, "loss") != 0)
        d->key[d->n_panel++] = "loss";
    for (size_t i = 0; i < d->n; i++) {
        line *l = &d->line[i];
        for (int k = 0; k < d->n_panel; k++)
            *failed |= make_curve(l, d->key[k], &l->curve[k]) != 0;
        if (l->curve[0].n > 0)
            d->end = fmax(d->end, l->curve[0].at[l->curve[0].n - 1].round);
        any |= l->curve[0].n > 1;
    }
    sort_lines(d);
    return any;
}

/* ---- how ---- */

static unsigned colour_of(const drawing *d, const line *l) {
    return l->group->mode == GNT_ROW_NONE ? 0x000000 : gnt_colour(d->r, l->defense);
}

static int shape_of(const drawing *d, const line *l) {
    return l->group->mode == GNT_ROW_NONE ? 3 : gnt_shape(d->r, l->defense, 1);
}

/* Returns the dashes of a line, which distinguish defenses of one family: these have one colour. */
static const char *dashes_of(const drawing *d, const line *l) {
    static const char *const dashes[] = {"1", "(9,5)", "(2,4)", "(9,4,2,4)"};
    return l->group->mode == GNT_ROW_NONE ? "1" : dashes[d->r->about[l->defense].sibling % 4];
}

static int is_logarithmic(double low, double high) {
    return low > 0 && high > 20 * low;
}

static void say_range(gnt_plot *p, const drawing *d, int panel) {
    double low = NAN, high = NAN;
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->line[i].curve[panel].n; k++) {
            low = fmin(low, d->line[i].curve[panel].at[k].low);
            high = fmax(high, d->line[i].curve[panel].at[k].high);
        }
    if (strcmp(d->key[panel], "loss") == 0 && is_logarithmic(low, high)) {
        gnt_plot_say(p, "set logscale y\nset yrange [%.9g:%.9g]\n", low / 1.2, high * 1.2);
        return;
    }
    gnt_range(&low, &high, 0.05);
    gnt_plot_say(p, "set yrange [%.9g:%.9g]\nset ytics %.9g\n", low, high, gnt_tick_step(low, high, 6));
}

static void say_line(gnt_plot *p, const drawing *d, const line *l, int panel) {
    const curve *c = &l->curve[panel];
    const unsigned colour = colour_of(d, l);
    if (c->n == 0)
        return;
    int block = gnt_plot_block(p);
    for (size_t k = 0; k < c->n; k++)
        gnt_plot_row(p, (double[]){c->at[k].round, c->at[k].mean, c->at[k].low, c->at[k].high}, 4);
    if (!l->swept && l->n > 1)
        gnt_plot_say(p,
                     ", D index %d using 1:3:4 with filledcurves fc rgb \"#%06x\" fs transparent solid 0.15 "
                     "noborder",
                     block, colour);
    gnt_plot_say(p, ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw %s dt %s", block, colour,
                 l->swept ? "1" : "2.2", dashes_of(d, l));
    block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){c->at[c->n - 1].round, c->at[c->n - 1].mean}, 2);
    gnt_plot_say(p, ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 2 pt %d ps 1", block, colour,
                 shape_of(d, l));
}

static const char *title_of(const char *key) {
    return strcmp(key, "loss") == 0  ? "Loss on the test samples"
           : strcmp(key, "iou") == 0 ? "IoU on the test samples"
                                     : "Accuracy on the test samples (%)";
}

static void draw_panel(gnt_plot *p, const gnt_panels *grid, const drawing *d, int panel) {
    const double step = fmax(gnt_tick_step(0, d->end, 6), 1);
    gnt_plot_say(p,
                 "reset\nset border 3 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb \"#333333\"\n"
                 "set grid lc rgb \"#e8e8e8\" lt 1 lw 1\nunset key\nset xrange [0:%.9g]\nset xtics %.9g\n",
                 d->end, step == floor(step) ? step : 2 * step);
    gnt_panel_begin(p, grid, panel, title_of(d->key[panel]));
    say_range(p, d, panel);
    if (gnt_panel_is_bottom(grid, panel))
        gnt_plot_say(p, "set xlabel \"round\" offset 0,0.3\n");
    gnt_plot_say(p, "plot NaN");
    for (size_t i = d->n; i-- > 0;) /* the best on top */
        say_line(p, d, &d->line[i], panel);
    gnt_plot_say(p, "\n");
}

/* Writes the name of a line: "none", or in a sweep "prune 0.9". */
static void name_of(const drawing *d, const line *l, gnt_text *out) {
    gnt_text_add(out, "%s", d->r->defense[l->defense]);
    if (l->swept && isfinite(l->group->strength))
        gnt_text_add(out, " %.4g", l->group->strength);
}

/* Draws a row of the key for each line, with its last value, the best first. */
static void draw_key(gnt_plot *p, const drawing *d, double height) {
    gnt_text plots, text;
    size_t row = 0;
    int label = 1;
    gnt_text_init(&plots, 1 << 20);
    gnt_plot_strip(p, 0, height);
    for (size_t i = 0; i < d->n; i++) {
        const line *l = &d->line[i];
        const double y = height - 12 - (double)row * GNT_KEY_LINE;
        if (l->curve[0].n == 0)
            continue;
        row++;
        int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){LEFT, y}, 2);
        gnt_plot_row(p, (double[]){LEFT + 36, y}, 2);
        gnt_text_add(&plots,
                     ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw %s dt %s, D index %d using 1:2 "
                     "every ::1 with points lc rgb \"#%06x\" lw 2 pt %d ps 1",
                     block, colour_of(d, l), l->swept ? "1" : "2.2", dashes_of(d, l), block, colour_of(d, l),
                     shape_of(d, l));
        gnt_text_init(&text, 1 << 16);
        name_of(d, l, &text);
        gnt_plot_say(p, "set label %d L[%d] at %d,%.1f left noenhanced font SMALL\n", label++,
                     gnt_plot_label(p, gnt_text_get(&text), GNT_KEY_NAME + 6), LEFT + 50, y);
        gnt_text_free(&text);
        gnt_text_init(&text, 1 << 16);
        gnt_utility_write(d->measure, last_of(l) / gnt_utility_scale(d->measure), &text);
        gnt_plot_say(p, "set label %d L[%d] at %d,%.1f right noenhanced font SMALL\n", label++,
                     gnt_plot_label(p, gnt_text_get(&text), GNT_KEY_NAME), WIDTH - RIGHT, y);
        gnt_text_free(&text);
    }
    gnt_plot_say(p,
                 "set label %d \"line: mean over seeds; band: all seeds; number: at the end\" at "
                 "14,12 left tc rgb \"#555555\" font SMALL\nplot NaN",
                 label);
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    p->script.failed |= plots.failed;
    gnt_text_free(&plots);
}

static int draw(const drawing *d, const char *folder, const char *name, int formats, int *drawn,
                gnt_err *err) {
    double width, height;
    size_t rows = 1;
    gnt_plot p;
    for (size_t i = 0; i < d->n; i++)
        rows += d->line[i].curve[0].n > 0;
    const double foot = 16 + (double)rows * GNT_KEY_LINE;
    gnt_panels grid = gnt_panels_layout(d->n_panel, 1, 0, foot, &width, &height);
    grid.width = WIDTH;
    grid.height = HEIGHT;
    grid.left = LEFT;
    grid.right = RIGHT;
    gnt_plot_init(&p, folder, name, WIDTH, d->n_panel * HEIGHT + foot);
    gnt_plot_say(&p, "set multiplot\n");
    for (int i = 0; i < d->n_panel; i++)
        draw_panel(&p, &grid, d, i);
    draw_key(&p, d, foot - 4);
    gnt_plot_say(&p, "unset multiplot\n");
    int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    return failed;
}

int gnt_plot_rounds(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                    const char *name, int formats, int *drawn, gnt_err *err) {
    drawing d = {.r = r,
                 .measure = gnt_utility_measure(r, task),
                 .line = gnt_array(r->n_group + r->n_defense + 1, sizeof *d.line),
                 .end = 1};
    int failed = find_lines(&d, task, stage) != 0, any = 0;
    *drawn = 0;
    if (!failed)
        any = fill(&d, &failed);
    if (failed)
        gnt_fail(err, "%s: out of memory", name);
    else if (any)
        failed = draw(&d, folder, name, formats, drawn, err);
    for (size_t i = 0; i < d.n; i++) {
        gnt_free(d.line[i].training);
        for (int k = 0; k < PANELS; k++)
            gnt_free(d.line[i].curve[k].at);
    }
    gnt_free(d.line);
    return failed;
}
