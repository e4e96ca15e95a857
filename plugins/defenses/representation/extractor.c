#include "extractor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/steps/running_statistics.h"
#include "shared/try.h"

enum { HIDDEN, KEPT, BY_R, SCORES, OUTPUTS };

static void forget(extractor *e) {
    const gnt_model_service *m = e->host->model;
    gnt_program_free(e->now.program);
    if (e->now.features && m)
        m->release(m->context, e->now.features);
    e->now = (extractor_program){0};
}

void extractor_stop(void *self) {
    extractor *e = self;
    gnt_program_free(e->now.program);
    for (int32_t i = 0; i < e->states; i++)
        free(e->state[i].flat);
    free(e->state);
}

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the side networks; a smaller `width` needs "
                               "less");
}

/* ---- the program ---- */

static int same_shape(const objective_shape *a, const objective_shape *b) {
    return a->rows == b->rows && a->values == b->values && a->classes == b->classes &&
           a->of_program == b->of_program && a->x_rank == b->x_rank &&
           memcmp(a->x_dim, b->x_dim, sizeof a->x_dim) == 0;
}

static gnt_status build(extractor *e) {
    extractor_program *c = &e->now;
    gnt_node out[OUTPUTS + SIDE_TENSORS];
    char error[300] = "no memory for the side networks";
    objective *o = &c->nodes;
    gnt_graph *g = gnt_graph_new();
    *o = (objective){.r = -1};
    if (!g)
        return no_memory(e->host);
    e->setting.build(g, &c->shape, o);
    out[HIDDEN] = o->hidden;
    out[KEPT] = o->kept;
    out[SCORES] = o->scores >= 0 ? o->scores : o->u;
    out[BY_R] = objective_by_r(g, o);
    gnt_nn_vjp(g, &o->own, NULL, 1, o->side.node, o->side.n, out + OUTPUTS);
    c->program = gnt_program_new(g, out, NULL, OUTPUTS + o->side.n, 4, error, sizeof error);
    gnt_graph_free(g);
    return c->program ? GNT_OK : gnt_host_fail(e->host, error);
}

static gnt_status compile(extractor *e, const objective_shape *shape) {
    const gnt_model_service *m = e->host->model;
    const gnt_layer_info *layer = &m->info->layer[m->info->representation];
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = GNT_FN_FEATURES,
                                    .n = shape->rows,
                                    .layer = &m->info->representation,
                                    .n_layers = 1,
                                    .training = -1,
                                    .vjp = GNT_WRT_WEIGHTS};
    if (e->now.program && same_shape(&e->now.shape, shape))
        return GNT_OK;
    forget(e);
    e->now.shape = *shape;
    e->now.shape.r_rank = layer->rank;
    for (int32_t i = 0; i < 3; i++)
        e->now.shape.r_dim[i] = i < layer->rank ? layer->dim[i] : 0;
    if (layer->rank != 1 && layer->rank != 3)
        return gnt_host_fail(e->host, "the representation must be a vector or channels of an image");
    e->now.features = m->prepare(m->context, &spec);
    if (!e->now.features)
        return gnt_host_fail(e->host, gnt_host_last_error(e->host));
    return build(e);
}

/* ---- a device's state ---- */

/* Returns the client's state, which is empty at first; NULL when memory ran out. */
static extractor_state *state_of(extractor *e, int32_t client) {
    if (client >= e->states) {
        extractor_state *more = realloc(e->state, ((size_t)client + 1) * sizeof *more);
        if (!more)
            return NULL;
        memset(more + e->states, 0, (size_t)(client + 1 - e->states) * sizeof *more);
        e->state = more;
        e->states = client + 1;
    }
    return &e->state[client];
}

/* Allocates n entries in place of the earlier ones, whose values are lost. Returns 0 when memory ran out. */
static int make_room(extractor_state *state, int64_t n) {
    free(state->flat);
    state->flat = malloc((size_t)n * sizeof *state->flat);
    state->n = state->flat ? n : 0;
    return state->flat != NULL;
}

static gnt_status begin_state(extractor *e, int32_t client, float **out) {
    const side_params *p = &e->now.nodes.side;
    extractor_state *state = state_of(e, client);
    if (!state)
        return no_memory(e->host);
    if (!state->flat) {
        if (!make_room(state, p->size))
            return no_memory(e->host);
        side_start(p, e->host, state->flat);
    }
    if (state->n != p->size)
        return gnt_host_fail(e->host,
                             "the networks that a device kept are of another size: they are of another task");
    *out = state->flat;
    return GNT_OK;
}

gnt_status extractor_save(void *self, int32_t client, const gnt_sink *out) {
    const extractor *e = self;
    if (client < 0 || client >= e->states || !e->state[client].flat)
        return GNT_OK;
    return out->tensor(out->context, "side", 1, &e->state[client].n, e->state[client].flat);
}

gnt_status extractor_load(void *self, int32_t client, const gnt_artefacts *from) {
    extractor *e = self;
    if (client < 0 || from->tensors.n == 0)
        return GNT_OK;
    const gnt_view *v = &from->tensors.view[0];
    extractor_state *state = state_of(e, client);
    if (!state || !make_room(state, v->count))
        return no_memory(e->host);
    memcpy(state->flat, v->data, (size_t)v->count * sizeof *state->flat);
    return GNT_OK;
}

/* ---- local training ---- */

typedef struct training {
    extractor *e;
    const gnt_client *client;
    int32_t attribute;
    int64_t rows, learnt; /* of a batch; that the device learns from */
    int64_t unseen;       /* that it keeps for trying g */
    float *weights, *side;
    float *x, *other, *u, *y;
    double rate, g_rate; /* of the side networks, of g */
    float a, b;
    /* With Adam: the averages of f, g and h; what all three descend, one behind the other. */
    gnt_adam *of_f, *of_g, *of_h;
    float *by_weights, *by_side;
    running_statistics norms; /* of f */
    int64_t *order, at;       /* learnt: samples of this epoch, and the next; behind them the unseen ones */
    int64_t *of_value;        /* learnt: samples by value of the attribute */
    int64_t *begin;           /* values + 1: where each value's begin there */
    int64_t seen, right;      /* in the steps that count */
    double hidden, kept;
    int64_t counted;
} training;

static int32_t value_of(const training *t, int64_t i) {
    const gnt_samples *s = t->client->samples;
    return s->a[i * s->n_attributes + t->attribute];
}

/* Returns the index of the attribute that the task hides; −1, after host->fail, unless it hides exactly
 * one. */
static int32_t hidden_attribute(const gnt_host *host, const gnt_samples *s) {
    int32_t found = -1;
    for (int32_t k = 0; k < s->n_attributes; k++)
        if (s->attribute[k].weight > 0) {
            if (found >= 0) {
                gnt_host_fail(host, "it hides one attribute; name one in the task's `hide`");
                return -1;
            }
            found = k;
        }
    if (found < 0)
        gnt_host_fail(host, "it hides an attribute; name one in the task's `hide`");
    return found;
}

/* Lists the samples in the device's order, those for testing g behind the others. */
static void set_apart(training *t) {
    const int64_t n = t->learnt + t->unseen;
    int64_t learnt = 0, unseen = t->learnt;
    for (int64_t i = 0; i < n; i++) {
        const int is_unseen = i * t->unseen / n != (i + 1) * t->unseen / n;
        t->order[is_unseen ? unseen++ : learnt++] = i;
    }
}

/* Sorts the samples that it learns from; the values of all are checked. */
static gnt_status sort_by_value(training *t) {
    const int32_t values = t->client->samples->attribute[t->attribute].values;
    for (int64_t i = 0; i < t->learnt + t->unseen; i++) {
        const int32_t v = value_of(t, t->order[i]);
        if (v < 0 || v >= values)
            return gnt_host_fail(t->e->host, "a sample has a hidden attribute out of its range");
        if (i < t->learnt)
            t->begin[v + 1]++;
    }
    for (int32_t v = 0; v < values; v++)
        t->begin[v + 1] += t->begin[v];
    for (int64_t i = t->learnt; i-- > 0;) /* fills from the ends, which become the beginnings */
        t->of_value[--t->begin[value_of(t, t->order[i]) + 1]] = t->order[i];
    for (int32_t v = 0; v < values; v++)
        t->begin[v] = t->begin[v + 1];
    t->begin[values] = t->learnt;
    return GNT_OK;
}

/* Puts the samples in a new random order. */
static void shuffle(training *t) {
    const gnt_host *host = t->e->host;
    for (int64_t i = t->learnt; i-- > 1;) {
        const int64_t k = (int64_t)gnt_host_below(host, "order", (uint64_t)i + 1), kept = t->order[i];
        t->order[i] = t->order[k];
        t->order[k] = kept;
    }
    t->at = 0;
}

/* Draws another sample with the same value of the attribute; where there is none, returns i itself. */
static int64_t draw_other(const training *t, int64_t i) {
    const gnt_host *host = t->e->host;
    const int32_t v = value_of(t, i);
    const int64_t n = t->begin[v + 1] - t->begin[v];
    if (n < 2)
        return i;
    const int64_t k = (int64_t)gnt_host_below(host, "other", (uint64_t)n - 1);
    const int64_t drawn = t->of_value[t->begin[v] + k];
    return drawn != i ? drawn : t->of_value[t->begin[v + 1] - 1];
}

/* Loads the next `rows` samples of the epoch. */
static const int64_t *next_batch(training *t) {
    if (t->at + t->rows > t->learnt)
        shuffle(t);
    t->at += t->rows;
    return t->order + t->at - t->rows;
}

static void fill_batch(training *t, const int64_t *sample) {
    const gnt_samples *s = t->client->samples;
    const objective_shape *shape = &t->e->now.shape;
    memset(t->u, 0, (size_t)(t->rows * shape->values) * sizeof *t->u);
    for (int64_t r = 0; r < t->rows; r++) {
        const int64_t i = sample[r];
        memcpy(t->x + r * s->features, s->x + i * s->features, (size_t)s->features * sizeof *t->x);
        t->u[r * shape->values + value_of(t, i)] = 1;
        if (t->e->now.nodes.other >= 0)
            memcpy(t->other + r * s->features,
                   s->x + (t->e->setting.next ? sample[(r + 1) % t->rows] : draw_other(t, i)) * s->features,
                   (size_t)s->features * sizeof *t->x);
        if (t->e->now.nodes.y >= 0)
            memcpy(t->y + r * s->classes, s->y + i * s->classes, (size_t)s->classes * sizeof *t->y);
    }
}

static void bind(training *t) {
    const objective *o = &t->e->now.nodes;
    gnt_program *p = t->e->now.program;
    const struct {
        gnt_node node;
        const float *to;
    } inputs[] = {{o->x, t->x}, {o->other, t->other}, {o->u, t->u},
                  {o->y, t->y}, {o->a, &t->a},        {o->b, &t->b}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i].node >= 0)
            gnt_program_bind(p, inputs[i].node, inputs[i].to);
    const float *at = t->side;
    for (int32_t k = 0; k < o->side.n; at += o->side.count[k++])
        gnt_program_bind(p, o->side.node[k], at);
}

/* Copies a gradient of n entries, with the weight decay of x. */
static void descend_by(const training *t, float *to, const float *x, const float *by, int64_t n) {
    const float decay = (float)t->e->setting.decay;
    for (int64_t i = 0; i < n; i++)
        to[i] = by[i] + decay * x[i];
}

static int64_t entries_of_g(const objective *o) {
    int64_t n = 0;
    for (int32_t k = 0; k < o->g_tensors; k++)
        n += o->side.count[k];
    return n;
}

static void step_side(training *t) {
    const objective *o = &t->e->now.nodes;
    const side_params *p = &o->side;
    const int64_t of_g = entries_of_g(o);
    float *at = t->side;
    for (int32_t k = 0; k < p->n; at += p->count[k++]) {
        const float *by = gnt_program_output(t->e->now.program, OUTPUTS + k);
        if (t->of_f)
            descend_by(t, t->by_side + (at - t->side), at, by, p->count[k]);
        else
            gnt_sgd_step(at, NULL, by, p->count[k], k < o->g_tensors ? t->g_rate : t->rate, 0,
                         t->e->setting.decay);
    }
    if (t->of_g)
        gnt_adam_step(t->of_g, t->side, t->by_side, t->g_rate);
    if (t->of_h && t->rate > 0)
        gnt_adam_step(t->of_h, t->side + of_g, t->by_side + of_g, t->rate);
}

static void step_extractor(training *t, const gnt_gradient *by) {
    const gnt_model_info *info = t->e->host->model->info;
    float *at = t->weights;
    for (int64_t k = 0; k < info->params.n; at += info->params.view[k++].count)
        if (info->federated && !info->federated[k])
            continue;
        else if (t->of_f)
            descend_by(t, t->by_weights + (at - t->weights), at, by->weights[k], info->params.view[k].count);
        else
            gnt_sgd_step(at, NULL, by->weights[k], info->params.view[k].count, t->client->rate, 0,
                         t->e->setting.decay);
    if (t->of_f)
        gnt_adam_step(t->of_f, t->weights, t->by_weights, t->client->rate);
}

/* Makes what Adam needs. */
static gnt_status open_adam(training *t) {
    const double slow = 0.9, fast = 0.999, eps = 1e-8;
    const gnt_host *host = t->e->host;
    const int64_t side = t->e->now.nodes.side.size, of_g = entries_of_g(&t->e->now.nodes),
                  n = host->model->info->n_params;
    t->by_weights = gnt_host_scratch(host, n, sizeof *t->by_weights);
    t->by_side = gnt_host_scratch(host, side, sizeof *t->by_side);
    t->of_f = gnt_adam_new(n, slow, fast, eps);
    t->of_g = of_g ? gnt_adam_new(of_g, slow, fast, eps) : NULL;
    t->of_h = side > of_g ? gnt_adam_new(side - of_g, slow, fast, eps) : NULL;
    if (!t->by_weights || !t->by_side || !t->of_f || (of_g && !t->of_g) || (side > of_g && !t->of_h))
        return no_memory(host);
    memset(t->by_weights, 0, (size_t)n * sizeof *t->by_weights);
    return GNT_OK;
}

static void close_adam(training *t) {
    gnt_adam_free(t->of_f);
    gnt_adam_free(t->of_g);
    gnt_adam_free(t->of_h);
}

static int64_t top(const float *row, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        best = row[i] > row[best] ? i : best;
    return best;
}

/* Returns in how many of the first n rows g infers the attribute. */
static int64_t count_right(const training *t, int64_t n) {
    const int64_t values = t->e->now.shape.values;
    const float *scores = gnt_program_output(t->e->now.program, SCORES);
    int64_t right = 0;
    for (int64_t r = 0; r < n; r++)
        right += top(scores + r * values, values) == top(t->u + r * values, values);
    return right;
}

static void count(training *t) {
    const gnt_program *p = t->e->now.program;
    t->hidden += (double)*(const float *)gnt_program_output(p, HIDDEN);
    t->kept += (double)*(const float *)gnt_program_output(p, KEPT);
    t->counted++;
    t->right += count_right(t, t->rows);
    t->seen += t->rows;
}

/* Computes r of the batch in t->x, and runs the side networks on it. */
static gnt_status compute(training *t) {
    extractor *e = t->e;
    const gnt_host *host = e->host;
    const gnt_model_service *m = host->model;
    const gnt_function_args args = {
        .size = sizeof args, .x = t->x, .weights = t->weights, .buffers = t->client->buffers};
    const gnt_views *r;
    if (m->eval(m->context, e->now.features, &args, &r) != GNT_OK)
        return gnt_host_fail(host, gnt_host_last_error(host));
    gnt_program_bind(e->now.program, e->now.nodes.r, r->view[0].data);
    if (gnt_program_run(e->now.program, 0) != 0)
        return gnt_host_fail(host, "the side networks could not be run");
    return GNT_OK;
}

static gnt_status step(training *t, int counts) {
    extractor *e = t->e;
    const gnt_host *host = e->host;
    const gnt_model_service *m = host->model;
    const gnt_gradient *by;
    fill_batch(t, next_batch(t));
    TRY(running_statistics_take(&t->norms, t->x, t->weights));
    TRY(compute(t));
    if (counts)
        count(t);
    const float *cotangent[1] = {gnt_program_output(e->now.program, BY_R)};
    if (m->vjp(m->context, e->now.features, cotangent, &by) != GNT_OK)
        return gnt_host_fail(host, gnt_host_last_error(host));
    step_side(t);
    step_extractor(t, by);
    return GNT_OK;
}

/* Reports how often g infers the attribute of the samples that were kept for it. The last batch is filled up
 * by those before it. */
static gnt_status try_unseen(training *t, const char *fact) {
    const gnt_host *host = t->e->host;
    const int64_t n = t->learnt + t->unseen;
    int64_t right = 0;
    for (int64_t from = t->learnt; from < n; from += t->rows) {
        const int64_t left = n - from, count = left < t->rows ? left : t->rows;
        fill_batch(t, t->order + from - (t->rows - count));
        TRY(compute(t));
        right += count_right(t, t->rows) - count_right(t, t->rows - count);
    }
    gnt_host_fact(host, fact, (double)right / (double)t->unseen);
    return GNT_OK;
}

static gnt_status open_training(training *t, extractor *e, const gnt_client *client) {
    const gnt_host *host = e->host;
    const gnt_samples *s = client->samples;
    const gnt_model_info *info = host->model->info;
    if (client->steps < 1)
        return unsupported(host, "it trains in local steps; set federated.local_steps to 1 or more");
    if (!s || !s->a || s->n < 1)
        return unsupported(host,
                           "the samples have no attributes; an encoding that mixes samples leaves them none");
    const int64_t unseen = (int64_t)(e->setting.validation * (double)s->n);
    *t = (training){.e = e, .client = client, .learnt = s->n - unseen, .unseen = unseen};
    t->rate = e->setting.rate > 0 ? e->setting.rate : client->rate;
    t->g_rate = e->setting.g_rate > 0 ? e->setting.g_rate : t->rate;
    t->attribute = hidden_attribute(host, s);
    if (t->attribute < 0)
        return GNT_UNSUPPORTED;
    t->rows = client->batch < t->learnt ? client->batch : t->learnt;
    const int32_t values = s->attribute[t->attribute].values;
    objective_shape shape = {.rows = t->rows,
                             .x_rank = s->rank,
                             .values = values,
                             .classes = s->classes,
                             .width = e->setting.width,
                             .g_width = e->setting.g_width,
                             .of_program = (int)e->setting.of_program};
    memcpy(shape.x_dim, s->dim, sizeof shape.x_dim);
    TRY(compile(e, &shape));
    TRY(begin_state(e, client->index, &t->side));
    if (e->setting.as_pretrained && client->round >= e->setting.pretrain) {
        const int64_t n = e->now.nodes.side.size;
        float *copy = gnt_host_scratch(host, n, sizeof *copy);
        if (!copy)
            return no_memory(host);
        t->side = memcpy(copy, t->side, (size_t)n * sizeof *copy);
    }
    t->weights = gnt_host_scratch(host, info->n_params, sizeof *t->weights);
    t->x = gnt_host_scratch(host, t->rows * s->features, sizeof *t->x);
    t->other = gnt_host_scratch(host, t->rows * s->features, sizeof *t->other);
    t->u = gnt_host_scratch(host, t->rows * values, sizeof *t->u);
    t->y = gnt_host_scratch(host, t->rows * s->classes, sizeof *t->y);
    t->order = gnt_host_scratch(host, s->n, sizeof *t->order);
    t->of_value = gnt_host_scratch(host, s->n, sizeof *t->of_value);
    t->begin = gnt_host_scratch(host, values + 1, sizeof *t->begin);
    if (!t->weights || !t->x || !t->other || !t->u || !t->y || !t->order || !t->of_value || !t->begin)
        return no_memory(host);
    memcpy(t->weights, client->weights, (size_t)info->n_params * sizeof *t->weights);
    set_apart(t);
    t->at = t->learnt; /* the first batch shuffles */
    return sort_by_value(t);
}

/* Fills the update with W_end − W_start of the shared parameters. Fails where it is not finite. */
static gnt_status give(const training *t, gnt_tensors *update) {
    const gnt_host *host = t->e->host;
    const gnt_model_info *info = host->model->info;
    int64_t from = 0, to = 0, finite = 1;
    for (int64_t k = 0; k < info->params.n; from += info->params.view[k++].count) {
        if (info->federated && !info->federated[k])
            continue;
        gnt_tensor *out = &update->tensor[to++];
        for (int64_t i = 0; i < out->count; i++) {
            out->data[i] = t->weights[from + i] - t->client->weights[from + i];
            finite &= isfinite(out->data[i]) != 0;
        }
    }
    return finite ? GNT_OK
                  : gnt_host_fail(host, "its training diverged: a lower rate, or narrower side "
                                        "networks, may help");
}

static void report(const training *t) {
    const gnt_host *host = t->e->host;
    gnt_host_fact(host, "hidden_loss", t->hidden / (double)t->counted);
    gnt_host_fact(host, "kept_loss", t->kept / (double)t->counted);
    if (t->e->now.nodes.scores >= 0)
        gnt_host_fact(host, "own_accuracy", (double)t->right / (double)t->seen);
}

/* Trains for one round. */
static gnt_status train(training *t) {
    extractor *e = t->e;
    const gnt_client *client = t->client;
    const int last = client->round == client->rounds - 1, tries = t->unseen > 0 && e->now.nodes.scores >= 0;
    const int64_t epoch = t->learnt / t->rows;
    if (e->setting.adam)
        TRY(open_adam(t));
    TRY(running_statistics_open(&t->norms, e->host, client, t->rows));
    bind(t);
    if (last && tries && e->setting.as_pretrained)
        TRY(try_unseen(t, "stale_accuracy"));
    for (int32_t i = 0; i < client->steps; i++) {
        TRY(may_go_on(e->host));
        TRY(step(t, last && i >= client->steps - epoch));
    }
    if (last && tries)
        TRY(try_unseen(t, "unseen_accuracy"));
    running_statistics_send(&t->norms);
    return GNT_OK;
}

gnt_status extractor_client_update(void *self, const gnt_client *client, gnt_tensors *update) {
    extractor *e = self;
    training t;
    gnt_status status = open_training(&t, e, client);
    if (status != GNT_OK)
        return status;
    const int pretrains = client->round < e->setting.pretrain;
    const double lambda = pretrains ? 0 : e->setting.lambda;
    t.a = (float)(e->setting.sign * lambda);
    t.b = (float)(1 - lambda);
    if (pretrains && e->setting.by_attribute) {
        t.a = 1;
        t.b = 0;
        t.rate = 0;
    }
    status = train(&t);
    running_statistics_close(&t.norms);
    close_adam(&t);
    if (status == GNT_OK)
        status = give(&t, update);
    if (status == GNT_OK && t.counted > 0)
        report(&t);
    return status;
}
