#include "page.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "format.h"
#include "page_tables.h"

enum { MOST_PAGE = 16 << 20, MOST_DIRECTIVE = 512, MOST_SHOWN = 40 };

static const char opening[] = "<!-- table: ", closing[] = " -->", ending[] = "<!-- end -->";

/* A block in the text of a page. */
typedef struct block {
    /* the words between the markers' ends */
    char words[MOST_DIRECTIVE];
    /* the text between the two markers, and where the text goes on behind them */
    const char *inside, *end, *behind;
    size_t line;
    /* 1 where the opening marker begins its line */
    int begins_line;
} block;

static size_t line_of(const char *text, const char *at) {
    size_t n = 1;
    for (const char *p = text; p < at; p++)
        n += *p == '\n';
    return n;
}

/* Finds the first block from `from` on. Returns 1 if there is one, 0 if not, −1 with a sentence. */
static int next_block(const char *path, const char *text, const char *from, block *b, gnt_err *err) {
    const char *open = strstr(from, opening), *stray = strstr(from, ending);
    if (stray && (!open || stray < open))
        return gnt_fail(err, "%s:%zu: %s without a block before it", path, line_of(text, stray), ending);
    if (!open)
        return 0;
    const char *words = open + strlen(opening), *close = strstr(words, closing);
    b->line = line_of(text, open);
    b->begins_line = open == text || open[-1] == '\n';
    if (!close || close - words >= MOST_DIRECTIVE || memchr(words, '\n', (size_t)(close - words)))
        return gnt_fail(err, "%s:%zu: expected \"%sWORDS%s\" on one line", path, b->line, opening, closing);
    memcpy(b->words, words, (size_t)(close - words));
    b->words[close - words] = 0;
    b->inside = close + strlen(closing);
    b->end = strstr(b->inside, ending);
    const char *again = strstr(b->inside, opening);
    if (!b->end || (again && again < b->end))
        return gnt_fail(err, "%s:%zu: the block \"%s\" has no %s", path, b->line, b->words, ending);
    b->behind = b->end + strlen(ending);
    return 1;
}

/* Makes the text between a block's markers. */
static int make_block(const char *path, const block *b, gnt_text *out, gnt_err *err) {
    gnt_text made;
    int in_line = 0;
    if (tables_write(b->words, &made, &in_line, err))
        return gnt_fail_in(err, "%s:%zu", path, b->line);
    gnt_text_init(out, MOST_PAGE);
    if (in_line)
        gnt_text_add(out, "%s", gnt_text_get(&made));
    else if (made.size)
        gnt_text_add(out, "\n\n%s\n\n", gnt_text_get(&made));
    else
        gnt_text_add(out, "\n");
    gnt_text_free(&made);
    if (in_line && b->begins_line) {
        gnt_text_free(out);
        return gnt_fail(err,
                        "%s:%zu: a number's block begins the line, which Markdown takes for HTML: put a "
                        "word before it",
                        path, b->line);
    }
    return 0;
}

/* ---- differences ---- */

static size_t line_size(const char *p, const char *end) {
    const char *line_end = memchr(p, '\n', (size_t)(end - p));
    return line_end ? (size_t)(line_end - p) + 1 : (size_t)(end - p);
}

static void print_lines(char sign, const char *p, const char *end) {
    for (int n = 0; p < end; n++) {
        const size_t size = line_size(p, end);
        if (n == MOST_SHOWN) {
            printf("%c …\n", sign);
            return;
        }
        printf("%c %.*s\n", sign, (int)(size - (p[size - 1] == '\n')), p);
        p += size;
    }
}

/* Prints the lines in which two texts differ, without those that both begin or end with. */
static void print_difference(const char *old, size_t old_size, const char *made, size_t made_size) {
    const char *old_end = old + old_size, *made_end = made + made_size;
    size_t alike = 0;
    while (old < old_end && made < made_end) {
        const size_t a = line_size(old, old_end), b = line_size(made, made_end);
        if (a != b || memcmp(old, made, a) != 0)
            break;
        old += a;
        made += b;
    }
    while (old_end - alike > old && made_end - alike > made &&
           old_end[-1 - (ptrdiff_t)alike] == made_end[-1 - (ptrdiff_t)alike])
        alike++;
    /* the line that the ends of the two part in is shown whole */
    while (alike && old_end[-(ptrdiff_t)alike] != '\n')
        alike--;
    print_lines('-', old, old_end - alike);
    print_lines('+', made, made_end - alike);
}

static int check_block(const char *path, const block *b, gnt_err *err) {
    gnt_text made;
    if (make_block(path, b, &made, err))
        return -1;
    const size_t size = (size_t)(b->end - b->inside);
    const int same = made.size == size && !memcmp(made.data, b->inside, size);
    if (!same) {
        printf("%s:%zu: %s: differs from the scores that are kept; make docs writes it again\n", path,
               b->line, b->words);
        print_difference(b->inside, size, gnt_text_get(&made), made.size);
    }
    gnt_text_free(&made);
    return !same;
}

/* ---- numbers outside ---- */

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Finds, in a line, a number in decibels or per cent, or a cell that begins with a digit; NULL if there is
 * none. */
static const char *measured_number(const char *line, const char *end) {
    const int row = *line == '|';
    for (const char *p = line; p < end; p++) {
        if (row && *p == '|' && end - p > 2 && p[1] == ' ' && is_digit(p[2]))
            return p + 2;
        if (!is_digit(*p))
            continue;
        const char *unit = p + 1;
        while (unit < end && *unit == ' ')
            unit++;
        if ((end - unit >= 1 && *unit == '%') || (end - unit >= 2 && !memcmp(unit, "dB", 2)))
            return p;
    }
    return NULL;
}

static int check_outside(const char *path, const char *text, const char *from, const char *end) {
    int n = 0;
    for (size_t size; from < end; from += size) {
        size = line_size(from, end);
        const char *at = measured_number(from, from + size);
        if (!at)
            continue;
        printf("%s:%zu: a measured number outside of a block: %.*s\n", path, line_of(text, at),
               (int)(size - (from[size - 1] == '\n')), from);
        n++;
    }
    return n;
}

/* ---- pages ---- */

static int read_page(const char *path, char **text, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    if (gnt_file_read(path, MOST_PAGE, &bytes, &size, err))
        return -1;
    *text = (char *)bytes;
    if (strlen(*text) == size)
        return 0;
    gnt_free(bytes);
    return gnt_fail(err, "%s: has a zero byte; expected text", path);
}

static int check_text(const char *path, const char *text, int blocks_alone, gnt_text *used, gnt_err *err) {
    const char *from = text;
    block b;
    int found, wrong = 0;
    while ((found = next_block(path, text, from, &b, err)) == 1) {
        char name[MOST_DIRECTIVE];
        const char *open = b.inside - strlen(closing) - strlen(b.words) - strlen(opening);
        const int differs = check_block(path, &b, err);
        if (differs < 0)
            return -1;
        wrong += differs + (blocks_alone ? 0 : check_outside(path, text, from, open));
        tables_run_name(b.words, name, sizeof name);
        gnt_text_add(used, "%s\n", name);
        from = b.behind;
    }
    if (found < 0)
        return -1;
    return wrong + (blocks_alone ? 0 : check_outside(path, text, from, from + strlen(from)));
}

/* True for a schema, which is made as a whole. */
static int is_schema(const char *path) {
    static const char ending_of[] = ".schema.json";
    const size_t n = strlen(path), m = strlen(ending_of);
    return n > m && !strcmp(path + n - m, ending_of);
}

static int check_schema(const char *path, const char *text, gnt_err *err) {
    gnt_text made;
    gnt_text_init(&made, MOST_PAGE);
    const int failed = format_schema(path, &made, err), same = !failed && !strcmp(text, gnt_text_get(&made));
    if (!failed && !same) {
        printf("%s: differs from the tables of rows in harness/; make docs writes it again\n", path);
        print_difference(text, strlen(text), gnt_text_get(&made), made.size);
    }
    gnt_text_free(&made);
    return failed ? -1 : !same;
}

int page_check(const char *path, int blocks_alone, gnt_text *used, gnt_err *err) {
    char *text;
    if (read_page(path, &text, err))
        return -1;
    const int wrong =
        is_schema(path) ? check_schema(path, text, err) : check_text(path, text, blocks_alone, used, err);
    gnt_free(text);
    return wrong;
}

static int make_text(const char *path, const char *text, gnt_text *out, gnt_err *err) {
    const char *from = text;
    block b;
    int found;
    while ((found = next_block(path, text, from, &b, err)) == 1) {
        gnt_text made;
        if (make_block(path, &b, &made, err))
            return -1;
        gnt_text_bytes(out, from, (size_t)(b.inside - from));
        gnt_text_bytes(out, made.data, made.size);
        gnt_text_add(out, "%s", ending);
        gnt_text_free(&made);
        from = b.behind;
    }
    gnt_text_bytes(out, from, strlen(from));
    return found < 0 || out->failed ? -1 : 0;
}

int page_write(const char *path, int *changed, gnt_err *err) {
    char *text;
    gnt_text made;
    if (read_page(path, &text, err))
        return -1;
    gnt_text_init(&made, MOST_PAGE);
    int failed = is_schema(path) ? format_schema(path, &made, err) : make_text(path, text, &made, err);
    *changed = !failed && strcmp(text, gnt_text_get(&made)) != 0;
    if (*changed)
        failed = gnt_file_write(path, made.data, made.size, err);
    gnt_text_free(&made);
    gnt_free(text);
    return failed;
}
