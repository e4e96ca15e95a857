/* Plugins in a job: opened, instantiated, chained. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/work.h"
#include "plugin/hook_times.h"
#include "plugin/load.h"
#include "request/inputs.h"

/* ---- one plugin ---- */

static void progress(void *context, double done, double total) {
    gnt_work *w = context;
    w->progress(w->context, done, total);
}

static int should_stop(void *context) {
    gnt_work *w = context;
    return w->should_stop(w->context);
}

static int open_service(gnt_work_plugin *p, const gnt_work_model *m, size_t memory, gnt_err *err) {
    gnt_service_spec spec = {.model = m->model,
                             .name = m->name,
                             .mean = m->mean,
                             .deviation = m->deviation,
                             .training = m->training_stats,
                             .memory = memory};
    return gnt_service_new(&p->service, &spec, err);
}

int gnt_work_plugin_open(gnt_work_plugin *out, gnt_work *w, const gnt_work_model *m,
                         const gnt_request_plugin *of, int32_t kind, const gnt_key *key, gnt_err *err) {
    *out = (gnt_work_plugin){.work = w, .id = of->id};
    const gnt_descriptor *d;
    if (gnt_plugin_load(&d, of->file, kind, of->id, err) != 0 ||
        gnt_params_parse(&out->params, d->parameters, d->n_parameters, of->id, of->params, err) != 0)
        return -1;
    int rc = open_service(out, m, w->memory, err);
    if (rc == 0)
        rc = gnt_work_models_open(&out->models, w, &of->models, out->service, err);
    if (rc == 0) {
        gnt_instance_spec spec = {.descriptor = d,
                                  .params = &out->params,
                                  .key = *key,
                                  .model = out->service,
                                  .models = out->models.view,
                                  .n_models = out->models.n,
                                  .memo = w->memo,
                                  .context = w,
                                  .progress = progress,
                                  .should_stop = should_stop,
                                  .memory = w->memory};
        rc = gnt_instance_new(&out->instance, &spec, &w->status, err);
    }
    if (rc != 0)
        gnt_work_plugin_free(out);
    return rc;
}

void gnt_work_plugin_free(gnt_work_plugin *p) {
    if (p->instance) {
        const gnt_fact *fact;
        int32_t n = gnt_instance_facts(p->instance, &fact);
        for (int32_t i = 0; i < n && p->work->facts; i++)
            json_object_set_new(p->work->facts, fact[i].name, json_real(fact[i].mean));
        if (p->work->hooks)
            gnt_hook_times_add(p->work->hooks, p->id, p->instance);
        gnt_instance_free(p->instance);
    }
    gnt_work_models_free(&p->models);
    gnt_service_free(p->service);
    gnt_params_free(&p->params);
    if (p->has_artefacts)
        gnt_artefact_set_free(&p->artefacts);
    *p = (gnt_work_plugin){0};
}

void gnt_work_plugin_begin(void *plugin, const char *hook) {
    gnt_work_plugin *p = plugin;
    gnt_instance_enter(p->instance, hook);
}

int gnt_work_plugin_done(void *plugin, gnt_status status, gnt_err *err) {
    gnt_work_plugin *p = plugin;
    status = gnt_instance_leave(p->instance, status, err);
    if (status == GNT_OK)
        return 0;
    p->work->status = status;
    return -1;
}

/* ---- the chain ---- */

static int read_artefacts(gnt_work_plugin *p, size_t index, gnt_err *err) {
    const char *name = gnt_input_artefacts[index];
    if (!p->work->has(p->work->context, name))
        return 0;
    gnt_st st;
    gnt_st_init(&st);
    if (p->work->read(p->work->context, name, &st, err) != 0 ||
        gnt_artefact_set_from(&p->artefacts, &st, err) != 0) {
        gnt_st_free(&st);
        return -1;
    }
    p->has_artefacts = 1;
    return 0;
}

int gnt_work_chain_open(gnt_work_chain *out, gnt_work *w, const gnt_work_model *m,
                        const gnt_request_plugins *defense, const gnt_key *key, gnt_err *err) {
    const size_t n = defense->n;
    *out = (gnt_work_chain){0};
    out->plugin = gnt_array(n, sizeof *out->plugin);
    out->chain.member = gnt_array(n, sizeof *out->chain.member);
    out->chain.n_params = gnt_model_size(m->model);
    out->chain.n_buffers = gnt_model_buffer_size(m->model);
    int rc = out->plugin && out->chain.member ? 0 : gnt_fail(err, "out of memory for %zu defenses", n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        gnt_work_plugin *p = &out->plugin[i];
        char name[32];
        snprintf(name, sizeof name, "member %zu", i);
        const gnt_key own = gnt_key_derive(key, name);
        rc = gnt_work_plugin_open(p, w, m, &defense->at[i], GNT_PLUGIN_DEFENSE, &own, err);
        if (rc == 0)
            rc = read_artefacts(p, i, err);
        out->chain.n = (int32_t)i + 1;
        if (rc == 0)
            out->chain.member[i] = (gnt_member){.hooks = gnt_instance_defense(p->instance),
                                                .self = gnt_instance_self(p->instance),
                                                .artefacts = p->has_artefacts ? &p->artefacts.view : NULL,
                                                .begin = gnt_work_plugin_begin,
                                                .done = gnt_work_plugin_done,
                                                .owner = p,
                                                .id = defense->at[i].id};
    }
    if (rc != 0)
        gnt_work_chain_free(out);
    return rc;
}

void gnt_work_chain_free(gnt_work_chain *c) {
    for (int32_t i = 0; c->plugin && i < c->chain.n; i++)
        gnt_work_plugin_free(&c->plugin[i]);
    gnt_free(c->plugin);
    gnt_free(c->chain.member);
    *c = (gnt_work_chain){0};
}
