/* The job `score`: compares an answer with the truth. No plugin is opened here, and the answer is not
 * trusted: what is missing, has the wrong shape or is not finite gets the worst score, never none.
 *
 * Output `score`: metadata {"targets": […], "measures": {…}, "floors": {…}, "chance": {…}, "convergence":
 * […], "facts": {…}} as docs/results.md describes; output `images`: a few targets as private, observed,
 * recovered. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

static int any_answer(const score *s, const char *kind) {
    size_t n = strlen(kind);
    for (size_t i = 0; i < s->answer.n; i++)
        if (strncmp(s->answer.tensor[i].name, kind, n) == 0 && s->answer.tensor[i].name[n] == '.')
            return 1;
    return 0;
}

/* Reads how many rows may be behind an observation in the round, and behind each if these differ, as the
 * bundle says; 0 and NULL: it does not say. */
static int read_members(score *s, gnt_err *err) {
    json_t *all = json_loads(s->observed.metadata ? s->observed.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const json_int_t n = json_integer_value(json_object_get(all, "members"));
    const json_t *rows = json_object_get(all, "rows");
    int rc = 0;
    s->layout.members = n > 0 && n <= INT32_MAX ? n : 0;
    if (rows) {
        s->layout.count = gnt_array((size_t)s->layout.observations, sizeof *s->layout.count);
        rc = s->layout.count ? 0 : gnt_fail(err, "out of memory for the rows behind observations");
    }
    for (int64_t j = 0; rc == 0 && rows && j < s->layout.observations; j++) {
        s->layout.count[j] = json_integer_value(json_array_get(rows, (size_t)j));
        if (s->layout.count[j] < 1 || s->layout.count[j] > s->layout.members)
            rc = gnt_fail(err, "seen: says that observation %" PRId64 " is of %" PRId64 " rows", j,
                          s->layout.count[j]);
    }
    json_decref(all);
    return rc;
}

static int open_all(score *s, gnt_err *err) {
    gnt_work *w = s->work;
    s->withheld = s->request->observe.surface != GNT_SURFACE_TRANSCRIPT && !w->has(w->context, "targets");
    if (gnt_work_samples(&s->targets, w, "targets", &s->request->samples, err) != 0 ||
        gnt_work_samples(&s->public_data, w, "public", &s->request->samples, err) != 0 ||
        gnt_work_samples(&s->clients, w, "clients", &s->request->samples, err) != 0 ||
        w->read(w->context, "seen", &s->observed, err) != 0)
        return -1;
    gnt_err why = {0};
    if (w->read(w->context, "answer", &s->answer, &why) != 0)
        return gnt_fail(err, "the attack's answer cannot be read: %s", why.text);
    if (s->withheld)
        return score_open_withheld(s, err);
    if (s->request->observe.surface != GNT_SURFACE_TRANSCRIPT && read_members(s, err) != 0)
        return -1;
    if (score_open_sets(s, err) != 0)
        return -1;
    if (score_find_silent(s, err) != 0)
        return -1;
    const gnt_samples *t = &s->targets.view;
    s->layout.n = s->layout.observations * s->layout.batch;
    if ((s->request->goals & GNT_GOAL_CONTRIBUTION) && score_read_contributions(s, err) != 0)
        return -1;
    if (s->is_transcript) {
        s->layout.n = s->sum.clients;
        s->target = gnt_array((size_t)s->layout.n, sizeof *s->target);
        return s->target && s->layout.n ? 0
                                        : gnt_fail(err, "a transcript can be scored for contributions alone");
    }
    if (s->layout.n < 1 || t->n < s->layout.rows)
        return gnt_fail(err, "there are %" PRId64 " targets, %" PRId64 " were observed", t->n,
                        s->layout.rows);
    int image = t->rank == 3;
    s->is_image = image;
    s->shape =
        (gnt_metric_shape){image ? t->dim[0] : 1, image ? t->dim[1] : 1, image ? t->dim[2] : t->features};
    s->target = gnt_array((size_t)s->layout.n, sizeof *s->target);
    return s->target ? 0 : gnt_fail(err, "out of memory for %" PRId64 " targets", s->layout.n);
}

static void close_all(score *s) {
    score_close_sets(s);
    gnt_sampleset_free(&s->targets);
    gnt_sampleset_free(&s->public_data);
    gnt_sampleset_free(&s->clients);
    gnt_st_free(&s->answer);
    gnt_st_free(&s->observed);
    gnt_st_free(&s->sum.bundle);
    gnt_st_free(&s->sum.behind);
    gnt_arena_free(&s->memory);
    gnt_free(s->target);
    gnt_free(s->layout.first);
    gnt_free(s->layout.count);
    gnt_free(s->mean);
    gnt_free(s->mse_limit);
    gnt_free(s->candidates.place);
    gnt_free(s->attribute.truth);
    gnt_free(s->attribute.answer);
    gnt_free(s->attribute.renamed);
}

static int score_goals(score *s, gnt_err *err) {
    const uint32_t goals = s->request->goals;
    if ((goals & GNT_GOAL_RECONSTRUCTION) &&
        (score_reconstructions(s, err) != 0 || score_judges(s, err) != 0))
        return -1;
    /* an attack may leave labels out where more is requested than it can infer; then there is no such
     * column */
    const int labels_alone = s->n_silent == s->layout.observations && !(goals & GNT_GOAL_RECONSTRUCTION);
    if ((goals & GNT_GOAL_LABEL) && (any_answer(s, "labels") || labels_alone) && score_labels(s, err) != 0)
        return -1;
    if ((goals & GNT_GOAL_ATTRIBUTE) && s->attribute.index >= 0 &&
        s->attribute.index < s->targets.view.n_attributes && score_attributes(s, err) != 0)
        return -1;
    if ((goals & GNT_GOAL_CONTRIBUTION) && any_answer(s, "contribution") && score_contributions(s, err) != 0)
        return -1;
    return 0;
}

int gnt_job_score(gnt_work *w, gnt_err *err) {
    const gnt_request_score *q = &w->request->score;
    score s = {.work = w,
               .request = q,
               .layout = {.observations = q->observe.targets, .batch = q->observe.batch},
               .sets = {.size = q->observe.set, .chained = q->chained},
               .attribute = {.index = q->attribute ? (int32_t)q->attribute->index : -1,
                             .values = q->attribute ? (int32_t)q->attribute->values : 0},
               .is_transcript = q->observe.surface == GNT_SURFACE_TRANSCRIPT};
    gnt_st_init(&s.answer);
    gnt_st_init(&s.observed);
    gnt_st_init(&s.sum.bundle);
    gnt_st_init(&s.sum.behind);
    gnt_st_init(&s.sets.mixing);
    score wide = {0};
    s.shown = &s;
    int rc = open_all(&s, err) ||
                     (!s.withheld && (score_goals(&s, err) || score_against_all_rows(&s, &wide, err))) ||
                     score_write(&s, err) || score_images(s.shown, err)
                 ? -1
                 : 0;
    score_close_all_rows(&wide);
    close_all(&s);
    return rc;
}
