/* layer_noise: how much noise each layer of an update holds, read off the update itself.
 *
 * Entries of a gradient are mostly small and a few are large. Noise that is normal shows where it hides the
 * small ones: the entries' distances from their median then lie as those of a normal law do, and their median
 * is 0.6745 of its standard deviation however large the few are. A layer with noise is one whose quartiles
 * of distances are in the proportions of a normal law, and whose neighbouring entries do not agree in sign,
 * as those of a gradient do: its rows are sums of a few inputs, and inputs of neighbours are alike. */
#ifndef GRADIENT_LAYER_NOISE_H
#define GRADIENT_LAYER_NOISE_H

#include "gauntlet/plugin.h"

/* The tensors of one layer, which stand beside each other in an update. */
typedef struct layer_noise_part {
    int64_t first, n; /* tensors */
    int64_t entries;
    double spread; /* the median distance from the median, over 0.6745 */
    int is_noisy;
} layer_noise_part;

typedef struct layer_noise {
    int64_t n; /* layers */
    layer_noise_part *layer;
    int64_t n_noisy;
    /* What a layer without noise is reckoned with, the same for all of them: a thousandth of their entries'
     * root mean square. Where all have noise a millionth of that, which nothing reaches. */
    double floor;
} layer_noise;

/* Memory is scratch of the hook; the update's entries are finite. GNT_OK, or a status after host->fail. */
gnt_status layer_noise_read(layer_noise *out, const gnt_host *host, const gnt_views *update);

/* The layer's spread where it has noise, else the floor. */
double layer_noise_deviation(const layer_noise *of, int64_t layer);

/* Entries below which the shape of a layer tells nothing. */
enum { LAYER_NOISE_ENTRIES = 256 };

#endif
