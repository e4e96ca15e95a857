/* hooks: calls a script's hooks, and gives the host what they return. glue.py has checked and copied it:
 * arrays here are contiguous, of the type and the shape that the host expects. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- results of hooks ---- */

/* Says why a hook of glue.py itself failed, which only a lack of memory should cause. */
static gnt_status fail(const instance *i, const char *hook) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *why = text ? PyUnicode_AsUTF8(text) : NULL;
    PyObject *sentence = PyUnicode_FromFormat("%s: %s", hook, why ? why : "failed");
    const char *words = sentence ? PyUnicode_AsUTF8(sentence) : NULL;
    gnt_host_fail(i->host, words ? words : hook);
    PyErr_Clear();
    Py_XDECREF(sentence);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return GNT_FAILED;
}

/* Calls a hook with a tuple of trees, which it takes. *result: what the hook returned, to be released. */
static gnt_status call(instance *i, const char *hook, PyObject *trees, PyObject **result) {
    *result = NULL;
    PyObject *answer = trees ? PyObject_CallMethod(core_glue, "call", "OsN", i->object, hook, trees) : NULL;
    int status = GNT_FAILED;
    const char *sentence = NULL;
    if (!answer || !PyArg_ParseTuple(answer, "izO", &status, &sentence, result)) {
        Py_XDECREF(answer);
        *result = NULL;
        return fail(i, hook);
    }
    Py_INCREF(*result);
    if (status != GNT_OK)
        gnt_host_fail(i->host, sentence ? sentence : hook);
    Py_DECREF(answer);
    if (status != GNT_OK)
        Py_CLEAR(*result);
    return (gnt_status)status;
}

/* A hook that returns nothing. */
static gnt_status call_plain(instance *i, const char *hook, PyObject *trees) {
    PyObject *result;
    const gnt_status status = call(i, hook, trees, &result);
    Py_XDECREF(result);
    return status;
}

/* Returns the memory of an array that glue.py made and that lives until its owner is released. */
static const void *memory(PyObject *array, Py_ssize_t *bytes) {
    Py_buffer b;
    if (!array || array == Py_None || PyObject_GetBuffer(array, &b, PyBUF_C_CONTIGUOUS) != 0) {
        PyErr_Clear();
        *bytes = 0;
        return NULL;
    }
    const void *at = b.buf;
    *bytes = b.len;
    PyBuffer_Release(&b);
    return at;
}

/* Gives a dictionary of arrays and bytes to a sink. Arrays come with their shape: (array, (dim, …)). */
static gnt_status put_all(const gnt_sink *out, PyObject *all) {
    PyObject *key, *value;
    Py_ssize_t at = 0, bytes;
    gnt_status status = GNT_OK;
    while (status == GNT_OK && PyDict_Next(all, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        if (PyBytes_Check(value)) {
            status =
                out->blob(out->context, name, (const uint8_t *)PyBytes_AsString(value), PyBytes_Size(value));
            continue;
        }
        PyObject *shape = PyTuple_GetItem(value, 1);
        int64_t dim[GNT_RANK] = {0};
        for (Py_ssize_t k = 0; k < PyTuple_Size(shape) && k < GNT_RANK; k++)
            dim[k] = PyLong_AsLongLong(PyTuple_GetItem(shape, k));
        const float *data = memory(PyTuple_GetItem(value, 0), &bytes);
        status = out->tensor(out->context, name, (int32_t)PyTuple_Size(shape), dim, data);
    }
    return status;
}

static gnt_status call_sink(instance *i, const char *hook, PyObject *trees, const gnt_sink *out) {
    PyObject *all;
    gnt_status status = call(i, hook, trees, &all);
    if (status == GNT_OK)
        status = put_all(out, all);
    Py_XDECREF(all);
    return status;
}

/* ---- defenses ---- */

static gnt_status defense_prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    instance *i = self;
    return call_sink(i, "prepare", Py_BuildValue("(N)", core_defense_prepare(i->host, in)), out);
}

/* Rows (x, y, ids, mixed): bytes of x and y a row, ids as an array, mixed a list of (n, ids, weights) or
 * None. */
static gnt_status encode(instance *i, const char *hook, const gnt_client *client, int64_t when,
                         const gnt_samples_sink *out) {
    PyObject *rows;
    Py_ssize_t x_bytes, y_bytes, id_bytes, ignored;
    gnt_status status =
        call(i, hook, Py_BuildValue("(NL)", core_client(i->host, client), (long long)when), &rows);
    if (status != GNT_OK)
        return status;
    const char *x = memory(PyTuple_GetItem(rows, 0), &x_bytes),
               *y = memory(PyTuple_GetItem(rows, 1), &y_bytes);
    const int64_t *id = memory(PyTuple_GetItem(rows, 2), &id_bytes);
    PyObject *mixed = PyTuple_GetItem(rows, 3);
    const Py_ssize_t n = id_bytes / (Py_ssize_t)sizeof *id;
    for (Py_ssize_t k = 0; status == GNT_OK && k < n; k++) {
        status = out->put(out->context, (const float *)(const void *)(x + k * (x_bytes / n)),
                          y ? (const float *)(const void *)(y + k * (y_bytes / n)) : NULL, id[k]);
        if (status == GNT_OK && out->mixed && mixed != Py_None) {
            PyObject *one = PyList_GetItem(mixed, k);
            const int64_t *ids = memory(PyTuple_GetItem(one, 0), &id_bytes);
            const double *weights = memory(PyTuple_GetItem(one, 1), &ignored);
            status = out->mixed(out->context, id_bytes / (Py_ssize_t)sizeof *ids, ids, weights);
        }
    }
    Py_DECREF(rows);
    return status;
}

static gnt_status encode_set(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    return encode(self, "encode_set", client, epoch, out);
}

static gnt_status encode_batch(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out) {
    return encode(self, "encode_batch", client, step, out);
}

static gnt_status encode_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    return encode(self, "encode_query", client, draw, out);
}

static gnt_status local_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    instance *i = self;
    PyObject *result;
    const gnt_status status =
        call(i, "local_rate", Py_BuildValue("(NLd)", core_client(i->host, client), (long long)step, *rate),
             &result);
    if (status == GNT_OK)
        *rate = PyFloat_AsDouble(result);
    Py_XDECREF(result);
    return status;
}

static gnt_status update_hook(instance *i, const char *hook, const gnt_client *client, gnt_tensors *update) {
    return call_plain(i, hook, Py_BuildValue("(NN)", core_client(i->host, client), core_tensors(update)));
}

static gnt_status client_update(void *self, const gnt_client *client, gnt_tensors *update) {
    return update_hook(self, "client_update", client, update);
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    return update_hook(self, "transform_update", client, update);
}

static gnt_status aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    PyObject *result;
    Py_ssize_t bytes;
    const gnt_status status = call(self, "aggregate", Py_BuildValue("(N)", core_aggregate(in)), &result);
    const float *next = memory(result, &bytes);
    if (status == GNT_OK)
        memcpy(new_weights, next, (size_t)in->n_params * sizeof *next);
    Py_XDECREF(result);
    return status;
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    return call_sink(self, "save", Py_BuildValue("(i)", client), out);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    return call_plain(self, "load", Py_BuildValue("(iN)", client, core_artefacts(state)));
}

/* ---- secure sums ---- */

static int64_t contribute_size(void *self) {
    PyObject *result;
    const gnt_status status = call(self, "contribute_size", PyTuple_New(0), &result);
    const int64_t n = status == GNT_OK ? PyLong_AsLongLong(result) : 0;
    Py_XDECREF(result);
    return n;
}

static gnt_status contribute(void *self, const gnt_client *client, double *vector) {
    instance *i = self;
    PyObject *result;
    Py_ssize_t bytes;
    const gnt_status status =
        call(i, "contribute", Py_BuildValue("(N)", core_client(i->host, client)), &result);
    const double *values = memory(result, &bytes);
    if (values)
        memcpy(vector, values, (size_t)bytes);
    Py_XDECREF(result);
    return status;
}

static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    return call_plain(self, "receive_sum", Py_BuildValue("(N)", core_vector('d', sum, n)));
}

/* ---- attacks ---- */

static gnt_status attack_prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    instance *i = self;
    return call_sink(i, "prepare", Py_BuildValue("(N)", core_attack_prepare(i->host, in)), out);
}

/* Gives one part of an answer to the host: (name, array, rows, columns, index). */
static gnt_status answer_part(const gnt_answer *to, PyObject *part) {
    const char *name;
    PyObject *array;
    long long rows, columns;
    int index;
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(part, "sOLLi", &name, &array, &rows, &columns, &index)) {
        PyErr_Clear();
        return GNT_FAILED;
    }
    const void *data = memory(array, &bytes);
    if (strcmp(name, "reconstruction") == 0)
        return to->reconstruction(to->context, rows, data);
    if (strcmp(name, "labels") == 0)
        return to->labels(to->context, rows, (int32_t)columns, data);
    if (strcmp(name, "attribute") == 0)
        return to->attribute(to->context, (int32_t)columns, data);
    if (strcmp(name, "attributes") == 0)
        return to->attributes(to->context, index, rows, (int32_t)columns, data);
    if (strcmp(name, "mixture") == 0)
        return to->mixture(to->context, rows, columns, data);
    if (strcmp(name, "similarity") == 0)
        return to->similarity(to->context, rows, data);
    if (strcmp(name, "contribution") == 0)
        return to->contribution(to->context, rows, data);
    if (strcmp(name, "region") == 0)
        return to->region(to->context, rows, data);
    if (strcmp(name, "membership") == 0)
        return to->membership(to->context, rows, data);
    gnt_answer_ended(to, index, rows); /* "ended" */
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *to) {
    instance *i = self;
    PyObject *parts;
    i->answer = to;
    gnt_status status =
        call(i, "run", Py_BuildValue("(NN)", core_observation(i->host, seen), core_artefacts(own)), &parts);
    for (Py_ssize_t k = 0; status == GNT_OK && k < PyList_Size(parts); k++)
        status = answer_part(to, PyList_GetItem(parts, k));
    Py_XDECREF(parts);
    i->answer = NULL;
    return status;
}

/* ---- tables ---- */

int core_hooks(script *s, PyObject *names) {
    s->defense = (gnt_defense){.size = sizeof s->defense};
    s->attack = (gnt_attack){.size = sizeof s->attack};
    for (Py_ssize_t k = 0; k < PyList_Size(names); k++) {
        const char *name = PyUnicode_AsUTF8(PyList_GetItem(names, k));
#define HOOK(table, hook, function) (strcmp(name, #hook) == 0 ? (void)(s->table.hook = (function)) : (void)0)
        if (!name)
            return -1;
        HOOK(defense, prepare, defense_prepare);
        HOOK(defense, contribute_size, contribute_size);
        HOOK(defense, contribute, contribute);
        HOOK(defense, receive_sum, receive_sum);
        HOOK(defense, encode_set, encode_set);
        HOOK(defense, encode_batch, encode_batch);
        HOOK(defense, encode_query, encode_query);
        HOOK(defense, local_rate, local_rate);
        HOOK(defense, client_update, client_update);
        HOOK(defense, transform_update, transform_update);
        HOOK(defense, aggregate, aggregate);
        HOOK(defense, save, save);
        HOOK(defense, load, load);
        HOOK(attack, prepare, attack_prepare);
        HOOK(attack, run, run);
#undef HOOK
    }
    return 0;
}

void *core_create(script *s, const gnt_host *host, const gnt_value *values) {
    instance *i = calloc(1, sizeof *i);
    if (!i) {
        gnt_host_fail(host, "no memory for an instance");
        return NULL;
    }
    *i = (instance){.script = s, .host = host};
    PyObject *pair =
        PyObject_CallMethod(core_glue, "create", "OKN", s->module, (unsigned long long)(uintptr_t)i,
                            core_values(values, s->descriptor.n_parameters));
    const char *sentence = NULL;
    if (!pair || !PyArg_ParseTuple(pair, "Oz", &i->object, &sentence))
        fail(i, "start");
    else if (sentence)
        gnt_host_fail(host, sentence);
    else
        Py_INCREF(i->object);
    const int good = pair && !sentence && i->object;
    Py_XDECREF(pair);
    if (good)
        return i;
    free(i);
    return NULL;
}

void core_destroy(void *self) {
    instance *i = self;
    Py_CLEAR(i->object);
    free(i);
}
