/* What each kind of job is asked, from the coordinates of the plan. Two jobs with the same name are the same
 * job. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "job/seen.h"
#include "plugin/params.h"
#include "run/run_impl.h"

/* ---- parts of requests ---- */

/* Hex of the key of `role` for what `job` names. Only keys ever leave the scheduler. */
static json_t *key_json(const run *r, const char *role, const char *job) {
    char hex[GNT_HEX_SIZE];
    gnt_key of_role = gnt_key_derive(&r->suite->key, role), key = gnt_key_derive(&of_role, job);
    gnt_key_hex(&key, hex);
    return json_string(hex);
}

static int set_key(const run *r, run_job *j, const char *name, const char *role, const char *job) {
    json_t *keys = json_object_get(j->request, "keys");
    if (!keys) {
        keys = json_object();
        json_object_set_new(j->request, "keys", keys);
    }
    return json_object_set_new(keys, name, key_json(r, role, job));
}

static json_t *integers(const int64_t *values, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

static json_t *reals(const double *values, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; values && i < n; i++)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

static json_t *model_json(const gnt_suite_task *t) {
    return json_pack("{s:s, s:s, s:o, s:i, s:o, s:o}", "name", t->model, "json", t->model_json, "sample",
                     integers(t->facts.dim, (size_t)t->facts.rank), "classes", (int)t->facts.classes, "mean",
                     reals(t->mean, (size_t)t->facts.dim[0]), "deviation",
                     reals(t->deviation, (size_t)t->facts.dim[0]));
}

static json_t *federated_json(const gnt_suite_task *t, int64_t rounds) {
    const gnt_suite_federated *f = &t->federated;
    return json_pack("{s:I, s:i, s:I, s:f, s:I, s:f, s:I, s:I, s:f, s:f, s:b, s:b}", "clients",
                     (json_int_t)f->clients, "partition", (int)f->partition, "shards", (json_int_t)f->shards,
                     "alpha", f->alpha, "rounds", (json_int_t)rounds, "participation", f->participation,
                     "local_steps", (json_int_t)f->local_steps, "batch", (json_int_t)f->batch, "rate",
                     f->rate, "momentum", f->momentum, "cosine", f->schedule == GNT_SCHEDULE_COSINE,
                     "training_stats", f->training_stats);
}

static json_t *observe_json(const gnt_suite_task *t, int64_t targets) {
    return json_pack("{s:I, s:I, s:I, s:I}", "surface", (json_int_t)t->observe.surface, "batch",
                     (json_int_t)t->observe.batch, "local_steps", (json_int_t)t->observe.local_steps,
                     "targets", (json_int_t)targets);
}

static json_t *attribute_json(const gnt_suite_task *t) {
    int32_t a = t->observe.attribute;
    return json_pack("{s:i, s:i}", "index", (int)a, "values", (int)t->facts.attr[a].values);
}

/* Parameters of a member as canonical text, THE strength set where it is the swept one. */
static int member_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength) {
    const gnt_plugin_info *info = m->info;
    if (gnt_params_parse(out, info->parameters, info->n_parameters, info->id, m->params, NULL) != 0)
        return -1;
    if (swept && isfinite(strength) &&
        gnt_params_set_strength(out, info->parameters, info->n_parameters, strength, info->id, NULL) != 0) {
        gnt_params_free(out);
        return -1;
    }
    return 0;
}

static json_t *plugin_json(run_job *j, const gnt_suite_member *m, int swept, double strength) {
    gnt_params params;
    if (j->n_plugins == RUN_MOST_PLUGINS || member_params(&params, m, swept, strength) != 0)
        return NULL;
    char *text = gnt_params_canonical(&params);
    gnt_params_free(&params);
    json_t *entry = text ? json_pack("{s:s, s:s, s:s, s:s}", "file", m->info->file, "id", m->info->id,
                                     "digest", m->info->digest, "params", text)
                         : NULL;
    gnt_free(text);
    j->plugin[j->n_plugins++] = m->info->file;
    return entry;
}

static json_t *chain_json(const run *r, run_job *j, int defense, double strength) {
    json_t *list = json_array();
    if (defense == RUN_PLAIN)
        return list;
    const gnt_suite_defense *d = &r->suite->defense[defense];
    for (size_t i = 0; i < d->n_members; i++) {
        json_t *entry = plugin_json(j, &d->member[i], (int32_t)i == d->swept, strength);
        if (!entry) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, entry);
    }
    return list;
}

/* "LABEL@STRENGTH", as in cell ids. */
static void defense_text(const run *r, int defense, double strength, char *text, size_t size) {
    char number[GNT_NUMBER_SIZE] = "none";
    if (isfinite(strength))
        gnt_number_text(strength, number);
    snprintf(text, size, "%s@%s", defense == RUN_PLAIN ? "(plain)" : r->suite->defense[defense].label,
             number);
}

enum { PART_SIZE = 2 * GNT_SUITE_NAME, NAME_SIZE = 6 * GNT_SUITE_NAME }; /* ids and labels are bounded */

static run_job *begin(run *r, const char *name, const char *kind, const char *const *outputs, int *fresh) {
    run_job *j = run_need(r, name, fresh);
    if (!j || !*fresh)
        return j;
    j->outputs = outputs;
    j->request = json_pack("{s:s}", "job", kind);
    return j->request ? j : NULL;
}

/* Takes the value over; without one the job is broken, and says so when its turn comes. */
static void set(run_job *j, const char *name, json_t *value) {
    if (json_object_set_new(j->request, name, value) != 0)
        j->broken = name;
}

/* ---- data ---- */

run_job *run_data_job(run *r, size_t task, uint64_t seed) {
    static const char *const outputs[] = {"clients", "targets", "test", "public", "shadow", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], coordinates[PART_SIZE], hex[GNT_HEX_SIZE];
    int fresh;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64, t->id, seed);
    snprintf(name, sizeof name, "data %s", coordinates);
    run_job *j = begin(r, name, "data", outputs, &fresh);
    if (!j || !fresh)
        return j;
    gnt_digest_hex(&r->data_digest[task], hex);
    set(j, "data",
        json_pack("{s:s, s:I, s:o, s:s}", "name", t->data, "seed", (json_int_t)t->data_seed, "rows",
                  integers(t->rows, 3), "digest", hex));
    set(j, "split",
        json_pack("{s:o, s:o, s:o, s:i}", "n", integers(t->split.n, GNT_ROLES), "first",
                  integers(t->split.first, 3), "target_rows",
                  integers(t->split.target_rows, (size_t)t->split.n_target_rows), "target_part",
                  t->split.target_part));
    set(j, "folder", json_string(r->options->data_folder ? r->options->data_folder : ""));
    set_key(r, j, "data", "data", coordinates);
    return j;
}

/* ---- training ---- */

static run_job *prepare_defense_job(run *r, size_t task, size_t defense, size_t member, double strength,
                                    int64_t stage, run_job *trained, uint64_t seed);

/* Artefacts of every member that prepares; `trained` holds the weights of `stage`. */
static int add_artefacts(run *r, run_job *j, size_t task, int defense, double strength, int64_t stage,
                         run_job *trained, uint64_t seed) {
    static const char *const names[] = {"artefacts.0",  "artefacts.1",  "artefacts.2",  "artefacts.3",
                                        "artefacts.4",  "artefacts.5",  "artefacts.6",  "artefacts.7",
                                        "artefacts.8",  "artefacts.9",  "artefacts.10", "artefacts.11",
                                        "artefacts.12", "artefacts.13", "artefacts.14", "artefacts.15"};
    if (defense == RUN_PLAIN)
        return 0;
    const gnt_suite_defense *d = &r->suite->defense[defense];
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        if (!(info->hooks & GNT_HOOK_PREPARE))
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && stage > 0;
        run_job *from = by_stage ? trained : run_initial_job(r, task, seed);
        run_job *p =
            prepare_defense_job(r, task, (size_t)defense, i, strength, by_stage ? stage : 0, from, seed);
        if (!p || run_add_input(j, names[i], p, "artefacts") != 0)
            return -1;
    }
    return 0;
}

static int add_weights_file(const run *r, run_job *j, size_t task) {
    const gnt_suite_task *t = &r->suite->task[task];
    char hex[GNT_HEX_SIZE];
    if (!t->weights)
        return 0;
    gnt_digest_hex(&r->weights_digest[task], hex);
    set(j, "weights_digest", json_string(hex));
    j->input[j->n_inputs] = (run_input){.name = "weights", .path = gnt_strdup(t->weights)};
    return j->input[j->n_inputs++].path ? 0 : -1;
}

static run_job *training(run *r, const char *name, size_t task, int defense, double strength, uint64_t seed,
                         int64_t rounds) {
    static const char *const outputs[] = {"trained", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char coordinates[PART_SIZE], role[NAME_SIZE];
    int fresh;
    run_job *j = begin(r, name, "train", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64, t->id, seed);
    snprintf(role, sizeof role, "%s/%s/train", coordinates,
             defense == RUN_PLAIN ? "(plain)" : r->suite->defense[defense].label);
    j->utility_kind = t->utility;
    j->untrained = rounds == 0 && !t->weights;
    set(j, "model", model_json(t));
    set(j, "federated", federated_json(t, rounds));
    set(j, "stages", rounds ? integers(t->stages, t->n_stages) : integers((const int64_t[]){0}, 1));
    set(j, "defense", chain_json(r, j, defense, strength));
    set_key(r, j, "partition", "data", coordinates);
    set_key(r, j, "init", "init", coordinates);
    set_key(r, j, "train", "train", coordinates);
    set_key(r, j, "defense", "defense", role);
    run_job *data = run_data_job(r, task, seed);
    if (run_add_input(j, "clients", data, "clients") != 0 || run_add_input(j, "test", data, "test") != 0 ||
        run_add_input(j, "public", data, "public") != 0 || add_weights_file(r, j, task) != 0 ||
        (rounds > 0 && add_artefacts(r, j, task, defense, strength, 0, NULL, seed) != 0))
        return NULL;
    return j;
}

run_job *run_initial_job(run *r, size_t task, uint64_t seed) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "start %s/s%" PRIu64, r->suite->task[task].id, seed);
    return training(r, name, task, RUN_PLAIN, NAN, seed, 0);
}

run_job *run_train_job(run *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE];
    if (t->federated.rounds ==
        0) /* no defense acts before the first round: all start from the same weights */
        return run_initial_job(r, task, seed);
    defense_text(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "train %s/%s/s%" PRIu64, t->id, label, seed);
    return training(r, name, task, defense, strength, seed, t->federated.rounds);
}

run_job *run_none_job(run *r, size_t task, uint64_t seed) {
    for (size_t d = 0; d < r->suite->n_defenses; d++)
        if (strcmp(r->suite->defense[d].plugin, "none") == 0)
            return run_train_job(r, task, (int)d, NAN, seed);
    return run_train_job(r, task, RUN_PLAIN, NAN, seed);
}

double run_utility(const run *r, run_job *train, double *noise) {
    if (!train->measured) {
        int loss = train->utility_kind == GNT_UTILITY_LOSS;
        json_t *all = run_metadata(r, train, "trained");
        const json_t *list = json_object_get(all, "utility");
        const char *diverged = json_string_value(json_object_get(all, "diverged"));
        size_t n = train->untrained || (diverged && *diverged) ? 0 : json_array_size(list);
        const json_t *last = n ? json_array_get(list, n - 1) : NULL;
        const json_t *value = json_object_get(last, loss ? "loss" : "accuracy");
        const json_t *error = json_object_get(last, loss ? "loss_error" : "accuracy_error");
        train->utility = json_is_number(value) ? json_number_value(value) : NAN;
        train->noise = json_is_number(error) ? json_number_value(error) : 0;
        train->measured = 1;
        json_decref(all);
    }
    if (noise)
        *noise = train->noise;
    return train->utility;
}

static run_job *prepare_defense_job(run *r, size_t task, size_t defense, size_t member, double strength,
                                    int64_t stage, run_job *trained, uint64_t seed) {
    static const char *const outputs[] = {"artefacts", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    const gnt_suite_defense *d = &r->suite->defense[defense];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    defense_text(r, (int)defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "prepare %s/r%" PRId64 "/%s/member %zu/s%" PRIu64, t->id, stage, label,
             member, seed);
    run_job *j = begin(r, name, "prepare-defense", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/s%" PRIu64 "/%s/prepare r%" PRId64 " member %zu", t->id, seed, d->label,
             stage, member);
    set(j, "model", model_json(t));
    set(j, "federated", federated_json(t, t->federated.rounds));
    set(j, "stage", json_integer(stage));
    set(j, "prepare_stage", json_integer(d->member[member].info->scope == GNT_SCOPE_STAGE ? stage : -1));
    set(j, "member", plugin_json(j, &d->member[member], (int32_t)member == d->swept, strength));
    set_key(r, j, "prepare", "defense", role);
    run_job *data = run_data_job(r, task, seed);
    if (run_add_input(j, "public", data, "public") != 0 || run_add_input(j, "shadow", data, "shadow") != 0 ||
        run_add_input(j, "trained", trained, "trained") != 0)
        return NULL;
    return j;
}

/* ---- observation ---- */

static run_job *observe_job(run *r, const gnt_cell *c, double strength, int shadow) {
    static const char *const outputs[] = {"seen", "labels", "rates", "stats", "sum", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    defense_text(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "%s %s/r%" PRId64 "/%s/s%" PRIu64, shadow ? "shadow" : "observe", t->id,
             c->stage, label, c->seed);
    run_job *j = begin(r, name, "observe", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64 "/%s r%" PRId64, t->id, c->seed,
             shadow ? "shadow" : "observe", c->stage);
    snprintf(role, sizeof role, "%s/%s", coordinates, r->suite->defense[c->defense].label);
    set(j, "model", model_json(t));
    set(j, "federated", federated_json(t, t->federated.rounds));
    set(j, "stage", json_integer(c->stage));
    set(j, "observe", observe_json(t, shadow ? t->shadow_observations : t->observe.targets));
    set(j, "defense", chain_json(r, j, (int)c->defense, strength));
    set_key(r, j, "train", "train", coordinates); /* the order of batches is no defense's */
    set_key(r, j, "defense", "defense", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    if (run_add_input(j, "samples", data, shadow ? "shadow" : "targets") != 0 ||
        run_add_input(j, "public", data, "public") != 0 ||
        run_add_input(j, "trained", train, "trained") != 0 ||
        add_artefacts(r, j, c->task, (int)c->defense, strength, c->stage, train, c->seed) != 0)
        return NULL;
    return j;
}

/* ---- attack ---- */

/* What an adaptive attacker is told of the defense: ids and parameters; its public artefacts come as an
 * input. */
static int add_known(run *r, run_job *j, const gnt_cell *c, double strength) {
    const gnt_suite_defense *d = &r->suite->defense[c->defense];
    json_t *values = json_array();
    for (size_t i = 0; i < d->n_members; i++) {
        gnt_params params;
        if (member_params(&params, &d->member[i], (int32_t)i == d->swept, strength) != 0) {
            json_decref(values);
            return -1;
        }
        json_t *mine = gnt_known_values(&params);
        json_array_extend(values, mine);
        json_decref(mine);
        gnt_params_free(&params);
    }
    set(j, "known", json_pack("{s:s, s:o}", "ids", d->plugin, "values", values));
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        if (!(info->hooks & GNT_HOOK_PREPARE) || (info->flags & GNT_FLAG_ARTEFACTS_PRIVATE))
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && c->stage > 0;
        run_job *from = by_stage ? run_train_job(r, c->task, (int)c->defense, strength, c->seed)
                                 : run_initial_job(r, c->task, c->seed);
        run_job *p =
            prepare_defense_job(r, c->task, c->defense, i, strength, by_stage ? c->stage : 0, from, c->seed);
        return run_add_input(j, "defense_artefacts", p, "artefacts");
    }
    return 0;
}

static run_job *prepare_attack_job(run *r, const gnt_cell *c, double strength) {
    static const char *const outputs[] = {"artefacts", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    defense_text(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "learn %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->stage, label, a->label,
             c->seed);
    run_job *j = begin(r, name, "prepare-attack", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64 "/prepare", t->id, c->stage, a->label,
             c->seed);
    set(j, "model", model_json(t));
    set(j, "federated", federated_json(t, t->federated.rounds));
    set(j, "stage", json_integer(c->stage));
    set(j, "prepare_stage", json_integer(a->member.info->scope == GNT_SCOPE_STAGE ? c->stage : -1));
    set(j, "observe", observe_json(t, t->observe.targets));
    set(j, "granted", json_integer(c->grants));
    set(j, "goals", json_integer(c->goals));
    set(j, "budget", json_integer(a->budget));
    set(j, "attack", plugin_json(j, &a->member, 0, NAN));
    if (t->observe.attribute >= 0 && (c->grants & GNT_KNOWS_ATTRIBUTE))
        set(j, "attribute", attribute_json(t));
    set_key(r, j, "prepare", "attack", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    run_job *train = run_train_job(r, c->task, (int)c->defense, strength, c->seed);
    int rc = run_add_input(j, "trained", train, "trained");
    if (rc == 0 && (c->grants & GNT_KNOWS_PUBLIC))
        rc = run_add_input(j, "public", data, "public");
    if (rc == 0 && (c->grants & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS)))
        rc = run_add_input(j, "shadow", data, "shadow");
    if (rc == 0 && (c->grants & GNT_KNOWS_SHADOW_OBS))
        rc = run_add_input(j, "shadow_seen", observe_job(r, c, strength, 1), "seen");
    if (rc == 0 && (c->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength);
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

run_job *run_attack_job(run *r, const gnt_cell *c, double strength) {
    static const char *const outputs[] = {"answer", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    const gnt_suite_attack *a = &r->suite->attack[c->attack];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    defense_text(r, (int)c->defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "attack %s/r%" PRId64 "/%s/%s/s%" PRIu64, t->id, c->stage, label, a->label,
             c->seed);
    run_job *j = begin(r, name, "attack", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/r%" PRId64 "/%s/s%" PRIu64, t->id, c->stage, a->label, c->seed);
    set(j, "model", model_json(t));
    set(j, "federated", federated_json(t, t->federated.rounds));
    set(j, "granted", json_integer(c->grants));
    set(j, "goals", json_integer(c->goals));
    set(j, "budget", json_integer(a->budget));
    set(j, "attack", plugin_json(j, &a->member, 0, NAN));
    if (t->observe.attribute >= 0 && (c->grants & GNT_KNOWS_ATTRIBUTE))
        set(j, "attribute", attribute_json(t));
    set_key(r, j, "attack", "attack", role);
    run_job *seen = observe_job(r, c, strength, 0), *data = run_data_job(r, c->task, c->seed);
    static const struct {
        uint32_t bit;
        const char *output;
    } grants[] = {{GNT_KNOWS_LABELS, "labels"},
                  {GNT_KNOWS_RATES, "rates"},
                  {GNT_KNOWS_BN_STATS, "stats"},
                  {GNT_KNOWS_SUM, "sum"}};
    int rc = run_add_input(j, "seen", seen, "seen");
    for (size_t i = 0; rc == 0 && i < sizeof grants / sizeof *grants; i++)
        if (c->grants & grants[i].bit)
            rc = run_add_input(j, grants[i].output, seen, grants[i].output);
    if (rc == 0 && (c->grants & GNT_KNOWS_PUBLIC))
        rc = run_add_input(j, "public", data, "public");
    if (rc == 0 && (a->member.info->hooks & GNT_HOOK_PREPARE))
        rc = run_add_input(j, "artefacts", prepare_attack_job(r, c, strength), "artefacts");
    if (rc == 0 && (c->grants & GNT_KNOWS_HISTORY))
        rc = add_history(r, j, c, strength);
    if (rc == 0 && (c->grants & GNT_KNOWS_DEFENSE))
        rc = add_known(r, j, c, strength);
    return rc == 0 ? j : NULL;
}

run_job *run_score_job(run *r, const gnt_cell *c, double strength, run_job *attack) {
    static const char *const outputs[] = {"score", "images", NULL};
    const gnt_suite_task *t = &r->suite->task[c->task];
    char name[NAME_SIZE], role[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "score %s", strchr(attack->name, ' ') + 1);
    run_job *j = begin(r, name, "score", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/s%" PRIu64 "/score", t->id, c->seed);
    set(j, "goals", json_integer(c->goals));
    set(j, "observe", observe_json(t, t->observe.targets));
    if (t->observe.attribute >= 0)
        set(j, "attribute", attribute_json(t));
    set_key(r, j, "score", "data", role);
    run_job *data = run_data_job(r, c->task, c->seed);
    if (run_add_input(j, "targets", data, "targets") != 0 ||
        run_add_input(j, "clients", data, "clients") != 0 ||
        run_add_input(j, "public", data, "public") != 0 ||
        run_add_input(j, "answer", attack, "answer") != 0 ||
        run_add_input(j, "seen", observe_job(r, c, strength, 0), "seen") != 0)
        return NULL;
    return j;
}
