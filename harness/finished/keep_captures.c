#include "finished/keep_captures.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture.h"
#include "finished/rerun.h"
#include "job/observations.h"
#include "run/engine.h"
#include "run/stored_observation.h"
#include "run/version.h"

typedef struct keeping {
    const gnt_suite *suite;
    const gnt_cell *cell;
    size_t index;
    const gnt_keep_options *options;
    gnt_stored_observation stored;
    gnt_work_model model;
    gnt_observations seen;
    gnt_sampleset samples;
    /* What captures point to. */
    gnt_arena memory;
} keeping;

/* ---- opening ---- */

/* Gives the bundle "seen" away, to gnt_observations_open. */
static int give_seen(void *context, const char *name, gnt_st *out, gnt_err *err) {
    keeping *k = context;
    (void)name, (void)err;
    *out = k->stored.seen;
    gnt_st_init(&k->stored.seen);
    return 0;
}

static int check_surface(const keeping *k, gnt_err *err) {
    const gnt_request_observation *q = k->stored.request;
    if (q->observe.surface != GNT_SURFACE_UPDATE)
        return gnt_fail(err, "the cell %s observes no updates; a capture holds nothing else", k->cell->id);
    if (q->influence)
        return gnt_fail(err,
                        "the cell %s observes what updates did to the model; a capture holds updates alone",
                        k->cell->id);
    return 0;
}

static int open_all(keeping *k, struct run *r, gnt_err *err) {
    gnt_work work = {.context = k, .read = give_seen};
    if (gnt_run_stored_observation(r, k->index, &k->stored, err) != 0 || check_surface(k, err) != 0)
        return -1;
    const gnt_request_observation *q = k->stored.request;
    const gnt_region region = gnt_work_region(&q->samples);
    if (gnt_work_model_open(&k->model, &q->model, q->federated.training_stats, err) != 0 ||
        gnt_observations_open(&k->seen, &work, "seen", &k->model, err) != 0 ||
        gnt_samples_unpack(&k->samples, &k->stored.targets, "targets", err) != 0)
        return -1;
    return region.height ? gnt_samples_mark(&k->samples, &region, err) : 0;
}

static void close_all(keeping *k) {
    gnt_sampleset_free(&k->samples);
    gnt_observations_free(&k->seen);
    gnt_work_model_free(&k->model);
    gnt_stored_observation_free(&k->stored);
    gnt_arena_free(&k->memory);
}

/* ---- settings ---- */

static const char *text_of(const char *text) {
    return text ? text : gnt_no_text;
}

static const char *version_of(const keeping *k, const char *id) {
    const gnt_suite_defense *d = &k->suite->defense[k->cell->defense];
    for (size_t i = 0; i < d->n_members; i++)
        if (strcmp(d->member[i].info->id, id) == 0)
            return d->member[i].info->version;
    return gnt_no_text;
}

/* Lists the members of the defense, without the plugin that changes nothing. */
static void set_defense(keeping *k, gnt_capture_settings *s) {
    const gnt_request_plugins *from = k->stored.defense;
    gnt_capture_member *list = gnt_arena_array(&k->memory, from->n, sizeof *list);
    for (size_t i = 0; list && i < from->n; i++)
        if (strcmp(from->at[i].id, "none") != 0)
            list[s->defense.n++] =
                (gnt_capture_member){from->at[i].id, version_of(k, from->at[i].id), from->at[i].params};
    s->defense.at = list;
}

static void set_attributes(keeping *k, gnt_capture_settings *s) {
    const gnt_samples *v = &k->samples.view;
    const gnt_request_attribute *of = k->stored.attribute;
    const size_t n = (size_t)v->n_attributes;
    gnt_capture_attribute *list = gnt_arena_array(&k->memory, n, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        list[i] = (gnt_capture_attribute){v->attribute[i].name, v->attribute[i].values};
    s->attributes.at = n ? list : NULL;
    s->attributes.n = n;
    if ((k->cell->goals & GNT_GOAL_ATTRIBUTE) && of && of->index >= 0 && (size_t)of->index < n)
        s->attribute = v->attribute[of->index].name;
}

/* A probe is of no client of the training, and may come after its last round. */
static gnt_capture_federation federation_of(const keeping *k, int64_t j) {
    const gnt_request_federated *f = &k->stored.request->federated;
    const gnt_st_tensor *client = gnt_st_find(&k->stored.targets, "client");
    gnt_capture_federation none = {k->seen.common.round, -1, -1, -1, -1};
    if (k->stored.request->probe)
        return none;
    const gnt_fl_config config = gnt_work_config(f);
    none.rounds = f->rounds;
    none.clients = f->clients;
    none.per_round = gnt_fl_per_round(&config);
    if (client && client->type == GNT_ST_I64 && client->rank == 1 && j < client->dim[0])
        none.client = ((const int64_t *)client->data)[j];
    return none;
}

static gnt_capture_training training_of(const keeping *k) {
    const gnt_request_federated *f = &k->stored.request->federated;
    const gnt_observation *o = &k->seen.common;
    return (gnt_capture_training){
        .samples = o->n,
        .local_steps = o->steps,
        .batch = o->batch,
        .rate = o->rate,
        .momentum = o->momentum,
        .decay = o->decay,
        .optimizer = o->optimizer == GNT_OPTIMIZER_ADAM ? GNT_CAPTURE_ADAM : GNT_CAPTURE_SGD,
        .batch_norm = f->training_stats ? GNT_CAPTURE_TRAINING : GNT_CAPTURE_EVALUATION,
        .augmented = !k->stored.request->probe && (f->flip || f->shift || f->cutout)};
}

static gnt_reals numbers_of(const gnt_reals *list) {
    return list->n ? *list : (gnt_reals){0};
}

static void set_settings(keeping *k, int64_t j, gnt_capture_settings *s) {
    const gnt_request_model *m = &k->stored.request->model;
    char *about = gnt_format("target %" PRId64 " of %s in a run of the suite %s, written by gauntlet %s", j,
                             k->cell->id, k->suite->name, GNT_VERSION);
    *s = (gnt_capture_settings){.format = GNT_CAPTURE_FORMAT,
                                .version = GNT_CAPTURE_VERSION,
                                .about = text_of(gnt_arena_text(&k->memory, about)),
                                .surface = GNT_SURFACE_UPDATE,
                                .data_kind = k->samples.view.kind,
                                .model = {.name = m->name,
                                          .architecture = m->json,
                                          .sample = m->sample,
                                          .classes = m->classes,
                                          .mean = numbers_of(&m->mean),
                                          .deviation = numbers_of(&m->deviation)},
                                .training = training_of(k),
                                .federation = federation_of(k, j),
                                .goals = k->cell->goals,
                                .attribute = gnt_no_text};
    gnt_free(about);
    set_attributes(k, s);
    set_defense(k, s);
}

/* ---- the private batch ---- */

/* Finds the rows behind observation j: of a set that was encoded, of a client, or of one batch of a probe. */
static int64_t rows_behind(const keeping *k, int64_t j, int64_t *first) {
    const gnt_observations *s = &k->seen;
    const int64_t all = k->samples.view.n;
    if (!k->stored.request->probe) {
        *first = j * (all / s->n);
        return s->rows && s->rows[j] < all / s->n ? s->rows[j] : all / s->n;
    }
    const int64_t n = s->set ? s->set : s->common.n;
    int64_t i = j;
    for (int64_t set = 0; s->set && set < s->sets; set++)
        if (j >= s->first[set])
            i = set;
    *first = n && all / n ? i % (all / n) * n : 0;
    return n && all / n ? n : 0;
}

/* Returns row j of a bundle's tensor with `columns` columns; NULL where there is none. */
static const float *row_of(const gnt_st *st, const char *name, int64_t j, int64_t columns) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    const int64_t n = t ? (int64_t)(t->bytes / sizeof(float)) : 0;
    return t && t->type == GNT_ST_F32 && columns > 0 && (j + 1) * columns <= n
               ? (const float *)t->data + j * columns
               : NULL;
}

static int set_private(const keeping *k, int64_t j, gnt_capture_private *out, gnt_err *err) {
    const gnt_samples *v = &k->samples.view;
    const gnt_observation *o = &k->seen.common;
    int64_t first;
    const int64_t rows = rows_behind(k, j, &first);
    if (rows < 1)
        return gnt_fail(err, "the cell %s has no samples behind target %" PRId64, k->cell->id, j);
    /* the labels that were computed with, where they are not those of the samples */
    const float *y = v->y + first * v->classes,
                *labels = row_of(&k->stored.labels, "labels", j, k->seen.most * v->classes);
    if (k->seen.set ||
        (labels && rows == o->n && memcmp(labels, y, (size_t)(rows * v->classes) * sizeof *y) == 0))
        labels = NULL;
    *out = (gnt_capture_private){.rows = rows,
                                 .x = v->x + first * v->features,
                                 .y = y,
                                 .labels = labels,
                                 .a = v->a ? v->a + first * v->n_attributes : NULL,
                                 .mask = v->mask ? v->mask + first * gnt_mask_size(v) : NULL,
                                 .rates = row_of(&k->stored.rates, "rates", j, o->steps)};
    return 0;
}

/* ---- captures ---- */

static int keep_one(keeping *k, int64_t j, gnt_err *err) {
    const gnt_observation o = gnt_observations_at(&k->seen, j);
    gnt_capture c = {.model = k->model.model,
                     .weights = o.weights,
                     .buffers = o.buffers,
                     .update = o.update->view[0].data,
                     .sent_buffers = o.sent_buffers ? o.sent_buffers->view[0].data : NULL};
    char *folder = gnt_format("%s/%" PRId64, k->options->output, j);
    set_settings(k, j, &c.settings);
    int rc = folder && !k->memory.failed ? 0 : gnt_fail(err, "out of memory for a capture");
    if (rc == 0 && k->options->with_private)
        rc = set_private(k, j, &c.batch, err);
    if (rc == 0)
        rc = gnt_capture_write(&c, folder, k->options->with_private, err);
    if (rc == 0)
        k->options->wrote(k->options->user, folder);
    gnt_free(folder);
    return rc;
}

static int keep_all(void *user, struct run *r, gnt_err *err) {
    keeping *k = user;
    if (open_all(k, r, err) != 0)
        return -1;
    const int64_t only = k->options->target;
    if (only >= k->seen.n)
        return gnt_fail(err, "the cell %s has the targets 0 to %" PRId64 "; there is no target %" PRId64,
                        k->cell->id, k->seen.n - 1, only);
    for (int64_t j = 0; j < k->seen.n; j++)
        if ((only < 0 || only == j) && keep_one(k, j, err) != 0)
            return -1;
    return 0;
}

int gnt_keep_captures(const gnt_suite *suite, const gnt_plan *plan, const gnt_keep_options *options,
                      gnt_err *err) {
    keeping k = {.suite = suite, .cell = gnt_plan_find(plan, options->cell), .options = options};
    gnt_result of;
    gnt_run_counts counts = {0};
    if (gnt_suite_is_of_captures(suite))
        return gnt_fail(err, "%s attacked captures; what it observed are these: %s", options->folder,
                        suite->task[0].captures->attacked.folder[0]);
    if (!k.cell)
        return gnt_fail(err, "%s: there is no cell %.200s; results.json lists them by their id",
                        options->folder, options->cell);
    k.index = (size_t)(k.cell - plan->cell);
    if (rerun_results(&of, options->folder, suite, plan, err) != 0)
        return -1;
    double *strength = NULL;
    uint8_t *wanted = gnt_array(plan->n, 1);
    int rc = wanted ? 0 : gnt_fail(err, "out of memory");
    if (rc == 0) {
        wanted[k.index] = 1;
        rc = (strength = rerun_strengths(suite, plan, &of.cells, wanted, err)) ? 0 : -1;
    }
    if (rc == 0) {
        gnt_run_options how = {.folder = options->folder,
                               .data_folder = options->data_folder,
                               .jobs = 1,
                               .quiet = 1,
                               .wanted = wanted,
                               .sandbox = options->sandbox,
                               .strength = strength,
                               .only_stored = 1,
                               .done = keep_all,
                               .user = &k};
        rc = gnt_run(suite, plan, &how, &counts, err);
        if (rc == 0 && counts.interrupted)
            rc = gnt_fail(err, "interrupted");
    }
    close_all(&k);
    gnt_free(wanted);
    gnt_free(strength);
    gnt_result_free(&of);
    return rc;
}
