#include "report/heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/plot.h"
#include "report/view.h"

enum { WIDE = 118, HIGH = 50, LEFT = 190, TOP = 40, FOOT = 34, GAP = 14, MOST_COLUMNS = 16, MOST_LINES = 40 };

typedef struct sheet {
    gnt_plot *p;
    const gnt_measure *m;
    double low, high; /* least and most private numbers give the ends of the colours */
    int n_label;
} sheet;

/* From near white to dark blue, light to dark for any eye: leaks little to leaks much. */
static unsigned shade(double share, int *dark) {
    static const unsigned stops[] = {0xf1f5fa, 0xc6dbef, 0x6baed6, 0x2171b5, 0x08306b};
    double at = fmin(fmax(share, 0), 1) * 4;
    int i = at >= 4 ? 3 : (int)at;
    unsigned colour = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double a = (stops[i] >> shift) & 255, b = (stops[i + 1] >> shift) & 255;
        colour |= (unsigned)lround(a + (b - a) * (at - i)) << shift;
    }
    *dark = share > 0.62;
    return colour;
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

static void field(sheet *s, double x, double y, const gnt_outcome *g) {
    const gnt_score *score = g && g->status == GNT_CELL_OK ? gnt_score_find(g, s->m->name) : NULL;
    int dark = 0, here = score && isfinite(score->stat.mean);
    double v = here ? score->stat.mean : NAN, span = s->high - s->low;
    double share = span != 0 ? (v - s->low) / span : 0.5;
    unsigned colour = here ? shade(share, &dark) : 0xffffff;
    gnt_plot_say(s->p,
                 "set object %d rectangle from %.1f,%.1f to %.1f,%.1f fc rgb \"#%06x\" fs solid border lc "
                 "rgb \"#%s\"\n",
                 s->n_label + 1, x + 2, y + 2, x + WIDE - 2, y + HIGH - 2, colour,
                 here ? "ffffff" : "dddddd");
    if (!here) {
        text_at(s, x + WIDE / 2.0, y + HIGH / 2.0, "center",
                !g                         ? "not run"
                : g->status == GNT_CELL_OK ? "–"
                                           : gnt_status_name(g->status),
                0x888888, "SMALL");
        return;
    }
    gnt_text text;
    gnt_stat mean = {.mean = v, .low = NAN, .high = NAN};
    int interval =
        isfinite(score->stat.low) && isfinite(score->stat.high) && score->stat.low != score->stat.high;
    unsigned ink = dark ? 0xffffff : 0x111111;
    gnt_text_init(&text, 1024);
    gnt_measure_write(s->m, &mean, &text);
    text_at(s, x + WIDE / 2.0, y + HIGH * (interval ? 0.64 : 0.5), "center", gnt_text_get(&text), ink, "BIG");
    gnt_text_free(&text);
    if (!interval)
        return;
    gnt_measure_number(s->m, score->stat.low, &text);
    gnt_text_add(&text, " – ");
    gnt_measure_number(s->m, score->stat.high, &text);
    text_at(s, x + WIDE / 2.0, y + HIGH * 0.27, "center", gnt_text_get(&text), ink, "TINY");
    gnt_text_free(&text);
}

static void find_ends(sheet *s, const gnt_results *r, const char *task, int64_t stage,
                      const gnt_standing *rows, size_t n) {
    double least = NAN, most = NAN;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < r->n_attack; a++) {
            const gnt_outcome *g = gnt_representative(r, task, stage, rows[i].defense, r->attack[a]);
            const gnt_score *score = g && g->status == GNT_CELL_OK ? gnt_score_find(g, s->m->name) : NULL;
            if (!score || !isfinite(score->stat.mean))
                continue;
            least = isnan(least) ? score->stat.mean : fmin(least, score->stat.mean);
            most = isnan(most) ? score->stat.mean : fmax(most, score->stat.mean);
        }
    s->low = s->m->leak > 0 ? least : most;
    s->high = s->m->leak > 0 ? most : least;
}

static void draw(sheet *s, const gnt_results *r, const char *task, int64_t stage, const gnt_standing *rows,
                 size_t n, const size_t *columns, size_t n_columns, int gaps) {
    double y = s->p->height - TOP - HIGH, worst = LEFT + (double)n_columns * WIDE + GAP;
    gnt_plot_strip(s->p, 0, s->p->height);
    for (size_t c = 0; c < n_columns; c++)
        label_at(s, LEFT + ((double)c + 0.5) * WIDE, s->p->height - TOP + 12, "center", r->attack[columns[c]],
                 16);
    text_at(s, worst + WIDE / 2.0, s->p->height - TOP + 12, "center", "worst case", 0x222222, "SMALL");
    for (size_t i = 0; i < n; i++, y -= HIGH) {
        if (gaps && i > 0 && (rows[i].stand == GNT_STAND_MATCHED) != (rows[i - 1].stand == GNT_STAND_MATCHED))
            y -= GAP;
        label_at(s, LEFT - 12, y + HIGH * 0.64, "right", rows[i].defense, 22);
        text_at(s, LEFT - 12, y + HIGH * 0.27, "right", gnt_stand_name(rows[i].stand), 0x777777, "TINY");
        for (size_t c = 0; c < n_columns; c++)
            field(s, LEFT + (double)c * WIDE, y,
                  gnt_representative(r, task, stage, rows[i].defense, r->attack[columns[c]]));
        field(s, worst, y, rows[i].worst);
    }
    char words[256];
    snprintf(words, sizeof words, "%s, mean over targets and its interval. Darker leaks more.", s->m->words);
    text_at(s, 14, FOOT / 2.0, "left", words, 0x555555, "SMALL");
    gnt_plot_say(s->p, "plot NaN\n");
}

int gnt_plot_heat(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                  const char *folder, const char *name, int formats, int *drawn, gnt_err *err) {
    size_t columns[MOST_COLUMNS], n_columns = 0;
    gnt_standing *rows = gnt_array(r->n_defense + 1, sizeof *rows);
    *drawn = 0;
    if (!rows)
        return gnt_fail(err, "%s: out of memory", name);
    for (size_t a = 0; a < r->n_attack && n_columns < MOST_COLUMNS; a++)
        if (gnt_has_measure(r, task, stage, r->attack[a], m->name))
            columns[n_columns++] = a;
    size_t n = gnt_rank(r, task, stage, m, rows);
    n = n > MOST_LINES ? MOST_LINES : n;
    if (n == 0 || n_columns == 0) {
        gnt_free(rows);
        return 0;
    }
    int gaps = 0;
    for (size_t i = 1; i < n; i++)
        gaps |= (rows[i].stand == GNT_STAND_MATCHED) != (rows[i - 1].stand == GNT_STAND_MATCHED);
    gnt_plot p;
    double width = LEFT + ((double)n_columns + 1) * WIDE + GAP + 10;
    gnt_plot_init(&p, folder, name, width < 620 ? 620 : width, TOP + FOOT + (double)n * HIGH + gaps * GAP);
    sheet s = {.p = &p, .m = m};
    find_ends(&s, r, task, stage, rows, n);
    draw(&s, r, task, stage, rows, n, columns, n_columns, gaps);
    int failed = gnt_plot_finish(&p, formats, err);
    *drawn = !failed;
    gnt_plot_free(&p);
    gnt_free(rows);
    return failed;
}
