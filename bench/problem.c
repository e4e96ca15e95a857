/* problem: the inputs of a row, and the exact results, computed in double, with which both sides are
 * compared.
 *
 * If an input of a ReLU or the two best of a pool's window are within float's rounding of a tie, float and
 * double take different branches, and any two float programs differ by 1e-3. So the first of a few random
 * problems is taken at which float and double agree far below the tolerance; if there is none, the best. In a
 * large batch some tie is almost certain, so PyTorch's side is also compared in double. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bench.h"
#include "nn/model/recipe.h"
#include "own.h"
#include "recup.h"
#include "tappfl.h"

enum { TRIES = 3 };
#define CLOSE 5e-5

typedef struct problem {
    const bench_row *row;
    gnt_model *m;
    const gnt_param *list;
    int32_t n_list;
    gnt_recipe *r; /* filled; of `precision` */
    int32_t precision;
    double *dx, *dy, *grad, *z; /* results, where there are any */
    double cost;
    float *target;         /* LODA: the image whose features are kept */
    float *table, *labels; /* attr-nn: all rows */
} problem;

static gnt_recipe_kind recipe_kind(bench_kind kind) {
    switch (kind) {
    case BENCH_MATCH:
    case BENCH_ATTACK:
        return GNT_RECIPE_MATCH;
    case BENCH_DLG:
        return GNT_RECIPE_DLG;
    case BENCH_LODA:
        return GNT_RECIPE_FEATURES;
    case BENCH_FORWARD:
        return GNT_RECIPE_FORWARD;
    default:
        return GNT_RECIPE_TRAIN;
    }
}

static double get(const problem *q, const void *from, int64_t i) {
    return q->precision == 8 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static void put(const problem *q, void *to, int64_t i, double v) {
    if (q->precision == 8)
        ((double *)to)[i] = v;
    else
        ((float *)to)[i] = (float)v;
}

static double *copied(const problem *q, int32_t output, int64_t n) {
    double *to = gnt_array((size_t)n, sizeof *to);
    const void *from = gnt_program_output(q->r->program, output);
    for (int64_t i = 0; to && from && i < n; i++)
        to[i] = get(q, from, i);
    return to;
}

/* Computes the observed gradient, that at another sample. Both precisions see the same floats. */
static int observe(problem *q, uint64_t seed, gnt_err *err) {
    gnt_recipe *g = NULL;
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream random = gnt_stream_open(&key, "observed");
    if (gnt_recipe_new(&g, q->m, GNT_RECIPE_GRADIENT, q->row->n, 8, err) ||
        gnt_recipe_fill(g, q->m, &random, err)) {
        gnt_recipe_free(g);
        return -1;
    }
    for (int64_t i = 0; i < g->n_weights; i++)
        ((double *)g->params)[i] = get(q, q->r->params, i);
    for (int64_t i = 0; i < g->n_statistics; i++)
        ((double *)g->buffers)[i] = get(q, q->r->buffers, i);
    gnt_recipe_run(g);
    for (int32_t k = 0; k < g->n_params; k++) {
        const double *from = gnt_program_output(g->program, g->first + k);
        for (int64_t i = 0; i < gnt_nn_count(&q->list[k].shape); i++)
            put(q, q->r->seen, q->list[k].offset + i, (double)(float)from[i]);
    }
    gnt_recipe_free(g);
    return 0;
}

/* Computes d/dx of Σ‖f(x) − f(t)‖² − c‖x − t‖²: twice the VJP of f(x) − f(t), less 2c(x − t). */
static int loda(problem *q, gnt_stream *random) {
    gnt_recipe *r = q->r;
    double *start = gnt_array((size_t)r->x_count, sizeof *start);
    q->target = gnt_array((size_t)r->x_count, sizeof *q->target);
    if (!start || !q->target) {
        gnt_free(start);
        return -1;
    }
    for (int64_t i = 0; i < r->x_count; i++) {
        start[i] = get(q, r->x, i);
        q->target[i] = (float)gnt_random_uniform(random);
        put(q, r->x, i, (double)q->target[i]);
    }
    gnt_program_run(r->program, 0);
    for (int32_t f = 0; f < r->n_features; f++)
        memcpy(r->pull[f], gnt_program_output(r->program, r->first + f),
               (size_t)r->feature_count[f] * (size_t)q->precision);
    for (int64_t i = 0; i < r->x_count; i++)
        put(q, r->x, i, start[i]);
    gnt_program_run(r->program, 0);
    for (int32_t f = 0; f < r->n_features; f++) {
        const void *at = gnt_program_output(r->program, r->first + f);
        for (int64_t i = 0; i < r->feature_count[f]; i++)
            put(q, r->pull[f], i, get(q, at, i) - get(q, r->pull[f], i));
    }
    gnt_program_run(r->program, 1);
    q->dx = copied(q, r->dx, r->x_count);
    for (int64_t i = 0; q->dx && i < r->x_count; i++)
        q->dx[i] = 2 * q->dx[i] - 2 * BENCH_LODA_C * (start[i] - (double)q->target[i]);
    gnt_free(start);
    return q->dx ? 0 : -1;
}

/* Sets grad to the change of all weights in one epoch. */
static int attr_nn(problem *q, gnt_stream *random) {
    gnt_recipe *r = q->r;
    int64_t columns = q->row->sample.dim[0], values = q->row->classes;
    q->table = gnt_array(BENCH_ATTR_ROWS, (size_t)columns * sizeof *q->table);
    q->labels = gnt_array(BENCH_ATTR_ROWS, (size_t)values * sizeof *q->labels);
    q->grad = gnt_array((size_t)r->n_weights, sizeof *q->grad);
    double *velocity = gnt_array((size_t)r->n_weights, sizeof *velocity);
    if (!q->table || !q->labels || !q->grad || !velocity) {
        gnt_free(velocity);
        return -1;
    }
    for (int64_t i = 0; i < BENCH_ATTR_ROWS * columns; i++)
        q->table[i] = (float)gnt_random_normal(random);
    for (int64_t i = 0; i < BENCH_ATTR_ROWS; i++)
        q->labels[i * values + (int64_t)gnt_random_below(random, (uint64_t)values)] = 1;
    for (int64_t i = 0; i < r->n_weights; i++)
        q->grad[i] = -get(q, r->params, i);
    for (int64_t from = 0; from < BENCH_ATTR_ROWS; from += r->n) {
        for (int64_t i = 0; i < r->x_count; i++)
            put(q, r->x, i, (double)q->table[from * columns + i]);
        for (int64_t i = 0; i < r->y_count; i++)
            put(q, r->y, i, (double)q->labels[from * values + i]);
        gnt_recipe_run(r);
        for (int32_t k = 0; k < r->n_params; k++)
            for (int64_t i = 0; i < gnt_nn_count(&q->list[k].shape); i++) {
                int64_t at = q->list[k].offset + i;
                velocity[at] = BENCH_SGD_MOMENTUM * velocity[at] +
                               get(q, gnt_program_output(r->program, r->first + k), i);
                put(q, r->params, at, get(q, r->params, at) - BENCH_SGD_RATE * velocity[at]);
            }
    }
    for (int64_t i = 0; i < r->n_weights; i++) {
        double before = -q->grad[i];
        q->grad[i] += get(q, r->params, i);
        put(q, r->params, i, before);
    }
    gnt_free(velocity);
    return 0;
}

static int solve(problem *q, gnt_stream *random) {
    gnt_recipe *r = q->r;
    if (q->row->kind == BENCH_LODA)
        return loda(q, random);
    if (q->row->kind == BENCH_ATTR)
        return attr_nn(q, random);
    gnt_recipe_run(r);
    if (q->row->kind == BENCH_FORWARD)
        return (q->z = copied(q, r->first, r->y_count)) ? 0 : -1;
    q->cost = get(q, gnt_program_output(r->program, r->cost), 0);
    if (r->dx >= 0 && (q->dx = copied(q, r->dx, r->x_count)) == NULL)
        return -1;
    if (r->dy >= 0 && (q->dy = copied(q, r->dy, r->y_count)) == NULL)
        return -1;
    if (r->first < 0)
        return 0;
    q->grad = gnt_array((size_t)r->n_weights, sizeof *q->grad);
    for (int32_t k = 0; q->grad && k < r->n_params; k++)
        for (int64_t i = 0; i < gnt_nn_count(&q->list[k].shape); i++)
            q->grad[q->list[k].offset + i] = get(q, gnt_program_output(r->program, r->first + k), i);
    return q->grad ? 0 : -1;
}

static void close_problem(problem *q) {
    gnt_recipe_free(q->r);
    gnt_free(q->dx);
    gnt_free(q->dy);
    gnt_free(q->grad);
    gnt_free(q->z);
    gnt_free(q->target);
    gnt_free(q->table);
    gnt_free(q->labels);
    *q = (problem){0};
}

static int open_problem(problem *q, const bench_row *row, gnt_model *m, int32_t precision, uint64_t seed,
                        gnt_err *err) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream random = gnt_stream_open(&key, "problem");
    *q = (problem){.row = row, .m = m, .precision = precision};
    q->n_list = gnt_model_params(m, &q->list);
    if (gnt_recipe_new(&q->r, m, recipe_kind(row->kind), row->n, precision, err) ||
        gnt_recipe_fill(q->r, m, &random, err) || (q->r->seen && observe(q, seed, err)))
        return -1;
    return solve(q, &random) ? gnt_fail(err, "out of memory") : 0;
}

static double apart(const double *a, const double *b, int64_t n) {
    double d = 0, s = 0;
    for (int64_t i = 0; a && i < n; i++) {
        d += (a[i] - b[i]) * (a[i] - b[i]);
        s += b[i] * b[i];
    }
    return a ? sqrt(d / s) : 0;
}

/* ---- the file ---- */

static int add_floats(gnt_st *st, const problem *q, const char *name, const gnt_nn_shape *s, const void *from,
                      gnt_err *err) {
    gnt_st_tensor *t;
    if (gnt_st_add(st, name, GNT_ST_F32, s->rank, s->dim, NULL, &t, err))
        return -1;
    for (int64_t i = 0; i < gnt_nn_count(s); i++)
        ((float *)t->data)[i] = (float)get(q, from, i);
    return 0;
}

static int add_plain(gnt_st *st, const char *name, int64_t rows, int64_t columns, const float *from,
                     gnt_err *err) {
    return from ? gnt_st_add(st, name, GNT_ST_F32, 2, (int64_t[]){rows, columns}, from, NULL, err) : 0;
}

static int add_result(gnt_st *st, const char *name, int64_t n, const double *from, gnt_err *err) {
    return from ? gnt_st_add(st, name, GNT_ST_F64, 1, &n, from, NULL, err) : 0;
}

static int add_weights(gnt_st *st, const problem *q, gnt_err *err) {
    const gnt_recipe *r = q->r;
    for (int32_t k = 0; k < q->n_list; k++) {
        const gnt_param *p = &q->list[k];
        size_t at = (size_t)p->offset * (size_t)q->precision;
        char *name = gnt_format("%s.%s", p->buffer ? "buffer" : "param", p->name);
        char *seen = gnt_format("seen.%s", p->name);
        int rc = name && seen ? 0 : gnt_fail(err, "out of memory");
        if (rc == 0)
            rc = add_floats(st, q, name, &p->shape, (char *)(p->buffer ? r->buffers : r->params) + at, err);
        if (rc == 0 && r->seen && !p->buffer)
            rc = add_floats(st, q, seen, &p->shape, (char *)r->seen + at, err);
        gnt_free(name);
        gnt_free(seen);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Formats what PyTorch's side needs to know of the row. */
static char *row_text(const bench_row *row) {
    static const char *const kinds[] = {"match", "attack", "dlg",    "train",   "loda",
                                        "attr",  "recup",  "tappfl", "forward", "round"};
    return gnt_format(
        "{\"kind\": \"%s\", \"model\": \"%s\", \"n\": %lld, \"classes\": %d, \"tv\": %.17g, "
        "\"rate\": %.17g, \"sgd_rate\": %.17g, \"momentum\": %.17g, \"c\": %.17g, \"steps\": %d, "
        "\"inner\": %d, \"history\": %d, \"label\": %d, \"window\": %d, \"epsilon\": %.17g, "
        "\"lambda\": %.17g}",
        kinds[row->kind], row->model, (long long)row->n, row->classes, GNT_RECIPE_TV, BENCH_RATE,
        BENCH_SGD_RATE, BENCH_SGD_MOMENTUM, BENCH_LODA_C, row->steps, BENCH_INNER, BENCH_HISTORY,
        BENCH_RECUP_LABEL, BENCH_RECUP_WINDOW, BENCH_RECUP_EPSILON, BENCH_TAPPFL_LAMBDA);
}

static int write_file(const problem *q, const char *text, const char *path, gnt_err *err) {
    const gnt_recipe *r = q->r;
    gnt_st st;
    gnt_st_init(&st);
    gnt_nn_shape x = {.rank = q->row->sample.rank + 1, .dim = {r->n}}, y = {2, {r->n, q->row->classes}};
    memcpy(x.dim + 1, q->row->sample.dim, (size_t)q->row->sample.rank * sizeof *x.dim);
    int64_t rows = BENCH_ATTR_ROWS;
    int has_cost = !q->z && q->row->kind != BENCH_LODA && q->row->kind != BENCH_ATTR;
    int rc = gnt_st_set_metadata(&st, text, err) || add_weights(&st, q, err) ||
             add_floats(&st, q, "x", &x, r->x, err) || add_floats(&st, q, "y", &y, r->y, err) ||
             add_plain(&st, "target", r->n, r->x_count / r->n, q->target, err) ||
             add_plain(&st, "table", rows, q->row->sample.dim[0], q->table, err) ||
             add_plain(&st, "labels", rows, q->row->classes, q->labels, err) ||
             add_result(&st, "r.cost", 1, has_cost ? &q->cost : NULL, err) ||
             add_result(&st, "r.dx", r->x_count, q->dx, err) ||
             add_result(&st, "r.dy", r->y_count, q->dy, err) ||
             add_result(&st, "r.grad", r->n_weights, q->grad, err) ||
             add_result(&st, "r.z", r->y_count, q->z, err) || gnt_st_save(&st, path, err);
    gnt_st_free(&st);
    return rc ? -1 : 0;
}

static int write_best(const bench_row *row, const char *text, const char *path, gnt_err *err) {
    gnt_model *m = NULL;
    problem best = {0};
    double least = INFINITY;
    int rc = gnt_model_load(&m, row->model, &row->sample, row->classes, NULL, NULL, err);
    for (uint64_t seed = 1; rc == 0 && seed <= TRIES && least > CLOSE; seed++) {
        problem exact = {0}, rough = {0};
        rc =
            open_problem(&exact, row, m, 8, seed, err) || open_problem(&rough, row, m, 4, seed, err) ? -1 : 0;
        if (rc == 0) {
            double far = apart(rough.dx, exact.dx, exact.r->x_count);
            double far_y = apart(rough.dy, exact.dy, exact.r->y_count);
            double far_g = apart(rough.grad, exact.grad, exact.r->n_weights);
            double far_z = apart(rough.z, exact.z, exact.r->y_count);
            far = fmax(fmax(far, far_z), fmax(far_y, far_g));
            if (far < least) {
                problem kept = best;
                least = far;
                best = exact;
                exact = kept;
            }
        }
        close_problem(&exact);
        close_problem(&rough);
    }
    if (rc == 0)
        rc = best.r ? write_file(&best, text, path, err)
                    : gnt_fail(err, "%s: its results are not finite", row->name);
    close_problem(&best);
    gnt_model_free(m);
    return rc;
}

int bench_problem_write(const bench_row *row, const char *path, gnt_err *err) {
    const bench_own *own = bench_own_of(row->kind);
    char *text = row_text(row);
    int rc = !text ? gnt_fail(err, "out of memory")
             : own ? own->write(row, text, path, err)
                   : write_best(row, text, path, err);
    gnt_free(text);
    return rc;
}
