/* The jobs `prepare-defense` and `prepare-attack`: the hook `prepare` of a plugin, whose artefacts later jobs
 * read. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/attack_setting.h"
#include "job/job.h"
#include "job/observations.h"
#include "request/inputs.h"

/* What both jobs have. */
typedef struct preparing {
    gnt_work *work;
    gnt_work_model model;
    gnt_sampleset public_data, prior_data, shadow;
    float *weights, *buffers;
    gnt_work_plugin plugin;
    int64_t n_contribution;
    gnt_st out;
} preparing;

/* What the requests of both jobs say. */
typedef struct prepare_request {
    const gnt_request_model *model;
    const gnt_request_samples *samples;
    const gnt_request_federated *federated;
    int64_t stage;
    const gnt_request_plugin *plugin;
    const gnt_key *key;
} prepare_request;

/* Reads the weights at the request's stage. A plugin that prepares once gets none. */
static int read_weights(preparing *p, int64_t stage, gnt_err *err) {
    gnt_work *w = p->work;
    gnt_st trained;
    gnt_st_init(&trained);
    if (!w->has(w->context, "trained"))
        return 0;
    int rc = w->read(w->context, "trained", &trained, err) ||
                     gnt_work_weights(&trained, p->model.model, stage, &p->weights, &p->buffers, err)
                 ? -1
                 : 0;
    json_t *known = rc == 0 && trained.metadata ? json_loads(trained.metadata, 0, NULL) : NULL;
    p->n_contribution = json_integer_value(json_object_get(known, "n_contribution"));
    json_decref(known);
    gnt_st_free(&trained);
    return rc;
}

static int prepare_open(preparing *p, const prepare_request *q, int32_t kind, gnt_err *err) {
    gnt_work *w = p->work;
    int rc = gnt_work_model_open(&p->model, q->model, q->federated->training_stats, err) ||
                     gnt_work_samples(&p->public_data, w, "public", q->samples, err) ||
                     gnt_work_samples(&p->prior_data, w, "prior_data", q->samples, err) ||
                     gnt_work_samples(&p->shadow, w, "shadow", q->samples, err) ||
                     read_weights(p, q->stage, err)
                 ? -1
                 : 0;
    return rc == 0 ? gnt_work_plugin_open(&p->plugin, w, &p->model, q->plugin, kind, q->key, err) : -1;
}

static void prepare_close(preparing *p) {
    gnt_work_plugin_free(&p->plugin);
    gnt_sampleset_free(&p->public_data);
    gnt_sampleset_free(&p->prior_data);
    gnt_sampleset_free(&p->shadow);
    gnt_free(p->weights);
    gnt_free(p->buffers);
    gnt_st_free(&p->out);
    gnt_work_model_free(&p->model);
}

int gnt_job_prepare_defense(gnt_work *w, gnt_err *err) {
    const gnt_request_prepare *q = &w->request->prepare;
    const prepare_request all = {&q->model, &q->samples, &q->federated, q->stage, &q->plugin, &q->key};
    preparing p = {.work = w};
    int rc = prepare_open(&p, &all, GNT_PLUGIN_DEFENSE, err);
    if (rc == 0) {
        const gnt_defense *hooks = gnt_instance_defense(p.plugin.instance);
        gnt_fl_config config = gnt_work_config(&q->federated);
        gnt_defense_prepare in = {.size = sizeof in,
                                  .n_clients = config.clients,
                                  .steps = config.steps,
                                  .batch = config.batch,
                                  .rate = gnt_fl_rate(&config, (int32_t)q->stage),
                                  .stage = (int32_t)q->told_stage,
                                  .public_data = p.public_data.view.n ? &p.public_data.view : NULL,
                                  .shadow_data = p.shadow.view.n ? &p.shadow.view : NULL,
                                  .weights = p.weights,
                                  .buffers = p.buffers,
                                  .rounds = config.rounds,
                                  .per_round = gnt_fl_per_round(&config)};
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

/* Shadow observations, with the private batch behind each. Views of a gnt_observations show one observation
 * at a time, so each observation has views of its own here. */
typedef struct shadows {
    gnt_observations observations;
    gnt_observation *observation;
    gnt_samples *truth;
    /* Pointers to each, as a plugin gets them. */
    const gnt_observation **observation_list;
    const gnt_samples **truth_list;
    gnt_views *update, *sent_buffers, *representation;
    gnt_view *view, *statistic, *features;
    gnt_samples *encoded;
    gnt_st mixing;
    /* Where single encodings were observed: the row of the sample behind each observation. */
    int64_t *row;
} shadows;

static void shadows_free(shadows *s) {
    gnt_free(s->observation);
    gnt_free(s->truth);
    gnt_free(s->observation_list);
    gnt_free(s->truth_list);
    gnt_free(s->update);
    gnt_free(s->view);
    gnt_free(s->sent_buffers);
    gnt_free(s->statistic);
    gnt_free(s->representation);
    gnt_free(s->features);
    gnt_free(s->encoded);
    gnt_free(s->row);
    gnt_st_free(&s->mixing);
    gnt_observations_free(&s->observations);
}

/* Finds the sample behind each shadow update of an encoding: the one that the encoding is mostly of. */
static int find_sources(shadows *s, gnt_work *w, int64_t samples, gnt_err *err) {
    const gnt_observations *o = &s->observations;
    if (!o->sets || o->common.surface != GNT_SURFACE_UPDATE)
        return 0;
    if (w->read(w->context, "shadow_mixing", &s->mixing, err) != 0)
        return -1;
    s->row = gnt_array((size_t)o->n, sizeof *s->row);
    if (!s->row)
        return gnt_fail(err, "out of memory for %lld shadow observations", (long long)o->n);
    for (int64_t j = 0; j < o->sets; j++) {
        char name[32];
        int64_t n = o->first[j + 1] - o->first[j], sets = samples / o->set;
        snprintf(name, sizeof name, "source.%lld", (long long)j);
        const gnt_st_tensor *t = gnt_st_need(&s->mixing, "shadow_mixing", name, GNT_ST_I64, 1, &n, err);
        if (!t)
            return -1;
        for (int64_t i = 0; i < n; i++)
            s->row[o->first[j] + i] = (sets ? j % sets : 0) * o->set + ((const int64_t *)t->data)[i];
    }
    return 0;
}

static int shadows_alloc(shadows *s, size_t n, size_t each, size_t statistics, gnt_err *err) {
    s->observation = gnt_array(n, sizeof *s->observation);
    s->truth = gnt_array(n, sizeof *s->truth);
    s->observation_list = gnt_array(n, sizeof *s->observation_list);
    s->truth_list = gnt_array(n, sizeof *s->truth_list);
    s->update = gnt_array(n, sizeof *s->update);
    s->view = gnt_array(n * (each ? each : 1), sizeof *s->view);
    s->sent_buffers = gnt_array(n, sizeof *s->sent_buffers);
    s->statistic = gnt_array(n * (statistics ? statistics : 1), sizeof *s->statistic);
    s->representation = gnt_array(n, sizeof *s->representation);
    s->features = gnt_array(n, sizeof *s->features);
    s->encoded = gnt_array(n, sizeof *s->encoded);
    if (!s->observation || !s->truth || !s->observation_list || !s->truth_list || !s->update || !s->view ||
        !s->sent_buffers || !s->statistic || !s->representation || !s->features || !s->encoded)
        return gnt_fail(err, "out of memory for %zu shadow observations", n);
    return 0;
}

/* Copies observation j, with views of its own. each: the number of an update's views; statistics: that of
 * the running statistics' views. */
static void copy_observation(shadows *s, size_t j, size_t each, size_t statistics) {
    gnt_observation *o = &s->observation[j];
    *o = gnt_observations_at(&s->observations, (int64_t)j);
    if (each) {
        memcpy(s->view + j * each, s->observations.update, each * sizeof *s->view);
        s->update[j] = (gnt_views){(int64_t)each, s->view + j * each};
        o->update = &s->update[j];
    }
    if (o->sent_buffers) {
        memcpy(s->statistic + j * statistics, s->observations.statistic, statistics * sizeof *s->statistic);
        s->sent_buffers[j] = (gnt_views){(int64_t)statistics, s->statistic + j * statistics};
        o->sent_buffers = &s->sent_buffers[j];
    }
    if (o->representation) {
        s->features[j] = o->representation->view[0];
        s->representation[j] = (gnt_views){1, &s->features[j]};
        o->representation = &s->representation[j];
    }
    if (o->encoded) {
        s->encoded[j] = *o->encoded;
        o->encoded = &s->encoded[j];
    }
    s->observation_list[j] = o;
}

static int shadows_open(shadows *s, preparing *p, gnt_attack_prepare *in, gnt_err *err) {
    gnt_work *w = p->work;
    if (!w->has(w->context, "shadow_seen"))
        return 0;
    if (gnt_observations_open(&s->observations, w, "shadow_seen", &p->model, err) != 0)
        return -1;
    const size_t n = (size_t)s->observations.n, each = (size_t)s->observations.update_list.n;
    const size_t statistics = (size_t)s->observations.statistic_list.n;
    const int64_t batch = s->observations.common.n;
    if (p->shadow.view.n < batch)
        return gnt_fail(err, "the shadow part has %lld samples, fewer than a batch",
                        (long long)p->shadow.view.n);
    if (shadows_alloc(s, n, each, statistics, err) != 0 || find_sources(s, w, p->shadow.view.n, err) != 0)
        return -1;
    const int64_t whole = p->shadow.view.n / batch; /* batches without wrapping */
    for (size_t j = 0; j < n; j++) {
        copy_observation(s, j, each, statistics);
        const int64_t row = s->row ? s->row[j] : (int64_t)j % whole * batch;
        if (row < 0 || row > p->shadow.view.n - batch)
            return gnt_fail(err, "shadow observation %zu is of a sample that is not there", j);
        s->truth[j] = gnt_samples_part(&p->shadow.view, row, batch);
        s->truth_list[j] = &s->truth[j];
    }
    in->n_shadow = (int64_t)n;
    in->shadow = s->observation_list;
    in->shadow_truth = s->truth_list;
    return 0;
}

/* Fills what `run` is shown of all observations alike. */
static int setting_open(gnt_attack_setting *s, gnt_observation *o, const preparing *p, gnt_err *err) {
    const gnt_request_prepare_attack *q = &p->work->request->prepare_attack;
    gnt_fl_config config = gnt_work_config(&q->attacker.federated);
    const int64_t batch = q->observe.batch;
    *o = (gnt_observation){.size = sizeof *o,
                           .surface = q->observe.surface,
                           .round = (int32_t)q->stage,
                           .steps = (int32_t)q->observe.local_steps,
                           .attribute = -1,
                           .classes = gnt_model_classes(p->model.model),
                           .n = batch,
                           .batch = batch,
                           .rate = gnt_fl_rate(&config, (int32_t)q->stage),
                           .weights = p->weights,
                           .buffers = p->buffers,
                           .n_contribution = p->n_contribution,
                           .n_clients = config.clients};
    o->update_kind = o->steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT;
    if (o->surface == GNT_SURFACE_ENCODING)
        o->n = o->batch = q->observe.set;
    if (o->surface == GNT_SURFACE_TRANSCRIPT) /* no private batch */
        o->n = o->batch = 0;
    if (p->public_data.view.n)
        o->public_data = &p->public_data.view;
    if (p->prior_data.view.n)
        o->prior_data = &p->prior_data.view;
    return gnt_attack_setting_open(s, p->work, &q->attacker, o, err);
}

/* The setting at the stages before: what changes from one to the next are the weights. */
typedef struct earlier {
    gnt_observation stage[GNT_INPUT_MOST_HISTORY];
    const gnt_observation *list[GNT_INPUT_MOST_HISTORY];
    float *weights[GNT_INPUT_MOST_HISTORY], *buffers[GNT_INPUT_MOST_HISTORY];
} earlier;

static int earlier_open(earlier *h, gnt_observation *setting, const preparing *p, gnt_err *err) {
    const gnt_request_prepare_attack *q = &p->work->request->prepare_attack;
    const gnt_fl_config config = gnt_work_config(&q->attacker.federated);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < q->history.n; i++) {
        const int32_t round = (int32_t)q->history.at[i];
        gnt_st broadcast;
        gnt_st_init(&broadcast);
        rc = p->work->read(p->work->context, gnt_input_history[i], &broadcast, err);
        if (rc == 0)
            rc = gnt_work_weights(&broadcast, p->model.model, round, &h->weights[i], &h->buffers[i], err);
        gnt_st_free(&broadcast);
        h->stage[i] = *setting;
        h->stage[i].round = round;
        h->stage[i].rate = gnt_fl_rate(&config, round);
        h->stage[i].weights = h->weights[i];
        h->stage[i].buffers = h->buffers[i];
        h->list[i] = &h->stage[i];
    }
    setting->history = q->history.n ? h->list : NULL;
    setting->n_history = (int64_t)q->history.n;
    return rc;
}

static void earlier_free(earlier *h) {
    for (size_t i = 0; i < GNT_INPUT_MOST_HISTORY; i++) {
        gnt_free(h->weights[i]);
        gnt_free(h->buffers[i]);
    }
}

int gnt_job_prepare_attack(gnt_work *w, gnt_err *err) {
    const gnt_request_prepare_attack *q = &w->request->prepare_attack;
    const gnt_request_attacker *of = &q->attacker;
    const prepare_request all = {&of->model, &of->samples, &of->federated, q->stage, &of->plugin, &q->key};
    preparing p = {.work = w};
    shadows s = {0};
    gnt_attack_setting known = {0};
    earlier before = {0};
    gnt_observation setting;
    gnt_attack_prepare in = {.size = sizeof in, .stage = (int32_t)q->told_stage, .attribute = -1};
    int rc = prepare_open(&p, &all, GNT_PLUGIN_ATTACK, err) || setting_open(&known, &setting, &p, err) ||
                     earlier_open(&before, &setting, &p, err) || shadows_open(&s, &p, &in, err)
                 ? -1
                 : 0;
    if (rc == 0) {
        const gnt_attack *hooks = gnt_instance_attack(p.plugin.instance);
        in.public_data = p.public_data.view.n ? &p.public_data.view : NULL;
        in.shadow_data = p.shadow.view.n ? &p.shadow.view : NULL;
        in.weights = p.weights;
        in.buffers = p.buffers;
        if (p.weights) {
            in.attribute = setting.attribute;
            in.attribute_values = setting.attribute_values;
            in.setting = &setting;
        }
        gnt_sink sink = gnt_sink_into(&p.out);
        gnt_work_plugin_begin(&p.plugin, "prepare");
        rc = gnt_work_plugin_done(&p.plugin, hooks->prepare(gnt_instance_self(p.plugin.instance), &in, &sink),
                                  err);
    }
    if (rc == 0)
        rc = w->write(w->context, "artefacts", &p.out, err);
    shadows_free(&s);
    earlier_free(&before);
    gnt_attack_setting_free(&known);
    prepare_close(&p);
    return rc;
}
