/* by_name: looks up parameters of a granted defense, artefacts and members of a chain. */
#ifndef SHARED_BY_NAME_H
#define SHARED_BY_NAME_H

#include <string.h>

#include "gauntlet/plugin.h"

/* Returns the first of n values with that id, or NULL. */
static inline const gnt_value *value_of(const gnt_value *value, int64_t n, const char *id) {
    for (int64_t i = 0; i < n; i++)
        if (strcmp(value[i].id, id) == 0)
            return &value[i];
    return NULL;
}

/* Returns the parameter of that id among those of the granted defense, or NULL. */
static inline const gnt_value *defense_value(const gnt_observation *seen, const char *id) {
    return value_of(seen->defense_values, seen->n_defense_values, id);
}

/* True if `id` is one of the ids that '+' joins; joined may be NULL. */
static inline int is_member(const char *joined, const char *id) {
    const size_t n = strlen(id);
    for (const char *at = joined; at; at = strchr(at, '+')) {
        at += *at == '+';
        if (strncmp(at, id, n) == 0 && (at[n] == '\0' || at[n] == '+'))
            return 1;
    }
    return 0;
}

/* Returns the entries of the artefact of that name and size, or NULL. own may be NULL. */
static inline const float *artefact_of(const gnt_artefacts *own, const char *name, int64_t count) {
    for (int64_t i = 0; own && i < own->tensors.n; i++)
        if (strcmp(own->tensors.view[i].name, name) == 0 && own->tensors.view[i].count == count)
            return own->tensors.view[i].data;
    return NULL;
}

#endif
