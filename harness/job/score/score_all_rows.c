/* Updates that depend on more than their batches (job/replay.c) may show any row that their clients hold.
 * Their answers are scored twice: against the batches, and against all these rows, each above its own
 * baseline. What leaks more counts, for the cell as a whole. Labels, attributes and regions stay those of the
 * batches, whose labels and regions an attack may be granted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

/* Returns tensor KIND of the replay at the observed round, I64 with at least one entry; NULL if there is
 * none. */
static const gnt_st_tensor *replayed(const gnt_st *replay, const char *kind, int64_t round, int64_t j) {
    char name[64];
    if (j < 0)
        snprintf(name, sizeof name, "%s.%" PRId64, kind, round);
    else
        snprintf(name, sizeof name, "%s.%" PRId64 ".%" PRId64, kind, round, j);
    const gnt_st_tensor *t = gnt_st_find(replay, name);
    return t && t->type == GNT_ST_I64 && t->rank == 1 && t->dim[0] > 0 ? t : NULL;
}

static int64_t round_of(const score *s) {
    json_t *all = json_loads(s->observed.metadata ? s->observed.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const int64_t round = json_integer_value(json_object_get(all, "round"));
    json_decref(all);
    return round;
}

/* True if an observed update depends on more than its batch. */
static int any_depends(const score *s, const gnt_st *replay, int64_t round) {
    const gnt_st_tensor *t = replayed(replay, "depends", round, -1);
    int any = 0;
    for (int64_t j = 0; t && j < s->layout.observations && j < t->dim[0]; j++)
        any |= ((const int64_t *)t->data)[j] != 0;
    return any;
}

/* ---- the second run ---- */

/* Sets which rows each observation may show; returns their number, −1 where they cannot be read. */
static int64_t lay_out(score *wide, const score *s, const gnt_st *replay, int64_t round, gnt_err *err) {
    score_layout *l = &wide->layout;
    for (int64_t j = 0; j < l->observations; j++) {
        const gnt_st_tensor *t = replayed(replay, "rows", round, j);
        if (!t || t->dim[0] < score_members(s, j))
            return gnt_fail(
                err, "the rows that the client behind observation %" PRId64 " holds cannot be read", j);
        l->first[j] = l->rows;
        l->count[j] = t->dim[0];
        l->rows += t->dim[0];
        l->members = t->dim[0] > l->members ? t->dim[0] : l->members;
    }
    return l->rows;
}

static int take_rows(score *wide, const gnt_st *replay, int64_t round, gnt_err *err) {
    const score_layout *l = &wide->layout;
    int64_t *row = gnt_array((size_t)l->rows, sizeof *row);
    gnt_st clients, taken;
    gnt_st_init(&clients);
    gnt_st_init(&taken);
    for (int64_t j = 0; row && j < l->observations; j++)
        memcpy(row + l->first[j], replayed(replay, "rows", round, j)->data,
               (size_t)l->count[j] * sizeof *row);
    int rc = row ? wide->work->read(wide->work->context, "clients", &clients, err)
                 : gnt_fail(err, "out of memory for %" PRId64 " rows", l->rows);
    if (rc == 0)
        rc = gnt_samples_rows(&taken, &clients, row, l->rows, err);
    if (rc == 0)
        rc = gnt_samples_unpack(&wide->targets, &taken, "the rows that clients hold", err);
    gnt_st_free(&clients);
    gnt_st_free(&taken);
    gnt_free(row);
    return rc;
}

/* Borrows from the first run all that is not changed. */
static int open_all_rows(score *wide, const score *s, const gnt_st *replay, int64_t round, gnt_err *err) {
    const size_t n = (size_t)s->layout.observations;
    *wide = (score){.work = s->work,
                    .request = s->request,
                    .public_data = s->public_data,
                    .clients = s->clients,
                    .answer = s->answer,
                    .observed = s->observed,
                    .silent = s->silent,
                    .n_silent = s->n_silent,
                    .shape = s->shape,
                    .is_image = s->is_image,
                    .layout = {.observations = s->layout.observations,
                               .batch = s->layout.batch,
                               .n = s->layout.n,
                               .first = gnt_array(n, sizeof(int64_t)),
                               .count = gnt_array(n, sizeof(int64_t))},
                    .target = gnt_array((size_t)s->layout.n, sizeof *s->target)};
    wide->shown = wide;
    if (!wide->layout.first || !wide->layout.count || !wide->target)
        return gnt_fail(err, "out of memory for %" PRId64 " targets", s->layout.n);
    return lay_out(wide, s, replay, round, err) < 0 ? -1 : take_rows(wide, replay, round, err);
}

void score_close_all_rows(score *wide) {
    gnt_sampleset_free(&wide->targets);
    gnt_arena_free(&wide->memory);
    gnt_free(wide->target);
    gnt_free(wide->layout.first);
    gnt_free(wide->layout.count);
    gnt_free(wide->mean);
    gnt_free(wide->candidates.place);
}

/* ---- which one counts ---- */

/* Computes the mean PSNR above that of the nearest public images; without public images, the PSNR itself. */
static int psnr_above_floor(score *s, double *above, gnt_err *err) {
    gnt_named_floor floors[SCORE_MOST_FLOORS];
    size_t n = 0;
    double sum = 0, counted = 0;
    if (score_image_floors(s, floors, &n, err) != 0)
        return -1;
    for (int64_t i = 0; i < s->layout.n; i++)
        if (score_is_target(s, i) && !score_is_left_out(s, i / s->layout.batch)) {
            sum += s->target[i].image.psnr;
            counted++;
        }
    *above = sum / counted;
    for (size_t i = 0; i < n; i++)
        if (strcmp(floors[i].measure, gnt_measure_of(GNT_MEASURE_PSNR)->name) == 0)
            *above -= floors[i].floor[GNT_FLOOR_NEAREST];
    return 0;
}

/* Chooses the scores against all rows if they are further above the baseline: an answer no better than a
 * guess at all rows reveals nothing of them. */
static int choose(score *s, score *wide, gnt_err *err) {
    double of_batch, of_rows;
    if (psnr_above_floor(s, &of_batch, err) != 0 || psnr_above_floor(wide, &of_rows, err) != 0)
        return -1;
    const int rows = of_rows > 0 && of_rows > of_batch;
    s->shown = rows ? wide : s;
    s->scored_against = rows ? gnt_of_all_rows : gnt_of_batch;
    return 0;
}

static int score_twice(score *s, score *wide, const gnt_st *replay, gnt_err *err) {
    const int64_t round = round_of(s);
    if (!any_depends(s, replay, round))
        return 0;
    if (open_all_rows(wide, s, replay, round, err) != 0)
        return -1;
    int64_t rows = 0;
    for (int64_t j = 0; j < s->layout.observations; j++)
        rows += score_members(s, j);
    if (wide->layout.rows == rows) /* the batches are all that is wide */
        return 0;
    return score_reconstructions(wide, err) != 0 || score_judges(wide, err) != 0 ? -1 : choose(s, wide, err);
}

int score_against_all_rows(score *s, score *wide, gnt_err *err) {
    gnt_work *w = s->work;
    gnt_st replay;
    if (!(s->request->goals & GNT_GOAL_RECONSTRUCTION) || s->is_transcript || !w->has(w->context, "replay"))
        return 0;
    gnt_st_init(&replay);
    int rc = w->read(w->context, "replay", &replay, err);
    if (rc == 0)
        rc = score_twice(s, wide, &replay, err);
    gnt_st_free(&replay);
    return rc;
}
