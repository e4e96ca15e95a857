/* Builds the model's functions as graphs: features, logits and loss; the update, plain or unrolled; the
 * distance between an update and an observed one. */
#include <math.h>

#include "base/mem.h"
#include "plugin/service_impl.h"

enum { MOST_NODES = 3000000, MOST_STEPS = 100000 };

/* Added to squared norms of whole updates in float32, far below the smallest one of interest. */
#define NORM_EPS 1e-20

static int uses_batch_statistics(const gnt_function *f, const gnt_function_spec *spec) {
    return spec->training < 0 ? f->service->training : spec->training != 0;
}

static int make_outputs(gnt_function *f, int32_t n, gnt_err *err) {
    f->n_out = n;
    f->out = gnt_array((size_t)n, sizeof *f->out);
    f->view = gnt_array((size_t)n, sizeof *f->view);
    return f->out && f->view ? 0 : gnt_fail(err, "out of memory");
}

static int add_inputs(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err) {
    const gnt_service *s = f->service;
    gnt_nn_shape sample = gnt_model_sample(s->model), x = {.rank = sample.rank + 1, .dim = {spec->n}};
    for (int32_t i = 0; i < sample.rank; i++)
        x.dim[i + 1] = sample.dim[i];
    f->params = gnt_array((size_t)(s->n_params + s->n_buffers), sizeof *f->params);
    if (!f->params)
        return gnt_fail(err, "out of memory");
    f->buffers = f->params + s->n_params;
    f->x = gnt_nn_input(g, "x", x.rank, x.dim, STAGE_EVAL);
    gnt_model_declare(s->model, g, f->params, f->buffers);
    if (f->uses_y)
        f->y = gnt_nn_input(g, "y", 2, (int64_t[]){spec->n, s->info.classes}, STAGE_EVAL);
    if (f->steps)
        f->rates = gnt_nn_input(g, "rates", 1, (int64_t[]){f->steps}, STAGE_EVAL);
    for (int32_t i = 0; f->constant & GNT_HELD_WEIGHTS && i < s->n_params + s->n_buffers; i++)
        gnt_nn_hold(g, f->params[i]); /* the buffers follow */
    f->uses_buffers = s->n_buffers > 0 && !uses_batch_statistics(f, spec);
    return 0;
}

/* ---- features, logits, loss ---- */

static int build_features(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err) {
    const gnt_service *s = f->service;
    if (spec->n_layers < 1 || spec->n_layers > 4 * s->info.n_layers || !spec->layer)
        return gnt_fail(err, "n_layers is %d; expected 1 to %d with their indices", spec->n_layers,
                        4 * s->info.n_layers);
    gnt_node *layers = gnt_array((size_t)s->info.n_layers, sizeof *layers);
    if (!layers || make_outputs(f, spec->n_layers, err)) {
        gnt_free(layers);
        return gnt_fail(err, "out of memory");
    }
    gnt_model_build(s->model, g, f->x, f->params, f->buffers, uses_batch_statistics(f, spec), layers, NULL);
    int bad = 0;
    for (int32_t i = 0; i < spec->n_layers && !bad; i++) {
        int32_t layer = spec->layer[i];
        if (layer < 0 || layer >= s->info.n_layers) {
            bad = gnt_fail(err, "layer %d does not exist; the model has layers 0 to %d", layer,
                           s->info.n_layers - 1);
            break;
        }
        f->out[i] = layers[layer];
        f->view[i].name = s->info.layer[layer].name;
        f->view[i].layer = layer;
    }
    gnt_free(layers);
    return bad;
}

static int build_statistics(gnt_function *f, gnt_graph *g, gnt_err *err) {
    const gnt_service *s = f->service;
    if (make_outputs(f, s->n_buffers, err))
        return -1;
    gnt_model_build(s->model, g, f->x, f->params, f->buffers, 1, NULL, f->out);
    for (int32_t i = 0; i < s->n_buffers; i++) {
        const gnt_param *p = &s->param[s->n_params + i];
        f->view[i] = (gnt_view){.name = p->name, .layer = p->layer};
    }
    f->uses_buffers = 0;
    return 0;
}

int gnt_build_forward(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err) {
    if (add_inputs(f, g, spec, err))
        return -1;
    if (spec->kind == GNT_FN_FEATURES)
        return build_features(f, g, spec, err);
    if (spec->kind == GNT_FN_STATISTICS)
        return build_statistics(f, g, err);
    if (make_outputs(f, 1, err))
        return -1;
    gnt_node logits = gnt_model_build(f->service->model, g, f->x, f->params, f->buffers,
                                      uses_batch_statistics(f, spec), NULL, NULL);
    int loss = spec->kind == GNT_FN_LOSS;
    f->out[0] = loss ? gnt_model_loss(f->service->model, g, logits, f->y) : logits;
    f->view[0] = (gnt_view){.name = loss ? "loss" : "logits", .layer = -1};
    return 0;
}

/* ---- update ---- */

/* Builds the gradient of the mean loss over x, y at `params`, with respect to the n nodes of `by`. */
static int gradient(gnt_function *f, gnt_graph *g, gnt_node x, gnt_node y, const gnt_node *params,
                    int training, const gnt_node *by, int32_t n, gnt_node *out) {
    const gnt_service *s = f->service;
    gnt_node logits = gnt_model_build(s->model, g, x, params, f->buffers, training, NULL, NULL);
    gnt_node loss = gnt_model_loss(s->model, g, logits, y);
    return gnt_nn_vjp(g, &loss, NULL, 1, by, n, out);
}

/* Takes the rows index[0 … n−1] of a, one slice for each run of consecutive ones. −1 propagates as in every
 * builder. */
static gnt_node take_rows(gnt_graph *g, gnt_node a, const int64_t *index, int64_t n, gnt_node *pieces) {
    int32_t count = 0;
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;
        while (end < n && index[end] == index[end - 1] + 1)
            end++;
        pieces[count++] = gnt_nn_slice(g, a, 0, index[i], index[i] + (end - i));
        i = end;
    }
    return count == 1 ? pieces[0] : gnt_nn_concat(g, pieces, count, 0);
}

/* Returns rates[step], as a tensor of the shape of `like`. */
static gnt_node rate_like(gnt_graph *g, gnt_node rates, int32_t step, gnt_node like) {
    static const int64_t ones[GNT_NN_RANK] = {1, 1, 1, 1, 1, 1};
    gnt_nn_shape shape = gnt_nn_shape_of(g, like);
    if (shape.rank < 0)
        return -1;
    gnt_node one = gnt_nn_slice(g, rates, 0, step, step + 1);
    return gnt_nn_expand(g, gnt_nn_reshape(g, one, shape.rank, ones), shape.rank, shape.dim);
}

typedef struct unroll { /* room for one step */
    int64_t *index;     /* batch rows of x */
    gnt_node *pieces;
    gnt_node *weights; /* at the start of the step */
    gnt_node *grad;
    gnt_node *velocity; /* of the step before; of Adam, its mean gradient */
    gnt_node *square;   /* Adam's mean square of the gradient */
} unroll;

static int unroll_room(unroll *u, int64_t batch, int32_t n_params, gnt_err *err) {
    u->index = gnt_array((size_t)batch, sizeof *u->index);
    u->pieces = gnt_array((size_t)batch, sizeof *u->pieces);
    u->weights = gnt_array((size_t)n_params, sizeof *u->weights);
    u->grad = gnt_array((size_t)n_params, sizeof *u->grad);
    u->velocity = gnt_array((size_t)n_params, sizeof *u->velocity);
    u->square = gnt_array((size_t)n_params, sizeof *u->square);
    return u->index && u->pieces && u->weights && u->grad && u->velocity && u->square
               ? 0
               : gnt_fail(err, "out of memory");
}

static void unroll_free(unroll *u) {
    gnt_free(u->index);
    gnt_free(u->pieces);
    gnt_free(u->weights);
    gnt_free(u->grad);
    gnt_free(u->velocity);
    gnt_free(u->square);
}

/* Builds V ← momentum·V + ∇W + decay·W of parameter i, as in gnt_sgd_step; V is 0 before the first step. */
static gnt_node velocity(gnt_graph *g, const gnt_function_spec *spec, unroll *u, int32_t step, int32_t i) {
    gnt_node v = u->grad[i];
    if (spec->decay > 0)
        v = gnt_nn_add(g, v, gnt_nn_affine(g, u->weights[i], spec->decay, 0));
    if (spec->momentum > 0 && step)
        v = gnt_nn_add(g, gnt_nn_affine(g, u->velocity[i], spec->momentum, 0), v);
    return u->velocity[i] = v;
}

/* Builds a·before + (1 − a)·now; `before` is 0 in the first step. */
static gnt_node running_mean(gnt_graph *g, double a, gnt_node before, gnt_node now, int32_t step) {
    const gnt_node part = gnt_nn_affine(g, now, 1 - a, 0);
    return step ? gnt_nn_add(g, gnt_nn_affine(g, before, a, 0), part) : part;
}

/* Builds m̂/(√v̂ + ε) of parameter i, as in gnt_adam_step. The root has a derivative at 0 too: 10⁻³⁰ below it
 * changes no entry. */
static gnt_node adam(gnt_graph *g, const gnt_function_spec *spec, unroll *u, int32_t step, int32_t i) {
    static const double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, least = 1e-30;
    gnt_node v = u->grad[i];
    if (spec->decay > 0)
        v = gnt_nn_add(g, v, gnt_nn_affine(g, u->weights[i], spec->decay, 0));
    u->velocity[i] = running_mean(g, beta1, u->velocity[i], v, step);
    u->square[i] = running_mean(g, beta2, u->square[i], gnt_nn_square(g, v), step);
    const double mean = 1 / (1 - pow(beta1, step + 1)), root = 1 / sqrt(1 - pow(beta2, step + 1));
    return gnt_nn_div(g, gnt_nn_affine(g, u->velocity[i], mean, 0),
                      gnt_nn_affine(g, gnt_nn_sqrt(g, u->square[i], least), root, eps));
}

/* Builds W ← W − rate·V; the delta is summed separately, which is more precise than a final difference. */
static int unroll_step(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, unroll *u, int32_t step,
                       gnt_node *delta, gnt_err *err) {
    for (int64_t j = 0; j < spec->batch; j++) {
        int64_t flat = step * spec->batch + j;
        u->index[j] = spec->order ? spec->order[flat] : flat % spec->n;
        if (u->index[j] < 0 || u->index[j] >= spec->n)
            return gnt_fail(err, "order[%lld] is %lld; expected 0 to %lld", (long long)flat,
                            (long long)u->index[j], (long long)spec->n - 1);
    }
    gnt_node x = take_rows(g, f->x, u->index, spec->batch, u->pieces);
    gnt_node y = take_rows(g, f->y, u->index, spec->batch, u->pieces);
    const gnt_service *s = f->service;
    if (gradient(f, g, x, y, u->weights, uses_batch_statistics(f, spec), u->weights, s->n_params, u->grad))
        return 0; /* the graph keeps the message */
    for (int32_t i = 0, t = 0; i < s->n_params;
         i++) { /* all parameters change, only shared ones are part of the update */
        gnt_node v =
            spec->optimizer == GNT_OPTIMIZER_ADAM ? adam(g, spec, u, step, i) : velocity(g, spec, u, step, i);
        gnt_node move = gnt_nn_affine(g, gnt_nn_mul(g, rate_like(g, f->rates, step, v), v), -1, 0);
        if (t < s->n_update && s->update[t] == i) {
            delta[t] = step ? gnt_nn_add(g, delta[t], move) : move;
            t++;
        }
        u->weights[i] = gnt_nn_add(g, u->weights[i], move);
    }
    return 0;
}

static int unroll_update(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_node *update,
                         gnt_err *err) {
    unroll u = {0};
    int32_t n_params = f->service->n_params;
    if (spec->steps > MOST_STEPS || spec->batch < 1 || spec->batch > spec->n * (int64_t)MOST_STEPS)
        return gnt_fail(err, "steps is %d and batch is %lld; expected 1 to %d steps and a batch of 1 or more",
                        spec->steps, (long long)spec->batch, MOST_STEPS);
    int bad = unroll_room(&u, spec->batch, n_params, err);
    for (int32_t i = 0; i < n_params && !bad; i++)
        u.weights[i] = f->params[i];
    int32_t before = gnt_graph_size(g);
    for (int32_t step = 0; step < spec->steps && !bad && !gnt_graph_error(g); step++) {
        bad = unroll_step(f, g, spec, &u, step, update, err);
        int64_t nodes = (int64_t)(gnt_graph_size(g) - before) * spec->steps;
        if (!bad && step == 0 && nodes > MOST_NODES)
            bad = gnt_fail(err,
                           "%d steps of this model unroll to %lld nodes; the limit is %d: take fewer steps",
                           spec->steps, (long long)nodes, MOST_NODES);
    }
    unroll_free(&u);
    return bad;
}

static int add_update(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_node *update,
                      gnt_err *err) {
    if (spec->steps)
        return unroll_update(f, g, spec, update, err);
    const gnt_service *s = f->service;
    gnt_node *by = gnt_array((size_t)s->n_update, sizeof *by);
    if (!by)
        return gnt_fail(err, "out of memory");
    for (int32_t t = 0; t < s->n_update; t++)
        by[t] = f->params[s->update[t]];
    gradient(f, g, f->x, f->y, f->params, uses_batch_statistics(f, spec), by, s->n_update, update);
    gnt_free(by);
    return 0;
}

int gnt_build_update(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err) {
    const gnt_service *s = f->service;
    if (add_inputs(f, g, spec, err) || make_outputs(f, s->n_update, err))
        return -1;
    for (int32_t t = 0; t < s->n_update; t++) {
        const gnt_param *p = &s->param[s->update[t]];
        f->view[t] = (gnt_view){.name = p->name, .layer = p->layer};
    }
    return add_update(f, g, spec, f->out, err);
}

/* ---- match ---- */

static gnt_node weighted_sum(gnt_graph *g, const gnt_node *u, const gnt_node *o, int32_t n,
                             const float *weight, int squares) {
    gnt_node total = -1;
    for (int32_t i = 0; i < n; i++) {
        gnt_node d = gnt_nn_sub(g, u[i], o[i]);
        gnt_node part = gnt_nn_sum_all(g, squares ? gnt_nn_square(g, d) : gnt_nn_abs(g, d));
        if (weight)
            part = gnt_nn_affine(g, part, (double)weight[i], 0);
        total = i ? gnt_nn_add(g, total, part) : part;
    }
    return total;
}

static gnt_node dot_all(gnt_graph *g, const gnt_node *a, const gnt_node *b, int32_t n) {
    gnt_node total = -1;
    for (int32_t i = 0; i < n; i++) {
        gnt_node part = gnt_nn_dot(g, a[i], b[i]);
        total = i ? gnt_nn_add(g, total, part) : part;
    }
    return total;
}

/* Builds Σ(s·u − o)² at the best s = ⟨u, o⟩/‖u‖², as a sum of squares: ‖o‖² − ⟨u, o⟩²/‖u‖² would cancel near
 * a match. */
static gnt_node scale_free(gnt_graph *g, const gnt_node *u, const gnt_node *o, int32_t n) {
    gnt_node norm = gnt_nn_affine(g, dot_all(g, u, u, n), 1, NORM_EPS);
    gnt_node scale = gnt_nn_div(g, dot_all(g, u, o, n), norm), total = -1;
    static const int64_t ones[GNT_NN_RANK] = {1, 1, 1, 1, 1, 1};
    for (int32_t i = 0; i < n; i++) {
        gnt_nn_shape shape = gnt_nn_shape_of(g, u[i]);
        if (shape.rank < 0)
            return -1;
        gnt_node s = gnt_nn_expand(g, gnt_nn_reshape(g, scale, shape.rank, ones), shape.rank, shape.dim);
        gnt_node part = gnt_nn_sum_all(g, gnt_nn_square(g, gnt_nn_sub(g, gnt_nn_mul(g, s, u[i]), o[i])));
        total = i ? gnt_nn_add(g, total, part) : part;
    }
    return total;
}

static int match_cost(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, const gnt_node *u,
                      const gnt_node *o, gnt_err *err) {
    int32_t n = f->service->n_update;
    switch (spec->cost) {
    case GNT_COST_L2:
    case GNT_COST_L1:
        f->out[0] = weighted_sum(g, u, o, n, spec->layer_weight, spec->cost == GNT_COST_L2);
        return 0;
    case GNT_COST_COSINE:
        f->out[0] = gnt_nn_cosine_distance(g, u, o, n, NORM_EPS);
        return 0;
    case GNT_COST_SCALE_FREE:
        f->out[0] = scale_free(g, u, o, n);
        return 0;
    default:
        return gnt_fail(err, "cost is %d; expected one of GNT_COST_L2, _COSINE, _L1, _SCALE_FREE (1 to 4)",
                        spec->cost);
    }
}

/* Adds the inputs of the observed update and the masks; sets u and o to the compared nodes. */
static void match_inputs(gnt_function *f, gnt_graph *g, int masked, gnt_node *u, gnt_node *o) {
    const gnt_service *s = f->service;
    for (int32_t i = 0; i < s->n_update; i++) {
        const gnt_nn_shape *shape = &s->param[s->update[i]].shape;
        f->observed[i] = o[i] = gnt_nn_input(g, "observed", shape->rank, shape->dim, STAGE_EVAL);
        if (f->constant & GNT_HELD_OBSERVED)
            gnt_nn_hold(g, f->observed[i]);
        if (!masked)
            continue;
        f->mask[i] = gnt_nn_input(g, "mask", shape->rank, shape->dim, STAGE_EVAL);
        if (f->constant & GNT_HELD_OBSERVED)
            gnt_nn_hold(g, f->mask[i]);
        u[i] = gnt_nn_mul(g, u[i], f->mask[i]);
        o[i] = gnt_nn_mul(g, o[i], f->mask[i]);
    }
}

int gnt_build_match(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err) {
    size_t n = (size_t)f->service->n_update;
    gnt_node *u = gnt_array(n, sizeof *u), *o = gnt_array(n, sizeof *o);
    f->observed = gnt_array(n, sizeof *f->observed);
    f->mask = gnt_array(n, sizeof *f->mask);
    int bad = !u || !o || !f->observed || !f->mask
                  ? gnt_fail(err, "out of memory")
                  : add_inputs(f, g, spec, err) || make_outputs(f, 1, err) || add_update(f, g, spec, u, err);
    if (!bad) {
        match_inputs(f, g, spec->masked, u, o);
        f->view[0] = (gnt_view){.name = "match", .layer = -1};
        bad = match_cost(f, g, spec, u, o, err);
    }
    gnt_free(u);
    gnt_free(o);
    return bad ? -1 : 0;
}
