/* A defense that lives on what is carried between jobs (a secure sum, its own state), and an attack that
 * checks the grants that come of it: the sum, and the same target at earlier stages. Each fails with a
 * sentence where the host gave something else than it should. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gauntlet/plugin.h>

enum { CLIENTS = 3, ENTRIES = 2, MOST = 16 }; /* of the suites that use it; a federation may have more */

typedef struct carrier {
    const gnt_host *host;
    double sum[ENTRIES];
    float updates[MOST]; /* how many each client transformed, carried from training to observation */
    int received, loaded;
} carrier;

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    carrier *c = calloc(1, sizeof *c);
    if (c)
        c->host = host;
    return c;
}

static void destroy(void *self) {
    free(self);
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const int64_t one = 1;
    (void)self;
    return out->tensor(out->context, "made", 1, &one, in->weights);
}

static int64_t contribute_size(void *self) {
    (void)self;
    return ENTRIES;
}

static gnt_status contribute(void *self, const gnt_client *client, double *vector) {
    (void)self;
    vector[0] = (double)client->n_samples;
    vector[1] = 1;
    return GNT_OK;
}

static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    carrier *c = self;
    if (n != ENTRIES)
        return c->host->fail(c->host->context, "the sum has another length than was contributed");
    memcpy(c->sum, sum, sizeof c->sum);
    c->received = 1;
    return GNT_OK;
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    carrier *c = self;
    (void)update;
    if (!c->received || c->sum[1] != client->n_clients)
        return c->host->fail(c->host->context, "the secure sum did not arrive");
    if (c->loaded && c->updates[client->index] != (float)client->round)
        return c->host->fail(c->host->context, "the client's state was not carried to the observation");
    c->updates[client->index]++;
    return GNT_OK;
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    const carrier *c = self;
    const int64_t one = 1;
    if (client < 0)
        return out->blob(out->context, "server", (const uint8_t *)"server", 6);
    return out->tensor(out->context, "updates", 1, &one, &c->updates[client]);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    carrier *c = self;
    if (client < 0) {
        if (state->n_blobs != 1 || state->blob->count != 6)
            return c->host->fail(c->host->context, "the server's state came back changed");
        c->loaded = 1;
        return GNT_OK;
    }
    if (state->tensors.n != 1 || strcmp(state->tensors.view->name, "updates") != 0)
        return c->host->fail(c->host->context, "the client's state came back changed");
    c->updates[client] = state->tensors.view->data[0];
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const carrier *c = self;
    if (seen->n_sum != ENTRIES || seen->sum[1] != CLIENTS)
        return c->host->fail(c->host->context, "the granted sum is not the one that was taken");
    if (seen->n_history != 1 || seen->history[0]->round >= seen->round)
        return c->host->fail(c->host->context, "one earlier stage was expected");
    const gnt_view *shown = &own->tensors.view[0];
    if (memcmp(shown->data, seen->history[0]->weights, (size_t)shown->count * sizeof(float)) != 0 ||
        memcmp(shown->data, seen->weights, (size_t)shown->count * sizeof(float)) == 0)
        return c->host->fail(c->host->context, "prepare was shown other weights of the earlier stage");
    const gnt_artefacts *made = seen->defense_artefacts;
    if (!made || made->tensors.n != 2 || strcmp(made->tensors.view[0].name, "made") != 0 ||
        strcmp(made->tensors.view[1].name, "1/made") != 0)
        return c->host->fail(c->host->context, "the artefacts of both members were expected");
    const gnt_view *now = seen->update->view, *then = seen->history[0]->update->view;
    if (memcmp(now->data, then->data, (size_t)now->count * sizeof *now->data) == 0)
        return c->host->fail(c->host->context, "the earlier stage shows this one's update");
    float *scores = c->host->scratch(c->host->context, (size_t)seen->classes * sizeof *scores);
    return answer->labels(answer->context, 1, seen->classes, scores);
}

static const gnt_defense defense_hooks = {.size = sizeof defense_hooks,
                                          .prepare = prepare,
                                          .contribute_size = contribute_size,
                                          .contribute = contribute,
                                          .receive_sum = receive_sum,
                                          .transform_update = transform_update,
                                          .save = save,
                                          .load = load};
/* The weights of the stage before are those that `run` sees with its observation. */
static gnt_status prepare_attack(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const carrier *c = self;
    const gnt_observation *setting = in->setting;
    if (setting->n_history != 1 || setting->history[0]->round >= setting->round)
        return c->host->fail(c->host->context, "one earlier stage was expected in prepare");
    const int64_t n = c->host->model->info->n_params;
    return out->tensor(out->context, "then", 1, &n, setting->history[0]->weights);
}

static const gnt_attack attack_hooks = {.size = sizeof attack_hooks, .prepare = prepare_attack, .run = run};

#define DEFENSE                                                                                              \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .version = "1.0",                            \
    .line = "takes a secure sum and keeps state", .licence = "MIT", .citation = "", .scope = GNT_SCOPE_TASK, \
    .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY, .create = create, .destroy = destroy,        \
    .defense = &defense_hooks

static const gnt_descriptor descriptors[] = {
    {DEFENSE, .id = "carries"},
    {DEFENSE, .id = "carries-too"},
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_ATTACK,
     .id = "reads-grants",
     .version = "1.0",
     .line = "checks the sum and the history it was granted",
     .licence = "MIT",
     .citation = "",
     .scope = GNT_SCOPE_STAGE,
     .surfaces = GNT_SURFACE_UPDATE,
     .goals = GNT_GOAL_LABEL,
     .needs = GNT_KNOWS_SUM | GNT_KNOWS_HISTORY,
     .uses = GNT_KNOWS_SUM | GNT_KNOWS_HISTORY | GNT_KNOWS_DEFENSE,
     .data_kinds = GNT_KIND_ANY,
     .create = create,
     .destroy = destroy,
     .attack = &attack_hooks},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 3 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    (uint32_t)sizeof(gnt_entry),
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    (uint32_t)sizeof(void *),
                                    "",
                                    3,
                                    0,
                                    descriptor_at};
    return &entry;
}
