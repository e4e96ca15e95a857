#include "metric/map.h"

#include <math.h>

#include "base/mem.h"

const char *const gnt_map_names[GNT_MAP_NUMBERS] = {
    "iou", "precision", "recall", "f_score", "image_iou", "image_precision", "image_recall", "image_f_score"};
const char *const gnt_map_titles[GNT_MAP_NUMBERS] = {
    "IoU", "precision", "recall", "F", "IoU by image", "precision by image", "recall by image", "F by image"};

gnt_map_counts gnt_map_count(const float *y, const float *score, size_t n, double threshold) {
    gnt_map_counts c = {0};
    int broken = 0;
    for (size_t i = 0; i < n; i++) {
        const int wanted = y[i] > 0.5f, found = (double)score[i] > threshold;
        broken |= !isfinite(score[i]);
        c.both += wanted && found;
        c.found += found;
        c.wanted += wanted;
    }
    return broken ? (gnt_map_counts){0, (int64_t)n - c.wanted, c.wanted} : c;
}

static double share(int64_t part, int64_t of, const gnt_map_counts *c) {
    return of ? (double)part / (double)of : c->found == 0 && c->wanted == 0;
}

/* Computes the four numbers of one set of pixels. */
static void numbers(const gnt_map_counts *c, double out[GNT_MAP_IMAGE_IOU]) {
    out[GNT_MAP_IOU] = share(c->both, c->found + c->wanted - c->both, c);
    out[GNT_MAP_PRECISION] = share(c->both, c->found, c);
    out[GNT_MAP_RECALL] = share(c->both, c->wanted, c);
    out[GNT_MAP_F] = share(2 * c->both, c->found + c->wanted, c);
}

typedef struct totals {
    gnt_map_counts pooled;
    double by_image[GNT_MAP_IMAGE_IOU];
} totals;

/* Adds image i to the totals. of_image: the four numbers of each image. */
static void add(totals *t, const gnt_map_counts *image, const double (*of_image)[GNT_MAP_IMAGE_IOU],
                size_t i) {
    t->pooled.both += image[i].both;
    t->pooled.found += image[i].found;
    t->pooled.wanted += image[i].wanted;
    for (int k = 0; k < GNT_MAP_IMAGE_IOU; k++)
        t->by_image[k] += of_image[i][k];
}

static void finish(const totals *t, size_t n, double out[GNT_MAP_NUMBERS]) {
    numbers(&t->pooled, out);
    for (int k = 0; k < GNT_MAP_IMAGE_IOU; k++)
        out[GNT_MAP_IMAGE_IOU + k] = t->by_image[k] / (double)n;
}

int gnt_map_measure(gnt_map_result *out, const gnt_map_counts *image, size_t n, gnt_stream random,
                    gnt_err *err) {
    double sum[GNT_MAP_NUMBERS] = {0}, squares[GNT_MAP_NUMBERS] = {0};
    for (int k = 0; k < GNT_MAP_NUMBERS; k++)
        out->value[k] = out->error[k] = NAN;
    if (n == 0)
        return 0;
    double(*of_image)[GNT_MAP_IMAGE_IOU] = gnt_array(n, sizeof *of_image);
    if (!of_image)
        return gnt_fail(err, "out of memory for the utility of %zu maps", n);
    totals all = {0};
    for (size_t i = 0; i < n; i++) {
        numbers(&image[i], of_image[i]);
        add(&all, image, (const double(*)[GNT_MAP_IMAGE_IOU])of_image, i);
    }
    finish(&all, n, out->value);
    for (int draw = 0; draw < GNT_MAP_DRAWS; draw++) {
        double again[GNT_MAP_NUMBERS];
        totals t = {0};
        for (size_t i = 0; i < n; i++)
            add(&t, image, (const double(*)[GNT_MAP_IMAGE_IOU])of_image,
                (size_t)gnt_random_below(&random, n));
        finish(&t, n, again);
        for (int k = 0; k < GNT_MAP_NUMBERS; k++) { /* from the value, so that little is lost */
            sum[k] += again[k] - out->value[k];
            squares[k] += (again[k] - out->value[k]) * (again[k] - out->value[k]);
        }
    }
    for (int k = 0; k < GNT_MAP_NUMBERS; k++) {
        const double variance = (squares[k] - sum[k] * sum[k] / GNT_MAP_DRAWS) / (GNT_MAP_DRAWS - 1);
        out->error[k] = variance > 0 ? sqrt(variance) : 0;
    }
    gnt_free(of_image);
    return 0;
}

void gnt_map_iou_by_image(float *out, const gnt_map_counts *image, size_t n) {
    int64_t both = 0, joined = 0;
    for (size_t i = 0; i < n; i++) {
        both += image[i].both;
        joined += image[i].found + image[i].wanted - image[i].both;
    }
    const double iou = joined ? (double)both / (double)joined : 1, mean = (double)joined / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double own = (double)(image[i].found + image[i].wanted - image[i].both);
        out[i] = (float)(joined ? iou + ((double)image[i].both - iou * own) / mean : 1);
    }
}
