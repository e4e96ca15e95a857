#include "shared/attribute/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/attribute/pool.h"

enum { NARROWEST = 128, TENSORS = 2 * (ATTR_HIDDEN + 1) };

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the zoo; fewer or narrower networks need less");
}

/* ---- training ---- */

/* Draws each hidden layer's width uniformly from 128, 256 … widest. */
static void draw_widths(attr_recipe *net, int64_t widest) {
    uint64_t choices = 1;
    while (NARROWEST << choices <= widest)
        choices++;
    net->n_hidden = ATTR_ZOO_HIDDEN;
    for (int32_t i = 0; i < ATTR_ZOO_HIDDEN; i++)
        net->hidden[i] = NARROWEST << gnt_host_below(net->host, "widths", choices);
}

gnt_status attr_zoo_train(attr_zoo *zoo, const attr_zoo_recipe *recipe, const attr_source *from,
                          attr_table *t) {
    const gnt_host *host = from->host;
    double accuracy = 0;
    *zoo = (attr_zoo){.host = host,
                      .nets = (int32_t)recipe->nets,
                      .values = t->values,
                      .size = from->size,
                      .window = from->window,
                      .columns = from->columns,
                      .mean = from->mean,
                      .scale = from->scale};
    for (int32_t k = 0; k < zoo->nets; k++) {
        attr_recipe net = recipe->net;
        attr_trained trained;
        draw_widths(&net, recipe->widest);
        zoo->flat[k] = malloc((size_t)attr_net_size(&net, t->columns, t->values) * sizeof *zoo->flat[k]);
        if (!zoo->flat[k])
            return no_memory(host);
        gnt_status status = attr_train(&trained, zoo->flat[k], &net, t);
        if (status != GNT_OK)
            return status;
        zoo->net[k] = trained.net;
        accuracy += trained.accuracy;
        gnt_host_progress(host, (double)(k + 1), (double)zoo->nets);
    }
    gnt_host_fact(host, "zoo_validation_accuracy", accuracy / zoo->nets);
    return GNT_OK;
}

/* ---- artefacts ---- */

gnt_status attr_zoo_write(const attr_zoo *zoo, const gnt_sink *out, const char *prefix) {
    gnt_status status = attr_write_statistics(out, prefix, zoo->columns, zoo->mean, zoo->scale);
    for (int32_t k = 0; status == GNT_OK && k < zoo->nets; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%d.", prefix, k);
        status = attr_write_net(out, name, &zoo->net[k]);
    }
    return status == GNT_OK ? status : gnt_host_fail(zoo->host, "its zoo could not be kept");
}

int attr_zoo_read(attr_zoo *zoo, const gnt_host *host, const gnt_artefacts *from, const char *prefix,
                  const attr_reading *reading, int64_t size, int32_t values) {
    const gnt_view *mean = from ? attr_find(from, prefix, "mean", 1) : NULL;
    const gnt_view *scale = from ? attr_find(from, prefix, "scale", 1) : NULL;
    *zoo = (attr_zoo){.host = host,
                      .size = size,
                      .values = values,
                      .window = attr_window(reading->window, reading->inputs, size)};
    zoo->columns = attr_pooled_size(size, zoo->window);
    if (!mean || !scale || mean->count != zoo->columns || scale->count != zoo->columns)
        return -1;
    zoo->mean = mean->data;
    zoo->scale = scale->data;
    while (zoo->nets < ATTR_ZOO_MOST) {
        char name[64];
        snprintf(name, sizeof name, "%s%d.", prefix, zoo->nets);
        if (attr_read_net(&zoo->net[zoo->nets], from, name, zoo->columns, values) != 0)
            break;
        zoo->nets++;
    }
    return zoo->nets > 0 ? 0 : -1;
}

/* ---- derivatives ---- */

/* Compiles the loss of `rows` vectors and its derivative by them. */
static gnt_program *compile(const attr_zoo *zoo, const attr_net *net, char *error, size_t room) {
    const int64_t x_dim[2] = {zoo->rows, zoo->columns}, y_dim[2] = {zoo->rows, zoo->values};
    gnt_graph *g = gnt_graph_new();
    gnt_node x, y, loss, slope, param[TENSORS];
    if (!g)
        return NULL;
    gnt_node h = x = gnt_nn_input(g, "x", 2, x_dim, 0);
    y = gnt_nn_input(g, "y", 2, y_dim, 0);
    for (int32_t i = 0; i < net->layers; i++) {
        const int64_t dim[2] = {net->width[i + 1], net->width[i]};
        param[2 * i] = gnt_nn_hold(g, gnt_nn_input(g, "weight", 2, dim, 0));
        param[2 * i + 1] = gnt_nn_hold(g, gnt_nn_input(g, "bias", 1, dim, 0));
        h = gnt_nn_dense(g, h, param[2 * i], param[2 * i + 1]);
        if (i + 1 < net->layers)
            h = gnt_nn_relu(g, h);
    }
    loss = gnt_nn_cross_entropy(g, h, y);
    gnt_nn_vjp(g, &loss, NULL, 1, &x, 1, &slope);
    gnt_program *p = gnt_program_new(g, &slope, NULL, 1, 4, error, room);
    for (int32_t i = 0; p && i < net->layers; i++) {
        gnt_program_bind(p, param[2 * i], net->weight[i]);
        gnt_program_bind(p, param[2 * i + 1], net->bias[i]);
    }
    if (p) {
        gnt_program_bind(p, x, zoo->x);
        gnt_program_bind(p, y, zoo->y);
    }
    gnt_graph_free(g);
    return p;
}

/* Compiles the derivative of the cross entropy by the scores of one vector. */
static gnt_program *compile_entropy(const attr_zoo *zoo, char *error, size_t room) {
    const int64_t dim[2] = {1, zoo->values};
    gnt_graph *g = gnt_graph_new();
    gnt_node loss, slope;
    if (!g)
        return NULL;
    const gnt_node z = gnt_nn_input(g, "z", 2, dim, 0), y = gnt_nn_input(g, "y", 2, dim, 0);
    loss = gnt_nn_cross_entropy(g, z, y);
    gnt_nn_vjp(g, &loss, NULL, 1, &z, 1, &slope);
    gnt_program *p = gnt_program_new(g, &slope, NULL, 1, 4, error, room);
    if (p) {
        gnt_program_bind(p, z, zoo->scores);
        gnt_program_bind(p, y, zoo->y);
    }
    gnt_graph_free(g);
    return p;
}

static int compile_all(attr_zoo *zoo, char *error, size_t room) {
    if (zoo->rows == 1) {
        zoo->entropy = compile_entropy(zoo, error, room);
        return zoo->entropy && attr_pass_open(&zoo->pass, zoo->net, zoo->nets) == 0 ? 0 : -1;
    }
    for (int32_t k = 0; k < zoo->nets; k++)
        if ((zoo->program[k] = compile(zoo, &zoo->net[k], error, room)) == NULL)
            return -1;
    return 0;
}

gnt_status attr_zoo_open(attr_zoo *zoo, int64_t rows) {
    const gnt_host *host = zoo->host;
    const size_t n = (size_t)(rows * zoo->columns);
    char error[300] = "no memory for the zoo's networks";
    zoo->rows = rows;
    zoo->x = calloc(n, sizeof *zoo->x);
    zoo->slope = calloc(n, sizeof *zoo->slope);
    zoo->where = calloc(n, sizeof *zoo->where);
    zoo->y = calloc((size_t)(rows * zoo->values), sizeof *zoo->y);
    zoo->scores = calloc((size_t)zoo->values, sizeof *zoo->scores);
    if (!zoo->x || !zoo->y || !zoo->scores || !zoo->slope || !zoo->where)
        return no_memory(host);
    return compile_all(zoo, error, sizeof error) == 0 ? GNT_OK : gnt_host_fail(host, error);
}

void attr_zoo_close(attr_zoo *zoo) {
    for (int32_t k = 0; k < zoo->nets; k++) {
        gnt_program_free(zoo->program[k]);
        free(zoo->flat[k]);
    }
    gnt_program_free(zoo->entropy);
    attr_pass_close(&zoo->pass);
    free(zoo->scores);
    free(zoo->x);
    free(zoo->y);
    free(zoo->slope);
    free(zoo->where);
    *zoo = (attr_zoo){0};
}

/* Returns the derivative of network `which`'s cross entropy by zoo->x; NULL if it cannot be computed. */
static const float *slope_by_x(attr_zoo *zoo, int32_t which) {
    const attr_net *net = &zoo->net[which];
    if (zoo->rows > 1)
        return gnt_program_run(zoo->program[which], 0) == 0 ? gnt_program_output(zoo->program[which], 0)
                                                            : NULL;
    memcpy(zoo->scores, attr_pass_forward(&zoo->pass, net, zoo->x),
           (size_t)zoo->values * sizeof *zoo->scores);
    if (gnt_program_run(zoo->entropy, 0) != 0)
        return NULL;
    attr_pass_back(&zoo->pass, net, gnt_program_output(zoo->entropy, 0), zoo->slope);
    return zoo->slope;
}

gnt_status attr_zoo_slope(attr_zoo *zoo, int32_t which, const float *const *update, const int32_t *label,
                          const float **g, const int64_t **where) {
    const int64_t columns = zoo->columns;
    memset(zoo->y, 0, (size_t)(zoo->rows * zoo->values) * sizeof *zoo->y);
    for (int64_t r = 0; r < zoo->rows; r++) {
        attr_pool(update[r], zoo->size, zoo->window, zoo->x + r * columns, zoo->where + r * columns);
        attr_standardise(zoo->x + r * columns, columns, zoo->mean, zoo->scale);
        zoo->y[r * zoo->values + label[r]] = 1;
    }
    const float *by_x = slope_by_x(zoo, which);
    if (!by_x)
        return gnt_host_fail(zoo->host, "a network of the zoo could not be run");
    for (int64_t i = 0; i < zoo->rows * columns; i++)
        zoo->slope[i] = by_x[i] * zoo->scale[i % columns];
    *g = zoo->slope;
    *where = zoo->where;
    return GNT_OK;
}
