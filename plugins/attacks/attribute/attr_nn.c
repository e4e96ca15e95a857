/* attr-nn: parameters, hooks and descriptor.
 *
 * Sources: Melis et al., Exploiting Unintended Feature Leakage, 2019 (max-pooled updates, shadow training);
 * RecUP-FL, 2023, section 5.4 (SGD at 0.01 for 80 epochs; Unkwn-NN of 1024, 1024, 512 and 128 neurons;
 * Stru-NN of three layers within the defender's zoo, which has 128 to 2,048 neurons a layer). The paper does
 * not give Stru-NN's widths, the batch or the window: the defaults here are choices. Layers are counted as
 * the paper counts Unkwn-NN's: those before the output. */
#include <stdlib.h>

#include "attribute_attacks.h"
#include "classic.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/pool.h"
#include "shared/try.h"

enum { STRU, UNKWN, CUSTOM };

static const int64_t stru[] = {512, 256, 128}, unkwn[] = {1024, 1024, 512, 128};

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of nn */
        attr_nn nn;
    };
    int64_t architecture;
    gnt_list hidden;
} attack;

static gnt_status start(void *self) {
    attack *s = self;
    const int64_t *from = s->architecture == STRU ? stru : unkwn;
    const int custom = s->architecture == CUSTOM;
    const int64_t n = custom ? s->hidden.n : s->architecture == STRU ? 3 : 4;
    if (s->hidden.n > ATTR_HIDDEN)
        return gnt_host_fail(s->host, "it has room for 16 hidden layers; give fewer");
    s->nn.recipe.n_hidden = (int32_t)n;
    for (int64_t i = 0; i < n; i++)
        s->nn.recipe.hidden[i] = custom ? (int64_t)s->hidden.at[i] : from[i];
    return GNT_OK;
}

gnt_status attr_nn_learn(const attr_nn *s, attr_table *t, const float *mean, const float *scale,
                         const gnt_sink *out) {
    const gnt_host *host = s->recipe.host;
    attr_trained trained;
    TRY(attr_train_scratch(&trained, &s->recipe, t));
    gnt_host_fact(host, "inputs", (double)t->columns);
    gnt_host_fact(host, "validation_accuracy", trained.accuracy);
    gnt_host_fact(host, "kept_epoch", (double)trained.kept_epoch);
    gnt_host_fact(host, "rate", trained.rate);
    if (attr_write_statistics(out, "", t->columns, mean, scale) != GNT_OK ||
        attr_write_net(out, "", &trained.net) != GNT_OK)
        return gnt_host_fail(host, "its network could not be kept");
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attr_nn *s = self;
    attr_source from;
    attr_table t;
    gnt_status status = attr_source_of_attack(&from, s->recipe.host, &s->reading, in);
    if (status == GNT_OK)
        status = attr_table_make(&t, &s->reading, &from);
    if (status == GNT_OK)
        status = attr_nn_learn(s, &t, from.mean, from.scale, out);
    attr_source_close(&from);
    return status;
}

gnt_status attr_nn_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                       const gnt_answer *answer) {
    const attr_nn *s = self;
    const classic c = {.host = s->host, .reading = s->reading};
    classic_net n;
    int64_t columns;
    const float *x;
    TRY(classic_see(&c, seen, own, &x, &columns));
    if (attr_read_net(&n.net, own, "", columns, seen->attribute_values) != 0)
        return classic_foreign(s->host, "a network");
    TRY(classic_net_open(&n, s->host));
    return classic_answer(&c, seen, x, classic_net_scores, &n, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = attr_nn_run};

static const char *const architectures[] = {"stru", "unkwn", "custom", NULL};

static const gnt_parameter parameters[] = {
    GNT_CHOICE(attack, architecture, architectures, "stru",
               "hidden layers: stru 512-256-128, unkwn 1024-1024-512-128, custom what `hidden` says"),
    GNT_INT_LIST(attack, hidden, 1, 16384, "[512, 256, 128]", "neurons",
                 "widths of the hidden layers of architecture custom; [] is a linear classifier"),
    ATTR_SGD_MEMBERS(attack, nn.recipe),
    ATTR_POOLING_MEMBERS(attack, nn.reading),
    ATTR_JUDGING_MEMBERS(attack, nn.reading, nn.recipe.balanced, ATTR_BEST_EPOCH),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor attr_nn_descriptor = {
    GNT_ATTACK("attr-nn", "1.0",
               "infers a private attribute from the max-pooled update, or the representation, by a network "
               "trained on those of shadow samples",
               "MIT",
               "Melis et al., Exploiting Unintended Feature Leakage in Collaborative Learning, S&P 2019; "
               "RecUP-FL, ASIA CCS 2023, section 5.4 (Stru-NN, Unkwn-NN)"),
    ATTRIBUTE_LEARNT(attack, ATTRIBUTE_SEEN), .uses = GNT_KNOWS_SHADOW_OBS, .least_shadow = 2,
    .start = start};
