#include "job/observations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fl/secure_sum.h"

/* Returns −1 unless the value is an integer in 0..INT32_MAX, so that the product of two counts cannot
 * overflow. */
static int32_t count_of(const json_t *all, const char *key) {
    const json_int_t n = json_integer_value(json_object_get(all, key));
    return n < 0 || n > INT32_MAX ? -1 : (int32_t)n;
}

/* Reads how many encodings each set was released as, and numbers them set after set. */
static int read_sets(gnt_observations *s, const json_t *all, const char *name, gnt_err *err) {
    const json_t *counts = json_object_get(all, "encodings");
    s->set = count_of(all, "set");
    s->sets = (int64_t)json_array_size(counts);
    s->first = gnt_array((size_t)s->sets + 1, sizeof *s->first);
    if (!s->first)
        return gnt_fail(err, "out of memory for %" PRId64 " sets", s->sets);
    if (s->set < 0)
        return gnt_fail(err, "%s: is not a bundle of observations", name);
    for (int64_t j = 0; j < s->sets; j++) {
        json_int_t n = json_integer_value(json_array_get(counts, (size_t)j));
        if (n < 1 || n > INT32_MAX)
            return gnt_fail(err, "%s: set %" PRId64 " has no encodings", name, j);
        s->first[j + 1] = s->first[j] + n;
    }
    return 0;
}

/* Reads a number for each observation, 1 … most; *out is NULL where the bundle has none. */
static int read_sizes(const gnt_observations *s, int64_t **out, const json_t *list, int64_t most,
                      const char *name, gnt_err *err) {
    *out = NULL;
    if (!list)
        return 0;
    *out = gnt_array((size_t)s->n, sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory for %" PRId64 " observations", s->n);
    for (int64_t j = 0; j < s->n; j++) {
        const json_int_t n = json_integer_value(json_array_get(list, (size_t)j));
        if (n < 1 || n > most)
            return gnt_fail(err, "%s: observation %" PRId64 " is of %lld samples", name, j, (long long)n);
        (*out)[j] = n;
    }
    return 0;
}

static int read_setting(gnt_observations *s, const char *name, gnt_err *err) {
    json_t *all = json_loads(s->st.metadata ? s->st.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    gnt_observation *o = &s->common;
    o->size = sizeof *o;
    o->surface = (uint32_t)count_of(all, "surface");
    o->round = count_of(all, "round");
    o->steps = count_of(all, "steps");
    o->update_kind = o->steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT;
    o->n = count_of(all, "n");
    o->batch = json_object_get(all, "batch") ? count_of(all, "batch") : o->n;
    o->momentum = json_number_value(json_object_get(all, "momentum"));
    o->decay = json_number_value(json_object_get(all, "decay"));
    o->optimizer = json_is_true(json_object_get(all, "adam")) ? GNT_OPTIMIZER_ADAM : GNT_OPTIMIZER_SGD;
    o->rate = json_number_value(json_object_get(all, "rate"));
    o->attribute = -1;
    o->classes = gnt_model_classes(s->model->model);
    o->n_clients = count_of(all, "clients");
    o->n_contribution = count_of(all, "n_contribution");
    s->n = count_of(all, "observations");
    s->most = o->n;
    int rc = read_sets(s, all, name, err);
    if (rc == 0 &&
        (s->n < 1 || o->n < (o->surface != GNT_SURFACE_TRANSCRIPT) || o->round < 0 || o->steps < 0 ||
         o->batch < (o->surface != GNT_SURFACE_TRANSCRIPT) || o->n_clients < 0 || o->n_contribution < 0))
        rc = gnt_fail(err, "%s: is not a bundle of observations", name);
    if (rc == 0)
        rc = read_sizes(s, &s->used, json_object_get(all, "used"), o->n, name, err);
    if (rc == 0)
        rc = read_sizes(s, &s->rows, json_object_get(all, "rows"), INT32_MAX, name, err);
    json_decref(all);
    return rc;
}

static gnt_view view_of(const gnt_param *p) {
    gnt_view v = {
        .name = p->name, .rank = p->shape.rank, .layer = p->layer, .count = gnt_nn_count(&p->shape)};
    memcpy(v.dim, p->shape.dim, sizeof v.dim);
    return v;
}

static int read_update(gnt_observations *s, const char *name, gnt_err *err) {
    const gnt_param *list;
    const gnt_model *m = s->model->model;
    const uint8_t *shared = gnt_model_shared(m);
    int32_t all = gnt_model_params(m, &list);
    int64_t dim[2] = {s->n, gnt_model_shared_size(m)}, n = 0;
    const gnt_st_tensor *t = gnt_st_need(&s->st, name, "update", GNT_ST_F32, 2, dim, err);
    if (!t)
        return -1;
    s->updates = t->data;
    s->update = gnt_array((size_t)all, sizeof *s->update);
    if (!s->update)
        return gnt_fail(err, "out of memory for an observation");
    for (int32_t i = 0; i < all && !list[i].buffer; i++) {
        if (shared && !shared[i])
            continue;
        s->update[n++] = view_of(&list[i]);
    }
    s->update_list = (gnt_views){n, s->update};
    s->common.update = &s->update_list;
    return 0;
}

/* Reads what the clients sent of their running statistics, if they send any. */
static int read_buffers(gnt_observations *s, const char *name, gnt_err *err) {
    const gnt_param *list;
    const gnt_model *m = s->model->model;
    const int32_t all = gnt_model_params(m, &list);
    const int64_t dim[2] = {s->n, gnt_model_buffer_size(m)};
    if (!gnt_st_find(&s->st, "sent_buffers"))
        return 0;
    const gnt_st_tensor *sent = gnt_st_need(&s->st, name, "sent_buffers", GNT_ST_F32, 2, dim, err);
    const gnt_st_tensor *sends =
        sent ? gnt_st_need(&s->st, name, "sends_buffers", GNT_ST_I64, 1, &s->n, err) : NULL;
    if (!sends)
        return -1;
    s->sent_buffers = sent->data;
    s->sends_buffers = sends->data;
    s->statistic = gnt_array((size_t)all, sizeof *s->statistic);
    if (!s->statistic)
        return gnt_fail(err, "out of memory for an observation");
    for (int32_t i = 0; i < all; i++)
        if (list[i].buffer)
            s->statistic[s->statistic_list.n++] = view_of(&list[i]);
    s->statistic_list.view = s->statistic;
    return 0;
}

static int read_encoded(gnt_observations *s, const char *name, gnt_err *err) {
    const gnt_st_tensor *x = gnt_st_need(&s->st, name, "encoded_x", GNT_ST_F32, -1, NULL, err);
    if (!x)
        return -1;
    const gnt_nn_shape *shape = &s->model->sample;
    int64_t features = gnt_nn_count(shape), dim[2] = {x->dim[0], gnt_model_classes(s->model->model)};
    if (x->rank != 2 || x->dim[1] != features)
        return gnt_fail(err, "%s: encodings do not have %" PRId64 " features", name, features);
    if (s->sets != s->n || x->dim[0] != s->first[s->sets])
        return gnt_fail(err, "%s: holds %" PRId64 " encodings where its sets have %" PRId64, name, x->dim[0],
                        s->first[s->sets]);
    const gnt_st_tensor *y = gnt_st_need(&s->st, name, "encoded_y", GNT_ST_F32, 2, dim, err);
    if (!y)
        return -1;
    s->encoded = (gnt_samples){.size = sizeof s->encoded,
                               .kind = shape->rank == 3 ? GNT_KIND_IMAGE : GNT_KIND_TABULAR,
                               .n = x->dim[0],
                               .rank = shape->rank,
                               .classes = (int32_t)dim[1],
                               .features = features,
                               .x = x->data,
                               .y = y->data};
    memcpy(s->encoded.dim, shape->dim, sizeof s->encoded.dim);
    s->common.encoded = &s->encoded;
    return 0;
}

static int read_representation(gnt_observations *s, const char *name, gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_need(&s->st, name, "representation", GNT_ST_F32, -1, NULL, err);
    if (!t)
        return -1;
    if (t->rank != 2 || t->dim[0] != s->n * s->common.n)
        return gnt_fail(err, "%s: representations do not come %" PRId64 " to an observation", name,
                        s->common.n);
    s->representation = (gnt_view){.name = "representation",
                                   .rank = 2,
                                   .layer = gnt_model_representation(s->model->model),
                                   .dim = {s->common.n, t->dim[1]},
                                   .count = s->common.n * t->dim[1],
                                   .data = t->data};
    s->representation_list = (gnt_views){1, &s->representation};
    s->common.representation = &s->representation_list;
    return 0;
}

static int read_transcript(gnt_observations *s, const char *name, gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_need(&s->st, name, "transcript", GNT_ST_I64, -1, NULL, err);
    if (!t)
        return -1;
    if (t->rank != 2 || t->dim[0] < 1 || t->dim[0] > GNT_SUM_MOST_CLIENTS ||
        t->dim[1] != s->common.n_contribution)
        return gnt_fail(err, "%s: the transcript does not have %" PRId64 " words of each client", name,
                        s->common.n_contribution);
    s->transcript = (gnt_transcript){.size = sizeof s->transcript,
                                     .n_clients = (int32_t)t->dim[0],
                                     .n = t->dim[1],
                                     .masked = t->data,
                                     .scale = GNT_SUM_SCALE};
    s->common.transcript = &s->transcript;
    return 0;
}

/* Reads the bundle's setting and weights; the names of the latter end in ".ROUND" if it is a broadcast. */
static int open_setting(gnt_observations *out, gnt_work *w, const char *name, const gnt_work_model *m,
                        int broadcast, gnt_err *err) {
    *out = (gnt_observations){.model = m};
    gnt_st_init(&out->st);
    int64_t p = gnt_model_size(m->model), b = gnt_model_buffer_size(m->model);
    char weights_name[32] = "weights", buffers_name[32] = "buffers";
    if (w->read(w->context, name, &out->st, err) != 0 || read_setting(out, name, err) != 0)
        return -1;
    if (broadcast) {
        snprintf(weights_name, sizeof weights_name, "weights.%d", out->common.round);
        snprintf(buffers_name, sizeof buffers_name, "buffers.%d", out->common.round);
    }
    const gnt_st_tensor *weights = gnt_st_need(&out->st, name, weights_name, GNT_ST_F32, 1, &p, err);
    const gnt_st_tensor *buffers =
        weights ? gnt_st_need(&out->st, name, buffers_name, GNT_ST_F32, 1, &b, err) : NULL;
    if (!buffers)
        return -1;
    out->common.weights = weights->data;
    out->common.buffers = buffers->data;
    return 0;
}

int gnt_observations_open(gnt_observations *out, gnt_work *w, const char *name, const gnt_work_model *m,
                          gnt_err *err) {
    int rc = open_setting(out, w, name, m, 0, err);
    if (rc == 0 && out->common.surface == GNT_SURFACE_UPDATE)
        rc = read_update(out, name, err) == 0 ? read_buffers(out, name, err) : -1;
    else if (rc == 0 && out->common.surface == GNT_SURFACE_ENCODING)
        rc = read_encoded(out, name, err);
    else if (rc == 0 && out->common.surface == GNT_SURFACE_REPRESENTATION)
        rc = read_representation(out, name, err);
    else if (rc == 0 && out->common.surface == GNT_SURFACE_TRANSCRIPT)
        rc = read_transcript(out, name, err);
    else if (rc == 0)
        rc = gnt_fail(err, "%s: has an unknown surface %u", name, out->common.surface);
    if (rc != 0)
        gnt_observations_free(out);
    return rc;
}

/* ---- the second attack of a chain ---- */

static const float *answered(const gnt_st *answer, const char *kind, int64_t j, int64_t columns) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, j);
    const gnt_st_tensor *t = gnt_st_find(answer, name);
    return t && t->type == GNT_ST_F32 && t->rank == 2 && t->dim[0] >= 1 && t->dim[1] == columns ? t->data
                                                                                                : NULL;
}

/* Copies an answer, which is not trusted: what is missing or not finite becomes grey, and values are cut
 * to 0 … 1. */
static void copy_image(float *x, const float *answer, int64_t features) {
    for (int64_t i = 0; i < features; i++)
        x[i] = !answer || !isfinite(answer[i]) ? 0.5f : fminf(fmaxf(answer[i], 0), 1);
}

/* Scores that are shares already stay. Else the label is the highest score. Without scores all labels are
 * equally likely. */
static void copy_label(float *y, const float *scores, int64_t classes) {
    double sum = 0;
    int64_t top = 0;
    int shares = scores != NULL;
    for (int64_t c = 0; scores && c < classes; c++) {
        shares &= scores[c] >= 0 && scores[c] <= 1;
        sum += scores[c];
        top = scores[c] > scores[top] ? c : top;
    }
    shares &= fabs(sum - 1) < 1e-3;
    for (int64_t c = 0; c < classes; c++)
        y[c] = !scores ? 1.0f / (float)classes : shares ? scores[c] : (float)(c == top);
}

static int add_recovered(gnt_observations *s, const gnt_st *answer, const gnt_st_tensor *labels,
                         gnt_err *err) {
    int64_t f = gnt_nn_count(&s->model->sample), k = gnt_model_classes(s->model->model),
            n = s->first[s->sets];
    int64_t x_dim[2] = {n, f}, y_dim[2] = {n, k};
    gnt_st_tensor *x, *y;
    if (gnt_st_add(&s->st, "encoded_x", GNT_ST_F32, 2, x_dim, NULL, &x, err) != 0)
        return -1;
    for (int64_t j = 0; j < n; j++)
        copy_image((float *)x->data + j * f, answered(answer, "reconstruction", j, f), f);
    if (gnt_st_add(&s->st, "encoded_y", GNT_ST_F32, 2, y_dim, NULL, &y, err) != 0)
        return -1;
    for (int64_t j = 0; j < n; j++)
        if (labels)
            memcpy((float *)y->data + j * k, (const float *)labels->data + j * k, (size_t)k * sizeof(float));
        else
            copy_label((float *)y->data + j * k, answered(answer, "labels", j, k), k);
    return 0;
}

int gnt_observations_open_recovered(gnt_observations *out, gnt_work *w, const gnt_work_model *m,
                                    gnt_err *err) {
    gnt_st answer, granted;
    const gnt_st_tensor *labels = NULL;
    gnt_st_init(&answer);
    gnt_st_init(&granted);
    int rc = open_setting(out, w, "seen", m, 1, err);
    if (rc == 0 && (!out->sets || out->first[out->sets] != out->n))
        rc = gnt_fail(err, "seen: there are no sets of encodings to be recovered");
    if (rc == 0)
        rc = w->read(w->context, "recovered", &answer, err);
    if (rc == 0 && w->has(w->context, "recovered_labels")) {
        int64_t dim[2] = {out->n, out->common.classes};
        rc = w->read(w->context, "recovered_labels", &granted, err);
        labels =
            rc == 0 ? gnt_st_need(&granted, "recovered_labels", "labels", GNT_ST_F32, 2, dim, err) : NULL;
        rc = labels ? 0 : -1;
    }
    if (rc == 0)
        rc = add_recovered(out, &answer, labels, err);
    if (rc == 0) {
        out->n = out->sets;
        out->common.surface = GNT_SURFACE_ENCODING;
        out->most = out->common.n = out->common.batch = out->set;
        rc = read_encoded(out, "recovered", err);
    }
    gnt_st_free(&answer);
    gnt_st_free(&granted);
    if (rc != 0)
        gnt_observations_free(out);
    return rc;
}

void gnt_observations_free(gnt_observations *s) {
    gnt_free(s->update);
    gnt_free(s->statistic);
    gnt_free(s->first);
    gnt_free(s->used);
    gnt_free(s->rows);
    gnt_st_free(&s->st);
    *s = (gnt_observations){0};
}

/* Points the views of the running statistics to those of observation j. */
static void show_buffers(gnt_observations *s, int64_t j) {
    const int64_t n = gnt_model_buffer_size(s->model->model);
    const float *at = s->sent_buffers ? s->sent_buffers + j * n : NULL;
    s->common.sent_buffers = at && s->sends_buffers[j] ? &s->statistic_list : NULL;
    for (int64_t i = 0; at && i < s->statistic_list.n; at += s->statistic[i++].count)
        s->statistic[i].data = at;
}

gnt_observation gnt_observations_at(gnt_observations *s, int64_t j) {
    const float *at = s->updates ? s->updates + j * gnt_model_shared_size(s->model->model) : NULL;
    for (int64_t i = 0; at && i < s->update_list.n; i++) {
        s->update[i].data = at;
        at += s->update[i].count;
    }
    show_buffers(s, j);
    s->common.n = s->used ? s->used[j] : s->most;
    if (s->common.steps == 0 && s->used)
        s->common.batch = s->common.n;
    if (s->common.encoded) {
        const float *x = gnt_st_find(&s->st, "encoded_x")->data, *y = gnt_st_find(&s->st, "encoded_y")->data;
        s->encoded.n = s->first[j + 1] - s->first[j];
        s->encoded.x = x + s->first[j] * s->encoded.features;
        s->encoded.y = y + s->first[j] * s->encoded.classes;
    }
    if (s->common.representation) {
        const gnt_st_tensor *t = gnt_st_find(&s->st, "representation");
        s->representation.dim[0] = s->common.n;
        s->representation.count = s->common.n * t->dim[1];
        s->representation.data = (const float *)t->data + j * s->most * t->dim[1];
    }
    return s->common;
}
