#include "tappfl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "defenses/representation/extractor.h"
#include "host.h"
#include "nn/plan/program.h"
#include "params.h"

/* The change of the weights in a first step is divided by this rate, at which the weights' own rounding is
 * negligible. */
#define FIRST_RATE 1024.0

typedef struct tappfl {
    const bench_row *row;
    bench_host host;
    gnt_st st;
    gnt_model *m;
    gnt_service *service;
    extractor plugin;
    gnt_samples samples;
    gnt_attribute attribute;
    int64_t *id;
    int32_t *a;
    float *params;      /* of the model */
    gnt_view side;      /* weights of g and h at the start */
    float *end;         /* side.count: what the plugin saves of them */
    float *moved;       /* of what is shared */
    gnt_tensor *update; /* its tensors */
    int32_t n_shared, n_step;
    float loss[2];
    bench_cost of_all;   /* but for its floor */
    gnt_step_cost *step; /* of the joint program */
} tappfl;

/* ---- from the file ---- */

static int take_params(tappfl *b, const char *path, gnt_err *err) {
    b->params = gnt_array((size_t)gnt_model_size(b->m), sizeof *b->params);
    return b->params ? bench_take_params(b->params, b->m, &b->st, path, err) : gnt_fail(err, "out of memory");
}

static const gnt_st_tensor *side_tensor(const tappfl *b, int32_t k) {
    char name[40];
    snprintf(name, sizeof name, "param.side.%d", k);
    return gnt_st_find(&b->st, name);
}

/* Copies the side networks' parameters, one behind the other, as the plugin keeps them. */
static int take_side(tappfl *b, gnt_err *err) {
    const gnt_st_tensor *t;
    size_t bytes = 0;
    for (int32_t k = 0; (t = side_tensor(b, k)) != NULL; k++)
        bytes += t->bytes;
    char *to = gnt_alloc(bytes);
    b->end = gnt_alloc(bytes);
    b->side = (gnt_view){.name = "side", .rank = 1, .count = (int64_t)(bytes / sizeof(float))};
    b->side.dim[0] = b->side.count;
    b->side.data = (const float *)(void *)to;
    if (!to || !b->end)
        return gnt_fail(err, "out of memory");
    for (int32_t k = 0; (t = side_tensor(b, k)) != NULL; to += t->bytes, k++)
        memcpy(to, t->data, t->bytes);
    return 0;
}

static int take_samples(tappfl *b, const char *path, gnt_err *err) {
    const bench_row *row = b->row;
    const gnt_st_tensor *x = gnt_st_need(&b->st, path, "x", GNT_ST_F32, -1, NULL, err);
    const int64_t features = gnt_nn_count(&row->sample);
    b->id = gnt_array((size_t)row->n, sizeof *b->id);
    b->a = gnt_array((size_t)row->n, sizeof *b->a);
    if (!x || !b->id || !b->a || x->bytes != (size_t)(row->n * features) * sizeof(float))
        return gnt_fail(err, "%s: no samples, or no memory for their attributes", path);
    for (int64_t i = 0; i < row->n; i++) {
        b->id[i] = i;
        b->a[i] = (int32_t)(i / 2);
    }
    b->attribute = (gnt_attribute){.name = "pair", .values = (int32_t)(row->n / 2), .weight = 1};
    b->samples = (gnt_samples){.size = sizeof b->samples,
                               .kind = GNT_KIND_IMAGE,
                               .n = row->n,
                               .rank = row->sample.rank,
                               .classes = row->classes,
                               .features = features,
                               .id = b->id,
                               .x = x->data,
                               .n_attributes = 1,
                               .attribute = &b->attribute,
                               .a = b->a};
    memcpy(b->samples.dim, row->sample.dim, sizeof b->samples.dim);
    return 0;
}

/* Allocates the update in which the plugin returns the change of its parameters. */
static int make_update(tappfl *b, gnt_err *err) {
    const gnt_model_info *info = gnt_service_table(b->service)->info;
    b->moved = gnt_array((size_t)gnt_model_shared_size(b->m), sizeof *b->moved);
    b->update = gnt_array((size_t)info->params.n, sizeof *b->update);
    if (!b->moved || !b->update)
        return gnt_fail(err, "out of memory");
    float *at = b->moved;
    for (int64_t k = 0; k < info->params.n; k++) {
        const gnt_view *v = &info->params.view[k];
        if (info->federated && !info->federated[k])
            continue;
        gnt_tensor *t = &b->update[b->n_shared++];
        *t = (gnt_tensor){.name = v->name, .rank = v->rank, .layer = v->layer, .count = v->count, .data = at};
        memcpy(t->dim, v->dim, sizeof t->dim);
        at += v->count;
    }
    return 0;
}

/* Measures the joint program and frees it: a step does not use it. */
static int take_costs(tappfl *b, gnt_err *err) {
    bench_joint joint;
    int rc = bench_joint_open(&joint, b->row, b->m, 4, err);
    if (rc == 0) {
        const gnt_program_size s = gnt_program_measure(joint.program);
        b->n_step = s.steps + s.constant;
        b->step = gnt_array((size_t)b->n_step, sizeof *b->step);
        rc = b->step ? 0 : gnt_fail(err, "out of memory");
        for (int32_t i = 0; rc == 0 && i < b->n_step; i++)
            b->step[i] = gnt_program_step(joint.program, i);
        b->of_all = (bench_cost){.set = s.arena + s.inputs, .arena = s.arena};
    }
    bench_joint_close(&joint);
    return rc;
}

static int tappfl_open(void **self, const bench_row *row, const char *path, gnt_err *err) {
    tappfl *b = *self = gnt_alloc(sizeof *b);
    if (!b)
        return gnt_fail(err, "out of memory");
    b->row = row;
    if (gnt_st_load(&b->st, path, err) ||
        gnt_model_load(&b->m, row->model, &row->sample, row->classes, NULL, NULL, err))
        return -1;
    const gnt_service_spec of = {.model = b->m, .name = row->model};
    if (gnt_service_new(&b->service, &of, err))
        return -1;
    bench_host_open(&b->host, b->service);
    if (take_params(b, path, err) || take_side(b, err) || take_samples(b, path, err) || make_update(b, err) ||
        take_costs(b, err))
        return -1;
    b->plugin = (extractor){.host = &b->host.host,
                            .setting = {.build = tappfl_objective,
                                        .lambda = BENCH_TAPPFL_LAMBDA,
                                        .sign = -1,
                                        .width = BENCH_TAPPFL_WIDTH}};
    return 0;
}

static void tappfl_free(void *self) {
    tappfl *b = self;
    if (!b)
        return;
    extractor_stop(&b->plugin);
    bench_host_leave(&b->host);
    gnt_service_free(b->service);
    gnt_model_free(b->m);
    gnt_st_free(&b->st);
    gnt_free(b->id);
    gnt_free(b->a);
    gnt_free(b->params);
    gnt_free((void *)(uintptr_t)b->side.data);
    gnt_free(b->end);
    gnt_free(b->moved);
    gnt_free(b->update);
    gnt_free(b->step);
    gnt_free(b);
}

/* ---- steps ---- */

static int tappfl_start(void *self, gnt_err *err) {
    tappfl *b = self;
    const gnt_key key = gnt_key_of_seed(1);
    const gnt_artefacts from = {.size = sizeof from, .tensors = {1, &b->side}};
    b->host.draws = gnt_stream_open(&key, "steps");
    return extractor_load(&b->plugin, 0, &from) == GNT_OK ? 0 : gnt_fail(err, "%s", b->host.said);
}

/* Trains a round. `last`: 1 for the last round, the only one that reports facts. */
static int train(tappfl *b, int32_t steps, double rate, int last, gnt_err *err) {
    gnt_tensors update = {b->n_shared, b->update};
    const gnt_client client = {.size = sizeof client,
                               .round = last,
                               .rounds = 2,
                               .n_clients = 1,
                               .per_round = 1,
                               .n_samples = b->row->n,
                               .rate = rate,
                               .steps = steps,
                               .batch = b->row->n,
                               .samples = &b->samples,
                               .weights = b->params};
    if (extractor_client_update(&b->plugin, &client, &update) != GNT_OK)
        return gnt_fail(err, "%s", b->host.said);
    b->loss[0] = (float)bench_host_fact(&b->host, "hidden_loss");
    b->loss[1] = (float)bench_host_fact(&b->host, "kept_loss");
    bench_host_leave(&b->host);
    return 0;
}

/* Runs a round, which is a whole block: f begins at the file's weights, g and h where they were. */
static int64_t tappfl_run(void *self, int64_t n, gnt_err *err) {
    return train(self, (int32_t)n, BENCH_SGD_RATE, 0, err) ? -1 : n;
}

static gnt_status keep_side(void *context, const char *name, int32_t rank, const int64_t *dim,
                            const float *data) {
    tappfl *b = context;
    (void)name;
    if (rank != 1 || dim[0] != b->side.count)
        return GNT_FAILED;
    memcpy(b->end, data, (size_t)b->side.count * sizeof *b->end);
    return GNT_OK;
}

static int tappfl_first(void *self, bench_result out[BENCH_OWN_RESULTS], gnt_err *err) {
    tappfl *b = self;
    const gnt_sink sink = {.size = sizeof sink, .context = b, .tensor = keep_side};
    const int64_t shared = gnt_model_shared_size(b->m);
    if (tappfl_start(b, err) || train(b, 1, FIRST_RATE, 1, err))
        return -1;
    if (extractor_save(&b->plugin, 0, &sink) != GNT_OK)
        return gnt_fail(err, "the networks that a device keeps are of another size");
    for (int64_t i = 0; i < shared; i++)
        b->moved[i] *= (float)(-1 / FIRST_RATE);
    for (int64_t i = 0; i < b->side.count; i++)
        b->end[i] = (b->end[i] - b->side.data[i]) * (float)(-1 / FIRST_RATE);
    out[0] = (bench_result){"r.losses", b->loss, 2};
    out[1] = (bench_result){"r.grad", b->moved, shared};
    out[2] = (bench_result){"r.own", b->end, b->side.count};
    return 0;
}

/* ---- what it costs ---- */

/* Returns the cost of the joint program and of SGD: weights read and written, derivatives read. */
static bench_cost tappfl_cost(const void *self, double flop_rate, double byte_rate) {
    const tappfl *b = self;
    bench_cost c = b->of_all;
    c.bytes = 3 * (double)sizeof(float) * (double)(gnt_model_shared_size(b->m) + b->side.count);
    c.floor = c.bytes / byte_rate;
    for (int32_t i = 0; i < b->n_step; i++) {
        const gnt_step_cost *s = &b->step[i];
        if (s->stage < 0)
            continue;
        c.flops += s->flops;
        c.bytes += s->bytes;
        c.floor += s->conversion ? 0 : fmax(s->flops / flop_rate, s->bytes / byte_rate);
    }
    return c;
}

const bench_own bench_tappfl_own = {.write = bench_tappfl_write,
                                    .open = tappfl_open,
                                    .free = tappfl_free,
                                    .start = tappfl_start,
                                    .run = tappfl_run,
                                    .first = tappfl_first,
                                    .cost = tappfl_cost};
