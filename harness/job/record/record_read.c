/* A record as other jobs read it: what was observed at a stage, checked; and what hooks did to updates,
 * compared with what they did elsewhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "job/record/record.h"
#include "job/record/treatment.h"

enum { NAME_SIZE = 64 };

static const gnt_st_tensor *need(const gnt_st *st, const char *where, const char *kind, int32_t stage,
                                 gnt_st_type type, int64_t rows, gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%" PRId32, kind, stage);
    const gnt_st_tensor *t = gnt_st_find(st, name);
    if (t && t->type == type && t->rank == 2 && t->dim[0] == rows)
        return t;
    gnt_fail(err,
             "%s: has no \"%s\" of %" PRId64 " observed clients; the training may have ended before that "
             "round",
             where, name, rows);
    return NULL;
}

static int check_rows(const int64_t *rows, int64_t n, int64_t client_rows, gnt_err *err) {
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= client_rows)
            return gnt_fail(err, "the private data behind the record names row %" PRId64 " of %" PRId64,
                            rows[i], client_rows);
    return 0;
}

static int check_sizes(const gnt_recorded *r, int32_t stage, gnt_err *err) {
    for (int64_t j = 0; j < r->targets; j++)
        if (r->sizes[2 * j] < 1 || r->sizes[2 * j] > r->members || r->sizes[2 * j + 1] < 1 ||
            r->sizes[2 * j + 1] > r->n)
            return gnt_fail(err,
                            "the private data behind the record has %" PRId64 " rows and %" PRId64
                            " samples of observation %" PRId64 " of round %" PRId32,
                            r->sizes[2 * j], r->sizes[2 * j + 1], j, stage);
    return 0;
}

static int read_encodings(gnt_recorded *out, const gnt_st *record, const gnt_st *behind, const gnt_model *m,
                          int32_t stage, int64_t client_rows, gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "count.%" PRId32, stage);
    const gnt_st_tensor *count = gnt_st_find(record, name);
    if (!count)
        return 0;
    if (count->type != GNT_ST_I64 || count->rank != 1 || count->dim[0] != out->targets)
        return gnt_fail(err, "the record's \"%s\" cannot be read", name);
    const gnt_st_tensor *set =
        need(behind, "the private data behind the record", "set", stage, GNT_ST_I64, out->targets, err);
    if (!set)
        return -1;
    out->count = count->data;
    out->set = set->data;
    out->set_size = set->dim[1];
    if (out->set_size < 1)
        return gnt_fail(err, "the private data behind the record holds no sets of round %" PRId32, stage);
    if (check_rows(out->set, out->targets * out->set_size, client_rows, err) != 0)
        return -1;
    for (int64_t j = 0; j < out->targets; j++) {
        if (out->count[j] < 0 || out->count[j] > INT32_MAX)
            return gnt_fail(err, "the record's \"%s\" cannot be read", name);
        out->encodings += out->count[j];
    }
    const gnt_st_tensor *x = need(record, "the record", "encoded_x", stage, GNT_ST_F32, out->encodings, err);
    const gnt_st_tensor *y =
        x ? need(record, "the record", "encoded_y", stage, GNT_ST_F32, out->encodings, err) : NULL;
    if (!y)
        return -1;
    const gnt_nn_shape sample = gnt_model_sample(m);
    if (x->dim[1] != gnt_nn_count(&sample) || y->dim[1] != gnt_model_classes(m))
        return gnt_fail(err, "the record's encodings of round %" PRId32 " are not samples of this model",
                        stage);
    out->encoded_x = x->data;
    out->encoded_y = y->data;
    return 0;
}

/* Reads what the clients sent of their running statistics, if they send any. */
static int read_buffers(gnt_recorded *out, const gnt_st *record, const gnt_model *m, int32_t stage,
                        gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "buffers.%" PRId32, stage);
    if (!gnt_st_find(record, name))
        return 0;
    const gnt_st_tensor *sent = need(record, "the record", "buffers", stage, GNT_ST_F32, out->targets, err);
    const gnt_st_tensor *sends =
        sent ? need(record, "the record", "sends", stage, GNT_ST_I64, out->targets, err) : NULL;
    if (!sends)
        return -1;
    if (sent->dim[1] != gnt_model_buffer_size(m) || sends->dim[1] != 1)
        return gnt_fail(err, "the record's running statistics of round %" PRId32 " are not of this model",
                        stage);
    out->sent_buffers = sent->data;
    out->sends_buffers = sends->data;
    return 0;
}

static int read_influence(gnt_recorded *out, const gnt_st *record, const gnt_model *m, int32_t stage,
                          gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "influence.%" PRId32, stage);
    const gnt_st_tensor *t = gnt_st_find(record, name);
    if (!t)
        return 0;
    if (t->type != GNT_ST_F32 || t->rank != 2 || t->dim[0] < 1 || t->dim[0] > out->targets ||
        t->dim[1] != gnt_model_shared_size(m))
        return gnt_fail(err, "the record's \"%s\" cannot be read", name);
    out->influence = t->data;
    out->influences = t->dim[0];
    return 0;
}

int gnt_recorded_read(gnt_recorded *out, const gnt_st *record, const gnt_st *behind, const gnt_model *m,
                      int32_t stage, int32_t steps, int64_t client_rows, gnt_err *err) {
    char name[NAME_SIZE];
    *out = (gnt_recorded){0};
    snprintf(name, sizeof name, "client.%" PRId32, stage);
    const gnt_st_tensor *client = gnt_st_find(record, name);
    if (!client || client->type != GNT_ST_I64 || client->rank != 1 || client->dim[0] < 1)
        return gnt_fail(err, "the training recorded nothing of round %" PRId32, stage);
    out->targets = client->dim[0];
    out->client = client->data;
    for (int64_t j = 0; j < out->targets; j++)
        if (out->client[j] < 0 || out->client[j] > INT32_MAX)
            return gnt_fail(err, "the record of round %" PRId32 " names client %" PRId64, stage,
                            out->client[j]);
    const gnt_st_tensor *update = need(record, "the record", "update", stage, GNT_ST_F32, out->targets, err);
    const gnt_st_tensor *rows = update ? need(behind, "the private data behind the record", "rows", stage,
                                              GNT_ST_I64, out->targets, err)
                                       : NULL;
    const gnt_st_tensor *whole = rows ? need(behind, "the private data behind the record", "whole", stage,
                                             GNT_ST_I64, out->targets, err)
                                      : NULL;
    const gnt_st_tensor *sizes = whole ? need(behind, "the private data behind the record", "sizes", stage,
                                              GNT_ST_I64, out->targets, err)
                                       : NULL;
    const gnt_st_tensor *labels = sizes ? need(behind, "the private data behind the record", "labels", stage,
                                               GNT_ST_F32, out->targets, err)
                                        : NULL;
    const gnt_st_tensor *rates = labels ? need(behind, "the private data behind the record", "rates", stage,
                                               GNT_ST_F32, out->targets, err)
                                        : NULL;
    if (!rates)
        return -1;
    const int32_t classes = gnt_model_classes(m);
    if (update->dim[1] != gnt_model_shared_size(m) || rates->dim[1] != steps || rows->dim[1] < 1 ||
        whole->dim[1] != 1 || sizes->dim[1] != 2 || labels->dim[1] < classes || labels->dim[1] % classes != 0)
        return gnt_fail(err, "the record of round %" PRId32 " is not of this model and federation", stage);
    out->members = rows->dim[1];
    out->n = labels->dim[1] / classes;
    out->whole = (int)((const int64_t *)whole->data)[0];
    out->rows = rows->data;
    out->update = update->data;
    out->labels = labels->data;
    out->sizes = sizes->data;
    out->rates = rates->data;
    if (check_sizes(out, stage, err) != 0 ||
        check_rows(out->rows, out->targets * out->members, client_rows, err) != 0 ||
        read_buffers(out, record, m, stage, err) != 0 || read_influence(out, record, m, stage, err) != 0)
        return -1;
    return read_encodings(out, record, behind, m, stage, client_rows, err);
}

int gnt_recorded_undone(const gnt_st *record, int32_t stage) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "undone.%" PRId32, stage);
    const gnt_st_tensor *t = gnt_st_find(record, name);
    return t && t->type == GNT_ST_I64 && t->rank == 1 && t->dim[0] == 1 && *(const int64_t *)t->data == 1;
}

int gnt_recorded_claims(const gnt_st *behind, int32_t stage, int64_t j, gnt_st *out, gnt_err *err) {
    static const char *const kinds[] = {"weight", "source"};
    for (size_t i = 0; i < 2; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s.%" PRId64 ".r%" PRId32, kinds[i], j, stage);
        const gnt_st_tensor *t = gnt_st_find(behind, name);
        if (!t)
            return gnt_fail(err, "the private data behind the record has no \"%s\"", name);
        snprintf(name, sizeof name, "%s.%" PRId64, kinds[i], j);
        if (gnt_st_add(out, name, t->type, t->rank, t->dim, t->data, NULL, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- what hooks did elsewhere ---- */

/* Updates whose norms differ by less than a tenth of a decade are compared. Within it, noise of one size, or
 * a clip to one norm, makes less of a difference than counts as large (treatment.c). */
static const double decade = 10;

static int32_t norm_stratum(float log_norm) {
    return (int32_t)floor(decade * ((double)log_norm + 30));
}

float gnt_record_log(double v) {
    return (float)fmin(fmax(log10(v), -30), 30);
}

int gnt_record_treatment_differs(const gnt_st *treatments, int32_t round, const gnt_fl_treatment *t,
                                 int64_t n, int by_norm, gnt_err *says) {
    const gnt_st_tensor *all = gnt_st_find(treatments, "treatment");
    if (!all || all->type != GNT_ST_F32 || all->rank != 2 || all->dim[1] != GNT_RECORD_TREATMENT)
        return 0;
    const int64_t others = all->dim[0];
    gnt_treatment *list = gnt_array((size_t)(others + n), sizeof *list);
    int32_t nearest = INT32_MAX; /* of a stage after the last round, that round */
    size_t used = 0;
    if (!list)
        return gnt_fail(says, "out of memory for %" PRId64 " treatments", others + n);
    for (int64_t i = 0; i < others; i++) {
        const int32_t apart = abs((int32_t)((const float *)all->data)[GNT_RECORD_TREATMENT * i] - round);
        nearest = apart < nearest ? apart : nearest;
    }
    for (int64_t i = 0; i < others; i++) {
        const float *o = (const float *)all->data + GNT_RECORD_TREATMENT * i;
        if (abs((int32_t)o[0] - round) <= nearest + 1)
            list[used++] =
                (gnt_treatment){.stratum = by_norm ? norm_stratum(o[8]) : 0, .value = {o[2], o[3], o[4]}};
    }
    for (int64_t j = 0; j < n; j++)
        if (t[j].known)
            list[used++] = (gnt_treatment){
                .stratum = by_norm ? norm_stratum(gnt_record_log(t[j].norm)) : 0,
                .observed = 1,
                .value = {(float)t[j].cosine, gnt_record_log(t[j].ratio), (float)t[j].changed}};
    const int found = gnt_treatment_differs(list, used, says);
    gnt_free(list);
    return found;
}
