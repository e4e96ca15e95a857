/* region-read: reconstructs the sensitive region as region-known does, and classifies its content by public
 * images.
 *
 * The region of each public image is stretched to that of the sample, and every region is normalised to
 * mean 0 and deviation 1. For pixel p, μ_vp is the mean over the m_v public images of value v, μ_p that
 * over values, B_p the variance of μ_vp over values, W_p the variance within values. Means are shrunk
 * towards μ_p as far as they do not differ by more than chance (James and Stein), and z, the reconstructed
 * region, is classified with pixels as independent normal variables:
 *
 *     μ'_vp = μ_p + max(0, 1 − W_p/(m·B_p)) (μ_vp − μ_p),   m: the harmonic mean of m_v
 *     score of v = −½ Σ_p (z_p − μ'_vp)²/(W_p + BLUR)
 *
 * BLUR is the variance of the reconstruction's error. */
#include <math.h>
#include <string.h>

#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "region/known_region.h"
#include "search/chosen.h"
#include "search/likely_search.h"
#include "region/region_values.h"
#include "hook.h"

static const double BLUR = 0.1;

typedef struct reading {
    const gnt_observation *seen;
    int64_t channels, height, width, features;
    int64_t *entry, n_entries; /* of the sample's region */
    float *image;              /* features: a stretched example */
    double *z;                 /* n_entries */
    double *mean;              /* values × n_entries */
    double *within, *common;   /* n_entries */
    int64_t *count;            /* values */
} reading;

static gnt_status open_reading(reading *r, const gnt_host *host, const gnt_observation *seen) {
    const gnt_model_info *info = host->model->info;
    *r = (reading){.seen = seen, .channels = info->dim[0], .height = info->dim[1], .width = info->dim[2]};
    r->features = r->channels * r->height * r->width;
    const size_t n = (size_t)r->features, values = (size_t)seen->attribute_values;
    TRY(region_examples_fit(host, seen, r->features));
    r->entry = gnt_host_scratch(host, n, sizeof *r->entry);
    r->image = gnt_host_scratch(host, n, sizeof *r->image);
    r->z = gnt_host_scratch(host, n, sizeof *r->z);
    r->mean = gnt_host_scratch(host, values * n, sizeof *r->mean);
    r->within = gnt_host_scratch(host, n, sizeof *r->within);
    r->common = gnt_host_scratch(host, n, sizeof *r->common);
    r->count = gnt_host_scratch(host, values, sizeof *r->count);
    return r->entry && r->image && r->z && r->mean && r->within && r->common && r->count
               ? GNT_OK
               : hook_no_memory(host);
}

/* Reads the region of an image into r->z, shifted and scaled to mean 0 and deviation 1; a uniform one
 * becomes 0. */
static void standardise(const reading *r, const float *image) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < r->n_entries; i++)
        sum += (double)image[r->entry[i]];
    const double mean = sum / (double)r->n_entries;
    for (int64_t i = 0; i < r->n_entries; i++) {
        r->z[i] = (double)image[r->entry[i]] - mean;
        square += r->z[i] * r->z[i];
    }
    const double deviation = sqrt(square / (double)r->n_entries);
    for (int64_t i = 0; i < r->n_entries; i++)
        r->z[i] = deviation > 1e-4 ? r->z[i] / deviation : 0;
}

/* Returns the attribute of example i and leaves its region in r->z; −1 if it shows no region. */
static int32_t take_example(const reading *r, int64_t i, const uint8_t *mask) {
    const gnt_samples *s = r->seen->public_data;
    const int64_t plane = r->height * r->width;
    const uint8_t *from = s->mask ? s->mask + i * plane : mask;
    region_box box;
    if (!region_box_of(from, r->height, r->width, &box))
        return -1;
    region_paste(r->image, mask, s->x + i * r->features, from, r->channels, r->height, r->width);
    standardise(r, r->image);
    return s->a[i * s->n_attributes + r->seen->attribute];
}

/* Computes the mean of each value, and the variance within values. Returns the harmonic mean of the
 * counts; 0 if there is none. */
static double learn(const reading *r, const uint8_t *mask) {
    const int32_t values = r->seen->attribute_values;
    double inverse = 0, met = 0, n = 0;
    memset(r->mean, 0, (size_t)(values * r->n_entries) * sizeof *r->mean);
    memset(r->within, 0, (size_t)r->n_entries * sizeof *r->within);
    memset(r->common, 0, (size_t)r->n_entries * sizeof *r->common);
    memset(r->count, 0, (size_t)values * sizeof *r->count);
    for (int64_t i = 0; i < r->seen->public_data->n; i++) {
        const int32_t v = take_example(r, i, mask);
        for (int64_t p = 0; v >= 0 && p < r->n_entries; p++) {
            r->mean[v * r->n_entries + p] += r->z[p];
            r->within[p] += r->z[p] * r->z[p];
        }
        if (v >= 0)
            r->count[v]++;
    }
    for (int32_t v = 0; v < values; v++)
        if (r->count[v]) {
            inverse += 1 / (double)r->count[v];
            n += (double)r->count[v];
            met++;
        }
    for (int32_t v = 0; v < values; v++)
        for (int64_t p = 0; r->count[v] && p < r->n_entries; p++) {
            double *mean = &r->mean[v * r->n_entries + p];
            r->within[p] -= *mean * *mean / (double)r->count[v];
            *mean /= (double)r->count[v];
            r->common[p] += *mean / met;
        }
    for (int64_t p = 0; p < r->n_entries; p++)
        r->within[p] = fmax(r->within[p], 0) / fmax(n - met, 1);
    return met > 0 ? met / inverse : 0;
}

static void draw_together(const reading *r, double m) {
    const int32_t values = r->seen->attribute_values;
    for (int64_t p = 0; p < r->n_entries; p++) {
        double between = 0, met = 0;
        for (int32_t v = 0; v < values; v++)
            if (r->count[v]) {
                const double apart = r->mean[v * r->n_entries + p] - r->common[p];
                between += apart * apart;
                met++;
            }
        between /= fmax(met - 1, 1);
        const double kept = between > 0 ? fmax(0, 1 - r->within[p] / (m * between)) : 0;
        for (int32_t v = 0; v < values; v++)
            r->mean[v * r->n_entries + p] =
                r->common[p] + kept * (r->mean[v * r->n_entries + p] - r->common[p]);
    }
}

/* Scores the values in one image. mask: NULL: the whole image. */
static void read_values(reading *r, const float *image, const uint8_t *mask, float *score) {
    const int64_t plane = r->height * r->width;
    const int32_t values = r->seen->attribute_values;
    r->n_entries = 0;
    for (int64_t i = 0; i < r->features; i++)
        if (!mask || mask[i % plane])
            r->entry[r->n_entries++] = i;
    const double m = r->n_entries ? learn(r, mask) : 0;
    if (m > 0) {
        draw_together(r, m);
        standardise(r, image);
    }
    for (int32_t v = 0; v < values; v++) {
        double sum = 0;
        for (int64_t p = 0; m > 0 && p < r->n_entries; p++) {
            const double d = r->z[p] - r->mean[v * r->n_entries + p];
            sum -= d * d / (2 * (r->within[p] + BLUR));
        }
        score[v] = m > 0 && !r->count[v] ? NAN : (float)sum;
    }
    region_rank_unseen(score, values);
}

static gnt_status answer_values(const gnt_host *host, const gnt_observation *seen, const float *images,
                                const gnt_answer *answer) {
    const gnt_samples *outside = seen->outside;
    const int32_t values = seen->attribute_values;
    reading r;
    TRY(open_reading(&r, host, seen));
    float *score = gnt_host_scratch(host, seen->n * values, sizeof *score);
    TRY(hook_memory(host, score != NULL));
    for (int64_t i = 0; i < seen->n; i++)
        read_values(&r, images + i * r.features,
                    outside && outside->mask ? outside->mask + i * r.height * r.width : NULL,
                    score + i * values);
    return region_answer_values(host, seen, score, answer);
}

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    invert *self = context;
    search s = {.answer = answer};
    public_images images;
    TRY(chosen_search(&s, "region-known", self, seen, own, &images));
    answer->chosen(answer->context, s.chosen, s.least);
    search_report_end(&s, seen);
    if (seen->goals & GNT_GOAL_ATTRIBUTE)
        TRY(answer_values(self->host, seen, s.winner, answer));
    return seen->goals & GNT_GOAL_RECONSTRUCTION ? answer->reconstruction(answer->context, s.n, s.winner)
                                                 : GNT_OK;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

const gnt_descriptor gradient_region_read = {
    GNT_ATTACK("region-read", "1.2",
               "searches the sensitive region, and infers its content from public images", "MIT", ""),
    LIKELY_COMMON(region_families),
    .goals = GNT_GOAL_ATTRIBUTE | GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_REGION | GNT_KNOWS_PUBLIC | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_IMAGE,
    .attack = &hooks};
