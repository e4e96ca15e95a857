/* Utility, and the facts that a suite names, against the strength of defenses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "metric/estimate.h"
#include "report/plot/plot_impl.h"
#include "report/plot/plots.h"
#include "judge/section.h"

enum { MOST_AXES = 8, MOST_VALUES = 2 + 4, MOST_TICKS = 7, KEY_LEFT = 14 };

/* A defense at a strength, over seeds. */
typedef struct point {
    double strength, mean, low, high;
} point;

/* Defenses whose strengths have one name and unit share an axis, whatever plugins they are. */
typedef struct axis {
    size_t defense; /* the first of them */
    gnt_spread spread;
    double low, high, left, right;
} axis;

typedef struct drawing {
    const gnt_results *r;
    const char *task;
    int64_t stage;
    /* names of what is drawn: the task's measure, the loss where it is another, then facts */
    const char *key[MOST_VALUES];
    int n_key, n_measures;
    axis at[MOST_AXES];
    int n_axis;
    /* what was undefended */
    point none[MOST_VALUES];
    double bottom[MOST_VALUES], top[MOST_VALUES];
    /* r->n_cell of each, to gather into */
    point *points;
    double *value;
    int64_t *seed;
} drawing;

/* ---- numbers ---- */

static int is_fact(const drawing *d, int key) {
    return key >= d->n_measures;
}

/* Returns the last value of a cell's training, or a fact of it; NAN if the file has none. *error: its
 * standard error. */
static double value_of(const drawing *d, const gnt_outcome *c, int key, double *error) {
    const gnt_rounds *list = &c->utility.by_round;
    *error = key == 0 ? c->utility.error : NAN;
    if (is_fact(d, key))
        return gnt_fact_of(c, d->key[key]);
    if (key == 0)
        return c->utility.value * gnt_utility_scale(d->key[0]);
    const gnt_utility other = gnt_utility_number(&c->utility, d->key[key]);
    const double last =
        list->n ? gnt_fields_real(&gnt_round_fields, &list->at[list->n - 1], d->key[key]) : NAN;
    *error = other.error;
    return gnt_utility_scale(d->key[key]) * (isnan(last) ? other.value : last);
}

static int is_here(const drawing *d, const gnt_outcome *c) {
    return gnt_is_at(c, d->task, d->stage) && isfinite(c->utility.value) &&
           (c->mode == GNT_ROW_NONE || isfinite(c->strength));
}

/* True for a training of the defense at the strength; a training whose attacks failed had its utility all the
 * same. strength NAN: of one without a defense. */
static int is_of(const drawing *d, const gnt_outcome *c, const char *defense, double strength) {
    return is_here(d, c) && (isnan(strength) ? c->mode == GNT_ROW_NONE
                                             : c->mode != GNT_ROW_NONE && c->strength == strength &&
                                                   !strcmp(c->defense, defense));
}

/* Gathers the utility of each seed once, whatever attacks its training run was used for. Returns the
 * number of seeds. */
static size_t gather(const drawing *d, const char *defense, double strength, int key, double *error) {
    size_t n = 0;
    for (size_t i = 0; i < d->r->n_cell; i++) {
        const gnt_outcome *c = &d->r->cell[i];
        size_t k = 0;
        double e = NAN;
        const double v = is_of(d, c, defense, strength) ? value_of(d, c, key, &e) : NAN;
        while (k < n && d->seed[k] != c->seed)
            k++;
        if (!isfinite(v) || k < n)
            continue;
        *error = e;
        d->value[n] = v;
        d->seed[n++] = c->seed;
    }
    return n;
}

static gnt_score_bounds bounds_of(const drawing *d, int key) {
    if (is_fact(d, key))
        return (gnt_score_bounds){-INFINITY, INFINITY};
    const char *name = d->key[key];
    return (gnt_score_bounds){0, !strcmp(name, "accuracy") ? 100 : !strcmp(name, "iou") ? 1 : INFINITY};
}

/* Makes a point with its interval, which is over seeds, or for one training run over the test samples.
 * Returns 0 if there is no number. */
static int make_point(const drawing *d, const char *defense, double strength, int key, point *out) {
    const gnt_score_bounds bounds = bounds_of(d, key);
    double error = NAN;
    gnt_estimate e;
    const size_t n = gather(d, defense, strength, key, &error);
    if (n == 0 || gnt_estimate_mean(&e, d->value, d->seed, n, bounds, NULL) != 0)
        return 0;
    const double half = 1.959964 * error * gnt_utility_scale(d->key[key]);
    *out = (point){strength, e.mean, e.low, e.high};
    if (n == 1 && isfinite(half)) {
        out->low = fmax(e.mean - half, bounds.least);
        out->high = fmin(e.mean + half, bounds.most);
    }
    return 1;
}

static int by_strength(const void *a, const void *b) {
    const double x = ((const point *)a)->strength, y = ((const point *)b)->strength;
    return (x > y) - (x < y);
}

/* Collects a defense's points, strengths rising. Returns their number. */
static size_t collect(const drawing *d, size_t defense, int key) {
    const char *name = d->r->defense[defense];
    size_t n = 0;
    for (size_t i = 0; i < d->r->n_cell; i++) {
        const gnt_outcome *c = &d->r->cell[i];
        size_t k = 0;
        if (!is_here(d, c) || c->mode == GNT_ROW_NONE || strcmp(c->defense, name) != 0)
            continue;
        while (k < n && d->points[k].strength != c->strength)
            k++;
        if (k == n && make_point(d, name, c->strength, key, &d->points[n]))
            n++;
    }
    if (n)
        qsort(d->points, n, sizeof *d->points, by_strength);
    return n;
}

/* ---- what is drawn ---- */

static int on_axis(const drawing *d, const axis *at, size_t defense) {
    const gnt_about *a = &d->r->about[at->defense], *b = &d->r->about[defense];
    return !strcmp(a->strength, b->strength) && !strcmp(a->unit, b->unit) && !strcmp(a->scale, b->scale);
}

static axis *axis_of(drawing *d, size_t defense) {
    for (int i = 0; i < d->n_axis; i++)
        if (on_axis(d, &d->at[i], defense))
            return &d->at[i];
    return NULL;
}

/* Makes an axis for each parameter that is the strength of a defense tried at two values or more. */
static void find_axes(drawing *d) {
    for (size_t i = 0; i < d->r->n_defense; i++)
        if (d->n_axis < MOST_AXES && !axis_of(d, i) && collect(d, i, 0) > 1)
            d->at[d->n_axis++] = (axis){.defense = i, .low = INFINITY, .high = -INFINITY};
}

static void widen(drawing *d, int key, const point *p) {
    d->bottom[key] = fmin(d->bottom[key], p->low);
    d->top[key] = fmax(d->top[key], p->high);
}

/* True if the values of `key` are known of any defense that is drawn. */
static int survey(drawing *d, int key) {
    int any = 0;
    d->bottom[key] = d->top[key] = NAN;
    if (make_point(d, "", NAN, key, &d->none[key]))
        widen(d, key, &d->none[key]);
    else
        d->none[key].mean = NAN;
    for (size_t i = 0; i < d->r->n_defense; i++) {
        axis *at = axis_of(d, i);
        const size_t n = at ? collect(d, i, key) : 0;
        for (size_t k = 0; k < n; k++) {
            at->low = fmin(at->low, d->points[k].strength);
            at->high = fmax(at->high, d->points[k].strength);
            widen(d, key, &d->points[k]);
            any = 1;
        }
    }
    return any;
}

static void spread_axes(drawing *d) {
    for (int i = 0; i < d->n_axis; i++) {
        axis *at = &d->at[i];
        at->spread = gnt_spread_of(d->r->about[at->defense].scale, at->low, at->high);
        at->left = gnt_spread_at(at->spread, at->low);
        at->right = gnt_spread_at(at->spread, at->high);
        const double room = 0.06 * (at->right > at->left ? at->right - at->left : 1);
        at->left -= room;
        at->right += room;
    }
}

/* Chooses the measure of the task, and below another the loss where it was measured. False if there is
 * nothing to draw. */
static int fill(drawing *d) {
    d->key[d->n_key++] = gnt_utility_measure(d->r, d->task);
    d->n_measures = 1;
    find_axes(d);
    if (d->n_axis == 0 || !survey(d, 0))
        return 0;
    d->key[1] = "loss";
    d->n_measures = 2;
    if (strcmp(d->key[0], "loss") != 0 && survey(d, 1))
        d->n_key++;
    d->n_measures = d->n_key;
    const gnt_texts facts = d->r->file->facts;
    for (size_t i = 0; i < facts.n && d->n_key < MOST_VALUES; i++) {
        d->key[d->n_key] = facts.at[i];
        d->n_key += survey(d, d->n_key);
    }
    spread_axes(d);
    return 1;
}

/* ---- how ---- */

/* Writes ticks at strengths that were tried, the weakest and the strongest among them, as far as there is
 * room. */
static void say_ticks(gnt_plot *p, const drawing *d, const axis *at) {
    size_t n = 0;
    for (size_t i = 0; i < d->r->n_defense; i++)
        for (size_t k = 0; on_axis(d, at, i) && k < d->r->n_cell; k++) {
            const gnt_outcome *c = &d->r->cell[k];
            if (is_here(d, c) && c->mode != GNT_ROW_NONE && !strcmp(c->defense, d->r->defense[i]))
                d->value[n++] = c->strength;
        }
    gnt_sort_reals(d->value, n);
    const double apart = (at->right - at->left) / MOST_TICKS, end = gnt_spread_at(at->spread, at->high);
    double last = -INFINITY;
    gnt_plot_say(p, "set xtics (");
    for (size_t i = 0; i < n; i++) {
        const double x = gnt_spread_at(at->spread, d->value[i]);
        if (x - last < apart || (x != end && end - x < apart))
            continue;
        gnt_plot_say(p, "%s\"%.4g\" %.9g", isfinite(last) ? ", " : "", d->value[i], x);
        last = x;
    }
    gnt_plot_say(p, ")\n");
}

static void say_range(gnt_plot *p, const drawing *d, int key) {
    double low = d->bottom[key], high = d->top[key];
    if (strcmp(d->key[key], "loss") == 0 && low > 0 && high > 20 * low) {
        gnt_plot_say(p, "set logscale y\nset yrange [%.9g:%.9g]\n", low / 1.2, high * 1.2);
        return;
    }
    gnt_range(&low, &high, 0.07);
    gnt_plot_say(p, "set yrange [%.9g:%.9g]\nset ytics %.9g\n", low, high, gnt_tick_step(low, high, 7));
}

static const char *title_of(const char *key) {
    return !strcmp(key, "loss")       ? "Loss on the test samples"
           : !strcmp(key, "accuracy") ? "Accuracy on the test samples (%)"
           : !strcmp(key, "iou")      ? "IoU on the test samples"
                                      : "Utility";
}

/* Returns the dashes of a defense, which distinguish defenses of one family: these have one colour. */
static const char *dashes_of(const drawing *d, size_t defense) {
    static const char *const dashes[] = {"1", "(9,5)", "(2,4)", "(9,4,2,4)"};
    return dashes[d->r->about[defense].sibling % 4];
}

/* Fits a straight line to n points by least squares, and writes it as two points at the ends of their
 * axis. */
static int fit_line(gnt_plot *p, const axis *at, const point *points, size_t n) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < n; k++) {
        x += gnt_spread_at(at->spread, points[k].strength) / (double)n;
        y += points[k].mean / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        const double apart = gnt_spread_at(at->spread, points[k].strength) - x;
        xx += apart * apart;
        xy += apart * points[k].mean;
    }
    const double slope = xx > 0 ? xy / xx : 0;
    const int block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){at->left, y + slope * (at->left - x)}, 2);
    gnt_plot_row(p, (double[]){at->right, y + slope * (at->right - x)}, 2);
    return block;
}

/* Returns how far a defense is shifted on its axis, so that whiskers at one strength do not overlap. */
static double shift_of(const drawing *d, const axis *at, size_t defense) {
    const double step = 0.008 * (at->right - at->left);
    double before = 0, all = 0;
    for (size_t i = 0; i < d->r->n_defense; i++) {
        const int drawn = on_axis(d, at, i) && collect(d, i, 0) > 0;
        all += drawn;
        before += drawn && i < defense;
    }
    return step * (before - (all - 1) / 2);
}

static void say_line(gnt_plot *p, const drawing *d, const axis *at, size_t defense, int key) {
    const double aside = shift_of(d, at, defense);
    const unsigned colour = gnt_colour(d->r, defense);
    const int shape = gnt_shape(d->r, defense, 1);
    const size_t n = collect(d, defense, key);
    if (n == 0)
        return;
    const int block = gnt_plot_block(p);
    for (size_t k = 0; k < n; k++) {
        const point *one = &d->points[k];
        const double x = gnt_spread_at(at->spread, one->strength) + aside;
        gnt_plot_row(p, (double[]){x, one->mean, one->low, one->high}, 4);
    }
    gnt_plot_say(p, ", D index %d using 1:2:3:4 with yerrorbars lc rgb \"#%06x\" lw 1 pt %d ps 0.1", block,
                 colour, shape);
    if (!is_fact(d, key)) {
        gnt_plot_say(p, ", D index %d using 1:2 with linespoints lc rgb \"#%06x\" lw 1.8 dt %s pt %d ps 0.8",
                     block, colour, dashes_of(d, defense), shape);
        return;
    }
    gnt_plot_say(p, ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 1.8 pt %d ps 0.8", block, colour,
                 shape);
    if (n > 1)
        gnt_plot_say(p, ", D index %d using 1:2 with lines lc rgb \"#%06x\" lw 1 dt %s",
                     fit_line(p, at, d->points, n), colour, dashes_of(d, defense));
}

static void say_none(gnt_plot *p, const drawing *d, const axis *at, int key) {
    if (!isfinite(d->none[key].mean))
        return;
    const int block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){at->left, d->none[key].mean}, 2);
    gnt_plot_row(p, (double[]){at->right, d->none[key].mean}, 2);
    gnt_plot_say(p, ", D index %d using 1:2 with lines lc rgb \"#000000\" lw 1.2 dt (7,6)", block);
}

static void axis_title(gnt_plot *p, const drawing *d, const axis *at) {
    const gnt_about *about = &d->r->about[at->defense];
    char *text = gnt_format("%s%s%s%s", about->strength[0] ? about->strength : "strength",
                            about->unit[0] ? " (" : "", about->unit, about->unit[0] ? ")" : "");
    p->script.failed |= !text;
    if (text)
        gnt_plot_say(p, "set xlabel L[%d] noenhanced offset 0,0.3\n", gnt_plot_label(p, text, 44));
    gnt_free(text);
}

static void draw_panel(gnt_plot *p, const gnt_panels *grid, const drawing *d, int i) {
    const int key = i % d->n_key;
    const axis *at = &d->at[i / d->n_key];
    gnt_plot_say(p, "reset\nset border 3 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb \"#333333\"\n"
                    "set grid lc rgb \"#e8e8e8\" lt 1 lw 1\nunset key\n");
    gnt_panel_begin(p, grid, i, is_fact(d, key) ? d->key[key] : title_of(d->key[key]));
    gnt_plot_say(p, "set xrange [%.9g:%.9g]\n", at->left, at->right);
    say_range(p, d, key);
    say_ticks(p, d, at);
    axis_title(p, d, at);
    gnt_plot_say(p, "plot NaN");
    say_none(p, d, at, key);
    for (size_t k = 0; k < d->r->n_defense; k++)
        if (on_axis(d, at, k))
            say_line(p, d, at, k, key);
    gnt_plot_say(p, "\n");
}

/* ---- the key ---- */

/* Lists the defenses that are drawn; names has room for all. Returns their number. */
static size_t key_names(drawing *d, const char **names, size_t *defense) {
    size_t n = 0;
    for (size_t i = 0; i < d->r->n_defense; i++)
        if (axis_of(d, i) && collect(d, i, 0) > 0) {
            names[n] = d->r->defense[i];
            defense[n++] = i;
        }
    return n;
}

static void draw_key(gnt_plot *p, const drawing *d, double height, const size_t *defense, size_t n,
                     int columns, double entry) {
    gnt_text plots;
    gnt_text_init(&plots, 1 << 20);
    gnt_plot_strip(p, 0, height);
    for (size_t i = 0; i < n; i++) {
        const double x = KEY_LEFT + (double)(i % (size_t)columns) * entry;
        const double y = height - 12 - (double)(i / (size_t)columns) * GNT_KEY_LINE;
        const int block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){x, y}, 2);
        gnt_plot_row(p, (double[]){x + 30, y}, 2);
        gnt_text_add(
            &plots, ", D index %d using 1:2 with linespoints lc rgb \"#%06x\" lw 1.8 dt %s pt %d ps 0.8",
            block, gnt_colour(d->r, defense[i]), dashes_of(d, defense[i]), gnt_shape(d->r, defense[i], 1));
        gnt_plot_say(p, "set label %zu L[%d] at %.1f,%.1f left noenhanced font SMALL\n", i + 1,
                     gnt_plot_label(p, d->r->defense[defense[i]], GNT_KEY_NAME), x + 40, y);
    }
    gnt_plot_say(
        p, "set label %zu \"%swhiskers: 95 %% interval%s\" at %d,12 left tc rgb \"#555555\" font SMALL\n",
        n + 1, isfinite(d->none[0].mean) ? "broken line: no defense; " : "",
        d->n_key > d->n_measures ? "; facts with their line of least squares" : "", KEY_LEFT);
    gnt_plot_say(p, "plot NaN");
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    p->script.failed |= plots.failed;
    gnt_text_free(&plots);
}

static int draw(drawing *d, const char *folder, const char *name, int formats, int *drawn, gnt_err *err) {
    const char **names = gnt_array(d->r->n_defense + 1, sizeof *names);
    size_t *defense = gnt_array(d->r->n_defense + 1, sizeof *defense);
    double width, height;
    gnt_plot p;
    if (!names || !defense) {
        gnt_free(names);
        gnt_free(defense);
        return gnt_fail(err, "%s: out of memory", name);
    }
    const size_t n = key_names(d, names, defense);
    const int panels = d->n_axis * d->n_key, columns_wanted = d->n_key > 1 ? d->n_key : 0;
    const double entry = gnt_key_entry(names, n);
    gnt_panels_layout(panels, columns_wanted, 0, 0, &width, &height);
    const int columns = (int)fmax(1, floor((width - KEY_LEFT) / entry));
    const double foot = 30 + ceil((double)n / columns) * GNT_KEY_LINE;
    const gnt_panels grid = gnt_panels_layout(panels, columns_wanted, 0, foot, &width, &height);
    gnt_plot_init(&p, folder, name, width, height);
    gnt_plot_say(&p, "set multiplot\n");
    for (int i = 0; i < grid.n; i++)
        draw_panel(&p, &grid, d, i);
    draw_key(&p, d, foot - 4, defense, n, columns, entry);
    gnt_plot_say(&p, "unset multiplot\n");
    const int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    gnt_free(names);
    gnt_free(defense);
    return failed;
}

int gnt_plot_utility(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                     const char *name, int formats, int *drawn, gnt_err *err) {
    drawing d = {.r = r,
                 .task = task,
                 .stage = stage,
                 .points = gnt_array(r->n_cell + 1, sizeof *d.points),
                 .value = gnt_array(r->n_cell + 1, sizeof *d.value),
                 .seed = gnt_array(r->n_cell + 1, sizeof *d.seed)};
    int failed = 0;
    *drawn = 0;
    if (!d.points || !d.value || !d.seed)
        failed = gnt_fail(err, "%s: out of memory", name);
    else if (fill(&d))
        failed = draw(&d, folder, name, formats, drawn, err);
    gnt_free(d.points);
    gnt_free(d.value);
    gnt_free(d.seed);
    return failed;
}

int gnt_utility_is_another(const gnt_results *r, const char *task, int64_t before, int64_t stage) {
    for (size_t i = 0; i < r->n_group; i++)
        for (size_t k = 0; gnt_is_at(&r->group[i], task, stage) && k < r->n_group; k++) {
            const gnt_outcome *a = &r->group[i], *b = &r->group[k];
            if (gnt_is_at(b, task, before) && a->mode == b->mode && !strcmp(a->defense, b->defense) &&
                !strcmp(a->attack, b->attack) &&
                (a->strength == b->strength || (isnan(a->strength) && isnan(b->strength))) &&
                isfinite(a->utility.value) && isfinite(b->utility.value) &&
                a->utility.value != b->utility.value)
                return 1;
        }
    return 0;
}
