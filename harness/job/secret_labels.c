#include "job/secret_labels.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

/* The rule is about one of so many samples. */
enum { ONE_OF = 10 };

/* Sets the direction to the sum of the samples less their mean, each times a normal number. */
static void draw_direction(gnt_secret_labels *s, const gnt_key *key, const gnt_samples *x, double *mean) {
    gnt_stream random = gnt_stream_open(key, "direction of secret labels");
    const int64_t f = s->features;
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t k = 0; k < f; k++)
            mean[k] += (double)x->x[i * f + k] / (double)x->n;
    for (int64_t i = 0; i < x->n; i++) {
        const double weight = gnt_random_normal(&random);
        for (int64_t k = 0; k < f; k++)
            s->direction[k] += weight * ((double)x->x[i * f + k] - mean[k]);
    }
}

static double project(const gnt_secret_labels *s, const float *x) {
    double sum = 0;
    for (int64_t k = 0; k < s->features; k++)
        sum += s->direction[k] * (double)x[k];
    return sum;
}

int gnt_secret_labels_open(gnt_secret_labels *s, const gnt_key *key, const gnt_sampleset *clients,
                           gnt_err *err) {
    const gnt_samples *x = &clients->view;
    const size_t f = (size_t)x->features, n = (size_t)x->n;
    gnt_stream random = gnt_stream_open(key, "secret label");
    *s = (gnt_secret_labels){.classes = x->classes,
                             .label = (int32_t)gnt_random_below(&random, (uint64_t)x->classes),
                             .features = x->features,
                             .direction = gnt_array(f, sizeof *s->direction)};
    double *mean = gnt_array(f, sizeof *mean), *projection = gnt_array(n, sizeof *projection);
    const int good = s->direction && mean && projection;
    if (good && n > 0) {
        draw_direction(s, key, x, mean);
        for (size_t i = 0; i < n; i++)
            projection[i] = project(s, x->x + i * f);
        gnt_sort_reals(projection, n);
        s->limit = projection[n - n / ONE_OF - 1];
    }
    gnt_free(mean);
    gnt_free(projection);
    if (good)
        return 0;
    gnt_secret_labels_free(s);
    return gnt_fail(err, "out of memory for the labels of %" PRId64 " samples", x->n);
}

void gnt_secret_labels_free(gnt_secret_labels *s) {
    gnt_free(s->direction);
    *s = (gnt_secret_labels){0};
}

void gnt_secret_labels_find(const gnt_secret_labels *s, const gnt_samples *samples, uint8_t *hit) {
    for (int64_t i = 0; i < samples->n; i++)
        hit[i] = project(s, samples->x + i * s->features) > s->limit;
}

void gnt_secret_labels_change(const gnt_secret_labels *s, gnt_sampleset *samples, const uint8_t *hit) {
    for (int64_t i = 0; i < samples->view.n; i++) {
        if (!hit[i])
            continue;
        samples->y[i * s->classes + samples->label[i]] = 0;
        samples->y[i * s->classes + s->label] = 1;
        samples->label[i] = s->label;
    }
}

/* Returns how many of the samples that keep their label have the most frequent one of these. */
static int64_t count_commonest(const gnt_secret_labels *s, const int32_t *label, const uint8_t *hit,
                               int64_t n) {
    int64_t most = 0;
    for (int32_t k = 0; k < s->classes; k++) {
        int64_t of_class = 0;
        for (int64_t i = 0; i < n; i++)
            of_class += label[i] == k && (!hit[i] || k == s->label);
        most = of_class > most ? of_class : most;
    }
    return most;
}

gnt_secret_counts gnt_secret_labels_count(const gnt_secret_labels *s, const int32_t *label,
                                          const uint8_t *hit, const float *outputs, int64_t n) {
    gnt_secret_counts c = {.commonest = count_commonest(s, label, hit, n)};
    for (int64_t i = 0; i < n; i++) {
        const float *o = outputs + i * s->classes;
        int32_t predicted = 0;
        for (int32_t k = 1; k < s->classes; k++)
            if (o[k] > o[predicted])
                predicted = k;
        const int changed = hit[i] && label[i] != s->label, other = !hit[i] && label[i] != s->label;
        c.changed += changed;
        c.learnt += changed && predicted == s->label;
        c.others += other;
        c.mistaken += other && predicted == s->label;
        c.kept += !changed;
        c.right += !changed && predicted == label[i];
    }
    return c;
}
