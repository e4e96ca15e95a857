#include "metric/measure.h"

#include <math.h>
#include <string.h>

#include "metric/image.h"
#include "metric/stats.h"

/* A row for each measure; `order` counts from 1 and leaves no gap. */
static const gnt_measure measures[GNT_MEASURES] = {
    [GNT_MEASURE_MSE] = {.name = "mse",
                         .title = "MSE",
                         .axis = "MSE",
                         .words = "MSE of the recovered data",
                         .unit = "",
                         .leak = -1,
                         .decimals = 4,
                         .scale = 1,
                         .order = 10,
                         .bounds = {0, 1},
                         .recovers = GNT_RECOVERS_DATA,
                         .check_order = 3,
                         .tolerance = 0.002},
    [GNT_MEASURE_MSE255] = {.name = "mse255",
                            .title = "MSE (0–255)",
                            .axis = "MSE (0–255)",
                            .words = "MSE of the recovered image (0–255)",
                            .unit = "",
                            .leak = -1,
                            .decimals = 0,
                            .scale = 1,
                            .order = 17,
                            .undrawn = 1,
                            .bounds = {0, 255.0 * 255},
                            .recovers = GNT_RECOVERS_DATA,
                            .tolerance = 130},
    [GNT_MEASURE_PSNR] = {.name = "psnr",
                          .title = "PSNR",
                          .axis = "PSNR (dB)",
                          .words = "PSNR of the recovered data (dB)",
                          .unit = " dB",
                          .leak = 1,
                          .decimals = 1,
                          .scale = 1,
                          .order = 1,
                          .bounds = {0, GNT_METRIC_PSNR_CAP},
                          .recovers = GNT_RECOVERS_DATA,
                          .check_order = 1,
                          .tolerance = 0.5},
    [GNT_MEASURE_SSIM] = {.name = "ssim",
                          .title = "SSIM",
                          .axis = "SSIM",
                          .words = "SSIM of the recovered image",
                          .unit = "",
                          .leak = 1,
                          .decimals = 3,
                          .scale = 1,
                          .order = 2,
                          .bounds = {-1, 1},
                          .recovers = GNT_RECOVERS_DATA,
                          .check_order = 2,
                          .tolerance = 0.02},
    [GNT_MEASURE_REGION_MSE] = {.name = "region_mse",
                                .title = "MSE of the region",
                                .axis = "MSE, region",
                                .words = "MSE of the sensitive region",
                                .unit = "",
                                .leak = -1,
                                .decimals = 4,
                                .scale = 1,
                                .order = 5,
                                .undrawn = 1,
                                .bounds = {0, 1},
                                .recovers = GNT_RECOVERS_DATA,
                                .check_order = 6,
                                .tolerance = 0.002},
    [GNT_MEASURE_REGION_PSNR] = {.name = "region_psnr",
                                 .title = "PSNR of the region",
                                 .axis = "PSNR, region (dB)",
                                 .words = "PSNR of the sensitive region (dB)",
                                 .unit = " dB",
                                 .leak = 1,
                                 .decimals = 1,
                                 .scale = 1,
                                 .order = 3,
                                 .bounds = {0, GNT_METRIC_PSNR_CAP},
                                 .recovers = GNT_RECOVERS_DATA,
                                 .check_order = 4,
                                 .tolerance = 0.5},
    [GNT_MEASURE_REGION_SSIM] = {.name = "region_ssim",
                                 .title = "SSIM of the region",
                                 .axis = "SSIM, region",
                                 .words = "SSIM of the sensitive region",
                                 .unit = "",
                                 .leak = 1,
                                 .decimals = 3,
                                 .scale = 1,
                                 .order = 4,
                                 .bounds = {-1, 1},
                                 .recovers = GNT_RECOVERS_DATA,
                                 .check_order = 5,
                                 .tolerance = 0.02},
    [GNT_MEASURE_IDENTIFICATION] = {.name = "identification",
                                    .title = "identification rate",
                                    .axis = "identified (%)",
                                    .words = "private images identified among many (%)",
                                    .unit = " %",
                                    .leak = 1,
                                    .decimals = 1,
                                    .scale = 100,
                                    .order = 6,
                                    .share = 1,
                                    .bounds = {0, 1},
                                    .recovers = GNT_RECOVERS_DATA,
                                    .check_order = 11,
                                    .tolerance = 0.02},
    [GNT_MEASURE_LABEL_ACCURACY] = {.name = "label_accuracy",
                                    .title = "label accuracy",
                                    .axis = "labels found (%)",
                                    .words = "private labels found (%)",
                                    .unit = " %",
                                    .leak = 1,
                                    .decimals = 1,
                                    .scale = 100,
                                    .order = 7,
                                    .share = 1,
                                    .bounds = {0, 1},
                                    .recovers = GNT_RECOVERS_LABEL,
                                    .check_order = 1,
                                    .tolerance = 0.02},
    [GNT_MEASURE_ATTRIBUTE_ACCURACY] = {.name = "attribute_accuracy",
                                        .title = "attribute accuracy",
                                        .axis = "attribute inferred (%)",
                                        .words = "private attribute inferred (%)",
                                        .unit = " %",
                                        .leak = 1,
                                        .decimals = 1,
                                        .scale = 100,
                                        .order = 9,
                                        .share = 1,
                                        .bounds = {0, 1},
                                        .recovers = GNT_RECOVERS_ATTRIBUTE,
                                        .check_order = 2,
                                        .tolerance = 0.02},
    [GNT_MEASURE_ATTRIBUTE_BALANCED] = {.name = "attribute_balanced",
                                        .title = "balanced attribute accuracy",
                                        .axis = "attribute, balanced (%)",
                                        .words = "private attribute inferred, balanced accuracy (%)",
                                        .unit = " %",
                                        .leak = 1,
                                        .decimals = 1,
                                        .scale = 100,
                                        .order = 8,
                                        .whole = 1,
                                        .bounds = {0, 1},
                                        .recovers = GNT_RECOVERS_ATTRIBUTE,
                                        .check_order = 1,
                                        .tolerance = 0.02},
    [GNT_MEASURE_CONTRIBUTION_ERROR] = {.name = "contribution_error",
                                        .title = "contribution error",
                                        .axis = "contribution error (%)",
                                        .words =
                                            "relative error of a client's contribution to the secure sum (%)",
                                        .unit = " %",
                                        .leak = -1,
                                        .decimals = 1,
                                        .scale = 100,
                                        .order = 11,
                                        .bounds = {0, 1},
                                        .recovers = GNT_RECOVERS_CONTRIBUTION,
                                        .check_order = 1,
                                        .tolerance = 0.02},
    [GNT_MEASURE_CONTRIBUTION_RANK] = {.name = "contribution_rank",
                                       .title = "rank correlation of contributions",
                                       .axis = "rank correlation",
                                       .words = "rank correlation of clients' contributions, told and true",
                                       .unit = "",
                                       .leak = 1,
                                       .decimals = 2,
                                       .scale = 1,
                                       .order = 12,
                                       .whole = 1,
                                       .bounds = {-1, 1},
                                       .recovers = GNT_RECOVERS_CONTRIBUTION,
                                       .check_order = 2,
                                       .tolerance = 0.02},
    [GNT_MEASURE_LPIPS_ALEX] = {.name = "lpips_alex",
                                .title = "LPIPS (AlexNet)",
                                .axis = "LPIPS, AlexNet",
                                .words = "LPIPS (AlexNet) of the recovered image",
                                .unit = "",
                                .leak = -1,
                                .decimals = 3,
                                .scale = 1,
                                .order = 13,
                                .bounds = {0, INFINITY},
                                .recovers = GNT_RECOVERS_DATA,
                                .check_order = 7,
                                .tolerance = 0.02},
    [GNT_MEASURE_LPIPS_VGG] = {.name = "lpips_vgg",
                               .title = "LPIPS (VGG-16)",
                               .axis = "LPIPS, VGG-16",
                               .words = "LPIPS (VGG-16) of the recovered image",
                               .unit = "",
                               .leak = -1,
                               .decimals = 3,
                               .scale = 1,
                               .order = 14,
                               .bounds = {0, INFINITY},
                               .recovers = GNT_RECOVERS_DATA,
                               .check_order = 8,
                               .tolerance = 0.02},
    [GNT_MEASURE_LPIPS_SQUEEZE] = {.name = "lpips_squeeze",
                                   .title = "LPIPS (SqueezeNet)",
                                   .axis = "LPIPS, SqueezeNet",
                                   .words = "LPIPS (SqueezeNet 1.1) of the recovered image",
                                   .unit = "",
                                   .leak = -1,
                                   .decimals = 3,
                                   .scale = 1,
                                   .order = 15,
                                   .bounds = {0, INFINITY},
                                   .recovers = GNT_RECOVERS_DATA,
                                   .check_order = 9,
                                   .tolerance = 0.02},
    [GNT_MEASURE_FEATURE_DISTANCE] = {.name = "feature_distance",
                                      .title = "feature distance",
                                      .axis = "feature distance",
                                      .words =
                                          "distance of the recovered image in a trained network's features",
                                      .unit = "",
                                      .leak = -1,
                                      .decimals = 3,
                                      .scale = 1,
                                      .order = 16,
                                      .bounds = {0, 4},
                                      .recovers = GNT_RECOVERS_DATA,
                                      .check_order = 10,
                                      .tolerance = 0.02},
    [GNT_MEASURE_REPRESENTATION_MSE] = {.name = "representation_mse",
                                        .title = "MSE-R",
                                        .axis = "MSE-R",
                                        .words = "MSE of the recovered image's representation in a trained "
                                                 "network",
                                        .unit = "",
                                        .leak = -1,
                                        .decimals = 4,
                                        .scale = 1,
                                        .order = 18,
                                        .bounds = {0, INFINITY},
                                        .recovers = GNT_RECOVERS_DATA,
                                        .check_order = 12,
                                        .tolerance = 0.02},
};

const gnt_measure *gnt_measure_of(gnt_measure_id id) {
    return &measures[id];
}

const gnt_measure *gnt_measure_at(size_t place) {
    for (size_t i = 0; i < GNT_MEASURES; i++)
        if ((size_t)measures[i].order == place + 1)
            return &measures[i];
    return NULL;
}

const gnt_measure *gnt_measure_find(const char *name) {
    for (size_t i = 0; i < GNT_MEASURES; i++)
        if (!strcmp(measures[i].name, name))
            return &measures[i];
    return NULL;
}

void gnt_measure_names(const char *names[GNT_MEASURES]) {
    for (size_t i = 0; i < GNT_MEASURES; i++)
        names[i] = measures[i].name;
}

int gnt_leaks_more(const gnt_measure *m, double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(b) && !isnan(a);
    return m->leak > 0 ? a > b : a < b;
}

/* What results say of one measure; `worst` is the value that leaks most. */
static json_t *stat_json(const gnt_estimate *e, double deviation, double worst, double median, size_t n) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:s}", "mean", e->mean, "deviation", deviation,
                     "worst", worst, "median", median, "low", e->low, "high", e->high, "n", (json_int_t)n,
                     "trainings", (json_int_t)e->trainings, "interval", gnt_interval_over_name(e->over));
}

json_t *gnt_measure_stat(const gnt_measure *m, const double *x, const int64_t *training, size_t n,
                         gnt_err *err) {
    gnt_metric_summary sum;
    gnt_estimate e;
    if (gnt_metric_summarize(&sum, x, n, err) != 0)
        return NULL;
    if (m->share ? gnt_estimate_share(&e, x, training, n, err)
                 : gnt_estimate_mean(&e, x, training, n, m->bounds, err))
        return NULL;
    return stat_json(&e, sum.deviation, m->leak > 0 ? sum.most : sum.least, sum.median, n);
}

json_t *gnt_measure_stat_whole(const gnt_estimate *e, double worst, size_t n) {
    return stat_json(e, 0, worst, e->mean, n);
}
