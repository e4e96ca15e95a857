/* csv: a table as text, one record a line, fields apart by commas or another separator. Nothing is copied:
 * lines and fields point into the bytes of the file, without their line end and without spaces around. A
 * field may stand in double quotes (RFC 4180), inside which separators belong to it; they are not part of
 * it, and two inside stay two. Every error names file, line and, of a field, offset. */
#ifndef GNT_DATA_CSV_H
#define GNT_DATA_CSV_H

#include "data/bytes.h"

typedef struct data_field {
    const char *at;
    size_t n;
} data_field;

typedef struct data_csv {
    const data_bytes *b;
    size_t most_line; /* greatest number of bytes in a line */
    char separator;   /* 0: a comma */
    /* 1: the text was made of another file's lines, so that errors name lines alone */
    int has_no_offsets;
    size_t at;   /* offset of the next line */
    size_t line; /* number of the line being read, from 1 */
} data_csv;

/* Reads the next line that is not empty. Returns 1; 0 at the end of the file, −1 on error. */
int data_csv_line(data_csv *c, data_field *line, gnt_err *err);

/* Cuts a line into fields, of which the first `room` are stored. How many there are; −1 on error. */
int data_csv_split(const data_csv *c, data_field line, data_field *field, int room, gnt_err *err);
/* Reads a line that must have n fields; `whose` says of what: "an Adult record". */
int data_csv_record(const data_csv *c, data_field line, data_field *field, int n, const char *whose,
                    gnt_err *err);

int data_field_is(data_field f, const char *word);
/* Fails with a sentence about a field of column `name`. */
int data_csv_bad(const data_csv *c, data_field f, const char *name, const char *expected, gnt_err *err);
/* Reads a whole number of at most nine digits, without a sign. */
int data_csv_whole(const data_csv *c, data_field f, const char *name, int64_t *out, gnt_err *err);
/* Reads a number of at most 15 digits without a sign, with or without a decimal point: "5.32", "26490". */
int data_csv_decimal(const data_csv *c, data_field f, const char *name, double *out, gnt_err *err);
/* Sets *out to the index of the field among n words. `expected` ends the error: "a value that adult.names
 * lists". */
int data_csv_word(const data_csv *c, data_field f, const char *name, const char *const *word, int n,
                  const char *expected, int32_t *out, gnt_err *err);

#endif
