/* attr-nn: parameters, hooks and descriptor.
 *
 * Sources: Melis et al., Exploiting Unintended Feature Leakage, 2019 (max-pooled updates, shadow training);
 * RecUP-FL, 2023, section 5.4 (SGD at 0.01 for 80 epochs; Unkwn-NN of 1024, 1024, 512 and 128 neurons;
 * Stru-NN of three layers within the defender's zoo, which has 128 to 2,048 neurons a layer). The paper does
 * not give Stru-NN's widths, the batch nor the window: the defaults here are choices. Layers are counted as
 * the paper counts Unkwn-NN's: those before the output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr_nn.h"

enum { ARCHITECTURE, HIDDEN, EPOCHS, RATE, MOMENTUM, BATCH, WINDOW, INPUTS, VALIDATION, WEIGHTS };
enum { STRU, UNKWN, CUSTOM };

static const int64_t stru[] = {512, 256, 128}, unkwn[] = {1024, 1024, 512, 128};

static void set_hidden(attr_settings *s, const gnt_value *v) {
    const int64_t *from = v[ARCHITECTURE].i == STRU ? stru : unkwn;
    int custom = v[ARCHITECTURE].i == CUSTOM;
    int64_t n = custom ? v[HIDDEN].n : v[ARCHITECTURE].i == STRU ? 3 : 4;
    s->n_hidden = (int32_t)n;
    for (int64_t i = 0; i < n && i < ATTR_HIDDEN; i++)
        s->hidden[i] = custom ? (int64_t)v[HIDDEN].list[i] : from[i];
}

static void *create(const gnt_host *host, const gnt_value *v) {
    if (v[HIDDEN].n > ATTR_HIDDEN) {
        host->fail(host->context, "it has room for 16 hidden layers; give fewer");
        return NULL;
    }
    attr_settings *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    set_hidden(s, v);
    s->epochs = v[EPOCHS].i;
    s->rate = v[RATE].r;
    s->momentum = v[MOMENTUM].r;
    s->batch = v[BATCH].i;
    s->window = v[WINDOW].i;
    s->inputs = v[INPUTS].i;
    s->share = v[VALIDATION].r;
    s->balanced = v[WEIGHTS].i == 1;
    return s;
}

/* ---- artefacts: mean, scale, weight.0, bias.0, weight.1 … ---- */

static gnt_status write_net(const gnt_sink *out, const attr_net *net) {
    gnt_status status = GNT_OK;
    for (int32_t i = 0; status == GNT_OK && i < net->layers; i++) {
        char weight[32], bias[32];
        int64_t dim[2] = {net->width[i + 1], net->width[i]};
        snprintf(weight, sizeof weight, "weight.%d", i);
        snprintf(bias, sizeof bias, "bias.%d", i);
        status = out->tensor(out->context, weight, 2, dim, net->weight[i]);
        if (status == GNT_OK)
            status = out->tensor(out->context, bias, 1, dim, net->bias[i]);
    }
    return status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attr_settings *s = self;
    const gnt_host *host = s->host;
    attr_table t;
    attr_trained trained;
    gnt_status status = attr_table_make(&t, s, in);
    if (status != GNT_OK)
        return status;
    float *mean = host->scratch(host->context, (size_t)t.columns * sizeof *mean);
    float *scale = host->scratch(host->context, (size_t)t.columns * sizeof *scale);
    if (!mean || !scale)
        return host->fail(host->context, "no memory for the statistics");
    attr_statistics(t.x, t.columns, t.row, t.n_train, mean, scale);
    for (int64_t i = 0; i < t.n; i++)
        attr_standardise(t.x + i * t.columns, t.columns, mean, scale);
    status = attr_train(&trained, s, &t);
    if (status != GNT_OK)
        return status;
    host->fact(host->context, "inputs", (double)t.columns);
    host->fact(host->context, "validation_accuracy", trained.accuracy);
    host->fact(host->context, "kept_epoch", (double)trained.kept_epoch);
    host->fact(host->context, "rate", trained.rate);
    if (out->tensor(out->context, "mean", 1, &t.columns, mean) != GNT_OK ||
        out->tensor(out->context, "scale", 1, &t.columns, scale) != GNT_OK ||
        write_net(out, &trained.net) != GNT_OK)
        return host->fail(host->context, "its network could not be kept");
    return GNT_OK;
}

static const gnt_view *find(const gnt_artefacts *own, const char *name, int32_t index, int32_t rank) {
    char full[32];
    snprintf(full, sizeof full, index < 0 ? "%s" : "%s.%d", name, index);
    for (int64_t k = 0; k < own->tensors.n; k++)
        if (strcmp(own->tensors.view[k].name, full) == 0 && own->tensors.view[k].rank == rank)
            return &own->tensors.view[k];
    return NULL;
}

/* 0 when the artefacts are a network from `columns` to `values`. */
static int read_net(attr_net *net, const gnt_artefacts *own, int64_t columns, int32_t values) {
    const gnt_view *w, *b;
    *net = (attr_net){.width = {columns}};
    while (net->layers <= ATTR_HIDDEN && (w = find(own, "weight", net->layers, 2)) != NULL) {
        int32_t i = net->layers++;
        b = find(own, "bias", i, 1);
        if (!b || w->dim[1] != net->width[i] || b->count != w->dim[0])
            return -1;
        net->width[i + 1] = w->dim[0];
        net->weight[i] = w->data;
        net->bias[i] = b->data;
    }
    return net->layers > 0 && net->width[net->layers] == values ? 0 : -1;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attr_settings *s = self;
    const gnt_host *host = s->host;
    attr_net net;
    if (!seen->update || seen->update->n < 1) {
        host->fail(host->context, "it reads updates, and none was observed");
        return GNT_UNSUPPORTED;
    }
    int64_t size = attr_update_size(seen->update), window = attr_window(s, size);
    int64_t columns = attr_pooled_size(size, window), widest = 1;
    const gnt_view *mean = find(own, "mean", -1, 1), *scale = find(own, "scale", -1, 1);
    if (!mean || !scale || mean->count != columns || scale->count != columns ||
        read_net(&net, own, columns, seen->attribute_values) != 0)
        return host->fail(host->context, "its artefacts are not a network for updates of this size and for "
                                         "this attribute: they were prepared for another task");
    for (int32_t i = 1; i < net.layers; i++)
        widest = net.width[i] > widest ? net.width[i] : widest;
    float *x = host->scratch(host->context, (size_t)columns * sizeof *x);
    float *room = host->scratch(host->context, 2 * (size_t)widest * sizeof *room);
    float *scores = host->scratch(host->context, (size_t)seen->attribute_values * sizeof *scores);
    if (!x || !room || !scores)
        return host->fail(host->context, "no memory for one pooled update");
    attr_pool(seen->update, window, x);
    attr_standardise(x, columns, mean->data, scale->data);
    attr_forward(&net, x, room, scores);
    return answer->attribute(answer->context, seen->attribute_values, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const architectures[] = {"stru", "unkwn", "custom", NULL};
static const char *const weightings[] = {"none", "balanced", NULL};

static const gnt_parameter parameters[] = {
    {.id = "architecture",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "stru",
     .choices = architectures,
     .help = "hidden layers: stru 512-256-128, unkwn 1024-1024-512-128, custom what `hidden` says"},
    {.id = "hidden",
     .type = GNT_TYPE_INT_LIST,
     .unit = "neurons",
     .least = 1,
     .most = 16384,
     .preset_text = "[512, 256, 128]",
     .help = "widths of the hidden layers of architecture custom; [] is a linear classifier"},
    {.id = "epochs",
     .type = GNT_TYPE_INT,
     .unit = "epochs",
     .least = 1,
     .most = 100000,
     .preset = 80,
     .help = "passes over the training part of the shadow observations"},
    {.id = "rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 10,
     .preset = 0.01,
     .help = "learning rate of SGD; where training diverges it starts again with a quarter of it"},
    {.id = "momentum",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 0.999,
     .preset = 0.9,
     .help = "of SGD; 0 is plain SGD, as in the paper, which takes more observations to learn as much"},
    {.id = "batch",
     .type = GNT_TYPE_INT,
     .unit = "observations",
     .least = 1,
     .most = 65536,
     .preset = 32,
     .help = "shadow observations in a step of SGD"},
    {.id = "window",
     .type = GNT_TYPE_INT,
     .unit = "entries",
     .least = 0,
     .most = 1000000000,
     .preset = 0,
     .help = "width of max pooling over the flat update; 1: none; 0: the least that leaves at most `inputs`"},
    {.id = "inputs",
     .type = GNT_TYPE_INT,
     .unit = "entries",
     .least = 1,
     .most = 1000000,
     .preset = 1024,
     .help = "greatest number of pooled entries where the window is chosen by itself"},
    {.id = "validation",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 0.5,
     .preset = 0.2,
     .help = "share of the shadow observations kept out of training, on which the best epoch is chosen; 0: "
             "the last epoch is taken"},
    {.id = "weights",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "none",
     .choices = weightings,
     .help = "balanced: rare values of the attribute are drawn, and count in validation, as often as common "
             "ones"},
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "attr-nn",
    .version = "1.0",
    .line =
        "infers a private attribute from the max-pooled update by a network trained on shadow observations",
    .licence = "MIT",
    .citation = "Melis et al., Exploiting Unintended Feature Leakage in Collaborative Learning, S&P 2019; "
                "RecUP-FL, ASIA CCS 2023, section 5.4 (Stru-NN, Unkwn-NN)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_ATTRIBUTE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
