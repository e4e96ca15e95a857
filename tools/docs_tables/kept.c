/* A table that a program other than a run wrote: a file of lines with tabs between cells, whose first line
 * names the columns. A page has it as the file has it. */
#include "page_tables.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { MOST_FILE = 1 << 20, MOST_CELL = 512 };

/* Adds the cells of a line, cut in place, as a row; those of the first line as columns. */
static int add_line(gnt_table *t, char *line, int is_first, gnt_err *err) {
    size_t n = 0;
    for (char *cell = line, *behind; cell; cell = behind, n++) {
        behind = strchr(cell, '\t');
        if (behind)
            *behind++ = 0;
        if (!gnt_text_ok(cell, 1, MOST_CELL))
            return gnt_fail(err, "cell %zu: expected one to %d bytes of text", n + 1, MOST_CELL);
        if (is_first)
            gnt_table_column(t, cell);
        else if (n < t->n_column)
            gnt_table_text(t, cell);
    }
    return n == t->n_column ? 0 : gnt_fail(err, "has %zu cells; expected %zu", n, t->n_column);
}

static int read_lines(gnt_table *t, char *text, const char *path, gnt_err *err) {
    size_t n = 0;
    for (char *line = text, *behind; *line; line = behind) {
        behind = strchr(line, '\n');
        n++;
        if (!behind)
            return gnt_fail(err, "%s:%zu: the line has no end; is the file whole?", path, n);
        *behind++ = 0;
        if (add_line(t, line, n == 1, err))
            return gnt_fail_in(err, "%s:%zu", path, n);
    }
    return n > 1 ? 0 : gnt_fail(err, "%s: expected a line of columns and one row or more", path);
}

int table_kept(const char *name, gnt_text *out, gnt_err *err) {
    char *path = strchr(name, '/') ? gnt_strdup(name) : gnt_format(BASELINES "/%s", name);
    uint8_t *bytes = NULL;
    size_t size;
    gnt_table t;
    gnt_table_init(&t, NULL);
    int failed = path ? gnt_file_read(path, MOST_FILE, &bytes, &size, err) : gnt_fail(err, "out of memory");
    if (!failed && strlen((char *)bytes) != size)
        failed = gnt_fail(err, "%s: has a zero byte; expected text", path);
    if (!failed)
        failed = read_lines(&t, (char *)bytes, path, err);
    if (!failed)
        tables_add(&t, out);
    gnt_table_free(&t);
    gnt_free(bytes);
    gnt_free(path);
    return failed;
}
