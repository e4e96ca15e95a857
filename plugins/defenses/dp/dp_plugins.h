/* dp_plugins: descriptors that entry.c lists. */
#ifndef DP_PLUGINS_H
#define DP_PLUGINS_H

#include "gauntlet/plugin.h"

extern const gnt_descriptor dp_gaussian, dp_laplace, dp_clip_alone, dp_sgd_descriptor, dp_fedavg_descriptor;

#endif
