/* Shared by the steps of a hook sequence: create and destroy an instance, digest outputs, pass them to later
 * hooks. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "plugin/load.h"
#include "vet/hook_sequence_impl.h"

double gnt_vet_seconds(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gnt_vet_digest_floats(gnt_vet_sequence *t, const char *name, const float *x, int64_t n) {
    gnt_hasher_text(&t->digest, name);
    gnt_hasher_bytes(&t->digest, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n && !t->result->infinite.text[0]; i++)
        if (!isfinite(x[i]))
            gnt_fail(&t->result->infinite, "%s[%lld] is %g", name, (long long)i, (double)x[i]);
}

void gnt_vet_digest_doubles(gnt_vet_sequence *t, const char *name, const double *x, int64_t n) {
    gnt_hasher_text(&t->digest, name);
    gnt_hasher_bytes(&t->digest, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n && !t->result->infinite.text[0]; i++)
        if (!isfinite(x[i]))
            gnt_fail(&t->result->infinite, "%s[%lld] is %g", name, (long long)i, x[i]);
}

void gnt_vet_digest_bundle(gnt_vet_sequence *t, const gnt_st *st) {
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *one = &st->tensor[i];
        if (one->type == GNT_ST_F32)
            gnt_vet_digest_floats(t, one->name, one->data, (int64_t)(one->bytes / sizeof(float)));
        else {
            gnt_hasher_text(&t->digest, one->name);
            gnt_hasher_bytes(&t->digest, one->data, one->bytes);
        }
    }
}

gnt_artefacts *gnt_vet_guard_bundle(gnt_vet_sequence *t, const char *name, const gnt_st *from, gnt_err *err) {
    gnt_st copy;
    gnt_artefact_set set = {0};
    gnt_artefacts *shown = NULL;
    gnt_st_init(&copy);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < from->n; i++)
        rc = gnt_st_add(&copy, from->tensor[i].name, from->tensor[i].type, from->tensor[i].rank,
                        from->tensor[i].dim, from->tensor[i].data, NULL, err);
    if (rc == 0 && gnt_artefact_set_from(&set, &copy, err) == 0) {
        shown = gnt_vet_guard_artefacts(&t->setting, name, &set.view);
        if (!shown)
            gnt_fail(err, "its artefacts are too large");
    }
    gnt_artefact_set_free(&set);
    gnt_st_free(&copy);
    return shown;
}

static int should_stop(void *context) {
    gnt_vet_sequence *t = context;
    gnt_work *w = t->spec.work;
    if (!t->result)
        return 0;
    t->result->polls++;
    int stop = (t->spec.polls >= 0 && !t->unlimited && t->result->polls > t->spec.polls) ||
               w->should_stop(w->context);
    if (stop && t->stop_wall <= 0) {
        t->stop_wall = gnt_vet_seconds(CLOCK_MONOTONIC);
        t->stop_cpu = gnt_vet_seconds(CLOCK_PROCESS_CPUTIME_ID);
    }
    return stop;
}

void gnt_vet_destroy(gnt_vet_sequence *t) {
    gnt_instance_free(t->instance);
    gnt_vet_models_close(&t->models);
    t->instance = NULL;
}

void gnt_vet_create(gnt_vet_sequence *t) {
    gnt_instance_spec spec = {.descriptor = t->spec.descriptor,
                              .params = t->spec.params,
                              .key = t->spec.key,
                              .context = t,
                              .should_stop = should_stop,
                              .memory = t->spec.work->memory};
    t->status = GNT_FAILED;
    int rc = gnt_vet_models_open(&t->models, &t->setting, t->spec.params, t->spec.setting.behind_params,
                                 &t->result->err);
    if (rc == 0) {
        spec.model = t->models.service;
        spec.models = t->models.model;
        spec.n_models = t->models.n;
        rc = gnt_instance_new(&t->instance, &spec, &t->status, &t->result->err);
    }
    if (rc != 0)
        gnt_vet_destroy(t);
}

/* ---- create and prepare ---- */

int gnt_vet_before_create(gnt_vet_sequence *t) {
    gnt_vet_destroy(t);
    return 0;
}

int gnt_vet_before_prepare(gnt_vet_sequence *t) {
    gnt_st_free(&t->prepared);
    gnt_st_init(&t->prepared);
    return 0;
}

int gnt_vet_after_prepare(gnt_vet_sequence *t) {
    gnt_vet_digest_bundle(t, &t->prepared);
    t->artefacts = gnt_vet_guard_bundle(t, "artefacts", &t->prepared, t->err);
    if (!t->artefacts)
        return -1;
    for (int k = 0; k < GNT_VET_CLIENTS && t->setting.client[k]; k++)
        t->setting.client[k]->artefacts = t->setting.query[k]->artefacts = t->artefacts;
    if (t->setting.aggregate)
        t->setting.aggregate->artefacts = t->artefacts;
    gnt_guard_save(t->setting.guard);
    return 0;
}
