/* service: the host's services as functions of the module `_gauntlet`, which glue.py wraps. Instances,
 * functions of models and models are numbers there, which are addresses here; arrays are whatever has a
 * buffer. */
#include "core.h"

#include <string.h>

static void *at(PyObject *number) {
    return PyLong_AsVoidPtr(number);
}

static PyObject *number_of(const void *address) {
    return PyLong_FromVoidPtr((void *)(uintptr_t)address);
}

/* ---- what every hook may call ---- */

static PyObject *should_stop(PyObject *module, PyObject *self) {
    const instance *i = at(self);
    (void)module;
    return i ? PyBool_FromLong(gnt_host_should_stop(i->host)) : NULL;
}

static PyObject *fill(PyObject *module, PyObject *args) {
    PyObject *self;
    const char *which, *name;
    Py_buffer to;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ossw*", &self, &which, &name, &to))
        return NULL;
    const instance *i = at(self);
    if (i && strcmp(which, "uniform") == 0)
        gnt_host_uniform(i->host, name, (int64_t)(to.len / 8), to.buf);
    else if (i && strcmp(which, "normal") == 0)
        gnt_host_normal(i->host, name, (int64_t)(to.len / 4), to.buf);
    else if (i)
        gnt_host_laplace(i->host, name, (int64_t)(to.len / 4), to.buf);
    PyBuffer_Release(&to);
    if (!i)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *below(PyObject *module, PyObject *args) {
    PyObject *self;
    const char *name;
    unsigned long long n;
    (void)module;
    if (!PyArg_ParseTuple(args, "OsK", &self, &name, &n))
        return NULL;
    const instance *i = at(self);
    return i ? PyLong_FromUnsignedLongLong(gnt_host_below(i->host, name, n)) : NULL;
}

static PyObject *fact(PyObject *module, PyObject *args) {
    PyObject *self;
    const char *name;
    double value;
    (void)module;
    if (!PyArg_ParseTuple(args, "Osd", &self, &name, &value))
        return NULL;
    const instance *i = at(self);
    if (!i)
        return NULL;
    gnt_host_fact(i->host, name, value);
    Py_RETURN_NONE;
}

static PyObject *write_log(PyObject *module, PyObject *args) {
    PyObject *self;
    int level;
    const char *text;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ois", &self, &level, &text))
        return NULL;
    const instance *i = at(self);
    if (!i)
        return NULL;
    gnt_host_log(i->host, level, text);
    Py_RETURN_NONE;
}

static PyObject *progress(PyObject *module, PyObject *args) {
    PyObject *self;
    double done, total;
    (void)module;
    if (!PyArg_ParseTuple(args, "Odd", &self, &done, &total))
        return NULL;
    const instance *i = at(self);
    if (!i)
        return NULL;
    gnt_host_progress(i->host, done, total);
    Py_RETURN_NONE;
}

/* Records a cost during `run`; elsewhere nothing. `chosen`: of the result. */
static PyObject *cost(PyObject *module, PyObject *args) {
    PyObject *self;
    int restart, chosen;
    long long step;
    double value;
    (void)module;
    if (!PyArg_ParseTuple(args, "OiLdi", &self, &restart, &step, &value, &chosen))
        return NULL;
    const instance *i = at(self);
    if (!i)
        return NULL;
    if (i->answer && chosen)
        i->answer->chosen(i->answer->context, restart, value);
    else if (i->answer)
        i->answer->cost(i->answer->context, restart, step, value);
    Py_RETURN_NONE;
}

/* ---- models ---- */

/* The task's model: the address of its service and its description; None without one. */
static PyObject *model(PyObject *module, PyObject *self) {
    const instance *i = at(self);
    (void)module;
    if (!i)
        return NULL;
    if (!i->host->model)
        Py_RETURN_NONE;
    return Py_BuildValue("(NN)", number_of(i->host->model), core_model_info(i->host->model->info));
}

/* One of the suite's models, by the parameter that names it. */
static PyObject *open_model(PyObject *module, PyObject *args) {
    PyObject *self;
    const char *parameter;
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &self, &parameter))
        return NULL;
    const instance *i = at(self);
    if (!i)
        return NULL;
    const gnt_models *models = gnt_host_extension(i->host, GNT_EXTENSION_MODELS, 1);
    const gnt_named_model *m = models ? models->open(models->context, parameter) : NULL;
    if (!m)
        return PyErr_Format(PyExc_ValueError, "the model of the parameter %.60s: %s", parameter,
                            models ? gnt_host_last_error(i->host) : "this host has no models");
    const gnt_model_info *info = m->service->info;
    return Py_BuildValue("(sNNNN)", m->id, number_of(m->service), core_model_info(info),
                         core_vector('f', m->weights, info->n_params),
                         core_vector('f', m->buffers, info->n_buffers));
}

static PyObject *refuse(const instance *i, gnt_status status) {
    const char *why = gnt_host_last_error(i->host);
    return PyErr_Format(status == GNT_STOPPED ? PyExc_TimeoutError : PyExc_RuntimeError, "%s",
                        status == GNT_STOPPED ? "the time is over"
                        : *why                ? why
                                              : "the model's function failed");
}

/* The memory of optional arrays in a call, until it returns. */
typedef struct buffers {
    Py_buffer one[8];
    int n;
} buffers;

static void release(buffers *b) {
    while (b->n > 0)
        PyBuffer_Release(&b->one[--b->n]);
}

/* Returns the memory of an array, NULL for None; after an exception *bad is 1. glue.py checked its type. */
static const void *memory(buffers *b, PyObject *array, int *bad) {
    if (*bad || array == Py_None)
        return NULL;
    if (PyObject_GetBuffer(array, &b->one[b->n], PyBUF_C_CONTIGUOUS) != 0) {
        *bad = 1;
        return NULL;
    }
    return b->one[b->n++].buf;
}

/* prepare(self, service, kind, n, layers, steps, batch, order, training, cost, layer_weight, masked, vjp,
 * jvp, constant, momentum, decay) */
static PyObject *prepare(PyObject *module, PyObject *args) {
    PyObject *self, *service, *layers, *order, *layer_weight;
    gnt_function_spec spec = {.size = sizeof spec};
    long long n, batch;
    buffers b = {.n = 0};
    int bad = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOiLOiLOiiOiIIIdd", &self, &service, &spec.kind, &n, &layers, &spec.steps,
                          &batch, &order, &spec.training, &spec.cost, &layer_weight, &spec.masked, &spec.vjp,
                          &spec.jvp, &spec.held, &spec.momentum, &spec.decay))
        return NULL;
    const instance *i = at(self);
    const gnt_model_service *m = at(service);
    if (!i || !m)
        return NULL;
    spec.n = n;
    spec.batch = batch;
    spec.layer = memory(&b, layers, &bad);
    spec.n_layers = spec.layer ? (int32_t)(b.one[b.n - 1].len / 4) : 0;
    spec.order = memory(&b, order, &bad);
    spec.layer_weight = memory(&b, layer_weight, &bad);
    gnt_function *f = bad ? NULL : m->prepare(m->context, &spec);
    release(&b);
    return bad ? NULL : f ? number_of(f) : refuse(i, GNT_FAILED);
}

enum { MOST_TENSORS = 4096 };

/* Fills pointers of a list of arrays; NULL for None. */
static const float *const *list(PyObject *arrays, const float **room, int *bad) {
    if (*bad || arrays == Py_None)
        return NULL;
    const Py_ssize_t n = PyList_Size(arrays);
    if (n < 0 || n > MOST_TENSORS) {
        if (n > MOST_TENSORS)
            PyErr_SetString(PyExc_ValueError, "too many tensors");
        *bad = 1;
        return NULL;
    }
    for (Py_ssize_t k = 0; k < n && !*bad; k++) {
        /* the script's function keeps the array until the next call: its memory stays after the release */
        Py_buffer one;
        PyObject *item = PyList_GetItem(arrays, k);
        *bad = !item || (item != Py_None && PyObject_GetBuffer(item, &one, PyBUF_C_CONTIGUOUS) != 0);
        room[k] = *bad || item == Py_None ? NULL : one.buf;
        if (!*bad && item != Py_None)
            PyBuffer_Release(&one);
    }
    return room;
}

/* Pointers of the last eval's lists, which must stay until vjp and jvp; one set for each list of a call. */
static PyObject *room_of(const float ***room) {
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, MOST_TENSORS * sizeof **room);
    *room = bytes ? (const float **)(void *)PyByteArray_AsString(bytes) : NULL;
    return bytes;
}

/* evaluate(self, service, function, x, y, weights, buffers, rates, observed, mask) → ([output …], room): the
 * caller keeps room until the next evaluation. */
static PyObject *evaluate(PyObject *module, PyObject *args) {
    PyObject *self, *service, *function, *x, *y, *weights, *statistics, *rates, *observed, *mask;
    buffers b = {.n = 0};
    int bad = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOO", &self, &service, &function, &x, &y, &weights, &statistics,
                          &rates, &observed, &mask))
        return NULL;
    const instance *i = at(self);
    const gnt_model_service *m = at(service);
    gnt_function *f = at(function);
    const float **seen = NULL, **counted = NULL;
    if (!i || !m || !f)
        return NULL;
    PyObject *first = room_of(&seen), *second = room_of(&counted), *out = NULL;
    gnt_function_args a = {.size = sizeof a};
    bad = !first || !second;
    a.x = memory(&b, x, &bad);
    a.y = memory(&b, y, &bad);
    a.weights = memory(&b, weights, &bad);
    a.buffers = memory(&b, statistics, &bad);
    a.rates = memory(&b, rates, &bad);
    a.observed = list(observed, seen, &bad);
    a.mask = list(mask, counted, &bad);
    const gnt_views *outputs = NULL;
    const gnt_status status = bad ? GNT_FAILED : m->eval(m->context, f, &a, &outputs);
    release(&b);
    if (!bad)
        out = status == GNT_OK ? core_views(outputs) : refuse(i, status);
    PyObject *answer = out ? Py_BuildValue("(NOO)", out, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return answer;
}

/* vjp(self, service, function, u, n, steps) → (x, y, [weight …], rates) */
static PyObject *vjp(PyObject *module, PyObject *args) {
    PyObject *self, *service, *function, *u;
    long long n, steps;
    int bad = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOLL", &self, &service, &function, &u, &n, &steps))
        return NULL;
    const instance *i = at(self);
    const gnt_model_service *m = at(service);
    gnt_function *f = at(function);
    const float **room = NULL;
    if (!i || !m || !f)
        return NULL;
    PyObject *first = room_of(&room), *out = NULL;
    bad = !first;
    const float *const *cotangent = list(u, room, &bad);
    const gnt_gradient *g = NULL;
    const gnt_status status = bad ? GNT_FAILED : m->vjp(m->context, f, cotangent, &g);
    Py_XDECREF(first);
    if (bad)
        return NULL;
    if (status != GNT_OK)
        return refuse(i, status);
    const gnt_model_info *info = m->info;
    PyObject *weights = PyList_New(g->weights ? (Py_ssize_t)info->params.n : 0);
    for (int64_t k = 0; weights && g->weights && k < info->params.n; k++) {
        PyObject *one =
            core_array('f', g->weights[k], info->params.view[k].rank, info->params.view[k].dim, 0);
        if (!one)
            Py_CLEAR(weights);
        else
            PyList_SET_ITEM(weights, (Py_ssize_t)k, one);
    }
    int64_t shape[4] = {n, info->dim[0], info->dim[1], info->dim[2]};
    if (weights)
        out = Py_BuildValue("(NNNN)", core_array('f', g->x, 1 + info->rank, shape, 0),
                            core_array('f', g->y, 2, (const int64_t[]){n, info->classes}, 0), weights,
                            core_vector('f', g->rates, steps));
    return out;
}

/* jvp(self, service, function, x, y, weights, rates) → [output …] */
static PyObject *jvp(PyObject *module, PyObject *args) {
    PyObject *self, *service, *function, *x, *y, *weights, *rates;
    buffers b = {.n = 0};
    int bad = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &self, &service, &function, &x, &y, &weights, &rates))
        return NULL;
    const instance *i = at(self);
    const gnt_model_service *m = at(service);
    gnt_function *f = at(function);
    if (!i || !m || !f)
        return NULL;
    gnt_function_args a = {.size = sizeof a};
    a.x = memory(&b, x, &bad);
    a.y = memory(&b, y, &bad);
    a.weights = memory(&b, weights, &bad);
    a.rates = memory(&b, rates, &bad);
    const gnt_views *outputs = NULL;
    const gnt_status status = bad ? GNT_FAILED : m->jvp(m->context, f, &a, &outputs);
    release(&b);
    return bad ? NULL : status == GNT_OK ? core_views(outputs) : refuse(i, status);
}

/* changed(service, function) */
static PyObject *changed(PyObject *module, PyObject *args) {
    PyObject *service, *function;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &service, &function))
        return NULL;
    const gnt_model_service *m = at(service);
    gnt_function *f = at(function);
    if (!m || !f)
        return NULL;
    m->changed(m->context, f);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"should_stop", should_stop, METH_O, NULL},
                                {"fill", fill, METH_VARARGS, NULL},
                                {"below", below, METH_VARARGS, NULL},
                                {"fact", fact, METH_VARARGS, NULL},
                                {"log", write_log, METH_VARARGS, NULL},
                                {"progress", progress, METH_VARARGS, NULL},
                                {"cost", cost, METH_VARARGS, NULL},
                                {"model", model, METH_O, NULL},
                                {"open_model", open_model, METH_VARARGS, NULL},
                                {"prepare", prepare, METH_VARARGS, NULL},
                                {"evaluate", evaluate, METH_VARARGS, NULL},
                                {"vjp", vjp, METH_VARARGS, NULL},
                                {"jvp", jvp, METH_VARARGS, NULL},
                                {"changed", changed, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_gauntlet", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyObject *core_services(void) {
    PyObject *module = PyModule_Create(&definition), *words = module ? core_words() : NULL;
    if (!words || PyModule_AddObject(module, "words", words) != 0) {
        Py_XDECREF(words);
        Py_CLEAR(module);
    }
    return module;
}
