#include "metric/measure.h"

#include <math.h>
#include <string.h>

static const gnt_measure known[] = {
    {"psnr", "PSNR", "PSNR (dB)", "PSNR of the recovered data (dB)", " dB", 1, 1, 1, 1, 0},
    {"ssim", "SSIM", "SSIM", "SSIM of the recovered image", "", 1, 3, 1, 2, 0},
    {"region_psnr", "PSNR of the region", "PSNR, region (dB)", "PSNR of the sensitive region (dB)", " dB", 1,
     1, 1, 10, 0},
    {"region_ssim", "SSIM of the region", "SSIM, region", "SSIM of the sensitive region", "", 1, 3, 1, 11, 0},
    {"region_mse", "MSE of the region", "MSE, region", "MSE of the sensitive region", "", -1, 4, 1, 0, 0},
    {"identification", "identification rate", "identified (%)", "private images identified among many (%)",
     " %", 1, 1, 100, 3, 0},
    {"label_accuracy", "label accuracy", "labels found (%)", "private labels found (%)", " %", 1, 1, 100, 4,
     0},
    {"attribute_balanced", "balanced attribute accuracy", "attribute, balanced (%)",
     "private attribute inferred, balanced accuracy (%)", " %", 1, 1, 100, 5, 1},
    {"attribute_accuracy", "attribute accuracy", "attribute inferred (%)", "private attribute inferred (%)",
     " %", 1, 1, 100, 6, 0},
    {"mse", "MSE", "MSE", "MSE of the recovered data", "", -1, 4, 1, 7, 0},
    {"contribution_error", "contribution error", "contribution error (%)",
     "relative error of a client's contribution to the secure sum (%)", " %", -1, 1, 100, 8, 0},
    {"contribution_rank", "rank correlation of contributions", "rank correlation",
     "rank correlation of clients' contributions, told and true", "", 1, 2, 1, 9, 1},
    {"lpips_alex", "LPIPS (AlexNet)", "LPIPS, AlexNet", "LPIPS (AlexNet) of the recovered image", "", -1, 3,
     1, 12, 0},
    {"lpips_vgg", "LPIPS (VGG-16)", "LPIPS, VGG-16", "LPIPS (VGG-16) of the recovered image", "", -1, 3, 1,
     13, 0},
    {"lpips_squeeze", "LPIPS (SqueezeNet)", "LPIPS, SqueezeNet",
     "LPIPS (SqueezeNet 1.1) of the recovered image", "", -1, 3, 1, 14, 0},
    {"feature_distance", "feature distance", "feature distance",
     "distance of the recovered image in a trained network's features", "", -1, 3, 1, 15, 0},
    {"mse255", "MSE (0–255)", "MSE (0–255)", "MSE of the recovered image (0–255)", "", -1, 0, 1, 0, 0},
};

const gnt_measure *gnt_measures(size_t *n) {
    *n = sizeof known / sizeof known[0];
    return known;
}

const gnt_measure *gnt_measure_find(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].name, name))
            return &known[i];
    return NULL;
}

int gnt_leaks_more(const gnt_measure *m, double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(b) && !isnan(a);
    return m->leak > 0 ? a > b : a < b;
}

/* What results say of one measure; `worst` is the value that leaks most. */
static json_t *stat_json(double mean, double deviation, double worst, double median, double low, double high,
                         size_t n) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:I}", "mean", mean, "deviation", deviation, "worst",
                     worst, "median", median, "low", low, "high", high, "n", (json_int_t)n);
}

json_t *gnt_measure_stat(const gnt_measure *m, const double *x, const int64_t *cluster, size_t n,
                         const gnt_key *key, gnt_err *err) {
    gnt_metric_summary sum;
    gnt_metric_bootstrap interval;
    gnt_metric_resample how = {.key = gnt_key_derive(key, m->name)};
    if (gnt_metric_summarize(&sum, x, n, err) != 0 ||
        gnt_metric_bootstrap_mean(&interval, x, cluster, n, &how, err) != 0)
        return NULL;
    return stat_json(sum.mean, sum.deviation, m->leak > 0 ? sum.most : sum.least, sum.median, interval.low,
                     interval.high, n);
}

json_t *gnt_measure_stat_whole(double value, double worst, double low, double high, size_t n) {
    return stat_json(value, 0, worst, value, low, high, n);
}
