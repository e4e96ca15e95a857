/* The hooks of an attack in the order of a run: their inputs, and the answers they may give. */
#include "plugin/abi_words.h"
#include "plugin/info.h"
#include "vet/hook_sequence_impl.h"

static void *self(const gnt_vet_sequence *t) {
    return gnt_instance_self(t->instance);
}

static void prepare_attack(gnt_vet_sequence *t) {
    gnt_sink sink = gnt_sink_into(&t->prepared);
    t->status = gnt_instance_attack(t->instance)->prepare(self(t), t->setting.attack_prepare, &sink);
}

static const gnt_observation *observed(const gnt_vet_sequence *t) {
    return t->setting.observation[t->index];
}

/* The answers of one call of run, as bits of `answered`; those of attribute i have ATTRIBUTES + i. */
enum { RECONSTRUCTION, LABELS, ATTRIBUTE, MIXTURE, SIMILARITY, CONTRIBUTION, REGION, MEMBERSHIP, ATTRIBUTES };

/* Notes an answer: that its goal is not declared, or that it was given before. False if it is not to be
 * read. */
static int is_new(gnt_vet_sequence *t, int answer, const char *what, uint32_t goal) {
    const uint64_t bit = (uint64_t)1 << answer;
    t->n_outputs++;
    if (!(t->spec.setting.goals & goal) && !t->result->undeclared.text[0])
        gnt_fail(&t->result->undeclared, "it gave %s, but does not declare the goal %s", what,
                 gnt_word_name(&gnt_goal_words, goal));
    if (t->answered & bit && !t->result->excess.text[0])
        gnt_fail(&t->result->excess, "it gave %s twice for one observation", what);
    if (t->answered & bit)
        return 0;
    t->answered |= bit;
    return 1;
}

/* Takes an answer of n numbers. */
static gnt_status take(gnt_vet_sequence *t, const char *name, const float *x, int64_t n) {
    gnt_vet_digest_floats(t, name, x, n);
    return GNT_OK;
}

/* Notes an answer of another number than was requested, and does not read it. The hook may go on. */
static gnt_status refuse(gnt_vet_sequence *t, const char *what, int64_t found, int64_t expected) {
    if (!t->result->excess.text[0])
        gnt_fail(&t->result->excess, "it gave %lld %s, expected %lld", (long long)found, what,
                 (long long)expected);
    return GNT_OK;
}

static gnt_status take_reconstruction(void *context, int64_t count, const float *x) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    if (!is_new(t, RECONSTRUCTION, "reconstructions", GNT_GOAL_RECONSTRUCTION))
        return GNT_OK;
    if (count < 1 || count > o->n)
        return refuse(t, "reconstructions", count, o->n);
    return take(t, "the reconstruction", x, count * gnt_nn_count(&t->setting.model.sample));
}

static gnt_status take_labels(void *context, int64_t n, int32_t classes, const float *scores) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    if (!is_new(t, LABELS, "labels", GNT_GOAL_LABEL))
        return GNT_OK;
    if (classes != o->classes)
        return refuse(t, "classes", classes, o->classes);
    if (n != o->n)
        return refuse(t, "labels", n, o->n);
    return take(t, "the labels' scores", scores, n * classes);
}

static gnt_status take_attribute(void *context, int32_t values, const float *scores) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    if (!is_new(t, ATTRIBUTE, "an attribute", GNT_GOAL_ATTRIBUTE))
        return GNT_OK;
    if (values < 1 || values != o->attribute_values)
        return refuse(t, "scores of the attribute", values, o->attribute_values);
    return take(t, "the attribute's scores", scores, values);
}

static gnt_status take_mixture(void *context, int64_t encodings, int64_t count, const float *weight) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    if (!is_new(t, MIXTURE, "a mixture", GNT_GOAL_RECONSTRUCTION))
        return GNT_OK;
    if (!o->encoded || encodings != o->encoded->n)
        return refuse(t, "rows of a mixture", encodings, o->encoded ? o->encoded->n : 0);
    if (count < 1 || count > o->n)
        return refuse(t, "columns of a mixture", count, o->n);
    return take(t, "the mixture", weight, encodings * count);
}

static gnt_status take_similarity(void *context, int64_t encodings, const float *score) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    if (!is_new(t, SIMILARITY, "similarities", GNT_GOAL_RECONSTRUCTION))
        return GNT_OK;
    if (!o->encoded || encodings != o->encoded->n)
        return refuse(t, "rows of similarities", encodings, o->encoded ? o->encoded->n : 0);
    return take(t, "the similarities", score, encodings * encodings);
}

static gnt_status take_contribution(void *context, int64_t n, const double *value) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    const int64_t wanted = o->n_contribution * (o->transcript ? o->transcript->n_clients : 1);
    if (!is_new(t, CONTRIBUTION, "a contribution", GNT_GOAL_CONTRIBUTION))
        return GNT_OK;
    if (n < 1 || n != wanted)
        return refuse(t, "entries of a contribution", n, wanted);
    gnt_vet_digest_doubles(t, "the contribution", value, n);
    return GNT_OK;
}

static gnt_status take_attributes(void *context, int32_t attribute, int64_t n, int32_t values,
                                  const float *scores) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    const int wanted = o->attribute >= 0 && attribute == o->attribute;
    if (attribute < 0 || attribute >= GNT_DATA_ATTRS)
        return refuse(t, "as the number of an attribute", attribute, GNT_DATA_ATTRS - 1);
    if (!is_new(t, wanted && n == 1 ? ATTRIBUTE : ATTRIBUTES + attribute, "an attribute", GNT_GOAL_ATTRIBUTE))
        return GNT_OK;
    if (n != o->n)
        return refuse(t, "samples with an attribute", n, o->n);
    if (values < 1 || (wanted && values != o->attribute_values))
        return refuse(t, "scores of an attribute", values, wanted ? o->attribute_values : 1);
    return take(t, "the attribute's scores", scores, n * values);
}

static gnt_status take_region(void *context, int64_t n, const float *scores) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    const gnt_nn_shape *sample = &t->setting.model.sample;
    if (!is_new(t, REGION, "a region", GNT_GOAL_REGION))
        return GNT_OK;
    if (n != o->n || sample->rank != 3)
        return refuse(t, "regions", n, sample->rank == 3 ? o->n : 0);
    return take(t, "the region's scores", scores, n * sample->dim[1] * sample->dim[2]);
}

static gnt_status take_membership(void *context, int64_t n, const float *scores) {
    gnt_vet_sequence *t = context;
    const gnt_observation *o = observed(t);
    const int64_t candidates = o->candidates ? o->candidates->n : 0;
    if (!is_new(t, MEMBERSHIP, "membership", GNT_GOAL_MEMBERSHIP))
        return GNT_OK;
    if (n < 1 || n != candidates)
        return refuse(t, "scores of membership", n, candidates);
    return take(t, "the scores of membership", scores, n);
}

/* Accepts any cost and any chosen restart: plots leave out what is not finite. */
static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    gnt_vet_sequence *t = context;
    (void)restart, (void)step, (void)cost;
    t->ending.costs++;
}

static void take_ended(void *context, int32_t reason, int64_t steps) {
    gnt_vet_sequence *t = context;
    gnt_ending_note(&t->ending, reason, steps);
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)context, (void)restart, (void)cost;
}

static void run(gnt_vet_sequence *t) {
    static const gnt_artefacts none = {.size = sizeof none};
    gnt_answer answer = {.size = sizeof answer,
                         .context = t,
                         .reconstruction = take_reconstruction,
                         .labels = take_labels,
                         .attribute = take_attribute,
                         .cost = take_cost,
                         .chosen = take_chosen,
                         .mixture = take_mixture,
                         .similarity = take_similarity,
                         .contribution = take_contribution,
                         .attributes = take_attributes,
                         .region = take_region,
                         .membership = take_membership,
                         .ended = take_ended};
    t->ending = (gnt_ending){0};
    t->status = gnt_instance_attack(t->instance)
                    ->run(self(t), observed(t), t->artefacts ? t->artefacts : &none, &answer);
}

static int after_run(gnt_vet_sequence *t) {
    if (t->n_outputs == 0)
        gnt_fail(&t->result->wrong, "it returned GNT_OK without an answer");
    else if (!t->result->wrong.text[0])
        gnt_ending_check(&t->ending, observed(t)->budget, &t->result->wrong);
    return 0;
}

const gnt_vet_step gnt_vet_attack_steps[] = {
    {"create", "create", 0, 0, 0, gnt_vet_before_create, gnt_vet_create, NULL},
    {"prepare", "prepare", GNT_HOOK_PREPARE, 0, 0, gnt_vet_before_prepare, prepare_attack,
     gnt_vet_after_prepare},
    {"create after prepare", "create", GNT_HOOK_PREPARE, 0, 0, gnt_vet_before_create, gnt_vet_create, NULL},
    {"run on observation 0", "run", GNT_HOOK_RUN, 0, 0, NULL, run, after_run},
    {"run on observation 1", "run", GNT_HOOK_RUN, 1, 0, NULL, run, after_run},
};
const int gnt_vet_attack_count = sizeof gnt_vet_attack_steps / sizeof *gnt_vet_attack_steps;
