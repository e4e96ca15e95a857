/* drowned: one client of a small LeNet whose layers are given noise of their own. For tests that have
 * included cmocka. */
#ifndef TESTS_DROWNED_H
#define TESTS_DROWNED_H

#include "attacked.h"

/* LeNet of the DLG paper, with fewer channels. */
static const char lenet_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
enum { DENSE_LAYER = 5 };

/* Adds normal noise to the tensors of a layer; −1: of all. */
static inline void drown(attacked *a, int slot, int32_t layer, double sigma) {
    for (int64_t t = 0; t < a->update[slot].n; t++)
        for (int64_t i = 0; i < a->view[slot][t].count; i++)
            if (layer < 0 || a->view[slot][t].layer == layer)
                a->entry[slot][t][i] += (float)(sigma * gnt_random_normal(&a->noise));
}

static inline double recovered(attacked *a, const char *id, const char *json) {
    a->id = id;
    if (attack(a, json) != GNT_OK)
        fail_msg("%s: %s", id, a->err.text);
    return psnr(a);
}

#endif
