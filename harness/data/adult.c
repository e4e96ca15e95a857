/* UCI Adult: adult.data and adult.test, fifteen columns separated by ", ". The test file opens with a line
 * that starts with '|' and its labels end in '.'; both files end with a blank line. "?" stands for an unknown
 * workclass, occupation or country. */
#include <string.h>

#include "base/mem.h"
#include "data/csv.h"
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
    data_csv csv;
    int dotted; /* do labels end in '.'? −1: not seen yet */
} adult_reader;

static int read_income(adult_reader *r, data_field f, int32_t *out, gnt_err *err) {
    int dotted = f.n && f.at[f.n - 1] == '.';
    data_field bare = {f.at, f.n - (size_t)dotted};
    if (r->dotted < 0)
        r->dotted = dotted;
    if (r->dotted != dotted)
        return data_csv_bad(&r->csv, f, "income",
                            r->dotted ? "<=50K. or >50K. as on the lines before"
                                      : "<=50K or >50K as on the lines before",
                            err);
    if (!data_field_is(bare, "<=50K") && !data_field_is(bare, ">50K"))
        return data_csv_bad(&r->csv, f, "income", "<=50K or >50K", err);
    *out = bare.n == 4;
    return 0;
}

static int read_person(adult_reader *r, data_field line, person *p, gnt_err *err) {
    data_field field[COLUMNS];
    if (data_csv_record(&r->csv, line, field, COLUMNS, "an Adult record", err))
        return -1;
    for (int c = 0; c < COLUMNS; c++) {
        const int what = column[c], kind = what - KIND;
        int rc;
        if (what == INCOME)
            rc = read_income(r, field[c], &p->income, err);
        else if (what >= KIND)
            rc = data_csv_word(&r->csv, field[c], person_kinds[kind].column, person_kinds[kind].name,
                               person_kinds[kind].n, "a value that adult.names lists", &p->kind[kind], err);
        else
            rc = data_csv_whole(&r->csv, field[c], person_number_names[what], &p->number[what], err);
        if (rc)
            return -1;
    }
    return 0;
}

/* Reads the next line that holds a record; returns 0 at the end of the file, −1 on error. */
static int next_line(adult_reader *r, data_field *line, gnt_err *err) {
    int more = data_csv_line(&r->csv, line, err);
    if (more > 0 && r->csv.line == 1 && line->at[0] == '|')
        more = data_csv_line(&r->csv, line, err);
    return more;
}

/* Counts the records, and stores them from `row` on when d is given. */
static int64_t read_all(const data_bytes *b, gnt_data *d, int64_t row, int64_t official, gnt_err *err) {
    adult_reader r = {.csv = {.b = b, .most_line = MOST_LINE}, .dotted = -1};
    int64_t n = 0;
    data_field line = {NULL, 0};
    int more;
    while ((more = next_line(&r, &line, err)) > 0) {
        person p = {.income = 0};
        if (n == official)
            return gnt_fail(err, "%s: line %zu, offset %zu: more than the %lld records of the published file",
                            b->path, r.csv.line, (size_t)(line.at - (const char *)b->at),
                            (long long)official);
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

static const char *const files[] = {"adult.data", "adult.test", NULL};

const data_source data_adult = {.name = "adult",
                                .about = "UCI Adult, adult.data and adult.test",
                                .rows = {32561, 16281, 0},
                                .shape = person_shape,
                                .load = load,
                                .content = "5472545856be869d00fa2870743290abf7ccfa5b78736904937c3bbc5b51e392",
                                .folders = (const char *const[]){"adult", ".", NULL},
                                .files = files};

/* The same records as numbers, as TAPPFL's authors have them. */
const data_source data_adult_codes = {.name = "adult_codes",
                                      .about = "UCI Adult, each column one number",
                                      .rows = {32561, 16281, 0},
                                      .shape = person_shape_codes,
                                      .load = load,
                                      .content =
                                          "21898286aa2a37a8740606a658c5277adf5f990a97d73c2dd6e287ecef7c5354",
                                      .folders = (const char *const[]){"adult", ".", NULL},
                                      .files = files};
