/* layer_features: g(x), the activations of chosen layers of the extractor stacked into one vector, and
 * products with its Jacobian J(x). Images are rows of `pixels` entries; all functions work on n of
 * them at once, independently. */
#ifndef LODA_LAYER_FEATURES_H
#define LODA_LAYER_FEATURES_H

#include "gauntlet/plugin.h"
#include "shared/choose/choose_layers.h"

enum { FEATURES_LAYERS = 256, FEATURES_WHY = CHOOSE_WHY };

typedef struct features {
    const gnt_host *host;
    const gnt_named_model *extractor;
    int32_t n_layers, layer[FEATURES_LAYERS];
    int64_t width[FEATURES_LAYERS]; /* entries of each layer for one image */
    int64_t pixels;                 /* entries of one image */
} features;

/* Lists the layers that choose_layers chooses, in the order of the model, each once. Returns 0, or −1 with an
 * error. */
int features_choose(const gnt_model_info *info, const char *text, int32_t layer[FEATURES_LAYERS], int32_t *n,
                    char why[FEATURES_WHY]);

/* Returns the text for features_choose of the defense's parameters "preset" (its index) and "layers". */
const char *features_preset(int64_t preset, const char *custom);

/* Opens the extractor that `parameter` names, with the layers of `text`. Returns −1 after host->fail. */
int features_open(features *g, const gnt_host *host, const char *parameter, const char *text);
/* Returns GNT_UNSUPPORTED, after host->fail, if images of this model are not images of the extractor. */
gnt_status features_fit(const features *g, const gnt_model_info *task);

/* g around one point at a time; zeroed by the caller, freed by feature_map_close. */
typedef struct feature_map {
    const features *g;
    gnt_function *f;
    int64_t n;
    int with_jvp;
} feature_map;

/* Prepares the map for n images; reuses what it has if possible. */
gnt_status feature_map_open(feature_map *m, const features *g, int64_t n, int with_jvp);
void feature_map_close(feature_map *m);
/* Computes g(x): a view of n × width for each layer, valid until the map's next call; x must remain valid
 * until then. */
gnt_status feature_map_at(feature_map *m, const float *x, const gnt_views **out);
/* Computes J(x)ᵀu at the last x; u: one pointer for each layer. *out: n × pixels, valid until the next
 * call. */
gnt_status feature_map_vjp(feature_map *m, const float *const *u, const float **out);
/* Computes J(x)v at the last x, v: n × pixels. */
gnt_status feature_map_jvp(feature_map *m, const float *v, const gnt_views **out);

#endif
