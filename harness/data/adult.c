/* UCI Adult: adult.data and adult.test, fifteen columns apart by ", ". The test file opens with a line that
 * starts with '|' and its labels end in '.'; both files end with a blank line. "?" stands for an unknown
 * workclass, occupation or country. */
#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/person.h"
#include "data/source.h"

enum { COLUMNS = 15, MOST_LINE = 400, MOST_BYTES = 8 << 20 };

/* What each column is: a number (its place) or a kind (its place + KIND). */
enum { KIND = 100, INCOME = 200 };
static const int column[COLUMNS] = {PERSON_AGE,
                                    KIND + PERSON_WORK,
                                    PERSON_WEIGHT,
                                    KIND + PERSON_EDUCATION,
                                    PERSON_YEARS,
                                    KIND + PERSON_MARITAL,
                                    KIND + PERSON_JOB,
                                    KIND + PERSON_RELATION,
                                    KIND + PERSON_RACE,
                                    KIND + PERSON_SEX,
                                    PERSON_GAIN,
                                    PERSON_LOSS,
                                    PERSON_HOURS,
                                    KIND + PERSON_COUNTRY,
                                    INCOME};

typedef struct adult_reader {
    const data_bytes *b;
    size_t at;   /* offset of the next line */
    size_t line; /* number of the line being read, from 1 */
    int dotted;  /* do labels end in '.'? −1: not seen yet */
} adult_reader;

typedef struct piece {
    const char *at;
    size_t n;
} piece;

static int is_word(piece p, const char *word) {
    return strlen(word) == p.n && !memcmp(p.at, word, p.n);
}

static int bad_field(const adult_reader *r, piece p, const char *name, const char *expected, gnt_err *err) {
    char shown[41] = {0};
    for (size_t i = 0; i < p.n && i < sizeof shown - 1; i++)
        shown[i] = p.at[i] ? p.at[i] : '?';
    return gnt_fail(err, "%s: line %zu, offset %zu: %s is \"%s\"; expected %s", r->b->path, r->line,
                    (size_t)(p.at - (const char *)r->b->at), name, shown, expected);
}

static int read_number(const adult_reader *r, piece p, const char *name, int64_t *out, gnt_err *err) {
    int64_t v = 0;
    if (p.n < 1 || p.n > 9)
        return bad_field(r, p, name, "a whole number of at most nine digits", err);
    for (size_t i = 0; i < p.n; i++) {
        if (p.at[i] < '0' || p.at[i] > '9')
            return bad_field(r, p, name, "a whole number", err);
        v = 10 * v + (p.at[i] - '0');
    }
    *out = v;
    return 0;
}

static int read_kind(const adult_reader *r, piece p, const person_values *values, int32_t *out,
                     gnt_err *err) {
    for (int v = 0; v < values->n; v++)
        if (is_word(p, values->name[v])) {
            *out = v;
            return 0;
        }
    return bad_field(r, p, values->column, "a value that adult.names lists", err);
}

static int read_income(adult_reader *r, piece p, int32_t *out, gnt_err *err) {
    int dotted = p.n && p.at[p.n - 1] == '.';
    piece bare = {p.at, p.n - (size_t)dotted};
    if (r->dotted < 0)
        r->dotted = dotted;
    if (r->dotted != dotted)
        return bad_field(r, p, "income",
                         r->dotted ? "<=50K. or >50K. as on the lines before"
                                   : "<=50K or >50K as on the lines before",
                         err);
    if (!is_word(bare, "<=50K") && !is_word(bare, ">50K"))
        return bad_field(r, p, "income", "<=50K or >50K", err);
    *out = bare.n == 4;
    return 0;
}

static int read_person(adult_reader *r, piece line, person *p, gnt_err *err) {
    size_t from = 0;
    for (int c = 0; c < COLUMNS; c++) {
        const char *comma = from <= line.n ? memchr(line.at + from, ',', line.n - from) : NULL;
        size_t to = comma ? (size_t)(comma - line.at) : line.n;
        if (from > line.n || (comma != NULL) != (c < COLUMNS - 1))
            return gnt_fail(err, "%s: line %zu, offset %zu: %s than the %d columns of an Adult record",
                            r->b->path, r->line, (size_t)(line.at - (const char *)r->b->at),
                            comma ? "more" : "fewer", COLUMNS);
        piece f = {line.at + from, to - from};
        while (f.n && f.at[0] == ' ')
            f.at++, f.n--;
        while (f.n && f.at[f.n - 1] == ' ')
            f.n--;
        int what = column[c], rc;
        if (what == INCOME)
            rc = read_income(r, f, &p->income, err);
        else if (what >= KIND)
            rc = read_kind(r, f, &person_kinds[what - KIND], &p->kind[what - KIND], err);
        else
            rc = read_number(r, f, person_number_names[what], &p->number[what], err);
        if (rc)
            return -1;
        from = to + 1;
    }
    return 0;
}

/* The next line that holds a record; 0 at the end of the file, −1 on error. */
static int next_line(adult_reader *r, piece *out, gnt_err *err) {
    while (r->at < r->b->size) {
        const char *from = (const char *)r->b->at + r->at;
        const char *end = memchr(from, '\n', r->b->size - r->at);
        size_t n = end ? (size_t)(end - from) : r->b->size - r->at;
        r->at += n + (end != NULL);
        r->line++;
        if (n && from[n - 1] == '\r')
            n--;
        if (n > MOST_LINE)
            return gnt_fail(err, "%s: line %zu: %zu bytes long; a record has at most %d", r->b->path, r->line,
                            n, MOST_LINE);
        if (n == 0 || (r->line == 1 && from[0] == '|'))
            continue;
        *out = (piece){from, n};
        return 1;
    }
    return 0;
}

/* Counts the records, and stores them from `row` on when d is given. */
static int64_t read_all(const data_bytes *b, gnt_data *d, int64_t row, int64_t official, gnt_err *err) {
    adult_reader r = {.b = b, .dotted = -1};
    int64_t n = 0;
    piece line = {NULL, 0};
    int more;
    while ((more = next_line(&r, &line, err)) > 0) {
        person p = {.income = 0};
        if (n == official)
            return gnt_fail(err, "%s: line %zu, offset %zu: more than the %lld records of the published file",
                            b->path, r.line, (size_t)(line.at - (const char *)b->at), (long long)official);
        if (read_person(&r, line, &p, err))
            return -1;
        if (d)
            person_store(d, row + n, &p);
        n++;
    }
    if (more < 0)
        return -1;
    if (n == 0)
        return gnt_fail(err, "%s: offset %zu: the file ends without a record; expected 1 to %lld", b->path,
                        b->size, (long long)official);
    return n;
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    static const char *const name[2] = {"adult.data", "adult.test"};
    static const int64_t official[2] = {32561, 16281};
    data_bytes b[2];
    int64_t part[3] = {0, 0, 0};
    memset(b, 0, sizeof b);
    int rc = -1;
    for (int p = 0; p < 2; p++) {
        if (data_bytes_open(&b[p], folder, name[p], MOST_BYTES, err))
            goto cleanup;
        part[p] = read_all(&b[p], NULL, 0, official[p], err);
        if (part[p] < 0 || data_note(notes, b[p].path, p, part[p], official[p], err))
            goto cleanup;
    }
    if (data_reserve(d, part, err))
        goto cleanup;
    for (int p = 0; p < 2; p++)
        if (read_all(&b[p], d, p ? part[0] : 0, official[p], err) < 0)
            goto cleanup;
    rc = 0;
cleanup:
    for (int p = 0; p < 2; p++)
        data_bytes_free(&b[p]);
    return rc;
}

static const char *const folders[] = {"adult", ".", NULL};
static const char *const files[] = {"adult.data", "adult.test", NULL};

const data_source data_adult = {.name = "adult",
                                .about = "UCI Adult, adult.data and adult.test",
                                .rows = {32561, 16281, 0},
                                .shape = person_shape,
                                .load = load,
                                .folders = folders,
                                .files = files};
