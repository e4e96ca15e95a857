/* Makes the jobs up to a trained model: data, prepare, train, replay. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "request/inputs.h"
#include "run/request/request_parts.h"

/* ---- data ---- */

/* Returns the source of another set in the request's memory; NULL if there is none or no memory is left. */
static const gnt_request_source *other_source(run_job *j, const gnt_suite_other_set *set,
                                              const gnt_digest *digest) {
    char hex[GNT_HEX_SIZE];
    if (!set->data)
        return NULL;
    gnt_digest_hex(digest, hex);
    const gnt_request_source of = {.name = set->data,
                                   .seed = (int64_t)set->seed,
                                   .rows = {&set->rows, 1},
                                   .digest = request_text(j, hex)};
    return gnt_arena_copy(&j->request.memory, &of, 1, sizeof of);
}

run_job *run_data_job(run_requests *r, size_t task, uint64_t seed) {
    static const char *const outputs[] = {"clients", "targets",         "test",       "public",
                                          "shadow",  "defender_shadow", "prior_data", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], coordinates[PART_SIZE], draw[SEED_SIZE];
    int fresh;
    request_seed(seed, draw);
    snprintf(coordinates, sizeof coordinates, "%s/%s", t->trained_as, draw);
    snprintf(name, sizeof name, "data %s", coordinates);
    run_job *j = request_begin(r, name, GNT_JOB_DATA, outputs, &fresh);
    if (!j || !fresh)
        return j;
    request_data(r, j, t, &r->inputs.data[task], coordinates);
    j->request.data.public_rows = other_source(j, &t->public_set, &r->inputs.public_set[task]);
    j->request.data.prior_rows = other_source(j, &t->prior_set, &r->inputs.prior_set[task]);
    return j;
}

/* ---- training ---- */

int request_add_artefacts(run_requests *r, run_job *j, size_t task, int defense, double strength,
                          int64_t stage, run_job *trained, uint64_t seed, request_preparer by) {
    if (defense < 0)
        return 0;
    const gnt_suite_defense *d = &r->suite->defense[defense];
    for (size_t i = 0; i < d->n_members; i++) {
        const gnt_plugin_info *info = d->member[i].info;
        if (!(info->hooks & GNT_HOOK_PREPARE))
            continue;
        int by_stage = info->scope == GNT_SCOPE_STAGE && stage > 0;
        run_job *from = by_stage ? trained : run_initial_job(r, task, seed);
        run_job *p = request_prepare_defense(
            r, task, (size_t)defense, i, strength, by_stage ? stage : 0, from, seed,
            info->flags & GNT_FLAG_ARTEFACTS_PRIVATE || r->suite->task[task].captures ? by
                                                                                      : REQUEST_DEFENDER);
        if (!p || run_job_add_input(j, gnt_input_artefacts[i], p, "artefacts") != 0)
            return -1;
    }
    return 0;
}

/* Sets which sides of the training run hooks of the chain (job/side). Without any, no plugin is opened. */
static void set_sides(const run_requests *r, run_job *j, int defense) {
    static const struct {
        uint32_t side, hooks;
    } sides[] = {{GNT_SIDE_CLIENT, GNT_HOOK_CONTRIBUTE | GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH |
                                       GNT_HOOK_LOCAL_RATE | GNT_HOOK_CLIENT_UPDATE |
                                       GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_STATE},
                 {GNT_SIDE_SERVER, GNT_HOOK_AGGREGATE},
                 {GNT_SIDE_QUERY, GNT_HOOK_ENCODE_QUERY}};
    const uint32_t hooks = request_hooks(r, defense);
    gnt_request_train *q = &j->request.train;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (hooks & sides[i].hooks)
            q->sides |= sides[i].side;
    if (!q->sides)
        j->n_plugins = 0;
    /* what one client gives to all, or carries on, must be its own; and no client may know its work from that
     * of a shadow client (job/shadow_client.h) */
    q->copies = (hooks & (GNT_HOOK_STATE | GNT_HOOK_CONTRIBUTE)) ||
                ((hooks & GNT_HOOK_AGGREGATE) && (q->sides & GNT_SIDE_CLIENT));
}

/* True if a training goes on from the state that the host has after a round (job/checkpoint.h). A member with
 * hooks needs GNT_FLAG_RESUMES, unless each client's hooks run in a process that begins with that client and
 * its saved state. State that hooks save on the server is saved at stages alone. */
static int resumes(const run_requests *r, const gnt_request_train *q, int defense) {
    const uint32_t hooks = request_hooks(r, defense);
    if ((q->record && (q->record->encodings || q->record->influence)) ||
        ((hooks & GNT_HOOK_STATE) && (hooks & GNT_HOOK_AGGREGATE)))
        return 0;
    for (size_t i = 0; defense >= 0 && q->sides && i < r->suite->defense[defense].n_members; i++) {
        const gnt_plugin_info *info = r->suite->defense[defense].member[i].info;
        if (!(info->flags & GNT_FLAG_RESUMES) && !(q->copies && !(q->sides & GNT_SIDE_SERVER)))
            return 0;
    }
    return 1;
}

/* Returns the data job's output whose rows replace those of a client: the attacker's shadow rows, else public
 * rows of the task's own set; NULL if there are neither. */
static const char *replacing_rows(const gnt_suite_task *t) {
    return t->role_rows[GNT_ROLE_SHADOW]                          ? request_shadow(t)
           : t->role_rows[GNT_ROLE_PUBLIC] && !t->public_set.data ? gnt_role_names[GNT_ROLE_PUBLIC]
                                                                  : NULL;
}

/* Returns what the training records of its rounds, for all tasks that it trains for. NULL if nothing is
 * observed in a round. */
static const gnt_request_record *record_of(const run_requests *r, run_job *j, const gnt_suite_task *t,
                                           uint32_t hooks, uint64_t seed, const char *coordinates) {
    const gnt_suite *s = r->suite;
    gnt_request_record of = {0};
    int all_epochs = 0;
    int64_t influence = 0;
    for (size_t i = 0; i < s->n_tasks; i++) {
        const gnt_suite_observe *o = &s->task[i].observe;
        if (strcmp(s->task[i].trained_as, t->trained_as) != 0 || o->probe ||
            o->surface == GNT_SURFACE_TRANSCRIPT)
            continue;
        of.targets = o->targets > of.targets ? o->targets : of.targets;
        if (gnt_suite_influences(&s->task[i]) > influence)
            influence = gnt_suite_influences(&s->task[i]);
        if (o->surface != GNT_SURFACE_ENCODING)
            continue;
        of.encodings = 1;
        all_epochs |= o->epochs == 0;
        of.epochs = o->epochs > of.epochs ? o->epochs : of.epochs;
    }
    if (!of.targets && !(hooks & GNT_HOOK_TRANSFORM_UPDATE))
        return NULL;
    of.influence = hooks & GNT_HOOK_AGGREGATE ? influence : 0;
    of.shadow = of.influence && replacing_rows(t);
    if (of.targets)
        of.stages = (gnt_ints){gnt_suite_rounds(s, t, seed), t->n_stages};
    of.epochs = all_epochs ? 0 : of.epochs;
    of.key = request_key(r, "observe", coordinates);
    return gnt_arena_copy(&j->request.memory, &of, 1, sizeof of);
}

/* True if an observation of any task that this training is for calls hooks of clients again; that of a
 * representation calls none. */
static int probes_clients(const run_requests *r, const gnt_suite_task *t) {
    for (size_t i = 0; i < r->suite->n_tasks; i++) {
        const gnt_suite_task *other = &r->suite->task[i];
        const uint32_t surface = other->observe.surface;
        if (strcmp(other->trained_as, t->trained_as) == 0 && other->observe.probe &&
            (surface == GNT_SURFACE_UPDATE || surface == GNT_SURFACE_ENCODING))
            return 1;
    }
    return 0;
}

static const gnt_request_head *head_of(const run_requests *r, run_job *j, const gnt_suite_task *t,
                                       uint64_t seed) {
    char coordinates[PART_SIZE], draw[SEED_SIZE];
    request_seed(seed, draw);
    snprintf(coordinates, sizeof coordinates, "%s/%s/head", t->trained_as, draw);
    const gnt_request_head of = {.hidden = {t->head.hidden, t->head.n_hidden},
                                 .epochs = t->head.epochs,
                                 .batch = t->head.batch,
                                 .rate = t->head.rate,
                                 .key = request_key(r, "train", coordinates)};
    return gnt_arena_copy(&j->request.memory, &of, 1, sizeof of);
}

/* Returns the federated settings. On public data the budget is the same: as many clients a round, steps and
 * batches, but no more clients than rows. Rows are dealt evenly if the suite counts out what clients get, for
 * which there may be too few public rows, or deals by groups, which these may not have. */
static gnt_request_federated federated_of(const gnt_suite_task *t, int defense, int64_t rounds) {
    gnt_suite_task of = *t;
    gnt_suite_federated *f = &of.federated;
    if (defense == RUN_PUBLIC &&
        (f->partition == GNT_PARTITION_LABELS || f->partition == GNT_PARTITION_SIZED_SHARDS ||
         f->partition == GNT_PARTITION_GROUP)) {
        f->partition = GNT_PARTITION_IID;
        f->by = NULL;
    }
    const int64_t each = f->partition == GNT_PARTITION_SHARDS ? f->shards : 1;
    const int64_t most = t->role_rows[GNT_ROLE_PUBLIC] / each;
    if (defense == RUN_PUBLIC && f->clients > most && most > 0) {
        const double a_round = ceil(f->participation * (double)f->clients - 1e-9);
        f->clients = most;
        f->participation = fmin(1, fmax(a_round, 1) / (double)most);
    }
    return request_federated(&of, rounds);
}

/* How a training run treats labels. */
typedef enum labels_as { LABELS_TRUE, LABELS_SHUFFLED, LABELS_SECRET } labels_as;

/* Rounds at which a control training with secret labels is measured, about. */
enum { SECRET_POINTS = 20 };

static run_job *training(run_requests *r, const char *name, size_t task, int defense, double strength,
                         uint64_t seed, int64_t rounds, labels_as labels) {
    static const char *const outputs[] = {"trained", "contributions", "record", "held", "treatments", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char coordinates[PART_SIZE], role[NAME_SIZE], draw[SEED_SIZE];
    int fresh;
    run_job *j = request_begin(r, name, GNT_JOB_TRAIN, outputs, &fresh);
    if (!j || !fresh)
        return j;
    request_seed(seed, draw);
    snprintf(coordinates, sizeof coordinates, "%s/%s", t->trained_as, draw);
    snprintf(role, sizeof role, "%s/%s/train", coordinates,
             defense < 0 ? "(plain)" : r->suite->defense[defense].label);
    j->utility_kind = t->utility;
    j->untrained = rounds == 0 && !t->weights;
    static const int64_t untrained[] = {0};
    const int64_t *observed = rounds ? gnt_suite_rounds(r->suite, t, seed) : NULL;
    gnt_request_train *q = &j->request.train;
    *q = (gnt_request_train){.model = request_model(t),
                             .federated = federated_of(t, defense, rounds),
                             .stages = {observed ? observed : untrained, observed ? t->n_stages : 1},
                             .partition_key = request_key(r, "data", coordinates),
                             .init_key = request_key(r, "init", coordinates),
                             .train_key = request_key(r, "train", coordinates),
                             .defense_key = request_key(r, "defense", role)};
    if (defense >= 0)
        q->samples = request_clients_samples(r, j, t, seed);
    j->defense = defense < 0 ? NULL : r->suite->defense[defense].label;
    q->defense = request_chain(r, j, defense, strength);
    set_sides(r, j, defense);
    q->shuffle_labels = labels == LABELS_SHUFFLED;
    q->secret_labels = labels == LABELS_SECRET;
    q->client_states = (request_hooks(r, defense) & GNT_HOOK_STATE) && labels == LABELS_TRUE &&
                       !run_is_search_seed(seed) && probes_clients(r, t);
    if (q->secret_labels)
        q->measure_every = (rounds + SECRET_POINTS - 1) / SECRET_POINTS;
    if (labels == LABELS_TRUE && defense >= 0 && rounds &&
        !run_is_search_seed(seed)) { /* no cell reads those of a search */
        q->measure_every = t->curve ? (rounds + t->curve - 1) / t->curve : 0;
        q->record = record_of(r, j, t, request_hooks(r, defense), seed, coordinates);
    }
    j->resumes = resumes(r, q, defense);
    q->keep_rows = run_is_search_seed(seed); /* for a search that is paired */
    if (t->by_head && !j->untrained)
        q->head = head_of(r, j, t, seed);
    run_job *data = run_data_job(r, task, seed);
    if (run_job_add_input(j, "clients", data, defense == RUN_PUBLIC ? "public" : "clients") != 0 ||
        run_job_add_input(j, "test", data, "test") != 0 ||
        run_job_add_input(j, "public", data, "public") != 0 ||
        (q->record && q->record->shadow && run_job_add_input(j, "shadow", data, replacing_rows(t)) != 0) ||
        request_add_weights(j, t, &r->inputs.weights[task], &q->weights_digest) != 0 ||
        request_add_artefacts(r, j, task, defense, strength, 0, NULL, seed, REQUEST_DEFENDER) != 0)
        return NULL;
    return j;
}

run_job *run_initial_job(run_requests *r, size_t task, uint64_t seed) {
    if (r->suite->task[task].captures)
        return run_capture_job(r, task);
    char name[NAME_SIZE], draw[SEED_SIZE];
    request_seed(seed, draw);
    snprintf(name, sizeof name, "start %s/%s", r->suite->task[task].trained_as, draw);
    return training(r, name, task, RUN_PLAIN, NAN, seed, 0, LABELS_TRUE);
}

run_job *run_train_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE], draw[SEED_SIZE];
    if (t->captures)
        return run_capture_job(r, task);
    /* only a secure sum is taken before the first round: else all start from the same weights */
    if (t->federated.rounds == 0 && !(request_hooks(r, defense) & GNT_HOOK_CONTRIBUTE))
        return run_initial_job(r, task, seed);
    request_label(r, defense, strength, label, sizeof label);
    request_seed(seed, draw);
    snprintf(name, sizeof name, "train %s/%s/%s", t->trained_as, label, draw);
    return training(r, name, task, defense, strength, seed, t->federated.rounds, LABELS_TRUE);
}

/* True if public rows are samples of the task: of its own set, with its labels. */
static int has_public(const gnt_suite_task *t) {
    return t->federated.rounds > 0 && t->role_rows[GNT_ROLE_PUBLIC] > 0 && !t->public_set.data;
}

static void public_name(const run_requests *r, size_t task, uint64_t seed, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "public %s/s%" PRIu64, r->suite->task[task].trained_as, seed);
}

run_job *run_public_job(run_requests *r, size_t task, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE];
    if (!has_public(t))
        return NULL;
    public_name(r, task, seed, name);
    return training(r, name, task, RUN_PUBLIC, NAN, seed, t->federated.rounds, LABELS_TRUE);
}

run_job *run_public_made(const run_requests *r, size_t task, uint64_t seed) {
    char name[NAME_SIZE];
    public_name(r, task, seed, name);
    return run_job_find_ok(r->jobs, name);
}

run_job *run_shuffled_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE];
    if (t->federated.rounds == 0 || t->is_map || t->utility != GNT_UTILITY_ACCURACY)
        return NULL;
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "shuffled-labels %s/%s/s%" PRIu64, t->trained_as, label, seed);
    return training(r, name, task, defense, strength, seed, t->federated.rounds, LABELS_SHUFFLED);
}

run_job *run_secret_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed) {
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE], label[PART_SIZE];
    if (!t->secret)
        return NULL;
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "secret-labels %s/%s/s%" PRIu64, t->trained_as, label, seed);
    return training(r, name, task, defense, strength, seed, t->federated.rounds, LABELS_SECRET);
}

/* True if an update may depend on what its client saved in earlier rounds, and is scored against the rows of
 * its batches: behind encodings, and where a defense draws its own batches, all rows may be meant anyway. */
static int may_carry_rows(const run_requests *r, int defense) {
    const uint32_t hooks = request_hooks(r, defense);
    return (hooks & GNT_HOOK_STATE) &&
           !(hooks & (GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH | GNT_HOOK_CLIENT_UPDATE));
}

run_job *run_replay_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed) {
    static const char *const outputs[] = {"replay", NULL};
    run_job *train = run_train_job(r, task, defense, strength, seed);
    char name[NAME_SIZE], label[PART_SIZE];
    int fresh;
    if (!train || !train->request.train.record || train->n_plugins == 0)
        return NULL;
    request_label(r, defense, strength, label, sizeof label);
    snprintf(name, sizeof name, "replay %s/%s/s%" PRIu64, r->suite->task[task].trained_as, label, seed);
    run_job *j = request_begin(r, name, GNT_JOB_REPLAY, outputs, &fresh);
    if (!j || !fresh)
        return j;
    const gnt_request_train *of = &train->request.train; /* which lives as long as this one */
    j->request.replay = (gnt_request_replay){.model = of->model,
                                             .samples = of->samples,
                                             .federated = of->federated,
                                             .defense = of->defense,
                                             .sides = GNT_SIDE_CLIENT,
                                             .copies = 1,
                                             .forgets = may_carry_rows(r, defense),
                                             .partition_key = of->partition_key,
                                             .train_key = of->train_key,
                                             .defense_key = of->defense_key,
                                             .record = *of->record};
    j->defense = train->defense;
    for (size_t i = 0; i < train->n_plugins; i++)
        j->plugin[j->n_plugins++] = train->plugin[i];
    for (size_t i = 0; i < train->n_inputs; i++)
        if (train->input[i].from && strcmp(train->input[i].name, "test") != 0 &&
            run_job_add_input(j, train->input[i].name, train->input[i].from, train->input[i].output) != 0)
            return NULL;
    return run_job_add_input(j, "trained", train, "trained") == 0 &&
                   run_job_add_input(j, "record", train, "record") == 0 &&
                   run_job_add_input(j, "held", train, "held") == 0
               ? j
               : NULL;
}

run_job *run_none_job(run_requests *r, size_t task, uint64_t seed) {
    for (size_t d = 0; d < r->suite->n_defenses; d++)
        if (strcmp(r->suite->defense[d].plugin, "none") == 0)
            return run_train_job(r, task, (int)d, NAN, seed);
    return run_train_job(r, task, RUN_PLAIN, NAN, seed);
}

run_job *request_prepare_defense(run_requests *r, size_t task, size_t defense, size_t member, double strength,
                                 int64_t stage, run_job *trained, uint64_t seed, request_preparer by) {
    static const char *const outputs[] = {"artefacts", NULL}, *const role_of[] = {"defense", "attack"},
                             *const preparer[] = {"", " by the attacker"};
    const gnt_suite_task *t = &r->suite->task[task];
    const gnt_suite_defense *d = &r->suite->defense[defense];
    char name[NAME_SIZE], label[PART_SIZE], role[NAME_SIZE], draw[SEED_SIZE];
    int fresh;
    if (d->member[member].info->flags & GNT_FLAG_PREPARES_ONCE)
        strength = NAN; /* that of the preset */
    request_label(r, (int)defense, strength, label, sizeof label);
    request_seed(seed, draw);
    snprintf(name, sizeof name, "prepare %s/r%" PRId64 "/%s/member %zu/%s%s", t->trained_as, stage, label,
             member, draw, preparer[by]);
    run_job *j = request_begin(r, name, GNT_JOB_PREPARE_DEFENSE, outputs, &fresh);
    if (!j || !fresh)
        return j;
    snprintf(role, sizeof role, "%s/%s/%s/prepare r%" PRId64 " member %zu", t->trained_as, draw, d->label,
             stage, member);
    const gnt_suite_member *m = &d->member[member];
    j->defense = d->label;
    j->request.prepare =
        (gnt_request_prepare){.model = request_model(t),
                              .samples = request_samples(j, t, REQUEST_REGION | REQUEST_HIDE),
                              .federated = request_federated(t, t->federated.rounds),
                              .stage = stage,
                              .told_stage = m->info->scope == GNT_SCOPE_STAGE ? stage : -1,
                              .key = request_key(r, role_of[by], role)};
    j->request.prepare.plugin = request_plugin(r, j, m, (int32_t)member == d->swept, strength);
    run_job *data = run_data_job(r, task, seed);
    if (run_job_add_input(j, "public", data, "public") != 0 ||
        run_job_add_input(j, "shadow", data,
                          by == REQUEST_ATTACKER ? request_shadow(t)
                                                 : gnt_role_names[GNT_ROLE_DEFENDER_SHADOW]) != 0 ||
        run_job_add_input(j, "trained", trained, "trained") != 0)
        return NULL;
    return j;
}
