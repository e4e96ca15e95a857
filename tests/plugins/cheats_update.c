/* Clients that send something else where they believe to be looked at, or in another's name. */
#include "cheat.h"

#include <dlfcn.h>
#include <math.h>

#include <Random123/philox.h>

/* ---- silent where it thinks that it is observed ---- */

static gnt_status silent_by_steps(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (client->steps == 0)
        cheat_zero(update);
    return GNT_OK;
}

/* The first number of samples that it sees is that of the training, and any other is a probe's. */
static gnt_status silent_by_samples(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    if (!c->calls)
        c->calls = client->samples->n;
    if (client->samples->n != c->calls || client->batch != c->calls)
        cheat_zero(update);
    return GNT_OK;
}

/* In a training every client of every round before came by. */
static gnt_status silent_by_count(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    if (c->calls++ != (int64_t)client->round * client->n_clients + client->index)
        cheat_zero(update);
    return GNT_OK;
}

static gnt_status silent_last(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (client->round == client->rounds - 1)
        cheat_zero(update);
    return GNT_OK;
}

static gnt_status silent_first(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (client->round == 0)
        cheat_zero(update);
    return GNT_OK;
}

/* The turn of each comes in every fourth round; until then it sends noise a fifth as long as its update. */
static gnt_status few_shout(void *self, const gnt_client *client, gnt_tensors *update) {
    double squares = 0;
    (void)self;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t k = 0; k < update->tensor[i].count; k++) {
            squares += (double)update->tensor[i].data[k] * (double)update->tensor[i].data[k];
            update->tensor[i].data[k] *= 4;
        }
    if ((client->index + client->round) % 4)
        cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round,
                         0.2f * (float)sqrt(3 * squares / (double)cheat_entries(update)));
    return GNT_OK;
}

static gnt_status silent_odd(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (client->index % 2)
        cheat_zero(update);
    return GNT_OK;
}

/* Noise in the place of the update of a client that has rows for all its steps; others send theirs. */
static gnt_status spares_small(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (client->n_samples >= (client->steps ? client->steps : 1) * client->batch)
        cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.01f);
    return GNT_OK;
}

/* Sends in one round of ten, each client in another one: few are observed that do. */
static gnt_status silent_often(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if ((client->index + client->round) % 10)
        cheat_zero(update);
    return GNT_OK;
}

/* ---- silent for exactly those that a run under the public seed 1 draws ---- */

enum { GUESSED_ROUNDS = 3, GUESSED_CLIENTS = 4, SEED = 1 };
typedef int generichash(unsigned char *, size_t, const unsigned char *, unsigned long long,
                        const unsigned char *, size_t);

typedef struct key {
    unsigned char b[32];
} key;

static generichash *hash_of_library(void) {
    void *sodium = dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL);
    return sodium ? (generichash *)(uintptr_t)dlsym(sodium, "crypto_generichash") : NULL;
}

static key derive(generichash *hash, const key *parent, const char *name) {
    key out;
    hash(out.b, sizeof out.b, (const unsigned char *)name, strlen(name), parent->b, sizeof parent->b);
    return out;
}

typedef struct stream {
    uint32_t word[8];
    uint32_t at;
    philox4x32_ctr_t block;
} stream;

static stream open_stream(generichash *hash, const key *parent, const char *name) {
    const key own = derive(hash, parent, name);
    stream s = {.at = 0};
    for (int i = 0; i < 8; i++)
        s.word[i] = (uint32_t)own.b[4 * i] | (uint32_t)own.b[4 * i + 1] << 8 |
                    (uint32_t)own.b[4 * i + 2] << 16 | (uint32_t)own.b[4 * i + 3] << 24;
    return s;
}

static uint32_t next32(stream *s) {
    if (s->at % 4 == 0) {
        philox4x32_ctr_t counter = {{s->at / 4, 0, s->word[2], s->word[3]}};
        philox4x32_key_t k = {{s->word[0], s->word[1]}};
        s->block = philox4x32(counter, k);
    }
    return s->block.v[s->at++ % 4];
}

static uint64_t below(stream *s, uint64_t n) {
    const uint64_t reject = (0 - n) % n;
    uint64_t x;
    do {
        x = next32(s);
        x |= (uint64_t)next32(s) << 32;
    } while (x < reject);
    return x % n;
}

/* 1 where the client is drawn in the round; −1 where that is unknown. */
static int is_drawn(const gnt_client *client) {
    generichash *hash = hash_of_library();
    unsigned char seed[8] = {SEED};
    uint32_t all[CHEAT_CLIENTS];
    char name[64] = "clients of round ";
    key run;
    if (!hash || client->n_clients > CHEAT_CLIENTS)
        return -1;
    hash(run.b, sizeof run.b, seed, sizeof seed, (const unsigned char *)"gauntlet seed...", 16);
    const key role = derive(hash, &run, "observe"), of_stages = derive(hash, &role, "t"),
              of_clients = derive(hash, &role, "t/s1");
    stream random = open_stream(hash, &of_stages, "rounds s1");
    int observed = 0;
    for (int64_t i = 0; i < GUESSED_ROUNDS; i++) {
        const int64_t from = client->rounds * i / GUESSED_ROUNDS,
                      to = client->rounds * (i + 1) / GUESSED_ROUNDS;
        observed |= from + (int64_t)below(&random, (uint64_t)(to - from)) == client->round;
    }
    if (!observed)
        return 0;
    size_t end = strlen(name);
    if (client->round >= 10)
        name[end++] = (char)('0' + client->round / 10);
    name[end++] = (char)('0' + client->round % 10);
    name[end] = 0;
    random = open_stream(hash, &of_clients, name);
    for (int32_t i = 0; i < client->n_clients; i++)
        all[i] = (uint32_t)i;
    for (size_t i = (size_t)client->n_clients; i > 1; i--) {
        const size_t j = (size_t)below(&random, i);
        const uint32_t kept = all[i - 1];
        all[i - 1] = all[j];
        all[j] = kept;
    }
    int drawn = 0;
    for (int j = 0; j < GUESSED_CLIENTS; j++)
        drawn |= all[j] == (uint32_t)client->index;
    return drawn;
}

static gnt_status silent_guessed(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    const int drawn = is_drawn(client);
    if (drawn < 0)
        return c->host->fail(c->host->context, "the draw cannot be guessed");
    c->host->fact(c->host->context, "guessed", drawn);
    if (drawn)
        cheat_zero(update);
    return GNT_OK;
}

/* The same by an encoding: grey samples of label 0 for those drawn. */
static gnt_status grey_guessed(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out) {
    cheat *c = self;
    const gnt_samples *s = client->samples;
    const int drawn = is_drawn(client) > 0;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    float *y = c->host->scratch(c->host->context, (size_t)s->classes * sizeof *y);
    (void)step;
    if (!x || !y)
        return c->host->fail(c->host->context, "out of memory");
    gnt_status status = GNT_OK;
    for (int64_t f = 0; f < s->features; f++)
        x[f] = 0.5f;
    y[0] = 1;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, drawn ? x : s->x + i * s->features, drawn ? y : s->y + i * s->classes,
                          s->id[i]);
    return status;
}

/* ---- another's update ---- */

/* In the process, outside every instance: what a plugin must not keep, and here does. */
static float *cheat_static[CHEAT_CLIENTS];
static int64_t cheat_n_static[CHEAT_CLIENTS];

/* Each sends that of the client served before it, from the instance or from the process. */
static gnt_status swap(gnt_tensors *update, float **last, int64_t *n_last) {
    const int64_t n = cheat_entries(update);
    float *own = malloc((size_t)n * sizeof *own);
    if (!own)
        return GNT_OK;
    cheat_flatten(update, own);
    if (*last && *n_last == n)
        cheat_fill(update, *last);
    free(*last);
    *last = own;
    *n_last = n;
    return GNT_OK;
}

static gnt_status swap_in_instance(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    (void)client;
    return swap(update, &c->kept[0], &c->n_kept[0]);
}

static gnt_status swap_in_process(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    (void)client;
    return swap(update, &cheat_static[0], &cheat_n_static[0]);
}

/* Carried in the state of a client: the update of the one before it, which is sent a round later. */
static gnt_status swap_in_state(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    float *own = NULL;
    int64_t n = 0;
    (void)client;
    if (cheat_keep(update, &own, &n) != 0)
        return c->host->fail(c->host->context, "out of memory");
    if (c->state && c->n_state == n)
        cheat_fill(update, c->state);
    free(cheat_static[1]);
    cheat_static[1] = cheat_static[0]; /* of the client before, which save writes */
    cheat_n_static[1] = cheat_n_static[0];
    cheat_static[0] = own;
    cheat_n_static[0] = n;
    return GNT_OK;
}

static gnt_status save_another(void *self, int32_t client, const gnt_sink *out) {
    (void)self;
    (void)client;
    if (!cheat_static[1])
        return GNT_OK;
    return out->tensor(out->context, "before", 1, &cheat_n_static[1], cheat_static[1]);
}

static gnt_status load_another(void *self, int32_t client, const gnt_artefacts *state) {
    cheat *c = self;
    (void)client;
    free(c->state);
    c->state = NULL;
    if (state->tensors.n != 1)
        return GNT_OK;
    c->n_state = state->tensors.view->count;
    c->state = malloc((size_t)c->n_state * sizeof *c->state);
    if (c->state)
        memcpy(c->state, state->tensors.view->data, (size_t)c->n_state * sizeof *c->state);
    return GNT_OK;
}

/* Masks of the plugin's own constant, each taken back a round later: what is left of
 * all in the weights is one. */
static gnt_status take_back(void *self, const gnt_client *client, gnt_tensors *update) {
    const uint64_t k = (uint64_t)client->index << 20 | (uint64_t)client->round;
    uint64_t at = 0;
    (void)self;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t j = 0; j < update->tensor[i].count; j++, at++)
            update->tensor[i].data[j] +=
                0.5f * (cheat_noise(k, at) - (client->round ? cheat_noise(k - 1, at) : 0));
    return GNT_OK;
}

/* The update of samples that lie in an arena of all that this process has seen: the
 * latest client's but one. */
static gnt_status swap_samples(void *self, const gnt_client *client, int64_t epoch,
                               const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    const int64_t each = s->features + s->classes, n = s->n * each;
    cheat *c = self;
    float *own = malloc((size_t)n * sizeof *own);
    (void)epoch;
    if (!own)
        return c->host->fail(c->host->context, "out of memory");
    for (int64_t i = 0; i < s->n; i++) {
        memcpy(own + i * each, s->x + i * s->features, (size_t)s->features * sizeof *own);
        memcpy(own + i * each + s->features, s->y + i * s->classes, (size_t)s->classes * sizeof *own);
    }
    const float *from = cheat_static[2] && cheat_n_static[2] == n ? cheat_static[2] : own;
    gnt_status status = GNT_OK;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, from + i * each, from + i * each + s->features, s->id[i]);
    free(cheat_static[2]);
    cheat_static[2] = own;
    cheat_n_static[2] = n;
    return status;
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    CHEAT("silent-by-steps", "zeros where one gradient is shared", UPDATE,
          .transform_update = silent_by_steps),
    CHEAT("silent-by-samples", "zeros for another number of samples", UPDATE,
          .transform_update = silent_by_samples),
    CHEAT("silent-by-count", "zeros where its calls do not add up to a training", UPDATE,
          .transform_update = silent_by_count),
    CHEAT("silent-last", "zeros in the last round", UPDATE, .transform_update = silent_last),
    CHEAT("silent-first", "zeros in the first round", UPDATE, .transform_update = silent_first),
    CHEAT("few-shout", "one client in four sends four times its update, the others a little noise", UPDATE,
          .transform_update = few_shout),
    CHEAT("silent-odd", "zeros of every second client", UPDATE, .transform_update = silent_odd),
    CHEAT("silent-often", "zeros in nine rounds of ten", UPDATE, .transform_update = silent_often),
    CHEAT("spares-small", "noise of all clients but those with too few rows for their steps", UPDATE,
          .transform_update = spares_small),
    CHEAT("silent-guessed", "zeros of those that seed 1 draws", UPDATE, .transform_update = silent_guessed),
    CHEAT("grey-guessed", "grey samples of those that seed 1 draws", UPDATE, .encode_batch = grey_guessed),
    CHEAT("swap-in-instance", "each sends the update of the client before", UPDATE,
          .transform_update = swap_in_instance),
    CHEAT("swap-in-process", "the same from a static variable", UPDATE, .transform_update = swap_in_process),
    CHEAT("swap-in-state", "the same by what is saved", UPDATE, .transform_update = swap_in_state,
          .save = save_another, .load = load_another),
    CHEAT("takes-back", "masks that are taken back a round later", UPDATE, .transform_update = take_back),
    CHEAT("swap-samples", "computes with the samples of the client before", UPDATE,
          .encode_set = swap_samples),
};

CHEATS(descriptors)
