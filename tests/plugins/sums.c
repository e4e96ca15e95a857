/* Secure sums as attackers meet them. Defenses: one that perturbs learning rates the way adaptive
 * learning-rate perturbation does (rates from U(0, 2K·p_k·N·η), p_k from a secure sum of sample counts), and
 * one that reveals who its client is, for controls. Attacks: one that adds the transcript up, one that
 * answers the average, one that reads it off such an update, and one that reads a client's share off its
 * learning rates. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gauntlet/plugin.h>

enum { ENTRIES = 2, MOST = 4096 };

typedef struct self {
    const gnt_host *host;
    double zeta, sum[ENTRIES];
    int received;
} self;

static void *create(const gnt_host *host, const gnt_value *values) {
    self *s = calloc(1, sizeof *s);
    if (s) {
        s->host = host;
        s->zeta = values ? values[0].r : 0;
    }
    return s;
}

static void *create_plain(const gnt_host *host, const gnt_value *values) {
    (void)values;
    return create(host, NULL);
}

static void destroy(void *s) {
    free(s);
}

/* ---- defenses ---- */

static int64_t contribute_size(void *s) {
    (void)s;
    return ENTRIES;
}

static gnt_status contribute(void *s, const gnt_client *client, double *vector) {
    (void)s;
    vector[0] = (double)client->n_samples;
    vector[1] = (double)client->n_labels;
    return GNT_OK;
}

static gnt_status receive_sum(void *instance, const double *sum, int64_t n) {
    self *s = instance;
    if (n != ENTRIES)
        return s->host->fail(s->host->context, "the sum has another length than was contributed");
    memcpy(s->sum, sum, sizeof s->sum);
    s->received = 1;
    return GNT_OK;
}

static gnt_status local_rate(void *instance, const gnt_client *client, int64_t step, double *rate) {
    self *s = instance;
    double u, share = (double)client->n_samples * client->n_clients / s->sum[0],
              k = s->zeta * ((double)client->n_labels - s->sum[1] / client->n_clients) + 1;
    (void)step;
    if (!s->received)
        return s->host->fail(s->host->context, "the secure sum did not arrive");
    if (k <= 0)
        return s->host->fail(s->host->context, "K is not positive; lower zeta");
    s->host->uniform(s->host->context, "rate", 1, &u);
    s->host->fact(s->host->context, "share", share);
    *rate = u * 2 * k * share * client->rate;
    return GNT_OK;
}

static gnt_status contribute_known(void *s, const gnt_client *client, double *vector) {
    (void)s;
    vector[0] = 10 + client->index;
    vector[1] = -0.5;
    return GNT_OK;
}

static gnt_status reveal(void *s, const gnt_client *client, gnt_tensors *update) {
    (void)s;
    update->tensor[0].data[0] = (float)client->index;
    return GNT_OK;
}

/* ---- attacks ---- */

static gnt_status add_up(void *instance, const gnt_observation *seen, const gnt_artefacts *own,
                         const gnt_answer *answer) {
    const self *s = instance;
    const gnt_transcript *t = seen->transcript;
    static const char wrong[] = "the transcript does not add up to the sum";
    double value[MOST];
    (void)own;
    if (!t || seen->n_sum != t->n || t->n != seen->n_contribution || t->n_clients != seen->n_clients ||
        t->n_clients * t->n > MOST || seen->update || seen->labels || seen->n)
        return s->host->fail(s->host->context, "a transcript and its sum were expected, and no batch");
    for (int64_t e = 0; e < t->n; e++) {
        uint64_t total = 0;
        for (int32_t k = 0; k < t->n_clients; k++)
            total += t->masked[k * t->n + e];
        if ((double)(int64_t)total / t->scale != seen->sum[e])
            return s->host->fail(s->host->context, wrong);
    }
    /* the best that single words give: what they would say if there were no masks */
    for (int64_t i = 0; i < t->n_clients * t->n; i++)
        value[i] = (double)(int64_t)t->masked[i] / t->scale;
    return answer->contribution(answer->context, t->n_clients * t->n, value);
}

static int64_t rows_of(const gnt_observation *seen) {
    return seen->transcript ? seen->transcript->n_clients : 1;
}

static gnt_status guess(void *instance, const gnt_observation *seen, const gnt_artefacts *own,
                        const gnt_answer *answer) {
    double value[MOST];
    int64_t n = rows_of(seen) * seen->n_contribution;
    (void)instance, (void)own;
    for (int64_t i = 0; i < n && n <= MOST; i++)
        value[i] = seen->sum[i % seen->n_contribution] / seen->n_clients;
    return answer->contribution(answer->context, n, value);
}

static gnt_status read_client(void *instance, const gnt_observation *seen, const gnt_artefacts *own,
                              const gnt_answer *answer) {
    double value[MOST];
    (void)instance, (void)own;
    for (int64_t k = 0; k < rows_of(seen) && k < MOST / 2; k++) {
        value[2 * k] = 10 + (seen->update ? (double)seen->update->view[0].data[0] : (double)k);
        value[2 * k + 1] = -0.5;
    }
    return answer->contribution(answer->context, rows_of(seen) * ENTRIES, value);
}

static gnt_status look_ahead(void *instance, const gnt_attack_prepare *in, const gnt_sink *out) {
    const self *s = instance;
    (void)out;
    if (in->setting->n_contribution != ENTRIES || in->setting->n_clients < 2)
        return s->host->fail(s->host->context, "the setting does not tell of the secure sum");
    return GNT_OK;
}

/* The mean of rates from U(0, 2·p_k·N·η) is p_k·N·η, off by 1/√(3E) of itself over E steps. */
static gnt_status read_rates(void *instance, const gnt_observation *seen, const gnt_artefacts *own,
                             const gnt_answer *answer) {
    double mean = 0, value[ENTRIES];
    (void)instance, (void)own;
    for (int32_t i = 0; i < seen->steps; i++)
        mean += (double)seen->rates[i] / seen->steps;
    value[0] = mean / seen->rate * seen->sum[0] / seen->n_clients;
    value[1] = seen->sum[1] / seen->n_clients;
    return answer->contribution(answer->context, ENTRIES, value);
}

static const gnt_defense rates_hooks = {.size = sizeof rates_hooks,
                                        .contribute_size = contribute_size,
                                        .contribute = contribute,
                                        .receive_sum = receive_sum,
                                        .local_rate = local_rate};
static const gnt_defense reveal_hooks = {.size = sizeof reveal_hooks,
                                         .contribute_size = contribute_size,
                                         .contribute = contribute_known,
                                         .receive_sum = receive_sum,
                                         .transform_update = reveal};
static const gnt_attack add_up_hooks = {.size = sizeof(gnt_attack), .run = add_up},
                        guess_hooks = {.size = sizeof(gnt_attack), .run = guess},
                        read_client_hooks = {.size = sizeof(gnt_attack), .run = read_client},
                        read_rates_hooks = {
                            .size = sizeof(gnt_attack), .prepare = look_ahead, .run = read_rates};

static const gnt_parameter rates_table[] = {{.id = "zeta",
                                             .type = GNT_TYPE_REAL,
                                             .unit = "",
                                             .least = 0,
                                             .most = 1,
                                             .preset = 1.0 / 6,
                                             .preset_text = "",
                                             .help = "how much the number of labels weighs; 0: not at all"}};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "1.0", .line = "for tests of secure sums", .licence = "MIT",  \
    .citation = "", .data_kinds = GNT_KIND_ANY, .destroy = destroy
#define BOTH (GNT_SURFACE_UPDATE | GNT_SURFACE_TRANSCRIPT)
#define ATTACK(name, where, need, hooks, when)                                                               \
    {                                                                                                        \
        SHARED, .kind = GNT_PLUGIN_ATTACK, .id = name, .surfaces = where, .goals = GNT_GOAL_CONTRIBUTION,    \
                .needs = need, .scope = when, .create = create_plain, .attack = &hooks                       \
    }

static const gnt_descriptor descriptors[] = {
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "rates", .parameters = rates_table, .n_parameters = 1,
     .surfaces = BOTH, .flags = GNT_FLAG_RANDOMISED, .create = create, .defense = &rates_hooks},
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "tells", .surfaces = BOTH, .create = create_plain,
     .defense = &reveal_hooks},
    ATTACK("adds-up", GNT_SURFACE_TRANSCRIPT, GNT_KNOWS_SUM, add_up_hooks, GNT_SCOPE_NONE),
    ATTACK("guesses", BOTH, GNT_KNOWS_SUM, guess_hooks, GNT_SCOPE_NONE),
    ATTACK("is-told", BOTH, 0, read_client_hooks, GNT_SCOPE_NONE),
    ATTACK("reads-rates", GNT_SURFACE_UPDATE, GNT_KNOWS_SUM | GNT_KNOWS_RATES, read_rates_hooks,
           GNT_SCOPE_TASK),
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < (int32_t)(sizeof descriptors / sizeof *descriptors) ? &descriptors[index]
                                                                                     : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    (uint32_t)sizeof(gnt_entry),
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    (uint32_t)sizeof(void *),
                                    "",
                                    (int32_t)(sizeof descriptors / sizeof *descriptors),
                                    0,
                                    descriptor_at};
    return &entry;
}
