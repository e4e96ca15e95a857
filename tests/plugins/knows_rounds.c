/* knows-rounds: a defense that sends a fixed pattern in the rounds that its author names, and its updates in
 * all others. It ranks first where its author knew which rounds are observed, as under a public seed, and
 * leaks as no defense where not. */
#include <math.h>

#include "gauntlet/plugin.h"

typedef struct knowing {
    const gnt_host *host;
    gnt_list rounds;
    double strength;
} knowing;

static int is_named(const knowing *k, int64_t round) {
    int64_t i = 0;
    while (i < k->rounds.n && (int64_t)k->rounds.at[i] != round)
        i++;
    return i < k->rounds.n;
}

/* Replaces the update by signs that depend on the entry alone, at its norm. */
static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    double squares = 0, entries = 0;
    uint32_t bits = 1;
    if (!is_named(self, client->round))
        return GNT_OK;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++) {
            squares += pow(update->tensor[t].data[i], 2);
            entries++;
        }
    const float size = entries > 0 ? (float)sqrt(squares / entries) : 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++) {
            bits = bits * 1664525u + 1013904223u;
            update->tensor[t].data[i] = bits >> 31 ? size : -size;
        }
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const gnt_parameter parameters[] = {
    GNT_INT_LIST(knowing, rounds, 0, 1000000, "[]", "", "rounds in which the pattern is sent"),
    GNT_STRENGTH_REAL(knowing, strength, 0, 1, 0, GNT_SCALE_LINEAR, 1, "",
                      "changes nothing, so that every search ends saturated")};

/* What an attack knows that meets it. */
static const char *const families[] = {"prune", NULL};

static const gnt_descriptor descriptor = {
    GNT_DEFENSE("knows-rounds", "2.0", "a test's defense that sends a pattern in some rounds", "MIT", ""),
    GNT_PARAMETERS(parameters),
    .families = families,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .instance_size = GNT_INSTANCE(knowing),
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
