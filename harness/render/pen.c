#include "render/pen.h"

#include <string.h>

#include "base/mem.h"
#include "render/escape.h"

typedef struct marks {
    const char *begin, *end;
} marks;

static const marks marks_of[GNT_PEN_FORMATS][GNT_PEN_PARTS] = {
    [GNT_PEN_MARKDOWN] = {[GNT_PEN_TITLE] = {"# ", "\n\n"},
                          [GNT_PEN_HEADING] = {"## ", "\n\n"},
                          [GNT_PEN_SUBHEADING] = {"### ", "\n\n"},
                          [GNT_PEN_PARAGRAPH] = {"", "\n\n"},
                          [GNT_PEN_LIST] = {"", "\n"},
                          [GNT_PEN_ITEM] = {"- ", "\n"},
                          [GNT_PEN_SUMMARY] = {"<details><summary>", "</summary>\n\n"},
                          [GNT_PEN_FOLD] = {"", "</details>\n\n"},
                          [GNT_PEN_WIDE] = {"", ""},
                          [GNT_PEN_SHORT] = {"", ""},
                          [GNT_PEN_PAIR] = {"", ""},
                          [GNT_PEN_UNSCALED] = {"", ""}},
    [GNT_PEN_HTML] = {[GNT_PEN_TITLE] = {"<h1>", "</h1>\n"},
                      [GNT_PEN_HEADING] = {"<h2>", "</h2>\n"},
                      [GNT_PEN_SUBHEADING] = {"<h3>", "</h3>\n"},
                      [GNT_PEN_PARAGRAPH] = {"<p>", "</p>\n"},
                      [GNT_PEN_LIST] = {"<ul>\n", "</ul>\n"},
                      [GNT_PEN_ITEM] = {"<li>", "</li>\n"},
                      [GNT_PEN_SUMMARY] = {"<details><summary>", "</summary>\n"},
                      [GNT_PEN_FOLD] = {"", "</details>\n"},
                      [GNT_PEN_WIDE] = {"<div class=\"wide\">\n", "</div>\n"},
                      [GNT_PEN_SHORT] = {"<div class=\"short\">\n", "</div>\n"},
                      [GNT_PEN_PAIR] = {"<div class=\"pair\">\n", "</div>\n"},
                      [GNT_PEN_UNSCALED] = {"<div class=\"unscaled\">\n", "</div>\n"}}};

void gnt_pen_begin(gnt_pen *pen, gnt_pen_part part) {
    gnt_text_add(&pen->out, "%s", marks_of[pen->format][part].begin);
}

void gnt_pen_end(gnt_pen *pen, gnt_pen_part part) {
    gnt_text_add(&pen->out, "%s", marks_of[pen->format][part].end);
}

void gnt_pen_say(gnt_pen *pen, const char *text) {
    if (pen->format == GNT_PEN_HTML)
        gnt_escape_html(&pen->out, text);
    else
        gnt_escape_markdown(&pen->out, text);
}

void gnt_pen_write(gnt_pen *pen, gnt_pen_part part, const char *text) {
    gnt_pen_begin(pen, part);
    /* a summary is HTML in both formats */
    if (part == GNT_PEN_SUMMARY)
        gnt_escape_html(&pen->out, text);
    else
        gnt_pen_say(pen, text);
    gnt_pen_end(pen, part);
}

void gnt_pen_write_text(gnt_pen *pen, gnt_pen_part part, gnt_text *text) {
    if (text->size)
        gnt_pen_write(pen, part, gnt_text_get(text));
    pen->out.failed |= text->failed;
    gnt_text_free(text);
}

void gnt_pen_lines(gnt_pen *pen, const char *lines) {
    while (*lines) {
        const size_t n = strcspn(lines, "\n");
        char *one = gnt_format("%.*s", (int)n, lines);
        if (one)
            gnt_pen_write(pen, GNT_PEN_PARAGRAPH, one);
        pen->out.failed |= !one;
        gnt_free(one);
        lines += n + (lines[n] == '\n');
    }
}

void gnt_pen_link(gnt_pen *pen, const char *address, const char *text) {
    const int html = pen->format == GNT_PEN_HTML;
    gnt_text_add(&pen->out, html ? "<a href=\"%s\">" : "[", address);
    gnt_pen_say(pen, text);
    gnt_text_add(&pen->out, html ? "</a>" : "](%s)", address);
}

void gnt_pen_image(gnt_pen *pen, const char *shown, const char *linked, const char *says) {
    if (pen->format == GNT_PEN_HTML) {
        gnt_text_add(&pen->out, "<div class=\"wide\"><a href=\"%s\"><img src=\"%s\" alt=\"", linked, shown);
        gnt_pen_say(pen, says);
        gnt_text_add(&pen->out, "\"></a></div>\n");
    } else {
        gnt_text_add(&pen->out, "[![");
        gnt_pen_say(pen, says);
        gnt_text_add(&pen->out, "](%s)](%s)\n\n", shown, linked);
    }
}

void gnt_pen_table(gnt_pen *pen, gnt_table *t) {
    t->title = NULL;
    if (pen->format == GNT_PEN_HTML)
        gnt_table_html(t, &pen->out);
    else
        gnt_table_markdown(t, &pen->out);
    gnt_table_free(t);
}
