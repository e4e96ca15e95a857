/* measure: the measures of leakage: their words, their unit, which way leaks more; and what results say of
 * one. The one list: a measure more is a line of gnt_measure_id, a row in measure.c, and the code that
 * computes it. */
#ifndef GNT_METRIC_MEASURE_H
#define GNT_METRIC_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "metric/estimate.h"

/* A suite's measures are a mask with bit 1u << id. The order is that in which a suite's errors name them. */
typedef enum gnt_measure_id {
    GNT_MEASURE_MSE,
    GNT_MEASURE_MSE255,
    GNT_MEASURE_PSNR,
    GNT_MEASURE_SSIM,
    GNT_MEASURE_REGION_MSE,
    GNT_MEASURE_REGION_PSNR,
    GNT_MEASURE_REGION_SSIM,
    GNT_MEASURE_IDENTIFICATION,
    GNT_MEASURE_LABEL_ACCURACY,
    GNT_MEASURE_ATTRIBUTE_ACCURACY,
    GNT_MEASURE_ATTRIBUTE_BALANCED,
    GNT_MEASURE_ATTRIBUTE_RELABELLED,
    GNT_MEASURE_CONTRIBUTION_ERROR,
    GNT_MEASURE_CONTRIBUTION_RANK,
    /* these are measured only where a suite names them */
    GNT_MEASURE_LPIPS_ALEX,
    GNT_MEASURE_LPIPS_VGG,
    GNT_MEASURE_LPIPS_SQUEEZE,
    GNT_MEASURE_REGION_LPIPS_ALEX,
    GNT_MEASURE_REGION_LPIPS_VGG,
    GNT_MEASURE_REGION_LPIPS_SQUEEZE,
    GNT_MEASURE_FEATURE_DISTANCE,
    GNT_MEASURE_REPRESENTATION_MSE,
    GNT_MEASURES
} gnt_measure_id;

/* What a measure says was recovered. */
typedef enum gnt_recovers {
    GNT_RECOVERS_DATA,
    GNT_RECOVERS_ATTRIBUTE,
    GNT_RECOVERS_LABEL,
    GNT_RECOVERS_CONTRIBUTION,
    GNT_RECOVERS_KINDS
} gnt_recovers;

typedef struct gnt_measure {
    const char *name;
    /* for a heading: "PSNR" */
    const char *title;
    /* for an axis, short, unit included: "PSNR (dB)" */
    const char *axis;
    /* the same in full: "PSNR of the recovered data (dB)" */
    const char *words;
    /* after a number: " dB", "" */
    const char *unit;
    /* +1: higher leaks more; −1: lower leaks more */
    int leak;
    int decimals;
    /* what a number is multiplied by to be written: 100 for a share in per cent */
    double scale;
    /* the place among all measures in reports, from 1; the first that has a number leads */
    int order;
    /* 1: listed in tables, neither ranked nor drawn */
    int undrawn;
    /* 1: of a cell as a whole; 0: each target has a number of it */
    int whole;
    /* 1: of each target a share, from 0 to 1, whose interval is Wilson's */
    int share;
    /* what a number can be */
    gnt_score_bounds bounds;
    gnt_recovers recovers;
    /* `check` compares a cell by the first of each kind that has a number; from 1, 0: by this one never */
    int check_order;
    /* `check`: how much worse is near enough to no change, where the suite does not say; in units of the
     * number */
    double tolerance;
} gnt_measure;

/* What results say of one measure; `worst` is the score that leaks most. */
typedef struct gnt_stat {
    /* low … high: the interval of the mean */
    double mean, deviation, worst, median, low, high;
    int64_t n;
    /* how many there are; 0: the file does not say, nor what the interval is over */
    int64_t trainings;
    gnt_interval_over over;
} gnt_stat;

const gnt_measure *gnt_measure_of(gnt_measure_id id);
gnt_measure_id gnt_measure_id_of(const gnt_measure *m);
/* Returns the measure at a place of reports, 0 … GNT_MEASURES − 1. */
const gnt_measure *gnt_measure_at(size_t place);
/* Returns the measure of that name; NULL if there is none. */
const gnt_measure *gnt_measure_find(const char *name);
/* Fills in the names of all measures, by id. */
void gnt_measure_names(const char *names[GNT_MEASURES]);

/* True if a leaks more than b; NAN leaks least. */
int gnt_leaks_more(const gnt_measure *m, double a, double b);

/* Fills the statistics of n ≥ 1 finite numbers. The mean, its interval and what that is over are those of
 * metric/estimate.h; training: as there. Fails with a sentence if a number is not finite. */
int gnt_measure_stat(gnt_stat *out, const gnt_measure *m, const double *x, const int64_t *training, size_t n,
                     gnt_err *err);
/* Returns the statistics of a number of a whole: no deviation, the median being the mean. */
gnt_stat gnt_measure_stat_whole(const gnt_estimate *e, double worst, size_t n);
#endif
