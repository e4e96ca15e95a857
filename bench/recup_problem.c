/* recup_problem: a zoo of random networks, an update of model recup_adult, and what Algorithm 1 of RecUP-FL
 * moves it by: in double and straight from the definitions, with nothing of the plugin's code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "nn/model/recipe.h"
#include "recup.h"

enum {
    FEATURES = 103,
    GROUPS = 14, /* of features, one of each is 1: the columns of Adult */
    SEEN = 64,   /* updates behind the statistics */
    NARROWEST = 128,
    LAYERS = BENCH_RECUP_LAYERS,
    NETS = BENCH_RECUP_NETS
};

typedef struct net {
    int64_t width[LAYERS + 1];
    const float *weight[LAYERS], *bias[LAYERS];
} net;

typedef struct problem {
    gnt_st st;
    net net[NETS];
    int64_t size, columns;
    float *seen; /* SEEN × size */
    const float *update, *mean, *scale;
    double *memory;           /* of what follows */
    double *now, *work;       /* size: the update, and what Q − 1 steps make of it */
    double *x;                /* columns: what a network reads */
    double *h[LAYERS];        /* outputs of layers */
    double *pull[LAYERS + 1]; /* derivatives by these, pull[i + 1] by h[i] */
    int64_t *where;           /* columns */
    double read;              /* weights that the derivatives needed */
} problem;

static float *add_floats(problem *p, const char *name, int32_t rank, int64_t rows, int64_t columns,
                         gnt_err *err) {
    gnt_st_tensor *t;
    const int64_t dim[2] = {rows, columns};
    return gnt_st_add(&p->st, name, GNT_ST_F32, rank, dim, NULL, &t, err) ? NULL : t->data;
}

/* ---- updates ---- */

static int64_t end_of(const problem *p, int64_t j) {
    const int64_t end = (j + 1) * BENCH_RECUP_WINDOW;
    return end < p->size ? end : p->size;
}

static void compute_updates(problem *p, const gnt_model *m, gnt_recipe *r, gnt_stream *random) {
    const gnt_param *list;
    gnt_model_params(m, &list);
    float *x = r->x, *y = r->y;
    for (int64_t i = 0; i < SEEN; i++) {
        memset(x, 0, FEATURES * sizeof *x);
        for (int64_t k = 0; k < GROUPS; k++)
            x[k * (FEATURES / GROUPS) + (int64_t)gnt_random_below(random, FEATURES / GROUPS)] = 1;
        y[0] = (float)gnt_random_below(random, 2);
        y[1] = 1 - y[0];
        gnt_recipe_run(r);
        for (int32_t k = 0; k < r->n_params; k++)
            memcpy(p->seen + i * p->size + list[k].offset, gnt_program_output(r->program, r->first + k),
                   (size_t)gnt_nn_count(&list[k].shape) * sizeof *x);
    }
}

static int make_updates(problem *p, const bench_row *row, gnt_stream *random, gnt_err *err) {
    gnt_model *m = NULL;
    gnt_recipe *r = NULL;
    int rc = gnt_model_load(&m, row->model, &row->sample, row->classes, NULL, NULL, err) ||
             gnt_recipe_new(&r, m, GNT_RECIPE_GRADIENT, 1, 4, err) || gnt_recipe_fill(r, m, random, err);
    if (rc == 0) {
        p->size = gnt_model_size(m);
        p->columns = (p->size + BENCH_RECUP_WINDOW - 1) / BENCH_RECUP_WINDOW;
        p->seen = gnt_array((size_t)(SEEN * p->size), sizeof *p->seen);
        rc = p->seen ? 0 : gnt_fail(err, "out of memory");
    }
    if (rc == 0)
        compute_updates(p, m, r, random);
    gnt_recipe_free(r);
    gnt_model_free(m);
    return rc ? -1 : 0;
}

/* Adds the update that is perturbed, the first, and the statistics of all. */
static int add_updates(problem *p, gnt_err *err) {
    float *mean = add_floats(p, "zoo.mean", 1, p->columns, 0, err);
    float *scale = mean ? add_floats(p, "zoo.scale", 1, p->columns, 0, err) : NULL;
    float *update = scale ? add_floats(p, "update", 1, p->size, 0, err) : NULL;
    if (!update)
        return -1;
    memcpy(update, p->seen, (size_t)p->size * sizeof *update);
    for (int64_t j = 0; j < p->columns; j++) {
        double sum = 0, squares = 0;
        for (int64_t s = 0; s < SEEN; s++) {
            const float *u = p->seen + s * p->size;
            double most = -INFINITY;
            for (int64_t i = j * BENCH_RECUP_WINDOW; i < end_of(p, j); i++)
                most = fmax(most, (double)u[i]);
            sum += most;
            squares += most * most;
        }
        const double variance = squares / SEEN - sum / SEEN * (sum / SEEN);
        mean[j] = (float)(sum / SEEN);
        scale[j] = variance > 1e-12 ? (float)(1 / sqrt(variance)) : 0;
    }
    p->update = update;
    p->mean = mean;
    p->scale = scale;
    return 0;
}

/* ---- the zoo ---- */

/* Adds a network with random weights within He's bound and biases 0. */
static int add_net(problem *p, int32_t k, gnt_stream *random, gnt_err *err) {
    net *n = &p->net[k];
    n->width[0] = p->columns;
    n->width[LAYERS] = BENCH_RECUP_VALUES;
    for (int32_t i = 1; i < LAYERS; i++)
        n->width[i] = NARROWEST << gnt_random_below(random, BENCH_RECUP_WIDTHS);
    for (int32_t i = 0; i < LAYERS; i++) {
        char weight[40], bias[40];
        snprintf(weight, sizeof weight, "zoo.%d.weight.%d", k, i);
        snprintf(bias, sizeof bias, "zoo.%d.bias.%d", k, i);
        const int64_t rows = n->width[i + 1], columns = n->width[i];
        float *w = add_floats(p, weight, 2, rows, columns, err);
        n->weight[i] = w;
        n->bias[i] = w ? add_floats(p, bias, 1, rows, 0, err) : NULL;
        if (!n->bias[i])
            return -1;
        const double bound = sqrt(6 / (double)columns);
        for (int64_t at = 0; at < rows * columns; at++)
            w[at] = (float)(bound * (2 * gnt_random_uniform(random) - 1));
    }
    return 0;
}

/* Adds the numbers of Q different networks for each of P iterations: the first Q of a shuffle of all. */
static int add_drawn(problem *p, gnt_err *err) {
    float *drawn = add_floats(p, "drawn", 2, BENCH_RECUP_ITERATIONS, BENCH_RECUP_DRAWN, err);
    gnt_stream draws = bench_recup_draws();
    for (int32_t i = 0; drawn && i < BENCH_RECUP_ITERATIONS; i++) {
        int32_t all[NETS];
        for (int32_t k = 0; k < NETS; k++)
            all[k] = k;
        for (int32_t k = 0; k < BENCH_RECUP_DRAWN; k++) {
            const int32_t at = k + (int32_t)gnt_random_below(&draws, (uint64_t)(NETS - k)), kept = all[k];
            all[k] = all[at];
            all[at] = kept;
            *drawn++ = (float)all[k];
        }
    }
    return drawn ? 0 : -1;
}

/* ---- derivatives ---- */

static void read_update(problem *p, const double *u) {
    for (int64_t j = 0; j < p->columns; j++) {
        int64_t most = j * BENCH_RECUP_WINDOW;
        for (int64_t i = most; i < end_of(p, j); i++)
            most = u[i] > u[most] ? i : most;
        p->where[j] = most;
        p->x[j] = fmax(-10, fmin(10, (u[most] - (double)p->mean[j]) * (double)p->scale[j]));
    }
}

static void forward(problem *p, const net *n) {
    const double *x = p->x;
    for (int32_t i = 0; i < LAYERS; i++) {
        for (int64_t o = 0; o < n->width[i + 1]; o++) {
            const float *w = n->weight[i] + o * n->width[i];
            double sum = (double)n->bias[i][o];
            for (int64_t k = 0; k < n->width[i]; k++)
                sum += (double)w[k] * x[k];
            p->h[i][o] = i + 1 < LAYERS ? fmax(0, sum) : sum;
        }
        p->read += (double)(n->width[i] * n->width[i + 1]);
        x = p->h[i];
    }
}

/* Computes the derivative by the inputs. A row of an inactive ReLU contributes nothing and is not read. */
static void back(problem *p, const net *n) {
    for (int32_t i = LAYERS - 1; i >= 0; i--) {
        memset(p->pull[i], 0, (size_t)n->width[i] * sizeof *p->pull[i]);
        for (int64_t o = 0; o < n->width[i + 1]; o++) {
            const float *w = n->weight[i] + o * n->width[i];
            if (i + 1 < LAYERS && p->h[i][o] <= 0)
                continue;
            for (int64_t k = 0; k < n->width[i]; k++)
                p->pull[i][k] += p->pull[i + 1][o] * (double)w[k];
            p->read += (double)n->width[i];
        }
    }
}

/* Adds step·sign of the derivative of network `which` at u to `to`. */
static void add_sign(problem *p, int32_t which, const double *u, double step, double *to) {
    const net *n = &p->net[which];
    double sum = 0;
    read_update(p, u);
    forward(p, n);
    for (int c = 0; c < BENCH_RECUP_VALUES; c++)
        sum += exp(p->h[LAYERS - 1][c]);
    for (int c = 0; c < BENCH_RECUP_VALUES; c++)
        p->pull[LAYERS][c] = exp(p->h[LAYERS - 1][c]) / sum - (c == BENCH_RECUP_LABEL);
    back(p, n);
    for (int64_t j = 0; j < p->columns; j++) {
        const double g = p->pull[0][j] * (double)p->scale[j]; /* as if x were not cut */
        to[p->where[j]] += g > 0 ? step : g < 0 ? -step : 0;
    }
}

/* Adds the result of lines 12 to 23 of Algorithm 1. */
static int add_result(problem *p, gnt_err *err) {
    const float *which = gnt_st_find(&p->st, "drawn")->data;
    for (int64_t i = 0; i < p->size; i++)
        p->now[i] = (double)p->update[i];
    for (int32_t i = 0; i < BENCH_RECUP_ITERATIONS; i++) {
        memcpy(p->work, p->now, (size_t)p->size * sizeof *p->work);
        for (int32_t k = 0; k + 1 < BENCH_RECUP_DRAWN; k++)
            add_sign(p, (int32_t)*which++, p->work, BENCH_RECUP_EPSILON / BENCH_RECUP_DRAWN, p->work);
        add_sign(p, (int32_t)*which++, p->work, BENCH_RECUP_EPSILON, p->now);
    }
    for (int64_t i = 0; i < p->size; i++)
        p->now[i] -= (double)p->update[i];
    return gnt_st_add(&p->st, "r.delta", GNT_ST_F64, 1, &p->size, p->now, NULL, err) ||
                   gnt_st_add(&p->st, "read", GNT_ST_F64, 1, (int64_t[]){1}, &p->read, NULL, err)
               ? -1
               : 0;
}

/* ---- all ---- */

static int allocate(problem *p, gnt_err *err) {
    const int64_t widest = (NARROWEST << (BENCH_RECUP_WIDTHS - 1)) + p->columns;
    p->memory = gnt_array((size_t)(2 * p->size + p->columns + (2 * LAYERS + 1) * widest), sizeof *p->memory);
    p->where = gnt_array((size_t)p->columns, sizeof *p->where);
    if (!p->memory || !p->where)
        return gnt_fail(err, "out of memory");
    p->now = p->memory;
    p->work = p->now + p->size;
    p->x = p->work + p->size;
    for (int32_t i = 0; i <= LAYERS; i++)
        p->pull[i] = p->x + p->columns + i * widest;
    for (int32_t i = 0; i < LAYERS; i++)
        p->h[i] = p->pull[LAYERS] + (i + 1) * widest;
    return 0;
}

int bench_recup_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err) {
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "problem");
    problem p = {0};
    gnt_st_init(&p.st);
    int rc = gnt_st_set_metadata(&p.st, metadata, err) || make_updates(&p, row, &random, err) ||
             add_updates(&p, err) || allocate(&p, err);
    for (int32_t k = 0; rc == 0 && k < NETS; k++)
        rc = add_net(&p, k, &random, err);
    rc = rc || add_drawn(&p, err) || add_result(&p, err) || gnt_st_save(&p.st, path, err);
    gnt_st_free(&p.st);
    gnt_free(p.seen);
    gnt_free(p.memory);
    gnt_free(p.where);
    return rc ? -1 : 0;
}
