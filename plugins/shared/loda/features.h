/* features: g(x), the activations of chosen layers of the extractor stacked into one vector, and
 * products with its Jacobian J(x). Images are rows of `pixels` entries; everything works on n of them
 * at once, each by itself. */
#ifndef LODA_FEATURES_H
#define LODA_FEATURES_H

#include "gauntlet/plugin.h"

enum { FEATURES_LAYERS = 256, FEATURES_WHY = 400 };

typedef struct features {
    const gnt_host *host;
    const gnt_named_model *extractor;
    int32_t n_layers, layer[FEATURES_LAYERS];
    int64_t width[FEATURES_LAYERS]; /* entries of each layer for one image */
    int64_t pixels;                 /* entries of one image */
} features;

/* Layers by name, by "convs:firstN", "convs:lastN", "convs:all" and "dense", put together with '+' or ','.
 * They come out in the order of the model, each once. 0, or −1 with a sentence. */
int features_choose(const gnt_model_info *info, const char *text, int32_t layer[FEATURES_LAYERS], int32_t *n,
                    char why[FEATURES_WHY]);

/* What the defense's parameters "preset" (its number) and "layers" come to, for features_choose. */
const char *features_preset(int64_t preset, const char *custom);

/* The extractor that `parameter` names, and layers as `text` says. −1 after host->fail. */
int features_open(features *g, const gnt_host *host, const char *parameter, const char *text);
/* Whether images of this model are images of the extractor; GNT_UNSUPPORTED with a
 * sentence where they are not. */
gnt_status features_fit(const features *g, const gnt_model_info *task);

/* g around one point at a time. Zeros at first; close gives it back. Two maps hold two points. */
typedef struct feature_map {
    const features *g;
    gnt_function *f;
    int64_t n;
    int with_jvp;
} feature_map;

/* Makes the map ready for n images; keeps what it has where that serves. */
gnt_status feature_map_open(feature_map *m, const features *g, int64_t n, int with_jvp);
void feature_map_close(feature_map *m);
/* g(x): a view of n × width for each layer, valid until the map's next call. x stays where it is until
 * then. */
gnt_status feature_map_at(feature_map *m, const float *x, const gnt_views **out);
/* J(x)ᵀu at the last x; u: one pointer for each layer. *out: n × pixels, valid until the next call. */
gnt_status feature_map_vjp(feature_map *m, const float *const *u, const float **out);
/* J(x)v at the last x, v: n × pixels. */
gnt_status feature_map_jvp(feature_map *m, const float *v, const gnt_views **out);

#endif
