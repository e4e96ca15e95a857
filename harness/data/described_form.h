/* described_form: how the text of a described table or list is written: what separates fields, the decimal
 * sign, and what stands for a missing value. */
#ifndef GNT_DATA_DESCRIBED_FORM_H
#define GNT_DATA_DESCRIBED_FORM_H

#include "data/csv.h"
#include "data/description.h"

enum { DATA_MOST_MISSING = 16 };

typedef struct data_form {
    int decimal_comma;
    char separator;
    const char *missing[DATA_MOST_MISSING];
    size_t n_missing;
} data_form;

/* Reads the keys "separator", "decimal" and "missing" of a description. */
int data_form_read(data_form *form, const data_description *of, gnt_err *err);
/* True if the field stands for a missing value. */
int data_form_misses(const data_form *form, data_field f);
/* Reads a number with sign, decimal sign and exponent: "-1.5e3". */
int data_form_number(const data_form *form, const data_csv *csv, data_field f, const char *name, double *out,
                     gnt_err *err);

#endif
