/* FHFA's public use database of the Federal Home Loan Banks, 2010: one table with a header line. Columns are
 * found by the names in it; those that loan.h does not list may hold anything. The file has no test part: of
 * the records that are used, in the order of the file, the fifth of each five is the test part. The sets
 * `loans` and `loans_ratios` are the same rows without and with the columns that the label is made of. */
#include <string.h>

#include "base/mem.h"
#include "data/csv.h"
#include "data/loan.h"
#include "data/source.h"
#include "data/zip.h"

enum { PUBLISHED = 41220, TRAIN = 30809, TEST = 7702, MOST_LINE = 4000, MOST_COLUMNS = 200, FOLD = 5 };
enum { MOST_BYTES = 32 << 20 };

#define FILE_NAME "AMA_PUDB_Export_123110.csv"

typedef struct loan_reader {
    data_csv csv;
    int columns; /* of the file */
    int number[LOAN_NUMBERS], kind[LOAN_KINDS];
} loan_reader;

static int find_column(const loan_reader *r, const data_field *field, const char *name, int *out,
                       gnt_err *err) {
    *out = -1;
    for (int c = 0; c < r->columns; c++) {
        if (!data_field_is(field[c], name))
            continue;
        if (*out >= 0)
            return gnt_fail(err, "%s: line %zu: columns %d and %d are both called %s; expected one",
                            r->csv.b->path, r->csv.line, *out + 1, c + 1, name);
        *out = c;
    }
    if (*out < 0)
        return gnt_fail(err,
                        "%s: line %zu: none of its %d columns is called %s; expected the names of FHFA's "
                        "file of 2010",
                        r->csv.b->path, r->csv.line, r->columns, name);
    return 0;
}

static int read_header(loan_reader *r, gnt_err *err) {
    data_field line, field[MOST_COLUMNS];
    const int more = data_csv_line(&r->csv, &line, err);
    if (more == 0)
        return gnt_fail(err, "%s: offset %zu: the file is empty; expected a line of column names",
                        r->csv.b->path, r->csv.b->size);
    if (more < 0 || (r->columns = data_csv_split(&r->csv, line, field, MOST_COLUMNS, err)) < 0)
        return -1;
    if (r->columns > MOST_COLUMNS)
        return gnt_fail(err, "%s: line %zu: %d columns; expected at most %d", r->csv.b->path, r->csv.line,
                        r->columns, MOST_COLUMNS);
    for (int i = 0; i < LOAN_NUMBERS; i++)
        if (find_column(r, field, loan_number_columns[i], &r->number[i], err))
            return -1;
    for (int k = 0; k < LOAN_KINDS; k++)
        if (find_column(r, field, loan_kinds[k].column, &r->kind[k], err))
            return -1;
    return 0;
}

static int read_loan(const loan_reader *r, data_field line, loan *l, gnt_err *err) {
    data_field field[MOST_COLUMNS];
    if (data_csv_record(&r->csv, line, field, r->columns, "the header", err))
        return -1;
    for (int i = 0; i < LOAN_NUMBERS; i++)
        if (data_csv_decimal(&r->csv, field[r->number[i]], loan_number_columns[i], &l->number[i], err))
            return -1;
    for (int k = 0; k < LOAN_KINDS; k++)
        if (data_csv_word(&r->csv, field[r->kind[k]], loan_kinds[k].column, loan_kinds[k].code,
                          loan_kinds[k].n, "a value that FHFA's column definitions list", &l->kind[k], err))
            return -1;
    return 0;
}

/* Counts the records, and those used in the train and test part; stores these when d is given. */
static int read_all(const data_bytes *b, gnt_data *d, int64_t *records, int64_t part[3], gnt_err *err) {
    loan_reader r = {.csv = {.b = b, .most_line = MOST_LINE}};
    data_field line;
    int64_t used = 0;
    int more;
    *records = part[GNT_PART_TRAIN] = part[GNT_PART_TEST] = 0;
    if (read_header(&r, err))
        return -1;
    while ((more = data_csv_line(&r.csv, &line, err)) > 0) {
        loan l;
        if (++*records > PUBLISHED)
            return gnt_fail(err, "%s: line %zu: more than the %d records of the published file", b->path,
                            r.csv.line, PUBLISHED);
        if (read_loan(&r, line, &l, err))
            return -1;
        if (!loan_is_complete(&l))
            continue;
        const int p = ++used % FOLD ? GNT_PART_TRAIN : GNT_PART_TEST;
        if (d)
            loan_store(d, part[p] + (p == GNT_PART_TEST ? d->part[GNT_PART_TRAIN] : 0), &l);
        part[p]++;
    }
    if (more < 0)
        return -1;
    if (part[GNT_PART_TEST] == 0)
        return gnt_fail(err,
                        "%s: offset %zu: the file ends after %lld records that state race, income and the "
                        "tract's income; expected at least %d",
                        b->path, b->size, (long long)used, FOLD);
    return 0;
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    data_bytes b;
    int64_t records = 0, part[3] = {0, 0, 0};
    if (data_zip_open(&b, folder, FILE_NAME, MOST_BYTES, err))
        return -1;
    int rc = read_all(&b, NULL, &records, part, err) ||
                     data_note(notes, b.path, GNT_PART_TRAIN, records, PUBLISHED, err) ||
                     data_reserve(d, part, err) || read_all(&b, d, &records, part, err)
                 ? -1
                 : 0;
    data_bytes_free(&b);
    return rc;
}

static const int plain = LOAN_FEATURES, with_ratios = LOAN_FEATURES + LOAN_RATIOS;
static const char *const folders[] = {"fhfa", ".", NULL};
static const char *const files[] = {FILE_NAME, FILE_NAME ".gz", FILE_NAME ".zip", NULL};

const data_source data_loans = {.name = "loans",
                                .about = "FHFA, home loans of 2010, " FILE_NAME,
                                .rows = {TRAIN, TEST, 0},
                                .shape = loan_shape,
                                .variant = &plain,
                                .load = load,
                                .content = "5c0d35001ba10f2b80be08c752f966857b7bad3627d85c11d246f7adcead9e7c",
                                .folders = folders,
                                .files = files};
const data_source data_loans_ratios = {.name = "loans_ratios",
                                       .about = "the same with the columns that its label is made of",
                                       .rows = {TRAIN, TEST, 0},
                                       .shape = loan_shape,
                                       .variant = &with_ratios,
                                       .load = load,
                                       .content =
                                           "4cd917f4ab3688f5426d300b2e04cedd501a89f95b627951e90a1c85c586d91a",
                                       .folders = folders,
                                       .files = files};
