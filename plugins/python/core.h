/* core: what the parts of libgauntlet-python share. The library runs plugins that are scripts: entry.c is
 * what the host calls, script.c makes a descriptor of a script, hooks.c its hooks, tree.c shows the host's
 * structs to Python, service.c the host's services, words.c the words of the ABI. glue.py, in the library as
 * it is, is the part in Python: it makes arrays of trees, checks what hooks return and words what went
 * wrong.
 *
 * A tree is what Python gets of a struct: a dictionary of its members, in which an array is a tuple (type,
 * shape, memory) over the host's memory, without a copy.
 *
 * Threads: one, as of any plugin. Ownership: functions that return a PyObject * return a new reference, or
 * NULL with a Python exception. */
#ifndef GNT_PYTHON_CORE_H
#define GNT_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "gauntlet/plugin.h"

/* A script that was opened, and an instance of it, which is the `self` of its hooks. */
typedef struct script {
    PyObject *module; /* glue.py's Script */
    gnt_descriptor descriptor;
    gnt_defense defense;
    gnt_attack attack;
    /* Keeps what the descriptor points to. */
    PyObject *kept;
} script;

typedef struct instance {
    script *script;
    const gnt_host *host;
    /* During `run`; else NULL. */
    const gnt_answer *answer;
    PyObject *object; /* glue.py's Instance */
} instance;

/* ---- entry.c ---- */

/* The module of glue.py, once the interpreter runs. */
extern PyObject *core_glue;

/* ---- words.c ---- */

/* Returns the words: a dictionary of tables by name. */
PyObject *core_words(void);

/* ---- tree.c ---- */

PyObject *core_model_info(const gnt_model_info *info);
PyObject *core_samples(const gnt_samples *s);
PyObject *core_artefacts(const gnt_artefacts *a);
PyObject *core_views(const gnt_views *views);
PyObject *core_tensors(const gnt_tensors *tensors);
PyObject *core_values(const gnt_value *value, int64_t n);
/* host: for the number of weights of its model. */
PyObject *core_client(const gnt_host *host, const gnt_client *client);
PyObject *core_aggregate(const gnt_aggregate *in);
PyObject *core_defense_prepare(const gnt_host *host, const gnt_defense_prepare *in);
PyObject *core_attack_prepare(const gnt_host *host, const gnt_attack_prepare *in);
PyObject *core_observation(const gnt_host *host, const gnt_observation *seen);
/* Returns (type, shape, memory), or None for NULL. type: a letter of Python's struct module. */
PyObject *core_array(char type, const void *data, int rank, const int64_t *dim, int writable);
PyObject *core_vector(char type, const void *data, int64_t n);

/* ---- script.c ---- */

/* Runs the text of a script and fills the slot `s`; returns −1 with an exception. */
int core_script_load(script *s, const char *name, const char *text, size_t size);

/* ---- hooks.c ---- */

/* Sets the hooks that a script defines. names: a list of texts. */
int core_hooks(script *s, PyObject *names);
void *core_create(script *s, const gnt_host *host, const gnt_value *values);
void core_destroy(void *self);

/* ---- service.c ---- */

/* Returns the module `_gauntlet`, which glue.py alone uses. */
PyObject *core_services(void);

#endif
