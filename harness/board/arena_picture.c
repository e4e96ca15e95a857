/* Figures of the summary over arenas: shares-N.svg and .png in the board's folder, of group N. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "board/arenas_impl.h"
#include "report/plot/gnuplot.h"
#include "report/plot/picture.h"
#include "report/plot/plots.h"

/* What a figure is drawn from. */
typedef struct parts {
    const char **task;
    gnt_share_row *row;
    double *share;
} parts;

static void fill(const board_group *g, parts *all) {
    const size_t width = g->n_target * g->trainings;
    for (size_t k = 0; k < g->n_target; k++)
        all->task[k] = g->target[k].task;
    for (size_t i = 0; i < g->n_row; i++) {
        all->row[i] = (gnt_share_row){g->row[i].row->label, g->row[i].place.leak, all->share + i * width};
        for (size_t k = 0; k < g->n_target; k++)
            memcpy(all->share + i * width + k * g->trainings, g->row[i].at[k].share,
                   g->trainings * sizeof *all->share);
    }
}

static int draw(board *b, board_group *g, const parts *all, const char *title, gnt_err *err) {
    const gnt_share_picture of = {title, all->task, all->row, g->n_target, g->n_row, g->trainings};
    char *name = gnt_format("shares-%zu", (size_t)(g - b->group) + 1);
    int drawn = 0;
    gnt_err said = {""};
    if (!name)
        return gnt_fail(err, "leaderboard: out of memory");
    if (gnt_plot_shares(&of, b->options->folder, name, GNT_FORMAT_SVG | GNT_FORMAT_PNG, &drawn, &said) != 0)
        gnt_text_add(&b->notices, "%s\n", said.text);
    if (drawn & GNT_FORMAT_SVG)
        g->picture = name;
    else
        gnt_free(name);
    return 0;
}

static int draw_group(board *b, board_group *g, gnt_err *err) {
    const size_t width = g->n_target * g->trainings;
    parts all = {.task = gnt_array(g->n_target + 1, sizeof *all.task),
                 .row = gnt_array(g->n_row + 1, sizeof *all.row),
                 .share = gnt_array(g->n_row * width + 1, sizeof *all.share)};
    gnt_text title;
    gnt_text_init(&title, BOARD_MOST_SAID);
    board_say_group(g, &title);
    int rc =
        all.task && all.row && all.share && !title.failed ? 0 : gnt_fail(err, "leaderboard: out of memory");
    if (rc == 0) {
        fill(g, &all);
        rc = draw(b, g, &all, gnt_text_get(&title), err);
    }
    gnt_text_free(&title);
    gnt_free(all.task);
    gnt_free(all.row);
    gnt_free(all.share);
    return rc;
}

int board_draw_groups(board *b, gnt_err *err) {
    int rc = 0;
    if (!b->options->plots || b->n_group == 0)
        return 0;
    if (!gnt_gnuplot_present()) /* which the notice of a report says */
        return 0;
    char *folder = gnt_format("%s/plots", b->options->folder);
    rc = folder ? gnt_make_dirs(folder, err) : gnt_fail(err, "leaderboard: out of memory");
    for (size_t i = 0; rc == 0 && i < b->n_group; i++)
        rc = draw_group(b, &b->group[i], err);
    gnt_free(folder);
    return rc;
}
