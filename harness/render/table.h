/* table: rows and columns of text and numbers, written as plain text, Markdown, HTML, CSV or JSON.
 *
 * CSV and JSON carry numbers with nine digits and an absent number as an empty field or null; Markdown and
 * HTML, for reading, carry four. A table that ran out of memory is marked and its writers produce a failed
 * gnt_text. */
#ifndef GNT_RENDER_TABLE_H
#define GNT_RENDER_TABLE_H

#include <stddef.h>

#include "base/fields.h"
#include "base/text.h"

enum { GNT_TABLE_TEXT_MOST = 512 << 20 };

typedef struct gnt_table_item {
    char *text; /* owned; NULL: a number */
    double number;
} gnt_table_item;

typedef struct gnt_table {
    const char *title; /* not owned: a literal, or NULL for none */
    char *caption;     /* owned: one sentence below the title, may hold foreign text; or NULL */
    char **column;     /* owned names */
    /* items row by row; the last row may be unfinished only while it is filled */
    size_t n_column, n_item;
    gnt_table_item *item;
    int failed;
} gnt_table;

void gnt_table_init(gnt_table *t, const char *title);
void gnt_table_free(gnt_table *t);
void gnt_table_column(gnt_table *t, const char *name);
void gnt_table_columns(gnt_table *t, const char *const *names, size_t n);
/* Columns by their names: GNT_TABLE_COLUMNS(t, "task", "stage") */
#define GNT_TABLE_COLUMNS(t, ...)                                                                            \
    gnt_table_columns(t, (const char *const[]){__VA_ARGS__},                                                 \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
/* Fill the next item of the row, left to right. */
void gnt_table_text(gnt_table *t, const char *text);
void gnt_table_format(gnt_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes the text as the item, and frees it. */
void gnt_table_take(gnt_table *t, gnt_text *text);
void gnt_table_number(gnt_table *t, double value); /* not finite: absent */
void gnt_table_caption(gnt_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a column, and an item, for each number, word and text of a struct's table of fields; lists and structs
 * in it are left out. `of` NULL: no value in any. */
void gnt_table_field_columns(gnt_table *t, const gnt_fields *fields);
void gnt_table_field_items(gnt_table *t, const gnt_fields *fields, const void *of);
size_t gnt_table_rows(const gnt_table *t);

void gnt_table_plain(const gnt_table *t, gnt_text *out); /* aligned columns, without title and caption */
void gnt_table_markdown(const gnt_table *t, gnt_text *out);
void gnt_table_html(const gnt_table *t, gnt_text *out);
void gnt_table_csv(const gnt_table *t, gnt_text *out);
void gnt_table_json(const gnt_table *t, gnt_text *out); /* a list of objects keyed by column */

#endif
