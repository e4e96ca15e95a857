/* The jobs `prepare-defense` and `prepare-attack`: networks, zoos and extractors made once, kept as
 * artefacts. */
#include <string.h>

#include "base/mem.h"
#include "job/job.h"
#include "job/seen.h"

/* What both kinds start from. */
typedef struct preparing {
    gnt_work *work;
    gnt_work_model model;
    gnt_sampleset public_data, shadow;
    float *weights, *buffers;
    gnt_work_plugin plugin;
    gnt_st out;
} preparing;

static int prepare_open(preparing *p, const json_t *entry, int32_t kind, const char *key_path, gnt_err *err) {
    gnt_work *w = p->work;
    gnt_st trained;
    gnt_key key;
    gnt_st_init(&trained);
    int rc = gnt_work_model_open(&p->model, w, err);
    if (rc == 0)
        rc = gnt_work_samples(&p->public_data, w, "public", err);
    if (rc == 0)
        rc = gnt_work_samples(&p->shadow, w, "shadow", err);
    if (rc == 0)
        rc = w->read(w->context, "trained", &trained, err);
    if (rc == 0)
        rc = gnt_work_weights(&trained, p->model.model, gnt_request_int(w, "stage"), &p->weights, &p->buffers,
                              err);
    gnt_st_free(&trained);
    if (rc == 0)
        rc = gnt_request_key(w, key_path, &key, err);
    return rc == 0 ? gnt_work_plugin_open(&p->plugin, w, &p->model, entry, kind, &key, err) : -1;
}

static void prepare_close(preparing *p) {
    gnt_work_plugin_free(&p->plugin);
    gnt_sampleset_free(&p->public_data);
    gnt_sampleset_free(&p->shadow);
    gnt_free(p->weights);
    gnt_free(p->buffers);
    gnt_st_free(&p->out);
    gnt_work_model_free(&p->model);
}

int gnt_job_prepare_defense(gnt_work *w, gnt_err *err) {
    preparing p = {.work = w};
    int rc = prepare_open(&p, gnt_request(w, "member"), GNT_PLUGIN_DEFENSE, "keys.prepare", err);
    if (rc == 0) {
        const gnt_defense *hooks = gnt_instance_defense(p.plugin.instance);
        gnt_defense_prepare in = {.size = sizeof in,
                                  .stage = (int32_t)gnt_request_int(w, "prepare_stage"),
                                  .public_data = p.public_data.view.n ? &p.public_data.view : NULL,
                                  .shadow_data = p.shadow.view.n ? &p.shadow.view : NULL,
                                  .weights = p.weights,
                                  .buffers = p.buffers};
        gnt_sink sink = gnt_sink_into(&p.out);
        gnt_work_plugin_begin(&p.plugin, "prepare");
        rc = gnt_work_plugin_done(&p.plugin, hooks->prepare(gnt_instance_self(p.plugin.instance), &in, &sink),
                                  err);
    }
    if (rc == 0)
        rc = w->write(w->context, "artefacts", &p.out, err);
    prepare_close(&p);
    return rc;
}

/* Shadow observations with the batch behind each. Observations are copied one by one out of the bundle's
 * views, which are pointed at one observation at a time. */
typedef struct shadows {
    gnt_seen seen;
    gnt_observation *observation;
    gnt_samples *truth;
    gnt_views *update;
    gnt_view *view;
} shadows;

static void shadows_free(shadows *s) {
    gnt_free(s->observation);
    gnt_free(s->truth);
    gnt_free(s->update);
    gnt_free(s->view);
    gnt_seen_free(&s->seen);
}

static int shadows_open(shadows *s, preparing *p, gnt_attack_prepare *in, gnt_err *err) {
    gnt_work *w = p->work;
    if (!w->has(w->context, "shadow_seen"))
        return 0;
    if (gnt_seen_open(&s->seen, w, "shadow_seen", &p->model, err) != 0)
        return -1;
    size_t n = (size_t)s->seen.observations, each = (size_t)s->seen.update_list.n;
    int64_t batch = s->seen.base.n;
    if (s->seen.base.surface == GNT_SURFACE_ENCODING)
        return gnt_fail(err, "shadow encodings come as one set");
    if (p->shadow.view.n < batch)
        return gnt_fail(err, "the shadow part has %lld samples, fewer than a batch",
                        (long long)p->shadow.view.n);
    s->observation = gnt_array(n, sizeof *s->observation);
    s->truth = gnt_array(n, sizeof *s->truth);
    s->update = gnt_array(n, sizeof *s->update);
    s->view = gnt_array(n * (each ? each : 1), sizeof *s->view);
    if (!s->observation || !s->truth || !s->update || !s->view)
        return gnt_fail(err, "out of memory for %zu shadow observations", n);
    int64_t whole = p->shadow.view.n / batch; /* batches without wrapping */
    for (size_t j = 0; j < n; j++) {
        s->observation[j] = gnt_seen_at(&s->seen, (int64_t)j);
        if (each) {
            memcpy(s->view + j * each, s->seen.update, each * sizeof *s->view);
            s->update[j] = (gnt_views){(int64_t)each, s->view + j * each};
            s->observation[j].update = &s->update[j];
        }
        s->truth[j] = gnt_samples_part(&p->shadow.view, (int64_t)j % whole * batch, batch);
    }
    in->n_shadow = (int64_t)n;
    in->shadow = s->observation;
    in->shadow_truth = s->truth;
    return 0;
}

int gnt_job_prepare_attack(gnt_work *w, gnt_err *err) {
    preparing p = {.work = w};
    shadows s = {0};
    gnt_attack_prepare in = {
        .size = sizeof in, .stage = (int32_t)gnt_request_int(w, "prepare_stage"), .attribute = -1};
    int rc = prepare_open(&p, gnt_request(w, "attack"), GNT_PLUGIN_ATTACK, "keys.prepare", err);
    if (rc == 0)
        rc = shadows_open(&s, &p, &in, err);
    if (rc == 0) {
        const gnt_attack *hooks = gnt_instance_attack(p.plugin.instance);
        in.public_data = p.public_data.view.n ? &p.public_data.view : NULL;
        in.shadow_data = p.shadow.view.n ? &p.shadow.view : NULL;
        in.weights = p.weights;
        in.buffers = p.buffers;
        if (gnt_request(w, "attribute")) {
            in.attribute = (int32_t)gnt_request_int(w, "attribute.index");
            in.attribute_values = (int32_t)gnt_request_int(w, "attribute.values");
        }
        gnt_sink sink = gnt_sink_into(&p.out);
        gnt_work_plugin_begin(&p.plugin, "prepare");
        rc = gnt_work_plugin_done(&p.plugin, hooks->prepare(gnt_instance_self(p.plugin.instance), &in, &sink),
                                  err);
    }
    if (rc == 0)
        rc = w->write(w->context, "artefacts", &p.out, err);
    shadows_free(&s);
    prepare_close(&p);
    return rc;
}
