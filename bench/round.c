#include "round.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/plan/program.h"
#include "params.h"

/* ---- a training ---- */

static int is_first(void *context, int32_t round, int32_t client) {
    (void)client;
    return context && round == 0;
}

static int received(void *context, const gnt_fl_receipt *receipt, gnt_err *err) {
    uint32_t *order = context;
    if (!order || receipt->round > 0)
        return 0;
    if (receipt->used->n != BENCH_ROUND_EACH)
        return gnt_fail(err, "client %d used %lld samples; expected %d", receipt->client,
                        (long long)receipt->used->n, BENCH_ROUND_EACH);
    for (int64_t i = 0; i < BENCH_ROUND_EACH; i++)
        order[receipt->client * BENCH_ROUND_EACH + i] =
            (uint32_t)receipt->client * BENCH_ROUND_EACH + receipt->used->row[i];
    return 0;
}

static int after_round(void *context, int32_t done, const float *weights, const float *buffers,
                       gnt_err *err) {
    (void)context, (void)done, (void)weights, (void)buffers, (void)err;
    return 0;
}

static int never(void *context) {
    (void)context;
    return 0;
}

/* Deals the samples in their order. */
static void deal(int64_t *start, uint32_t *index, int64_t *id) {
    for (int32_t k = 0; k <= BENCH_ROUND_CLIENTS; k++)
        start[k] = (int64_t)k * BENCH_ROUND_EACH;
    for (uint32_t i = 0; i < BENCH_ROUND_SAMPLES; i++) {
        index[i] = i;
        id[i] = i;
    }
}

static gnt_samples samples_of(const bench_row *row, const float *x, const float *y, const int64_t *id) {
    gnt_samples s = {.size = sizeof s,
                     .kind = GNT_KIND_IMAGE,
                     .n = BENCH_ROUND_SAMPLES,
                     .rank = row->sample.rank,
                     .classes = row->classes,
                     .features = gnt_nn_count(&row->sample),
                     .id = id,
                     .x = x,
                     .y = y};
    for (int32_t i = 0; i < row->sample.rank; i++)
        s.dim[i] = row->sample.dim[i];
    return s;
}

int bench_round_train(const bench_row *row, const gnt_model *m, const float *x, const float *y,
                      int32_t rounds, float *params, uint32_t *order, gnt_err *err) {
    const gnt_fl_config config = {.rounds = rounds,
                                  .steps = BENCH_ROUND_STEPS,
                                  .batch = row->n,
                                  .rate = BENCH_SGD_RATE,
                                  .participation = 1,
                                  .training_stats = 1,
                                  .clients = BENCH_ROUND_CLIENTS};
    int64_t start[BENCH_ROUND_CLIENTS + 1], id[BENCH_ROUND_SAMPLES];
    uint32_t index[BENCH_ROUND_SAMPLES];
    float none[1] = {0}; /* the model has no running statistics */
    const gnt_chain chain = {.n_params = gnt_model_size(m)};
    const gnt_partition part = {.clients = BENCH_ROUND_CLIENTS, .start = start, .index = index};
    const gnt_fl_watch watch = {.context = order,
                                .wants = is_first,
                                .received = order ? received : NULL,
                                .after_round = after_round,
                                .should_stop = never};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_fl *fl = NULL;
    deal(start, index, id);
    const gnt_samples data = samples_of(row, x, y, id);
    const int rc = gnt_fl_new(&fl, m, &config, &chain, &key, err) ||
                   gnt_fl_train(fl, &data, &part, NULL, params, none, NULL, &watch, err);
    gnt_fl_free(fl);
    return rc ? -1 : 0;
}

/* ---- gauntlet's side ---- */

typedef struct round_row {
    const bench_row *row;
    gnt_model *m;
    gnt_st st;
    const float *x, *y; /* borrowed of the file */
    int64_t n;          /* weights */
    float *params, *now;
    gnt_trainer *step; /* for its cost */
} round_row;

static int open_row(void **self, const bench_row *row, const char *path, gnt_err *err) {
    round_row *b = *self = gnt_alloc(sizeof *b);
    if (!b)
        return gnt_fail(err, "out of memory");
    b->row = row;
    if (gnt_st_load(&b->st, path, err) ||
        gnt_model_load(&b->m, row->model, &row->sample, row->classes, NULL, NULL, err))
        return -1;
    const gnt_st_tensor *x = gnt_st_need(&b->st, path, "x", GNT_ST_F32, -1, NULL, err),
                        *y = gnt_st_need(&b->st, path, "y", GNT_ST_F32, -1, NULL, err);
    if (!x || !y)
        return -1;
    b->x = x->data;
    b->y = y->data;
    b->n = gnt_model_size(b->m);
    b->params = gnt_aligned((size_t)b->n, sizeof *b->params);
    b->now = gnt_aligned((size_t)b->n, sizeof *b->now);
    if (!b->params || !b->now)
        return gnt_fail(err, "out of memory");
    return bench_take_params(b->params, b->m, &b->st, path, err) ||
                   gnt_trainer_new(&b->step, b->m, row->n, 1, err)
               ? -1
               : 0;
}

static void free_row(void *self) {
    round_row *b = self;
    if (!b)
        return;
    gnt_trainer_free(b->step);
    gnt_model_free(b->m);
    gnt_st_free(&b->st);
    gnt_free_aligned(b->params);
    gnt_free_aligned(b->now);
    gnt_free(b);
}

static int start_row(void *self, gnt_err *err) {
    round_row *b = self;
    (void)err;
    memcpy(b->now, b->params, (size_t)b->n * sizeof *b->now);
    return 0;
}

static int64_t run_row(void *self, int64_t n, gnt_err *err) {
    round_row *b = self;
    const int32_t rounds = (int32_t)(n < 1000 ? n : 1000);
    return bench_round_train(b->row, b->m, b->x, b->y, rounds, b->now, NULL, err) ? -1 : rounds;
}

/* Leaves the change of the weights in `now`. */
static int first_row(void *self, bench_result out[BENCH_OWN_RESULTS], gnt_err *err) {
    round_row *b = self;
    if (start_row(b, err) || run_row(b, 1, err) < 0)
        return -1;
    for (int64_t i = 0; i < b->n; i++)
        b->now[i] -= b->params[i];
    out[0] = (bench_result){"r.grad", b->now, b->n};
    return 0;
}

/* Counts the local steps, and of the server that it reads each update once. */
static bench_cost cost_row(const void *self, double flop_rate, double byte_rate) {
    const round_row *b = self;
    const gnt_program *p = gnt_trainer_program(b->step);
    const gnt_program_size s = gnt_program_measure(p);
    const double steps = BENCH_ROUND_CLIENTS * BENCH_ROUND_STEPS, weights = 4 * (double)b->n,
                 outside = 3 * weights * steps + weights * BENCH_ROUND_CLIENTS;
    bench_cost c = {.set = s.arena + s.inputs, .arena = gnt_program_arena_bytes(p), .bytes = outside};
    for (int32_t i = 0; i < s.steps + s.constant; i++) {
        const gnt_step_cost step = gnt_program_step(p, i);
        if (step.stage < 0)
            continue;
        c.flops += steps * step.flops;
        c.bytes += steps * step.bytes;
    }
    c.floor = steps * gnt_program_floor(p, flop_rate, byte_rate) + outside / byte_rate;
    return c;
}

const bench_own bench_round_own = {.write = bench_round_write,
                                   .open = open_row,
                                   .free = free_row,
                                   .start = start_row,
                                   .run = run_row,
                                   .first = first_row,
                                   .cost = cost_row};
