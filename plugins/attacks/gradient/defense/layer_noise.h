/* layer_noise: how much noise each layer of an update has, estimated from the update itself.
 *
 * Most entries of a gradient are small and a few are large. Gaussian noise shows where it hides the small
 * ones: the entries' distances from their median are then distributed as in a normal law, and the median
 * distance is 0.6745 of the standard deviation however large the few are. A layer counts as noisy if the
 * quartiles of these distances are in the proportions of a normal law, and if neighbouring entries do not
 * agree in sign. Those of a gradient do: its rows are sums of a few inputs, and neighbouring inputs are
 * alike. */
#ifndef GRADIENT_LAYER_NOISE_H
#define GRADIENT_LAYER_NOISE_H

#include "gauntlet/plugin.h"

/* The tensors of one layer, which are adjacent in an update. */
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
    /* The deviation assumed for layers without noise: a thousandth of their entries' root mean square. If
     * all have noise it is a millionth of the root mean square of theirs, which is never reached. */
    double floor;
} layer_noise;

/* Reads the noise of each layer off an update whose entries are finite. Memory is scratch of the hook.
 * GNT_OK, or a status after host->fail. */
gnt_status layer_noise_read(layer_noise *out, const gnt_host *host, const gnt_views *update);

/* Returns the layer's spread if it has noise, else the floor. */
double layer_noise_deviation(const layer_noise *of, int64_t layer);

/* A layer with fewer entries is too small for its distribution to show whether it has noise. */
enum { LAYER_NOISE_ENTRIES = 256 };

#endif
