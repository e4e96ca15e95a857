/* Which private samples an observation may show: just those of its batch, or a larger set, of which an attack
 * cannot know which ones were used. Answers are then assigned to different members of the set so that the
 * total error is least; target i stands for the member that answer i was assigned to. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/floors.h"

int score_by_members(const score *s) {
    return s->layout.first || s->layout.members > s->layout.batch;
}

int64_t score_first(const score *s, int64_t j) {
    return s->layout.first ? s->layout.first[j] : j * s->layout.members;
}

int64_t score_members(const score *s, int64_t j) {
    return s->layout.count ? s->layout.count[j] : s->layout.members;
}

int64_t score_truth_row(const score *s, int64_t i) {
    const int64_t row = s->target[i].member;
    return row < 0 ? score_first(s, i / s->layout.batch) + i % s->layout.batch : row;
}

int64_t score_answers(const score *s, int64_t j) {
    const int64_t members = score_members(s, j);
    return members < s->layout.batch ? members : s->layout.batch;
}

int score_is_target(const score *s, int64_t i) {
    return s->is_transcript || i % s->layout.batch < score_answers(s, i / s->layout.batch);
}

int64_t score_targets(const score *s) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->layout.n; i++)
        n += score_is_target(s, i);
    return n;
}

const float *score_truth(const score *s, int64_t i) {
    return s->targets.x + score_truth_row(s, i) * s->targets.view.features;
}

int score_mean_image(score *s, gnt_err *err) {
    const gnt_samples *known = &s->public_data.view;
    if (known->n < 1)
        return 0;
    if (known->features != s->targets.view.features)
        return gnt_fail(err, "public images have %" PRId64 " entries and the targets %" PRId64,
                        known->features, s->targets.view.features);
    const score_table table = {s->public_data.x, (size_t)known->features};
    gnt_metric_rows rows = score_rows(&table, (size_t)known->n);
    s->mean = gnt_array((size_t)known->features, sizeof *s->mean);
    return s->mean ? gnt_metric_mean_image(s->mean, &rows, err)
                   : gnt_fail(err, "out of memory for the mean image");
}

/* Finds the members that a copy of the mean image for each answer is assigned to; without a mean image, the
 * first of the set. */
static int assign_mean(score *s, int64_t j, const float *set, gnt_metric_image *image, int64_t *member,
                       gnt_err *err) {
    int64_t b = score_answers(s, j), f = s->targets.view.features;
    float *guess = s->mean ? gnt_array((size_t)(b * f), sizeof *guess) : NULL;
    if (s->mean && !guess)
        return gnt_fail(err, "out of memory for %" PRId64 " mean images", b);
    for (int64_t i = 0; guess && i < b; i++)
        memcpy(guess + i * f, s->mean, (size_t)f * sizeof *guess);
    int rc = guess ? gnt_metric_judge_members(image, member, set, NULL, (size_t)score_members(s, j), guess,
                                              (size_t)b, s->shape, err)
                   : 0;
    for (int64_t i = 0; rc == 0 && i < b; i++)
        s->target[j * s->layout.batch + i].mean_member = score_first(s, j) + (guess ? member[i] : i);
    gnt_free(guess);
    return rc;
}

int score_judge_members(score *s, int64_t j, const float *x, int64_t count, gnt_err *err) {
    int64_t b = s->layout.batch;
    const float *set = s->targets.x + score_first(s, j) * s->targets.view.features;
    score_target *out = s->target + j * b;
    gnt_metric_image *image = gnt_array((size_t)b, sizeof *image);
    int64_t *member = gnt_array((size_t)b, sizeof *member);
    int rc = image && member ? 0 : gnt_fail(err, "out of memory for %" PRId64 " scores", b);
    if (rc == 0)
        rc = assign_mean(s, j, set, image, member, err);
    if (rc == 0 && x)
        rc = gnt_metric_judge_members(image, member, set, NULL, (size_t)score_members(s, j), x, (size_t)count,
                                      s->shape, err);
    for (int64_t i = 0; rc == 0 && i < b; i++) {
        int answered = x && i < count;
        out[i].image = answered ? image[i] : gnt_metric_no_answer();
        out[i].member = answered ? score_first(s, j) + member[i] : -1;
    }
    gnt_free(image);
    gnt_free(member);
    return rc;
}

int64_t score_rows_behind(const score *s, int64_t j, int64_t *row) {
    int64_t n = 0;
    for (int64_t i = j * s->layout.batch; score_by_members(s) && i < (j + 1) * s->layout.batch; i++)
        if (s->target[i].has_image && s->target[i].member >= 0)
            row[n++] = s->target[i].member;
    if (n)
        return n;
    for (; n < score_members(s, j); n++)
        row[n] = score_first(s, j) + n;
    return n;
}
