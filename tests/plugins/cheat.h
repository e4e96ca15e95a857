/* What the families of cheating defenses (cheats_*.c) share. None of them is of any use to a federation: each
 * tries to be ranked without giving up utility, and a test shows how the harness answers. */
#ifndef GNT_TESTS_CHEAT_H
#define GNT_TESTS_CHEAT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

enum { CHEAT_CLIENTS = 64 };

typedef struct cheat {
    const gnt_host *host;
    int64_t calls;              /* of transform_update */
    float *kept[CHEAT_CLIENTS]; /* one update of each client, flat */
    int64_t n_kept[CHEAT_CLIENTS];
    float *state; /* what `load` brought */
    int64_t n_state;
    double *sum;
    int64_t n_sum;
} cheat;

static void *cheat_create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    cheat *c = calloc(1, sizeof *c);
    if (c)
        c->host = host;
    return c;
}

static void cheat_destroy(void *self) {
    cheat *c = self;
    for (int i = 0; i < CHEAT_CLIENTS; i++)
        free(c->kept[i]);
    free(c->state);
    free(c->sum);
    free(c);
}

static inline int64_t cheat_entries(const gnt_tensors *t) {
    int64_t n = 0;
    for (int64_t i = 0; i < t->n; i++)
        n += t->tensor[i].count;
    return n;
}

static inline void cheat_flatten(const gnt_tensors *t, float *out) {
    for (int64_t i = 0; i < t->n; out += t->tensor[i++].count)
        memcpy(out, t->tensor[i].data, (size_t)t->tensor[i].count * sizeof *out);
}

static inline void cheat_fill(gnt_tensors *t, const float *from) {
    for (int64_t i = 0; i < t->n; from += t->tensor[i++].count)
        memcpy(t->tensor[i].data, from, (size_t)t->tensor[i].count * sizeof *from);
}

static inline void cheat_zero(gnt_tensors *t) {
    for (int64_t i = 0; i < t->n; i++)
        memset(t->tensor[i].data, 0, (size_t)t->tensor[i].count * sizeof(float));
}

/* A copy of the update in *kept, made or written over. */
static inline int cheat_keep(const gnt_tensors *t, float **kept, int64_t *n) {
    if (!*kept)
        *kept = malloc((size_t)cheat_entries(t) * sizeof **kept);
    if (!*kept)
        return -1;
    *n = cheat_entries(t);
    cheat_flatten(t, *kept);
    return 0;
}

/* A hash of two numbers, for noise that needs no stream of the host. */
static inline uint64_t cheat_hash(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Between −1 and 1. */
static inline float cheat_noise(uint64_t a, uint64_t b) {
    return (float)((double)(cheat_hash(a, b) >> 11) * 0x1p-52 - 1);
}

static inline void cheat_send_noise(gnt_tensors *t, uint64_t key, float size) {
    uint64_t at = 0;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t k = 0; k < t->tensor[i].count; k++)
            t->tensor[i].data[k] = size * cheat_noise(key, at++);
}

#define CHEAT(name, what, shows, ...)                                                                        \
    {                                                                                                        \
        .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .id = "cheat-" name, .version = "1.0",   \
        .line = what, .licence = "MIT", .citation = "", .surfaces = shows, .data_kinds = GNT_KIND_ANY,       \
        .create = cheat_create, .destroy = cheat_destroy, .defense = &(const gnt_defense) {                  \
            .size = sizeof(gnt_defense), __VA_ARGS__                                                         \
        }                                                                                                    \
    }

#define CHEATS(list)                                                                                         \
    static const gnt_descriptor *cheat_at(int32_t i) {                                                       \
        return i >= 0 && (size_t)i < sizeof list / sizeof *list ? &list[i] : NULL;                           \
    }                                                                                                        \
    GNT_EXPORT const gnt_entry *gauntlet_entry(void) {                                                       \
        static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,                                              \
                                        .size = sizeof entry,                                                \
                                        .abi_major = GNT_ABI_MAJOR,                                          \
                                        .abi_minor = GNT_ABI_MINOR,                                          \
                                        .pointer_size = sizeof(void *),                                      \
                                        .build = "",                                                         \
                                        .n_plugins = (int32_t)(sizeof list / sizeof *list),                  \
                                        .descriptor = cheat_at};                                             \
        return &entry;                                                                                       \
    }

#endif
