/* fresh: infers a private attribute by the best of three classifiers trained from scratch: a linear one, a
 * wide network and a random forest. The attacker takes the most accurate one on its own validation samples,
 * so a defense must withstand all of them. It is meant for representations (TAPPFL, 2024), whose extractor
 * all parties have, and reads updates as well. With the history it reads the same samples at earlier stages
 * in addition to the last: what one extractor hides another may have revealed. */
#include <math.h>
#include <stdlib.h>

#include "attribute_attacks.h"
#include "forest.h"
#include "information.h"
#include "shared/try.h"

enum { BEST, LINEAR, WIDE, FOREST };

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of base */
        classic base;
    };
    attr_recipe linear, wide;
    forest_recipe forest;
    int64_t classifier; /* BEST: all three compete */
    int64_t hidden;
} attack;

static gnt_status start(void *self) {
    attack *s = self;
    s->linear.host = s->host;
    s->linear.balanced = s->base.balanced;
    s->wide = s->linear;
    s->wide.n_hidden = 2;
    s->wide.hidden[0] = s->wide.hidden[1] = s->hidden;
    s->forest.leaf = 1;
    if (s->classifier == BEST && !(s->base.reading.share > 0)) /* nothing to choose by */
        s->classifier = WIDE;
    return GNT_OK;
}

/* ---- learning ---- */

typedef struct learnt {
    int64_t columns;
    attr_trained net[2]; /* linear, wide */
    forest trees;
    float *owned; /* nodes of `trees` */
    double accuracy[FOREST + 1];
    double information; /* the largest estimate of the three, nats */
} learnt;

static gnt_status learn_forest(const attack *s, attr_table *t, learnt *l, double *information) {
    TRY(forest_grow(&l->trees, &l->owned, &s->base, &s->forest, t));
    TRY(classic_accuracy(&s->base, t, forest_scores, &l->trees, &l->accuracy[FOREST]));
    return information_of(&s->base, t, forest_scores, &l->trees, 0.5 / (double)s->forest.trees, information);
}

static gnt_status learn_one(const attack *s, int which, attr_table *t, learnt *l) {
    double information = NAN;
    if (which == FOREST) {
        TRY(learn_forest(s, t, l, &information));
    } else {
        attr_trained *net = &l->net[which == WIDE];
        TRY(attr_train_scratch(net, which == WIDE ? &s->wide : &s->linear, t));
        l->accuracy[which] = net->accuracy;
        classic_net n = {.net = net->net};
        TRY(classic_net_open(&n, s->base.host));
        TRY(information_of(&s->base, t, classic_net_scores, &n, 0, &information));
    }
    l->information = fmax(l->information, information); /* the number, of a number and a NaN */
    return GNT_OK;
}

/* Returns the most accurate classifier; ties go to the simpler one. */
static int best_of(const attack *s, const learnt *l) {
    int best = LINEAR;
    if (s->classifier != BEST)
        return (int)s->classifier;
    for (int k = WIDE; k <= FOREST; k++)
        best = l->accuracy[k] > l->accuracy[best] ? k : best;
    return best;
}

static gnt_status keep(const attack *s, int which, const learnt *l, const gnt_sink *out) {
    const gnt_host *host = s->base.host;
    const gnt_status status =
        which == FOREST ? forest_write(&l->trees, out) : attr_write_net(out, "", &l->net[which == WIDE].net);
    gnt_host_fact(host, "kept_classifier", which);
    gnt_host_fact(host, "inputs", (double)l->columns);
    if (!isnan(l->accuracy[which]))
        gnt_host_fact(host, "validation_accuracy", l->accuracy[which]);
    if (!isnan(l->information))
        gnt_host_fact(host, "information", l->information);
    return status == GNT_OK ? GNT_OK : gnt_host_fail(host, "its classifier could not be stored");
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    attr_source from;
    attr_table t;
    learnt l = {.information = NAN};
    gnt_status status = classic_table(&s->base, &from, &t, in, out);
    l.columns = t.columns;
    for (int which = LINEAR; status == GNT_OK && which <= FOREST; which++)
        if (s->classifier == BEST || s->classifier == which)
            status = learn_one(s, which, &t, &l);
    if (status == GNT_OK)
        status = keep(s, best_of(s, &l), &l, out);
    free(l.owned);
    attr_source_close(&from);
    return status;
}

/* ---- observation ---- */

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    const gnt_host *host = s->base.host;
    classic_net n;
    int64_t columns;
    forest f;
    const float *x;
    TRY(classic_see(&s->base, seen, own, &x, &columns));
    if (attr_read_net(&n.net, own, "", columns, seen->attribute_values) == 0) {
        TRY(classic_net_open(&n, host));
        return classic_answer(&s->base, seen, x, classic_net_scores, &n, answer);
    }
    if (forest_read(&f, s->forest.trees, own, columns, seen->attribute_values) != 0)
        return classic_foreign(host, "a classifier");
    TRY(forest_open(&f, host));
    return classic_answer(&s->base, seen, x, forest_scores, &f, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const classifiers[] = {"best", "linear", "wide", "forest", NULL};

static const gnt_parameter parameters[] = {
    GNT_CHOICE(attack, classifier, classifiers, "best",
               "best: the most accurate of the three on the validation part; wide without one"),
    GNT_INT(attack, hidden, 1, 16384, 512, "neurons", "in each of the wide network's two hidden layers"),
    GNT_INT_ID("trees", attack, forest.trees, 1, 10000, 120, "trees", "of the forest"),
    ATTR_SGD_MEMBERS(attack, linear),
    CLASSIC_MEMBERS(attack),
};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor fresh_descriptor = {GNT_ATTACK("fresh", "1.0",
                                                    "infers a private attribute from a representation by the "
                                                    "best of three classifiers trained from scratch",
                                                    "MIT", ""),
                                         ATTRIBUTE_LEARNT(attack, ATTRIBUTE_SEEN),
                                         .uses = GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_HISTORY, .least_shadow = 2,
                                         .start = start};
