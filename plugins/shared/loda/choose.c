/* choose: the layers of g, as a list. */
#include <stdio.h>
#include <stdlib.h>

#include "layer_features.h"

int features_choose(const gnt_model_info *info, const char *text, int32_t layer[FEATURES_LAYERS], int32_t *n,
                    char why[FEATURES_WHY]) {
    uint8_t *taken = calloc((size_t)info->n_layers + 1, 1);
    *n = 0;
    if (!taken) {
        snprintf(why, FEATURES_WHY, "out of memory for the choice of layers");
        return -1;
    }
    int rc = choose_layers(info, text, taken, why);
    for (int32_t i = 0; rc == 0 && i < info->n_layers; i++) {
        if (!taken[i])
            continue;
        if (*n == FEATURES_LAYERS) {
            snprintf(why, FEATURES_WHY, "layers: more than %d are chosen", FEATURES_LAYERS);
            rc = -1;
        } else
            layer[(*n)++] = i;
    }
    free(taken);
    return rc;
}

const char *features_preset(int64_t preset, const char *custom) {
    static const char *const layers[] = {"convs:first5", "convs:all", "convs:last5+dense"};
    return preset >= 0 && preset < 3 ? layers[preset] : custom;
}
