/* Observed in the round: what the training recorded of the clients that were drawn, and the samples behind
 * it. No hook runs: every byte that is observed went into the aggregation. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "job/observe/observe.h"

/* Lists the rows behind all observations, o->batch of each: a client with fewer repeats its own. */
static int64_t *list_rows(const observing *o, gnt_err *err) {
    const gnt_recorded *r = &o->round.recorded;
    int64_t *row = gnt_array((size_t)(o->targets * o->batch), sizeof *row);
    for (int64_t i = 0; row && i < o->targets * o->batch; i++)
        row[i] = r->rows[i / o->batch * r->members + i % o->batch % r->sizes[2 * (i / o->batch)]];
    if (!row)
        gnt_fail(err, "out of memory for the rows behind %" PRId64 " observations", o->targets);
    return row;
}

/* Makes a set of the observed samples alone: `truth`, a bundle, and `samples`, in memory. The bundle also
 * says which client is behind each observation (`client`, I64 T). */
static int open_truth(observing *o, const gnt_st *clients, gnt_err *err) {
    const gnt_region region = gnt_work_region(&o->request->samples);
    const gnt_recorded *r = &o->round.recorded;
    const int encoded = o->surface == GNT_SURFACE_ENCODING;
    if (encoded || r->members > o->batch)
        o->batch = encoded ? r->set_size : r->members;
    int64_t *row = encoded ? NULL : list_rows(o, err);
    int rc = encoded || row ? gnt_samples_rows(&o->round.truth, clients, encoded ? r->set : row,
                                               o->targets * o->batch, err)
                            : -1;
    gnt_free(row);
    if (rc != 0 || gnt_samples_unpack(&o->samples, &o->round.truth, "the observed samples", err) != 0 ||
        gnt_st_add(&o->round.truth, "client", GNT_ST_I64, 1, &o->targets, r->client, NULL, err) != 0)
        return -1;
    return region.height ? gnt_samples_mark(&o->samples, &region, err) : 0;
}

/* Adds the sizes of observations that are not all of one: "rows" that each may show, and the samples ("used")
 * that it was computed with. */
int observe_add_sizes(const observing *o, json_t *all) {
    const gnt_recorded *r = &o->round.recorded;
    const int64_t n = observe_samples(o);
    int differ = 0;
    json_t *rows = json_array(), *used = json_array();
    for (int64_t j = 0; j < o->targets && o->surface != GNT_SURFACE_ENCODING; j++) {
        const int64_t of = o->surface == GNT_SURFACE_UPDATE ? r->sizes[2 * j + 1] : r->sizes[2 * j];
        differ |= r->sizes[2 * j] != o->batch || of != n;
        json_array_append_new(rows, json_integer((json_int_t)r->sizes[2 * j]));
        json_array_append_new(used, json_integer((json_int_t)of));
    }
    if (differ)
        return json_object_set_new(all, "rows", rows) | json_object_set_new(all, "used", used);
    json_decref(rows);
    json_decref(used);
    return 0;
}

int observe_open_round(observing *o, gnt_err *err) {
    gnt_work *w = o->work;
    gnt_st clients;
    gnt_st_init(&clients);
    if (o->surface == GNT_SURFACE_TRANSCRIPT)
        return gnt_work_samples(&o->samples, w, "clients", &o->request->samples, err);
    int rc = w->read(w->context, "record", &o->round.record, err);
    if (rc == 0)
        rc = w->read(w->context, "held", &o->round.behind, err);
    if (rc == 0)
        rc = w->read(w->context, "clients", &clients, err);
    const gnt_st_tensor *label = rc == 0 ? gnt_st_find(&clients, "label") : NULL;
    if (rc == 0)
        rc = gnt_recorded_read(&o->round.recorded, &o->round.record, &o->round.behind, o->model.model,
                               o->stage, o->config.steps, label && label->rank == 1 ? label->dim[0] : 0, err);
    if (rc == 0 && o->round.recorded.targets < o->targets)
        rc = gnt_fail(err, "%" PRId64 " clients were recorded, %" PRId64 " are to be observed",
                      o->round.recorded.targets, o->targets);
    if (rc == 0 && o->request->influence && o->round.recorded.influences < o->targets)
        rc = gnt_fail(err,
                      "the influence of %" PRId64 " updates was measured in round %" PRId32 ", of %" PRId64
                      " it is to be observed",
                      o->round.recorded.influences, o->stage, o->targets);
    if (rc == 0 && o->surface == GNT_SURFACE_ENCODING && !o->round.recorded.count)
        rc = gnt_fail(err, "the training recorded no encodings");
    if (rc == 0)
        rc = open_truth(o, &clients, err);
    if (o->surface == GNT_SURFACE_ENCODING)
        o->sets.size = o->batch;
    gnt_st_free(&clients);
    return rc;
}

static int add_copy(gnt_st *st, const char *name, int64_t rows, int64_t columns, const float *from,
                    gnt_err *err) {
    float *to;
    if (observe_add(st, name, rows, columns, &to, err) != 0)
        return -1;
    if (rows > 0 && columns > 0)
        memcpy(to, from, (size_t)(rows * columns) * sizeof *to);
    return 0;
}

static int64_t encodings_of(const observing *o) {
    int64_t n = 0;
    for (int64_t j = 0; j < o->targets; j++)
        n += o->round.recorded.count[j];
    return n;
}

static int add_recorded_updates(observing *o, gnt_err *err) {
    const gnt_recorded *r = &o->round.recorded;
    const gnt_model *m = o->model.model;
    if (add_copy(&o->observations, "update", o->targets, gnt_model_shared_size(m),
                 o->request->influence ? r->influence : r->update, err) != 0)
        return -1;
    if (!r->sent_buffers)
        return 0;
    return add_copy(&o->observations, "sent_buffers", o->targets, gnt_model_buffer_size(m), r->sent_buffers,
                    err) == 0
               ? gnt_st_add(&o->observations, "sends_buffers", GNT_ST_I64, 1, &o->targets, r->sends_buffers,
                            NULL, err)
               : -1;
}

int observe_recorded(observing *o, gnt_err *err) {
    const gnt_recorded *r = &o->round.recorded;
    const gnt_samples *s = &o->samples.view;
    if (o->surface == GNT_SURFACE_UPDATE)
        return add_recorded_updates(o, err);
    const int64_t n = encodings_of(o);
    return add_copy(&o->observations, "encoded_x", n, s->features, r->encoded_x, err) == 0
               ? add_copy(&o->observations, "encoded_y", n, s->classes, r->encoded_y, err)
               : -1;
}

/* Writes the claims of this stage, under the names that scoring reads. */
static int write_claims(observing *o, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < o->targets; j++)
        rc = gnt_recorded_claims(&o->round.behind, o->stage, j, &st, err);
    if (rc == 0)
        return observe_write(o, "mixing", &st, err);
    gnt_st_free(&st);
    return -1;
}

/* Writes the labels that updates were computed with; of fewer samples than others, they are repeated. */
static int write_labels(observing *o, gnt_err *err) {
    const gnt_recorded *r = &o->round.recorded;
    const int64_t c = o->samples.view.classes, n = observe_samples(o);
    gnt_st labels;
    float *to;
    gnt_st_init(&labels);
    if (observe_add(&labels, "labels", o->targets * n, c, &to, err) != 0)
        return -1;
    for (int64_t i = 0; i < o->targets * n; i++) {
        const int64_t j = i / n, k = i % n;
        const float *from = o->surface == GNT_SURFACE_UPDATE
                                ? r->labels + (j * r->n + k % r->sizes[2 * j + 1]) * c
                                : o->samples.view.y + i * c;
        memcpy(to + i * c, from, (size_t)c * sizeof *to);
    }
    return observe_write(o, "labels", &labels, err);
}

int observe_write_recorded(observing *o, gnt_err *err) {
    const gnt_recorded *r = &o->round.recorded;
    gnt_st rates;
    gnt_st_init(&rates);
    int rc = write_labels(o, err) || add_copy(&rates, "rates", o->targets, o->config.steps, r->rates, err) ||
                     observe_write(o, "rates", &rates, err)
                 ? -1
                 : 0;
    if (rc == 0 && o->surface == GNT_SURFACE_ENCODING)
        rc = write_claims(o, err);
    if (rc == 0)
        rc = o->work->write(o->work->context, "targets", &o->round.truth, err);
    return rc;
}
