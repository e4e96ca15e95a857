/* try_plugin: opens a built plugin in a test and calls its hooks, as a worker does. For tests that have
 * included cmocka. */
#ifndef TESTS_TRY_PLUGIN_H
#define TESTS_TRY_PLUGIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/host.h"
#include "plugin/load.h"

typedef struct tried {
    const gnt_descriptor *descriptor;
    gnt_params params;
    gnt_instance *instance;
    char said[200]; /* what it logged last */
} tried;

/* Path of a file of this build, such as "plugins/defenses/prune.so": next to the folder of the test
 * program. */
static inline const char *built(const char *name, char path[4096]) {
    ssize_t n = readlink("/proc/self/exe", path, 2000);
    path[n < 0 ? 0 : n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    snprintf(path + strlen(path), 2000, "/%s", name);
    return path;
}

static inline void try_log(void *context, int32_t level, const char *text) {
    tried *t = context;
    (void)level;
    snprintf(t->said, sizeof t->said, "%s", text);
}

/* Loads the plugin and reads its parameters from JSON text (NULL: all defaults). 0, or −1 with a sentence. */
static inline int try_load(tried *t, const char *path, int32_t kind, const char *id, const char *json,
                           gnt_err *err) {
    *t = (tried){0};
    if (gnt_plugin_load(&t->descriptor, path, kind, id, err) != 0)
        return -1;
    return gnt_params_parse(&t->params, t->descriptor->parameters, t->descriptor->n_parameters, "test", json,
                            err);
}

/* Makes the instance; `spec` holds what is to differ from no limits and no model. */
static inline int try_start(tried *t, uint64_t seed, gnt_instance_spec spec, gnt_err *err) {
    spec.descriptor = t->descriptor;
    spec.params = &t->params;
    spec.key = gnt_key_of_seed(seed);
    spec.context = t;
    spec.log = try_log;
    return gnt_instance_new(&t->instance, &spec, NULL, err);
}

static inline int try_open(tried *t, const char *path, int32_t kind, const char *id, const char *json,
                           uint64_t seed, gnt_err *err) {
    if (try_load(t, path, kind, id, json, err) != 0)
        return -1;
    return try_start(t, seed, (gnt_instance_spec){0}, err);
}

static inline void try_close(tried *t) {
    gnt_instance_free(t->instance);
    gnt_params_free(&t->params);
    t->instance = NULL;
}

static inline gnt_status try_transform(tried *t, gnt_tensors *update, gnt_err *err) {
    gnt_client client = {.size = sizeof client, .n_clients = 1, .n_samples = 1, .rate = 0.1};
    gnt_instance_enter(t->instance, "transform_update");
    gnt_status s =
        gnt_instance_defense(t->instance)->transform_update(gnt_instance_self(t->instance), &client, update);
    return gnt_instance_leave(t->instance, s, err);
}

/* What an attack's prepare left, as `run` is given it. */
enum { KEPT_MOST = 16 };
typedef struct kept {
    gnt_view view[KEPT_MOST];
    gnt_artefacts artefacts;
} kept;

static inline gnt_status try_keep(void *context, const char *name, int32_t rank, const int64_t *dim,
                                  const float *data) {
    kept *k = context;
    gnt_view v = {.name = strdup(name), .rank = rank, .count = 1};
    for (int32_t i = 0; i < rank; i++)
        v.count *= v.dim[i] = dim[i];
    float *copy = malloc((size_t)v.count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, data, (size_t)v.count * sizeof *copy);
    v.data = copy;
    assert_true(k->artefacts.tensors.n < KEPT_MOST);
    k->view[k->artefacts.tensors.n++] = v;
    return GNT_OK;
}

static inline void try_drop(kept *k) {
    for (int64_t i = 0; i < k->artefacts.tensors.n; i++) {
        free((void *)(uintptr_t)k->view[i].name);
        free((void *)(uintptr_t)k->view[i].data);
    }
    *k = (kept){0};
}

static inline gnt_status try_prepare(tried *t, const gnt_attack_prepare *in, kept *out, gnt_err *err) {
    *out = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    out->artefacts.tensors.view = out->view;
    gnt_sink sink = {.size = sizeof sink, .context = out, .tensor = try_keep};
    gnt_instance_enter(t->instance, "prepare");
    gnt_status s = gnt_instance_attack(t->instance)->prepare(gnt_instance_self(t->instance), in, &sink);
    return gnt_instance_leave(t->instance, s, err);
}

/* Mean of a fact so far; NaN where it was never reported. */
static inline double try_fact(tried *t, const char *name) {
    const gnt_fact *list;
    int32_t n = gnt_instance_facts(t->instance, &list);
    for (int32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].mean;
    return NAN;
}

/* A tensor over `data` of rank 1. */
static inline gnt_tensor try_tensor(const char *name, float *data, int64_t count) {
    return (gnt_tensor){.name = name, .rank = 1, .layer = 0, .dim = {count}, .count = count, .data = data};
}

#endif
