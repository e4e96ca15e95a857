/* Recovered samples compared with the private ones: how alike they are, and which one each is
 * (identification). */
#include <inttypes.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/identify.h"

/* Assigns the answers to a batch of targets, of the rows that were used: each row once. */
static int judge_batch(score *s, int64_t j, const float *x, int64_t count, gnt_err *err) {
    int64_t b = s->layout.batch;
    score_target *out = s->target + j * b;
    gnt_metric_image *image = gnt_array((size_t)b, sizeof *image);
    if (!image)
        return gnt_fail(err, "out of memory for %" PRId64 " scores", b);
    const int64_t rows = score_answers(s, j);
    int rc = x ? gnt_metric_judge_batch(image, s->targets.x + j * b * s->targets.view.features, (size_t)rows,
                                        x, (size_t)count, s->shape, err)
               : 0;
    for (int64_t i = 0; rc == 0 && i < b; i++) {
        out[i].image = x && i < rows ? image[i] : gnt_metric_no_answer();
        out[i].member = out[i].mean_member = j * b + i;
    }
    gnt_free(image);
    return rc;
}

static int judge_observation(score *s, int64_t j, const gnt_metric_rows *candidates, gnt_err *err) {
    int64_t b = s->layout.batch, f = s->targets.view.features, count = 0;
    const int guessed = s->silent[j] && !score_is_left_out(s, j);
    const float *x = guessed        ? score_guess(s, j, err)
                     : s->silent[j] ? NULL
                                    : score_answer(s, "reconstruction", j, f, &count);
    score_target *out = s->target + j * b;
    if (guessed && !x)
        return -1;
    if (guessed || count > score_answers(s, j))
        count = score_answers(s, j);
    int rc =
        score_by_members(s) ? score_judge_members(s, j, x, count, err) : judge_batch(s, j, x, count, err);
    for (int64_t i = 0; rc == 0 && i < b; i++) {
        out[i].has_image = 1;
        out[i].rank = (double)candidates->n;
        if (out[i].image.missing)
            continue;
        gnt_metric_identity who;
        out[i].recovered = x + out[i].image.answer * f;
        int64_t right = s->candidates.place ? s->candidates.place[out[i].member] : out[i].member;
        rc = guessed ? score_identify_guess(s, &who, candidates, right, err)
                     : gnt_metric_identify(&who, out[i].recovered, candidates, (size_t)right, err);
        out[i].hit = who.hit;
        out[i].rank = who.rank;
    }
    return rc;
}

int score_reconstructions(score *s, gnt_err *err) {
    float *rows;
    size_t n;
    if (score_mean_image(s, err) != 0 || score_candidates(s, &rows, &n, err) != 0)
        return -1;
    score_table table = {rows, (size_t)s->targets.view.features};
    gnt_metric_rows candidates = score_rows(&table, n);
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < s->layout.observations; j++)
        rc = judge_observation(s, j, &candidates, err);
    if (rc == 0)
        score_regions(s);
    if (rc == 0)
        rc = score_sets(s, &candidates, err);
    if (rc == 0)
        rc = score_claims(s, err);
    s->candidates.n = n;
    gnt_free(rows);
    return rc;
}
