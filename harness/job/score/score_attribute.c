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
    if (gnt_metric_relabel(s->attribute.renamed, s->attribute.truth, s->attribute.answer,
                           (size_t)s->layout.observations, s->attribute.values, err) != 0)
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
