/* What is asked of the jobs from an observation on: observe, learn, attack, score. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/seen.h"
#include "metric/features.h"
#include "run/request.h"

/* ---- observation ---- */

/* What was observed in a round is read from the record of the training: no hook runs, and no plugin is opened. */
static int read_round(run *r, run_job *j, const gnt_cell *c, double strength) {
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    return run_add_input(j, "clients", data, "clients") != 0 ||
                   run_add_input(j, "trained", train, "trained") != 0 ||
                   run_add_input(j, "record", train, "record") != 0 ||
                   run_add_input(j, "held", train, "held") != 0
               ? -1
               : 0;
}

static run_job *observe_job(run *r, const gnt_cell *c, double strength, int shadow) {
    static const char *const outputs[] = {"seen",    "broadcast", "labels",  "rates",    "stats", "sum",
                                          "outside", "mixing",    "targets", "compared", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "%s %s/r%" PRId64 "/%s/s%" PRIu64, shadow ? "shadow" : "observe", t->id,
             c->stage, label, c->seed);
    run_job *j = request_begin(r, name, "observe", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64 "/%s r%" PRId64, t->id, c->seed,
             shadow ? "shadow" : "observe", c->stage);
    snprintf(role, sizeof role, "%s/%s", coordinates, r->suite->defense[c->defense].label);
    request_set(j, "model", request_model(t));
    request_region(j, t);
    request_hide(j, t);
    request_set(j, "federated", request_federated(t, t->federated.rounds));
    request_set(j, "stage", json_integer(c->stage));
    request_set(j, "observe", shadow ? request_observe_shadow(t) : request_observe(t));
    request_set(j, "shadow", json_integer(shadow));
    if (!shadow && !t->observe.probe)
        return read_round(r, j, c, strength) == 0 ? j : NULL;
    request_set(j, "defense", request_chain(r, j, (int)c->defense, strength));
    request_set_key(r, j, "train", "train", coordinates); /* the order of batches is no defense's */
    request_set_key(r, j, "defense", "defense", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    if (t->federated.rounds > 0 && run_add_input(j, "treatments", train, "treatments") != 0)
        return NULL;
    if (run_add_input(j, "samples", data, shadow ? "shadow" : "targets") != 0 ||
        run_add_input(j, "public", data, "public") != 0 ||
        run_add_input(j, "trained", train, "trained") != 0 ||
        request_add_artefacts(r, j, c->task, (int)c->defense, strength, c->stage, train, c->seed) != 0)
        return NULL;
    return j;
}

/* ---- attack ---- */

/* What an adaptive attacker is told of the defense: ids and parameters; its artefacts, where they are public or private
 * ones are granted, and the models it works with come as inputs. */
static int add_known(run *r, run_job *j, const gnt_cell *c, double strength, uint32_t granted) {
    const gnt_suite_defense *d = &r->suite->defense[c->defense];
    json_t *values = json_array(), *attack = json_object_get(j->request, "attack");
    for (size_t i = 0; i < d->n_members; i++) {
        gnt_params params;
        if (request_params(&params, &d->member[i], (int32_t)i == d->swept, strength) != 0) {
            json_decref(values);
            return -1;
        }
        json_t *mine = gnt_known_values(&params);
        json_array_extend(values, mine);
        json_decref(mine);
        int rc = request_add_models(r, j, attack, &params);
        gnt_params_free(&params);
        if (rc != 0) {
            json_decref(values);
            return -1;
        }
    }
    request_set(j, "known", json_pack("{s:s, s:o}", "ids", d->plugin, "values", values));
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        const int withheld =
            info->flags & GNT_FLAG_ARTEFACTS_PRIVATE && !(granted & GNT_KNOWS_DEFENSE_PRIVATE);
        if (!(info->hooks & GNT_HOOK_PREPARE) || withheld)
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && c->stage > 0;
        run_job *from = by_stage ? run_train_job(r, c->task, (int)c->defense, strength, c->seed)
                                 : run_initial_job(r, c->task, c->seed);
        run_job *p = request_prepare_defense(r, c->task, c->defense, i, strength, by_stage ? c->stage : 0,
                                             from, c->seed);
        if (run_add_input(j, request_input_name(REQUEST_DEFENSE_ARTEFACTS, i), p, "artefacts") != 0)
            return -1;
    }
    return 0;
}

/* One plugin at work in a cell: the attack, or a member of a chain. */
typedef struct part {
    const gnt_suite_member *member;
    const char *label; /* in the names of its streams */
    const char *name;  /* in the names of its jobs */
    int64_t budget;
    uint32_t grants, goals, surface;
} part;

static part last_part(const run *r, const gnt_cell *c) {
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    return (part){&a->member,
                  a->label,
                  a->label,
                  a->budget,
                  c->grants,
                  c->goals,
                  a->first.info ? (uint32_t)GNT_SURFACE_ENCODING : c->surface};
}

/* Is attack `plain` what the first member of the chain `a` does, by itself? */
static int is_first_of(const gnt_suite_attack *plain, const gnt_suite_attack *a) {
    uint32_t matter = gnt_info_knowledge(a->first.info);
    return !plain->first.info && plain->member.info == a->first.info && plain->budget == a->first_budget &&
           strcmp(plain->member.params, a->first.params) == 0 && !((plain->grants ^ a->grants) & matter);
}

/* Where the suite lists the same attack by itself, it is that one's job. `own` has room for the name of one that is not. */
static part first_part(const run *r, const gnt_cell *c, char own[PART_SIZE]) {
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    part p = {&a->first,       a->first.info->id, own,       a->first_budget,
              c->first_grants, c->first_goals,    c->surface};
    snprintf(own, PART_SIZE, "%s/first", a->label);
    for (size_t i = 0; i < r->suite->n_attacks; i++)
        if (is_first_of(&r->suite->attack[i], a)) {
            p.label = p.name = r->suite->attack[i].label;
            break;
        }
    return p;
}

/* What both jobs of an attack are told. */
static void ask_attack(run *r, run_job *j, const gnt_cell *c, const part *p) {
    const gnt_suite_task *t = &r->suite->task[c->task];
    request_set(j, "model", request_model(t));
    request_set(j, "federated", request_federated(t, t->federated.rounds));
    request_set(j, "granted", json_integer(p->grants));
    request_set(j, "goals", json_integer(p->goals));
    request_set(j, "budget", json_integer(p->budget));
    request_set(j, "attack", request_plugin(r, j, p->member, 0, NAN));
    if (p->grants & GNT_KNOWS_REGION)
        request_region(j, t);
    if (t->observe.attribute >= 0 && (p->grants & GNT_KNOWS_ATTRIBUTE))
        request_set(j, "attribute", request_attribute(t));
}

static run_job *prepare_attack_job(run *r, const gnt_cell *c, double strength, const part *p) {
    static const char *const outputs[] = {"artefacts", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "learn %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->stage, label, p->name,
             c->seed);
    run_job *j = request_begin(r, name, "prepare-attack", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64 "/prepare", t->id, c->stage, p->label,
             c->seed);
    json_t *observe = request_observe(t);
    json_object_set_new(observe, "surface", json_integer(p->surface));
    request_set(j, "stage", json_integer(c->stage));
    request_set(j, "prepare_stage", json_integer(p->member->info->scope == GNT_SCOPE_STAGE ? c->stage : -1));
    request_set(j, "observe", observe);
    ask_attack(r, j, c, p);
    request_set_key(r, j, "prepare", "attack", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    int rc = run_add_input(j, "trained", observe_job(r, c, strength, 0), "broadcast");
    if (rc == 0 && (p->grants & GNT_KNOWS_PUBLIC))
        rc = run_add_input(j, "public", data, "public");
    if (rc == 0 && (p->grants & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS)))
        rc = run_add_input(j, "shadow", data, "shadow");
    if (rc == 0 && (p->grants & GNT_KNOWS_SHADOW_OBS))
        rc = run_add_input(j, "shadow_seen", observe_job(r, c, strength, 1), "seen");
    if (rc == 0 && (p->grants & GNT_KNOWS_SHADOW_OBS))
        rc = run_add_input(j, "shadow_mixing", observe_job(r, c, strength, 1), "mixing");
    if (rc == 0 && (p->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength, p->grants);
    return rc == 0 ? j : NULL;
}

/* The same targets at the stages before, the latest eight, earliest first. */
static int add_history(run *r, run_job *j, const gnt_cell *c, double strength) {
    static const char *const names[] = {"history.0", "history.1", "history.2", "history.3",
                                        "history.4", "history.5", "history.6", "history.7"};
    enum { MOST = sizeof names / sizeof *names };
    const gnt_suite_task *t = &r->suite->task[c->task];
    size_t before = 0, n = 0;
    while (before < t->n_stages && t->stages[before] < c->stage)
        before++;
    for (size_t i = before > MOST ? before - MOST : 0; i < before; i++) {
        gnt_cell earlier = *c;
        earlier.stage = t->stages[i];
        if (run_add_input(j, names[n++], observe_job(r, &earlier, strength, 0), "seen") != 0)
            return -1;
    }
    return 0;
}

/* What the attacker sees, and what of it is granted. */
static int add_observation(run *r, run_job *j, const gnt_cell *c, double strength, uint32_t granted) {
    static const struct {
        uint32_t bit;
        const char *output;
    } grants[] = {{GNT_KNOWS_LABELS, "labels"},
                  {GNT_KNOWS_RATES, "rates"},
                  {GNT_KNOWS_BN_STATS, "stats"},
                  {GNT_KNOWS_REGION, "outside"},
                  {GNT_KNOWS_SUM, "sum"}};
    run_job *seen = observe_job(r, c, strength, 0);
    int rc = run_add_input(j, "seen", seen, "seen");
    for (size_t i = 0; rc == 0 && i < sizeof grants / sizeof *grants; i++)
        if (granted & grants[i].bit)
            rc = run_add_input(j, grants[i].output, seen, grants[i].output);
    return rc == 0 && (granted & GNT_KNOWS_HISTORY) ? add_history(r, j, c, strength) : rc;
}

/* The last of a chain sees what the first recovered, with the labels that that one was granted, and nothing else of what
 * was observed. */
static int add_recovered(run *r, run_job *j, const gnt_cell *c, double strength) {
    run_job *seen = observe_job(r, c, strength, 0);
    request_set(j, "chained", json_integer(1));
    int rc = run_add_input(j, "seen", seen, "broadcast");
    if (rc == 0 && (c->first_grants & GNT_KNOWS_LABELS))
        rc = run_add_input(j, "recovered_labels", seen, "labels");
    return rc == 0 ? run_add_input(j, "recovered", run_first_job(r, c, strength), "answer") : rc;
}

static run_job *part_job(run *r, const gnt_cell *c, double strength, const part *p, int chained) {
    static const char *const outputs[] = {"answer", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    request_label(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "attack %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->stage, label, p->name,
             c->seed);
    run_job *j = request_begin(r, name, "attack", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64, t->id, c->stage, p->label, c->seed);
    ask_attack(r, j, c, p);
    request_set_key(r, j, "attack", "attack", role);
    int rc = chained ? add_recovered(r, j, c, strength) : add_observation(r, j, c, strength, p->grants);
    if (rc == 0 && (p->grants & GNT_KNOWS_PUBLIC))
        rc = run_add_input(j, "public", run_data_job(r, c->task, c->seed), "public");
    if (rc == 0 && (p->member->info->hooks & GNT_HOOK_PREPARE))
        rc = run_add_input(j, "artefacts", prepare_attack_job(r, c, strength, p), "artefacts");
    if (rc == 0 && (p->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength, p->grants);
    return rc == 0 ? j : NULL;
}

run_job *run_first_job(run *r, const gnt_cell *c, double strength) {
    char own[PART_SIZE];
    part p = first_part(r, c, own);
    return part_job(r, c, strength, &p, 0);
}

run_job *run_attack_job(run *r, const gnt_cell *c, double strength) {
    part p = last_part(r, c);
    return part_job(r, c, strength, &p, r->suite->attack[c->attack].first.info != NULL);
}

/* The networks that the suite wants images compared by: their weights are inputs, their digests part of the request. */
static int add_judges(run *r, run_job *j, const gnt_suite_task *t) {
    json_t *lpips = json_object();
    const gnt_suite *s = r->suite;
    request_set(j, "lpips", lpips);
    for (int i = 0; i < GNT_LPIPS_NETS; i++) {
        char hex[GNT_HEX_SIZE] = "";
        if (!(s->measures & 1u << (GNT_MEASURE_LPIPS + i)))
            continue;
        if (r->lpips_path[i]) {
            gnt_digest_hex(&r->lpips_digest[i], hex);
            j->input[j->n_inputs] = (run_input){.name = gnt_measure_names[GNT_MEASURE_LPIPS + i],
                                                .path = gnt_strdup(r->lpips_path[i])};
            if (!j->input[j->n_inputs++].path)
                return -1;
        }
        json_object_set_new(lpips, gnt_lpips_names[i], json_string(hex));
    }
    if (!(s->measures & 1u << GNT_MEASURE_FEATURES) || t->facts.rank != 3)
        return 0;
    request_set(j, "judge", request_model(&s->model[s->judge].of));
    return run_add_input(j, "judge", run_model_job(r, s->judge), "model");
}

run_job *run_score_job(run *r, const gnt_cell *c, double strength, run_job *attack) {
    static const char *const outputs[] = {"score", "images", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], role[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "score %s", strchr(attack->name, ' ') + 1);
    run_job *j = request_begin(r, name, "score", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/s%" PRIu64 "/score", t->id, c->seed);
    request_region(j, t);
    request_set(j, "goals", json_integer(c->goals));
    request_set(j, "granted", json_integer(c->grants));
    request_set(j, "observe", request_observe(t));
    if (t->observe.attribute >= 0)
        request_set(j, "attribute", request_attribute(t));
    if (r->suite->attack[c->attack].first.info)
        request_set(j, "chained", json_integer(1));
    request_set_key(r, j, "score", "data", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *seen = observe_job(r, c, strength, 0);
    if (run_add_input(j, "targets", t->observe.probe ? data : seen, "targets") != 0 ||
        run_add_input(j, "clients", data, "clients") != 0 ||
        run_add_input(j, "public", data, "public") != 0 ||
        run_add_input(j, "answer", attack, "answer") != 0 || run_add_input(j, "seen", seen, "seen") != 0 ||
        run_add_input(j, "mixing", seen, "mixing") != 0)
        return NULL;
    if ((c->goals & GNT_GOAL_RECONSTRUCTION) && t->facts.rank == 3 && add_judges(r, j, t) != 0)
        return NULL;
    /* the truth of a secure sum goes from the training to the score, past everyone else */
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    if ((c->goals & GNT_GOAL_CONTRIBUTION) && run_add_input(j, "contributions", train, "contributions") != 0)
        return NULL;
    return j;
}
