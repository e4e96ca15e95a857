/* child_env: the short environment of a child. Variables that are not listed here are not passed. */
#include "process/child_wire.h"

#include <stdlib.h>

#include "base/mem.h"
#include "nn/kernels/blas_core.h"

/* Variables that are passed if set. The library path is for a gauntlet with libraries in unusual places, the
 * sanitizers' options for builds with sanitizers. */
static const char *const passing[] = {
    "PATH", "TMPDIR", "LD_LIBRARY_PATH", "UBSAN_OPTIONS", "GAUNTLET_CONV", "GAUNTLET_VECTORS", NULL};

typedef struct list {
    char **items;
    size_t n, room;
    int failed;
} list;

/* Appends an item, and takes ownership of it. */
static void add_item(list *l, char *item) {
    if (!item || l->n + 1 >= l->room) {
        l->failed = 1;
        gnt_free(item);
        return;
    }
    l->items[l->n++] = item;
}

static void add(list *l, const char *name, const char *value) {
    add_item(l, gnt_format("%s=%s", name, value));
}

static void add_passing(list *l, const char *const *names) {
    for (; names && *names; names++)
        if (getenv(*names))
            add(l, *names, getenv(*names));
}

char **gnt_child_environment(const char *const *keep, const char *const *set) {
    size_t more = 0;
    for (const char *const *at = keep; at && *at; at++)
        more++;
    for (const char *const *at = set; at && *at; at++)
        more++;
    list l = {.room = more + 16};
    l.items = gnt_array(l.room, sizeof *l.items);
    if (!l.items)
        return NULL;
    add(&l, "LANG", "C");
    add(&l, "OPENBLAS_NUM_THREADS", "1");
    add(&l, "OMP_NUM_THREADS", "1");
    add(&l, "DNNL_JIT_PROFILE", "0");
    const char *core = gnt_blas_core_choice();
    if (*core)
        add(&l, "OPENBLAS_CORETYPE", core);
    /* the leak check at exit starts a thread that traces the process, which the sandbox forbids */
    const char *asan = getenv("ASAN_OPTIONS");
    char *options = gnt_format("%s%sdetect_leaks=0", asan ? asan : "", asan ? ":" : "");
    if (options)
        add(&l, "ASAN_OPTIONS", options);
    l.failed |= !options;
    gnt_free(options);
    add_passing(&l, passing);
    add_passing(&l, keep);
    for (; set && *set; set++)
        add_item(&l, gnt_strdup(*set));
    if (l.failed) {
        gnt_child_environment_free(l.items);
        return NULL;
    }
    return l.items;
}

void gnt_child_environment_free(char **environment) {
    for (char **at = environment; at && *at; at++)
        gnt_free(*at);
    gnt_free(environment);
}
