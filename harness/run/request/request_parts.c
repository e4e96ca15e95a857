#include "run/request/request_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

run_job *request_begin(run_requests *r, const char *name, gnt_job_kind kind, const char *const *outputs,
                       int *fresh) {
    run_job *j = run_job_get(r->jobs, name, fresh);
    if (!j || !*fresh)
        return j;
    j->outputs = outputs;
    j->request.kind = kind;
    return j;
}

gnt_key request_key(const run_requests *r, const char *role, const char *job) {
    const gnt_key of_role = gnt_key_derive(&r->suite->key, role);
    return gnt_key_derive(&of_role, job);
}

const char *request_text(run_job *j, const char *text) {
    return gnt_arena_text(&j->request.memory, text);
}

static const char *hex_of(run_job *j, const gnt_digest *digest) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(digest, hex);
    return request_text(j, hex);
}

void request_data(const run_requests *r, run_job *j, const gnt_suite_task *t, const gnt_digest *digest,
                  const char *coordinates) {
    j->request.data =
        (gnt_request_data){.data = {.name = t->data,
                                    .seed = (int64_t)t->data_seed,
                                    .rows = {t->rows, 3},
                                    .digest = hex_of(j, digest)},
                           .split = {.n = {t->split.n, GNT_ROLES},
                                     .first = {t->split.first, 3},
                                     .target_rows = {t->split.target_rows, (size_t)t->split.n_target_rows},
                                     .target_part = t->split.target_part,
                                     .apart = t->split.apart,
                                     .balance = {t->balance, t->n_balance}},
                           .coin = t->coin,
                           .without = {t->without, t->n_without},
                           .folder = r->data_folder ? r->data_folder : "",
                           .key = request_key(r, "data", coordinates)};
}

const char *request_shadow(const gnt_suite_task *t) {
    return gnt_role_names[t->shadow_shared ? GNT_ROLE_DEFENDER_SHADOW : GNT_ROLE_SHADOW];
}

int request_add_weights(run_job *j, const gnt_suite_task *t, const gnt_digest *of, const char **digest) {
    if (!t->weights)
        return 0;
    *digest = hex_of(j, of);
    return run_job_add_file(j, "weights", t->weights);
}

int request_add_start(const run_requests *r, run_job *j, size_t task, size_t attack) {
    const char *path = r->suite->attack[attack].start;
    if (!path)
        return 0;
    if (r->suite->attack[attack].influence_of)
        j->request.attack.start_targets = r->suite->task[task].observe.targets;
    j->request.attack.start_digest = hex_of(j, &r->inputs.start[attack]);
    return run_job_add_file(j, "start", path);
}

gnt_request_model request_model(const gnt_suite_task *t) {
    const size_t channels = (size_t)t->facts.dim[0];
    return (gnt_request_model){.name = t->model,
                               .json = t->model_json,
                               .sample = {t->facts.dim, (size_t)t->facts.rank},
                               .classes = t->facts.classes,
                               .mean = {t->mean, t->mean ? channels : 0},
                               .deviation = {t->deviation, t->deviation ? channels : 0}};
}

gnt_request_federated request_federated(const gnt_suite_task *t, int64_t rounds) {
    const gnt_suite_federated *f = &t->federated;
    return (gnt_request_federated){.clients = f->clients,
                                   .partition = f->partition,
                                   .shards = f->shards,
                                   .shard_size = f->shard_size,
                                   .least = f->least,
                                   .most = f->most,
                                   .rows = {f->rows, f->n_dealt},
                                   .n_labels = {f->n_labels, f->n_dealt},
                                   .labels = {f->labels, f->labels_in_all},
                                   .alpha = f->alpha,
                                   .by = f->by ? f->by : "",
                                   .rounds = rounds,
                                   .participation = f->participation,
                                   .all_train = f->all_train,
                                   .local_steps = f->local_steps,
                                   .batch = f->batch,
                                   .rate = f->rate,
                                   .momentum = f->momentum,
                                   .decay = f->decay,
                                   .adam = f->adam,
                                   .flip = f->augment.flip,
                                   .shift = f->augment.shift,
                                   .cutout = f->augment.cutout,
                                   .cosine = f->schedule == GNT_SCHEDULE_COSINE,
                                   .training_stats = f->training_stats};
}

gnt_request_federated request_federated_for_attack(const gnt_suite_task *t) {
    gnt_request_federated known = request_federated(t, t->federated.rounds);
    known.rows = known.n_labels = known.labels = (gnt_ints){0};
    return known;
}

static gnt_request_observe observe_of(const gnt_suite_observe *o, int64_t targets, int64_t batch,
                                      int64_t set) {
    return (gnt_request_observe){.probe = o->probe,
                                 .surface = o->surface,
                                 .batch = batch,
                                 .local_steps = o->local_steps,
                                 .targets = targets,
                                 .set = set,
                                 .epochs = o->epochs};
}

gnt_request_observe request_observe(const gnt_suite_task *t) {
    const gnt_suite_observe *o = &t->observe;
    return observe_of(o, o->targets, o->batch, o->set);
}

/* Returns the shadow rows that are encoded together where an update of a round is of one encoding: as many as
 * a client holds, for a defense may mix them. 0: the samples of an observation are encoded by themselves. */
static int64_t shadow_set(const gnt_suite_task *t, uint32_t hooks) {
    const gnt_suite_observe *o = &t->observe;
    const int64_t most = t->role_rows[GNT_ROLE_SHADOW];
    if (o->probe || o->surface != GNT_SURFACE_UPDATE || o->batch != 1 || !(hooks & GNT_HOOK_ENCODE_SET))
        return 0;
    return o->client_rows < most ? o->client_rows : most;
}

gnt_request_observe request_observe_shadow(const gnt_suite_task *t, uint32_t hooks) {
    const gnt_suite_observe *o = &t->observe;
    const int64_t n = t->shadow_observations, rows = n * o->batch, most = t->role_rows[GNT_ROLE_SHADOW],
                  set = shadow_set(t, hooks);
    if (t->captures) { /* as clients compute in a round, in the batches of their local steps */
        gnt_request_observe as_clients = observe_of(o, n, o->batch, 0);
        as_clients.probe = 0;
        return as_clients;
    }
    if (set > 0) /* each encoding is what one update is of */
        return observe_of(o, (n + set - 1) / set, set, set);
    if (o->set && (o->set_given || !o->probe)) /* each is what one client encodes */
        return observe_of(o, n, o->set, o->set);
    if (o->set) /* all of them are one set, as all targets are */
        return observe_of(o, 1, rows < most ? rows : most, rows < most ? rows : most);
    return observe_of(o, n, o->batch, 0);
}

const gnt_request_attribute *request_attribute(run_job *j, const gnt_suite_task *t) {
    const int32_t a = t->observe.attribute;
    if (a < 0)
        return NULL;
    const gnt_request_attribute of = {.index = a, .values = t->facts.attr[a].values};
    return gnt_arena_copy(&j->request.memory, &of, 1, sizeof of);
}

const gnt_request_attribute *request_known_attribute(run_job *j, const gnt_suite_task *t) {
    const gnt_request_attribute *of = request_attribute(j, t);
    if (!of || !t->captures)
        return of;
    const gnt_request_attribute known = {.index = t->captures->known_attribute, .values = of->values};
    return gnt_arena_copy(&j->request.memory, &known, 1, sizeof known);
}

/* Lists the attributes with a positive weight; returns how many. *out is the job's. */
static size_t hidden_of(run_job *j, const gnt_suite_task *t, const double *weight,
                        const gnt_request_hidden **out) {
    gnt_request_hidden hide[GNT_DATA_ATTRS];
    size_t n = 0;
    for (int32_t i = 0; i < t->facts.n_attrs; i++)
        if (weight[i] > 0)
            hide[n++] = (gnt_request_hidden){t->facts.attr[i].name, weight[i]};
    *out = n ? gnt_arena_copy(&j->request.memory, hide, n, sizeof *hide) : NULL;
    return *out ? n : 0;
}

gnt_request_samples request_samples(run_job *j, const gnt_suite_task *t, unsigned what) {
    const gnt_suite_region *g = &t->region;
    const int64_t region[] = {g->top, g->left, g->height, g->width};
    gnt_request_samples of = {0};
    if (what & REQUEST_REGION && g->height) {
        of.region.at = gnt_arena_copy(&j->request.memory, region, 4, sizeof *region);
        of.region.n = of.region.at ? 4 : 0;
    }
    if (what & REQUEST_HIDE)
        of.hide.n = hidden_of(j, t, t->hide, &of.hide.at);
    return of;
}

gnt_request_samples request_clients_samples(const run_requests *r, run_job *j, const gnt_suite_task *t,
                                            uint64_t seed) {
    gnt_request_samples of = request_samples(j, t, REQUEST_REGION | REQUEST_HIDE);
    gnt_request_hider group[GNT_SUITE_HIDERS];
    char coordinates[PART_SIZE], draw[SEED_SIZE];
    if (t->n_hiders == 0)
        return of;
    for (size_t k = 0; k < t->n_hiders; k++) {
        group[k] = (gnt_request_hider){.share = t->hider[k].share};
        group[k].hide.n = hidden_of(j, t, t->hider[k].hide, &group[k].hide.at);
    }
    request_seed(seed, draw);
    snprintf(coordinates, sizeof coordinates, "%s/%s", t->trained_as, draw);
    const gnt_request_hiders all = {
        .group = {gnt_arena_copy(&j->request.memory, group, t->n_hiders, sizeof *group), t->n_hiders},
        .key = request_key(r, "data", coordinates)};
    of.hiders = gnt_arena_copy(&j->request.memory, &all, 1, sizeof all);
    return of;
}

uint32_t request_hooks(const run_requests *r, int defense) {
    uint32_t hooks = 0;
    for (size_t i = 0; defense >= 0 && i < r->suite->defense[defense].n_members; i++)
        hooks |= r->suite->defense[defense].member[i].info->hooks;
    return hooks;
}

void request_seed(uint64_t seed, char text[SEED_SIZE]) {
    const int search = run_is_search_seed(seed);
    snprintf(text, SEED_SIZE, "%s%" PRIu64, search ? "search" : "s",
             search ? seed ^ run_search_seed(0) : seed);
}

void request_label(const run_requests *r, int defense, double strength, char *text, size_t size) {
    char number[GNT_NUMBER_SIZE] = "none";
    if (isfinite(strength))
        gnt_number_text(strength, number);
    snprintf(text, size, "%s@%s", defense < 0 ? "(plain)" : r->suite->defense[defense].label, number);
}
