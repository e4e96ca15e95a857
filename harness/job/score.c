/* The job `score`: an answer beside the truth. No plugin is opened here, and the answer is read as the
 * hostile bundle it is: what is missing, misshapen or not finite scores the worst, never nothing.
 *
 * Output `score`: metadata {"targets": […], "measures": {…}, "floors": {…}, "chance": {…}, "convergence":
 * […], "facts": {…}} as docs/results.md describes; output `images`: a few targets as private, observed, recovered. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/job.h"
#include "job/score.h"
#include "metric/identify.h"

const float *score_answer(const score *s, const char *kind, int64_t j, int64_t columns, int64_t *rows) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, j);
    const gnt_st_tensor *t = gnt_st_find(&s->answer, name);
    if (!t || t->type != GNT_ST_F32 || t->rank != 2 || t->dim[1] != columns || t->dim[0] < 1)
        return NULL;
    *rows = t->dim[0];
    return t->data;
}

static void read_row(const void *context, size_t row, float *x) {
    const score_table *t = context;
    memcpy(x, t->x + row * t->features, t->features * sizeof *x);
}

gnt_metric_rows score_rows(const score_table *table, size_t n) {
    return (gnt_metric_rows){.read = read_row, .context = table, .n = n, .features = table->features};
}

/* ---- reconstruction ---- */

/* Of a batch: which answer is which target's. */
static int judge_batch(score *s, int64_t j, const float *x, int64_t count, gnt_err *err) {
    int64_t b = s->batch;
    score_target *out = s->target + j * b;
    gnt_metric_image *image = gnt_array((size_t)b, sizeof *image);
    if (!image)
        return gnt_fail(err, "out of memory for %" PRId64 " scores", b);
    int rc = x ? gnt_metric_judge_batch(image, s->targets.x + j * b * s->targets.view.features, (size_t)b, x,
                                        (size_t)count, s->shape, err)
               : 0;
    for (int64_t i = 0; rc == 0 && i < b; i++) {
        out[i].image = x ? image[i] : gnt_metric_no_answer();
        out[i].member = out[i].mean_member = j * b + i;
    }
    gnt_free(image);
    return rc;
}

static int judge_observation(score *s, int64_t j, const gnt_metric_rows *candidates, gnt_err *err) {
    int64_t b = s->batch, f = s->targets.view.features, count = 0;
    const float *x = score_answer(s, "reconstruction", j, f, &count);
    score_target *out = s->target + j * b;
    if (count > b)
        count = b;
    int rc =
        score_by_members(s) ? score_judge_members(s, j, x, count, err) : judge_batch(s, j, x, count, err);
    for (int64_t i = 0; rc == 0 && i < b; i++) {
        out[i].has_image = 1;
        out[i].rank = (double)candidates->n;
        if (out[i].image.missing)
            continue;
        gnt_metric_identity who;
        out[i].recovered = x + out[i].image.answer * f;
        int64_t right = s->place ? s->place[out[i].member] : out[i].member;
        rc = gnt_metric_identify(&who, out[i].recovered, candidates, (size_t)right, err);
        out[i].hit = who.hit;
        out[i].rank = who.rank;
    }
    return rc;
}

static int score_reconstructions(score *s, gnt_err *err) {
    float *rows;
    size_t n;
    if (score_mean_image(s, err) != 0 || score_candidates(s, &rows, &n, err) != 0)
        return -1;
    score_table table = {rows, (size_t)s->targets.view.features};
    gnt_metric_rows candidates = score_rows(&table, n);
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < s->observations; j++)
        rc = judge_observation(s, j, &candidates, err);
    if (rc == 0 && s->region.height)
        rc = score_regions(s, err);
    if (rc == 0)
        rc = score_sets(s, &candidates, err);
    if (rc == 0)
        rc = score_claims(s, err);
    s->candidates = n;
    gnt_free(rows);
    return rc;
}

/* ---- attributes ---- */

/* Of a batch of several samples the attribute is that of most of them (ties: the lowest value). */
static int32_t attribute_of(const score *s, int64_t j, int64_t *row) {
    int32_t n = s->targets.view.n_attributes, best = 0;
    int64_t most = -1, rows = score_rows_behind(s, j, row);
    for (int32_t v = 0; v < s->attribute_values; v++) {
        int64_t count = 0;
        for (int64_t i = 0; i < rows; i++)
            count += s->targets.a[row[i] * n + s->attribute] == v;
        if (count > most) {
            most = count;
            best = v;
        }
    }
    return best;
}

static int score_attributes(score *s, gnt_err *err) {
    s->attribute_truth = gnt_array((size_t)s->observations, sizeof *s->attribute_truth);
    s->attribute_told = gnt_array((size_t)s->observations, sizeof *s->attribute_told);
    int64_t *row = gnt_array((size_t)s->members, sizeof *row);
    if (!s->attribute_truth || !s->attribute_told || !row) {
        gnt_free(row);
        return gnt_fail(err, "out of memory for attributes");
    }
    for (int64_t j = 0; j < s->observations; j++) {
        int64_t rows = 0;
        const float *scores = score_answer(s, "attribute", j, s->attribute_values, &rows);
        s->attribute_truth[j] = attribute_of(s, j, row);
        s->attribute_told[j] = GNT_METRIC_NO_LABEL;
        if (scores)
            gnt_metric_labels_of_scores(&s->attribute_told[j], scores, 1, s->attribute_values);
        for (int64_t i = 0; i < s->batch; i++) {
            score_target *t = &s->target[j * s->batch + i];
            t->attribute_right = s->attribute_truth[j] == s->attribute_told[j];
            t->attribute_truth = s->attribute_truth[j];
            t->attribute_told = s->attribute_told[j];
            t->has_attribute = 1;
        }
    }
    gnt_free(row);
    return 0;
}

/* ---- the whole ---- */

static int any_answer(const score *s, const char *kind) {
    size_t n = strlen(kind);
    for (size_t i = 0; i < s->answer.n; i++)
        if (strncmp(s->answer.tensor[i].name, kind, n) == 0 && s->answer.tensor[i].name[n] == '.')
            return 1;
    return 0;
}

/* What was observed in a round says itself how many samples may stand behind it. */
static int64_t members_told(const score *s) {
    json_t *all = json_loads(s->seen.metadata ? s->seen.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const json_int_t n = json_integer_value(json_object_get(all, "members"));
    json_decref(all);
    return n > 0 && n <= INT32_MAX ? n : 0;
}

static int open_all(score *s, gnt_err *err) {
    gnt_work *w = s->work;
    if (gnt_work_samples(&s->targets, w, "targets", &s->ask->samples, err) != 0 ||
        gnt_work_samples(&s->public_data, w, "public", &s->ask->samples, err) != 0 ||
        gnt_work_samples(&s->clients, w, "clients", &s->ask->samples, err) != 0 ||
        w->read(w->context, "seen", &s->seen, err) != 0)
        return -1;
    gnt_err why = {0};
    if (w->read(w->context, "answer", &s->answer, &why) != 0)
        return gnt_fail(err, "the attack's answer cannot be read: %s", why.text);
    if (s->surface != GNT_SURFACE_TRANSCRIPT)
        s->members = members_told(s);
    if (score_open_sets(s, err) != 0)
        return -1;
    const gnt_samples *t = &s->targets.view;
    s->n = s->observations * s->batch;
    if ((s->ask->goals & GNT_GOAL_CONTRIBUTION) && score_read_contributions(s, err) != 0)
        return -1;
    if (s->of_all) {
        s->n = s->clients_in_sum;
        s->target = gnt_array((size_t)s->n, sizeof *s->target);
        return s->target && s->n ? 0 : gnt_fail(err, "a transcript can be scored for contributions alone");
    }
    if (s->n < 1 || t->n < s->rows)
        return gnt_fail(err, "there are %" PRId64 " targets, %" PRId64 " were observed", t->n, s->rows);
    int image = t->rank == 3;
    s->is_image = image;
    s->shape =
        (gnt_metric_shape){image ? t->dim[0] : 1, image ? t->dim[1] : 1, image ? t->dim[2] : t->features};
    s->target = gnt_array((size_t)s->n, sizeof *s->target);
    return s->target ? 0 : gnt_fail(err, "out of memory for %" PRId64 " targets", s->n);
}

static void close_all(score *s) {
    score_close_sets(s);
    gnt_sampleset_free(&s->targets);
    gnt_sampleset_free(&s->public_data);
    gnt_sampleset_free(&s->clients);
    gnt_st_free(&s->answer);
    gnt_st_free(&s->seen);
    gnt_st_free(&s->given);
    gnt_free(s->target);
    gnt_free(s->first);
    gnt_free(s->mean);
    gnt_free(s->shown_below);
    gnt_free(s->place);
    gnt_free(s->attribute_truth);
    gnt_free(s->attribute_told);
}

static int score_goals(score *s, gnt_err *err) {
    const uint32_t goals = s->ask->goals;
    if ((goals & GNT_GOAL_RECONSTRUCTION) &&
        (score_reconstructions(s, err) != 0 || score_judges(s, err) != 0))
        return -1;
    /* an attack may leave labels out where it was asked for more than it can tell; then there is no such
     * column */
    if ((goals & GNT_GOAL_LABEL) && any_answer(s, "labels") && score_labels(s, err) != 0)
        return -1;
    if ((goals & GNT_GOAL_ATTRIBUTE) && s->attribute >= 0 && s->attribute < s->targets.view.n_attributes &&
        score_attributes(s, err) != 0)
        return -1;
    if ((goals & GNT_GOAL_CONTRIBUTION) && any_answer(s, "contribution") && score_contributions(s, err) != 0)
        return -1;
    return 0;
}

int gnt_job_score(gnt_work *w, gnt_err *err) {
    const gnt_request_score *q = &w->request->score;
    score s = {.work = w,
               .ask = q,
               .key = q->key,
               .observations = q->observe.targets,
               .batch = q->observe.batch,
               .surface = q->observe.surface,
               .set = q->observe.set,
               .chained = q->chained,
               .facts = json_object(),
               .marks = json_array(),
               .attribute = q->attribute ? (int32_t)q->attribute->index : -1,
               .region = gnt_work_region(&q->samples),
               .of_all = q->observe.surface == GNT_SURFACE_TRANSCRIPT,
               .attribute_values = q->attribute ? (int32_t)q->attribute->values : 0};
    gnt_st_init(&s.answer);
    gnt_st_init(&s.seen);
    gnt_st_init(&s.given);
    gnt_st_init(&s.mixing);
    int rc = open_all(&s, err);
    if (rc == 0)
        rc = score_goals(&s, err);
    if (rc == 0)
        rc = score_write(&s, err);
    if (rc == 0)
        rc = score_images(&s, err);
    close_all(&s);
    return rc;
}
