/* entry: what the host calls (harness/plugin/python.h). gauntlet_python_start runs before a worker enters its
 * sandbox and loads the interpreter and modules of the system; it reads the scripts, to see which, and runs
 * nothing of them. gauntlet_python_open runs a script, in the sandbox. */
#include "core.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SCRIPTS = 16 };

static script scripts[MOST_SCRIPTS];
static int n_scripts;
PyObject *core_glue;

__asm__(".pushsection .rodata\n"
        "glue_text:\n"
        ".incbin \"plugins/python/glue.py\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char glue_text[];

/* A hook does not know whose it is before it has an instance, so each slot has an entry of its own. */
#define SLOTS(SLOT)                                                                                          \
    SLOT(0)                                                                                                  \
    SLOT(1)                                                                                                  \
    SLOT(2)                                                                                                  \
    SLOT(3)                                                                                                  \
    SLOT(4)                                                                                                  \
    SLOT(5)                                                                                                  \
    SLOT(6)                                                                                                  \
    SLOT(7)                                                                                                  \
    SLOT(8)                                                                                                  \
    SLOT(9)                                                                                                  \
    SLOT(10)                                                                                                 \
    SLOT(11)                                                                                                 \
    SLOT(12)                                                                                                 \
    SLOT(13)                                                                                                 \
    SLOT(14)                                                                                                 \
    SLOT(15)
#define FUNCTIONS(k)                                                                                         \
    static void *create_##k(const gnt_host *host, const gnt_value *values) {                                 \
        return core_create(&scripts[k], host, values);                                                       \
    }                                                                                                        \
    static const gnt_descriptor *descriptor_##k(int32_t index) {                                             \
        return index == 0 ? &scripts[k].descriptor : NULL;                                                   \
    }
SLOTS(FUNCTIONS)
#define ROW(k) {create_##k, descriptor_##k},
static const struct {
    void *(*create)(const gnt_host *host, const gnt_value *values);
    const gnt_descriptor *(*descriptor)(int32_t index);
} slots[MOST_SCRIPTS] = {SLOTS(ROW)};
static gnt_entry entries[MOST_SCRIPTS];

/* Writes the sentence of the exception and clears it. */
static int refuse(char *why, size_t room) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *words = text ? PyUnicode_AsUTF8(text) : NULL;
    snprintf(why, room, "%s", words && *words ? words : "the interpreter gives no reason");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
}

static int start_interpreter(char *why, size_t room) {
    PyConfig config;
    if (Py_IsInitialized())
        return 0;
    PyConfig_InitIsolatedConfig(&config); /* no variables, no user's folder, no signal handlers */
    config.use_hash_seed = 1;             /* sets have the same order in each process */
    config.hash_seed = 0;
    config.write_bytecode = 0;
    config.site_import = 0; /* runs what files of packages name; glue.py adds the folders alone */
    const PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        snprintf(why, room, "Python cannot start: %s",
                 status.err_msg ? status.err_msg : "no reason is given");
        return -1;
    }
    return 0;
}

/* Makes the modules _gauntlet and that of glue.py. */
static int load_glue(char *why, size_t room) {
    if (core_glue)
        return 0;
    PyObject *services = core_services();
    PyObject *modules = PyImport_GetModuleDict(), *code = NULL;
    if (!services || PyDict_SetItemString(modules, "_gauntlet", services) != 0 ||
        !(code = Py_CompileString(glue_text, "glue.py", Py_file_input)))
        return refuse(why, room);
    core_glue = PyImport_ExecCodeModule("_gauntlet_glue", code);
    Py_DECREF(code);
    return core_glue ? 0 : refuse(why, room);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int gauntlet_python_start(const char *const *texts, const size_t *sizes, size_t n, char *why,
                                 size_t room);
EXPORT const gnt_entry *gauntlet_python_open(const char *name, const char *text, size_t size, char *why,
                                             size_t room);

int gauntlet_python_start(const char *const *texts, const size_t *sizes, size_t n, char *why, size_t room) {
    if (start_interpreter(why, room) != 0 || load_glue(why, room) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        PyObject *done = PyObject_CallMethod(core_glue, "preload", "y#", texts[i], (Py_ssize_t)sizes[i]);
        if (!done)
            return refuse(why, room);
        Py_DECREF(done);
    }
    PyObject *done = PyObject_CallMethod(core_glue, "close_imports", NULL);
    if (!done)
        return refuse(why, room);
    Py_DECREF(done);
    return 0;
}

const gnt_entry *gauntlet_python_open(const char *name, const char *text, size_t size, char *why,
                                      size_t room) {
    if (n_scripts == MOST_SCRIPTS) {
        snprintf(why, room, "more than %d scripts in one process", MOST_SCRIPTS);
        return NULL;
    }
    script *s = &scripts[n_scripts];
    if (core_script_load(s, name, text, size) != 0) {
        refuse(why, room);
        return NULL;
    }
    s->descriptor.create = slots[n_scripts].create;
    s->descriptor.destroy = core_destroy;
    entries[n_scripts] = (gnt_entry){.magic = GNT_ABI_MAGIC,
                                     .size = sizeof(gnt_entry),
                                     .abi_major = GNT_ABI_MAJOR,
                                     .abi_minor = GNT_ABI_MINOR,
                                     .pointer_size = sizeof(void *),
                                     .build = "Python " PY_VERSION,
                                     .n_plugins = 1,
                                     .descriptor = slots[n_scripts].descriptor};
    return &entries[n_scripts++];
}
