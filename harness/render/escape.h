/* escape: text of plugins, suites and run folders on its way into a page, a table, a file name or a plot.
 * Every function appends to a gnt_text (or fills a buffer) and never fails by itself.
 *
 * All of them first make the text harmless to look at: control characters, line breaks and the characters
 * that reverse the direction of text become a space. */
#ifndef GNT_RENDER_ESCAPE_H
#define GNT_RENDER_ESCAPE_H

#include <stddef.h>

#include "base/text.h"

enum { GNT_SLUG_SIZE = 64 };

void gnt_escape_line(gnt_text *out, const char *text);     /* for a terminal: no more than the above */
void gnt_escape_html(gnt_text *out, const char *text);     /* for element content and quoted attributes */
void gnt_escape_markdown(gnt_text *out, const char *text); /* for running text and table cells */

/* Appends a CSV field by RFC 4180, quoted if needed. Text that a spreadsheet would run as a formula (it
 * begins with = + - @ or a tab) gets an apostrophe before it. */
void gnt_escape_csv(gnt_text *out, const char *text);

/* Appends text for a gnuplot data file: at most `most` characters (an ellipsis marks a cut), without the
 * characters that gnuplot's data reader, its SVG output or its fonts treat specially: " \ ` < > & { } become
 * look-alikes, and characters from U+2E80 on become '?', since a font without them makes gnuplot draw
 * page-sized boxes. */
void gnt_escape_plot(gnt_text *out, const char *text, size_t most);

/* Appends printable ASCII only, for the bitmap font; other characters become '?'. */
void gnt_escape_ascii(gnt_text *out, const char *text, size_t most);

/* Writes a part of a file name: letters, digits, '-' and '_'. If the text had to be changed or cut, a digest
 * of the whole text is appended, so that two texts never share a name. */
void gnt_slug(const char *text, char slug[GNT_SLUG_SIZE]);

size_t gnt_text_width(const char *text); /* number of characters of UTF-8 text */

#endif
