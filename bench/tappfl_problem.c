/* tappfl_problem: a batch, random networks, and the derivatives of a step of TAPPFL in double, by one graph
 * of all three networks. Of the plugin's code only the objective is in it, which
 * tests/unit/test_plugin_tappfl.c has written out. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "host.h"
#include "tappfl.h"

/* ---- the graph ---- */

static objective_shape shape_of(const bench_row *row, gnt_nn_shape r) {
    objective_shape s = {.rows = row->n,
                         .x_rank = row->sample.rank,
                         .r_rank = r.rank - 1,
                         .values = (int32_t)(row->n / 2),
                         .classes = row->classes,
                         .width = BENCH_TAPPFL_WIDTH};
    memcpy(s.x_dim, row->sample.dim, sizeof s.x_dim);
    memcpy(s.r_dim, r.dim + 1, sizeof s.r_dim);
    return s;
}

/* Adds the model up to its representation. */
static gnt_node add_extractor(bench_joint *j, gnt_graph *g, const bench_row *row, const gnt_model *m) {
    gnt_nn_shape x = {.rank = row->sample.rank + 1, .dim = {row->n}};
    gnt_node *layers = gnt_array((size_t)gnt_model_layers(m), sizeof *layers), r = -1;
    memcpy(x.dim + 1, row->sample.dim, (size_t)row->sample.rank * sizeof *x.dim);
    j->x = gnt_nn_input(g, "x", x.rank, x.dim, 0);
    gnt_model_declare(m, g, j->params, NULL);
    if (layers) {
        gnt_model_build(m, g, j->x, j->params, NULL, 0, layers, NULL);
        r = layers[gnt_model_representation(m)];
    }
    gnt_free(layers);
    return r;
}

/* Adds the outputs of a step to `out`; returns their number. */
static int32_t add_step(bench_joint *j, gnt_graph *g, const gnt_node *shared, gnt_node *out) {
    const objective *o = &j->nodes;
    const gnt_node by_r = objective_by_r(g, o);
    const int32_t n = BENCH_JOINT_DERIVATIVES + j->n_shared + o->side.n;
    out[BENCH_JOINT_HIDDEN] = o->hidden;
    out[BENCH_JOINT_KEPT] = o->kept;
    gnt_nn_vjp(g, &o->r, &by_r, 1, shared, j->n_shared, out + BENCH_JOINT_DERIVATIVES);
    gnt_nn_vjp(g, &o->own, NULL, 1, o->side.node, o->side.n, out + BENCH_JOINT_DERIVATIVES + j->n_shared);
    for (int32_t k = 0; k < n; k++)
        j->shape[k] = gnt_nn_shape_of(g, out[k]);
    return n;
}

int bench_joint_open(bench_joint *j, const bench_row *row, const gnt_model *m, int32_t precision,
                     gnt_err *err) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    const size_t most = (size_t)(BENCH_JOINT_DERIVATIVES + n + SIDE_TENSORS);
    const uint8_t *is_shared = gnt_model_shared(m);
    char why[300] = "out of memory";
    *j = (bench_joint){.params = gnt_array((size_t)n, sizeof *j->params),
                       .shape = gnt_array(most, sizeof *j->shape)};
    gnt_node *shared = gnt_array((size_t)n, sizeof *shared), *out = gnt_array(most, sizeof *out);
    gnt_graph *g = gnt_graph_new();
    if (j->params && j->shape && shared && out && g) {
        j->nodes.r = add_extractor(j, g, row, m);
        for (int32_t k = 0; k < n; k++)
            if (!is_shared || is_shared[k])
                shared[j->n_shared++] = j->params[k];
        const objective_shape shape = shape_of(row, gnt_nn_shape_of(g, j->nodes.r));
        tappfl_objective(g, &shape, &j->nodes);
        const int32_t outputs = add_step(j, g, shared, out);
        j->program = gnt_program_new(g, out, NULL, outputs, precision, why, sizeof why);
    }
    if (g)
        gnt_graph_free(g);
    gnt_free(shared);
    gnt_free(out);
    return j->program ? 0 : gnt_fail(err, "%s: %s", row->name, why);
}

void bench_joint_close(bench_joint *j) {
    gnt_program_free(j->program);
    gnt_free(j->params);
    gnt_free(j->shape);
    *j = (bench_joint){0};
}

/* ---- the problem ---- */

typedef struct problem {
    const bench_row *row;
    gnt_model *m;
    bench_joint joint;
    gnt_st st;
    int64_t n_x; /* entries of a sample */
    float *params, *side;
    double *memory; /* of what follows */
    double *x, *other, *u, *params_wide, *side_wide;
} problem;

static int add_floats(problem *p, const char *name, const gnt_nn_shape *s, const float *from, gnt_err *err) {
    return gnt_st_add(&p->st, name, GNT_ST_F32, s->rank, s->dim, from, NULL, err);
}

/* Draws random weights, those of g and h as a device does at its start. */
static int make_weights(problem *p, gnt_stream *random, gnt_err *err) {
    const side_params *s = &p->joint.nodes.side;
    const gnt_param *list;
    int rc = 0;
    bench_host host;
    bench_host_open(&host, NULL);
    host.draws = *random;
    p->params = gnt_array((size_t)gnt_model_size(p->m), sizeof *p->params);
    p->side = gnt_array((size_t)s->size, sizeof *p->side);
    if (!p->params || !p->side)
        return gnt_fail(err, "out of memory");
    side_start(s, &host.host, p->side);
    *random = host.draws;
    gnt_model_init(p->m, random, p->params, NULL);
    const int32_t n = gnt_model_params(p->m, &list);
    for (int32_t k = 0; rc == 0 && k < n; k++) {
        char *name = gnt_format("param.%s", list[k].name);
        rc = name ? add_floats(p, name, &list[k].shape, p->params + list[k].offset, err)
                  : gnt_fail(err, "out of memory");
        gnt_free(name);
    }
    const float *at = p->side;
    for (int32_t k = 0; rc == 0 && k < s->n; at += s->count[k++]) {
        char name[40];
        snprintf(name, sizeof name, "param.side.%d", k);
        rc = add_floats(p, name, &p->joint.shape[BENCH_JOINT_DERIVATIVES + p->joint.n_shared + k], at, err);
    }
    return rc;
}

static int make_samples(problem *p, gnt_stream *random, gnt_err *err) {
    const int64_t n = p->row->n, values = n / 2;
    gnt_nn_shape x = {.rank = p->row->sample.rank + 1, .dim = {n}}, u = {2, {n, values}};
    gnt_st_tensor *t;
    memcpy(x.dim + 1, p->row->sample.dim, (size_t)p->row->sample.rank * sizeof *x.dim);
    if (gnt_st_add(&p->st, "x", GNT_ST_F32, x.rank, x.dim, NULL, &t, err))
        return -1;
    for (int64_t i = 0; i < n * p->n_x; i++) {
        ((float *)t->data)[i] = (float)gnt_random_uniform(random);
        p->x[i] = (double)((float *)t->data)[i];
    }
    if (gnt_st_add(&p->st, "u", GNT_ST_F32, u.rank, u.dim, NULL, &t, err))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        memcpy(p->other + (i ^ 1) * p->n_x, p->x + i * p->n_x, (size_t)p->n_x * sizeof *p->x);
        ((float *)t->data)[i * values + i / 2] = 1;
        p->u[i * values + i / 2] = 1;
    }
    return 0;
}

static int allocate(problem *p, gnt_err *err) {
    const int64_t n = p->row->n, params = gnt_model_size(p->m), side = p->joint.nodes.side.size;
    p->n_x = gnt_nn_count(&p->row->sample);
    p->memory = gnt_array((size_t)(2 * n * p->n_x + n * (n / 2) + params + side), sizeof *p->memory);
    if (!p->memory)
        return gnt_fail(err, "out of memory");
    p->x = p->memory;
    p->other = p->x + n * p->n_x;
    p->u = p->other + n * p->n_x;
    p->params_wide = p->u + n * (n / 2);
    p->side_wide = p->params_wide + params;
    return 0;
}

/* Adds outputs first … first + n − 1, one behind the other. */
static int add_results(problem *p, const char *name, int32_t first, int32_t n, int64_t size, gnt_err *err) {
    gnt_st_tensor *t;
    if (gnt_st_add(&p->st, name, GNT_ST_F64, 1, &size, NULL, &t, err))
        return -1;
    double *to = t->data;
    for (int32_t k = first; k < first + n; k++) {
        const int64_t count = gnt_nn_count(&p->joint.shape[k]);
        memcpy(to, gnt_program_output(p->joint.program, k), (size_t)count * sizeof *to);
        to += count;
    }
    return 0;
}

static int solve(problem *p, gnt_err *err) {
    const bench_joint *j = &p->joint;
    const objective *o = &j->nodes;
    const double a = -BENCH_TAPPFL_LAMBDA, b = 1 - BENCH_TAPPFL_LAMBDA;
    const int64_t params = gnt_model_size(p->m);
    const struct {
        gnt_node node;
        const double *to;
    } inputs[] = {{j->x, p->x}, {o->x, p->x}, {o->other, p->other}, {o->u, p->u}, {o->a, &a}, {o->b, &b}};
    for (int64_t i = 0; i < params; i++)
        p->params_wide[i] = (double)p->params[i];
    for (int64_t i = 0; i < o->side.size; i++)
        p->side_wide[i] = (double)p->side[i];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        gnt_program_bind(j->program, inputs[i].node, inputs[i].to);
    gnt_model_bind(p->m, j->program, j->params, NULL, p->params_wide, NULL, 8);
    const double *at = p->side_wide;
    for (int32_t k = 0; k < o->side.n; at += o->side.count[k++])
        gnt_program_bind(j->program, o->side.node[k], at);
    if (gnt_program_run(j->program, 0))
        return gnt_fail(err, "%s: an input of its problem is missing", p->row->name);
    const int32_t first = BENCH_JOINT_DERIVATIVES;
    return add_results(p, "r.losses", BENCH_JOINT_HIDDEN, 2, 2, err) ||
           add_results(p, "r.grad", first, j->n_shared, gnt_model_shared_size(p->m), err) ||
           add_results(p, "r.own", first + j->n_shared, o->side.n, o->side.size, err);
}

int bench_tappfl_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err) {
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "problem");
    problem p = {.row = row};
    gnt_st_init(&p.st);
    const int rc = gnt_st_set_metadata(&p.st, metadata, err) ||
                   gnt_model_load(&p.m, row->model, &row->sample, row->classes, NULL, NULL, err) ||
                   bench_joint_open(&p.joint, row, p.m, 8, err) || allocate(&p, err) ||
                   make_weights(&p, &random, err) || make_samples(&p, &random, err) || solve(&p, err) ||
                   gnt_st_save(&p.st, path, err);
    bench_joint_close(&p.joint);
    gnt_model_free(p.m);
    gnt_st_free(&p.st);
    gnt_free(p.params);
    gnt_free(p.side);
    gnt_free(p.memory);
    return rc ? -1 : 0;
}
