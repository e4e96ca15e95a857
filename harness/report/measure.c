#include "report/measure.h"

#include <math.h>
#include <string.h>

static const gnt_measure known[] = {
    {"psnr", "PSNR", "PSNR (dB)", "PSNR of the recovered data (dB)", " dB", 1, 1, 1, 1},
    {"ssim", "SSIM", "SSIM", "SSIM of the recovered image", "", 1, 3, 1, 2},
    {"region_psnr", "PSNR of the region", "PSNR, region (dB)", "PSNR of the sensitive region (dB)", " dB", 1,
     1, 1, 10},
    {"region_ssim", "SSIM of the region", "SSIM, region", "SSIM of the sensitive region", "", 1, 3, 1, 11},
    {"region_mse", "MSE of the region", "MSE, region", "MSE of the sensitive region", "", -1, 4, 1, 0},
    {"identification", "identification rate", "identified (%)", "private images identified among many (%)",
     " %", 1, 1, 100, 3},
    {"label_accuracy", "label accuracy", "labels found (%)", "private labels found (%)", " %", 1, 1, 100, 4},
    {"attribute_balanced", "balanced attribute accuracy", "attribute, balanced (%)",
     "private attribute inferred, balanced accuracy (%)", " %", 1, 1, 100, 5},
    {"attribute_accuracy", "attribute accuracy", "attribute inferred (%)", "private attribute inferred (%)",
     " %", 1, 1, 100, 6},
    {"mse", "MSE", "MSE", "MSE of the recovered data", "", -1, 4, 1, 7},
    {"contribution_error", "contribution error", "contribution error (%)",
     "relative error of a client's contribution to the secure sum (%)", " %", -1, 1, 100, 8},
    {"contribution_rank", "rank correlation of contributions", "rank correlation",
     "rank correlation of clients' contributions, told and true", "", 1, 2, 1, 9},
    {"lpips_alex", "LPIPS (AlexNet)", "LPIPS, AlexNet", "LPIPS (AlexNet) of the recovered image", "", -1, 3,
     1, 12},
    {"lpips_vgg", "LPIPS (VGG-16)", "LPIPS, VGG-16", "LPIPS (VGG-16) of the recovered image", "", -1, 3, 1,
     13},
    {"lpips_squeeze", "LPIPS (SqueezeNet)", "LPIPS, SqueezeNet",
     "LPIPS (SqueezeNet 1.1) of the recovered image", "", -1, 3, 1, 14},
    {"feature_distance", "feature distance", "feature distance",
     "distance of the recovered image in a trained network's features", "", -1, 3, 1, 15},
    {"mse255", "MSE (0–255)", "MSE (0–255)", "MSE of the recovered image (0–255)", "", -1, 0, 1, 0},
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

void gnt_measure_number(const gnt_measure *m, double value, gnt_text *out) {
    double v = value * m->scale;
    if (!isfinite(value))
        gnt_text_add(out, "–");
    else if (m->scale == 1 && v != 0 && fabs(v) < pow(10, -m->decimals))
        gnt_text_add(out, "%.1e", v); /* a small MSE is not "0.0000" */
    else
        gnt_text_add(out, "%.*f", m->decimals, fabs(v) < 0.5 * pow(10, -m->decimals) ? 0.0 : v);
}

int gnt_has_interval(const gnt_stat *s) {
    return isfinite(s->low) && isfinite(s->high) && s->low != s->high;
}

void gnt_measure_write(const gnt_measure *m, const gnt_stat *s, gnt_text *out) {
    gnt_measure_number(m, s->mean, out);
    gnt_text_add(out, "%s", isfinite(s->mean) ? m->unit : "");
    if (!gnt_has_interval(s))
        return;
    gnt_text_add(out, " [");
    gnt_measure_number(m, s->low, out);
    gnt_text_add(out, ", ");
    gnt_measure_number(m, s->high, out);
    gnt_text_add(out, "]");
}

int gnt_utility_sign(const char *measure) {
    return strstr(measure, "loss") ? -1 : 1;
}

double gnt_utility_scale(const char *measure) {
    return strstr(measure, "accuracy") ? 100 : 1;
}

void gnt_utility_write(const char *measure, double value, gnt_text *out) {
    if (!isfinite(value))
        gnt_text_add(out, "–");
    else if (gnt_utility_scale(measure) == 100)
        gnt_text_add(out, "%.1f %%", value * 100);
    else
        gnt_text_add(out, "%.4g", value);
}
