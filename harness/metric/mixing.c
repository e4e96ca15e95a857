#include "metric/mixing.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "metric/assign_impl.h"

/* ---- areas ---- */

typedef struct scored {
    float score;
    uint8_t positive;
} scored;

static int by_score(const void *a, const void *b) {
    float x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x > y) - (x < y);
}

/* Computes the area under the ROC curve by Mann and Whitney: the positives' ranks, ties sharing theirs. Sorts
 * the list. */
static double area(scored *list, size_t n) {
    double positives = 0, above = 0; /* above: pairs in which the positive is higher, ties half */
    double negatives_below = 0;
    qsort(list, n, sizeof *list, by_score);
    for (size_t i = 0, next; i < n; i = next) {
        double p = 0, q = 0;
        for (next = i; next < n && list[next].score == list[i].score; next++)
            *(list[next].positive ? &p : &q) += 1;
        above += p * (negatives_below + q / 2);
        positives += p;
        negatives_below += q;
    }
    return positives > 0 && negatives_below > 0 ? above / (positives * negatives_below) : NAN;
}

static scored scored_of(float score, int positive) {
    float worst = positive ? -INFINITY : INFINITY;
    return (scored){isfinite(score) ? score : worst, (uint8_t)(positive != 0)};
}

/* Returns the largest product of the weights that two encodings have in one original. */
static double shared(const float *a, const float *b, size_t originals) {
    double most = 0;
    for (size_t o = 0; o < originals; o++)
        most = fmax(most, (double)a[o] * b[o]);
    return most;
}

int gnt_metric_similarity(gnt_metric_pairs *out, const float *similarity, const float *weight,
                          size_t encodings, size_t originals, gnt_err *err) {
    size_t pairs = encodings * (encodings ? encodings - 1 : 0) / 2, n = 0, seen = 0;
    scored *all = gnt_array(pairs + 1, sizeof *all), *visible = gnt_array(pairs + 1, sizeof *visible);
    if (!all || !visible) {
        gnt_free(all);
        gnt_free(visible);
        return gnt_fail(err, "out of memory for the pairs of %zu encodings", encodings);
    }
    for (size_t i = 0; i < encodings; i++)
        for (size_t j = i + 1; j < encodings; j++) {
            double share = shared(weight + i * originals, weight + j * originals, originals);
            float score = similarity[i * encodings + j] / 2 + similarity[j * encodings + i] / 2;
            all[n++] = scored_of(score, share > 0);
            if (share <= 0 || share >= GNT_METRIC_VISIBLE)
                visible[seen++] = all[n - 1];
        }
    *out = (gnt_metric_pairs){area(all, n), area(visible, seen)};
    gnt_free(all);
    gnt_free(visible);
    return 0;
}

/* ---- clusters ---- */

static int is_claimed(float claimed) {
    return isfinite(claimed) && claimed > 0;
}

/* Counts the claimed memberships that are true into hits (clusters × originals). Returns the number of
 * claims. */
static double count_hits(double *hits, const float *claimed, size_t clusters, const float *weight,
                         size_t encodings, size_t originals) {
    double claims = 0;
    for (size_t e = 0; e < encodings; e++)
        for (size_t c = 0; c < clusters; c++) {
            if (!is_claimed(claimed[e * clusters + c]))
                continue;
            claims++;
            for (size_t o = 0; o < originals; o++)
                hits[c * originals + o] += weight[e * originals + o] > 0;
        }
    return claims;
}

/* Computes, over the true memberships, how many are claimed, and how the weights correlate. */
static void judge_claims(gnt_metric_clusters *out, const int64_t *cluster_of, const float *claimed,
                         size_t clusters, const float *weight, size_t encodings, size_t originals) {
    double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, right = 0, judged = 0;
    for (size_t e = 0; e < encodings; e++) {
        double members = 0, found = 0;
        for (size_t o = 0; o < originals; o++) {
            double y = weight[e * originals + o], x = 0;
            if (y <= 0)
                continue;
            if (cluster_of[o] >= 0 && is_claimed(claimed[e * clusters + (size_t)cluster_of[o]]))
                x = claimed[e * clusters + (size_t)cluster_of[o]];
            members++;
            found += x > 0;
            n++;
            sx += x;
            sy += y;
            sxx += x * x;
            syy += y * y;
            sxy += x * y;
        }
        judged += members > 0;
        right += members > 0 ? found / members : 0;
    }
    double vx = n * sxx - sx * sx, vy = n * syy - sy * sy;
    out->assigned = judged > 0 ? right / judged : NAN;
    out->correlation =
        vx > 1e-12 * n * sxx && vy > 1e-12 * n * syy ? (n * sxy - sx * sy) / sqrt(vx * vy) : NAN;
}

int gnt_metric_mixture(gnt_metric_clusters *out, const float *claimed, size_t clusters, const float *weight,
                       size_t encodings, size_t originals, gnt_err *err) {
    double *hits = gnt_array(clusters * originals + 1, sizeof *hits), pure = 0;
    int64_t *original_of = gnt_array(clusters + 1, sizeof *original_of),
            *cluster_of = gnt_array(originals + 1, sizeof *cluster_of);
    int rc = hits && original_of && cluster_of
                 ? 0
                 : gnt_fail(err, "out of memory for %zu clusters of %zu images", clusters, originals);
    if (rc == 0) {
        double claims = count_hits(hits, claimed, clusters, weight, encodings, originals);
        for (size_t c = 0; c < clusters; c++) {
            double most = 0;
            for (size_t o = 0; o < originals; o++)
                most = fmax(most, hits[c * originals + o]);
            pure += most;
        }
        out->purity = claims > 0 ? pure / claims : NAN;
        for (size_t i = 0; i < clusters * originals; i++)
            hits[i] = -hits[i];
        rc = gnt_metric_assign(original_of, hits, clusters, originals, err);
    }
    if (rc == 0) {
        for (size_t o = 0; o < originals; o++)
            cluster_of[o] = -1;
        for (size_t c = 0; c < clusters; c++)
            if (original_of[c] >= 0)
                cluster_of[original_of[c]] = (int64_t)c;
        judge_claims(out, cluster_of, claimed, clusters, weight, encodings, originals);
    }
    gnt_free(hits);
    gnt_free(original_of);
    gnt_free(cluster_of);
    return rc;
}
