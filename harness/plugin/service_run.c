/* Compiles a function into one program of four stages, and runs the stages. */
#include <string.h>

#include "base/mem.h"
#include "plugin/service_impl.h"
#include "plugin/sized.h"

/* ---- compiling ---- */

/* Lists the nodes of the derivatives for a mask of GNT_WRT_*: x, y, parameters, rates. */
static int32_t wrt_nodes(const gnt_function *f, uint32_t wrt, gnt_node *out) {
    int32_t n = 0;
    if (wrt & GNT_WRT_X)
        out[n++] = f->x;
    if (wrt & GNT_WRT_Y)
        out[n++] = f->y;
    for (int32_t i = 0; wrt & GNT_WRT_WEIGHTS && i < f->service->n_params; i++)
        out[n++] = f->params[i];
    if (wrt & GNT_WRT_RATES)
        out[n++] = f->rates;
    return n;
}

static gnt_node input_like(gnt_graph *g, gnt_node like, const char *name, int32_t stage) {
    gnt_nn_shape shape = gnt_nn_shape_of(g, like);
    return shape.rank < 0 ? -1 : gnt_nn_input(g, name, shape.rank, shape.dim, stage);
}

static int add_vjp(gnt_function *f, gnt_graph *g, gnt_node *results, gnt_err *err) {
    gnt_node *wrt = gnt_array((size_t)f->service->n_params + 3, sizeof *wrt);
    f->cotangent = gnt_array((size_t)f->n_out, sizeof *f->cotangent);
    f->weights = gnt_array((size_t)f->service->n_params, sizeof *f->weights);
    if (!wrt || !f->cotangent || !f->weights) {
        gnt_free(wrt);
        return gnt_fail(err, "out of memory");
    }
    for (int32_t i = 0; i < f->n_out; i++)
        f->cotangent[i] = input_like(g, f->out[i], "cotangent", STAGE_VJP);
    f->n_wrt = wrt_nodes(f, f->vjp, wrt);
    gnt_nn_vjp(g, f->out, f->cotangent, f->n_out, wrt, f->n_wrt, results);
    gnt_free(wrt);
    return 0;
}

static int add_jvp(gnt_function *f, gnt_graph *g, gnt_node *results, gnt_err *err) {
    int32_t n_params = f->service->n_params;
    gnt_node *wrt = gnt_array(2 * ((size_t)n_params + 3), sizeof *wrt);
    f->dparams = gnt_array((size_t)n_params, sizeof *f->dparams);
    f->jvp_view = gnt_array((size_t)f->n_out, sizeof *f->jvp_view);
    if (!wrt || !f->dparams || !f->jvp_view) {
        gnt_free(wrt);
        return gnt_fail(err, "out of memory");
    }
    int32_t n = wrt_nodes(f, f->jvp, wrt), at = 0;
    gnt_node *direction = wrt + n_params + 3;
    for (int32_t i = 0; i < n; i++)
        direction[i] = input_like(g, wrt[i], "direction", STAGE_JVP);
    if (f->jvp & GNT_WRT_X)
        f->dx = direction[at++];
    if (f->jvp & GNT_WRT_Y)
        f->dy = direction[at++];
    for (int32_t i = 0; f->jvp & GNT_WRT_WEIGHTS && i < n_params; i++)
        f->dparams[i] = direction[at++];
    if (f->jvp & GNT_WRT_RATES)
        f->drates = direction[at++];
    gnt_nn_jvp(g, f->out, f->n_out, wrt, direction, n, results);
    gnt_free(wrt);
    return 0;
}

static void fill_view(gnt_view *v, const gnt_graph *g, gnt_node node) {
    gnt_nn_shape shape = gnt_nn_shape_of(g, node);
    v->rank = shape.rank;
    v->count = gnt_nn_count(&shape);
    for (int32_t i = 0; i < shape.rank && i < GNT_RANK; i++)
        v->dim[i] = shape.dim[i];
}

/* Allocates zeros as large as the largest direction or cotangent. */
static int make_zeros(gnt_function *f, const gnt_graph *g, gnt_err *err) {
    const gnt_service *s = f->service;
    gnt_nn_shape x = gnt_nn_shape_of(g, f->x);
    int64_t most = gnt_nn_count(&x);
    for (int32_t i = 0; i < f->n_out; i++)
        most = f->view[i].count > most ? f->view[i].count : most;
    for (int32_t i = 0; i < s->n_params; i++)
        most = s->info.params.view[i].count > most ? s->info.params.view[i].count : most;
    most = f->n * s->info.classes > most ? f->n * s->info.classes : most;
    most = f->steps > most ? f->steps : most;
    most = s->info.n_buffers > most ? s->info.n_buffers : most;
    f->zeros = gnt_aligned((size_t)most, sizeof *f->zeros);
    return f->zeros ? 0 : gnt_fail(err, "out of memory");
}

static int new_program(gnt_function *f, const gnt_graph *g, const gnt_node *outputs, const int32_t *stage,
                       int32_t n, gnt_err *err) {
    gnt_service *s = f->service;
    char error[512] = "";
    if (s->memory) {
        size_t bytes = gnt_program_plan_bytes(g, outputs, stage, n, 4);
        if (bytes > s->memory || s->bytes > s->memory - bytes)
            return gnt_fail(err,
                            "it needs %zu bytes (%.1f MiB) of memory in addition to the %.1f MiB in use, the "
                            "limit is %.1f MiB; "
                            "take fewer steps or a smaller batch, or raise the limit",
                            bytes, (double)bytes / 1048576, (double)s->bytes / 1048576,
                            (double)s->memory / 1048576);
    }
    f->program = gnt_program_new(g, outputs, stage, n, 4, error, sizeof error);
    if (!f->program)
        return gnt_fail(err, "%s", error[0] ? error : "out of memory");
    f->bytes = gnt_program_arena_bytes(f->program);
    return 0;
}

int gnt_service_compile(gnt_function *f, gnt_graph *g, gnt_err *err) {
    size_t room = 2 * (size_t)f->n_out + (size_t)f->service->n_params + 3;
    gnt_node *outputs = gnt_array(room, sizeof *outputs);
    int32_t *stage = gnt_array(room, sizeof *stage), n = f->n_out;
    int bad = !outputs || !stage ? gnt_fail(err, "out of memory") : 0;
    if (!bad)
        memcpy(outputs, f->out, (size_t)n * sizeof *outputs);
    for (int32_t i = 0; i < f->n_out && !bad; i++)
        fill_view(&f->view[i], g, f->out[i]);
    if (!bad && f->vjp && !gnt_graph_error(g)) {
        bad = add_vjp(f, g, outputs + n, err);
        for (int32_t i = 0; i < f->n_wrt && !bad; i++)
            stage[n++] = STAGE_VJP;
    }
    if (!bad && f->jvp && !gnt_graph_error(g)) {
        bad = add_jvp(f, g, outputs + n, err);
        for (int32_t i = 0; i < f->n_out && !bad; i++) {
            f->jvp_view[i] = f->view[i];
            stage[n++] = STAGE_JVP;
        }
    }
    if (!bad && gnt_graph_error(g))
        bad = gnt_fail(err, "%s", gnt_graph_error(g));
    if (!bad)
        bad = make_zeros(f, g, err) || new_program(f, g, outputs, stage, n, err);
    gnt_free(outputs);
    gnt_free(stage);
    return bad;
}

/* ---- running ---- */

static const float one = 1;

static gnt_status failed(gnt_service *s, const char *what, const char *why) {
    gnt_fail(&s->errors->error, "%s: %s", what, why);
    return GNT_FAILED;
}

static int check_args(gnt_function *f, const gnt_function_args *a) {
    gnt_service *s = f->service;
    const char *what = !a->x                            ? "x is NULL"
                       : f->uses_y && !a->y             ? "y is NULL; this function takes labels"
                       : !a->weights                    ? "weights is NULL"
                       : f->uses_buffers && !a->buffers ? "buffers is NULL; the model has running statistics"
                       : f->steps && !a->rates          ? "rates is NULL; one for each step is needed"
                       : f->kind == GNT_FN_MATCH && !a->observed ? "observed is NULL"
                       : f->masked && !a->mask ? "mask is NULL; the function was prepared with one"
                                               : NULL;
    for (int32_t i = 0; !what && i < s->n_update; i++)
        if ((f->kind == GNT_FN_MATCH && !a->observed[i]) || (f->masked && !a->mask[i]))
            what = "observed or mask has a NULL tensor";
    return what ? (failed(s, "eval", what), -1) : 0;
}

static void read_views(const gnt_function *f, gnt_view *view, int32_t from) {
    for (int32_t i = 0; i < f->n_out; i++)
        view[i].data = gnt_program_output(f->program, from + i);
}

/* Copies the plugin's arguments to this host's size; −1 if they are missing or too small. */
static int copy_args(gnt_function_args *out, const gnt_function_args *given) {
    if (!given || given->size < GNT_FUNCTION_ARGS_SIZE_0_10)
        return -1;
    gnt_copy_sized(out, sizeof *out, given, given->size);
    return 0;
}

gnt_status gnt_service_eval(void *context, gnt_function *f, const gnt_function_args *given,
                            const gnt_views **outputs) {
    gnt_service *s = context;
    gnt_function_args args;
    const gnt_function_args *a = &args;
    if (!f || !outputs)
        return failed(s, "eval", "the function or the place for outputs is NULL");
    *outputs = NULL;
    f->evaluated = 0;
    if (copy_args(&args, given) != 0)
        return failed(s, "eval", "args is NULL or args->size is too small");
    if (check_args(f, a))
        return GNT_FAILED;
    gnt_program *p = f->program;
    gnt_program_bind(p, f->x, a->x);
    if (f->uses_y)
        gnt_program_bind(p, f->y, a->y);
    if (f->steps)
        gnt_program_bind(p, f->rates, a->rates);
    gnt_model_bind(s->model, p, f->params, f->buffers, a->weights, a->buffers ? a->buffers : f->zeros, 4);
    for (int32_t i = 0; f->kind == GNT_FN_MATCH && i < s->n_update; i++) {
        gnt_program_bind(p, f->observed[i], a->observed[i]);
        if (f->masked)
            gnt_program_bind(p, f->mask[i], a->mask[i]);
    }
    if (gnt_program_run(p, STAGE_EVAL))
        return failed(s, "eval", "an input of the program is unbound");
    read_views(f, f->view, 0);
    f->outputs = (gnt_views){f->n_out, f->view};
    f->evaluated = 1;
    f->prepared = 0;
    *outputs = &f->outputs;
    return GNT_OK;
}

/* Runs the common stage, once after each eval. */
static int run_common(gnt_function *f) {
    if (!f->prepared && gnt_program_run(f->program, STAGE_COMMON))
        return -1;
    f->prepared = 1;
    return 0;
}

static void read_gradient(gnt_function *f) {
    int32_t at = f->n_out;
    f->gradient = (gnt_gradient){0};
    if (f->vjp & GNT_WRT_X)
        f->gradient.x = gnt_program_output(f->program, at++);
    if (f->vjp & GNT_WRT_Y)
        f->gradient.y = gnt_program_output(f->program, at++);
    if (f->vjp & GNT_WRT_WEIGHTS) {
        for (int32_t i = 0; i < f->service->n_params; i++)
            f->weights[i] = gnt_program_output(f->program, at++);
        f->gradient.weights = f->weights;
    }
    if (f->vjp & GNT_WRT_RATES)
        f->gradient.rates = gnt_program_output(f->program, at++);
}

gnt_status gnt_service_vjp(void *context, gnt_function *f, const float *const *u, const gnt_gradient **out) {
    gnt_service *s = context;
    if (!f || !out)
        return failed(s, "vjp", "the function or the place for results is NULL");
    *out = NULL;
    if (!f->vjp)
        return failed(s, "vjp", "the function was prepared with spec.vjp = 0");
    if (!f->evaluated)
        return failed(s, "vjp", "eval comes first");
    for (int32_t i = 0; i < f->n_out; i++) {
        const float *given = u ? u[i] : NULL;
        int scalar = f->view[i].rank == 0;
        if (!u && !scalar)
            return failed(s, "vjp", "u is NULL, which is for functions with scalar outputs only");
        gnt_program_bind(f->program, f->cotangent[i], given ? given : scalar ? &one : f->zeros);
    }
    if (run_common(f) || gnt_program_run(f->program, STAGE_VJP))
        return failed(s, "vjp", "an input of the program is unbound");
    read_gradient(f);
    *out = &f->gradient;
    return GNT_OK;
}

static void bind_direction(gnt_function *f, const gnt_function_args *d) {
    gnt_service *s = f->service;
    gnt_program *p = f->program;
    if (f->jvp & GNT_WRT_X)
        gnt_program_bind(p, f->dx, d->x ? d->x : f->zeros);
    if (f->jvp & GNT_WRT_Y)
        gnt_program_bind(p, f->dy, d->y ? d->y : f->zeros);
    for (int32_t i = 0; f->jvp & GNT_WRT_WEIGHTS && i < s->n_params; i++)
        gnt_program_bind(p, f->dparams[i], d->weights ? d->weights + s->param[i].offset : f->zeros);
    if (f->jvp & GNT_WRT_RATES)
        gnt_program_bind(p, f->drates, d->rates ? d->rates : f->zeros);
}

gnt_status gnt_service_jvp(void *context, gnt_function *f, const gnt_function_args *given_direction,
                           const gnt_views **outputs) {
    gnt_service *s = context;
    gnt_function_args args;
    const gnt_function_args *direction = &args;
    if (!f || !outputs || copy_args(&args, given_direction) != 0)
        return failed(s, "jvp",
                      "the function, the direction or the place for outputs is NULL, or its size too small");
    *outputs = NULL;
    uint32_t given = (direction->x ? GNT_WRT_X : 0) | (direction->y ? GNT_WRT_Y : 0) |
                     (direction->weights ? GNT_WRT_WEIGHTS : 0) | (direction->rates ? GNT_WRT_RATES : 0);
    if (!f->jvp || given & ~f->jvp)
        return failed(s, "jvp", "the direction has a member that spec.jvp did not name");
    if (!f->evaluated)
        return failed(s, "jvp", "eval comes first");
    bind_direction(f, direction);
    if (run_common(f) || gnt_program_run(f->program, STAGE_JVP))
        return failed(s, "jvp", "an input of the program is unbound");
    read_views(f, f->jvp_view, f->n_out + f->n_wrt);
    f->jvp_outputs = (gnt_views){f->n_out, f->jvp_view};
    *outputs = &f->jvp_outputs;
    return GNT_OK;
}
