/* layers: the layer of each tensor of an update. Tensors with the same view.layer are one layer (a
 * weight and its bias); layers are numbered from 0 in the order in which they first appear. */
#ifndef REGION_LAYERS_H
#define REGION_LAYERS_H

#include "gauntlet/plugin.h"

typedef struct layers {
    int32_t n;
    int64_t tensors;
    int32_t *of; /* tensors: 0 … n−1; scratch of the hook */
} layers;

/* Computes the layers of an update; layers_of_model those of the shared parameters of the host's model, in
 * the same order. Fails when memory ran out. */
gnt_status layers_of_update(const gnt_host *host, const gnt_tensors *update, layers *out);
gnt_status layers_of_model(const gnt_host *host, layers *out);

#endif
