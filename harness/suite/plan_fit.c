/* Decides why a cell is n/a, from descriptors and the suite alone. A plugin that finds out more while it runs
 * returns GNT_UNSUPPORTED. */
#include "suite/plan_fit.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "plugin/abi_words.h"

typedef struct words_text {
    char text[160];
} words_text;

static words_text list(const gnt_words *words, uint32_t bits) {
    words_text out;
    gnt_words_list(words, bits, out.text, sizeof out.text);
    return out;
}

static uint32_t kind_bit(const gnt_suite_task *t) {
    return t->facts.kind == GNT_DATA_IMAGE     ? GNT_KIND_IMAGE
           : t->facts.kind == GNT_DATA_TABULAR ? GNT_KIND_TABULAR
                                               : GNT_KIND_AUDIO;
}

static char *kind_reason(const gnt_suite_task *t, const gnt_plugin_info *p) {
    if (p->data_kinds & kind_bit(t))
        return NULL;
    return gnt_format("%s works on %s data; %s is %s", p->id, list(&gnt_data_kind_words, p->data_kinds).text,
                      t->data, list(&gnt_data_kind_words, kind_bit(t)).text);
}

/* Returns the shadow rows, or observations, that an attack with these grants learns from. */
static int64_t shadow_of(const gnt_suite_task *t, uint32_t grants) {
    return grants & GNT_KNOWS_SHADOW_OBS ? t->shadow_observations : t->role_rows[GNT_ROLE_SHADOW];
}

static char *few_rows(const gnt_suite_task *t, const gnt_plugin_info *p, int role) {
    return role == GNT_ROLE_PUBLIC
               ? gnt_format("%s needs at least %lld public rows; the task has %lld (data.public)", p->id,
                            (long long)p->least_public, (long long)t->role_rows[GNT_ROLE_PUBLIC])
               : gnt_format("%s needs at least %lld shadow rows or observations; the task has fewer "
                            "(data.shadow, shadow.observations)",
                            p->id, (long long)p->least_shadow);
}

/* True if each observation is of one sample, as far as the suite says. */
static int is_of_one_sample(const gnt_suite_task *t) {
    const int job_knows = !t->observe.probe && t->federated.partition == GNT_PARTITION_DIRICHLET;
    return job_knows || t->observe.set || t->observe.batch <= 1;
}

/* True if clients compute updates: in rounds, or because updates are observed. */
static int updates_are_computed(const gnt_suite_task *t) {
    return t->federated.rounds > 0 || t->observe.surface == GNT_SURFACE_UPDATE;
}

static int takes_steps(const gnt_suite_task *t) {
    const int probed = t->observe.probe && t->observe.surface == GNT_SURFACE_UPDATE;
    return (t->federated.rounds == 0 || t->federated.local_steps > 0) &&
           (!probed || t->observe.local_steps > 0);
}

static int hides_any(const gnt_suite_task *t) {
    for (size_t i = 0; i < sizeof t->hide / sizeof *t->hide; i++)
        if (t->hide[i] > 0)
            return 1;
    return 0;
}

/* Returns what the suite lacks for these GNT_IF_*; NULL: nothing. updates: clients compute updates. */
static const char *unmet_condition(const gnt_suite_task *t, uint32_t conditions, int updates) {
    if ((conditions & GNT_IF_CLASSES) && t->is_map)
        return "it needs a model whose output is classes; that of the task is a map";
    if ((conditions & GNT_IF_LOCAL_STEPS) && updates && !takes_steps(t))
        return "it trains in local steps; set federated.local_steps, and observe.local_steps of a probe, to "
               "1 or more";
    if ((conditions & GNT_IF_DENSE) && !t->shares_dense)
        return "it needs a dense layer among those that clients share; the task's model has none";
    if ((conditions & GNT_IF_WHOLE_MODEL) && t->shares_part)
        return "it needs clients that share all parameters (federated.share)";
    if ((conditions & GNT_IF_HIDES) && !hides_any(t))
        return "no attribute is hidden; name the task's private attributes in its `hide`";
    return NULL;
}

/* Returns why clients have no rows for a secure sum; NULL: they have, or there is none. */
static const char *lacks_client_rows(const gnt_suite_task *t, const gnt_plugin_info *p) {
    return (p->hooks & GNT_HOOK_CONTRIBUTE) &&
                   t->role_rows[GNT_ROLE_CLIENTS] < (t->federated.clients > 1 ? t->federated.clients : 1)
               ? "it takes a secure sum over the clients, which have fewer rows than there are clients; "
                 "raise data.clients"
               : NULL;
}

static uint32_t hooks_of(const gnt_suite_defense *d) {
    uint32_t hooks = 0;
    for (size_t i = 0; i < d->n_members; i++)
        hooks |= d->member[i].info->hooks;
    return hooks;
}

static char *member_reason(const gnt_suite_task *t, const gnt_plugin_info *p, int *fits) {
    *fits = 0;
    if (!(p->data_kinds & kind_bit(t)))
        return kind_reason(t, p);
    if ((p->flags & GNT_FLAG_NEEDS_PUBLIC) && !t->role_rows[GNT_ROLE_PUBLIC])
        return gnt_format("%s needs public data, which the task has none of (data.public)", p->id);
    if ((p->flags & GNT_FLAG_NEEDS_SHADOW) && !t->role_rows[GNT_ROLE_DEFENDER_SHADOW])
        return gnt_format(
            "%s needs shadow data of its own, which the task has none of (data.defender_shadow)", p->id);
    if (p->least_public > t->role_rows[GNT_ROLE_PUBLIC])
        return few_rows(t, p, GNT_ROLE_PUBLIC);
    const char *lacks = unmet_condition(t, p->conditions, updates_are_computed(t));
    if (!lacks)
        lacks = lacks_client_rows(t, p);
    *fits = !lacks;
    return lacks ? gnt_format("%s: %s", p->id, lacks) : NULL;
}

/* Hooks that change what the model learns, and so what a representation reveals. */
static const uint32_t trains = GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH | GNT_HOOK_LOCAL_RATE |
                               GNT_HOOK_CLIENT_UPDATE | GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE;

static char *fit_defense(const gnt_suite_task *t, const gnt_suite_defense *d, int *failed) {
    uint32_t surfaces = 0;
    if (t->captures) /* it was applied elsewhere, to whatever data */
        return NULL;
    for (size_t i = 0; i < d->n_members; i++) {
        int fits;
        char *reason = member_reason(t, d->member[i].info, &fits);
        if (!fits) {
            *failed |= !reason;
            return reason;
        }
        surfaces |= d->member[i].info->surfaces;
    }
    /* an update that a hook may change, or samples that another hook encodes, may not depend on what was
     * released */
    if (t->observe.surface == GNT_SURFACE_ENCODING && !t->observe.probe &&
        hooks_of(d) & (GNT_HOOK_ENCODE_BATCH | GNT_HOOK_CLIENT_UPDATE | GNT_HOOK_TRANSFORM_UPDATE)) {
        char *reason =
            gnt_format("%s has hooks behind the released encodings, so that the clients need not train on "
                       "these; observe the surface update, or encode sets alone",
                       d->plugin);
        *failed |= !reason;
        return reason;
    }
    int no_sum = t->observe.surface == GNT_SURFACE_TRANSCRIPT && !(hooks_of(d) & GNT_HOOK_CONTRIBUTE);
    const uint32_t reached = surfaces | (hooks_of(d) & trains ? GNT_SURFACE_REPRESENTATION : 0);
    if ((reached & t->observe.surface) && !no_sum)
        return NULL;
    char *reason = no_sum ? gnt_format("%s computes no secure sum, so there is no transcript", d->plugin)
                          : gnt_format("%s acts on the surface %s; the task shows %s", d->plugin,
                                       list(&gnt_surface_words, surfaces).text,
                                       list(&gnt_surface_words, t->observe.surface).text);
    *failed |= !reason;
    return reason;
}

int gnt_suite_keeps_private(const gnt_suite_defense *d) {
    for (size_t i = 0; i < d->n_members; i++)
        if (d->member[i].info->hooks & GNT_HOOK_PREPARE &&
            d->member[i].info->flags & GNT_FLAG_ARTEFACTS_PRIVATE)
            return 1;
    return 0;
}

/* True if clients compute in a round with encodings instead of their samples, so that nothing describes the
 * samples themselves. */
static int is_encoded(const gnt_suite_task *t, const gnt_suite_defense *d) {
    return !t->observe.probe &&
           (hooks_of(d) & (GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH | GNT_HOOK_CLIENT_UPDATE));
}

/* Returns the knowledge of how a client computed its update that a defense makes void: what it does
 * instead of the client's own steps has no rates, no order of samples and no batch statistics that the
 * host knows. */
static uint32_t made_void(const gnt_suite_task *t, const gnt_suite_defense *d) {
    uint32_t bits = is_encoded(t, d) ? GNT_KNOWS_BN_STATS | GNT_KNOWS_REGION | GNT_KNOWS_ORDER : 0;
    if (hooks_of(d) & GNT_HOOK_CLIENT_UPDATE)
        bits |= GNT_KNOWS_BN_STATS | GNT_KNOWS_ORDER | GNT_KNOWS_RATES;
    return bits;
}

/* Returns what captures, and the rows that the suite names, offer. */
static uint32_t available_of_captures(const gnt_suite_task *t) {
    const gnt_suite_captures *of = t->captures;
    return of->from_private | (of->defense_known ? GNT_KNOWS_DEFENSE : 0) |
           (t->role_rows[GNT_ROLE_PUBLIC] ? GNT_KNOWS_PUBLIC : 0) |
           (t->role_rows[GNT_ROLE_SHADOW] ? GNT_KNOWS_SHADOW : 0) |
           (t->shadow_observations && !t->shares_part ? GNT_KNOWS_SHADOW_OBS : 0) |
           (of->n_earlier ? GNT_KNOWS_HISTORY : 0) |
           (t->observe.attribute >= 0 && of->known_attribute >= 0 ? GNT_KNOWS_ATTRIBUTE : 0);
}

/* Returns the knowledge that a cell offers: the suite can only grant what the task has. */
static uint32_t available(const gnt_suite *s, const gnt_cell *c) {
    const gnt_suite_task *t = &s->task[c->task];
    const gnt_suite_defense *d = &s->defense[c->defense];
    if (t->captures)
        return available_of_captures(t);
    uint32_t has = GNT_KNOWS_LABELS | GNT_KNOWS_DEFENSE | GNT_KNOWS_RATES, hooks = hooks_of(d);
    has |= t->role_rows[GNT_ROLE_PUBLIC] ? GNT_KNOWS_PUBLIC : 0;
    has |= t->prior_rows ? GNT_KNOWS_PRIOR_DATA : 0;
    has |= t->role_rows[GNT_ROLE_SHADOW] ? GNT_KNOWS_SHADOW : 0;
    has |= t->shadow_observations ? GNT_KNOWS_SHADOW_OBS : 0;
    has |= t->has_buffers && c->surface != GNT_SURFACE_ENCODING ? GNT_KNOWS_BN_STATS : 0;
    has |= t->observe.attribute >= 0 ? GNT_KNOWS_ATTRIBUTE : 0;
    has |= hooks & GNT_HOOK_CONTRIBUTE ? GNT_KNOWS_SUM : 0;
    has |= t->region.height || t->facts.has_maps ? GNT_KNOWS_REGION : 0;
    has |= t->observe.probe && c->stage != t->stages[0] ? GNT_KNOWS_HISTORY : 0;
    has |= gnt_suite_keeps_private(d) ? GNT_KNOWS_DEFENSE_PRIVATE : 0;
    has |= c->surface == GNT_SURFACE_UPDATE && t->observe.local_steps > 0 ? GNT_KNOWS_ORDER : 0;
    has &= ~made_void(t, d);
    if (t->observe.surface == GNT_SURFACE_TRANSCRIPT)
        has &= GNT_KNOWS_DEFENSE | GNT_KNOWS_DEFENSE_PRIVATE | GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA |
               GNT_KNOWS_SHADOW | GNT_KNOWS_SUM;
    return has;
}

/* Returns why an attacker on captures has not what it would be granted. */
static const char *where_from_captures(const gnt_suite_task *t, uint32_t bit) {
    const int withheld = !t->captures->rows;
    switch (bit) {
    case GNT_KNOWS_PUBLIC:
        return "the attacker has no public data (data.public, --public)";
    case GNT_KNOWS_PRIOR_DATA:
        return "a task of captures has one public set (data.public, --public)";
    case GNT_KNOWS_SHADOW:
        return "the attacker has no shadow data (data.shadow, --shadow)";
    case GNT_KNOWS_SHADOW_OBS:
        return t->shares_part && t->role_rows[GNT_ROLE_SHADOW]
                   ? "no update of shadow data can be computed without the parameters that clients keep"
                   : "the attacker has no shadow data to compute updates from (shadow.observations, "
                     "--shadow)";
    case GNT_KNOWS_DEFENSE:
        return "the attacker does not know the defense (defense_known, --defense)";
    case GNT_KNOWS_ATTRIBUTE:
        return t->observe.attribute < 0 ? "the captures name no attribute to infer (attribute)"
                                        : "the attacker's data do not have the attribute of the captures";
    case GNT_KNOWS_HISTORY:
        return "there are no captures of the same clients in earlier rounds (history)";
    case GNT_KNOWS_LABELS:
    case GNT_KNOWS_RATES:
    case GNT_KNOWS_ORDER:
    case GNT_KNOWS_BN_STATS:
    case GNT_KNOWS_REGION:
        return withheld ? "the private batch, which would give it, is withheld"
                        : "the private batch does not give it";
    default:
        return "captures do not have it";
    }
}

static const char *where_from(const gnt_suite_task *t, const gnt_suite_defense *d, uint32_t bit) {
    if (t->captures)
        return where_from_captures(t, bit);
    const uint32_t of_tasks = GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_SHADOW | GNT_KNOWS_SUM |
                              GNT_KNOWS_DEFENSE_PRIVATE;
    if (t->observe.surface == GNT_SURFACE_TRANSCRIPT && !(bit & of_tasks))
        return "a transcript does not depend on one private batch and is made once";
    if ((hooks_of(d) & GNT_HOOK_CLIENT_UPDATE) && bit == GNT_KNOWS_RATES)
        return "the defense computes the clients' updates by itself, at rates of its own";
    if (bit & made_void(t, d))
        return "the defense computes with something else than the samples themselves";
    switch (bit) {
    case GNT_KNOWS_PUBLIC:
        return "the task has no public rows (data.public)";
    case GNT_KNOWS_PRIOR_DATA:
        return "the task names no other public set (data.prior_data)";
    case GNT_KNOWS_SHADOW:
        return "the task has no shadow rows (data.shadow)";
    case GNT_KNOWS_SHADOW_OBS:
        return "the task makes none (shadow.observations)";
    case GNT_KNOWS_BN_STATS:
        return "the model has no batch norm, or no batch of it is observed";
    case GNT_KNOWS_REGION:
        return "the task names no sensitive region (region)";
    case GNT_KNOWS_SUM:
        return "the defense makes no secure sum";
    case GNT_KNOWS_ATTRIBUTE:
        return "the task names no private attribute (observe.attribute)";
    case GNT_KNOWS_DEFENSE_PRIVATE:
        return "the defense keeps no artefacts private";
    case GNT_KNOWS_ORDER:
        return "no update of several local steps is observed";
    default:
        return t->observe.probe ? "this is the task's first stage"
                                : "in every observed round other clients are drawn (observe.from)";
    }
}

const char *plan_why_absent(const gnt_suite *s, const gnt_cell *c, uint32_t bit) {
    return where_from(&s->task[c->task], &s->defense[c->defense], bit);
}

static uint32_t lowest_bit(uint32_t bits) {
    return bits & (~bits + 1);
}

/* Goals that no measure scores yet. */
static const uint32_t unmeasured = GNT_GOAL_REGION | GNT_GOAL_MEMBERSHIP;

/* Returns the goals that an attack can reach on the task's observations. */
static uint32_t goals_of(const gnt_suite *s, const gnt_cell *c) {
    const gnt_suite_task *t = &s->task[c->task];
    uint32_t goals = gnt_words_all(&gnt_goal_words) & ~unmeasured;
    if (t->observe.surface == GNT_SURFACE_TRANSCRIPT)
        goals = GNT_GOAL_CONTRIBUTION;
    if (t->observe.attribute < 0)
        goals &= ~GNT_GOAL_ATTRIBUTE;
    if (t->facts.has_maps)
        goals &= ~GNT_GOAL_LABEL;
    if (t->captures || !(hooks_of(&s->defense[c->defense]) & GNT_HOOK_CONTRIBUTE))
        goals &= ~GNT_GOAL_CONTRIBUTION;
    if (t->captures && t->captures->goals)
        goals &= t->captures->goals;
    return goals;
}

static const char *no_goal(const gnt_suite_task *t, uint32_t goals) {
    if (t->observe.surface == GNT_SURFACE_TRANSCRIPT && !(goals & GNT_GOAL_CONTRIBUTION))
        return "a transcript reveals contributions to a secure sum only";
    if (!(goals & ~unmeasured))
        return "this version has no measure for it";
    if (t->captures && t->captures->goals && !(goals & t->captures->goals))
        return "the captures name other goals";
    if (t->captures && (goals & GNT_GOAL_CONTRIBUTION))
        return "captures have no secure sum to contribute to";
    if (t->captures && (goals & GNT_GOAL_ATTRIBUTE))
        return "the captures name no attribute to infer (attribute)";
    if (goals & GNT_GOAL_CONTRIBUTION)
        return "the defense makes no secure sum to contribute to";
    if (t->facts.has_maps && goals & GNT_GOAL_LABEL)
        return "the task's samples have maps, not labels";
    return "the task names no private attribute (observe.attribute)";
}

/* One plugin of an attack, and its input. */
typedef struct attacker {
    const gnt_plugin_info *plugin;
    const char *who; /* prefix of messages about a member of a chain: "decompose "; else "" */
    uint32_t surface, grants, has;
    const char *withheld;       /* why bits outside `has` are missing, if not because of the task */
    const gnt_suite_list *list; /* which grants; NULL: the suite does */
} attacker;

static int names(const gnt_plugin_info *attack, const char *id) {
    for (int32_t i = 0; i < attack->n_families; i++)
        if (strcmp(attack->families[i], id) == 0)
            return 1;
    return 0;
}

/* True if the attack answers this defense, as far as its conditions say. */
static int answers(const gnt_plugin_info *attack, const gnt_suite_defense *d) {
    int named = 0;
    for (size_t i = 0; i < d->n_members; i++)
        named |= names(attack, d->member[i].info->id);
    if (attack->conditions & GNT_IF_NAMED)
        return named;
    return !(attack->conditions & GNT_IF_ONLY_NAMED) ||
           (d->n_members == 1 && (named || strcmp(d->member[0].info->id, "none") == 0));
}

static char *families_text(const gnt_plugin_info *p) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    for (int32_t i = 0; i < p->n_families; i++)
        gnt_text_add(&text, "%s%s", i ? ", " : "", p->families[i]);
    char *out = gnt_text_take(&text);
    gnt_text_free(&text);
    return out;
}

static char *not_answered(const gnt_suite_task *t, const gnt_plugin_info *p, const gnt_suite_defense *d) {
    const int unknown = t->captures && !t->captures->defense_known;
    char *list = families_text(p);
    char *reason = list ? gnt_format("%s answers %s%s; the defense is %s", p->id, list,
                                     p->conditions & GNT_IF_ONLY_NAMED ? ", one at a time" : "",
                                     unknown ? "not known to the attacker" : d->plugin)
                        : NULL;
    gnt_free(list);
    return reason;
}

/* Checks, as misfits does, what the descriptor says under `conditions`, `least_public` and `least_shadow`.
 * The result of a chain's first attack is no observation, so conditions of observations do not apply to
 * the second. */
static int misfits_conditions(const gnt_suite_task *t, const gnt_suite_defense *d, const attacker *a,
                              uint32_t grants, char **reason) {
    const gnt_plugin_info *p = a->plugin;
    const int observed = a->surface == t->observe.surface;
    const char *lacks = unmet_condition(t, p->conditions, observed && a->surface == GNT_SURFACE_UPDATE);
    if (!answers(p, d))
        *reason = not_answered(t, p, d);
    else if (observed && (p->conditions & GNT_IF_ONE_SAMPLE) && !is_of_one_sample(t))
        *reason = gnt_format("%s needs a batch of one sample; an observation is of %lld (observe.batch)",
                             p->id, (long long)t->observe.batch);
    else if (a->surface == GNT_SURFACE_UPDATE && (p->conditions & GNT_IF_ONE_STEP) &&
             t->observe.local_steps > 1)
        *reason = gnt_format("%s needs updates of one gradient or one step; clients take %lld "
                             "(local_steps)",
                             p->id, (long long)t->observe.local_steps);
    else if (lacks)
        *reason = gnt_format("%s: %s", p->id, lacks);
    else if ((grants & GNT_KNOWS_PUBLIC) && p->least_public > t->role_rows[GNT_ROLE_PUBLIC])
        *reason = few_rows(t, p, GNT_ROLE_PUBLIC);
    else if ((grants & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS)) && p->least_shadow > shadow_of(t, grants))
        *reason = few_rows(t, p, GNT_ROLE_SHADOW);
    else
        return 0;
    return 1;
}

/* Returns 0 if the attacker fits, else 1 and the *reason (NULL: out of memory). */
static int misfits(const gnt_suite *s, const gnt_cell *c, const attacker *a, uint32_t *goals,
                   uint32_t *grants, char **reason) {
    const gnt_suite_task *t = &s->task[c->task];
    const gnt_plugin_info *p = a->plugin;
    uint32_t ungranted = p->needs & ~a->grants, absent = p->needs & ~a->has;
    *goals = p->goals & goals_of(s, c);
    *grants = a->grants & a->has & gnt_info_knowledge(p);
    if (!(*grants & (GNT_KNOWS_DEFENSE | GNT_KNOWS_SHADOW_OBS)))
        *grants &= ~GNT_KNOWS_DEFENSE_PRIVATE;
    *reason = NULL;
    if (p->flags & GNT_FLAG_ACTIVE)
        *reason = gnt_format(
            "%s changes what the server broadcasts before the clients compute, which this version lets no "
            "attack do",
            p->id);
    else if (!(p->data_kinds & kind_bit(t)))
        *reason = kind_reason(t, p);
    else if (!(p->surfaces & a->surface))
        *reason = gnt_format(
            "%s reads the surface %s; %s %s", p->id, list(&gnt_surface_words, p->surfaces).text,
            a->surface == c->surface ? "the task shows" : "the attack before it in the chain leaves",
            list(&gnt_surface_words, a->surface).text);
    else if (!*goals)
        *reason = gnt_format("%s answers %s, and %s", p->id, list(&gnt_goal_words, p->goals).text,
                             no_goal(t, p->goals));
    else if (ungranted)
        *reason = gnt_format("%sneeds %s, which %s%s does not grant", a->who,
                             list(&gnt_knowledge_words, ungranted).text, a->list ? "the list " : "the suite",
                             a->list ? a->list->name : "");
    else if (absent)
        *reason = gnt_format(
            "%sneeds %s, but %s", a->who, list(&gnt_knowledge_words, lowest_bit(absent)).text,
            a->withheld ? a->withheld : where_from(t, &s->defense[c->defense], lowest_bit(absent)));
    else if ((p->flags & GNT_FLAG_FIRST_DENSE) && !t->first_dense)
        *reason =
            gnt_format("%sneeds a model whose first layer is dense; that of %s is not", a->who, t->model);
    else
        return misfits_conditions(t, &s->defense[c->defense], a, *grants, reason);
    return 1;
}

/* Checks a chain as above: the first attacks updates of encodings, set by set, and the second gets the
 * result as encodings. No knowledge about a batch of private samples fits those. */
static int chain_misfits(const gnt_suite *s, gnt_cell *c, uint32_t has, char **reason) {
    const gnt_suite_task *t = &s->task[c->task];
    const gnt_suite_attack *a = &s->attack[c->attack];
    char first_who[GNT_SUITE_NAME + 2], who[GNT_SUITE_NAME + 2];
    snprintf(first_who, sizeof first_who, "%s ", a->first.info->id);
    snprintf(who, sizeof who, "%s ", a->member.info->id);
    const attacker first = {a->first.info, first_who, c->surface, a->grants, has, NULL, a->list};
    const uint32_t goes_on = GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_DEFENSE |
                             GNT_KNOWS_DEFENSE_PRIVATE | GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS |
                             GNT_KNOWS_ATTRIBUTE;
    const attacker second = {a->member.info,
                             who,
                             GNT_SURFACE_ENCODING,
                             a->grants,
                             has & goes_on,
                             a->member.info->needs & has & ~goes_on
                                 ? "a chain has none for what its first attack recovered"
                                 : NULL,
                             a->list};
    *reason = NULL;
    if (c->surface != GNT_SURFACE_UPDATE || !t->observe.set) {
        *reason = gnt_format(
            "a chain begins with the updates of encoded sets; the task shows none (observe.surface, "
            "observe.set)");
        return 1;
    }
    if (!(a->first.info->goals & GNT_GOAL_RECONSTRUCTION)) {
        *reason = gnt_format("%s answers %s; what follows it in a chain needs reconstruction",
                             a->first.info->id, list(&gnt_goal_words, a->first.info->goals).text);
        return 1;
    }
    return misfits(s, c, &first, &c->first_goals, &c->first_grants, reason) ||
           misfits(s, c, &second, &c->goals, &c->grants, reason);
}

static int attack_misfits(const gnt_suite *s, gnt_cell *c, char **reason) {
    const gnt_suite_attack *a = &s->attack[c->attack];
    uint32_t has = available(s, c);
    if (a->first.info)
        return chain_misfits(s, c, has, reason);
    const attacker one = {a->member.info, "", c->surface, a->grants, has, NULL, a->list};
    return misfits(s, c, &one, &c->goals, &c->grants, reason);
}

int plan_fit(const gnt_suite *s, gnt_cell *c) {
    const gnt_suite_task *t = &s->task[c->task];
    const gnt_suite_defense *d = &s->defense[c->defense];
    char *misfit;
    int failed = 0;
    c->surface = t->observe.surface;
    int unfit = attack_misfits(s, c, &misfit);
    c->reason = fit_defense(t, d, &failed);
    if (c->reason || failed) {
        gnt_free(misfit);
        return failed ? -1 : 0;
    }
    c->reason = misfit;
    return unfit && !misfit ? -1 : 0;
}
