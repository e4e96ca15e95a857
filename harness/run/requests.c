/* The parts of requests, and what is asked of the jobs up to a trained model: data, prepare, train. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "job/seen.h"
#include "plugin/params.h"
#include "run/request.h"

/* ---- parts of requests ---- */

/* Hex of the key of `role` for what `job` names. Only keys ever leave the scheduler. */
static json_t *key_json(const run *r, const char *role, const char *job) {
    char hex[GNT_HEX_SIZE];
    gnt_key of_role = gnt_key_derive(&r->suite->key, role), key = gnt_key_derive(&of_role, job);
    gnt_key_hex(&key, hex);
    return json_string(hex);
}

int request_set_key(const run *r, run_job *j, const char *name, const char *role, const char *job) {
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

json_t *request_model(const gnt_suite_task *t) {
    return json_pack("{s:s, s:s, s:o, s:i, s:o, s:o}", "name", t->model, "json", t->model_json, "sample",
                     integers(t->facts.dim, (size_t)t->facts.rank), "classes", (int)t->facts.classes, "mean",
                     reals(t->mean, (size_t)t->facts.dim[0]), "deviation",
                     reals(t->deviation, (size_t)t->facts.dim[0]));
}

json_t *request_federated(const gnt_suite_task *t, int64_t rounds) {
    const gnt_suite_federated *f = &t->federated;
    return json_pack("{s:I, s:i, s:I, s:f, s:I, s:f, s:I, s:I, s:f, s:f, s:b, s:b}", "clients",
                     (json_int_t)f->clients, "partition", (int)f->partition, "shards", (json_int_t)f->shards,
                     "alpha", f->alpha, "rounds", (json_int_t)rounds, "participation", f->participation,
                     "local_steps", (json_int_t)f->local_steps, "batch", (json_int_t)f->batch, "rate",
                     f->rate, "momentum", f->momentum, "cosine", f->schedule == GNT_SCHEDULE_COSINE,
                     "training_stats", f->training_stats);
}

static json_t *observe_json(const gnt_suite_observe *o, int64_t targets, int64_t batch, int64_t set) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "from", gnt_observe_names[o->probe], "surface",
                     (json_int_t)o->surface, "batch", (json_int_t)batch, "local_steps",
                     (json_int_t)o->local_steps, "targets", (json_int_t)targets, "set", (json_int_t)set,
                     "epochs", (json_int_t)o->epochs);
}

json_t *request_observe(const gnt_suite_task *t) {
    const gnt_suite_observe *o = &t->observe;
    return observe_json(o, o->targets, o->batch, o->set);
}

json_t *request_observe_shadow(const gnt_suite_task *t) {
    const gnt_suite_observe *o = &t->observe;
    int64_t n = t->shadow_observations, rows = n * o->batch, most = t->role_rows[GNT_ROLE_SHADOW];
    if (o->set && (o->set_given || !o->probe)) /* each is what one client encodes */
        return observe_json(o, n, o->set, o->set);
    if (o->set) /* all of them are one set, as all targets are */
        return observe_json(o, 1, rows < most ? rows : most, rows < most ? rows : most);
    return observe_json(o, n, o->batch, 0);
}

void request_region(run_job *j, const gnt_suite_task *t) {
    const gnt_suite_region *g = &t->region;
    if (g->height)
        request_set(j, "region", integers((const int64_t[]){g->top, g->left, g->height, g->width}, 4));
}

void request_hide(run_job *j, const gnt_suite_task *t) {
    json_t *weights = json_object();
    for (int32_t i = 0; i < t->facts.n_attrs; i++)
        if (t->hide[i] > 0)
            json_object_set_new(weights, t->facts.attr[i].name, json_real(t->hide[i]));
    if (json_object_size(weights))
        request_set(j, "hide", weights);
    else
        json_decref(weights);
}

json_t *request_attribute(const gnt_suite_task *t) {
    int32_t a = t->observe.attribute;
    return json_pack("{s:i, s:i}", "index", (int)a, "values", (int)t->facts.attr[a].values);
}

int request_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength) {
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

json_t *request_plugin(run *r, run_job *j, const gnt_suite_member *m, int swept, double strength) {
    gnt_params params;
    if (j->n_plugins == RUN_MOST_PLUGINS || request_params(&params, m, swept, strength) != 0)
        return NULL;
    char *text = gnt_params_canonical(&params);
    json_t *entry =
        text ? json_pack("{s:s, s:s, s:s, s:s, s:I, s:b, s:{}}", "file", m->info->file, "id", m->info->id,
                         "digest", m->info->digest, "params", text, "hooks", (json_int_t)m->info->hooks,
                         "private", (m->info->flags & GNT_FLAG_ARTEFACTS_PRIVATE) != 0, "models")
             : NULL;
    gnt_free(text);
    if (entry && request_add_models(r, j, entry, &params) != 0) {
        json_decref(entry);
        entry = NULL;
    }
    gnt_params_free(&params);
    j->plugin[j->n_plugins++] = m->info->file;
    return entry;
}

json_t *request_chain(run *r, run_job *j, int defense, double strength) {
    json_t *list = json_array();
    if (defense < 0)
        return list;
    const gnt_suite_defense *d = &r->suite->defense[defense];
    for (size_t i = 0; i < d->n_members; i++) {
        json_t *entry = request_plugin(r, j, &d->member[i], (int32_t)i == d->swept, strength);
        if (!entry) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, entry);
    }
    return list;
}

uint32_t request_hooks(const run *r, int defense) {
    uint32_t hooks = 0;
    for (size_t i = 0; defense >= 0 && i < r->suite->defense[defense].n_members; i++)
        hooks |= r->suite->defense[defense].member[i].info->hooks;
    return hooks;
}

void request_label(const run *r, int defense, double strength, char *text, size_t size) {
    char number[GNT_NUMBER_SIZE] = "none";
    if (isfinite(strength))
        gnt_number_text(strength, number);
    snprintf(text, size, "%s@%s", defense < 0 ? "(plain)" : r->suite->defense[defense].label, number);
}

run_job *request_begin(run *r, const char *name, const char *kind, const char *const *outputs, int *fresh) {
    run_job *j = run_need(r, name, fresh);
    if (!j || !*fresh)
        return j;
    j->outputs = outputs;
    j->request = json_pack("{s:s}", "job", kind);
    return j->request ? j : NULL;
}

void request_set(run_job *j, const char *name, json_t *value) {
    if (json_object_set_new(j->request, name, value) != 0)
        j->broken = name;
}

/* ---- data ---- */

void request_data(const run *r, run_job *j, const gnt_suite_task *t, const gnt_digest *digest,
                  const char *coordinates) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(digest, hex);
    request_set(j, "data",
                json_pack("{s:s, s:I, s:o, s:s}", "name", t->data, "seed", (json_int_t)t->data_seed, "rows",
                          integers(t->rows, 3), "digest", hex));
    request_set(j, "split",
                json_pack("{s:o, s:o, s:o, s:i}", "n", integers(t->split.n, GNT_ROLES), "first",
                          integers(t->split.first, 3), "target_rows",
                          integers(t->split.target_rows, (size_t)t->split.n_target_rows), "target_part",
                          t->split.target_part));
    request_set(j, "folder", json_string(r->options->data_folder ? r->options->data_folder : ""));
    request_set_key(r, j, "data", "data", coordinates);
}

run_job *run_data_job(run *r, size_t task, uint64_t seed) {
    static const char *const outputs[] = {"clients", "targets",         "test", "public",
                                          "shadow",  "defender_shadow", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64, t->trained_as, seed);
    snprintf(name, sizeof name, "data %s", coordinates);
    run_job *j = request_begin(r, name, "data", outputs, &fresh);
    if (!j || !fresh)
        return j;
    request_data(r, j, t, &r->data_digest[task], coordinates);
    if (t->lent.data) {
        char hex[GNT_HEX_SIZE];
        gnt_digest_hex(&r->lent_digest[task], hex);
        request_set(j, "public",
                    json_pack("{s:s, s:I, s:I, s:s}", "name", t->lent.data, "seed", (json_int_t)t->lent.seed,
                              "rows", (json_int_t)t->lent.rows, "digest", hex));
    }
    return j;
}

/* ---- training ---- */

const char *request_input_name(int kind, size_t member) {
#define FOR_MEMBER(i)                                                                                        \
    { "artefacts." #i, "defense_artefacts." #i }
    static const char *const names[GNT_SUITE_MOST_MEMBERS][2] = {
        FOR_MEMBER(0),  FOR_MEMBER(1),  FOR_MEMBER(2),  FOR_MEMBER(3), FOR_MEMBER(4),  FOR_MEMBER(5),
        FOR_MEMBER(6),  FOR_MEMBER(7),  FOR_MEMBER(8),  FOR_MEMBER(9), FOR_MEMBER(10), FOR_MEMBER(11),
        FOR_MEMBER(12), FOR_MEMBER(13), FOR_MEMBER(14), FOR_MEMBER(15)};
#undef FOR_MEMBER
    return names[member][kind];
}

int request_add_artefacts(run *r, run_job *j, size_t task, int defense, double strength, int64_t stage,
                          run_job *trained, uint64_t seed) {
    if (defense < 0)
        return 0;
    const gnt_suite_defense *d = &r->suite->defense[defense];
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        if (!(info->hooks & GNT_HOOK_PREPARE))
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && stage > 0;
        run_job *from = by_stage ? trained : run_initial_job(r, task, seed);
        run_job *p =
            request_prepare_defense(r, task, (size_t)defense, i, strength, by_stage ? stage : 0, from, seed);
        if (!p || run_add_input(j, request_input_name(REQUEST_ARTEFACTS, i), p, "artefacts") != 0)
            return -1;
    }
    return 0;
}

int request_add_weights(run_job *j, const gnt_suite_task *t, const gnt_digest *digest) {
    char hex[GNT_HEX_SIZE];
    if (!t->weights)
        return 0;
    gnt_digest_hex(digest, hex);
    request_set(j, "weights_digest", json_string(hex));
    j->input[j->n_inputs] = (run_input){.name = "weights", .path = gnt_strdup(t->weights)};
    return j->input[j->n_inputs++].path ? 0 : -1;
}

/* Where the hooks of the chain run beside the training (job/side.h). Without any, no plugin is opened. */
static void ask_for_sides(const run *r, run_job *j, int defense) {
    static const struct {
        const char *name;
        uint32_t hooks;
    } sides[] = {{"client", GNT_HOOK_CONTRIBUTE | GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH |
                                GNT_HOOK_LOCAL_RATE | GNT_HOOK_CLIENT_UPDATE | GNT_HOOK_TRANSFORM_UPDATE |
                                GNT_HOOK_STATE},
                 {"server", GNT_HOOK_AGGREGATE},
                 {"query", GNT_HOOK_ENCODE_QUERY}};
    const uint32_t hooks = request_hooks(r, defense);
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (hooks & sides[i].hooks)
            json_array_append_new(list, json_string(sides[i].name));
    if (json_array_size(list) == 0)
        j->n_plugins = 0;
    request_set(j, "sides", list);
    /* what one client gives to all, or carries on, must be its own */
    if (hooks & (GNT_HOOK_STATE | GNT_HOOK_CONTRIBUTE))
        request_set(j, "copies", json_true());
}

/* What the training keeps of its rounds, for all tasks that it trains for. 0 where nothing is observed in a round. */
static int ask_for_record(const run *r, run_job *j, const gnt_suite_task *t, int transforms,
                          const char *coordinates) {
    const gnt_suite *s = r->suite;
    int64_t targets = 0, epochs = 0;
    int encodings = 0, all_epochs = 0;
    for (size_t i = 0; i < s->n_tasks; i++) {
        const gnt_suite_observe *o = &s->task[i].observe;
        if (strcmp(s->task[i].trained_as, t->trained_as) != 0 || o->probe ||
            o->surface == GNT_SURFACE_TRANSCRIPT)
            continue;
        targets = o->targets > targets ? o->targets : targets;
        if (o->surface != GNT_SURFACE_ENCODING)
            continue;
        encodings = 1;
        all_epochs |= o->epochs == 0;
        epochs = o->epochs > epochs ? o->epochs : epochs;
    }
    if (!targets && !transforms)
        return 0;
    request_set(j, "record",
                json_pack("{s:o, s:I, s:b, s:I}", "stages", integers(t->stages, targets ? t->n_stages : 0),
                          "targets", (json_int_t)targets, "encodings", encodings, "epochs",
                          (json_int_t)(all_epochs ? 0 : epochs)));
    request_set_key(r, j, "observe", "observe", coordinates);
    return 1;
}

static void ask_for_head(const run *r, run_job *j, const gnt_suite_task *t, uint64_t seed) {
    char coordinates[PART_SIZE];
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64 "/head", t->trained_as, seed);
    request_set(j, "utility",
                json_pack("{s:{s:o, s:I, s:f, s:I}}", "head", "hidden",
                          integers(t->head.hidden, t->head.n_hidden), "epochs", (json_int_t)t->head.epochs,
                          "rate", t->head.rate, "batch", (json_int_t)t->head.batch));
    request_set_key(r, j, "head", "train", coordinates);
}

/* The same budget on public data: as many clients a round, steps and batches; no more clients than there are rows. */
static json_t *federated_of(const gnt_suite_task *t, int defense, int64_t rounds) {
    gnt_suite_task of = *t;
    gnt_suite_federated *f = &of.federated;
    const int64_t each = f->partition == GNT_PARTITION_SHARDS ? f->shards : 1;
    const int64_t most = t->role_rows[GNT_ROLE_PUBLIC] / each;
    if (defense == RUN_PUBLIC && f->clients > most && most > 0) {
        const double a_round = ceil(f->participation * (double)f->clients - 1e-9);
        f->clients = most;
        f->participation = fmin(1, fmax(a_round, 1) / (double)most);
    }
    return request_federated(&of, rounds);
}

static run_job *training(run *r, const char *name, size_t task, int defense, double strength, uint64_t seed,
                         int64_t rounds, int shuffle) {
    static const char *const outputs[] = {"trained", "contributions", "record", "held", "treatments", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char coordinates[PART_SIZE], role[NAME_SIZE];
    int fresh;
    run_job *j = request_begin(r, name, "train", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(coordinates, sizeof coordinates, "%s/s%" PRIu64, t->trained_as, seed);
    snprintf(role, sizeof role, "%s/%s/train", coordinates,
             defense < 0 ? "(plain)" : r->suite->defense[defense].label);
    j->utility_kind = t->utility;
    j->untrained = rounds == 0 && !t->weights;
    request_set(j, "model", request_model(t));
    if (defense >= 0) {
        request_region(j, t);
        request_hide(j, t);
    }
    request_set(j, "federated", federated_of(t, defense, rounds));
    request_set(j, "stages", rounds ? integers(t->stages, t->n_stages) : integers((const int64_t[]){0}, 1));
    request_set(j, "defense", request_chain(r, j, defense, strength));
    ask_for_sides(r, j, defense);
    request_set_key(r, j, "partition", "data", coordinates);
    request_set_key(r, j, "init", "init", coordinates);
    request_set_key(r, j, "train", "train", coordinates);
    request_set_key(r, j, "defense", "defense", role);
    if (shuffle)
        request_set(j, "shuffle_labels", json_true());
    else if (defense >= 0 && rounds)
        ask_for_record(r, j, t, (request_hooks(r, defense) & GNT_HOOK_TRANSFORM_UPDATE) != 0, coordinates);
    if (t->by_head && !j->untrained)
        ask_for_head(r, j, t, seed);
    run_job *data = run_data_job(r, task, seed);
    if (run_add_input(j, "clients", data, defense == RUN_PUBLIC ? "public" : "clients") != 0 ||
        run_add_input(j, "test", data, "test") != 0 || run_add_input(j, "public", data, "public") != 0 ||
        request_add_weights(j, t, &r->weights_digest[task]) != 0 ||
        request_add_artefacts(r, j, task, defense, strength, 0, NULL, seed) != 0)
        return NULL;
    return j;
}

run_job *run_initial_job(run *r, size_t task, uint64_t seed) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "start %s/s%" PRIu64, r->suite->task[task].trained_as, seed);
    return training(r, name, task, RUN_PLAIN, NAN, seed, 0, 0);
}

run_job *run_train_job(run *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE];
    /* only a secure sum is taken before the first round: else all start from the same weights */
    if (t->federated.rounds == 0 && !(request_hooks(r, defense) & GNT_HOOK_CONTRIBUTE))
        return run_initial_job(r, task, seed);
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "train %s/%s/s%" PRIu64, t->trained_as, label, seed);
    return training(r, name, task, defense, strength, seed, t->federated.rounds, 0);
}

/* Public rows that are samples of the task: of its own set, with its labels. */
static int has_public(const gnt_suite_task *t) {
    return t->federated.rounds > 0 && t->role_rows[GNT_ROLE_PUBLIC] > 0 && !t->lent.data;
}

static void public_name(const run *r, size_t task, uint64_t seed, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "public %s/s%" PRIu64, r->suite->task[task].trained_as, seed);
}

run_job *run_public_job(run *r, size_t task, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE];
    if (!has_public(t))
        return NULL;
    public_name(r, task, seed, name);
    return training(r, name, task, RUN_PUBLIC, NAN, seed, t->federated.rounds, 0);
}

run_job *run_public_made(const run *r, size_t task, uint64_t seed) {
    char name[NAME_SIZE];
    public_name(r, task, seed, name);
    const json_t *index = json_object_get(r->index, name);
    run_job *j = index ? r->job[json_integer_value(index)] : NULL;
    return j && j->state == RUN_OK ? j : NULL;
}

run_job *run_shuffled_job(run *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE];
    if (t->federated.rounds == 0 || t->is_map || t->utility != GNT_UTILITY_ACCURACY)
        return NULL;
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "shuffled-labels %s/%s/s%" PRIu64, t->trained_as, label, seed);
    return training(r, name, task, defense, strength, seed, t->federated.rounds, 1);
}

run_job *run_replay_job(run *r, size_t task, int defense, double strength, uint64_t seed) {
    static const char *const outputs[] = {"replay", NULL};
    static const char *const same[] = {"model", "region", "hide", "federated", "defense", "record"};
    static const char *const keys[] = {"partition", "train", "defense"};
    run_job *train = run_train_job(r, task, defense, strength, seed);
    char name[NAME_SIZE], label[PART_SIZE];
    int fresh;
    if (!train || !json_object_get(train->request, "record") || train->n_plugins == 0)
        return NULL;
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "replay %s/%s/s%" PRIu64, r->suite->task[task].trained_as, label, seed);
    run_job *j = request_begin(r, name, "replay", outputs, &fresh);
    if (!j || !fresh)
        return j;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (json_object_get(train->request, same[i]))
            request_set(j, same[i], json_incref(json_object_get(train->request, same[i])));
    json_t *own = json_object(), *of_training = json_object_get(train->request, "keys");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(own, keys[i], json_object_get(of_training, keys[i]));
    request_set(j, "keys", own);
    request_set(j, "sides", json_pack("[s]", "client"));
    request_set(j, "copies", json_true());
    for (size_t i = 0; i < train->n_plugins; i++)
        j->plugin[j->n_plugins++] = train->plugin[i];
    for (size_t i = 0; i < train->n_inputs; i++)
        if (train->input[i].from && strcmp(train->input[i].name, "test") != 0 &&
            run_add_input(j, train->input[i].name, train->input[i].from, train->input[i].output) != 0)
            return NULL;
    return run_add_input(j, "trained", train, "trained") == 0 &&
                   run_add_input(j, "record", train, "record") == 0 &&
                   run_add_input(j, "held", train, "held") == 0
               ? j
               : NULL;
}

run_job *run_none_job(run *r, size_t task, uint64_t seed) {
    for (size_t d = 0; d < r->suite->n_defenses; d++)
        if (strcmp(r->suite->defense[d].plugin, "none") == 0)
            return run_train_job(r, task, (int)d, NAN, seed);
    return run_train_job(r, task, RUN_PLAIN, NAN, seed);
}

int run_utility_holds(const run *r, const run_job *train) {
    json_t *all = run_metadata(r, train, "trained");
    const json_t *one, *list = json_object_get(all, "utility");
    size_t i;
    int holds = json_is_array(list);
    json_array_foreach(list, i, one) holds &= json_is_object(one);
    json_decref(all);
    return holds;
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

run_job *request_prepare_defense(run *r, size_t task, size_t defense, size_t member, double strength,
                                 int64_t stage, run_job *trained, uint64_t seed) {
    static const char *const outputs[] = {"artefacts", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    const gnt_suite_defense *d = &r->suite->defense[defense];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE];
    int fresh;
    request_label(r, (int)defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "prepare %s/r%" PRId64 "/%s/member %zu/s%" PRIu64, t->trained_as, stage,
             label, member, seed);
    run_job *j = request_begin(r, name, "prepare-defense", outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/s%" PRIu64 "/%s/prepare r%" PRId64 " member %zu", t->trained_as, seed,
             d->label, stage, member);
    request_set(j, "model", request_model(t));
    request_region(j, t);
    request_hide(j, t);
    request_set(j, "federated", request_federated(t, t->federated.rounds));
    request_set(j, "stage", json_integer(stage));
    request_set(j, "prepare_stage",
                json_integer(d->member[member].info->scope == GNT_SCOPE_STAGE ? stage : -1));
    request_set(j, "member", request_plugin(r, j, &d->member[member], (int32_t)member == d->swept, strength));
    request_set_key(r, j, "prepare", "defense", role);
    run_job *data = run_data_job(r, task, seed);
    if (run_add_input(j, "public", data, "public") != 0 ||
        run_add_input(j, "shadow", data, "defender_shadow") != 0 ||
        run_add_input(j, "trained", trained, "trained") != 0)
        return NULL;
    return j;
}
