/* pen: writes a page as Markdown or HTML through one set of functions.
 *
 * Every text is foreign and escaped here; addresses and file names are our own and are not. A page that ran
 * out of memory has out->failed set. */
#ifndef GNT_RENDER_PEN_H
#define GNT_RENDER_PEN_H

#include "base/text.h"
#include "render/table.h"

typedef enum gnt_pen_format { GNT_PEN_MARKDOWN, GNT_PEN_HTML, GNT_PEN_FORMATS } gnt_pen_format;

/* What has a beginning and an end. */
typedef enum gnt_pen_part {
    GNT_PEN_TITLE,
    GNT_PEN_HEADING,
    GNT_PEN_SUBHEADING,
    GNT_PEN_PARAGRAPH,
    GNT_PEN_LIST,
    GNT_PEN_ITEM,    /* of a list */
    GNT_PEN_SUMMARY, /* begins a fold: what is shown of it while it is closed */
    GNT_PEN_FOLD,    /* ends what GNT_PEN_SUMMARY began */
    GNT_PEN_WIDE,    /* scrolls sideways where the page is too narrow */
    GNT_PEN_SHORT,   /* the table at the top of a page */
    GNT_PEN_PAIR,    /* pictures side by side where the page is wide enough */
    /* a picture at its own size, to be scrolled where the page is narrower */
    GNT_PEN_UNSCALED,
    GNT_PEN_PARTS
} gnt_pen_part;

typedef struct gnt_pen {
    gnt_pen_format format;
    gnt_text out;
} gnt_pen;

void gnt_pen_begin(gnt_pen *pen, gnt_pen_part part);
void gnt_pen_end(gnt_pen *pen, gnt_pen_part part);
void gnt_pen_say(gnt_pen *pen, const char *text);
/* Writes a whole part with a text. */
void gnt_pen_write(gnt_pen *pen, gnt_pen_part part, const char *text);
/* Writes a whole part with a text, which it frees; writes nothing if the text is empty. */
void gnt_pen_write_text(gnt_pen *pen, gnt_pen_part part, gnt_text *text);
/* Writes a paragraph for each line. */
void gnt_pen_lines(gnt_pen *pen, const char *lines);
void gnt_pen_link(gnt_pen *pen, const char *address, const char *text);
/* Shows the file `shown`, which links to `linked`; `says` is its description. */
void gnt_pen_image(gnt_pen *pen, const char *shown, const char *linked, const char *says);
/* Writes the table with its caption, without its title, and frees it. */
void gnt_pen_table(gnt_pen *pen, gnt_table *t);

#endif
