/* Pictures in leaderboard.html: those of the reports next to it, as data: URIs; plots are packed, and the
 * page's script unpacks those of a fold that is opened. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "board/page_impl.h"
#include "gzip/gzip.h"
#include "report/plot/picture.h"

enum { MOST_PICTURE = 4 << 20, MOST_PICTURES = 48 << 20 };

/* Adds the bytes of a picture: of an SVG, which packs to a tenth, packed. Returns how many these are. */
static size_t add_bytes(page *w, const uint8_t *bytes, size_t size, int is_svg) {
    uint8_t *packed = NULL;
    if (is_svg)
        w->out.failed |= gnt_gzip("leaderboard.html", bytes, size, &packed, &size, NULL) != 0;
    page_add(w, is_svg ? "\" data-gz=\"" : "\" src=\"data:image/png;base64,");
    if (packed || !is_svg)
        w->out.failed |= page_base64(w, packed ? packed : bytes, size) != 0;
    gnt_free(packed);
    return size;
}

/* Adds reports/N/NAME.ENDING as an image inside the page; a sentence if it would make the page too large. */
static void add_picture(page *w, size_t run, const char *name, const char *ending, const char *says) {
    char *path = gnt_format("%s/reports/%zu/%s.%s", w->b->options->folder, run + 1, name, ending);
    uint8_t *bytes = NULL;
    size_t size = 0;
    w->out.failed |= !path;
    if (!path || !gnt_file_exists(path)) {
        gnt_free(path);
        return;
    }
    if (w->pictured > MOST_PICTURES || gnt_file_read(path, MOST_PICTURE, &bytes, &size, NULL) != 0) {
        page_add(w, "<p class=\"soft\">");
        page_say(w, says);
        gnt_text_add(&w->out,
                     ": too large for this page; it lies beside it, in <a "
                     "href=\"reports/%zu/%s.%s\">reports</a>.</p>\n",
                     run + 1, name, ending);
    } else {
        gnt_text_add(&w->out, "<figure><img alt=\"");
        page_say(w, says);
        w->pictured += add_bytes(w, bytes, size, !strcmp(ending, "svg"));
        gnt_text_add(&w->out, "\"><figcaption><a href=\"reports/%zu/%s.%s\">", run + 1, name, ending);
        page_say(w, says);
        page_add(w, "</a></figcaption></figure>\n");
    }
    gnt_free(bytes);
    gnt_free(path);
}

/* Adds a plot as SVG or, if gnuplot left none, as PNG. */
static void add_plot(page *w, size_t run, const char *name, const char *says) {
    char *svg = gnt_format("%s/reports/%zu/%s.svg", w->b->options->folder, run + 1, name);
    w->out.failed |= !svg;
    if (svg && gnt_file_exists(svg))
        add_picture(w, run, name, "svg", says);
    else if (svg)
        add_picture(w, run, name, "png", says);
    gnt_free(svg);
}

static void add_plots(page *w, const board_contest *c, int64_t stage, size_t run) {
    static const struct {
        const char *kind, *says;
    } plots[] = {{"tradeoff", "Utility against leakage, a panel for each attack"},
                 {"strength", "Leakage against strength, a panel for each attack"},
                 {"matrix", "Defenses by attacks; darker leaks more"}};
    char name[GNT_PICTURE_NAME];
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
        if (gnt_picture_name(name, plots[i].kind, c->task, stage, c->lead->name))
            add_plot(w, run, name, plots[i].says);
}

static void add_sheets(page *w, const board_contest *c, int64_t stage, size_t run) {
    const gnt_results *r = &w->b->run[run].results;
    char name[GNT_PICTURE_NAME];
    for (size_t a = 0; a < r->n_attack; a++) {
        char *says = gnt_format("Private images, and what %s made of them under each defense", r->attack[a]);
        w->out.failed |= !says;
        if (says && gnt_picture_name(name, "sheet", c->task, stage, r->attack[a]))
            add_picture(w, run, name, "png", says);
        gnt_free(says);
    }
}

static void add_stages(page *w, const board_contest *c, size_t run) {
    const gnt_results *r = &w->b->run[run].results;
    int64_t stages[GNT_MOST_STAGES];
    const size_t n = board_stages(c, r, stages);
    for (size_t i = 0; i < n; i++) {
        char words[64];
        gnt_stage_words(r, c->task, stages[i], words, sizeof words);
        if (n > 1)
            gnt_text_add(&w->out, "<h3>%s</h3>\n", words);
        add_plots(w, c, stages[i], run);
        add_sheets(w, c, stages[i], run);
    }
}

void page_pictures(page *w, const board_contest *c) {
    for (size_t k = 0; w->b->options->plots && c->lead && k < c->n_run; k++) {
        const size_t run = c->run[k];
        page_add(w, "<details><summary>Plots and images of ");
        page_say(w, w->b->run[run].contributor);
        gnt_text_add(&w->out, ", run %zu</summary>\n", run + 1);
        add_stages(w, c, run);
        gnt_text_add(&w->out,
                     "<p><a href=\"reports/%zu/index.html\">The whole report</a> lies beside this "
                     "page.</p></details>\n",
                     run + 1);
    }
}
