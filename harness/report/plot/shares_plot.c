#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/plot/plot_impl.h"
#include "render/escape.h"
#include "report/plot/plots.h"

enum { WIDTH = 480, RIGHT = 60, ROW = 40, AXIS = 56, MOST_LABEL = 24, KEY_LEFT = 12 };

/* The rows that are drawn, and where. */
typedef struct drawing {
    const gnt_share_picture *of;
    size_t row[GNT_SHARE_ROWS], n;
    double left, head, height;
    size_t key_columns;
    double key_entry;
} drawing;

static int has_number(const gnt_share_picture *of, const gnt_share_row *row) {
    for (size_t i = 0; i < of->n_task * of->trainings; i++)
        if (!isnan(row->share[i]))
            return 1;
    return !isnan(row->mean.mean);
}

static void lay_out(drawing *d) {
    size_t widest = 4, longest = 4;
    for (size_t i = 0; i < d->of->n_row && d->n < GNT_SHARE_ROWS; i++)
        if (has_number(d->of, &d->of->row[i])) {
            const size_t width = gnt_text_width(d->of->row[i].label);
            widest = width > widest ? width : widest;
            d->row[d->n++] = i;
        }
    d->left = 22 + 7.6 * (double)(widest < MOST_LABEL ? widest : MOST_LABEL);
    for (size_t i = 0; i < d->of->n_task; i++)
        longest = gnt_text_width(d->of->task[i]) > longest ? gnt_text_width(d->of->task[i]) : longest;
    d->key_entry = 34 + 7.4 * (double)(longest < GNT_KEY_NAME ? longest : GNT_KEY_NAME);
    d->key_columns = (size_t)fmax(1, floor((WIDTH - KEY_LEFT) / d->key_entry));
    const size_t lines = 1 + (d->of->n_task + d->key_columns - 1) / d->key_columns;
    d->head = 34 + GNT_KEY_LINE * (double)lines;
    d->height = d->head + ROW * (double)d->n + AXIS;
}

/* Returns where the points of a task lie below the mean of their row, in rows. */
static double below(const drawing *d, size_t task) {
    const double room = d->of->n_task > 1 ? 0.34 : 0;
    return 0.1 + (room ? room * (double)task / (double)(d->of->n_task - 1) : 0.15);
}

static void say_means(gnt_plot *p, const drawing *d) {
    const int block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){-9, 0, -9, -9}, 4); /* gnuplot complains of a block without points */
    for (size_t i = 0; i < d->n; i++) {
        const gnt_leak *mean = &d->of->row[d->row[i]].mean;
        if (isnan(mean->mean))
            continue;
        const double low = isnan(mean->low) ? mean->mean : mean->low,
                     high = isnan(mean->high) ? mean->mean : mean->high;
        gnt_plot_row(p, (double[]){100 * mean->mean, (double)(d->n - i) + 0.14, 100 * low, 100 * high}, 4);
    }
    gnt_plot_say(p, ", D index %d using 1:2:3:4 with xerrorbars lc rgb \"#111111\" lw 2.4 pt 7 ps 1.1",
                 block);
}

static void say_points(gnt_plot *p, const drawing *d, size_t task) {
    const int block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){-9, 0}, 2);
    for (size_t i = 0; i < d->n; i++)
        for (size_t s = 0; s < d->of->trainings; s++) {
            const double share = d->of->row[d->row[i]].share[task * d->of->trainings + s];
            if (!isnan(share))
                gnt_plot_row(p, (double[]){100 * share, (double)(d->n - i) - below(d, task)}, 2);
        }
    gnt_plot_say(p, ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 1.5 pt %d ps 0.7", block,
                 gnt_palette(task), task < 7 ? 7 : 6);
}

static void say_labels(gnt_plot *p, const drawing *d) {
    for (size_t i = 0; i < d->n; i++) {
        const gnt_share_row *row = &d->of->row[d->row[i]];
        const double y = (double)(d->n - i);
        gnt_plot_say(p, "set label %zu L[%d] at 0,%.3f right noenhanced offset -1.2,0\n", 2 * i + 1,
                     gnt_plot_label(p, row->label, MOST_LABEL), y);
        if (!isnan(row->mean.mean))
            gnt_plot_say(p, "set label %zu \"%.0f %%\" at 100,%.3f left offset 1.6,0\n", 2 * i + 2,
                         100 * row->mean.mean + 0.0, y);
    }
}

static void draw_panel(gnt_plot *p, const drawing *d) {
    gnt_plot_say(p, "reset\nunset key\nset border 1 lc rgb \"#666666\"\nset tics nomirror\nset tics tc rgb "
                    "\"#333333\"\nunset ytics\nset xtics 0,20,100 format \"%%.0f %%%%\"\n"
                    "set grid xtics lc rgb \"#e8e8e8\" lt 1 lw 1\nset bars 0.6\n");
    gnt_plot_say(p,
                 "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\n"
                 "set tmargin at screen %.6f\n",
                 d->left / WIDTH, (WIDTH - RIGHT) / (double)WIDTH, AXIS / d->height,
                 (d->height - d->head) / d->height);
    gnt_plot_say(p, "set xrange [-2:102]\nset yrange [0.4:%.1f]\n", (double)d->n + 0.6);
    gnt_plot_say(
        p, "set xlabel \"\xe2\x86\x90 more private        share of what leaks undefended\" offset 0,0.4\n");
    gnt_plot_say(p,
                 "set arrow 1 from 100,graph 0 to 100,graph 1 nohead lc rgb \"#111111\" lw 1.4 dt (6,4)\n");
    say_labels(p, d);
    for (size_t i = 1; i < d->n; i++) /* between rows */
        gnt_plot_say(p, "set arrow %zu from -2,%.1f to 102,%.1f nohead lc rgb \"#eeeeee\" lw 1\n", i + 1,
                     (double)i + 0.5, (double)i + 0.5);
    gnt_plot_say(p, "plot NaN");
    for (size_t task = 0; task < d->of->n_task; task++)
        say_points(p, d, task);
    say_means(p, d);
    gnt_plot_say(p, "\n");
}

/* Draws the title and the key above the panel. */
static void draw_head(gnt_plot *p, const drawing *d) {
    gnt_text plots;
    size_t label = 1;
    gnt_text_init(&plots, 1 << 20);
    gnt_plot_strip(p, d->height - d->head, d->head);
    gnt_plot_say(p, "set label %zu L[%d] at %d,%.1f left noenhanced font BIG\n", label,
                 gnt_plot_label(p, d->of->title, 60), KEY_LEFT, d->head - 18);
    double y = d->head - 42;
    int block = gnt_plot_block(p);
    gnt_plot_row(p, (double[]){KEY_LEFT + 12, y, KEY_LEFT, KEY_LEFT + 24}, 4);
    gnt_text_add(&plots, ", D index %d using 1:2:3:4 with xerrorbars lc rgb \"#111111\" lw 2.4 pt 7 ps 1.1",
                 block);
    gnt_plot_say(p,
                 "set label %zu \"mean, 95 %% interval; points: training runs; dashed: no defense\" at "
                 "%d,%.1f left font SMALL\n",
                 ++label, KEY_LEFT + 34, y);
    for (size_t task = 0; task < d->of->n_task; task++) {
        const double x = KEY_LEFT + 12 + (double)(task % d->key_columns) * d->key_entry;
        y = d->head - 42 - GNT_KEY_LINE * (double)(1 + task / d->key_columns);
        block = gnt_plot_block(p);
        gnt_plot_row(p, (double[]){x, y}, 2);
        gnt_text_add(&plots, ", D index %d using 1:2 with points lc rgb \"#%06x\" lw 1.5 pt %d ps 0.9", block,
                     gnt_palette(task), task < 7 ? 7 : 6);
        gnt_plot_say(p, "set label %zu L[%d] at %.1f,%.1f left noenhanced font SMALL\n", ++label,
                     gnt_plot_label(p, d->of->task[task], GNT_KEY_NAME), x + 10, y);
    }
    gnt_plot_say(p, "plot NaN");
    gnt_text_bytes(&p->script, gnt_text_get(&plots), plots.size);
    gnt_plot_say(p, "\n");
    p->script.failed |= plots.failed;
    gnt_text_free(&plots);
}

int gnt_plot_shares(const gnt_share_picture *of, const char *folder, const char *name, int formats,
                    int *drawn, gnt_err *err) {
    drawing d = {.of = of};
    gnt_plot p;
    *drawn = 0;
    lay_out(&d);
    if (d.n == 0)
        return 0;
    gnt_plot_init(&p, folder, name, WIDTH, d.height);
    gnt_plot_say(&p, "set multiplot\n");
    draw_panel(&p, &d);
    draw_head(&p, &d);
    gnt_plot_say(&p, "unset multiplot\n");
    const int failed = gnt_plot_finish(&p, formats, drawn, err);
    gnt_plot_free(&p);
    return failed;
}
