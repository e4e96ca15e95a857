/* map: how well a network finds what a map marks, pixel by pixel: the utility of maps.
 *
 * A pixel is found if its score lies above a threshold, and wanted where the target is above 1/2. Of b
 * pixels that are both, t found and w wanted:
 *  - IoU: b / (t + w − b);
 *  - precision: b / t;
 *  - recall: b / w;
 *  - F: 2b / (t + w), which is 2·IoU / (1 + IoU).
 * With nothing to divide by, a number is 1 where t and w are both 0 (nothing to find, nothing found), else 0.
 * Pooled: b, t and w are summed over all images first. By image: the mean over images of each one's own.
 *
 * In an image with a score that is not finite every pixel counts as wrong, so that each of its numbers is 0.
 *
 * Standard errors are those of bootstrap over images: the deviation over GNT_MAP_DRAWS sets of as many
 * images, drawn with replacement. */
#ifndef GNT_METRIC_MAP_H
#define GNT_METRIC_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

enum { GNT_MAP_DRAWS = 400 };

typedef enum gnt_map_number {
    GNT_MAP_IOU,
    GNT_MAP_PRECISION,
    GNT_MAP_RECALL,
    GNT_MAP_F,
    GNT_MAP_IMAGE_IOU, /* by image from here on, in the same order */
    GNT_MAP_IMAGE_PRECISION,
    GNT_MAP_IMAGE_RECALL,
    GNT_MAP_IMAGE_F,
    GNT_MAP_NUMBERS
} gnt_map_number;
extern const char *const gnt_map_names[GNT_MAP_NUMBERS];  /* "iou", "precision" … as files say it */
extern const char *const gnt_map_titles[GNT_MAP_NUMBERS]; /* "IoU", "precision" … as people read it */

/* Pixels of one image. */
typedef struct gnt_map_counts {
    int64_t both, found, wanted;
} gnt_map_counts;

/* Counts the pixels that a map marks, that the network finds, and both. y: a target in [0, 1] for each of
 * n pixels; score: the network's output. */
gnt_map_counts gnt_map_count(const float *y, const float *score, size_t n, double threshold);

typedef struct gnt_map_result {
    double value[GNT_MAP_NUMBERS]; /* NaN without images */
    double error[GNT_MAP_NUMBERS]; /* standard errors; 0 of one image */
} gnt_map_result;

/* Sets the numbers of n images. random: as it was opened; the same stream gives the same errors. */
int gnt_map_measure(gnt_map_result *out, const gnt_map_counts *image, size_t n, gnt_stream random,
                    gnt_err *err);

/* Computes n numbers whose mean is the pooled IoU, and whose mean's standard error is, to first order, that
 * of the pooled IoU: IoU + (b − IoU·u) / ū, u an image's union and ū the mean one. Two networks are compared
 * on the same images by their differences. */
void gnt_map_iou_by_image(float *out, const gnt_map_counts *image, size_t n);

#endif
