/* tree: the host's structs as Python sees them (core.h). */
#include "core.h"

static size_t bytes_of(char type) {
    return type == 'd' || type == 'q' || type == 'Q' ? 8 : type == 'B' ? 1 : 4;
}

PyObject *core_array(char type, const void *data, int rank, const int64_t *dim, int writable) {
    if (!data)
        Py_RETURN_NONE;
    Py_ssize_t bytes = (Py_ssize_t)bytes_of(type);
    PyObject *shape = PyTuple_New(rank);
    for (int i = 0; shape && i < rank; i++) {
        bytes *= (Py_ssize_t)dim[i];
        PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(dim[i]));
    }
    if (!shape)
        return NULL;
    return Py_BuildValue("(CNN)", type, shape,
                         PyMemoryView_FromMemory((char *)data, bytes, writable ? PyBUF_WRITE : PyBUF_READ));
}

PyObject *core_vector(char type, const void *data, int64_t n) {
    return core_array(type, data, 1, &n, 0);
}

static PyObject *matrix(char type, const void *data, int64_t rows, int64_t columns) {
    return core_array(type, data, 2, (const int64_t[]){rows, columns}, 0);
}

/* Rows of samples: n × dim. */
static PyObject *rows(const float *x, int64_t n, int rank, const int64_t *dim) {
    int64_t shape[4] = {n, dim[0], dim[1], dim[2]};
    return core_array('f', x, 1 + rank, shape, 0);
}

/* A list of the items that `item` returns for 0 … n−1. */
static PyObject *list_of(int64_t n, PyObject *(*item)(const void *from, int64_t i), const void *from) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *one = item(from, i);
        if (!one)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, one);
    }
    return list;
}

static PyObject *dims(int rank, const int64_t *dim) {
    PyObject *shape = PyTuple_New(rank);
    for (int i = 0; shape && i < rank; i++)
        PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(dim[i]));
    return shape;
}

/* ---- models ---- */

static PyObject *parameter(const void *from, int64_t i) {
    const gnt_view *v = &((const gnt_views *)from)->view[i];
    return Py_BuildValue("{s:z,s:i,s:N,s:L}", "name", v->name, "layer", v->layer, "dim",
                         dims(v->rank, v->dim), "count", (long long)v->count);
}

static PyObject *layer(const void *from, int64_t i) {
    const gnt_layer_info *l = &((const gnt_model_info *)from)->layer[i];
    return Py_BuildValue("{s:z,s:z,s:N}", "name", l->name, "type", l->type, "dim", dims(l->rank, l->dim));
}

static PyObject *shared(const void *from, int64_t i) {
    const gnt_model_info *info = from;
    return PyBool_FromLong(!info->federated || info->federated[i]);
}

PyObject *core_model_info(const gnt_model_info *info) {
    const int64_t inputs =
        info->rank == 3 ? info->dim[0] : info->dim[0] * (info->rank > 1 ? info->dim[1] : 1);
    return Py_BuildValue(
        "{s:z,s:i,s:N,s:N,s:N,s:L,s:L,s:N,s:i,s:N,s:i,s:N,s:N,s:i,s:i}", "name", info->name, "classes",
        info->classes, "params", list_of(info->params.n, parameter, &info->params), "federated",
        list_of(info->params.n, shared, info), "buffers", list_of(info->buffers.n, parameter, &info->buffers),
        "n_params", (long long)info->n_params, "n_buffers", (long long)info->n_buffers, "layers",
        list_of(info->n_layers, layer, info), "representation", info->representation, "dim",
        dims(info->rank, info->dim), "training_stats", info->training_stats, "mean",
        core_vector('f', info->mean, inputs), "deviation", core_vector('f', info->deviation, inputs),
        "output", info->output, "loss", info->loss);
}

/* ---- samples and artefacts ---- */

static PyObject *attribute(const void *from, int64_t i) {
    const gnt_attribute *a = &((const gnt_samples *)from)->attribute[i];
    return Py_BuildValue("{s:z,s:i,s:f}", "name", a->name, "values", a->values, "weight", (double)a->weight);
}

PyObject *core_samples(const gnt_samples *s) {
    if (!s)
        Py_RETURN_NONE;
    const int64_t pixels[] = {s->n, s->rank == 3 ? s->dim[1] : 1, s->rank == 3 ? s->dim[2] : s->features};
    return Py_BuildValue("{s:I,s:L,s:i,s:N,s:L,s:N,s:N,s:N,s:N,s:N,s:N}", "kind", (unsigned)s->kind, "n",
                         (long long)s->n, "classes", s->classes, "dim", dims(s->rank, s->dim), "features",
                         (long long)s->features, "id", core_vector('q', s->id, s->n), "x",
                         rows(s->x, s->n, s->rank, s->dim), "y", matrix('f', s->y, s->n, s->classes),
                         "attributes", list_of(s->attribute ? s->n_attributes : 0, attribute, s), "a",
                         matrix('i', s->a, s->n, s->n_attributes), "mask",
                         core_array('B', s->mask, 3, pixels, 0));
}

static PyObject *view_at(const void *from, int64_t i) {
    const gnt_view *v = &((const gnt_views *)from)->view[i];
    return core_array('f', v->data, v->rank, v->dim, 0);
}

PyObject *core_views(const gnt_views *views) {
    if (!views)
        Py_RETURN_NONE;
    return list_of(views->n, view_at, views);
}

static PyObject *tensor_at(const void *from, int64_t i) {
    const gnt_tensor *t = &((const gnt_tensors *)from)->tensor[i];
    return core_array('f', t->data, t->rank, t->dim, 1);
}

PyObject *core_tensors(const gnt_tensors *tensors) {
    if (!tensors)
        Py_RETURN_NONE;
    return list_of(tensors->n, tensor_at, tensors);
}

static int put(PyObject *to, const char *name, PyObject *value) {
    const int rc = value ? PyDict_SetItemString(to, name ? name : "", value) : -1;
    Py_XDECREF(value);
    return rc;
}

/* By name: arrays of the tensors, memory of the blobs. */
PyObject *core_artefacts(const gnt_artefacts *a) {
    if (!a)
        Py_RETURN_NONE;
    PyObject *all = PyDict_New();
    int bad = !all;
    for (int64_t i = 0; !bad && i < a->tensors.n; i++)
        bad = put(all, a->tensors.view[i].name, view_at(&a->tensors, i)) != 0;
    for (int64_t i = 0; !bad && i < a->n_blobs; i++)
        bad =
            put(all, a->blob[i].name,
                PyBytes_FromStringAndSize((const char *)a->blob[i].data, (Py_ssize_t)a->blob[i].count)) != 0;
    if (bad)
        Py_CLEAR(all);
    return all;
}

static PyObject *number(const void *from, int64_t i) {
    return PyFloat_FromDouble(((const double *)from)[i]);
}

static PyObject *value_of(const gnt_value *v) {
    switch (v->type) {
    case GNT_TYPE_BOOL:
        return PyBool_FromLong(v->i != 0);
    case GNT_TYPE_INT:
        return PyLong_FromLongLong(v->i);
    case GNT_TYPE_REAL:
        return PyFloat_FromDouble(v->r);
    case GNT_TYPE_INT_LIST:
    case GNT_TYPE_REAL_LIST:
        return list_of(v->n, number, v->list);
    default:
        return PyUnicode_FromString(v->text ? v->text : "");
    }
}

PyObject *core_values(const gnt_value *value, int64_t n) {
    PyObject *all = PyDict_New();
    for (int64_t i = 0; all && i < n; i++)
        if (put(all, value[i].id, value_of(&value[i])) != 0)
            Py_CLEAR(all);
    return all;
}

/* ---- arguments of hooks ---- */

static PyObject *weights_of(const gnt_host *host, const float *weights) {
    return core_vector('f', host->model ? weights : NULL, host->model ? host->model->info->n_params : 0);
}

static PyObject *buffers_of(const gnt_host *host, const float *buffers) {
    return core_vector('f', host->model ? buffers : NULL, host->model ? host->model->info->n_buffers : 0);
}

PyObject *core_client(const gnt_host *host, const gnt_client *c) {
    return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:L,s:L,s:d,s:i,s:L,s:N,s:N,s:N,s:N,s:N,s:N}", "index",
                         c->index, "round", c->round, "rounds", c->rounds, "n_clients", c->n_clients,
                         "per_round", c->per_round, "n_samples", (long long)c->n_samples, "n_labels",
                         (long long)c->n_labels, "rate", c->rate, "steps", c->steps, "batch",
                         (long long)c->batch, "samples", core_samples(c->samples), "weights",
                         weights_of(host, c->weights), "buffers", buffers_of(host, c->buffers), "artefacts",
                         core_artefacts(c->artefacts), "public_data", core_samples(c->public_data),
                         "sent_buffers", core_tensors(c->sent_buffers));
}

typedef struct flat {
    const float *const *at;
    int64_t n;
} flat;

static PyObject *flat_at(const void *from, int64_t i) {
    const flat *f = from;
    return core_vector('f', f->at[i], f->n);
}

PyObject *core_aggregate(const gnt_aggregate *in) {
    const flat updates = {in->update, in->n_params}, statistics = {in->client_buffers, in->n_buffers};
    return Py_BuildValue(
        "{s:i,s:L,s:L,s:d,s:i,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "round", in->round, "n_clients",
        (long long)in->n_clients, "n_params", (long long)in->n_params, "rate", in->rate, "is_gradient",
        in->is_gradient, "old_weights", core_vector('f', in->old_weights, in->n_params), "updates",
        list_of(in->n_clients, flat_at, &updates), "share", core_vector('d', in->share, in->n_clients),
        "public_data", core_samples(in->public_data), "artefacts", core_artefacts(in->artefacts), "buffers",
        core_vector('f', in->buffers, in->n_buffers), "client_buffers",
        list_of(in->client_buffers ? in->n_clients : 0, flat_at, &statistics), "new_buffers",
        core_array('f', in->new_buffers, 1, &in->n_buffers, 1), "client",
        core_vector('i', in->client, in->n_clients), "samples", core_vector('q', in->samples, in->n_clients));
}

PyObject *core_defense_prepare(const gnt_host *host, const gnt_defense_prepare *in) {
    return Py_BuildValue("{s:i,s:N,s:N,s:N,s:N,s:i,s:i,s:L,s:d,s:i,s:i}", "stage", in->stage, "public_data",
                         core_samples(in->public_data), "shadow_data", core_samples(in->shadow_data),
                         "weights", weights_of(host, in->weights), "buffers", buffers_of(host, in->buffers),
                         "n_clients", in->n_clients, "steps", in->steps, "batch", (long long)in->batch,
                         "rate", in->rate, "rounds", in->rounds, "per_round", in->per_round);
}

typedef struct observations {
    const gnt_host *host;
    const gnt_observation *const *at;
    const gnt_samples *const *truth;
} observations;

static PyObject *observation_at(const void *from, int64_t i) {
    const observations *o = from;
    return core_observation(o->host, o->at[i]);
}

static PyObject *truth_at(const void *from, int64_t i) {
    return core_samples(((const observations *)from)->truth[i]);
}

PyObject *core_attack_prepare(const gnt_host *host, const gnt_attack_prepare *in) {
    const observations shadow = {host, in->shadow, in->shadow_truth};
    return Py_BuildValue("{s:i,s:N,s:N,s:N,s:N,s:i,s:i,s:N,s:N,s:N}", "stage", in->stage, "public_data",
                         core_samples(in->public_data), "shadow_data", core_samples(in->shadow_data),
                         "shadow", list_of(in->shadow ? in->n_shadow : 0, observation_at, &shadow),
                         "shadow_truth", list_of(in->shadow_truth ? in->n_shadow : 0, truth_at, &shadow),
                         "attribute", in->attribute, "attribute_values", in->attribute_values, "weights",
                         weights_of(host, in->weights), "buffers", buffers_of(host, in->buffers), "setting",
                         core_observation(host, in->setting));
}

static PyObject *transcript(const gnt_transcript *t) {
    if (!t)
        Py_RETURN_NONE;
    return Py_BuildValue("{s:i,s:L,s:N,s:d}", "n_clients", t->n_clients, "n", (long long)t->n, "masked",
                         matrix('Q', t->masked, t->n_clients, t->n), "scale", t->scale);
}

/* What a defense with known parameters is. */
static PyObject *known_defense(const gnt_observation *s) {
    if (!s->defense)
        Py_RETURN_NONE;
    return Py_BuildValue("{s:s,s:N,s:N}", "id", s->defense, "values",
                         core_values(s->defense_values, s->defense_values ? s->n_defense_values : 0),
                         "artefacts", core_artefacts(s->defense_artefacts));
}

PyObject *core_observation(const gnt_host *host, const gnt_observation *s) {
    if (!s)
        Py_RETURN_NONE;
    const gnt_model_info *info = host->model ? host->model->info : NULL;
    const observations history = {host, s->history, NULL};
    PyObject *all = Py_BuildValue(
        "{s:I,s:I,s:I,s:i,s:i,s:i,s:i,s:i,s:i,s:L,s:L,s:d,s:d,s:d,s:L,s:L,s:i}", "surface",
        (unsigned)s->surface, "granted", (unsigned)s->granted, "goals", (unsigned)s->goals, "round", s->round,
        "update_kind", s->update_kind, "steps", s->steps, "attribute", s->attribute, "attribute_values",
        s->attribute_values, "classes", s->classes, "n", (long long)s->n, "batch", (long long)s->batch,
        "rate", s->rate, "momentum", s->momentum, "decay", s->decay, "budget", (long long)s->budget,
        "n_contribution", (long long)s->n_contribution, "n_clients", s->n_clients);
    if (!all || put(all, "update", core_views(s->update)) ||
        put(all, "weights", weights_of(host, s->weights)) ||
        put(all, "buffers", buffers_of(host, s->buffers)) || put(all, "encoded", core_samples(s->encoded)) ||
        put(all, "representation", core_views(s->representation)) ||
        put(all, "transcript", transcript(s->transcript)) ||
        put(all, "labels", matrix('f', s->labels, s->n, s->classes)) ||
        put(all, "rates", core_vector('f', s->rates, s->steps)) ||
        put(all, "batch_mean", buffers_of(host, s->batch_mean)) ||
        put(all, "outside", core_samples(s->outside)) ||
        put(all, "sum", core_vector('d', s->sum, s->n_sum)) || put(all, "defense", known_defense(s)) ||
        put(all, "public_data", core_samples(s->public_data)) ||
        put(all, "history", list_of(s->history ? s->n_history : 0, observation_at, &history)) ||
        put(all, "order", matrix('i', s->order, s->steps, s->batch)) ||
        put(all, "candidates", core_samples(s->candidates)) ||
        put(all, "start_x",
            info ? rows(s->start_x, s->n, info->rank, info->dim) : core_vector('f', NULL, 0)) ||
        put(all, "start_y", matrix('f', s->start_y, s->n, s->classes)) ||
        put(all, "sent_buffers", core_views(s->sent_buffers)) ||
        put(all, "prior_data", core_samples(s->prior_data)))
        Py_CLEAR(all);
    return all;
}
