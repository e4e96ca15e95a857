#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "metric/embedding.h"
#include "report/plot/plot_impl.h"
#include "report/plot/plots.h"
#include "render/escape.h"
#include "judge/section.h"

enum { MOST_COLUMNS = 12, IN_ROW = 6, MOST_VALUES = 10, SIDE = 250, FOOT = 62 };

/* Two panels, one above the other. */
typedef struct column {
    const gnt_outcome *cell;
    const gnt_plane *plane; /* of the cell's representation, or of the samples themselves */
    const gnt_xys *xy[2];   /* of the panels: a point for each of the cell's values */
} column;

typedef struct drawing {
    const gnt_results *r;
    const char *task;
    column at[MOST_COLUMNS];
    int n;
    int64_t values;
} drawing;

/* ---- which points ---- */

static int is_drawable(const gnt_points *of, const gnt_xys *xy) {
    for (size_t i = 0; i < xy->n; i++)
        if (!(fabs(xy->at[i].x) <= 1 && fabs(xy->at[i].y) <= 1))
            return 0;
    return xy->n == of->value.n;
}

/* Leaves out a plane that cannot be drawn: the file is not trusted. */
static void add_column(drawing *d, const gnt_outcome *cell, const gnt_plane *plane) {
    const gnt_points *of = cell->points;
    if (d->n == MOST_COLUMNS || !plane || of->value.n < 2 || of->value.n > GNT_EMBEDDING_MOST ||
        !is_drawable(of, &plane->components) || !is_drawable(of, &plane->neighbours))
        return;
    int64_t values = d->values;
    for (size_t i = 0; i < of->value.n; i++) {
        if (of->value.at[i] < 0 || of->value.at[i] >= MOST_VALUES)
            return;
        values = of->value.at[i] >= values ? of->value.at[i] + 1 : values;
    }
    d->values = values;
    d->at[d->n++] = (column){cell, plane, {&plane->components, &plane->neighbours}};
}

/* Returns the cell of a defense at its strength of the matrix, else at the last of its sweep. */
static const gnt_outcome *cell_of(const gnt_results *r, const char *task, int64_t stage,
                                  const char *defense) {
    const gnt_outcome *found = NULL;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (!c->points || !gnt_is_at(c, task, stage) || strcmp(c->defense, defense) != 0)
            continue;
        if (!found || found->mode == GNT_ROW_SWEEP)
            found = c;
    }
    return found;
}

static void collect(drawing *d, int64_t stage) {
    for (int none = 1; none >= 0; none--)
        for (size_t i = 0; i < d->r->n_defense; i++) {
            const gnt_outcome *c = cell_of(d->r, d->task, stage, d->r->defense[i]);
            if (!c || (c->mode == GNT_ROW_NONE) != none)
                continue;
            if (none)
                add_column(d, c, c->points->samples);
            add_column(d, c, c->points->representation);
        }
}

/* ---- how ---- */

/* Returns a value's colour, from those of Okabe and Ito as for defenses. */
static unsigned colour_of(int64_t value) {
    static const unsigned colours[MOST_VALUES] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00,
                                                  0x56b4e9, 0x7a5195, 0x8c8c8c, 0xb8a000, 0x000000};
    return colours[value];
}

/* Formats the title of a column, as in "TAPPFL@0.5: 61 %"; freed by the caller. */
static char *title_of(const column *c) {
    const int samples = c->plane == c->cell->points->samples;
    char at[40] = "", probe[40] = "";
    if (!samples && c->cell->mode != GNT_ROW_NONE && isfinite(c->cell->strength))
        snprintf(at, sizeof at, "@%.3g", c->cell->strength);
    if (isfinite(c->plane->probe))
        snprintf(probe, sizeof probe, ": %.0f %%", 100 * c->plane->probe);
    return gnt_format("%.20s%s%s", samples ? "samples" : c->cell->defense, at, probe);
}

/* Draws the points of a panel in the file's order, so that no value covers another as a whole. */
static void draw_panel(gnt_plot *p, const gnt_panels *grid, int place, const column *c, int row) {
    static const char *const names[2] = {"principal components", "t-SNE"};
    char *title = row == 0 ? title_of(c) : gnt_strdup("");
    gnt_plot_say(p, "reset\nset border 15 lc rgb \"#bbbbbb\"\nunset tics\nunset key\n"
                    "set xrange [-1.08:1.08]\nset yrange [-1.08:1.08]\n");
    p->script.failed |= !title;
    if (title)
        gnt_panel_begin(p, grid, place, title);
    gnt_free(title);
    if (gnt_panel_is_left(grid, place))
        gnt_plot_say(p, "set ylabel \"%s\" offset 1,0\n", names[row]);
    const int block = gnt_plot_block(p);
    for (size_t i = 0; i < c->xy[row]->n; i++)
        gnt_plot_row(
            p, (double[]){c->xy[row]->at[i].x, c->xy[row]->at[i].y, (double)c->cell->points->value.at[i]}, 3);
    gnt_plot_say(p, "plot D index %d using 1:2:(C[$3 + 1]) with points lc rgb variable pt 7 ps 0.45\n",
                 block);
}

static void draw_key(gnt_plot *p, const drawing *d) {
    const gnt_texts names = d->at[0].cell->points->names;
    gnt_text plots;
    gnt_text_init(&plots, 1 << 20);
    gnt_plot_strip(p, 0, FOOT);
    double x = 16;
    for (int64_t v = 0; v < d->values; v++) {
        char *text = (size_t)v < names.n ? gnt_strdup(names.at[v]) : gnt_format("value %lld", (long long)v);
        const int block = gnt_plot_block(p);
        p->script.failed |= !text;
        gnt_plot_row(p, (double[]){x, FOOT - 18}, 2);
        gnt_text_add(&plots, ", D index %d using 1:2 with points lc rgb \"#%06x\" pt 7 ps 0.9", block,
                     colour_of(v));
        if (text)
            gnt_plot_say(p, "set label %lld L[%d] at %.1f,%d left noenhanced font SMALL\n", (long long)v + 1,
                         gnt_plot_label(p, text, GNT_KEY_NAME), x + 10, FOOT - 18);
        x += 40 + 7.4 * fmin(GNT_KEY_NAME, text ? (double)gnt_text_width(text) : 0);
        gnt_free(text);
    }
    gnt_plot_say(
        p,
        "set label %lld \"a point: what is observed of one sample; %%: how often a linear probe tells its "
        "value, rare values weighing more\" at 10,14 left tc rgb \"#555555\" font SMALL\n",
        (long long)d->values + 1);
    gnt_plot_say(p, "plot NaN");
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    p->script.failed |= plots.failed;
    gnt_text_free(&plots);
}

/* Draws a line of columns, each two panels high, or two such lines. */
static int draw(const drawing *d, const char *folder, const char *name, int formats, int *drawn,
                gnt_err *err) {
    const int columns = d->n <= IN_ROW ? d->n : (d->n + 1) / 2, lines = d->n <= IN_ROW ? 2 : 4;
    const gnt_panels grid = {.n = columns * lines,
                             .columns = columns,
                             .rows = lines,
                             .left = 30,
                             .right = 6,
                             .top = 30,
                             .bottom = 6,
                             .width = SIDE,
                             .height = SIDE,
                             .foot = FOOT};
    const double width = fmax(columns * SIDE, 640);
    gnt_plot p;
    gnt_plot_init(&p, folder, name, width, lines * SIDE + FOOT);
    gnt_plot_say(&p, "array C[%d] = [", MOST_VALUES);
    for (int64_t v = 0; v < MOST_VALUES; v++) /* a quarter transparent */
        gnt_plot_say(&p, "%s0x40%06x", v ? ", " : "", colour_of(v));
    gnt_plot_say(&p, "]\nset multiplot\n");
    for (int i = 0; i < d->n; i++)
        for (int row = 0; row < 2; row++)
            draw_panel(&p, &grid, (2 * (i / columns) + row) * columns + i % columns, &d->at[i], row);
    draw_key(&p, d);
    gnt_plot_say(&p, "unset multiplot\n");
    const int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    return failed;
}

int gnt_plot_points(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                    const char *name, int formats, int *drawn, gnt_err *err) {
    drawing d = {.r = r, .task = task};
    *drawn = 0;
    collect(&d, stage);
    if (d.n == 0)
        return 0;
    return draw(&d, folder, name, formats, drawn, err);
}
