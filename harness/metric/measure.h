/* measure: what is known of a measure of leakage: its words, its unit, which way leaks more; and what results say of
 * it. */
#ifndef GNT_METRIC_MEASURE_H
#define GNT_METRIC_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "metric/resample.h"

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
    int whole;    /* of a cell as a whole; else each target has a number of it */
} gnt_measure;

const gnt_measure *gnt_measure_find(const char *name); /* NULL when unknown */
/* All known ones; *n of them. */
const gnt_measure *gnt_measures(size_t *n);

/* 1 when a leaks more than b; NAN leaks least. */
int gnt_leaks_more(const gnt_measure *m, double a, double b);

/* {"mean", "deviation", "worst", "median", "low", "high", "n"} of n ≥ 1 finite numbers; worst is the one that leaks
 * most, low … high the bootstrap interval of the mean, drawn from a stream of `key` by the measure's name (cluster: as
 * gnt_metric_bootstrap_mean has it). The caller owns it; NULL with a sentence when a number is not finite. */
json_t *gnt_measure_stat(const gnt_measure *m, const double *x, const int64_t *cluster, size_t n,
                         const gnt_key *key, gnt_err *err);
/* The same of one number of a whole. */
json_t *gnt_measure_stat_whole(double value, double worst, double low, double high, size_t n);

#endif
