/* Defenses for tests of hooks that run in processes of their own.
 *
 *   every-hook   has all hooks of clients, the server and queries; each draws random numbers, so that a
 *                stream keyed or continued otherwise shows, and what it gives hangs on all it is given
 *   remembers    keeps, for each client, a mean of its updates and how many there were, and sends some
 *   averages     takes over the aggregation: the middle of the updates, and running statistics of its own
 *   takes-all    takes over the computation of a client
 *   grows-sum    wants a longer secure sum at each query of its length
 *   withholds    sends no running statistics of every other client, and those of the rest as they are
 *   grows-buffers  sends more running statistics than there are
 *   peeks        sends what another client left in this instance: no function of the client's own data
 *   hangs-…, hoards-…  wait for ever and take memory for ever, in a hook of a client or of the server
 *   looks        an attack on any surface that reads all it is shown, and answers with no opinion */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gauntlet/plugin.h>

enum { CLIENTS = 64, ENTRIES = 3 };

typedef struct self {
    const gnt_host *host;
    double sum[ENTRIES];
    float mean[CLIENTS];
    float seen[CLIENTS];
    float rounds, last;
    int64_t queries;
} self;

static void *create(const gnt_host *host, const gnt_value *values) {
    self *s = calloc(1, sizeof *s);
    (void)values;
    if (s)
        s->host = host;
    return s;
}

static float normal(self *s, const char *name) {
    float value = 0;
    s->host->normal(s->host->context, name, 1, &value);
    return value;
}

static double sum_of(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; x && i < n; i++)
        sum += (double)x[i] * (double)(1 + i % 7);
    return sum;
}

/* Digest of everything that a hook of a client is given. */
static double digest(const self *me, const gnt_client *c) {
    const gnt_samples *s = c->samples;
    double sum = c->index + 3.0 * c->round + 5.0 * c->n_clients + 7.0 * (double)c->n_samples +
                 11.0 * (double)c->n_labels + 13 * c->rate + 17.0 * c->steps + 19.0 * (double)c->batch +
                 23.0 * c->rounds + 29.0 * c->per_round + 31.0 * me->host->model->info->training_stats +
                 37 * c->momentum + 41 * c->decay;
    if (s) {
        sum += sum_of(s->x, s->n * s->features) + sum_of(s->y, s->n * s->classes);
        for (int64_t i = 0; s->id && i < s->n; i++)
            sum += (double)s->id[i] * (double)(i + 1);
        for (int64_t i = 0; s->a && i < s->n * s->n_attributes; i++)
            sum += s->a[i];
        for (int32_t i = 0; i < s->n_attributes; i++)
            sum += s->attribute[i].values + strlen(s->attribute[i].name);
    }
    if (c->public_data)
        sum += sum_of(c->public_data->x, c->public_data->n * c->public_data->features);
    return fmod(sum + sum_of(c->weights, 8), 1);
}

static gnt_status encode(self *s, const gnt_client *c, const char *stream, const gnt_samples_sink *out,
                         int mixes) {
    const gnt_samples *in = c->samples;
    float *x = s->host->scratch(s->host->context, (size_t)in->features * sizeof *x);
    float *y = s->host->scratch(s->host->context, (size_t)in->classes * sizeof *y);
    const double given = digest(s, c);
    for (int64_t i = 0; i < in->n; i++) {
        const int64_t j = mixes ? (i + 1) % in->n : i;
        for (int64_t f = 0; f < in->features; f++)
            x[f] = 0.75f * in->x[i * in->features + f] + 0.25f * in->x[j * in->features + f];
        x[i % in->features] += 0.01f * normal(s, stream) + 0.001f * (float)given;
        for (int32_t k = 0; in->y && k < in->classes; k++)
            y[k] = 0.75f * in->y[i * in->classes + k] + 0.25f * in->y[j * in->classes + k];
        gnt_status status = out->put(out->context, x, y, in->id ? in->id[i] : 0);
        if (status == GNT_OK && mixes && out->mixed)
            status = out->mixed(out->context, 2, (int64_t[]){in->id[i], in->id[j]}, (double[]){0.75, 0.25});
        if (status != GNT_OK)
            return status;
    }
    return GNT_OK;
}

static gnt_status encode_set(void *me, const gnt_client *c, int64_t epoch, const gnt_samples_sink *out) {
    (void)epoch;
    return encode(me, c, "set", out, 1);
}

static gnt_status encode_batch(void *me, const gnt_client *c, int64_t step, const gnt_samples_sink *out) {
    (void)step;
    return encode(me, c, "batch", out, 0);
}

static gnt_status encode_query(void *me, const gnt_client *c, int64_t draw, const gnt_samples_sink *out) {
    (void)draw;
    return encode(me, c, "query", out, 0);
}

static int64_t contribute_size(void *me) {
    (void)me;
    return ENTRIES;
}

static gnt_status contribute(void *me, const gnt_client *c, double *vector) {
    vector[0] = (double)c->n_samples;
    vector[1] = digest(me, c);
    vector[2] = (double)normal(me, "given");
    return GNT_OK;
}

static gnt_status receive_sum(void *me, const double *sum, int64_t n) {
    self *s = me;
    if (n != ENTRIES)
        return s->host->fail(s->host->context, "the sum has another length than was contributed");
    memcpy(s->sum, sum, sizeof s->sum);
    return GNT_OK;
}

static gnt_status local_rate(void *me, const gnt_client *c, int64_t step, double *rate) {
    self *s = me;
    double u = 0;
    s->host->uniform(s->host->context, "rate", 1, &u);
    *rate *= 0.5 + u / 2 + 0.01 * digest(s, c) + 0.001 * (double)step + 1e-6 * s->sum[0];
    return GNT_OK;
}

static gnt_status transform_update(void *me, const gnt_client *c, gnt_tensors *update) {
    self *s = me;
    const int k = c->index % CLIENTS;
    const double given = digest(s, c);
    float last = 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++) {
            float *u = &update->tensor[t].data[i];
            last += *u;
            *u += 0.001f * normal(s, "noise") + 0.0001f * (float)given + 0.01f * s->mean[k];
        }
    for (int64_t t = 0; c->sent_buffers && t < c->sent_buffers->n; t++)
        for (int64_t i = 0; i < c->sent_buffers->tensor[t].count; i++)
            c->sent_buffers->tensor[t].data[i] += 0.001f * normal(s, c->sent_buffers->tensor[t].name);
    s->seen[k]++;
    s->mean[k] += (last - s->mean[k]) / s->seen[k];
    return GNT_OK;
}

static gnt_status client_update(void *me, const gnt_client *c, gnt_tensors *update) {
    const double given = digest(me, c);
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] = 0.001f * normal(me, update->tensor[t].name) + 0.001f * (float)given;
    return GNT_OK;
}

static gnt_status aggregate(void *me, const gnt_aggregate *in, float *next) {
    self *s = me;
    const double move = in->is_gradient ? -in->rate : 1;
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            sum += in->share[k] * (double)in->update[k][i];
        next[i] = (float)((double)in->old_weights[i] + move * sum) + 1e-4f * normal(s, "server");
    }
    for (int64_t i = 0; i < in->n_buffers; i++) {
        double mean = 0, all = 0;
        for (int64_t k = 0; k < in->n_clients; k++) {
            mean += (double)in->samples[k] * (double)in->client_buffers[k][i];
            all += (double)in->samples[k];
        }
        in->new_buffers[i] = (float)(0.5 * (double)in->new_buffers[i] + 0.25 * mean / all +
                                     0.25 * (double)in->buffers[i] + 1e-3 * in->client[0]);
    }
    s->rounds++;
    return GNT_OK;
}

static gnt_status save(void *me, int32_t client, const gnt_sink *out) {
    const self *s = me;
    const int64_t two = 2, one = 1;
    if (client < 0)
        return out->tensor(out->context, "rounds", 1, &one, &s->rounds);
    const float kept[2] = {s->seen[client % CLIENTS], s->mean[client % CLIENTS]};
    const gnt_status status = out->tensor(out->context, "kept", 1, &two, kept);
    return status == GNT_OK ? out->blob(out->context, "note", (const uint8_t *)"kept", 4) : status;
}

static gnt_status load(void *me, int32_t client, const gnt_artefacts *state) {
    self *s = me;
    if (state->tensors.n != 1 || (client >= 0 && (state->n_blobs != 1 || state->blob->count != 4)))
        return s->host->fail(s->host->context, "the state came back changed");
    const float *kept = state->tensors.view->data;
    if (client < 0)
        s->rounds = kept[0];
    else {
        s->seen[client % CLIENTS] = kept[0];
        s->mean[client % CLIENTS] = kept[1];
    }
    return GNT_OK;
}

static gnt_status middle(void *me, const gnt_aggregate *in, float *next) {
    const double move = in->is_gradient ? -in->rate : 1;
    (void)me;
    for (int64_t i = 0; i < in->n_params; i++) {
        float low = in->update[0][i], high = low;
        for (int64_t k = 1; k < in->n_clients; k++) {
            low = fminf(low, in->update[k][i]);
            high = fmaxf(high, in->update[k][i]);
        }
        next[i] = (float)((double)in->old_weights[i] + move * 0.5 * ((double)low + (double)high));
    }
    return GNT_OK;
}

static int64_t ever_longer(void *me) {
    self *s = me;
    return 1 + s->queries++;
}

static gnt_status one(void *me, const gnt_client *c, double *vector) {
    (void)me, (void)c;
    vector[0] = 1;
    return GNT_OK;
}

static gnt_status take(void *me, const double *sum, int64_t n) {
    (void)me, (void)sum, (void)n;
    return GNT_OK;
}

static gnt_status withhold(void *me, const gnt_client *c, gnt_tensors *update) {
    (void)me, (void)update;
    if (c->index % 2 && c->sent_buffers)
        c->sent_buffers->n = 0;
    return GNT_OK;
}

static gnt_status grow_buffers(void *me, const gnt_client *c, gnt_tensors *update) {
    (void)me, (void)update;
    c->sent_buffers->n++;
    return GNT_OK;
}

static gnt_status peek(void *me, const gnt_client *c, gnt_tensors *update) {
    self *s = me;
    (void)c;
    float *first = update->tensor[update->n - 1].data; /* of a bias, which no dark pixel keeps at zero */
    const float mine = *first;
    *first += s->last;
    s->last = mine;
    return GNT_OK;
}

/* ---- in one hook ---- */

static gnt_status misbehave(self *s, int hoards) {
    while (hoards) {
        char *p = malloc(16 << 20);
        if (p)
            memset(p, 1, 16 << 20);
    }
    for (;;) {
        const struct timespec a_while = {1, 0};
        nanosleep(&a_while, NULL);
        s->last++;
    }
    return GNT_OK;
}

#define MISBEHAVES(name, how)                                                                                \
    static gnt_status name##_update(void *me, const gnt_client *c, gnt_tensors *update) {                    \
        (void)c, (void)update;                                                                               \
        return misbehave(me, how);                                                                           \
    }                                                                                                        \
    static gnt_status name##_aggregate(void *me, const gnt_aggregate *in, float *next) {                     \
        (void)in, (void)next;                                                                                \
        return misbehave(me, how);                                                                           \
    }
MISBEHAVES(hang, 0)
MISBEHAVES(hoard, 1)

/* Every entry that is shown is a number. */
static int is_sound(const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

static gnt_status run(void *me, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    self *s = me;
    const gnt_samples *e = seen->encoded;
    int sound = (seen->update != NULL) + (e != NULL) + (seen->representation != NULL) == 1 && seen->n > 0;
    (void)own;
    for (int64_t t = 0; seen->update && t < seen->update->n; t++)
        sound &= is_sound(seen->update->view[t].data, seen->update->view[t].count);
    if (e)
        sound &= e->n > 0 && is_sound(e->x, e->n * e->features) && is_sound(e->y, e->n * e->classes);
    if (seen->representation)
        sound &= is_sound(seen->representation->view[0].data, seen->representation->view[0].count);
    if (!sound)
        return s->host->fail(s->host->context, "one surface of numbers was expected");
    float *scores = s->host->scratch(s->host->context, (size_t)(seen->n * seen->classes) * sizeof *scores);
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static const gnt_attack look = {.size = sizeof look, .run = run};

static const gnt_defense
    every = {.size = sizeof every,
             .contribute_size = contribute_size,
             .contribute = contribute,
             .receive_sum = receive_sum,
             .encode_set = encode_set,
             .encode_batch = encode_batch,
             .encode_query = encode_query,
             .local_rate = local_rate,
             .transform_update = transform_update,
             .aggregate = aggregate,
             .save = save,
             .load = load},
    remembers = {.size = sizeof remembers, .transform_update = transform_update, .save = save, .load = load},
    averages = {.size = sizeof averages, .aggregate = middle},
    takes = {.size = sizeof takes, .client_update = client_update},
    grows = {.size = sizeof grows, .contribute_size = ever_longer, .contribute = one, .receive_sum = take},
    withholds = {.size = sizeof withholds, .transform_update = withhold},
    grows_buffers = {.size = sizeof grows_buffers, .transform_update = grow_buffers},
    peeks = {.size = sizeof peeks, .transform_update = peek},
    hangs_client = {.size = sizeof hangs_client, .transform_update = hang_update},
    hangs_server = {.size = sizeof hangs_server, .aggregate = hang_aggregate},
    hoards_client = {.size = sizeof hoards_client, .transform_update = hoard_update},
    hoards_server = {.size = sizeof hoards_server, .aggregate = hoard_aggregate};

#define DEFENSE(name, with)                                                                                  \
    {                                                                                                        \
        .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .id = name, .version = "1.0",            \
        .line = "a test's defense", .licence = "MIT", .citation = "",                                        \
        .surfaces =                                                                                          \
            GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING | GNT_SURFACE_REPRESENTATION | GNT_SURFACE_TRANSCRIPT, \
        .data_kinds = GNT_KIND_ANY, .create = create, .destroy = free, .defense = &with                      \
    }

static const gnt_descriptor descriptors[] = {
    DEFENSE("every-hook", every),
    DEFENSE("remembers", remembers),
    DEFENSE("averages", averages),
    DEFENSE("takes-all", takes),
    DEFENSE("grows-sum", grows),
    DEFENSE("withholds", withholds),
    DEFENSE("grows-buffers", grows_buffers),
    DEFENSE("peeks", peeks),
    DEFENSE("hangs-client", hangs_client),
    DEFENSE("hangs-server", hangs_server),
    DEFENSE("hoards-client", hoards_client),
    DEFENSE("hoards-server", hoards_server),
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_ATTACK,
     .id = "looks",
     .version = "1.0",
     .line = "a test's attack",
     .licence = "MIT",
     .citation = "",
     .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING | GNT_SURFACE_REPRESENTATION,
     .goals = GNT_GOAL_LABEL,
     .data_kinds = GNT_KIND_ANY,
     .create = create,
     .destroy = free,
     .attack = &look}};
enum { PLUGINS = sizeof descriptors / sizeof *descriptors };

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < PLUGINS ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof(gnt_entry),
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = PLUGINS,
                                    .descriptor = descriptor_at};
    return &entry;
}
