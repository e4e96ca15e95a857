#include "region/profile.h"

#include <math.h>

#include "cost/update_match.h"
#include "hook.h"

/* Variance of the log of a median absolute deviation of n normal entries, times n. */
static const double of_medians = 1.36;
/* Scores that are less than this share of a sample's largest count as that. */
static const double least_score = 1e-12;
/* Variance of a log score where no group has two samples. */
static const double usual_variance = 0.25;

gnt_status profile_open(profile *p, const gnt_host *host, const layer_noise *noise, const float *score,
                        int64_t n, int64_t averaged) {
    *p = (profile){.host = host,
                   .noise = noise,
                   .score = score,
                   .n = n,
                   .layers = noise->n,
                   .averaged = averaged > 0 ? (double)averaged : 1};
    p->used = noise->n_noisy >= 2 ? noise->n_noisy : 0;
    p->mean = gnt_host_scratch(host, p->layers + 1, sizeof *p->mean);
    return p->mean ? GNT_OK : hook_no_memory(host);
}

/* ---- groups ---- */

/* Takes logs of the group's mean scores and returns its number of samples; 0 if there are none. */
static int64_t group_means(const profile *p, const int32_t *group, int32_t g, double *log_mean) {
    int64_t members = 0;
    double most = 0;
    for (int64_t l = 0; l < p->layers; l++)
        log_mean[l] = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (group[i] == g) {
            members++;
            for (int64_t l = 0; l < p->layers; l++)
                log_mean[l] += (double)p->score[i * p->layers + l];
        }
    for (int64_t l = 0; l < p->layers; l++)
        most = fmax(most, log_mean[l]);
    for (int64_t l = 0; l < p->layers && members > 0; l++)
        log_mean[l] = log(fmax(log_mean[l], least_score * fmax(most, 1e-300)) / (double)members);
    return members;
}

/* Adds the squared deviations of a sample's log scores from its group's, less their mean over layers. */
static void add_squares(const profile *p, int64_t i, const double *log_mean, double *sum) {
    const float *s = p->score + i * p->layers;
    double common = 0;
    for (int64_t l = 0; l < p->layers; l++)
        common += (log(fmax((double)s[l], 1e-300)) - log_mean[l]) / (double)p->layers;
    for (int64_t l = 0; l < p->layers; l++) {
        const double off = log(fmax((double)s[l], 1e-300)) - log_mean[l] - common;
        sum[l] += off * off;
    }
}

/* Finds the variance of each layer's log score within groups. */
static gnt_status find_variances(const profile *p, const int32_t *group, int32_t groups, double *variance) {
    int64_t spare = 0;
    for (int32_t g = 0; g < groups; g++) {
        TRY(may_go_on(p->host));
        const int64_t members = group_means(p, group, g, p->mean);
        spare += members > 1 ? members - 1 : 0;
        for (int64_t i = 0; i < p->n && members > 1; i++)
            if (group[i] == g)
                add_squares(p, i, p->mean, variance);
    }
    for (int64_t l = 0; l < p->layers; l++)
        variance[l] = spare > 0 ? variance[l] / (double)spare : usual_variance;
    return GNT_OK;
}

/* Returns log p(s | g) at the best common part, up to a constant, for a group of so many members. */
static double likelihood(const profile *p, const double *log_mean, const double *within, int64_t members) {
    const double means = 1 / p->averaged + 1 / (double)members;
    double weights = 0, common = 0, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t l = 0; l < p->layers; l++) {
            const layer_noise_part *layer = &p->noise->layer[l];
            if (!layer->is_noisy)
                continue;
            const double off = log(layer->spread) - log_mean[l];
            const double variance = within[l] * means + of_medians / (double)layer->entries;
            if (pass == 0) {
                weights += 1 / variance;
                common += off / variance;
            } else {
                sum += (off - common / weights) * (off - common / weights) / variance + log(variance);
            }
        }
    }
    return -sum / 2;
}

gnt_status profile_judge(const profile *p, const int32_t *group, int32_t groups, float *belief) {
    double *variance = gnt_host_scratch(p->host, p->layers + 1, sizeof *variance);
    double *log_belief = gnt_host_scratch(p->host, groups, sizeof *log_belief);
    double most = -INFINITY, lowest = INFINITY, sum = 0;
    TRY(hook_memory(p->host, variance && log_belief));
    TRY(find_variances(p, group, groups, variance));
    for (int32_t g = 0; g < groups; g++) {
        const int64_t members = group_means(p, group, g, p->mean);
        log_belief[g] =
            members == 0 ? (double)NAN
                         : log((double)members) + (p->used ? likelihood(p, p->mean, variance, members) : 0);
        most = members ? fmax(most, log_belief[g]) : most;
        lowest = members ? fmin(lowest, log_belief[g]) : lowest;
    }
    for (int32_t g = 0; g < groups; g++)
        sum += isnan(log_belief[g]) ? 0 : exp(log_belief[g] - most);
    for (int32_t g = 0; g < groups; g++) /* no group has a sample: all are alike */
        belief[g] = !isfinite(most)        ? 0
                    : isnan(log_belief[g]) ? (float)(lowest - most - log(sum) - 1)
                                           : (float)(log_belief[g] - most - log(sum));
    return GNT_OK;
}

/* ---- masks ---- */

/* Returns the share of their union that two masks have in common; 1 if both are empty. */
static double overlap(const float *a, const float *b, int64_t plane) {
    int64_t both = 0, either = 0;
    for (int64_t p = 0; p < plane; p++) {
        both += a[p] > 0 && b[p] > 0;
        either += a[p] > 0 || b[p] > 0;
    }
    return either ? (double)both / (double)either : 1;
}

/* Returns the centre that overlaps most with a mask; *most: their overlap. */
static int32_t nearest(const float *mask, int64_t plane, int64_t i, const int64_t *centre, int32_t centres,
                       double *most) {
    int32_t best = 0;
    *most = -1;
    for (int32_t c = 0; c < centres; c++) {
        const double common = overlap(mask + i * plane, mask + centre[c] * plane, plane);
        if (common > *most) {
            *most = common;
            best = c;
        }
    }
    return best;
}

/* Takes the first mask as a centre, then repeatedly the one that overlaps least with all centres so far. */
void profile_group_masks(const float *mask, int64_t n, int64_t plane, int32_t *group, int32_t *groups) {
    int64_t centre[PROFILE_MASKS] = {0};
    double most;
    for (*groups = 1; *groups < PROFILE_MASKS; ++*groups) {
        double least = 1;
        for (int64_t i = 0; i < n; i++) {
            nearest(mask, plane, i, centre, *groups, &most);
            if (most < least) {
                least = most;
                centre[*groups] = i;
            }
        }
        if (least == 1)
            break;
    }
    for (int64_t i = 0; i < n; i++)
        group[i] = nearest(mask, plane, i, centre, *groups, &most);
}
