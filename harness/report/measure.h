/* measure: what the report knows of a measure of leakage: its words, its unit, which way leaks more, how a
 * number of it is written. A measure it does not know is listed in tables, never ranked nor drawn. */
#ifndef GNT_REPORT_MEASURE_H
#define GNT_REPORT_MEASURE_H

#include <stddef.h>

#include "base/text.h"
#include "report/results.h"

typedef struct gnt_measure {
    const char *name;
    const char *title; /* for a heading: "PSNR" */
    const char *axis;  /* for an axis, short, unit included: "PSNR (dB)" */
    const char *words; /* the same in full: "PSNR of the recovered data (dB)" */
    const char *unit;  /* after a number: " dB", "" */
    int leak;          /* +1: higher leaks more; −1: lower leaks more */
    int decimals;
    double scale; /* what a number is multiplied by to be written: 100 for a share in per cent */
    int rank;     /* the order of plots; 0: only in tables */
} gnt_measure;

const gnt_measure *gnt_measure_find(const char *name); /* NULL when unknown */
/* All known ones in the order of rank; *n of them. */
const gnt_measure *gnt_measures(size_t *n);

/* 1 when a leaks more than b; NAN leaks least. */
int gnt_leaks_more(const gnt_measure *m, double a, double b);

/* 1 when there is an interval: a mean known without one has both ends at one number. */
int gnt_has_interval(const gnt_stat *s);

/* "23.1 dB [22.0, 24.3]", with the interval when there is one that is not a single number. */
void gnt_measure_write(const gnt_measure *m, const gnt_stat *s, gnt_text *out);
void gnt_measure_number(const gnt_measure *m, double value, gnt_text *out);

/* A utility by its own name: "accuracy" in per cent, anything else as a number. */
int gnt_utility_sign(const char *measure); /* +1: higher is better; −1: lower (loss) */
double gnt_utility_scale(const char *measure);
void gnt_utility_write(const char *measure, double value, gnt_text *out);

#endif
