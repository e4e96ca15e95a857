#include "render/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "render/escape.h"

void gnt_table_init(gnt_table *t, const char *title) {
    *t = (gnt_table){.title = title};
}

void gnt_table_free(gnt_table *t) {
    for (size_t i = 0; i < t->n_column; i++)
        gnt_free(t->column[i]);
    for (size_t i = 0; i < t->n_item; i++)
        gnt_free(t->item[i].text);
    gnt_free(t->column);
    gnt_free(t->item);
    gnt_free(t->caption);
    *t = (gnt_table){.title = t->title};
}

void gnt_table_column(gnt_table *t, const char *name) {
    char *copy = GNT_GROW(t->column, t->n_column) == 0 ? gnt_strdup(name) : NULL;
    if (!copy)
        t->failed = 1;
    else
        t->column[t->n_column++] = copy;
}

void gnt_table_columns(gnt_table *t, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        gnt_table_column(t, names[i]);
}

static void add_item(gnt_table *t, char *text, double number) {
    if (GNT_GROW(t->item, t->n_item) != 0) {
        t->failed = 1;
        gnt_free(text);
        return;
    }
    t->item[t->n_item++] = (gnt_table_item){text, number};
}

static void add_owned(gnt_table *t, char *text) {
    if (!text)
        t->failed = 1;
    else
        add_item(t, text, NAN);
}

void gnt_table_text(gnt_table *t, const char *text) {
    add_owned(t, gnt_strdup(text ? text : ""));
}

void gnt_table_take(gnt_table *t, gnt_text *text) {
    t->failed |= text->failed;
    gnt_table_text(t, gnt_text_get(text));
    gnt_text_free(text);
}

void gnt_table_format(gnt_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_owned(t, gnt_vformat(format, args));
    va_end(args);
}

void gnt_table_caption(gnt_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    gnt_free(t->caption);
    t->caption = gnt_vformat(format, args);
    t->failed |= !t->caption;
    va_end(args);
}

void gnt_table_number(gnt_table *t, double value) {
    add_item(t, NULL, value);
}

static int is_single(const gnt_field *f) {
    return !f->old && (f->type == GNT_FIELD_INT || f->type == GNT_FIELD_REAL || f->type == GNT_FIELD_FLAG ||
                       f->type == GNT_FIELD_TEXT || f->type == GNT_FIELD_WORD);
}

void gnt_table_field_columns(gnt_table *t, const gnt_fields *fields) {
    for (size_t i = 0; i < fields->n; i++)
        if (is_single(&fields->field[i]))
            gnt_table_column(t, fields->field[i].name);
}

static void add_field(gnt_table *t, const gnt_field *f, const void *member) {
    if (f->type == GNT_FIELD_REAL)
        gnt_table_number(t, *(const double *)member);
    else if (f->type == GNT_FIELD_INT) {
        const int64_t n = *(const int64_t *)member;
        gnt_table_number(t, f->nullable && n == -1 ? NAN : (double)n);
    } else if (f->type == GNT_FIELD_FLAG)
        gnt_table_text(t, *(const int *)member ? "yes" : "no");
    else if (f->type == GNT_FIELD_TEXT)
        gnt_table_text(t, *(const char *const *)member);
    else
        gnt_table_text(t, gnt_word_name(f->words, *(const uint32_t *)member));
}

void gnt_table_field_items(gnt_table *t, const gnt_fields *fields, const void *of) {
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        if (!is_single(f))
            continue;
        if (of)
            add_field(t, f, (const char *)of + f->offset);
        else if (f->type == GNT_FIELD_REAL || f->type == GNT_FIELD_INT)
            gnt_table_number(t, NAN);
        else
            gnt_table_text(t, "");
    }
}

size_t gnt_table_rows(const gnt_table *t) {
    return t->n_column ? t->n_item / t->n_column : 0;
}

static int is_number_column(const gnt_table *t, size_t column) {
    for (size_t i = column; i < t->n_item; i += t->n_column)
        if (t->item[i].text)
            return 0;
    return t->n_item > 0;
}

static void add_number(gnt_text *out, double value, int digits, const char *absent) {
    if (isfinite(value))
        gnt_text_add(out, "%.*g", digits, value == 0 ? 0.0 : value); /* never "-0" */
    else
        gnt_text_add(out, "%s", absent);
}

/* Writes an item for a terminal. */
static void add_plain(const gnt_table_item *item, gnt_text *out) {
    if (item->text)
        gnt_escape_line(out, item->text);
    else
        add_number(out, item->number, 4, "–");
}

/* Returns the characters of the column's widest item or of its name. */
static size_t width_of(const gnt_table *t, size_t column) {
    size_t widest = gnt_text_width(t->column[column]);
    for (size_t i = column; i < t->n_item; i += t->n_column) {
        gnt_text item;
        gnt_text_init(&item, GNT_TABLE_TEXT_MOST);
        add_plain(&t->item[i], &item);
        const size_t width = gnt_text_width(gnt_text_get(&item));
        widest = width > widest ? width : widest;
        gnt_text_free(&item);
    }
    return widest;
}

void gnt_table_plain(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    size_t *width = gnt_array(t->n_column + 1, sizeof *width);
    out->failed |= !width;
    for (size_t c = 0; width && c < t->n_column; c++)
        width[c] = width_of(t, c);
    for (size_t i = 0; width && i < t->n_column + t->n_item; i++) {
        const size_t column = i % t->n_column;
        gnt_text item;
        gnt_text_init(&item, GNT_TABLE_TEXT_MOST);
        if (i < t->n_column)
            gnt_text_add(&item, "%s", t->column[column]);
        else
            add_plain(&t->item[i - t->n_column], &item);
        const size_t at = gnt_text_width(gnt_text_get(&item));
        gnt_text_add(out, "%s%s", column ? "  " : "", gnt_text_get(&item));
        out->failed |= item.failed;
        gnt_text_free(&item);
        if (column == t->n_column - 1)
            gnt_text_add(out, "\n");
        else
            gnt_text_add(out, "%*s", (int)(width[column] - at), "");
    }
    gnt_free(width);
}

void gnt_table_markdown(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    if (t->title)
        gnt_text_add(out, "### %s\n\n", t->title);
    if (t->caption) {
        gnt_escape_markdown(out, t->caption);
        gnt_text_add(out, "\n\n");
    }
    if (t->n_item == 0) {
        gnt_text_add(out, "Nothing to list.\n\n");
        return;
    }
    for (size_t c = 0; c < t->n_column; c++) {
        gnt_text_add(out, c ? " | " : "| ");
        gnt_escape_markdown(out, t->column[c]);
    }
    gnt_text_add(out, " |\n|");
    for (size_t c = 0; c < t->n_column; c++)
        gnt_text_add(out, "%s", is_number_column(t, c) ? "---:|" : "---|");
    for (size_t i = 0; i < t->n_item; i++) {
        gnt_text_add(out, i % t->n_column ? " | " : "\n| ");
        if (t->item[i].text)
            gnt_escape_markdown(out, t->item[i].text);
        else
            add_number(out, t->item[i].number, 4, "–");
        if (i % t->n_column == t->n_column - 1)
            gnt_text_add(out, " |");
    }
    gnt_text_add(out, "\n\n");
}

void gnt_table_html(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    if (t->caption) {
        gnt_text_add(out, "<p>");
        gnt_escape_html(out, t->caption);
        gnt_text_add(out, "</p>\n");
    }
    if (t->n_item == 0) {
        gnt_text_add(out, "<p>Nothing to list.</p>\n");
        return;
    }
    gnt_text_add(out, "<div class=\"wide\"><table>\n<tr>");
    for (size_t c = 0; c < t->n_column; c++) {
        gnt_text_add(out, "<th>");
        gnt_escape_html(out, t->column[c]);
        gnt_text_add(out, "</th>");
    }
    for (size_t i = 0; i < t->n_item; i++) {
        if (i % t->n_column == 0)
            gnt_text_add(out, "</tr>\n<tr>");
        const char *text = t->item[i].text;
        /* short texts stay on one line, sentences wrap */
        gnt_text_add(out, !text                        ? "<td class=\"n\">"
                          : gnt_text_width(text) <= 36 ? "<td class=\"s\">"
                                                       : "<td>");
        if (t->item[i].text)
            gnt_escape_html(out, t->item[i].text);
        else
            add_number(out, t->item[i].number, 4, "–");
        gnt_text_add(out, "</td>");
    }
    gnt_text_add(out, "</tr>\n</table></div>\n");
}

void gnt_table_csv(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    for (size_t c = 0; c < t->n_column; c++) {
        gnt_text_add(out, "%s", c ? "," : "");
        gnt_escape_csv(out, t->column[c]);
    }
    for (size_t i = 0; i < t->n_item; i++) {
        gnt_text_add(out, "%s", i % t->n_column ? "," : "\r\n");
        if (t->item[i].text)
            gnt_escape_csv(out, t->item[i].text);
        else
            add_number(out, t->item[i].number, 9, "");
    }
    gnt_text_add(out, "\r\n");
}

void gnt_table_json(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    gnt_text_add(out, "[");
    for (size_t i = 0; i < t->n_item; i++) {
        size_t c = i % t->n_column;
        gnt_text_add(out, "%s", c ? ", " : i ? ",\n{" : "\n{");
        gnt_json_add_text(out, t->column[c]);
        gnt_text_add(out, ": ");
        if (t->item[i].text)
            gnt_json_add_text(out, t->item[i].text);
        else
            add_number(out, t->item[i].number, 9, "null");
        if (c == t->n_column - 1)
            gnt_text_add(out, "}");
    }
    gnt_text_add(out, "\n]\n");
}
