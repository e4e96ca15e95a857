#include "plugin/model_service.h"

#include <math.h>

#include "base/mem.h"
#include "plugin/service_impl.h"
#include "plugin/sized.h"

/* ---- functions ---- */

static void free_function(gnt_function *f) {
    if (!f)
        return;
    gnt_program_free(f->program);
    gnt_free(f->params); /* the buffers' nodes are in the same array */
    gnt_free(f->observed);
    gnt_free(f->mask);
    gnt_free(f->out);
    gnt_free(f->view);
    gnt_free(f->cotangent);
    gnt_free(f->weights);
    gnt_free(f->dparams);
    gnt_free(f->jvp_view);
    gnt_free_aligned(f->zeros);
    gnt_free(f);
}

static int takes_labels(int32_t kind) {
    return kind >= GNT_FN_LOSS && kind != GNT_FN_STATISTICS;
}

static int check_spec(const gnt_service *s, const gnt_function_spec *spec, gnt_err *err) {
    uint32_t known = GNT_WRT_X | GNT_WRT_Y | GNT_WRT_WEIGHTS | GNT_WRT_RATES, wrt;
    wrt = spec->vjp | spec->jvp;
    if (spec->kind < GNT_FN_FEATURES || spec->kind > GNT_FN_STATISTICS)
        return gnt_fail(err, "kind is %d; expected one of GNT_FN_* (1 to 6)", spec->kind);
    if (spec->kind == GNT_FN_STATISTICS && s->n_buffers == 0)
        return gnt_fail(err, "the model has no running statistics");
    int64_t features = 1;
    for (int32_t i = 0; i < s->info.rank; i++)
        features *= s->info.dim[i];
    if (spec->n < 1 || spec->n > INT32_MAX / features)
        return gnt_fail(err, "n is %lld; expected 1 to %lld samples", (long long)spec->n,
                        (long long)(INT32_MAX / features));
    int updates = spec->kind == GNT_FN_UPDATE || spec->kind == GNT_FN_MATCH;
    if (spec->steps < 0 || (spec->steps && !updates))
        return gnt_fail(err, "steps is %d; expected 0, or more for UPDATE and MATCH", spec->steps);
    if (spec->training < -1 || spec->training > 1)
        return gnt_fail(err, "training is %d; expected −1, 0 or 1", spec->training);
    if (wrt & ~known)
        return gnt_fail(err, "vjp or jvp has bits 0x%x that are not GNT_WRT_*", (unsigned)(wrt & ~known));
    if (spec->held & ~(GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED))
        return gnt_fail(err, "held has bits 0x%x that are not GNT_HELD_*",
                        (unsigned)(spec->held & ~(GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED)));
    if (wrt & GNT_WRT_RATES && !spec->steps)
        return gnt_fail(err, "vjp or jvp includes rates, but there are no steps");
    if (wrt & GNT_WRT_Y && !takes_labels(spec->kind))
        return gnt_fail(err, "vjp or jvp includes labels, which features, logits and statistics do not take");
    if (!(spec->momentum >= 0 && spec->momentum < 1) || !(spec->decay >= 0) || !isfinite(spec->decay))
        return gnt_fail(err, "momentum is %g and decay is %g; expected 0 or more, momentum below 1",
                        spec->momentum, spec->decay);
    if ((spec->momentum > 0 || spec->decay > 0) && !spec->steps)
        return gnt_fail(err, "momentum or decay is given, but there are no steps");
    if (spec->optimizer != GNT_OPTIMIZER_SGD && spec->optimizer != GNT_OPTIMIZER_ADAM)
        return gnt_fail(err, "optimizer is %d; expected one of GNT_OPTIMIZER_* (0 and 1)", spec->optimizer);
    if (spec->optimizer == GNT_OPTIMIZER_ADAM && spec->momentum > 0)
        return gnt_fail(err, "momentum is %g, which is for SGD, but the optimizer is Adam", spec->momentum);
    if (spec->masked && spec->kind != GNT_FN_MATCH)
        return gnt_fail(err, "masked is for MATCH only");
    return 0;
}

static gnt_function *make(gnt_service *s, const gnt_function_spec *spec, gnt_err *err) {
    gnt_function *f = gnt_alloc(sizeof *f);
    gnt_graph *g = gnt_graph_new();
    int bad = !f || !g ? gnt_fail(err, "out of memory") : 0;
    if (!bad) {
        f->service = s;
        f->kind = spec->kind;
        f->masked = spec->masked != 0;
        f->vjp = spec->vjp;
        f->jvp = spec->jvp;
        f->constant = spec->held;
        f->n = spec->n;
        f->steps = spec->steps;
        f->uses_y = takes_labels(spec->kind);
        bad = spec->kind == GNT_FN_UPDATE  ? gnt_build_update(f, g, spec, err)
              : spec->kind == GNT_FN_MATCH ? gnt_build_match(f, g, spec, err)
                                           : gnt_build_forward(f, g, spec, err);
    }
    if (!bad)
        bad = gnt_service_compile(f, g, err);
    if (g)
        gnt_graph_free(g);
    if (bad) {
        free_function(f);
        return NULL;
    }
    return f;
}

static gnt_function *service_prepare(void *context, const gnt_function_spec *given) {
    static const char *const kinds[] = {"?", "features", "logits", "loss", "update", "match", "statistics"};
    gnt_service *s = context;
    gnt_function_spec spec = {0};
    gnt_err why = {0};
    gnt_function *f = NULL;
    if (!given || given->size < GNT_FUNCTION_SPEC_SIZE_0_10)
        gnt_fail(&why, "spec is NULL or its size below %u", (unsigned)GNT_FUNCTION_SPEC_SIZE_0_10);
    else {
        gnt_copy_sized(&spec, sizeof spec, given, given->size);
        f = check_spec(s, &spec, &why) ? NULL : make(s, &spec, &why);
    }
    if (!f) {
        int known = spec.kind >= GNT_FN_FEATURES && spec.kind <= GNT_FN_STATISTICS;
        gnt_fail(&s->errors->error, "the model's %s cannot be prepared: %s",
                 known ? kinds[spec.kind] : "function", why.text);
        return NULL;
    }
    f->next = s->functions;
    s->functions = f;
    s->bytes += f->bytes;
    return f;
}

static void service_changed(void *context, gnt_function *f) {
    (void)context;
    if (f)
        gnt_program_changed(f->program);
}

static void service_release(void *context, gnt_function *f) {
    gnt_service *s = context;
    for (gnt_function **at = &s->functions; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            s->bytes -= f->bytes;
            free_function(f);
            return;
        }
}

void gnt_service_release_all(gnt_service *s) {
    while (s->functions)
        service_release(s, s->functions);
}

/* ---- the model's info ---- */

static int fill_views(gnt_service *s, gnt_err *err) {
    int32_t n = gnt_model_params(s->model, &s->param);
    s->views = gnt_array((size_t)n, sizeof *s->views);
    if (!s->views)
        return gnt_fail(err, "out of memory");
    for (int32_t i = 0; i < n; i++) {
        const gnt_param *p = &s->param[i];
        gnt_view *v = &s->views[i];
        *v = (gnt_view){
            .name = p->name, .rank = p->shape.rank, .layer = p->layer, .count = gnt_nn_count(&p->shape)};
        for (int32_t d = 0; d < p->shape.rank && d < GNT_RANK; d++)
            v->dim[d] = p->shape.dim[d];
        *(p->buffer ? &s->n_buffers : &s->n_params) += 1;
    }
    s->info.params = (gnt_views){s->n_params, s->views};
    s->info.buffers = (gnt_views){s->n_buffers, s->views + s->n_params};
    s->info.n_params = gnt_model_size(s->model);
    s->info.n_buffers = gnt_model_buffer_size(s->model);
    return 0;
}

static int fill_update(gnt_service *s, gnt_err *err) {
    const uint8_t *shared = gnt_model_shared(s->model);
    s->update = gnt_array((size_t)s->n_params, sizeof *s->update);
    for (int32_t i = 0; s->update && i < s->n_params; i++)
        if (!shared || shared[i])
            s->update[s->n_update++] = i;
    s->info.federated = shared;
    return s->update ? 0 : gnt_fail(err, "out of memory");
}

/* Determines the shapes of the layers' outputs from a graph for one sample. */
static int layer_shapes(gnt_service *s, gnt_graph *g, gnt_node *nodes, gnt_err *err) {
    gnt_nn_shape x = {.rank = s->info.rank + 1, .dim = {1}};
    gnt_node *params = nodes, *outs = nodes + s->n_params + s->n_buffers;
    for (int32_t i = 0; i < s->info.rank; i++)
        x.dim[i + 1] = s->info.dim[i];
    gnt_model_declare(s->model, g, params, params + s->n_params);
    gnt_model_build(s->model, g, gnt_nn_input(g, "x", x.rank, x.dim, 0), params, params + s->n_params, 0,
                    outs, NULL);
    if (gnt_graph_error(g))
        return gnt_fail(err, "%s", gnt_graph_error(g));
    for (int32_t i = 0; i < s->info.n_layers; i++) {
        gnt_nn_shape shape = gnt_nn_shape_of(g, outs[i]);
        gnt_layer_info *l = &s->layers[i];
        l->name = gnt_model_layer_name(s->model, i);
        l->type = gnt_model_layer_type(s->model, i);
        l->rank = shape.rank > 0 ? shape.rank - 1 : 0;
        for (int32_t d = 0; d < l->rank && d < GNT_RANK; d++)
            l->dim[d] = shape.dim[d + 1];
    }
    return 0;
}

static int fill_layers(gnt_service *s, gnt_err *err) {
    s->info.n_layers = gnt_model_layers(s->model);
    s->info.representation = gnt_model_representation(s->model);
    s->layers = gnt_array((size_t)s->info.n_layers, sizeof *s->layers);
    gnt_node *nodes = gnt_array((size_t)(s->n_params + s->n_buffers + s->info.n_layers), sizeof *nodes);
    gnt_graph *g = gnt_graph_new();
    int bad = !s->layers || !nodes || !g ? gnt_fail(err, "out of memory") : layer_shapes(s, g, nodes, err);
    s->info.layer = s->layers;
    gnt_free(nodes);
    if (g)
        gnt_graph_free(g);
    return bad;
}

static int copy_floats(float **out, const double *from, int64_t n, gnt_err *err) {
    if (!from)
        return 0;
    *out = gnt_array((size_t)n, sizeof **out);
    for (int64_t i = 0; *out && i < n; i++)
        (*out)[i] = (float)from[i];
    return *out ? 0 : gnt_fail(err, "out of memory");
}

static int fill_info(gnt_service *s, const gnt_service_spec *spec, gnt_err *err) {
    gnt_nn_shape sample = gnt_model_sample(s->model);
    if (sample.rank != 1 && sample.rank != 3)
        return gnt_fail(err, "its samples have rank %d; expected 1 (features) or 3 (C, H, W)", sample.rank);
    s->info.size = sizeof s->info;
    s->info.classes = gnt_model_classes(s->model);
    s->info.training_stats = s->training;
    s->info.output = gnt_model_is_map(s->model) ? GNT_OUTPUT_MAP : GNT_OUTPUT_CLASSES;
    s->info.loss = gnt_model_loss_of(s->model) == GNT_MODEL_MSE ? GNT_LOSS_MSE : GNT_LOSS_CROSS_ENTROPY;
    s->info.rank = sample.rank;
    for (int32_t i = 0; i < sample.rank; i++)
        s->info.dim[i] = sample.dim[i];
    s->name = gnt_strdup(spec->name ? spec->name : "");
    s->info.name = s->name;
    if (!s->name)
        return gnt_fail(err, "out of memory");
    if (fill_views(s, err) || fill_update(s, err) || fill_layers(s, err) ||
        copy_floats(&s->mean, spec->mean, sample.dim[0], err) ||
        copy_floats(&s->deviation, spec->deviation, sample.dim[0], err))
        return -1;
    s->info.mean = s->mean;
    s->info.deviation = s->deviation;
    return 0;
}

/* ---- the service ---- */

int gnt_service_new(gnt_service **out, const gnt_service_spec *spec, gnt_err *err) {
    *out = NULL;
    gnt_service *s = gnt_alloc(sizeof *s);
    if (!s)
        return gnt_fail(err, "out of memory");
    s->model = spec->model;
    s->training = spec->training != 0;
    s->memory = spec->memory;
    s->errors = spec->errors ? spec->errors : s;
    if (fill_info(s, spec, err)) {
        gnt_fail_in(err, "model %s", spec->name ? spec->name : "");
        gnt_service_free(s);
        return -1;
    }
    s->table = (gnt_model_service){.size = sizeof s->table,
                                   .context = s,
                                   .info = &s->info,
                                   .prepare = service_prepare,
                                   .release = service_release,
                                   .eval = gnt_service_eval,
                                   .vjp = gnt_service_vjp,
                                   .jvp = gnt_service_jvp,
                                   .changed = service_changed};
    *out = s;
    return 0;
}

void gnt_service_free(gnt_service *s) {
    if (!s)
        return;
    gnt_service_release_all(s);
    gnt_free(s->name);
    gnt_free(s->views);
    gnt_free(s->layers);
    gnt_free(s->update);
    gnt_free(s->mean);
    gnt_free(s->deviation);
    gnt_free(s);
}

const gnt_model_service *gnt_service_table(const gnt_service *s) {
    return &s->table;
}

const char *gnt_service_error(const gnt_service *s) {
    return s->error.text;
}

void gnt_service_say(gnt_service *s, const char *sentence) {
    gnt_fail(&s->errors->error, "%s", sentence);
}

size_t gnt_service_bytes(const gnt_service *s) {
    return s->bytes;
}
