/* Private attributes that an attack infers, compared with the true ones. */
#include "base/mem.h"
#include "job/score/score.h"

/* Returns the attribute that most samples of the batch have (ties: the lowest value). */
static int32_t attribute_of(const score *s, int64_t j, int64_t *row) {
    int32_t n = s->targets.view.n_attributes, best = 0;
    int64_t most = -1, rows = score_rows_behind(s, j, row);
    for (int32_t v = 0; v < s->attribute.values; v++) {
        int64_t count = 0;
        for (int64_t i = 0; i < rows; i++)
            count += s->targets.a[row[i] * n + s->attribute.index] == v;
        if (count > most) {
            most = count;
            best = v;
        }
    }
    return best;
}

int score_counted_attributes(const score *s, const int32_t *answer, int32_t **truth, int32_t **inferred,
                             size_t *n, gnt_err *err) {
    *n = 0;
    *truth = gnt_array((size_t)s->layout.observations, sizeof **truth);
    *inferred = gnt_array((size_t)s->layout.observations, sizeof **inferred);
    for (int64_t j = 0; *truth && *inferred && j < s->layout.observations; j++)
        if (!score_is_left_out(s, j)) {
            (*truth)[*n] = s->attribute.truth[j];
            (*inferred)[(*n)++] = answer[j];
        }
    return *n ? 0 : gnt_fail(err, "out of memory for attributes");
}

/* Renames the answers to what was sent; the others, which have no score, keep theirs. */
static int rename_answers(score *s, gnt_err *err) {
    int32_t *truth, *inferred, *renamed = gnt_array((size_t)s->layout.observations, sizeof *renamed);
    size_t n, k = 0;
    int rc = score_counted_attributes(s, s->attribute.answer, &truth, &inferred, &n, err);
    if (rc == 0)
        rc = renamed ? gnt_metric_relabel(renamed, truth, inferred, n, s->attribute.values, err)
                     : gnt_fail(err, "out of memory for attributes");
    for (int64_t j = 0; rc == 0 && j < s->layout.observations; j++)
        s->attribute.renamed[j] = score_is_left_out(s, j) ? s->attribute.answer[j] : renamed[k++];
    gnt_free(truth);
    gnt_free(inferred);
    gnt_free(renamed);
    return rc;
}

int score_attributes(score *s, gnt_err *err) {
    s->attribute.truth = gnt_array((size_t)s->layout.observations, sizeof *s->attribute.truth);
    s->attribute.answer = gnt_array((size_t)s->layout.observations, sizeof *s->attribute.answer);
    s->attribute.renamed = gnt_array((size_t)s->layout.observations, sizeof *s->attribute.renamed);
    int64_t *row = gnt_array((size_t)s->layout.members, sizeof *row);
    if (!s->attribute.truth || !s->attribute.answer || !s->attribute.renamed || !row) {
        gnt_free(row);
        return gnt_fail(err, "out of memory for attributes");
    }
    for (int64_t j = 0; j < s->layout.observations; j++) {
        int64_t rows = 0;
        const float *scores = score_answer(s, "attribute", j, s->attribute.values, &rows);
        s->attribute.truth[j] = attribute_of(s, j, row);
        s->attribute.answer[j] = GNT_METRIC_NO_LABEL;
        if (scores)
            gnt_metric_labels_of_scores(&s->attribute.answer[j], scores, 1, s->attribute.values);
    }
    gnt_free(row);
    score_guess_attributes(s);
    if (rename_answers(s, err) != 0)
        return -1;
    for (int64_t j = 0; j < s->layout.observations; j++)
        for (int64_t i = 0; i < s->layout.batch; i++) {
            score_target *t = &s->target[j * s->layout.batch + i];
            t->attribute_hit = s->attribute.truth[j] == s->attribute.answer[j];
            t->attribute_truth = s->attribute.truth[j];
            t->attribute_answer = s->attribute.answer[j];
            t->attribute_renamed = s->attribute.renamed[j];
            t->has_attribute = 1;
        }
    return 0;
}
