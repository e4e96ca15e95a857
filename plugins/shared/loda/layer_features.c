#include "layer_features.h"

#include <stdio.h>

#include "shared/try.h"

int features_open(features *g, const gnt_host *host, const char *parameter, const char *text) {
    char why[FEATURES_WHY];
    const gnt_models *models = gnt_host_extension(host, GNT_EXTENSION_MODELS, 1);
    *g = (features){.host = host, .pixels = 1};
    g->extractor = models ? models->open(models->context, parameter) : NULL;
    if (!g->extractor)
        return gnt_host_fail(host, models ? gnt_host_last_error(host) : "this host has no models to open"),
               -1;
    const gnt_model_info *info = g->extractor->service->info;
    for (int32_t i = 0; i < info->rank; i++)
        g->pixels *= info->dim[i];
    if (features_choose(info, text, g->layer, &g->n_layers, why) != 0)
        return gnt_host_fail(host, why), -1;
    for (int32_t i = 0; i < g->n_layers; i++) {
        const gnt_layer_info *l = &info->layer[g->layer[i]];
        g->width[i] = 1;
        for (int32_t d = 0; d < l->rank; d++)
            g->width[i] *= l->dim[d];
    }
    return 0;
}

static void shape_text(char text[100], const gnt_model_info *info) {
    size_t used = 0;
    text[0] = 0;
    for (int32_t i = 0; i < info->rank && used < 100; i++)
        used += (size_t)snprintf(text + used, 100 - used, "%s%lld", i ? "×" : "", (long long)info->dim[i]);
}

gnt_status features_fit(const features *g, const gnt_model_info *task) {
    const gnt_model_info *own = g->extractor->service->info;
    int same = own->rank == task->rank;
    for (int32_t i = 0; same && i < own->rank; i++)
        same = own->dim[i] == task->dim[i];
    if (same)
        return GNT_OK;
    char mine[100], theirs[100], why[FEATURES_WHY];
    shape_text(mine, own);
    shape_text(theirs, task);
    snprintf(why, sizeof why, "the extractor %s reads samples of %s, the task has %s; name a model for those",
             g->extractor->id, mine, theirs);
    return unsupported(g->host, why);
}

static gnt_status service_failed(const features *g) {
    return gnt_host_fail(g->host, gnt_host_last_error(g->host));
}

gnt_status feature_map_open(feature_map *m, const features *g, int64_t n, int with_jvp) {
    const gnt_model_service *s = g->extractor->service;
    if (m->f && m->n == n && m->with_jvp >= with_jvp)
        return GNT_OK;
    feature_map_close(m);
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = n,
                              .layer = g->layer,
                              .n_layers = g->n_layers,
                              .vjp = GNT_WRT_X,
                              .jvp = with_jvp ? GNT_WRT_X : 0,
                              .held = GNT_HELD_WEIGHTS};
    *m = (feature_map){.g = g, .n = n, .with_jvp = with_jvp, .f = s->prepare(s->context, &spec)};
    return m->f ? GNT_OK : service_failed(g);
}

void feature_map_close(feature_map *m) {
    if (m->f)
        m->g->extractor->service->release(m->g->extractor->service->context, m->f);
    *m = (feature_map){0};
}

gnt_status feature_map_at(feature_map *m, const float *x, const gnt_views **out) {
    const gnt_named_model *e = m->g->extractor;
    gnt_function_args args = {.size = sizeof args, .x = x, .weights = e->weights, .buffers = e->buffers};
    gnt_status s = e->service->eval(e->service->context, m->f, &args, out);
    return s == GNT_OK ? GNT_OK : service_failed(m->g);
}

gnt_status feature_map_vjp(feature_map *m, const float *const *u, const float **out) {
    const gnt_model_service *service = m->g->extractor->service;
    const gnt_gradient *gradient;
    if (service->vjp(service->context, m->f, u, &gradient) != GNT_OK)
        return service_failed(m->g);
    *out = gradient->x;
    return GNT_OK;
}

gnt_status feature_map_jvp(feature_map *m, const float *v, const gnt_views **out) {
    const gnt_model_service *service = m->g->extractor->service;
    gnt_function_args direction = {.size = sizeof direction, .x = v};
    gnt_status s = service->jvp(service->context, m->f, &direction, out);
    return s == GNT_OK ? GNT_OK : service_failed(m->g);
}
