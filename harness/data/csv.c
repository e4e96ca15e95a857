#include "data/csv.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WHOLE = 9, MOST_DIGITS = 15 };

/* Where a field or line is, for errors. */
typedef struct place {
    char text[64];
} place;

static place place_of(const data_csv *c, data_field f) {
    place p;
    if (c->has_no_offsets)
        snprintf(p.text, sizeof p.text, "line %zu", c->line);
    else
        snprintf(p.text, sizeof p.text, "line %zu, offset %zu", c->line,
                 (size_t)(f.at - (const char *)c->b->at));
    return p;
}

/* Passes over a byte order mark, which some programs put before a table. */
static void skip_mark(data_csv *c) {
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    if (c->at == 0 && c->b->size >= sizeof mark && memcmp(c->b->at, mark, sizeof mark) == 0)
        c->at = sizeof mark;
}

int data_csv_line(data_csv *c, data_field *line, gnt_err *err) {
    skip_mark(c);
    while (c->at < c->b->size) {
        const char *from = (const char *)c->b->at + c->at;
        const char *end = memchr(from, '\n', c->b->size - c->at);
        size_t n = end ? (size_t)(end - from) : c->b->size - c->at;
        c->at += n + (end != NULL);
        c->line++;
        if (n && from[n - 1] == '\r')
            n--;
        if (n > c->most_line)
            return gnt_fail(err, "%s: line %zu: %zu bytes long; a record has at most %zu", c->b->path,
                            c->line, n, c->most_line);
        if (n == 0)
            continue;
        *line = (data_field){from, n};
        return 1;
    }
    return 0;
}

/* Returns where the quote that opens at line.at[from] ends; line.n if it does not. */
static size_t closing_quote(data_field line, size_t from) {
    for (size_t i = from + 1; i < line.n; i++) {
        if (line.at[i] != '"')
            continue;
        if (i + 1 == line.n || line.at[i + 1] != '"')
            return i;
        i++;
    }
    return line.n;
}

static data_field trimmed(data_field f) {
    while (f.n && f.at[0] == ' ')
        f.at++, f.n--;
    while (f.n && f.at[f.n - 1] == ' ')
        f.n--;
    return f;
}

/* Reads the field that begins at `from`. *to: where it ends, at a separator or the line's end. */
static int next_field(const data_csv *c, data_field line, size_t from, size_t *to, data_field *f,
                      gnt_err *err) {
    size_t open = from, close = 0;
    while (open < line.n && line.at[open] == ' ')
        open++;
    const int quoted = open < line.n && line.at[open] == '"';
    if (quoted)
        close = closing_quote(line, open);
    const size_t search = quoted && close < line.n ? close : from;
    const char *apart = memchr(line.at + search, c->separator ? c->separator : ',', line.n - search);
    *to = apart ? (size_t)(apart - line.at) : line.n;
    *f = trimmed((data_field){line.at + from, *to - from});
    if (!quoted)
        return 0;
    if (close == line.n || f->at + f->n != line.at + close + 1)
        return gnt_fail(err, "%s: %s: a quote opens here; expected it to close before the %s", c->b->path,
                        place_of(c, *f).text,
                        close == line.n ? "line ends"
                                        : "separator that ends the field, with nothing between");
    *f = (data_field){line.at + open + 1, close - open - 1};
    return 0;
}

int data_csv_split(const data_csv *c, data_field line, data_field *field, int room, gnt_err *err) {
    int n = 0;
    for (size_t from = 0, to; from <= line.n; from = to + 1, n++) {
        data_field f;
        if (next_field(c, line, from, &to, &f, err))
            return -1;
        if (n < room)
            field[n] = f;
    }
    return n;
}

int data_csv_record(const data_csv *c, data_field line, data_field *field, int n, const char *whose,
                    gnt_err *err) {
    const int found = data_csv_split(c, line, field, n, err);
    if (found >= 0 && found != n)
        return gnt_fail(err, "%s: %s: %s than the %d columns of %s", c->b->path, place_of(c, line).text,
                        found > n ? "more" : "fewer", n, whose);
    return found < 0 ? -1 : 0;
}

int data_field_is(data_field f, const char *word) {
    return strlen(word) == f.n && !memcmp(f.at, word, f.n);
}

int data_csv_bad(const data_csv *c, data_field f, const char *name, const char *expected, gnt_err *err) {
    char shown[4 * 40 + 1] = {0};
    size_t at = 0;
    for (size_t i = 0; i < f.n && i < 40; i++) {
        const unsigned char byte = (unsigned char)f.at[i];
        at += (size_t)snprintf(shown + at, sizeof shown - at, byte >= 0x20 && byte < 0x7f ? "%c" : "\\x%02x",
                               byte);
    }
    return gnt_fail(err, "%s: %s: %s is \"%s\"; expected %s%s", c->b->path, place_of(c, f).text, name, shown,
                    expected, data_field_is(f, name) ? ": this is a header line, remove it" : "");
}

int data_csv_whole(const data_csv *c, data_field f, const char *name, int64_t *out, gnt_err *err) {
    int64_t v = 0;
    if (f.n < 1 || f.n > MOST_WHOLE)
        return data_csv_bad(c, f, name, "a whole number of at most nine digits", err);
    for (size_t i = 0; i < f.n; i++) {
        if (f.at[i] < '0' || f.at[i] > '9')
            return data_csv_bad(c, f, name, "a whole number", err);
        v = 10 * v + (f.at[i] - '0');
    }
    *out = v;
    return 0;
}

/* Divides all digits, as one whole number, by a power of ten: both are exact, so the quotient is the nearest
 * double. */
int data_csv_decimal(const data_csv *c, data_field f, const char *name, double *out, gnt_err *err) {
    int64_t all = 0, scale = 1;
    int digits = 0, points = 0;
    for (size_t i = 0; i < f.n; i++) {
        if (f.at[i] == '.' && !points) {
            points = 1;
            continue;
        }
        if (f.at[i] < '0' || f.at[i] > '9')
            return data_csv_bad(c, f, name, "a number such as 12 or 0.0375", err);
        if (++digits > MOST_DIGITS)
            return data_csv_bad(c, f, name, "a number of at most 15 digits", err);
        all = 10 * all + (f.at[i] - '0');
        scale *= points ? 10 : 1;
    }
    if (!digits)
        return data_csv_bad(c, f, name, "a number such as 12 or 0.0375", err);
    *out = (double)all / (double)scale;
    return 0;
}

int data_csv_word(const data_csv *c, data_field f, const char *name, const char *const *word, int n,
                  const char *expected, int32_t *out, gnt_err *err) {
    for (int v = 0; v < n; v++)
        if (data_field_is(f, word[v])) {
            *out = v;
            return 0;
        }
    return data_csv_bad(c, f, name, expected, err);
}
