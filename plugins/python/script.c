/* script: the descriptor of a script, from what glue.py read of its `plugin`. glue.py has checked types and
 * words; the host checks the rest as of any plugin. */
#include "core.h"

#include <stdlib.h>

enum { MOST_PARAMETERS = 64, MOST_CHOICES = 64, MOST_FAMILIES = 16 };

/* Members of a dictionary that glue.py filled. */
static const char *text(PyObject *of, const char *key) {
    PyObject *value = PyDict_GetItemString(of, key);
    return value && value != Py_None ? PyUnicode_AsUTF8(value) : NULL;
}

static long long whole(PyObject *of, const char *key) {
    PyObject *value = PyDict_GetItemString(of, key);
    return value ? PyLong_AsLongLong(value) : 0;
}

static double real(PyObject *of, const char *key) {
    PyObject *value = PyDict_GetItemString(of, key);
    return value ? PyFloat_AsDouble(value) : 0;
}

/* A NULL-terminated array of the texts of a list, which lives as long as the process; NULL for none. */
static const char *const *texts(PyObject *of, const char *key, Py_ssize_t most) {
    PyObject *list = PyDict_GetItemString(of, key);
    const Py_ssize_t n = list && PyList_Check(list) ? PyList_Size(list) : 0;
    if (n == 0 || n > most) {
        if (n > most)
            PyErr_Format(PyExc_ValueError, "%s has %zd entries; expected at most %zd", key, n, most);
        return NULL;
    }
    const char **out = calloc((size_t)n + 1, sizeof *out);
    for (Py_ssize_t i = 0; out && i < n; i++)
        out[i] = PyUnicode_AsUTF8(PyList_GetItem(list, i));
    if (!out)
        PyErr_NoMemory();
    return out;
}

static void read_parameter(gnt_parameter *p, PyObject *row) {
    *p = (gnt_parameter){.id = text(row, "id"),
                         .type = (int32_t)whole(row, "type"),
                         .scale = (int32_t)whole(row, "scale"),
                         .unit = text(row, "unit"),
                         .least = real(row, "least"),
                         .most = real(row, "most"),
                         .preset = real(row, "preset"),
                         .preset_text = text(row, "preset_text"),
                         .choices = texts(row, "choices", MOST_CHOICES),
                         .strength = (int32_t)whole(row, "strength"),
                         .help = text(row, "help")};
}

static int read_parameters(gnt_descriptor *d, PyObject *of) {
    PyObject *rows = PyDict_GetItemString(of, "parameters");
    const Py_ssize_t n = PyList_Size(rows);
    if (n < 0 || n > MOST_PARAMETERS) {
        if (n > 0)
            PyErr_Format(PyExc_ValueError, "parameters has %zd rows; expected at most %d", n,
                         MOST_PARAMETERS);
        return -1;
    }
    gnt_parameter *table = calloc((size_t)n + 1, sizeof *table);
    for (Py_ssize_t i = 0; table && i < n; i++)
        read_parameter(&table[i], PyList_GetItem(rows, i));
    if (!table) {
        PyErr_NoMemory();
        return -1;
    }
    d->parameters = table;
    d->n_parameters = (int32_t)n;
    return 0;
}

static int read_descriptor(script *s, PyObject *of) {
    gnt_descriptor *d = &s->descriptor;
    *d = (gnt_descriptor){.size = sizeof *d,
                          .kind = (int32_t)whole(of, "kind"),
                          .id = text(of, "id"),
                          .version = text(of, "version"),
                          .line = text(of, "line"),
                          .licence = text(of, "licence"),
                          .citation = text(of, "citation"),
                          .scope = (int32_t)whole(of, "scope"),
                          .surfaces = (uint32_t)whole(of, "surfaces"),
                          .goals = (uint32_t)whole(of, "goals"),
                          .needs = (uint32_t)whole(of, "needs"),
                          .uses = (uint32_t)whole(of, "uses"),
                          .data_kinds = (uint32_t)whole(of, "data_kinds"),
                          .flags = (uint32_t)whole(of, "flags"),
                          .families = texts(of, "families", MOST_FAMILIES),
                          .conditions = (uint32_t)whole(of, "conditions"),
                          .least_public = whole(of, "least_public"),
                          .least_shadow = whole(of, "least_shadow"),
                          .defense = whole(of, "kind") == GNT_PLUGIN_DEFENSE ? &s->defense : NULL,
                          .attack = whole(of, "kind") == GNT_PLUGIN_ATTACK ? &s->attack : NULL};
    if (PyErr_Occurred() || read_parameters(d, of) != 0 ||
        core_hooks(s, PyDict_GetItemString(of, "hooks")) != 0)
        return -1;
    return PyErr_Occurred() ? -1 : 0;
}

int core_script_load(script *s, const char *name, const char *bytes, size_t size) {
    PyObject *pair = PyObject_CallMethod(core_glue, "load", "sy#", name, bytes, (Py_ssize_t)size);
    if (!pair)
        return -1;
    s->kept = pair; /* never released: the descriptor points into it */
    s->module = PyTuple_GetItem(pair, 0);
    PyObject *of = s->module ? PyTuple_GetItem(pair, 1) : NULL;
    return of ? read_descriptor(s, of) : -1;
}
