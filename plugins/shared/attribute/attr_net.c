/* attr_net: the graph of the network, its training, and its forward passes for one vector and for many. */
#include "shared/attribute/attr_net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "shared/try.h"

enum { TENSORS = 2 * (ATTR_HIDDEN + 1), SCORED = 64 /* rows scored at once */, TRIES = 8 };

typedef struct trainer {
    const attr_recipe *recipe;
    attr_table *t;
    attr_net net; /* its tensors are in `flat` */
    int64_t size, batch;
    void *memory; /* of the members below, except `best` */
    float *flat, *velocity, *best;
    float *x, *y;   /* batch × columns, batch × values */
    int32_t *order; /* rows of this epoch */
    int64_t *right, *seen;
    double rate;
    int64_t steps; /* taken at this rate */
    int diverged;
    gnt_adam *adam; /* `velocity` is then the flat gradient */
    gnt_program *step, *score;
    int64_t tensor_count[TENSORS];
} trainer;

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the network; narrower layers or a larger window need less");
}

static void lay_out(attr_net *net, const float *flat) {
    for (int32_t i = 0; i < net->layers; i++) {
        net->weight[i] = flat;
        net->bias[i] = flat + net->width[i] * net->width[i + 1];
        flat = net->bias[i] + net->width[i + 1];
    }
}

/* Draws weights uniformly within ±√(6/inputs) (He et al. 2015), which keeps the scale through ReLUs; biases
 * 0. */
static void start(trainer *r) {
    const gnt_host *host = r->recipe->host;
    float *w = r->flat;
    r->steps = 0;
    memset(r->flat, 0, (size_t)r->size * sizeof *r->flat);
    memset(r->velocity, 0, (size_t)r->size * sizeof *r->velocity);
    if (r->adam)
        gnt_adam_reset(r->adam);
    for (int32_t i = 0; i < r->net.layers; i++) {
        double bound = sqrt(6.0 / (double)r->net.width[i]), u;
        for (int64_t k = 0; k < r->net.width[i] * r->net.width[i + 1]; k++) {
            gnt_host_uniform(host, "weights", 1, &u);
            *w++ = (float)(bound * (2 * u - 1));
        }
        w += r->net.width[i + 1];
    }
}

/* Builds the network: input 0 is x, its tensors are inputs 1 … in the order of `flat`. */
static gnt_node build(gnt_graph *g, const attr_net *net, int64_t rows, gnt_node *x, gnt_node *param) {
    int64_t dim[2] = {rows, net->width[0]};
    gnt_node h = *x = gnt_nn_input(g, "x", 2, dim, 0);
    for (int32_t i = 0; i < net->layers; i++) {
        int64_t shape[2] = {net->width[i + 1], net->width[i]};
        param[2 * i] = gnt_nn_input(g, "weight", 2, shape, 0);
        param[2 * i + 1] = gnt_nn_input(g, "bias", 1, shape, 0);
        h = gnt_nn_dense(g, h, param[2 * i], param[2 * i + 1]);
        if (i + 1 < net->layers)
            h = gnt_nn_relu(g, h);
    }
    return h;
}

static void bind_net(const attr_net *net, gnt_program *p, const gnt_node *param) {
    for (int32_t i = 0; i < net->layers; i++) {
        gnt_program_bind(p, param[2 * i], net->weight[i]);
        gnt_program_bind(p, param[2 * i + 1], net->bias[i]);
    }
}

/* Compiles the outputs for SCORED rows at x; NULL with an error. */
static gnt_program *compile_scores(const attr_net *net, const float *rows, char *error, size_t room) {
    gnt_node x, param[TENSORS];
    gnt_graph *g = gnt_graph_new();
    if (!g)
        return NULL;
    const gnt_node scores = build(g, net, SCORED, &x, param);
    gnt_program *p = gnt_program_new(g, &scores, NULL, 1, 4, error, room);
    if (p) {
        gnt_program_bind(p, x, rows);
        bind_net(net, p, param);
    }
    gnt_graph_free(g);
    return p;
}

/* Compiles `step`, the loss and its gradient for each tensor, and `score`, scores of SCORED rows. */
static gnt_status compile(trainer *r) {
    const gnt_host *host = r->recipe->host;
    int64_t labels[2] = {r->batch, r->t->values};
    gnt_node x, y, param[TENSORS], out[TENSORS + 1];
    char error[300] = "no memory for the network; narrower layers or a larger window need less";
    gnt_graph *g = gnt_graph_new();
    if (!g)
        return gnt_host_fail(host, error);
    gnt_node scores = build(g, &r->net, r->batch, &x, param);
    y = gnt_nn_input(g, "y", 2, labels, 0);
    out[0] = r->t->target ? gnt_nn_mse(g, scores, y) : gnt_nn_cross_entropy(g, scores, y);
    gnt_nn_vjp(g, out, NULL, 1, param, 2 * r->net.layers, out + 1);
    r->step = gnt_program_new(g, out, NULL, 2 * r->net.layers + 1, 4, error, sizeof error);
    if (r->step) {
        gnt_program_bind(r->step, x, r->x);
        gnt_program_bind(r->step, y, r->y);
        bind_net(&r->net, r->step, param);
        r->score = compile_scores(&r->net, r->x, error, sizeof error);
    }
    gnt_graph_free(g);
    return r->score ? GNT_OK : gnt_host_fail(host, error);
}

static void shape(attr_net *net, const attr_recipe *recipe, int64_t columns, int32_t values) {
    *net = (attr_net){.layers = recipe->n_hidden + 1, .width = {columns}};
    memcpy(net->width + 1, recipe->hidden, (size_t)recipe->n_hidden * sizeof *recipe->hidden);
    net->width[net->layers] = values;
}

int64_t attr_net_size(const attr_recipe *recipe, int64_t columns, int32_t values) {
    attr_net net;
    int64_t size = 0;
    shape(&net, recipe, columns, values);
    for (int32_t i = 0; i < net.layers; i++)
        size += (net.width[i] + 1) * net.width[i + 1];
    return size;
}

/* Allocates one block for all, so that training many networks in one hook needs the memory of one. */
static gnt_status allocate(trainer *r) {
    int64_t rows = r->batch > SCORED ? r->batch : SCORED, values = r->t->values;
    int64_t floats = 2 * r->size + rows * r->t->columns + r->batch * values;
    r->memory = calloc(1, (size_t)floats * sizeof(float) + 2 * (size_t)values * sizeof *r->right +
                              (size_t)r->t->n_train * sizeof *r->order);
    if (!r->memory)
        return no_memory(r->recipe->host);
    r->right = r->memory;
    r->seen = r->right + values;
    r->flat = (float *)(r->seen + values);
    r->velocity = r->flat + r->size;
    r->x = r->velocity + r->size;
    r->y = r->x + rows * r->t->columns;
    r->order = (int32_t *)(r->y + r->batch * values);
    return GNT_OK;
}

static gnt_status open_trainer(trainer *r, float *flat, const attr_recipe *recipe, attr_table *t) {
    *r = (trainer){.recipe = recipe,
                   .t = t,
                   .batch = recipe->batch < t->n_train ? recipe->batch : t->n_train,
                   .size = attr_net_size(recipe, t->columns, t->values),
                   .best = flat};
    shape(&r->net, recipe, t->columns, t->values);
    for (int32_t i = 0; i < r->net.layers; i++) {
        r->tensor_count[2 * i] = r->net.width[i] * r->net.width[i + 1];
        r->tensor_count[2 * i + 1] = r->net.width[i + 1];
    }
    TRY(allocate(r));
    if (recipe->adam && (r->adam = gnt_adam_new(r->size, 0.9, 0.999, 1e-8)) == NULL)
        return no_memory(recipe->host);
    lay_out(&r->net, r->flat);
    memcpy(r->order, t->row, (size_t)t->n_train * sizeof *r->order);
    return compile(r);
}

/* Draws the rows of the next epoch: all of the training part; or, balanced, as many draws with all of its
 * values equally likely. (Weights in the loss would have the same mean, with steps for rare values large
 * enough to diverge.) */
static void draw_order(trainer *r) {
    const gnt_host *host = r->recipe->host;
    const attr_table *t = r->t;
    for (int64_t i = 0; r->recipe->balanced && i < t->n_train; i++) {
        int32_t v;
        do
            v = (int32_t)gnt_host_below(host, "values", (uint64_t)t->values);
        while (t->count[v] == 0);
        const int32_t *of = t->row;
        for (int32_t c = 0; c < v; c++)
            of += t->count[c];
        r->order[i] = of[gnt_host_below(host, "order", (uint64_t)t->count[v])];
    }
    if (r->recipe->balanced)
        return;
    for (int64_t i = t->n_train - 1; i > 0; i--) {
        int64_t k = (int64_t)gnt_host_below(host, "order", (uint64_t)i + 1);
        int32_t kept = r->order[i];
        r->order[i] = r->order[k];
        r->order[k] = kept;
    }
}

static void load_row(trainer *r, int64_t at, int32_t row) {
    int64_t columns = r->t->columns;
    memcpy(r->x + at * columns, r->t->x + row * columns, (size_t)columns * sizeof *r->x);
}

/* Loads the batch from `from` on, filled up from the beginning of the order. */
static void load_batch(trainer *r, int64_t from) {
    const int32_t values = r->t->values;
    const size_t bytes = (size_t)values * sizeof *r->y;
    for (int64_t i = 0; i < r->batch; i++) {
        const int32_t row = r->order[(from + i) % r->t->n_train];
        float *y = r->y + i * values;
        load_row(r, i, row);
        if (r->t->target) {
            memcpy(y, r->t->target + (int64_t)row * values, bytes);
        } else {
            memset(y, 0, bytes);
            y[r->t->label[row]] = 1;
        }
    }
}

static void step_sgd(trainer *r) {
    float *w = r->flat, *velocity = r->recipe->momentum > 0 ? r->velocity : NULL;
    for (int32_t k = 0; k < 2 * r->net.layers; k++) {
        gnt_sgd_step(w, velocity, gnt_program_output(r->step, k + 1), r->tensor_count[k], r->rate,
                     r->recipe->momentum, 0);
        w += r->tensor_count[k];
        velocity = velocity ? velocity + r->tensor_count[k] : NULL;
    }
}

static void step_adam(trainer *r) {
    const int64_t batches = (r->t->n_train + r->batch - 1) / r->batch;
    float *slope = r->velocity;
    for (int32_t k = 0; k < 2 * r->net.layers; k++) {
        memcpy(slope, gnt_program_output(r->step, k + 1), (size_t)r->tensor_count[k] * sizeof *slope);
        slope += r->tensor_count[k];
    }
    gnt_adam_step(r->adam, r->flat, r->velocity,
                  gnt_rate_cosine(r->rate, r->steps++, r->recipe->epochs * batches));
}

/* Runs one pass over the training part. */
static gnt_status epoch(trainer *r) {
    const gnt_host *host = r->recipe->host;
    draw_order(r);
    for (int64_t from = 0; from < r->t->n_train; from += r->batch) {
        TRY(may_go_on(host));
        load_batch(r, from);
        gnt_program_run(r->step, 0);
        if (!isfinite(*(const float *)gnt_program_output(r->step, 0))) {
            r->diverged = 1;
            return GNT_OK;
        }
        if (r->adam)
            step_adam(r);
        else
            step_sgd(r);
    }
    return GNT_OK;
}

/* Returns −log softmax(z)[v]. */
static double surprise(const float *z, int32_t n, int32_t v) {
    double most = (double)z[0], sum = 0;
    for (int32_t c = 1; c < n; c++)
        most = (double)z[c] > most ? (double)z[c] : most;
    for (int32_t c = 0; c < n; c++)
        sum += exp((double)z[c] - most);
    return most + log(sum) - (double)z[v];
}

/* Results on the validation part. */
typedef struct verdict {
    double accuracy; /* if balanced, the mean over values present; with a target NaN */
    double loss;     /* summed over its rows */
    double squares;  /* of their targets */
} verdict;

/* Adds a row to the results; z: the network's outputs for it. */
static void judge(trainer *r, int32_t row, const float *z, verdict *of) {
    const attr_table *t = r->t;
    if (t->target) {
        const float *y = t->target + (int64_t)row * t->values;
        for (int32_t c = 0; c < t->values; c++) {
            const double off = (double)z[c] - (double)y[c];
            of->loss += off * off;
            of->squares += (double)y[c] * (double)y[c];
        }
        return;
    }
    int32_t best = 0, v = t->label[row];
    for (int32_t c = 1; c < t->values; c++)
        best = z[c] > z[best] ? c : best;
    r->right[v] += best == v;
    r->seen[v]++;
    of->loss += surprise(z, t->values, v);
}

static double accuracy_of(const trainer *r) {
    const attr_table *t = r->t;
    double present = 0, accuracy = 0;
    for (int32_t v = 0; v < t->values; v++) {
        present += r->seen[v] > 0;
        if (r->seen[v])
            accuracy += (double)r->right[v] / (r->recipe->balanced ? (double)r->seen[v] : 1);
    }
    return accuracy / (r->recipe->balanced ? present : (double)(t->n - t->n_train));
}

static verdict validate(trainer *r) {
    const attr_table *t = r->t;
    verdict of = {.accuracy = NAN};
    memset(r->right, 0, 2 * (size_t)t->values * sizeof *r->right);
    for (int64_t from = t->n_train; from < t->n; from += SCORED) {
        int64_t rows = t->n - from < SCORED ? t->n - from : SCORED;
        for (int64_t i = 0; i < rows; i++)
            load_row(r, i, t->row[from + i]);
        gnt_program_run(r->score, 0);
        const float *z = gnt_program_output(r->score, 0);
        for (int64_t i = 0; i < rows; i++)
            judge(r, t->row[from + i], z + i * t->values, &of);
    }
    if (!t->target)
        of.accuracy = accuracy_of(r);
    return of;
}

/* True if a validated network is better than the best so far (NULL: none): with a target by the loss, else by
 * the accuracy, and for equal ones by the loss. */
static int is_better(const verdict *now, const verdict *kept) {
    return !kept || now->accuracy > kept->accuracy ||
           (!(now->accuracy < kept->accuracy) && now->loss < kept->loss);
}

/* Trains and keeps the best epoch; without a validation part the last. */
static gnt_status train(trainer *r, attr_trained *out) {
    const gnt_host *host = r->recipe->host;
    const int validated = r->t->n_train < r->t->n;
    verdict kept = {0};
    start(r);
    r->diverged = 0;
    *out = (attr_trained){.accuracy = NAN, .unexplained = NAN, .rate = r->rate};
    for (int64_t e = 1; e <= r->recipe->epochs; e++) {
        verdict now = {.accuracy = NAN, .squares = NAN};
        gnt_status status = e > 1 && r->recipe->renew ? r->recipe->renew(r->recipe->context, r->t) : GNT_OK;
        if (status == GNT_OK)
            status = epoch(r);
        if (status != GNT_OK || r->diverged)
            return status;
        if (validated)
            now = validate(r);
        if (!validated || is_better(&now, e > 1 ? &kept : NULL)) {
            memcpy(r->best, r->flat, (size_t)r->size * sizeof *r->best);
            out->kept_epoch = e;
            kept = now;
        }
        gnt_host_progress(host, (double)e, (double)r->recipe->epochs);
    }
    out->accuracy = kept.accuracy;
    out->unexplained = r->t->target ? kept.loss / kept.squares : NAN;
    out->net = r->net;
    lay_out(&out->net, r->best);
    return GNT_OK;
}

gnt_status attr_train(attr_trained *out, float *flat, const attr_recipe *recipe, attr_table *t) {
    const gnt_host *host = recipe->host;
    trainer r;
    gnt_status status = open_trainer(&r, flat, recipe, t);
    r.rate = recipe->rate;
    for (int tries = 0; status == GNT_OK && tries < TRIES; tries++, r.rate /= 4) {
        status = train(&r, out);
        if (!r.diverged)
            break;
    }
    if (status == GNT_OK && r.diverged)
        status = gnt_host_fail(host, "its network diverged at every rate it tried; give a lower rate");
    gnt_adam_free(r.adam);
    gnt_program_free(r.step);
    gnt_program_free(r.score);
    free(r.memory);
    return status;
}

gnt_status attr_train_scratch(attr_trained *out, const attr_recipe *recipe, attr_table *t) {
    float *flat = gnt_host_scratch(recipe->host, attr_net_size(recipe, t->columns, t->values), sizeof *flat);
    return flat ? attr_train(out, flat, recipe, t)
                : gnt_host_fail(recipe->host, "no memory for the network; narrower layers need less");
}

int64_t attr_widest(const attr_net *net) {
    int64_t widest = 1;
    for (int32_t i = 1; i < net->layers; i++)
        widest = net->width[i] > widest ? net->width[i] : widest;
    return widest;
}

void attr_forward(const attr_net *net, const float *x, float *room, float *scores) {
    const int64_t widest = attr_widest(net);
    for (int32_t i = 0; i < net->layers; i++) {
        float *out = i + 1 == net->layers ? scores : room + (i % 2) * widest;
        for (int64_t o = 0; o < net->width[i + 1]; o++) {
            const float *w = net->weight[i] + o * net->width[i];
            double sum = (double)net->bias[i][o];
            for (int64_t k = 0; k < net->width[i]; k++)
                sum += (double)w[k] * (double)x[k];
            out[o] = i + 1 < net->layers && sum < 0 ? 0 : (float)sum;
        }
        x = out;
    }
}

gnt_status attr_forward_all(const attr_net *net, const gnt_host *host, const float *x, int64_t n,
                            float *out) {
    const int64_t columns = net->width[0], outputs = net->width[net->layers];
    char error[300] = "no memory for the network; narrower layers need less";
    float *rows = calloc((size_t)(SCORED * columns), sizeof *rows);
    gnt_program *p = rows ? compile_scores(net, rows, error, sizeof error) : NULL;
    gnt_status status = p ? GNT_OK : gnt_host_fail(host, error);
    for (int64_t from = 0; status == GNT_OK && from < n; from += SCORED) {
        const int64_t some = n - from < SCORED ? n - from : SCORED;
        memcpy(rows, x + from * columns, (size_t)(some * columns) * sizeof *rows);
        gnt_program_run(p, 0);
        memcpy(out + from * outputs, gnt_program_output(p, 0), (size_t)(some * outputs) * sizeof *out);
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
    }
    gnt_program_free(p);
    free(rows);
    return status;
}

/* ---- artefacts ---- */

gnt_status attr_write_net(const gnt_sink *out, const char *prefix, const attr_net *net) {
    gnt_status status = GNT_OK;
    for (int32_t i = 0; status == GNT_OK && i < net->layers; i++) {
        char weight[64], bias[64];
        int64_t dim[2] = {net->width[i + 1], net->width[i]};
        snprintf(weight, sizeof weight, "%sweight.%d", prefix, i);
        snprintf(bias, sizeof bias, "%sbias.%d", prefix, i);
        status = out->tensor(out->context, weight, 2, dim, net->weight[i]);
        if (status == GNT_OK)
            status = out->tensor(out->context, bias, 1, dim, net->bias[i]);
    }
    return status;
}

const gnt_view *attr_find(const gnt_artefacts *own, const char *prefix, const char *name, int32_t rank) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    for (int64_t k = 0; k < own->tensors.n; k++)
        if (strcmp(own->tensors.view[k].name, full) == 0 && own->tensors.view[k].rank == rank)
            return &own->tensors.view[k];
    return NULL;
}

static const gnt_view *find_layer(const gnt_artefacts *own, const char *prefix, const char *name,
                                  int32_t layer, int32_t rank) {
    char full[32];
    snprintf(full, sizeof full, "%s.%d", name, layer);
    return attr_find(own, prefix, full, rank);
}

int attr_read_net(attr_net *net, const gnt_artefacts *own, const char *prefix, int64_t columns,
                  int32_t values) {
    const gnt_view *w, *b;
    *net = (attr_net){.width = {columns}};
    while (net->layers <= ATTR_HIDDEN && (w = find_layer(own, prefix, "weight", net->layers, 2)) != NULL) {
        int32_t i = net->layers++;
        b = find_layer(own, prefix, "bias", i, 1);
        if (!b || w->dim[1] != net->width[i] || b->count != w->dim[0])
            return -1;
        net->width[i + 1] = w->dim[0];
        net->weight[i] = w->data;
        net->bias[i] = b->data;
    }
    return net->layers > 0 && net->width[net->layers] == values ? 0 : -1;
}
