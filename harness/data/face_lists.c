#include "data/face_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/csv.h"

enum { MOST_BYTES = 256 << 20, MOST_LINE = 1 << 16, MOST_FIELDS = 1024, MOST_NUMBER = 9999 };

/* A list being read, and the table that is made of it. */
typedef struct maker {
    data_bytes bytes;
    data_csv csv;
    gnt_text table;
    size_t line; /* of the table, from 1 */
    data_field field[MOST_FIELDS];
} maker;

static int open_maker(maker *m, const char *path, gnt_err *err) {
    const char *slash = strrchr(path, '/');
    char *folder = gnt_format("%.*s", (int)(slash ? slash - path : 1), slash ? path : ".");
    *m = (maker){.line = 1};
    gnt_text_init(&m->table, (size_t)2 * MOST_BYTES);
    const int rc = folder ? data_bytes_open(&m->bytes, folder, slash ? slash + 1 : path, MOST_BYTES, err)
                          : gnt_fail(err, "%s: out of memory", path);
    gnt_free(folder);
    m->csv = (data_csv){.b = &m->bytes, .most_line = MOST_LINE};
    return rc;
}

/* Takes the table, under the path of the list; frees the rest. */
static int close_maker(maker *m, data_bytes *out, int rc, gnt_err *err) {
    const size_t size = m->table.size;
    *out = (data_bytes){.size = 0};
    if (rc == 0) {
        out->at = (uint8_t *)gnt_text_take(&m->table);
        out->size = size;
        out->path = gnt_strdup(m->bytes.path);
        if (!out->at || !out->path) {
            rc = gnt_fail(err, "%s: out of memory for its table", m->bytes.path);
            data_bytes_free(out);
        }
    }
    gnt_text_free(&m->table);
    data_bytes_free(&m->bytes);
    return rc;
}

static int is_space(char c) {
    return c == ' ' || c == '\t' || c == ',';
}

/* Cuts a line at spaces, tabs or commas, of which several in a row are one. Returns the number of fields. */
static int split(data_field line, data_field *field, int room) {
    int n = 0;
    for (size_t i = 0; i < line.n && n < room;) {
        while (i < line.n && is_space(line.at[i]))
            i++;
        const size_t from = i;
        while (i < line.n && !is_space(line.at[i]))
            i++;
        if (i > from)
            field[n++] = (data_field){line.at + from, i - from};
    }
    return n;
}

static void put_field(maker *m, data_field f, int is_first) {
    if (!is_first)
        gnt_text_bytes(&m->table, "\t", 1);
    gnt_text_bytes(&m->table, f.at, f.n);
}

/* Puts what a row is on the line that it has in the list. */
static void reach_line(maker *m) {
    for (; m->line < m->csv.line; m->line++)
        gnt_text_bytes(&m->table, "\n", 1);
}

/* ---- CelebA ---- */

/* What a second list says of each file. */
typedef struct said {
    data_field file, value;
} said;

typedef struct other_list {
    data_bytes bytes;
    said *row;
    size_t n;
} other_list;

static int by_file(const void *a, const void *b) {
    const said *x = a, *y = b;
    const int order = memcmp(x->file.at, y->file.at, x->file.n < y->file.n ? x->file.n : y->file.n);
    return order ? order : (x->file.n > y->file.n) - (x->file.n < y->file.n);
}

static int is_whole(data_field f) {
    int is = f.n >= 1 && f.n <= 9;
    for (size_t i = 0; is && i < f.n; i++)
        is = f.at[i] >= '0' && f.at[i] <= '9';
    return is;
}

/* Reads lines of a file's name and a whole number; a first line without one is a header. */
static int read_other(other_list *o, const char *path, gnt_err *err) {
    maker m;
    data_field line, f[3];
    int more, rc = open_maker(&m, path, err);
    *o = (other_list){.bytes = m.bytes};
    m.csv.b = &o->bytes;
    while (rc == 0 && (more = data_csv_line(&m.csv, &line, err)) != 0) {
        const int n = more > 0 ? split(line, f, 3) : 0;
        if (more < 0)
            rc = -1;
        else if (n != 2 || !is_whole(f[1]))
            rc = n == 2 && m.csv.line == 1
                     ? 0
                     : gnt_fail(err, "%s: line %zu: expected the name of a file and a number", o->bytes.path,
                                m.csv.line);
        else if (GNT_GROW(o->row, o->n))
            rc = gnt_fail(err, "%s: out of memory", path);
        else
            o->row[o->n++] = (said){f[0], f[1]};
    }
    if (rc == 0 && o->n)
        qsort(o->row, o->n, sizeof *o->row, by_file);
    gnt_text_free(&m.table);
    return rc;
}

static void free_other(other_list *o) {
    data_bytes_free(&o->bytes);
    gnt_free(o->row);
}

/* Puts what the other list, where there is one, says of a file. */
static int put_other(maker *m, const other_list *o, data_field file, gnt_err *err) {
    const said key = {.file = file}, *found;
    if (!o->bytes.path)
        return 0;
    found = o->n ? bsearch(&key, o->row, o->n, sizeof key, by_file) : NULL;
    if (!found)
        return gnt_fail(err, "%s: has no line of %.*s, which is in line %zu of %s", o->bytes.path,
                        (int)(file.n < 100 ? file.n : 100), file.at, m->csv.line, m->bytes.path);
    put_field(m, found->value, 0);
    return 0;
}

static int celeba_header(maker *m, int has_part, int has_identity, int64_t *stated, gnt_err *err) {
    data_field line;
    int more = data_csv_line(&m->csv, &line, err), from = 0;
    int n = more > 0 ? split(line, m->field, MOST_FIELDS) : 0;
    *stated = -1;
    if (n == 1 && is_whole(m->field[0])) {
        if (data_csv_whole(&m->csv, m->field[0], "the number of rows", stated, err))
            return -1;
        more = data_csv_line(&m->csv, &line, err);
        n = more > 0 ? split(line, m->field, MOST_FIELDS) : 0;
    } else
        from = 1; /* a CSV file's header names the column of files, too */
    if (more < 0)
        return -1;
    if (n - from < 1 || n == MOST_FIELDS)
        return gnt_fail(
            err, "%s: line %zu: expected the number of rows, then a line with the names of the attributes",
            m->bytes.path, m->csv.line);
    reach_line(m);
    put_field(m, (data_field){"file", 4}, 1);
    for (int i = from; i < n; i++)
        put_field(m, m->field[i], 0);
    gnt_text_add(&m->table, "%s%s\n", has_part ? "\tpart" : "", has_identity ? "\tidentity" : "");
    m->line++;
    return n - from;
}

static int celeba_rows(maker *m, const other_list *part, const other_list *identity, gnt_err *err) {
    data_field line;
    int64_t stated, rows = 0;
    const int names = celeba_header(m, part->bytes.path != NULL, identity->bytes.path != NULL, &stated, err);
    int more = names < 0 ? -1 : 0;
    while (names >= 0 && (more = data_csv_line(&m->csv, &line, err)) > 0) {
        const int n = split(line, m->field, MOST_FIELDS);
        if (n != names + 1)
            return gnt_fail(err, "%s: line %zu: %d fields; expected the name of a file and %d attributes",
                            m->bytes.path, m->csv.line, n, names);
        reach_line(m);
        for (int i = 0; i < n; i++)
            put_field(m, m->field[i], i == 0);
        if (put_other(m, part, m->field[0], err) || put_other(m, identity, m->field[0], err))
            return -1;
        gnt_text_bytes(&m->table, "\n", 1);
        m->line++;
        rows++;
    }
    if (more == 0 && stated >= 0 && stated != rows)
        return gnt_fail(
            err, "%s: has %lld rows, but its first line says %lld; fetch it again, or correct that line",
            m->bytes.path, (long long)rows, (long long)stated);
    return more;
}

int data_celeba_table(data_bytes *out, const char *attributes, const char *partition, const char *identity,
                      gnt_err *err) {
    other_list part = {.n = 0}, person = {.n = 0};
    maker *m = gnt_alloc(sizeof *m);
    *out = (data_bytes){.size = 0};
    if (!m)
        return gnt_fail(err, "%s: out of memory", attributes);
    int rc = open_maker(m, attributes, err);
    if (rc == 0 && partition)
        rc = read_other(&part, partition, err);
    if (rc == 0 && identity)
        rc = read_other(&person, identity, err);
    if (rc == 0)
        rc = celeba_rows(m, &part, &person, err);
    rc = close_maker(m, out, rc, err);
    free_other(&part);
    free_other(&person);
    gnt_free(m);
    return rc;
}

/* ---- LFW ---- */

/* Finds the comment that names the columns: "#", "person", "imagenum", the scores. Returns their number
 * without "#"; −1 on error. */
static int lfw_header(maker *m, gnt_err *err) {
    data_field line;
    int more;
    while ((more = data_csv_line(&m->csv, &line, err)) > 0 && line.at[0] == '#') {
        const int n = data_csv_split(&m->csv, line, m->field, MOST_FIELDS, err);
        if (n < 0)
            return -1;
        if (n < 4 || n > MOST_FIELDS || !data_field_is(m->field[1], "person") ||
            !data_field_is(m->field[2], "imagenum"))
            continue;
        reach_line(m);
        put_field(m, (data_field){"file", 4}, 1);
        for (int i = 1; i < n; i++)
            put_field(m, m->field[i], 0);
        gnt_text_bytes(&m->table, "\n", 1);
        m->line++;
        return n - 1;
    }
    if (more < 0)
        return -1;
    return gnt_fail(
        err,
        "%s: no line names the columns; expected one with \"#\", person, imagenum and the names of scores, "
        "with tabs between them, before the first row",
        m->bytes.path);
}

/* Puts the path of a picture: its person with underscores for spaces. */
static int put_lfw_path(maker *m, int flat, gnt_err *err) {
    char person[200];
    const data_field f = m->field[0];
    int64_t number = 0;
    if (f.n < 1 || f.n >= sizeof person)
        return data_csv_bad(&m->csv, f, "person", "a name of 1 to 199 bytes", err);
    if (data_csv_whole(&m->csv, m->field[1], "imagenum", &number, err))
        return -1;
    if (number > MOST_NUMBER)
        return data_csv_bad(&m->csv, m->field[1], "imagenum", "the number of a picture, at most 9999", err);
    for (size_t i = 0; i < f.n; i++)
        person[i] = f.at[i] == ' ' ? '_' : f.at[i];
    if (!flat)
        gnt_text_add(&m->table, "%.*s/", (int)f.n, person);
    gnt_text_add(&m->table, "%.*s_%04d.jpg", (int)f.n, person, (int)number);
    return 0;
}

int data_lfw_table(data_bytes *out, const char *attributes, int flat, gnt_err *err) {
    maker *m = gnt_alloc(sizeof *m);
    data_field line;
    *out = (data_bytes){.size = 0};
    if (!m)
        return gnt_fail(err, "%s: out of memory", attributes);
    int more, columns = 0, rc = open_maker(m, attributes, err);
    m->csv.separator = '\t';
    if (rc == 0)
        rc = (columns = lfw_header(m, err)) < 0 ? -1 : 0;
    while (rc == 0 && (more = data_csv_line(&m->csv, &line, err)) != 0) {
        rc = more < 0 || data_csv_record(&m->csv, line, m->field, columns, "its header", err) ? -1 : 0;
        if (rc != 0)
            break;
        reach_line(m);
        rc = put_lfw_path(m, flat, err);
        for (int i = 0; i < columns; i++)
            put_field(m, m->field[i], 0);
        gnt_text_bytes(&m->table, "\n", 1);
        m->line++;
    }
    rc = close_maker(m, out, rc, err);
    gnt_free(m);
    return rc;
}
