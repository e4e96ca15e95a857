/* The summary over arenas in leaderboard.html. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "board/arenas_impl.h"
#include "board/page_impl.h"

enum { MOST_PICTURE = 4 << 20 };

static void add_picture(page *w, const board_group *g) {
    char *path = gnt_format("%s/%s.svg", w->b->options->folder, g->picture);
    uint8_t *bytes = NULL;
    size_t size = 0;
    w->out.failed |= !path;
    if (path && gnt_file_read(path, MOST_PICTURE, &bytes, &size, NULL) == 0) {
        page_add(w, "<figure><img class=\"wider\" alt=\"Share of what leaks undefended, by defense: the "
                    "numbers are in the "
                    "table below\" src=\"data:image/svg+xml;base64,");
        w->out.failed |= page_base64(w, bytes, size) != 0;
        page_add(w, "\"></figure>\n");
    }
    gnt_free(bytes);
    gnt_free(path);
}

/* Adds a table in which each cell names its column, for pages that are too narrow for a table. */
static void add_table(page *w, const gnt_table *t) {
    w->out.failed |= t->failed;
    page_add(w, "<table class=\"places shares\"><thead><tr>");
    for (size_t i = 0; i < t->n_column; i++) {
        page_add(w, "<th scope=\"col\">");
        page_say(w, t->column[i]);
        page_add(w, "</th>");
    }
    page_add(w, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < t->n_item; i++) {
        const size_t column = i % t->n_column;
        gnt_text_add(&w->out, "%s<td%s data-label=\"", column ? "" : "<tr>",
                     column == 0   ? " class=\"rank\""
                     : column == 1 ? " class=\"name\""
                                   : "");
        page_say(w, t->column[column]);
        page_add(w, "\">");
        page_say(w, t->item[i].text ? t->item[i].text : "");
        page_add(w, column == t->n_column - 1 ? "</td></tr>\n" : "</td>");
    }
    page_add(w, "</tbody></table>\n");
}

static void add_group(page *w, const board_group *g) {
    gnt_table t;
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    page_add(w, "<section>\n<h2>");
    board_say_group(g, &text);
    page_say_text(w, &text);
    page_add(w, "</h2>\n");
    if (g->picture)
        add_picture(w, g);
    page_add(w, "<p class=\"soft\">");
    board_say_group_head(g, &text);
    page_say_text(w, &text);
    page_add(w, "</p>\n");
    board_table_group(g, &t);
    if (gnt_table_rows(&t))
        add_table(w, &t);
    gnt_table_free(&t);
    page_add(w, "</section>\n");
    gnt_text_free(&text);
}

void page_arenas(page *w) {
    gnt_table pairs;
    for (size_t i = 0; i < w->b->n_group; i++)
        add_group(w, &w->b->group[i]);
    board_table_pairs(w->b, &pairs);
    if (gnt_table_rows(&pairs)) {
        page_add(w, "<details><summary>Pairs of defenses</summary>\n");
        gnt_table_html(&pairs, &w->out);
        page_add(w, "</details>\n");
    }
    gnt_table_free(&pairs);
}
