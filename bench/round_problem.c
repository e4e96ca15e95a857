/* round_problem: samples, random weights, and what a round makes of these in double, by local steps that are
 * written out here. Of the code that trains only the order of a client's samples is in it. */
#include <string.h>

#include "base/mem.h"
#include "nn/model/recipe.h"
#include "round.h"

typedef struct problem {
    const bench_row *row;
    gnt_model *m;
    const gnt_param *list;
    int32_t n_list;
    int64_t n, features; /* weights; entries of a sample */
    gnt_recipe *r;       /* a local step, in double */
    gnt_st st;
    float *params, *scratch, *x, *y;
    uint32_t order[BENCH_ROUND_SAMPLES];
    double *change; /* of the weights, by the round */
} problem;

static int allocate(problem *p, gnt_err *err) {
    p->n_list = gnt_model_params(p->m, &p->list);
    p->n = gnt_model_size(p->m);
    p->features = gnt_nn_count(&p->row->sample);
    p->params = gnt_array((size_t)p->n, sizeof *p->params);
    p->scratch = gnt_array((size_t)p->n, sizeof *p->scratch);
    p->change = gnt_array((size_t)p->n, sizeof *p->change);
    p->x = gnt_array(BENCH_ROUND_SAMPLES, (size_t)p->features * sizeof *p->x);
    p->y = gnt_array(BENCH_ROUND_SAMPLES, (size_t)p->row->classes * sizeof *p->y);
    return p->params && p->scratch && p->change && p->x && p->y
               ? gnt_recipe_new(&p->r, p->m, GNT_RECIPE_TRAIN, p->row->n, 8, err)
               : gnt_fail(err, "out of memory");
}

static void draw(problem *p, gnt_stream *random) {
    gnt_model_init(p->m, random, p->params, NULL);
    for (int64_t i = 0; i < BENCH_ROUND_SAMPLES * p->features; i++)
        p->x[i] = (float)gnt_random_uniform(random);
    for (int64_t i = 0; i < BENCH_ROUND_SAMPLES; i++)
        p->y[i * p->row->classes + (int64_t)gnt_random_below(random, (uint64_t)p->row->classes)] = 1;
}

/* Takes one local step on the samples of `row`. */
static void take_step(problem *p, const uint32_t *row) {
    const gnt_recipe *r = p->r;
    double *params = r->params, *x = r->x, *y = r->y;
    for (int64_t i = 0; i < r->n; i++) {
        for (int64_t j = 0; j < p->features; j++)
            x[i * p->features + j] = (double)p->x[(int64_t)row[i] * p->features + j];
        for (int64_t c = 0; c < p->row->classes; c++)
            y[i * p->row->classes + c] = (double)p->y[(int64_t)row[i] * p->row->classes + c];
    }
    gnt_program_run(r->program, 0);
    for (int32_t k = 0; k < r->n_params; k++) {
        const double *grad = gnt_program_output(r->program, r->first + k);
        for (int64_t i = 0; i < gnt_nn_count(&p->list[k].shape); i++)
            params[p->list[k].offset + i] -= BENCH_SGD_RATE * grad[i];
    }
}

static void solve(problem *p) {
    double *params = p->r->params;
    for (int32_t client = 0; client < BENCH_ROUND_CLIENTS; client++) {
        for (int64_t i = 0; i < p->n; i++)
            params[i] = (double)p->params[i];
        for (int32_t s = 0; s < BENCH_ROUND_STEPS; s++)
            take_step(p, p->order + client * BENCH_ROUND_EACH + s * p->row->n);
        for (int64_t i = 0; i < p->n; i++)
            p->change[i] += (params[i] - (double)p->params[i]) / BENCH_ROUND_CLIENTS;
    }
}

static int write_file(problem *p, const char *metadata, const char *path, gnt_err *err) {
    const int64_t y[2] = {BENCH_ROUND_SAMPLES, p->row->classes};
    const int64_t order[2] = {BENCH_ROUND_CLIENTS, BENCH_ROUND_EACH};
    int64_t x[GNT_NN_RANK] = {BENCH_ROUND_SAMPLES};
    gnt_st_tensor *t;
    memcpy(x + 1, p->row->sample.dim, (size_t)p->row->sample.rank * sizeof *x);
    if (gnt_st_set_metadata(&p->st, metadata, err) ||
        gnt_st_add(&p->st, "x", GNT_ST_F32, p->row->sample.rank + 1, x, p->x, NULL, err) ||
        gnt_st_add(&p->st, "y", GNT_ST_F32, 2, y, p->y, NULL, err) ||
        gnt_st_add(&p->st, "order", GNT_ST_F32, 2, order, NULL, &t, err))
        return -1;
    for (int64_t i = 0; i < BENCH_ROUND_SAMPLES; i++)
        ((float *)t->data)[i] = (float)p->order[i];
    for (int32_t k = 0; k < p->n_list; k++) {
        const gnt_nn_shape *s = &p->list[k].shape;
        char *name = gnt_format("param.%s", p->list[k].name);
        const int rc = name ? gnt_st_add(&p->st, name, GNT_ST_F32, s->rank, s->dim,
                                         p->params + p->list[k].offset, NULL, err)
                            : gnt_fail(err, "out of memory");
        gnt_free(name);
        if (rc != 0)
            return -1;
    }
    return gnt_st_add(&p->st, "r.grad", GNT_ST_F64, 1, &p->n, p->change, NULL, err) ||
                   gnt_st_save(&p->st, path, err)
               ? -1
               : 0;
}

static int make(problem *p, const char *metadata, const char *path, gnt_err *err) {
    const bench_row *row = p->row;
    const gnt_key key = gnt_key_of_seed(2);
    gnt_stream random = gnt_stream_open(&key, "problem");
    if (gnt_model_load(&p->m, row->model, &row->sample, row->classes, NULL, NULL, err) || allocate(p, err))
        return -1;
    draw(p, &random);
    memcpy(p->scratch, p->params, (size_t)p->n * sizeof *p->scratch);
    if (bench_round_train(row, p->m, p->x, p->y, 1, p->scratch, p->order, err))
        return -1;
    solve(p);
    return write_file(p, metadata, path, err);
}

int bench_round_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err) {
    problem p = {.row = row};
    gnt_st_init(&p.st);
    const int rc = make(&p, metadata, path, err);
    gnt_recipe_free(p.r);
    gnt_model_free(p.m);
    gnt_st_free(&p.st);
    gnt_free(p.params);
    gnt_free(p.scratch);
    gnt_free(p.change);
    gnt_free(p.x);
    gnt_free(p.y);
    return rc;
}
