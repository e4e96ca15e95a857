/* Makes the jobs from an observation on: observe, prepare-attack, attack, score. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "metric/features.h"
#include "request/inputs.h"
#include "run/request/request_parts.h"

/* ---- observation ---- */

/* Adds the inputs of an observation in a round, which is read from the record of the training: no hook runs,
 * and no plugin is opened. */
static int read_round(run_requests *r, run_job *j, const gnt_cell *c, double strength) {
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    return run_job_add_input(j, "clients", data, "clients") != 0 ||
                   run_job_add_input(j, "trained", train, "trained") != 0 ||
                   run_job_add_input(j, "record", train, "record") != 0 ||
                   run_job_add_input(j, "held", train, "held") != 0
               ? -1
               : 0;
}

/* The rows observed: targets, or shadow rows behind the clients' own defense or one that the attacker
 * prepared. The last two: for the second member of a chain, the encodings of shadow rows instead of updates
 * of these. */
typedef enum observed {
    TARGETS,
    SHADOW,
    SHADOW_OF_ATTACKER,
    SHADOW_ENCODINGS,
    SHADOW_ENCODINGS_OF_ATTACKER
} observed;

static observed shadow_for(const run_requests *r, const gnt_cell *c, uint32_t grants, uint32_t surface) {
    if (r->suite->task[c->task].captures) /* there is no other party here */
        return SHADOW_OF_ATTACKER;
    const int own = !(grants & GNT_KNOWS_DEFENSE_PRIVATE), encodings = surface != c->surface;
    const int of_attacker = own && gnt_suite_keeps_private(&r->suite->defense[c->defense]);
    if (encodings)
        return of_attacker ? SHADOW_ENCODINGS_OF_ATTACKER : SHADOW_ENCODINGS;
    return of_attacker ? SHADOW_OF_ATTACKER : SHADOW;
}

/* True if the cell's attack sees what updates did to the model. */
static int is_on_influence(const run_requests *r, const gnt_cell *c) {
    return r->suite->attack[c->attack].influence_of != NULL;
}

/* Returns what of the task the cell's attack observes. */
static gnt_request_observe observe_for(const run_requests *r, const gnt_cell *c) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    gnt_request_observe o = request_observe(t);
    if (is_on_influence(r, c))
        o.targets = gnt_suite_influences(t);
    return o;
}

static gnt_request_observe observe_shadow_for(const run_requests *r, const gnt_cell *c, observed what) {
    gnt_request_observe o =
        request_observe_shadow(&r->suite->task[c->task], request_hooks(r, (int)c->defense));
    if (what >= SHADOW_ENCODINGS)
        o.surface = GNT_SURFACE_ENCODING;
    return o;
}

static run_job *observe_job(run_requests *r, const gnt_cell *c, double strength, observed what) {
    static const char *const outputs[] = {"seen",    "broadcast", "labels",  "rates",    "stats", "sum",
                                          "outside", "mixing",    "targets", "compared", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    static const char *const word[] = {"observe", "shadow", "shadow of the attacker", "shadow encodings",
                                       "shadow encodings of the attacker"};
    const int shadow = what != TARGETS, influence = is_on_influence(r, c);
    if (t->captures && !shadow)
        return run_capture_job(r, c->task);
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "%s%s %s/r%" PRId64 "/%s/s%" PRIu64, word[what],
             !influence ? ""
             : shadow   ? " on influence"
                        : " the influence in",
             t->id, c->round, label, c->seed);
    run_job *j = request_begin(r, name, GNT_JOB_OBSERVE, outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64 "/%s r%" PRId64, t->id, c->seed,
             shadow ? "shadow" : "observe", c->round);
    snprintf(role, sizeof role, "%s/%s", coordinates, r->suite->defense[c->defense].label);
    j->request.observe =
        (gnt_request_observation){.model = request_model(t),
                                  .samples = request_clients_samples(r, j, t, c->seed),
                                  .federated = request_federated(t, t->federated.rounds),
                                  .stage = c->round,
                                  .observe = shadow ? observe_shadow_for(r, c, what) : observe_for(r, c),
                                  .shadow = shadow,
                                  .influence = influence};
    j->stays = "compared"; /* what marks are made of */
    j->defense = r->suite->defense[c->defense].label;
    if (!shadow && !t->observe.probe)
        return read_round(r, j, c, strength) == 0 ? j : NULL;
    const gnt_request_probe probe = {.defense = request_chain(r, j, (int)c->defense, strength),
                                     /* the order of batches is no defense's */
                                     .train_key = request_key(r, "train", coordinates),
                                     .defense_key = request_key(r, "defense", role)};
    j->request.observe.probe = gnt_arena_copy(&j->request.memory, &probe, 1, sizeof probe);
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    if (t->federated.rounds > 0 && run_job_add_input(j, "treatments", train, "treatments") != 0)
        return NULL;
    if (influence && run_job_add_input(j, "record", train, "record") != 0)
        return NULL;
    if (run_job_add_input(j, "samples", data, shadow ? request_shadow(t) : "targets") != 0 ||
        run_job_add_input(j, "public", data, "public") != 0 ||
        run_job_add_input(j, "trained", train, "trained") != 0 ||
        request_add_artefacts(r, j, c->task, (int)c->defense, strength, c->round, train, c->seed,
                              what == SHADOW_OF_ATTACKER || what == SHADOW_ENCODINGS_OF_ATTACKER
                                  ? REQUEST_ATTACKER
                                  : REQUEST_DEFENDER) != 0)
        return NULL;
    return j;
}

/* ---- attack ---- */

static gnt_request_value value_of(run_job *j, const gnt_value *v) {
    return (gnt_request_value){
        .id = request_text(j, v->id),
        .type = v->type,
        .i = v->i,
        .r = v->r,
        .text = request_text(j, v->text ? v->text : ""),
        .list = {gnt_arena_copy(&j->request.memory, v->list, (size_t)v->n, sizeof *v->list), (size_t)v->n}};
}

/* Sets what an adaptive attacker knows of the defense: ids and parameters. The models it works with become
 * inputs. */
static int known_of(run_requests *r, run_job *j, const gnt_cell *c, double strength,
                    gnt_request_attacker *q) {
    const gnt_suite_defense *d = &r->suite->defense[c->defense];
    gnt_request_known known = {.ids = d->plugin};
    gnt_request_value *list = NULL;
    for (size_t i = 0; i < d->n_members; i++) {
        gnt_params params;
        if (request_params(&params, &d->member[i], (int32_t)i == d->swept, strength) != 0)
            return -1;
        const size_t n = known.values.n, more = (size_t)params.n;
        gnt_request_value *grown = gnt_arena_array(&j->request.memory, n + more, sizeof *grown);
        for (size_t k = 0; grown && k < n; k++)
            grown[k] = list[k];
        for (size_t k = 0; grown && k < more; k++)
            grown[n + k] = value_of(j, &params.value[k]);
        list = grown;
        known.values.n = n + more;
        const int rc = grown ? request_add_models(r, j, &q->plugin, &params) : -1;
        gnt_params_free(&params);
        if (rc != 0)
            return -1;
    }
    known.values.at = list;
    q->known = gnt_arena_copy(&j->request.memory, &known, 1, sizeof known);
    return q->known ? 0 : -1;
}

static int add_known(run_requests *r, run_job *j, const gnt_cell *c, double strength,
                     gnt_request_attacker *q) {
    const gnt_suite_defense *d = &r->suite->defense[c->defense];
    if (known_of(r, j, c, strength, q) != 0)
        return -1;
    if (r->suite->task[c->task].captures) /* which do not have the artefacts */
        return 0;
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        const int withheld =
            info->flags & GNT_FLAG_ARTEFACTS_PRIVATE && !(q->granted & GNT_KNOWS_DEFENSE_PRIVATE);
        if (!(info->hooks & GNT_HOOK_PREPARE) || withheld)
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && c->round > 0;
        run_job *from = by_stage ? run_train_job(r, c->task, (int)c->defense, strength, c->seed)
                                 : run_initial_job(r, c->task, c->seed);
        run_job *p = request_prepare_defense(r, c->task, c->defense, i, strength, by_stage ? c->round : 0,
                                             from, c->seed, REQUEST_DEFENDER);
        if (run_job_add_input(j, gnt_input_defense_artefacts[i], p, "artefacts") != 0)
            return -1;
    }
    return 0;
}

/* One plugin of a cell's attack: the attack, or a member of a chain. */
typedef struct part {
    const gnt_suite_member *member;
    /* Its part of the names of streams, and of jobs. */
    const char *label, *name;
    int64_t budget;
    uint32_t grants, goals, surface;
    int64_t budget_by; /* what its budget is divided by; 0: nothing */
} part;

static part last_part(const run_requests *r, const gnt_cell *c) {
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    return (part){&a->member,
                  a->label,
                  a->label,
                  a->budget,
                  c->grants,
                  c->goals,
                  a->first.info ? (uint32_t)GNT_SURFACE_ENCODING : c->surface,
                  0};
}

/* True if the attack `plain` is the first member of the chain `a` by itself. */
static int is_first_of(const gnt_suite_attack *plain, const gnt_suite_attack *a) {
    uint32_t matter = gnt_info_knowledge(a->first.info);
    return !plain->first.info && plain->member.info == a->first.info && plain->budget == a->first_budget &&
           strcmp(plain->member.params, a->first.params) == 0 && !((plain->grants ^ a->grants) & matter);
}

/* Returns the first member of a chain, under the names of the attack by itself if the suite lists that: then
 * both are one job. `own`: room for the name otherwise. */
static part first_part(const run_requests *r, const gnt_cell *c, char own[PART_SIZE]) {
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    part p = {&a->first,       a->first.info->id, own,        a->first_budget,
              c->first_grants, c->first_goals,    c->surface, 0};
    snprintf(own, PART_SIZE, "%s/first", a->label);
    for (size_t i = 0; i < r->suite->n_attacks; i++)
        if (is_first_of(&r->suite->attack[i], a)) {
            p.label = p.name = r->suite->attack[i].label;
            break;
        }
    return p;
}

/* Sets what the requests of both jobs of an attack have in common. */
static void set_attacker(run_requests *r, run_job *j, const gnt_cell *c, const part *p,
                         gnt_request_attacker *q) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    j->attack = p->label == p->name ? p->label : r->suite->attack[c->attack].label;
    *q = (gnt_request_attacker){
        .model = request_model(t),
        .federated = request_federated_for_attack(t),
        .granted = p->grants,
        .goals = p->goals,
        .budget = p->budget,
        .samples = request_samples(j, t, p->grants & GNT_KNOWS_REGION ? REQUEST_REGION : 0),
        .attribute = p->grants & GNT_KNOWS_ATTRIBUTE ? request_known_attribute(j, t) : NULL};
    q->plugin = request_plugin(r, j, p->member, 0, NAN);
    if (p->budget_by) {
        q->budget = p->budget > 0 && p->budget < p->budget_by ? 1 : p->budget / p->budget_by;
        request_divide_steps(j, &q->plugin, p->member, p->budget_by);
    }
}

/* Adds an output of the captures of earlier rounds, earliest first; *stages: which. */
static int add_earlier_captures(run_requests *r, run_job *j, size_t task, const char *output,
                                gnt_ints *stages) {
    const gnt_suite_captures *of = r->suite->task[task].captures;
    int64_t *round = gnt_arena_array(&j->request.memory, of->n_earlier, sizeof *round);
    *stages = (gnt_ints){round, round ? of->n_earlier : 0};
    for (size_t i = 0; i < stages->n; i++) {
        round[i] = of->earlier[i].round;
        if (run_job_add_input(j, gnt_input_history[i], run_earlier_capture_job(r, task, i), output) != 0)
            return -1;
    }
    return 0;
}

/* Adds an output of the observations at the stages before, the latest eight, earliest first; *stages:
 * which. */
static int add_history(run_requests *r, run_job *j, const gnt_cell *c, double strength, const char *output,
                       gnt_ints *stages) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    if (t->captures)
        return add_earlier_captures(r, j, c->task, output, stages);
    const int64_t *round = gnt_suite_rounds(r->suite, t, c->seed);
    size_t before = 0;
    while (before < t->n_stages && round[before] < c->round)
        before++;
    const size_t from = before > GNT_INPUT_MOST_HISTORY ? before - GNT_INPUT_MOST_HISTORY : 0;
    *stages = (gnt_ints){round + from, before - from};
    for (size_t i = 0; i < stages->n; i++) {
        gnt_cell earlier = *c;
        earlier.round = stages->at[i];
        if (run_job_add_input(j, gnt_input_history[i], observe_job(r, &earlier, strength, TARGETS), output) !=
            0)
            return -1;
    }
    return 0;
}

static const char *const prepared[] = {"artefacts", NULL};

/* Adds the rows that the attacker has been granted. */
static int add_rows(run_requests *r, run_job *j, const gnt_cell *c, uint32_t granted) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    run_job *data = t->captures && !t->captures->has_data ? NULL : run_data_job(r, c->task, c->seed);
    int rc = 0;
    if (granted & GNT_KNOWS_PUBLIC)
        rc = run_job_add_input(j, "public", data, "public");
    if (rc == 0 && (granted & GNT_KNOWS_PRIOR_DATA))
        rc = run_job_add_input(j, "prior_data", data, "prior_data");
    if (rc == 0 && (granted & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS)))
        rc = run_job_add_input(j, "shadow", data, request_shadow(t));
    return rc;
}

/* Returns the job of an attack that prepares once for a training's data, whatever the defense and the round.
 * No part of its request depends on these. */
static run_job *prepare_once_job(run_requests *r, const gnt_cell *c, const part *p) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], role[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "prepare-attack %s/%s/s%" PRIu64, t->trained_as, p->label, c->seed);
    run_job *j = request_begin(r, name, GNT_JOB_PREPARE_ATTACK, prepared, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/%s/s%" PRIu64 "/prepare", t->trained_as, p->label, c->seed);
    j->stays = ""; /* its own attack alone reads them */
    part own = *p;
    own.grants &= GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_SHADOW;
    own.goals = p->member->info->goals;
    own.name = p->label;
    own.budget = own.budget_by = 0;
    gnt_request_prepare_attack *q = &j->request.prepare_attack;
    set_attacker(r, j, c, &own, &q->attacker);
    q->told_stage = -1;
    q->observe.surface = p->surface;
    q->key = request_key(r, "attack", role);
    return add_rows(r, j, c, own.grants) == 0 ? j : NULL;
}

static run_job *prepare_attack_job(run_requests *r, const gnt_cell *c, double strength, const part *p) {
    if (p->member->info->flags & GNT_FLAG_PREPARES_ONCE)
        return prepare_once_job(r, c, p);
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "prepare-attack %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->round, label,
             p->name, c->seed);
    run_job *j = request_begin(r, name, GNT_JOB_PREPARE_ATTACK, prepared, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64 "/prepare", t->id, c->round, p->label,
             c->seed);
    j->stays = ""; /* its own attack alone reads them */
    j->defense = r->suite->defense[c->defense].label;
    gnt_request_prepare_attack *q = &j->request.prepare_attack;
    set_attacker(r, j, c, p, &q->attacker);
    q->stage = c->round;
    q->told_stage = p->member->info->scope == GNT_SCOPE_STAGE ? c->round : -1;
    q->observe = observe_for(r, c);
    q->observe.surface = p->surface;
    q->key = request_key(r, "attack", role);
    const observed shadow = shadow_for(r, c, p->grants, p->surface);
    int rc = run_job_add_input(j, "trained", observe_job(r, c, strength, TARGETS), "broadcast");
    if (rc == 0)
        rc = add_rows(r, j, c, p->grants);
    if (rc == 0 && (p->grants & GNT_KNOWS_SHADOW_OBS))
        rc = run_job_add_input(j, "shadow_seen", observe_job(r, c, strength, shadow), "seen");
    if (rc == 0 && (p->grants & GNT_KNOWS_SHADOW_OBS))
        rc = run_job_add_input(j, "shadow_mixing", observe_job(r, c, strength, shadow), "mixing");
    if (rc == 0 && (p->grants & GNT_KNOWS_HISTORY))
        rc = add_history(r, j, c, strength, "broadcast", &q->history);
    if (rc == 0 && (p->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength, &q->attacker);
    return rc == 0 ? j : NULL;
}

/* Adds what the attacker sees, and what of it is granted. */
static int add_observation(run_requests *r, run_job *j, const gnt_cell *c, double strength,
                           uint32_t granted) {
    static const struct {
        uint32_t bit;
        const char *output;
    } grants[] = {{GNT_KNOWS_LABELS, "labels"},
                  {GNT_KNOWS_RATES, "rates"},
                  {GNT_KNOWS_BN_STATS, "stats"},
                  {GNT_KNOWS_REGION, "outside"},
                  {GNT_KNOWS_SUM, "sum"}};
    run_job *seen = observe_job(r, c, strength, TARGETS);
    int rc = run_job_add_input(j, "seen", seen, "seen");
    for (size_t i = 0; rc == 0 && i < sizeof grants / sizeof *grants; i++)
        if (granted & grants[i].bit)
            rc = run_job_add_input(j, grants[i].output, seen, grants[i].output);
    gnt_ints stages;
    return rc == 0 && (granted & GNT_KNOWS_HISTORY) ? add_history(r, j, c, strength, "seen", &stages) : rc;
}

/* Adds what the last of a chain sees: what the first recovered, and the labels that that one was granted. */
static int add_recovered(run_requests *r, run_job *j, const gnt_cell *c, double strength) {
    run_job *seen = observe_job(r, c, strength, TARGETS);
    int rc = run_job_add_input(j, "seen", seen, "broadcast");
    if (rc == 0 && (c->first_grants & GNT_KNOWS_LABELS))
        rc = run_job_add_input(j, "recovered_labels", seen, "labels");
    return rc == 0 ? run_job_add_input(j, "recovered", run_first_attack_job(r, c, strength), "answer") : rc;
}

static run_job *part_job(run_requests *r, const gnt_cell *c, double strength, const part *p, int chained) {
    static const char *const outputs[] = {"answer", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "attack %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->round, label, p->name,
             c->seed);
    run_job *j = request_begin(r, name, GNT_JOB_ATTACK, outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64, t->id, c->round, p->label, c->seed);
    gnt_request_attack *q = &j->request.attack;
    j->defense = r->suite->defense[c->defense].label;
    set_attacker(r, j, c, p, &q->attacker);
    q->chained = chained;
    q->key = request_key(r, "attack", role);
    int rc = chained ? add_recovered(r, j, c, strength) : add_observation(r, j, c, strength, p->grants);
    if (rc == 0 && (p->grants & GNT_KNOWS_PUBLIC))
        rc = run_job_add_input(j, "public", run_data_job(r, c->task, c->seed), "public");
    if (rc == 0 && (p->grants & GNT_KNOWS_PRIOR_DATA))
        rc = run_job_add_input(j, "prior_data", run_data_job(r, c->task, c->seed), "prior_data");
    if (rc == 0 && p->member == &r->suite->attack[c->attack].member)
        rc = request_add_start(r, j, c->task, c->attack);
    if (rc == 0 && (p->member->info->hooks & GNT_HOOK_PREPARE))
        rc = run_job_add_input(j, "artefacts", prepare_attack_job(r, c, strength, p), "artefacts");
    if (rc == 0 && (p->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength, &q->attacker);
    return rc == 0 ? j : NULL;
}

run_job *run_first_attack_job(run_requests *r, const gnt_cell *c, double strength) {
    char own[PART_SIZE];
    part p = first_part(r, c, own);
    return part_job(r, c, strength, &p, 0);
}

run_job *run_attack_job(run_requests *r, const gnt_cell *c, double strength) {
    part p = last_part(r, c);
    return part_job(r, c, strength, &p, r->suite->attack[c->attack].first.info != NULL);
}

run_job *run_quarter_attack_job(run_requests *r, const gnt_cell *c, double strength) {
    char own[PART_SIZE];
    part p = last_part(r, c);
    snprintf(own, sizeof own, "%s/quarter", p.label);
    p.name = own;
    p.budget_by = 4;
    return part_job(r, c, strength, &p, r->suite->attack[c->attack].first.info != NULL);
}

/* Adds one of the suite's models, whose weights become the input `name` of the score. */
static int add_judge(run_requests *r, run_job *j, size_t model, const char *name,
                     const gnt_request_model **out) {
    const gnt_request_model of = request_model(&r->suite->model[model].of);
    *out = gnt_arena_copy(&j->request.memory, &of, 1, sizeof of);
    return run_job_add_input(j, name, run_model_job(r, model), "model");
}

/* Adds the networks that the suite wants images compared by: their weights are inputs, their digests part of
 * the request. */
static int add_judges(run_requests *r, run_job *j, const gnt_suite_task *t) {
    gnt_request_score *q = &j->request.score;
    const gnt_suite *s = r->suite;
    gnt_request_lpips nets[GNT_LPIPS_NETS];
    size_t n = 0;
    for (int i = 0; i < GNT_LPIPS_NETS; i++) {
        char hex[GNT_HEX_SIZE] = "";
        if (!gnt_lpips_is_wanted(s->measures, (gnt_lpips_net)i))
            continue;
        if (r->inputs.lpips_path[i]) {
            gnt_digest_hex(&r->inputs.lpips[i], hex);
            if (run_job_add_file(j, gnt_measure_of(gnt_lpips_measures[i])->name, r->inputs.lpips_path[i]) !=
                0)
                return -1;
        }
        nets[n++] = (gnt_request_lpips){gnt_lpips_names[i], request_text(j, hex)};
    }
    q->lpips.at = gnt_arena_copy(&j->request.memory, nets, n, sizeof *nets);
    q->lpips.n = q->lpips.at ? n : 0;
    if (t->facts.rank != 3)
        return 0;
    if ((s->measures & 1u << GNT_MEASURE_FEATURE_DISTANCE) &&
        add_judge(r, j, s->judge, "judge", &q->judge) != 0)
        return -1;
    return s->measures & 1u << GNT_MEASURE_REPRESENTATION_MSE
               ? add_judge(r, j, s->representation, "representation", &q->representation)
               : 0;
}

/* Adds what the replay found of updates that may depend on more than their batches. A replay that fails
 * leaves a mark; the answer is then scored against the batches alone. */
static int add_replay(run_requests *r, run_job *j, const gnt_cell *c, double strength) {
    const gnt_suite_observe *o = &r->suite->task[c->task].observe;
    if (o->probe || o->surface != GNT_SURFACE_UPDATE || !(c->goals & GNT_GOAL_RECONSTRUCTION))
        return 0;
    run_job *replay = run_replay_job(r, c->task, (int)c->defense, strength, c->seed);
    if (!replay || !replay->request.replay.forgets)
        return 0;
    if (run_job_add_input(j, "replay", replay, "replay") != 0)
        return -1;
    j->input[j->n_inputs - 1].optional = 1;
    return 0;
}

/* Adds what an answer to captures is compared with. What identification chooses among besides the private
 * samples are public rows, in the place of other clients'. */
static int add_private(run_requests *r, run_job *j, const gnt_cell *c, run_job *seen, run_job *attack) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    run_job *data = t->captures->has_data ? run_data_job(r, c->task, c->seed) : NULL;
    if (t->role_rows[GNT_ROLE_PUBLIC] && (run_job_add_input(j, "clients", data, "public") != 0 ||
                                          run_job_add_input(j, "public", data, "public") != 0))
        return -1;
    return run_job_add_input(j, "targets", seen, "targets") || run_job_add_input(j, "seen", seen, "seen") ||
                   run_job_add_input(j, "answer", attack, "answer")
               ? -1
               : 0;
}

run_job *run_score_job(run_requests *r, const gnt_cell *c, double strength, run_job *attack) {
    static const char *const outputs[] = {"score", "images", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], role[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "score %s", strchr(attack->name, ' ') + 1);
    run_job *j = request_begin(r, name, GNT_JOB_SCORE, outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/s%" PRIu64 "/score", t->id, c->seed);
    j->request.score = (gnt_request_score){.samples = request_samples(j, t, REQUEST_REGION),
                                           .goals = c->goals,
                                           .granted = c->grants,
                                           .observe = observe_for(r, c),
                                           .attribute = request_attribute(j, t),
                                           .chained = r->suite->attack[c->attack].first.info != NULL,
                                           .points = c->draws_points ? r->suite->points : 0,
                                           .points_of_samples = c->draws_points && c->mode == GNT_MODE_NONE,
                                           .key = request_key(r, "data", role)};
    run_job *seen = observe_job(r, c, strength, TARGETS);
    if (t->captures) {
        if (add_private(r, j, c, seen, attack) != 0)
            return NULL;
        return (c->goals & GNT_GOAL_RECONSTRUCTION) && t->facts.rank == 3 && add_judges(r, j, t) != 0 ? NULL
                                                                                                      : j;
    }
    run_job *data = run_data_job(r, c->task, c->seed);
    if (run_job_add_input(j, "targets", t->observe.probe ? data : seen, "targets") != 0 ||
        run_job_add_input(j, "clients", data, "clients") != 0 ||
        run_job_add_input(j, "public", data, "public") != 0 ||
        run_job_add_input(j, "answer", attack, "answer") != 0 ||
        run_job_add_input(j, "seen", seen, "seen") != 0 ||
        run_job_add_input(j, "mixing", seen, "mixing") != 0)
        return NULL;
    if (add_replay(r, j, c, strength) != 0)
        return NULL;
    if ((c->goals & GNT_GOAL_RECONSTRUCTION) && t->facts.rank == 3 && add_judges(r, j, t) != 0)
        return NULL;
    /* the truth of a secure sum: from the training to the score, an input of no other job */
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    if ((c->goals & GNT_GOAL_CONTRIBUTION) &&
        run_job_add_input(j, "contributions", train, "contributions") != 0)
        return NULL;
    return j;
}
