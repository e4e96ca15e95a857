/* Observations of which every number is zero: nothing was sent, and no attack was run on them (job/attack.c).
 * Where all of a cell are, their targets are scored as what public data alone give: an image as the mean
 * public one or the public one nearest to it, whichever is more alike, a place among the candidates as that
 * of the mean public image, a label by chance, an attribute as the most frequent one. So no defense looks
 * better by silence than by a guess. Where others were sent, no guess counts: their targets have no score, so
 * that a client that sends for others is not averaged with them. Baselines and chance are those of all
 * targets. */
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "job/work/silence.h"
#include "metric/floors.h"

int score_find_silent(score *s, gnt_err *err) {
    json_t *all = json_loads(s->answer.metadata ? s->answer.metadata : "", 0, NULL);
    const json_t *targets = json_object_get(all, "targets");
    s->silent = gnt_arena_array(&s->memory, (size_t)s->layout.observations, 1);
    for (int64_t j = 0; s->silent && j < s->layout.observations; j++) {
        /* the answer is not trusted: what was observed decides */
        s->silent[j] = json_is_true(json_object_get(json_array_get(targets, (size_t)j), "silent")) &&
                       gnt_is_silent(&s->observed, j);
        s->n_silent += s->silent[j];
    }
    json_decref(all);
    return s->silent
               ? 0
               : gnt_fail(err, "out of memory for %lld observations", (long long)s->layout.observations);
}

int score_is_left_out(const score *s, int64_t j) {
    return s->silent[j] && s->n_silent < s->layout.observations;
}

/* Sets *better to the public image nearest to the row of `targets`, if it is more alike than x. */
static int try_nearest(const score *s, int64_t row, const float *x, const float **better, gnt_err *err) {
    const size_t f = (size_t)s->targets.view.features;
    const score_table table = {s->public_data.x, f};
    const gnt_metric_rows known = score_rows(&table, (size_t)s->public_data.view.n);
    const float *truth = s->targets.x + (size_t)row * f;
    size_t nearest;
    double least;
    int broken;
    if (gnt_metric_nearest(&nearest, &least, truth, NULL, 1, s->shape, &known, err) != 0)
        return -1;
    if (least < gnt_metric_mse(truth, x, f, &broken))
        *better = s->public_data.x + nearest * f;
    return 0;
}

/* Returns the best single guess, which the arena owns: the mean public image, or grey without public data. */
static float *best_guess(score *s, int64_t rows) {
    const size_t f = (size_t)s->targets.view.features;
    float *x = gnt_arena_array(&s->memory, (size_t)rows * f, sizeof *x);
    for (size_t k = 0; x && k < (size_t)rows * f; k++)
        x[k] = s->mean ? s->mean[k % f] : 0.5f;
    return x;
}

const float *score_guess(score *s, int64_t j, gnt_err *err) {
    const int64_t b = s->layout.batch, f = s->targets.view.features;
    float *x = best_guess(s, b);
    if (!x) {
        gnt_fail(err, "out of memory for the guess at an observation of nothing");
        return NULL;
    }
    for (int64_t i = 0; s->mean && !score_by_members(s) && i < b; i++) {
        const float *better = NULL;
        if (try_nearest(s, j * b + i, x + i * f, &better, err) != 0)
            return NULL;
        if (better)
            memcpy(x + i * f, better, (size_t)f * sizeof *x);
    }
    return x;
}

int score_identify_guess(score *s, gnt_metric_identity *who, const gnt_metric_rows *candidates, int64_t right,
                         gnt_err *err) {
    const float *x = best_guess(s, 1);
    return x ? gnt_metric_identify(who, x, candidates, (size_t)right, err)
             : gnt_fail(err, "out of memory for the guess at an observation of nothing");
}

void score_guess_attributes(score *s) {
    int64_t most = 0;
    int32_t best = 0;
    if (s->n_silent < s->layout.observations)
        return;
    for (int64_t j = 0; j < s->layout.observations; j++) {
        int64_t count = 0;
        for (int64_t k = 0; k < s->layout.observations; k++)
            count += s->attribute.truth[k] == s->attribute.truth[j];
        if (count > most) {
            most = count;
            best = s->attribute.truth[j];
        }
    }
    for (int64_t j = 0; j < s->layout.observations; j++)
        s->attribute.answer[j] = best;
}
