/* work: gauntlet's side of a row: the calls that plugins and federated training make, on a problem from a
 * file. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "bench.h"
#include "nn/plan/program.h"
#include "nn/model/recipe.h"
#include "nn/model/train.h"
#include "own.h"

struct bench_work {
    const bench_row *row;
    gnt_model *m;
    const gnt_param *list;
    int32_t n_list;
    const bench_own *own; /* NULL: what follows does it; else `self` does */
    void *self;
    gnt_recipe *r;  /* all but BENCH_TRAIN; BENCH_ATTACK makes its own in every unit */
    gnt_trainer *t; /* BENCH_TRAIN */
    gnt_adam *adam;
    gnt_lbfgs *lbfgs;
    int64_t n_weights, n_statistics, n_x, n_y;
    float *params, *buffers, *x, *y, *seen; /* as in the file */
    float *params_now, *buffers_now, *stats, *grad, *velocity;
    float *z; /* BENCH_DLG: image and label logits */
    float *target, *table, *labels;
    float **kept; /* BENCH_LODA: features of the target */
    double cost;
};

/* ---- from the file ---- */

/* Copies a tensor of n float entries; *out is NULL if there is none of that name. */
static int take(const gnt_st *st, const char *path, const char *name, int64_t n, float **out, gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    *out = NULL;
    if (!t)
        return 0;
    if (t->type != GNT_ST_F32 || t->bytes != (size_t)n * sizeof **out)
        return gnt_fail(err, "%s: %s does not have %lld float entries", path, name, (long long)n);
    *out = gnt_aligned((size_t)n, sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory");
    memcpy(*out, t->data, t->bytes);
    return 0;
}

static int take_weights(bench_work *w, const gnt_st *st, const char *path, gnt_err *err) {
    w->params = gnt_aligned((size_t)w->n_weights, sizeof *w->params);
    w->buffers = gnt_aligned((size_t)w->n_statistics + 1, sizeof *w->buffers);
    w->seen = gnt_aligned((size_t)w->n_weights, sizeof *w->seen);
    if (!w->params || !w->buffers || !w->seen)
        return gnt_fail(err, "out of memory");
    for (int32_t k = 0; k < w->n_list; k++) {
        const gnt_param *p = &w->list[k];
        size_t bytes = (size_t)gnt_nn_count(&p->shape) * sizeof(float);
        char *name = gnt_format("%s.%s", p->buffer ? "buffer" : "param", p->name);
        char *seen = gnt_format("seen.%s", p->name);
        const gnt_st_tensor *t = name ? gnt_st_find(st, name) : NULL,
                            *s = seen ? gnt_st_find(st, seen) : NULL;
        gnt_free(name);
        gnt_free(seen);
        if (!t || t->bytes != bytes || (s && s->bytes != bytes))
            return gnt_fail(err, "%s: parameter %s is missing or misshapen", path, p->name);
        memcpy((p->buffer ? w->buffers : w->params) + p->offset, t->data, bytes);
        if (s)
            memcpy(w->seen + p->offset, s->data, bytes);
    }
    return 0;
}

static int take_all(bench_work *w, const char *path, gnt_err *err) {
    gnt_st st = {0};
    if (gnt_st_load(&st, path, err))
        return -1;
    int64_t columns = w->row->sample.dim[0], rows = BENCH_ATTR_ROWS;
    int rc = take_weights(w, &st, path, err) || take(&st, path, "x", w->n_x, &w->x, err) ||
             take(&st, path, "y", w->n_y, &w->y, err) || take(&st, path, "target", w->n_x, &w->target, err) ||
             take(&st, path, "table", rows * columns, &w->table, err) ||
             take(&st, path, "labels", rows * w->row->classes, &w->labels, err);
    gnt_st_free(&st);
    return rc ? -1 : 0;
}

/* ---- making it ready ---- */

static int make_recipe(bench_work *w, gnt_recipe_kind kind, gnt_err *err) {
    gnt_recipe_free(w->r);
    w->r = NULL;
    if (gnt_recipe_new(&w->r, w->m, kind, w->row->n, 4, err))
        return -1;
    memcpy(w->r->params, w->params, (size_t)w->n_weights * sizeof(float));
    memcpy(w->r->buffers, w->buffers, (size_t)w->n_statistics * sizeof(float));
    memcpy(w->r->x, w->x, (size_t)w->n_x * sizeof(float));
    memcpy(w->r->y, w->y, (size_t)w->n_y * sizeof(float));
    if (w->r->seen)
        memcpy(w->r->seen, w->seen, (size_t)w->n_weights * sizeof(float));
    return 0;
}

static int ready_loda(bench_work *w, gnt_err *err) {
    if (make_recipe(w, GNT_RECIPE_FEATURES, err))
        return -1;
    w->kept = gnt_array((size_t)w->r->n_features, sizeof *w->kept);
    if (!w->kept || !w->target)
        return gnt_fail(err, "out of memory, or a file without target");
    memcpy(w->r->x, w->target, (size_t)w->n_x * sizeof(float));
    gnt_program_run(w->r->program, 0);
    for (int32_t f = 0; f < w->r->n_features; f++) {
        size_t n = (size_t)w->r->feature_count[f];
        w->kept[f] = gnt_aligned(n, sizeof(float));
        if (!w->kept[f])
            return gnt_fail(err, "out of memory");
        memcpy(w->kept[f], gnt_program_output(w->r->program, w->r->first + f), n * sizeof(float));
    }
    return 0;
}

static int ready_training(bench_work *w, gnt_err *err) {
    size_t n = (size_t)w->n_weights, s = (size_t)w->n_statistics + 1;
    w->params_now = gnt_aligned(n, sizeof(float));
    w->buffers_now = gnt_aligned(s, sizeof(float));
    w->stats = gnt_aligned(s, sizeof(float));
    w->grad = gnt_aligned(n, sizeof(float));
    w->velocity = gnt_aligned(n, sizeof(float));
    if (!w->params_now || !w->buffers_now || !w->stats || !w->grad || !w->velocity)
        return gnt_fail(err, "out of memory");
    if (w->row->kind == BENCH_ATTR)
        return w->table && w->labels ? make_recipe(w, GNT_RECIPE_TRAIN, err)
                                     : gnt_fail(err, "a file without rows of attr-nn");
    return gnt_trainer_new(&w->t, w->m, w->row->n, 1, err);
}

static int ready(bench_work *w, gnt_err *err) {
    int64_t n = w->n_x + w->n_y;
    switch (w->row->kind) {
    case BENCH_LODA:
        return ready_loda(w, err);
    case BENCH_TRAIN:
    case BENCH_ATTR:
        return ready_training(w, err);
    case BENCH_DLG:
        w->z = gnt_aligned((size_t)n, sizeof *w->z);
        w->lbfgs = gnt_lbfgs_new(n, BENCH_HISTORY);
        if (!w->z || !w->lbfgs)
            return gnt_fail(err, "out of memory");
        return make_recipe(w, GNT_RECIPE_DLG, err);
    case BENCH_FORWARD:
        return make_recipe(w, GNT_RECIPE_FORWARD, err);
    default:
        w->adam = gnt_adam_new(w->n_x, 0.9, 0.999, 1e-8);
        return w->adam ? make_recipe(w, GNT_RECIPE_MATCH, err) : gnt_fail(err, "out of memory");
    }
}

int bench_work_open(bench_work **out, const bench_row *row, const char *path, gnt_err *err) {
    bench_work *w = *out = gnt_alloc(sizeof *w);
    if (!w)
        return gnt_fail(err, "out of memory");
    w->row = row;
    w->own = bench_own_of(row->kind);
    if (w->own)
        return w->own->open(&w->self, row, path, err);
    if (gnt_model_load(&w->m, row->model, &row->sample, row->classes, NULL, NULL, err))
        return -1;
    w->n_list = gnt_model_params(w->m, &w->list);
    w->n_weights = gnt_model_size(w->m);
    w->n_statistics = gnt_model_buffer_size(w->m);
    w->n_x = row->n * gnt_nn_count(&row->sample);
    w->n_y = row->n * row->classes;
    if (take_all(w, path, err) || ready(w, err))
        return -1;
    if (row->kind == BENCH_MATCH || row->kind == BENCH_LODA ||
        row->kind == BENCH_FORWARD) { /* the recipe has them, and never changes them */
        gnt_free_aligned(w->params);
        gnt_free_aligned(w->seen);
        w->params = w->seen = NULL;
    }
    return 0;
}

void bench_work_free(bench_work *w) {
    if (!w)
        return;
    for (int32_t f = 0; w->kept && f < w->r->n_features; f++)
        gnt_free_aligned(w->kept[f]);
    gnt_free(w->kept);
    if (w->own)
        w->own->free(w->self);
    gnt_recipe_free(w->r);
    gnt_trainer_free(w->t);
    gnt_model_free(w->m);
    gnt_adam_free(w->adam);
    gnt_lbfgs_free(w->lbfgs);
    float *all[] = {w->params, w->buffers, w->x,        w->y, w->seen,   w->params_now, w->buffers_now,
                    w->stats,  w->grad,    w->velocity, w->z, w->target, w->table,      w->labels};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gnt_free_aligned(all[i]);
    gnt_free(w);
}

/* ---- steps ---- */

static void match_step(bench_work *w) {
    gnt_recipe *r = w->r;
    gnt_program_run(r->program, 0);
    w->cost = (double)*(const float *)gnt_program_output(r->program, r->cost);
    gnt_adam_step_signed(w->adam, r->x, gnt_program_output(r->program, r->dx), BENCH_RATE);
    gnt_project_box(r->x, r->x_count, 0, 1);
}

static int attack(bench_work *w, gnt_err *err) {
    if (make_recipe(w, GNT_RECIPE_MATCH, err))
        return -1;
    gnt_adam_reset(w->adam);
    for (int i = 0; i < w->row->steps; i++)
        match_step(w);
    return 0;
}

static double dlg_cost(void *context, const float *z, float *grad) {
    bench_work *w = context;
    gnt_recipe *r = w->r;
    memcpy(r->x, z, (size_t)w->n_x * sizeof *z);
    memcpy(r->y, z + w->n_x, (size_t)w->n_y * sizeof *z);
    gnt_program_run(r->program, 0);
    memcpy(grad, gnt_program_output(r->program, r->dx), (size_t)w->n_x * sizeof *z);
    memcpy(grad + w->n_x, gnt_program_output(r->program, r->dy), (size_t)w->n_y * sizeof *z);
    return (double)*(const float *)gnt_program_output(r->program, r->cost);
}

static void dlg_start(bench_work *w) {
    memcpy(w->z, w->x, (size_t)w->n_x * sizeof *w->z);
    memcpy(w->z + w->n_x, w->y, (size_t)w->n_y * sizeof *w->z);
    gnt_lbfgs_reset(w->lbfgs);
}

/* Makes one call of L-BFGS; restarts it if it has converged. Returns the evaluations. */
static int64_t dlg_step(bench_work *w) {
    int64_t n = 0;
    gnt_lbfgs_step(w->lbfgs, w->z, 1, BENCH_INNER, 0, dlg_cost, w, &n);
    if (n < BENCH_INNER)
        dlg_start(w);
    return n;
}

static int train_step(bench_work *w, gnt_err *err) {
    if (gnt_trainer_gradient(w->t, w->params_now, w->buffers_now, w->x, w->y, NULL, &w->cost, w->stats, err))
        return -1;
    for (int64_t i = 0; i < w->n_statistics; i++)
        w->buffers_now[i] = 0.9f * w->buffers_now[i] + 0.1f * w->stats[i];
    gnt_trainer_descend(w->t, w->params_now, NULL, BENCH_SGD_RATE, 0, 0);
    return 0;
}

static void attr_epoch(bench_work *w) {
    gnt_recipe *r = w->r;
    int64_t columns = w->row->sample.dim[0], values = w->row->classes;
    for (int64_t from = 0; from < BENCH_ATTR_ROWS; from += r->n) {
        memcpy(r->x, w->table + from * columns, (size_t)(r->n * columns) * sizeof(float));
        memcpy(r->y, w->labels + from * values, (size_t)(r->n * values) * sizeof(float));
        gnt_program_run(r->program, 0);
        for (int32_t k = 0; k < r->n_params; k++)
            gnt_sgd_step((float *)r->params + w->list[k].offset, w->velocity + w->list[k].offset,
                         gnt_program_output(r->program, r->first + k), gnt_nn_count(&w->list[k].shape),
                         BENCH_SGD_RATE, BENCH_SGD_MOMENTUM, 0);
    }
}

/* Takes a step x ← box(x − rate·d/‖d‖), norms by image, d as in problem.c; w->grad holds the d of the
 * first step. */
static void loda_step(bench_work *w) {
    gnt_recipe *r = w->r;
    gnt_program_run(r->program, 0);
    for (int32_t f = 0; f < r->n_features; f++) {
        const float *at = gnt_program_output(r->program, r->first + f);
        float *pull = r->pull[f];
        for (int64_t i = 0; i < r->feature_count[f]; i++)
            pull[i] = 2 * (at[i] - w->kept[f][i]);
    }
    gnt_program_run(r->program, 1);
    const float *dx = gnt_program_output(r->program, r->dx);
    float *x = r->x;
    const float c = 2 * (float)BENCH_LODA_C;
    for (int64_t image = 0, size = w->n_x / r->n; image < r->n; image++) {
        int64_t from = image * size;
        double squares = 0;
        for (int64_t i = from; i < from + size; i++) {
            double d = (double)(dx[i] - c * (x[i] - w->target[i]));
            squares += d * d;
        }
        float step = (float)(BENCH_RATE / sqrt(squares));
        for (int64_t i = from; i < from + size; i++)
            x[i] -= step * (dx[i] - c * (x[i] - w->target[i]));
    }
    gnt_project_box(x, r->x_count, 0, 1);
}

static int start(bench_work *w, gnt_err *err) {
    if (w->own)
        return w->own->start(w->self, err);
    if (w->row->kind == BENCH_DLG)
        dlg_start(w);
    if (w->adam)
        gnt_adam_reset(w->adam);
    if (w->params_now) {
        memcpy(w->params_now, w->params, (size_t)w->n_weights * sizeof(float));
        memcpy(w->buffers_now, w->buffers, (size_t)w->n_statistics * sizeof(float));
        memset(w->velocity, 0, (size_t)w->n_weights * sizeof(float));
    }
    if (w->r) {
        memcpy(w->r->x, w->x, (size_t)w->n_x * sizeof(float));
        if (w->row->kind == BENCH_ATTR)
            memcpy(w->r->params, w->params, (size_t)w->n_weights * sizeof(float));
    }
    return 0;
}

/* Makes one call, for n units or fewer; returns the units done, or −1. */
static int64_t step(bench_work *w, int64_t n, gnt_err *err) {
    if (w->own)
        return w->own->run(w->self, n, err);
    switch (w->row->kind) {
    case BENCH_MATCH:
        match_step(w);
        return 1;
    case BENCH_ATTACK:
        return attack(w, err) ? -1 : 1;
    case BENCH_DLG:
        return dlg_step(w);
    case BENCH_TRAIN:
        return train_step(w, err) ? -1 : 1;
    case BENCH_LODA:
        loda_step(w);
        return 1;
    case BENCH_FORWARD:
        gnt_program_run(w->r->program, 0);
        return 1;
    default:
        attr_epoch(w);
        return 1;
    }
}

static double clock_now(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bench_work_run(bench_work *w, int64_t n, int64_t *units, double *cpu, double *wall, gnt_err *err) {
    if (start(w, err))
        return -1;
    *units = 0;
    *wall = clock_now(CLOCK_MONOTONIC);
    *cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    while (*units < n) {
        int64_t done = step(w, n - *units, err);
        if (done < 0)
            return -1;
        *units += done;
    }
    *cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - *cpu;
    *wall = clock_now(CLOCK_MONOTONIC) - *wall;
    return 0;
}

/* ---- the check ---- */

static int compare(const gnt_st *st, const char *name, const float *got, int64_t n, double *worst,
                   gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    if (!t)
        return 0;
    if (t->type != GNT_ST_F64 || t->bytes != (size_t)n * sizeof(double) || !got)
        return gnt_fail(err, "result %s does not have %lld entries", name, (long long)n);
    double d = 0, s = 0;
    const double *right = t->data;
    for (int64_t i = 0; i < n; i++) {
        d += ((double)got[i] - right[i]) * ((double)got[i] - right[i]);
        s += right[i] * right[i];
    }
    double apart = sqrt(d / s);
    *worst = !(apart <= *worst) ? apart : *worst; /* NaN stays */
    return 0;
}

/* Computes LODA's direction, which the step itself does not keep. */
static float *loda_direction(const bench_work *w, const float *x, const float *dx) {
    float *d = gnt_array((size_t)w->n_x, sizeof *d);
    for (int64_t i = 0; d && i < w->n_x; i++)
        d[i] = dx[i] - 2 * (float)BENCH_LODA_C * (x[i] - w->target[i]);
    return d;
}

static int compare_all(bench_work *w, const gnt_st *st, double *worst, gnt_err *err) {
    const gnt_recipe *r = w->r;
    float cost = (float)w->cost, *made = NULL;
    const float *dx = r && r->dx >= 0 ? gnt_program_output(r->program, r->dx) : NULL;
    const float *dy = r && r->dy >= 0 ? gnt_program_output(r->program, r->dy) : NULL, *grad = w->grad;
    if (w->row->kind == BENCH_LODA)
        dx = made = loda_direction(w, w->x, dx);
    if (w->row->kind == BENCH_ATTR) {
        for (int64_t i = 0; i < w->n_weights; i++)
            w->grad[i] = ((const float *)r->params)[i] - w->params[i];
    }
    const float *z = w->row->kind == BENCH_FORWARD ? gnt_program_output(r->program, r->first) : NULL;
    int rc = compare(st, "r.z", z, w->n_y, worst, err) || compare(st, "r.cost", &cost, 1, worst, err) ||
             compare(st, "r.dx", dx, w->n_x, worst, err) || compare(st, "r.dy", dy, w->n_y, worst, err) ||
             compare(st, "r.grad", grad, w->n_weights, worst, err);
    gnt_free(made);
    return rc ? -1 : 0;
}

/* Copies the results of a first step that are compared. */
static int take_first(bench_work *w, gnt_err *err) {
    if (start(w, err))
        return -1;
    if (w->row->kind == BENCH_DLG) {
        float *grad = gnt_array((size_t)(w->n_x + w->n_y), sizeof *grad);
        if (!grad)
            return gnt_fail(err, "out of memory");
        w->cost = dlg_cost(w, w->z, grad);
        gnt_free(grad);
    } else if (w->row->kind == BENCH_ATTACK) {
        match_step(w);
    } else if (w->row->kind == BENCH_TRAIN) {
        return gnt_trainer_gradient(w->t, w->params_now, w->buffers_now, w->x, w->y, w->grad, &w->cost,
                                    w->stats, err);
    } else if (step(w, 1, err) < 0) {
        return -1;
    }
    return 0;
}

static int compare_own(const bench_work *w, const gnt_st *st, double *worst, gnt_err *err) {
    bench_result all[BENCH_OWN_RESULTS] = {0};
    if (w->own->first(w->self, all, err))
        return -1;
    for (int i = 0; i < BENCH_OWN_RESULTS && all[i].name; i++)
        if (!gnt_st_find(st, all[i].name))
            return gnt_fail(err, "the problem has no result %s", all[i].name);
        else if (compare(st, all[i].name, all[i].got, all[i].n, worst, err))
            return -1;
    return 0;
}

int bench_work_check(bench_work *w, const char *path, double *worst, gnt_err *err) {
    gnt_st st = {0};
    *worst = 0;
    if ((!w->own && take_first(w, err)) || gnt_st_load(&st, path, err))
        return -1;
    int rc = w->own ? compare_own(w, &st, worst, err) : compare_all(w, &st, worst, err);
    gnt_st_free(&st);
    return rc;
}

/* ---- what it costs ---- */

static const gnt_program *program_of(const bench_work *w) {
    return w->t ? gnt_trainer_program(w->t) : w->r->program;
}

/* Runs of the program in a unit. */
static double runs(const bench_work *w) {
    return w->row->kind == BENCH_ATTACK ? w->row->steps
           : w->row->kind == BENCH_ATTR ? (double)(BENCH_ATTR_ROWS / w->row->n)
                                        : 1;
}

/* Returns the bytes that a step moves outside the program: vectors read and written by the optimiser;
 * features compared. */
static double outside_bytes(const bench_work *w) {
    double n = 0;
    switch (w->row->kind) {
    case BENCH_MATCH:
    case BENCH_ATTACK: /* x and two moments read and written, the gradient read */
        n = 7 * (double)w->n_x;
        break;
    case BENCH_DLG: /* two loops over some ten pairs, each reading a pair and updating the direction */
        n = 60 * (double)(w->n_x + w->n_y);
        break;
    case BENCH_TRAIN: /* weights read and written, gradient read */
        n = 3 * (double)w->n_weights;
        break;
    case BENCH_ATTR: /* the same and momentum read and written */
        n = 5 * (double)w->n_weights;
        break;
    case BENCH_LODA:
        for (int32_t f = 0; f < w->r->n_features; f++)
            n += 3 * (double)w->r->feature_count[f];
        break;
    default: /* its own count has all */
        break;
    }
    return 4 * n;
}

bench_cost bench_work_cost(const bench_work *w, double flop_rate, double byte_rate) {
    if (w->own)
        return w->own->cost(w->self, flop_rate, byte_rate);
    const gnt_program *p = program_of(w);
    const gnt_program_size s = gnt_program_measure(p);
    bench_cost c = {
        .set = s.arena + s.inputs, .arena = gnt_program_arena_bytes(p), .bytes = outside_bytes(w)};
    for (int32_t i = 0; i < s.steps + s.constant; i++) {
        const gnt_step_cost step = gnt_program_step(p, i);
        if (step.stage < 0)
            continue;
        c.flops += step.flops;
        c.bytes += step.bytes;
    }
    c.flops *= runs(w);
    c.bytes *= runs(w);
    c.floor = runs(w) * (gnt_program_floor(p, flop_rate, byte_rate) + outside_bytes(w) / byte_rate);
    return c;
}
