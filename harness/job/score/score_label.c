/* Labels answered for each observation, in no order: the share of the true ones that they cover, and the
 * share that the best answer without any observation covers. */
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

/* Lists the true labels of observation j, at most `members`. If images were answered for a part of a
 * batch, the rest of it has none: −1, which nothing covers. */
static int64_t labels_behind(const score *s, int64_t j, int64_t *row, int32_t *label) {
    int64_t n = score_rows_behind(s, j, row);
    for (int64_t i = 0; i < n; i++)
        label[i] = s->targets.label[row[i]];
    for (; n < score_answers(s, j); n++)
        label[n] = -1;
    return n;
}

/* Computes the share of the labels found; of a set only `most` labels can be answered. */
static int cover(const score *s, const int32_t *truth, int64_t n, const int32_t *answer, int64_t most,
                 double *share, gnt_err *err) {
    double part;
    if (gnt_metric_batch_labels(&part, truth, (size_t)n, answer, (size_t)most, s->targets.view.classes,
                                err) != 0)
        return -1;
    *share = n > most ? (double)(int64_t)(part * (double)n + 0.5) / (double)most : part;
    return 0;
}

typedef struct label_room {
    int32_t *answer, *truth;
    int64_t *row;
} label_room;

static int make_room(label_room *r, const score *s, gnt_err *err) {
    size_t n = (size_t)s->layout.members;
    *r = (label_room){gnt_array((size_t)s->layout.batch, sizeof *r->answer), gnt_array(n, sizeof *r->truth),
                      gnt_array(n, sizeof *r->row)};
    return r->answer && r->truth && r->row ? 0 : gnt_fail(err, "out of memory for labels");
}

static void free_room(label_room *r) {
    gnt_free(r->answer);
    gnt_free(r->truth);
    gnt_free(r->row);
}

int score_labels(score *s, gnt_err *err) {
    int32_t classes = s->targets.view.classes;
    label_room r;
    double chance = 0;
    int rc = make_room(&r, s, err);
    if (rc == 0 && s->n_silent)
        rc = score_label_chance(s, &chance, err);
    for (int64_t j = 0; rc == 0 && j < s->layout.observations; j++) {
        int64_t n = 0;
        double share = s->silent[j] ? chance : 0;
        const float *scores = score_answer(s, "labels", j, classes, &n);
        if (scores && n == score_answers(s, j)) {
            gnt_metric_labels_of_scores(r.answer, scores, (size_t)n, classes);
            rc = cover(s, r.truth, labels_behind(s, j, r.row, r.truth), r.answer, n, &share, err);
        }
        for (int64_t i = 0; i < s->layout.batch; i++) {
            s->target[j * s->layout.batch + i].label_share = share;
            s->target[j * s->layout.batch + i].has_label = 1;
        }
    }
    free_room(&r);
    return rc;
}

/* Counts, into gain[c], the observations that have more than used[c] labels of class c, of those that can be
 * answered with more than k labels. */
static void find_gain(const score *s, label_room *r, int64_t *count, int64_t *gain, const int64_t *used,
                      int64_t k) {
    memset(gain, 0, (size_t)s->targets.view.classes * sizeof *gain);
    for (int64_t j = 0; j < s->layout.observations; j++) {
        if (score_answers(s, j) <= k)
            continue;
        int64_t n = labels_behind(s, j, r->row, r->truth);
        for (int64_t i = 0; i < n; i++)
            if (r->truth[i] >= 0 && ++count[r->truth[i]] == used[r->truth[i]] + 1)
                gain[r->truth[i]]++;
        for (int64_t i = 0; i < n; i++)
            if (r->truth[i] >= 0)
                count[r->truth[i]] = 0;
    }
}

/* Computes the best score of one answer of `batch` labels for all observations, each of which takes as many
 * as it can. The more labels of a class it has, the less one more covers, so adding the best label each time
 * is optimal where all take as many. */
static int chance_by_members(const score *s, double *chance, gnt_err *err) {
    size_t classes = (size_t)s->targets.view.classes;
    label_room r;
    int64_t *count = gnt_array(classes, sizeof *count), *gain = gnt_array(classes, sizeof *gain),
            *used = gnt_array(classes, sizeof *used), covered = 0;
    int rc = make_room(&r, s, err);
    if (rc == 0 && (!count || !gain || !used))
        rc = gnt_fail(err, "out of memory for labels");
    for (int64_t k = 0; rc == 0 && k < s->layout.batch; k++) {
        int32_t best = 0;
        find_gain(s, &r, count, gain, used, k);
        for (int32_t c = 1; c < s->targets.view.classes; c++)
            best = gain[c] > gain[best] ? c : best;
        covered += gain[best];
        used[best]++;
    }
    *chance = (double)covered / (double)score_targets(s);
    gnt_free(count);
    gnt_free(gain);
    gnt_free(used);
    free_room(&r);
    return rc;
}

int score_label_chance(const score *s, double *chance, gnt_err *err) {
    int64_t most = 0;
    if (score_by_members(s))
        return chance_by_members(s, chance, err);
    for (int32_t c = 0; c < s->targets.view.classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->layout.n; i++)
            count += score_is_target(s, i) && s->targets.label[i] == c;
        if (count > most)
            most = count;
    }
    *chance = (double)most / (double)score_targets(s);
    return 0;
}
