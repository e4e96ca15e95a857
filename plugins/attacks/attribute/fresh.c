/* fresh: a private attribute by the best of three classifiers that learn anew: a linear one, a wide network
 * and a random forest. An attacker takes whichever tells the attribute best on samples of his own that none
 * of them learnt from, so that what a defense survives is none of them alone. It is meant for representations
 * (TAPPFL, 2024), whose extractor everybody has, and reads updates as well. With the history it reads the
 * same samples at earlier stages beside the last: what one extractor hides another may have shown. */
#include <math.h>
#include <stdlib.h>

#include "attribute.h"
#include "forest.h"
#include "information.h"

enum { CLASSIFIER, HIDDEN, TREES, SGD, READING = SGD + ATTR_SGD };
enum { BEST, LINEAR, WIDE, FOREST };

typedef struct attack {
    classic base;
    attr_recipe linear, wide;
    forest_recipe forest;
    int64_t only; /* BEST: all three compete */
} attack;

static void *create(const gnt_host *host, const gnt_value *v) {
    attack *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    classic_open(&s->base, host, v + READING);
    s->only = v[CLASSIFIER].i;
    s->linear.host = host;
    attr_read_sgd(&s->linear, v + SGD);
    s->linear.balanced = s->base.balanced;
    s->wide = s->linear;
    s->wide.n_hidden = 2;
    s->wide.hidden[0] = s->wide.hidden[1] = v[HIDDEN].i;
    s->forest = (forest_recipe){.trees = v[TREES].i, .leaf = 1};
    /* Nothing says which is best where nothing is kept out of training. */
    if (s->only == BEST && !(s->base.reading.share > 0))
        s->only = WIDE;
    return s;
}

/* ---- learning ---- */

typedef struct learnt {
    int64_t columns;
    attr_trained net[2]; /* linear, wide */
    forest trees;
    float *owned; /* its nodes */
    double accuracy[FOREST + 1];
    double information; /* the most that any of them shows, nats */
} learnt;

typedef struct open_net {
    attr_net net;
    float *room;
} open_net;

static void net_scores(const void *classifier, const float *x, float *scores) {
    const open_net *n = classifier;
    attr_forward(&n->net, x, n->room, scores);
}

/* Layers to run it with. */
static gnt_status open_layers(open_net *n, const gnt_host *host) {
    n->room = host->scratch(host->context, 2 * (size_t)attr_widest(&n->net) * sizeof *n->room);
    return n->room ? GNT_OK : host->fail(host->context, "no memory for the network's layers");
}

static gnt_status learn_net(const attack *s, const attr_recipe *recipe, attr_table *t, attr_trained *out) {
    const gnt_host *host = s->base.host;
    float *flat =
        host->scratch(host->context, (size_t)attr_net_size(recipe, t->columns, t->values) * sizeof *flat);
    return flat ? attr_train(out, flat, recipe, t)
                : host->fail(host->context, "no memory for the network; a smaller `hidden` needs less");
}

static gnt_status learn_forest(const attack *s, attr_table *t, learnt *l, double *information) {
    gnt_status status = forest_grow(&l->trees, &l->owned, &s->base, &s->forest, t);
    if (status == GNT_OK)
        status = classic_accuracy(&s->base, t, forest_scores, &l->trees, &l->accuracy[FOREST]);
    return status == GNT_OK ? information_of(&s->base, t, forest_scores, &l->trees,
                                             0.5 / (double)s->forest.trees, information)
                            : status;
}

static gnt_status learn_one(const attack *s, int which, attr_table *t, learnt *l) {
    double information = NAN;
    gnt_status status;
    if (which == FOREST)
        status = learn_forest(s, t, l, &information);
    else {
        attr_trained *net = &l->net[which == WIDE];
        status = learn_net(s, which == WIDE ? &s->wide : &s->linear, t, net);
        l->accuracy[which] = net->accuracy;
        open_net n = {.net = net->net};
        if (status == GNT_OK)
            status = open_layers(&n, s->base.host);
        if (status == GNT_OK)
            status = information_of(&s->base, t, net_scores, &n, 0, &information);
    }
    l->information = fmax(l->information, information); /* the number, of a number and a NaN */
    return status;
}

/* Ties go to the plainer one. */
static int best_of(const attack *s, const learnt *l) {
    int best = LINEAR;
    if (s->only != BEST)
        return (int)s->only;
    for (int k = WIDE; k <= FOREST; k++)
        best = l->accuracy[k] > l->accuracy[best] ? k : best;
    return best;
}

static gnt_status keep(const attack *s, int which, const learnt *l, const gnt_sink *out) {
    const gnt_host *host = s->base.host;
    const gnt_status status =
        which == FOREST ? forest_write(&l->trees, out) : attr_write_net(out, "", &l->net[which == WIDE].net);
    host->fact(host->context, "kept_classifier", which);
    host->fact(host->context, "inputs", (double)l->columns);
    if (!isnan(l->accuracy[which]))
        host->fact(host->context, "validation_accuracy", l->accuracy[which]);
    if (!isnan(l->information))
        host->fact(host->context, "information", l->information);
    return status == GNT_OK ? GNT_OK : host->fail(host->context, "its classifier could not be kept");
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    attr_source from;
    attr_table t;
    learnt l = {.information = NAN};
    gnt_status status = classic_table(&s->base, &from, &t, in, out);
    l.columns = t.columns;
    for (int which = LINEAR; status == GNT_OK && which <= FOREST; which++)
        if (s->only == BEST || s->only == which)
            status = learn_one(s, which, &t, &l);
    if (status == GNT_OK)
        status = keep(s, best_of(s, &l), &l, out);
    free(l.owned);
    attr_source_close(&from);
    return status;
}

/* ---- what is observed ---- */

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    const gnt_host *host = s->base.host;
    open_net n;
    int64_t columns;
    gnt_status status;
    forest f;
    const float *x = classic_see(&s->base, seen, own, &columns, &status);
    if (!x)
        return status;
    if (attr_read_net(&n.net, own, "", columns, seen->attribute_values) == 0) {
        status = open_layers(&n, host);
        return status == GNT_OK ? classic_answer(&s->base, seen, x, net_scores, &n, answer) : status;
    }
    if (forest_read(&f, s->forest.trees, own, columns, seen->attribute_values) != 0)
        return classic_foreign(host, "a classifier");
    status = forest_open(&f, host);
    return status == GNT_OK ? classic_answer(&s->base, seen, x, forest_scores, &f, answer) : status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const classifiers[] = {"best", "linear", "wide", "forest", NULL};

static const gnt_parameter parameters[] = {
    {.id = "classifier",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "best",
     .choices = classifiers,
     .help = "best: of all three the one that tells most on the validation part; wide where there is none"},
    {.id = "hidden",
     .type = GNT_TYPE_INT,
     .unit = "neurons",
     .least = 1,
     .most = 16384,
     .preset = 512,
     .help = "in each of the wide network's two hidden layers"},
    {.id = "trees",
     .type = GNT_TYPE_INT,
     .unit = "trees",
     .least = 1,
     .most = 10000,
     .preset = 120,
     .help = "of the forest"},
    ATTR_SGD_ROWS,
    CLASSIC_ROWS,
};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor fresh_descriptor = {
    .size = sizeof fresh_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "fresh",
    .version = "1.0",
    .line =
        "infers a private attribute from a representation by the best of three classifiers that learn anew",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
