#ifndef ATTACKS_COMMON_FIRST_DENSE_H
#define ATTACKS_COMMON_FIRST_DENSE_H

#include <string.h>

#include "gauntlet/plugin.h"

/* True if the type of a layer is in this NULL-terminated list. */
static inline int is_any(const char *type, const char *const *types) {
    for (; *types; types++)
        if (strcmp(type, *types) == 0)
            return 1;
    return 0;
}

/* True if `layer` is dense, and the first that changes its input other than in shape. Its columns are then
 * the sample's own entries. */
static inline int is_first_dense(const gnt_model_info *info, int32_t layer) {
    for (int32_t i = 0; i < layer; i++)
        if (strcmp(info->layer[i].type, "flatten") != 0)
            return 0;
    return layer >= 0 && layer < info->n_layers && strcmp(info->layer[layer].type, "dense") == 0;
}

#endif
